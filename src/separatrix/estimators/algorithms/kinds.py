"""What rows of a kind share, whatever their task."""

from functools import partial

from separatrix.estimators import fit_cost
from separatrix.estimators.algorithm import Algorithm
from separatrix.kernels import RBF

not_separating = partial(Algorithm, separates=False)
stochastic_rule = partial(
    not_separating, several_classes="each against the rest", certificate="Unproved", source="Robbins and Monro 1951",
    cost=fit_cost.Passes(),
)  # fmt: skip
kernel_machine = partial(not_separating, certificate="DualityGap", kernel=RBF("scale"), cost=fit_cost.KernelMatrix())
