"""The linear machine with the largest margin, for several classes jointly (Crammer and Singer, 2001; C infinite).

    minimise  1/2 sum_c ||w_c||^2   with  (w_c - w_j).x_i + b_c - b_j >= 1  for each row i of class c and each rival j

By Kesler's construction this is a hard margin for two classes, one vector for each row and rival. Offsets are
coefficients of a column that is so large that their penalty is negligible.
"""

import numpy as np

from separatrix.certificates import Separator
from separatrix.errors import NotSeparableError
from separatrix.problem import Problem, kesler
from separatrix.products import dense_rows
from separatrix.rows import TINY
from separatrix.solvers.svm.linear_svm import linear_svm

MAX_ENTRIES = 2**23  # of Kesler's vectors
OFFSET_COLUMN = 1e4  # in units of the longest row: so large that the penalty on offsets is negligible
MARGIN_TOL = 1e-9


def joint_margin(problem: Problem) -> Separator | None:
    """The planes, as a claim that they separate; None where there are too many vectors, or the margin is too small.

    >>> problem = Problem(np.array([[0.0], [2.0], [4.0]]), np.array([0, 1, 2]), 3)
    >>> (joint_margin(problem).w.ravel().round(6) + 0.0).tolist()  # each is ahead by 1 at its own x
    [-1.0, 0.0, 1.0]
    """
    n, k, width = problem.n_rows, problem.n_classes, problem.n_features + problem.fit_intercept
    if n * (k - 1) * k * width > MAX_ENTRIES:
        return None
    X = dense_rows(problem.X, np.arange(n))
    centre = X.mean(axis=0) if problem.fit_intercept else np.zeros(X.shape[1])
    X = X - centre
    large = OFFSET_COLUMN * max(float(np.sqrt((X**2).sum(axis=1).max())), TINY)
    rows = np.column_stack([X, np.full(n, large)]) if problem.fit_intercept else X
    vectors = kesler.all_vectors(rows, problem.y, k)
    flipped = np.arange(len(vectors)) % 2
    two = Problem(vectors * np.where(flipped, -1.0, 1.0)[:, None], 1 - flipped, fit_intercept=False)
    try:
        found = linear_svm(two, C=np.inf, tol=MARGIN_TOL)
    except NotSeparableError:  # in doubles
        return None
    blocks = found.w.reshape(k, width)
    w = blocks[:, : problem.n_features].copy()
    b = large * blocks[:, -1] - w @ centre if problem.fit_intercept else np.zeros(k)
    claim = Separator.issue(problem, w, b)
    return claim if claim.proof else None
