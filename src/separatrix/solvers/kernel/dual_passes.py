"""Blocks of rows for rules that change one alpha after the other, with a bounded number of kernel values.

    scores_i = sum_j alpha_j y_j K_ij

Within a block of rows the compiled loop of a rule changes alpha and the scores of the block, by the kernel values of
the block. Then the scores of all rows follow by the rows whose alpha moved. So the rule goes on as if all scores
changed at each step, and needs no kernel rows but those of rows that moved.
"""

from collections.abc import Callable, Iterator

import numpy as np

from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.kernel.gram import gram_of

BLOCK_ROWS = 128


def blocks_of(order: np.ndarray) -> Iterator[np.ndarray]:
    """The rows of a pass, some at a time."""
    for first in range(0, order.size, BLOCK_ROWS):
        yield order[first : first + BLOCK_ROWS]


class DualVariables:
    """alpha of each row, and its score without offset, on their way; so many bytes of kernel values are kept."""

    def __init__(self, problem: Problem, max_bytes: float) -> None:
        self.problem, self.y = problem, problem.signs.astype(np.float64)
        self.gram = gram_of(problem.kernel, problem.X, max_bytes)
        self.alpha, self.scores = np.zeros(self.y.size), np.zeros(self.y.size)

    def change(self, block: np.ndarray, step: Callable[[np.ndarray, Vector, Vector], None]) -> None:
        """Let step(block, alpha, scores) change alpha and the scores of a block, in place; all others follow."""
        alpha = self.alpha[block]
        step(block, alpha, self.scores[block])
        moved = np.flatnonzero(alpha != self.alpha[block])
        amounts = self.y[block[moved]] * (alpha - self.alpha[block])[moved]
        self.alpha[block] = alpha
        self.gram.add_rows(block[moved], amounts, self.scores)

    @property
    def support(self) -> np.ndarray:
        """The rows whose alpha is not 0."""
        return np.flatnonzero(self.alpha)

    @property
    def coefficients(self) -> Vector:
        """y alpha of these rows."""
        return (self.y * self.alpha)[self.support]

    def refresh(self) -> None:
        """Compute the scores from alpha, in float64, whatever rounding has summed up."""
        rows, problem = self.problem.support_rows(self.support), self.problem
        self.scores[:] = problem.kernel.expansion(rows, self.coefficients, problem.X)
