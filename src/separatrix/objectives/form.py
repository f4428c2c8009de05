"""The dual variables of an objective: one for each row, or two where a row may be off to either side.

    minimise over w, b, t    1/2 ||w||^2 - total t + sum_p loss_p(required_p - s_p (w.x_p + b) - border t)

    loss_p(r) = max over 0 <= alpha <= upper_p of  alpha r - ridge_p alpha^2 / 2,       w = sum_p alpha_p s_p x_p

t is a further free variable, where there is one: rho of the nu machine, epsilon of nu regression. Variable p belongs to
row p, and p + n to row p again.
"""

from typing import NamedTuple

import numpy as np

from separatrix.rows import Vector


class Form(NamedTuple):
    """Signs, what is required of each variable, its bound and its ridge; and the border, 0 where there is no t."""

    signs: Vector
    required: Vector
    upper: Vector
    ridge: Vector
    border: float = 0.0
    total: float = 0.0


def two_sided(required: Vector, off: float, upper: Vector, ridge: Vector) -> Form:
    """Two variables for each row: s = 1 requires y - off, and s = -1 requires -y - off.

    >>> two_sided(np.array([2.0]), 0.5, np.ones(1), np.zeros(1)).required.tolist()
    [1.5, -2.5]
    """
    signs = np.repeat([1.0, -1.0], required.size)
    both = np.concatenate([required - off, -required - off])
    return Form(signs, both, np.tile(upper, 2), np.tile(ridge, 2))
