"""Every algorithm that predicts numbers, one row each."""

from functools import partial

from separatrix.estimators import fit_cost
from separatrix.estimators.algorithms.kinds import kernel_machine, not_separating, stochastic_rule
from separatrix.estimators.kernel.kernel_svm import options_to_try
from separatrix.estimators.kernel.kernel_svr import KernelNuSVR, KernelSVR
from separatrix.estimators.regression.least_squares_regressor import LeastSquaresRegressor
from separatrix.estimators.regression.linear_svr import LinearSVR
from separatrix.estimators.regression.nu_svr import NuSVR
from separatrix.estimators.regression.sparse_svr import SparseSVR
from separatrix.estimators.regression.stochastic_regressor import StochasticRegressor
from separatrix.objectives import Kind, Loss
from separatrix.solvers.kernel.kernel_svr import kernel_nu_svr, kernel_svr
from separatrix.solvers.online.stochastic import stochastic
from separatrix.solvers.regression.linear_svr import linear_svr
from separatrix.solvers.regression.nu_svr import nu_svr
from separatrix.solvers.regression.sparse_svr import sparse_svr
from separatrix.solvers.squares.least_squares import least_squares

# What rows of a kind share.
_tube = partial(
    not_separating, several_classes="numbers, no classes", certificate="DualityGap", task="regression",
    cost=fit_cost.InteriorPoint(),
)  # fmt: skip

ROWS = (
    not_separating(
        name="least squares regression",
        streams=True,
        solver=least_squares,
        estimator=LeastSquaresRegressor,
        rule="minimise sum (y - w.x - b)^2 + ridge w.w",
        several_classes="numbers, no classes",
        certificate="Stationary",
        source="Legendre 1805; Gauss 1809",
        task="regression",
        cost=fit_cost.Decomposition(matrix_free_columns=3000),
        always=True,
    ),
    _tube(
        name="linear SVR",
        streams=True,
        solver=linear_svr,
        estimator=LinearSVR,
        rule="minimise 1/2 w.w + C sum max(0, abs(y - g) - epsilon)",
        source="Vapnik 1995",
        always=True,
    ),
    _tube(
        name="linear SVR, squared",
        streams=True,
        solver=partial(linear_svr, squared=True),
        estimator=LinearSVR,
        options={"loss": "squared_epsilon_insensitive"},
        rule="minimise 1/2 w.w + C sum max(0, abs(y - g) - epsilon)^2",
        source="Vapnik 1995",
    ),
    _tube(
        name="nu-SVR",
        solver=nu_svr,
        estimator=NuSVR,
        rule="the linear SVR whose tube leaves a part of at most nu of the rows outside",
        source="Schoelkopf et al. 2000",
    ),
    not_separating(
        name="sparse regression with a tube",
        solver=sparse_svr,
        estimator=SparseSVR,
        rule="minimise l1 sum abs(w) + the mean of max(0, (y - w.x - b)^2 - epsilon)",
        several_classes="numbers, no classes",
        certificate="DualityGap",
        source="Tibshirani 1996; Sayed 2022",
        task="regression",
        cost=fit_cost.InteriorPoint(steps=25.0),
    ),
    stochastic_rule(
        name="stochastic regression",
        streams=True,
        solver=partial(stochastic, loss=Loss(Kind.EPSILON, 0.1)),
        estimator=StochasticRegressor,
        rule="w <- (1 - 2 rho l2) w + rho sign(y - g) x where abs(y - g) exceeds epsilon",
        several_classes="numbers, no classes",
        task="regression",
    ),
    kernel_machine(
        name="kernel SVR",
        solver=kernel_svr,
        estimator=KernelSVR,
        rule="minimise 1/2 w.w + C sum max(0, abs(y - g) - epsilon) in the space of a kernel",
        several_classes="numbers, no classes",
        source="Vapnik 1995",
        task="regression",
        grid=options_to_try,
        cost=fit_cost.KernelMatrix(free_rows=0.5),  # at the narrow kernels and large C of the grid
    ),
    kernel_machine(
        name="kernel nu-SVR",
        solver=kernel_nu_svr,
        estimator=KernelNuSVR,
        rule="kernel SVR with an epsilon that leaves at most a part nu of the rows outside",
        several_classes="numbers, no classes",
        source="Schoelkopf et al. 2000",
        task="regression",
        without_offset=False,
    ),
)
