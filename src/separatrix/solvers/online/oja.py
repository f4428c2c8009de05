"""Oja's rule (1982): Hebb's, with a decay that keeps w bounded.

    w += rho_t g (x_i - g w),      g = w.x_i

It tends to the unit eigenvector of E x x' with the largest eigenvalue, or to its negative.
"""

from typing import Any

from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.online.run import Random, Run
from separatrix.solvers.online.schedule import Decay, LearningRate


def oja(
    question: Problem, *, start: Any, learning_rate: LearningRate, max_iter: int = 100, rng: Random = None
) -> Vector:
    """w after all passes; the rule has no targets and no offset.

    >>> import numpy as np
    >>> row = Problem.of_numbers(np.array([[2.0, 0.0]]), np.zeros(1), fit_intercept=False)
    >>> oja(row, start=[0.5, 0.5], learning_rate=0.5, max_iter=1).tolist()  # g = 1: half of w, and half of the row
    [1.25, 0.25]
    """
    run = Run(question, Loss(Kind.OJA), start=start, learning_rate=learning_rate, max_iter=max_iter, rng=rng)
    return run.run().last_planes()[0, :-1]


def suited_rate(question: Problem) -> Decay:
    """A rate that starts from half of 1 / max ||x||^2, and halves in the first ten passes."""
    return Decay(0.5 / (question.radius**2 or 1.0), delay=10.0 * question.n_rows)
