"""Rules without a teacher: Hebb's (1949), which grows without bound, and Oja's (1982), which does not.

Hebb    w += rho g x                  g = w.x
Oja     w += rho g (x - g w)          tends to the unit eigenvector of the largest eigenvalue of E x x'
"""

from typing import Any

import numpy as np

from separatrix.losses import Kind, Loss
from separatrix.problem import Regression
from separatrix.rows import Vector
from separatrix.solvers.presentation import Presentation
from separatrix.solvers.schedule import LearningRate


def unsupervised(
    question: Regression,
    kind: Kind,
    *,
    start: Any,
    learning_rate: LearningRate,
    max_iter: int,
    rng: np.random.Generator | None = None,
) -> Vector:
    """w after all passes of one of the two rules; they look at the rows alone, and have no offset.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.losses import Kind
    >>> from separatrix.problem import Regression
    >>> from separatrix.solvers.hebb import unsupervised
    >>> row = Regression(np.array([[2.0, 0.0]]), np.zeros(1), fit_intercept=False)
    >>> unsupervised(row, Kind.HEBB, start=[1.0, 1.0], learning_rate=0.5, max_iter=2).tolist()
    [9.0, 1.0]
    """
    run = Presentation(question, Loss(kind), start=start, learning_rate=learning_rate, max_iter=max_iter)
    return run.run(rng).last_planes()[0, :-1]
