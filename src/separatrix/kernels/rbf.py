"""The Gaussian kernel, a function of the distance of two rows.

K(x, z) = exp(-gamma ||x - z||^2),     gamma = 1 / (2 sigma^2)
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from separatrix.enclosures.elementwise import INFLATED
from separatrix.enclosures.products import Enclosed
from separatrix.errors import OptionError
from separatrix.kernels.distances import distances_in_place
from separatrix.kernels.gamma import RULES, Gamma, checked_gamma, resolved_gamma, settled
from separatrix.kernels.kernel import Kernel
from separatrix.options import number
from separatrix.rows import SMALLEST, UNIT_ROUNDOFF

EXP_ROUNDINGS = 8.0  # of an exponential, in units of the last place: it is within two of its true value


@dataclass(frozen=True, init=False)
class RBF(Kernel):
    """exp(-gamma ||x - z||^2), the radial basis function; 1 for equal rows.

    Parameters
    ----------
    gamma : float, "scale", "auto", "nearest" or None
        Above 0, or a rule that makes it from the rows: "scale" and "auto" are scikit-learn's, "nearest" takes for sigma
        the distance of the closest rows of different classes. None: "scale", unless sigma is given.
    sigma : float or None
        The width, in place of gamma = 1 / (2 sigma^2).

    Examples
    --------
    >>> from separatrix.kernels import RBF
    >>> RBF(sigma=2.0)
    RBF(gamma=0.125)
    >>> RBF(gamma=0.5).matrix([[0.0], [2.0]]).round(4).tolist()  # exp(-2)
    [[1.0, 0.1353], [0.1353, 1.0]]
    >>> RBF(gamma="nearest").resolved([[0.0], [1.0], [3.0]], ["a", "a", "b"]).sigma
    2.0
    """

    gamma: Gamma
    shift_invariant = True

    def __init__(self, gamma: Gamma | None = None, sigma: float | None = None) -> None:
        if gamma is not None and sigma is not None:
            raise OptionError(f"Give RBF either 'gamma' or 'sigma', not both. Got gamma={gamma!r} and sigma={sigma!r}.")
        if sigma is not None:
            gamma = 0.5 / number("sigma", sigma, above=0.0) / float(sigma)
        object.__setattr__(self, "gamma", checked_gamma("scale" if gamma is None else gamma, (*RULES, "nearest")))

    @property
    def sigma(self) -> float:
        """The width: at this distance the kernel is exp(-1/2)."""
        return sqrt(0.5 / settled(self.gamma))

    def resolved(self, X: Any, y: Any = None, weights: Any = None) -> "RBF":
        """Settle gamma."""
        return RBF(resolved_gamma(self.gamma, X, y, weights))

    def of_products(self, P: np.ndarray, left_squares: np.ndarray, right_squares: np.ndarray) -> np.ndarray:
        """exp(-gamma (left_squares + right_squares - 2 P)), in place; centre the rows first."""
        if P.ndim == 2 and left_squares.shape == (len(P), 1) and right_squares.shape == P.shape[1:]:
            distances_in_place(P, left_squares[:, 0], right_squares, P.dtype.type(0.0))
            return self.of_distances(P)
        P *= -2.0
        P += left_squares
        P += right_squares
        return self.of_distances(np.maximum(P, 0.0, out=P))

    def of_distances(self, D: np.ndarray) -> np.ndarray:
        """exp(-gamma D), in place."""
        D *= -settled(self.gamma)
        return np.exp(D, out=D)

    def enclosed_of_distances(self, D: Enclosed) -> Enclosed:
        """exp(-gamma D), off by e^t - 1 <= t + t^2 of it where the exponent is off by t <= 1."""
        gamma = settled(self.gamma)
        exponent = gamma * D.value
        off = INFLATED * (gamma * D.radius + 2.0 * UNIT_ROUNDOFF * exponent) + EXP_ROUNDINGS * UNIT_ROUNDOFF
        value = np.exp(-exponent)
        radius = INFLATED * value * (off + off * off)
        if not (off <= 1.0).all():  # then what matters is the largest value that there may be
            largest = np.exp(-np.maximum(exponent - off, 0.0)) * (1.0 + 1e-12)  # 745 roundings
            radius = np.where(off <= 1.0, radius, largest)
        return Enclosed(value, INFLATED * radius + 2.0 * SMALLEST)

    def in_balls(self, product: Any, left_square: Any, right_square: Any) -> Any:
        """exp(-gamma (x.x + z.z - 2 x.z))."""
        return (-(left_square + right_square - 2 * product) * settled(self.gamma)).exp()
