"""Every algorithm that finds rows unlike the others, one row each."""

from functools import partial

from separatrix.estimators import fit_cost
from separatrix.estimators.algorithm import Algorithm
from separatrix.estimators.kernel.one_class_svm import OneClassSVM
from separatrix.estimators.kernel.smallest_ball import SmallestBall
from separatrix.kernels import RBF
from separatrix.solvers.kernel.enclosing_ball import enclosing_ball
from separatrix.solvers.kernel.one_class import one_class

# What rows of a kind share.
_not_separating = partial(Algorithm, separates=False)
_kernel_machine = partial(
    _not_separating, certificate="DualityGap", kernel=RBF("scale"), cost=fit_cost.KernelMatrix()
)  # fmt: skip

ROWS = (
    _kernel_machine(
        name="one-class SVM",
        solver=one_class,
        estimator=OneClassSVM,
        rule="the plane farthest from the origin with at most a part nu of the rows on its near side",
        several_classes="rows, no classes",
        source="Schoelkopf et al. 2001",
        task="novelty",
    ),
    _kernel_machine(
        name="smallest ball",
        solver=enclosing_ball,
        estimator=SmallestBall,
        rule="the smallest ball with at most a part nu of the rows outside, in the space of a kernel",
        several_classes="rows, no classes",
        source="Tax and Duin 1999",
        task="novelty",
    ),
)
