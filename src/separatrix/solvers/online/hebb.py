"""Hebb's rule (1949): strengthen what fires together. It grows without bound.

w += rho_t g x_i,      g = w.x_i
"""

from typing import Any

from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.online.run import Random, Run
from separatrix.solvers.online.schedule import LearningRate


def hebb(
    question: Problem, *, start: Any, learning_rate: LearningRate, max_iter: int = 1, rng: Random = None
) -> Vector:
    """w after all passes; the rule has no targets and no offset.

    >>> import numpy as np
    >>> row = Problem.of_numbers(np.array([[2.0, 0.0]]), np.zeros(1), fit_intercept=False)
    >>> hebb(row, start=[1.0, 1.0], learning_rate=0.5, max_iter=2).tolist()  # three times as long each time
    [9.0, 1.0]
    """
    run = Run(question, Loss(Kind.HEBB), start=start, learning_rate=learning_rate, max_iter=max_iter, rng=rng)
    return run.run().last_planes()[0, :-1]
