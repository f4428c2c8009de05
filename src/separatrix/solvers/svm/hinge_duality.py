"""What the two sides of a support vector machine are worth, whichever solver found them.

    primal   min 1/2 ||w||^2 + sum_i c_i max(0, 1 - y_i (<w, x_i> + b))^p,    p = 1 (hinge) or 2 (squared hinge)
    dual     max sum_i alpha_i - 1/2 ||sum_i y_i alpha_i x_i||^2 [- sum_i alpha_i^2 / (4 c_i) if p = 2],
             0 <= alpha_i [<= c_i if p = 1],   sum_i y_i alpha_i = 0 if there is a bias

Any w, b and any feasible alpha enclose the optimum (Cortes and Vapnik, 1995). So b is placed where it is best for w
(`offset`), and an alpha that is a little out of balance is put back into it.
"""

import numpy as np

from separatrix.objectives import SoftMargin
from separatrix.rows import Vector


def primal_value(w: Vector, scores: Vector, y: Vector, cost: Vector, squared: bool) -> float:
    """The objective, from w and the scores <w, x_i> + b."""
    return 0.5 * float(w @ w) + float(SoftMargin(1.0, squared).losses(y * scores, cost).sum())


def dual_value(pulled: Vector, alpha: Vector, cost: Vector, squared: bool) -> float:
    """The dual objective, from alpha and pulled = sum_i y_i alpha_i x_i."""
    given = float(SoftMargin(1.0, squared).give(cost) @ alpha**2) if squared else 0.0
    return float(alpha.sum()) - 0.5 * float(pulled @ pulled) - 0.5 * given


def balanced(alpha: Vector, y: Vector, top: Vector, free: np.ndarray) -> Vector:
    """The alpha with sum_i y_i alpha_i = 0 next to the given one, by moving the free rows if they have the room."""
    excess = float(y @ alpha)
    if excess == 0.0:
        return alpha
    heavy = y * excess > 0.0
    room = np.where(heavy, alpha, np.where(np.isfinite(top), top - alpha, 0.0))
    moving = np.where(free, room, 0.0)
    if moving.sum() < abs(excess):
        moving = np.where(heavy, alpha, 0.0)  # always enough: the excess is part of it
    share = min(1.0, abs(excess) / moving.sum())
    return np.clip(alpha - np.where(heavy, share, -share) * moving, 0.0, top)
