"""Maximum likelihood for logistic discrimination over blocks of rows, or the proof that there is none.

As `theory.likelihood` in memory, but for classes that are separated only weakly: the limit of their likelihood needs
all rows on the plane at once, and is refused.
"""

from functools import partial
from typing import Any

import numpy as np

from separatrix.certificates import Separator, WeakSeparator
from separatrix.errors import DataError, counted
from separatrix.problem import Problem, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.products import dense_rows, row_parts, scores
from separatrix.rows import CSR, Vector, read_only
from separatrix.solvers.blocks.logistic import logistic
from separatrix.theory.likelihood import Likelihood, solution_of
from separatrix.theory.separability import Verdict
from separatrix.theory.separability_of_blocks import separability_of_blocks


def maximum_likelihood_of_blocks(
    problem: BlockedProblem, *, tol: float = 1e-8, max_iter: int = 1000, time_limit: float | None = None
) -> Likelihood:
    """Find the planes of maximum likelihood, or prove that the classes are separated.

    >>> from separatrix.data.blocks import read_blocks
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> found = maximum_likelihood_of_blocks(read_blocks(X, [0, 0, 1, 1], rows_per_block=3).encoded().problem)
    >>> found.kind, found.solution.w.tolist(), found.solution.b
    ('complete', [2.0], -3.0)
    """
    verdict = separability_of_blocks(problem, time_limit)
    if verdict.kind in ("overlap", "undecided"):  # the gap that is certified proves the minimum, where there is one
        nowhere = np.zeros((problem.n_planes, problem.n_features + 1), dtype=bool)
        solution = logistic(problem, C=np.inf, tol=tol, max_iter=max_iter, time_limit=time_limit)
        return Likelihood("overlap", verdict.proved, solution, nowhere)
    certificate: Any = verdict.certificate
    if verdict.kind == "quasi-complete":
        raise DataError(
            f"The likelihood has no maximum: a plane has {counted(certificate.on.size, 'row')} on itself and no row on "
            "the wrong side, as separability(blocks) proves. The limit is found for rows in memory only. Use a finite "
            "C, or fewer features."
        )
    return limit_if_complete(problem, verdict)


def limit_if_complete(problem: BlockedProblem, verdict: Verdict) -> Likelihood:
    """The planes that separate, scaled so that the least margin of all rows is 1."""
    certificate: Any = verdict.certificate
    if isinstance(certificate, WeakSeparator):  # a strict one in integers
        certificate = certificate.planes(problem.load(0))
    w, b = np.atleast_2d(certificate.w), np.atleast_1d(certificate.b)
    w, b = (w, b) if len(w) == 1 else (w - w.mean(axis=0), b - b.mean())
    least, columns = problem.over(Fold(partial(measured, w, b), merged, lambda found: found[:2]))
    if least > 0.0 and np.isfinite(1.0 / least):
        w, b = w / least, b / least
    planes: Any = (w[0], b[0]) if len(w) == 1 else (w, b)
    examined = problem.over(Separator.examination(*planes))
    normals, offsets = (read_only(np.array(each)) for each in planes)
    issued = Separator(normals, offsets, None, examined, problem.n_rows)
    solution = solution_of(w, b, issued if issued.proof else verdict.certificate, Status.SEPARATED)
    varying = np.append(columns, problem.fit_intercept)
    return Likelihood("complete", verdict.proved, solution, np.tile(varying, (len(w), 1)))


Measured = tuple[float, np.ndarray, Vector, bool]


def measured(w: Vector, b: Vector, block: Problem, first: int) -> Measured:
    """The least margin of a block, the columns that vary, and its first row, from which others are told apart."""
    scored = scores(block.X, np.ascontiguousarray(w.T)) + b
    if len(w) == 1:
        least = float((block.signs * scored[:, 0]).min())
    else:
        rows = np.arange(block.n_rows)
        own = scored[rows, block.y].copy()
        scored[rows, block.y] = -np.inf
        least = float((own - scored.max(axis=1)).min())
    row = dense_rows(block.X, np.arange(1)).ravel() if block.fit_intercept else np.zeros(block.n_features)
    varies = np.zeros(block.n_features, dtype=bool)
    for _, matrix in row_parts(block.X, slice(0, block.n_rows), 4096):
        varies |= ((matrix.toarray() if isinstance(block.X, CSR) else matrix) != row).any(axis=0)
    return least, varies, row, block.fit_intercept


def merged(one: Measured, other: Measured) -> Measured:
    """Of the rows of both."""
    return min(one[0], other[0]), one[1] | other[1] | (one[2] != other[2]), one[2], one[3]
