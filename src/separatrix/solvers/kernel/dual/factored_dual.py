"""The dual of a kernel machine by a factor of the kernel matrix, K = L L', as a program in the columns of L.

    minimise over v = [w, b_g]    1/2 ||w||^2 + sum_g total_g b_g + sum_p loss_p(required_p - s_p (<w, L_p> + b_g))

    loss_p(t) = max over 0 <= alpha <= upper_p of  alpha t - ridge_p alpha^2 / 2

The interior-point method and the polish of linear machines solve it. Rows of L are measured from their centre where the
totals cancel, and K is divided by its mean diagonal, of which alpha then is a multiple.
"""

import numpy as np

from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.kernel.dual.grouped_dual import GroupedDual
from separatrix.solvers.svm.active_set import is_optimal, optimum, polish
from separatrix.solvers.svm.program import Program

FREE_RTOL = 1e-9  # relative distance of alpha from its bounds from which on its row is on the margin


def program_of(grouped: GroupedDual, L: Vector, mean: float) -> Program:
    """The program of a dual, with K divided by a mean."""
    dual, k, n_groups = grouped.dual, L.shape[1], grouped.totals.size
    A = np.empty((dual.y.size, k + n_groups))
    np.multiply(L[dual.row], (dual.y / np.sqrt(mean))[:, None], out=A[:, :k])
    A[:, k:] = dual.y[:, None] * (dual.group[:, None] == np.arange(n_groups))
    H, f = np.diag(np.repeat([1.0, 0.0], [k, n_groups])), np.concatenate([np.zeros(k), -grouped.totals * mean])
    return Program(A, dual.required, dual.upper * mean, dual.ridge / mean, H, f)


def scaled(program: Program, rho: float) -> Program:
    """The program of v / rho and alpha / rho, where nothing is required: the polish expects margins of the size 1."""
    return program._replace(upper=program.upper / rho, f=program.f / rho)


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def factored_optimum(grouped: GroupedDual, L: Vector, budget: Budget) -> tuple[Vector, Vector]:
    """Alpha of all variables, and the offset of each group: of many, the one in the middle."""
    balanced = bool(grouped.totals.size) and float(grouped.totals.sum()) == 0.0  # then any origin will do
    centre = L.mean(axis=0) if balanced else np.zeros(L.shape[1])
    L = L - centre
    mean = max(float(np.einsum("ij,ij->i", L, L).mean()), TINY)
    program = program_of(grouped, L, mean)
    v, alpha = optimum(program, budget)
    if not grouped.dual.required.any() and not is_optimal(program, v, alpha):
        rho = grouped.size(v[L.shape[1] :])
        v, alpha = (rho * each for each in polish(scaled(program, rho), v / rho, alpha / rho))
    free = np.minimum(alpha, program.upper - alpha) > FREE_RTOL * np.minimum(program.upper, alpha.max(initial=0.0))
    decided = np.bincount(grouped.dual.group[free], minlength=grouped.totals.size)[: grouped.totals.size] > 0
    w, offsets = v[: L.shape[1]] / np.sqrt(mean), v[L.shape[1] :]
    if not decided.all():
        offsets = np.where(decided, offsets, grouped.offsets(L @ w))
    return alpha / mean, offsets - float(centre @ w)
