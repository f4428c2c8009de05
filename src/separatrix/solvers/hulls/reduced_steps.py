"""What the steps towards the nearest points of reduced hulls share: their extreme points along d.

    z = the point of R(X+, mu) lowest along d, less that of R(X-, mu) highest along it

The weights of these two points are those of whole rows: as much as each may have, the facing rows first
(`certificates/arithmetic/reduced_hull`). A row of the full hull takes the place of a point by its weights.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.arithmetic.reduced_hull import extreme_weights
from separatrix.products import combination, scores
from separatrix.rows import Rows, Vector


class Extreme(NamedTuple):
    """The extreme points Z = [z0, z1] of both reduced hulls against d, their weights, and how far d is from optimal.

    `below` is <d, p - z1> for class 1 and <d, z0 - q> for class 0: how far the extreme point is beyond the present
    one. Their sum over ||d||^2 is the relative error of ||d||^2.
    """

    weights: Vector
    Z: Vector
    below: Vector
    square: float

    @property
    def error(self) -> float:
        """The relative error of the distance at most."""
        return float(self.below.sum()) / self.square if self.square > 0.0 else 0.0


def extreme_points(X: Rows, y: np.ndarray, state: Any, log: Vector, k: int) -> Extreme:
    """Find the extreme points against d = p - q, and log distance and bound as entry k."""
    np.subtract(state.P[1], state.P[0], out=state.d)
    s, weights = y * scores(X, state.d), np.empty(y.size)
    for side in (-1, 1):
        own = y == side
        weights[own] = extreme_weights(-s[own], state.u[own])
    Z = combination(X, np.column_stack([weights * (y < 0), weights * (y > 0)])).T
    below = np.array([(Z[0] - state.P[0]) @ state.d, (state.P[1] - Z[1]) @ state.d])
    square = float(state.d @ state.d)
    distance = square**0.5
    log[k, 0] = distance
    log[k, 1] = distance - float(below.sum()) / distance if square > 0.0 else 0.0
    return Extreme(weights, Z, below, square)
