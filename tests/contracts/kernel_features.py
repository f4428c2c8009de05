"""Rows in the space of a Gaussian kernel as vectors, in long doubles: formulas about planes then serve kernels too.

K = F F' by a pivoted Cholesky factor; row i of F stands for phi(x_i), and w = sum_j c_j F_j for coefficients c.
"""

from dataclasses import replace

import numpy as np

from contracts.dense_rows import dense
from separatrix.certificates import DualityGap
from separatrix.problem import Problem


def gaussian(problem: Problem) -> np.ndarray:
    """exp(-gamma ||x - z||^2) of all pairs of rows, from their differences."""
    X = dense(problem).astype(np.longdouble)
    D = np.array([((X - x) ** 2).sum(axis=1) for x in X])
    return np.exp(-np.longdouble(problem.kernel.gamma) * D)


def factor(K: np.ndarray) -> np.ndarray:
    """F with F F' = K, down to the rounding of long doubles."""
    rest, columns = K.copy(), []
    while (pivot := rest.diagonal().max()) > 1e-18 * K.diagonal().max():
        column = rest[int(rest.diagonal().argmax())] / np.sqrt(pivot)
        columns.append(column)
        rest = rest - np.outer(column, column)
    return np.array(columns).T if columns else np.zeros((len(K), 1), "g")


def as_plane(problem: Problem, claim: DualityGap) -> tuple[np.ndarray, DualityGap]:
    """The rows as vectors, and the claim about the plane among them."""
    F = factor(gaussian(problem))
    return F, replace(claim, w=claim.w.astype("g") @ F[claim.support])


def sharpness(problem: Problem) -> float:
    """How much more kernel values are rounded than products: distances are, too."""
    return 1.0 + problem.kernel.gamma * float((dense(problem).astype(float) ** 2).sum(axis=1).max())
