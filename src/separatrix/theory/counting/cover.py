"""How many dichotomies of n points a plane can make (Schlaefli, 1850; Cover, 1965), and with which probability.

    S(d, n) = 2 sum_(m <= d) C(n - 1, m)          S(d, n + 1) = S(d, n) + S(d - 1, n)

for n points of R^d in general position and planes w.x + b with an offset. Planes through the origin make S(d - 1, n) of
them, if every d of the points are linearly independent. Of the 2^n dichotomies a part

    P(d, n) = S(d, n) / 2^n = Pr[Binomial(n - 1, 1/2) <= d]

is separable: all for n <= d + 1, half of them for n = 2 (d + 1), the capacity, and with growing d nearly all below and
nearly none above it.
"""

from fractions import Fraction
from math import log2
from typing import Any, Literal, overload

from separatrix.errors import OptionError
from separatrix.options import flag, whole

MAX_BITS = 2**37  # that the additions of a count may read, a few seconds
MAX_POINTS_OF_LOG = 10**12  # the sum has about 5 sqrt(n) terms
GUARD_BITS = 128  # of fixed-point numbers and of balls; the logarithms that are subtracted need 40 of them


def cover_count(n_points: int, n_features: int, *, homogeneous: bool = False) -> int:
    """Count the dichotomies of points in general position that planes can make (Cover, 1965).

    Parameters
    ----------
    n_points : int
        Number of points, at least 1.
    n_features : int
        Their dimension.
    homogeneous : bool
        Whether planes go through the origin; if not, they have an offset.

    Returns
    -------
    int
        2 sum_(m <= d) C(n - 1, m), exactly; without an offset the sum ends at d - 1. Points that are not in general
        position have fewer separable dichotomies.

    Examples
    --------
    >>> from separatrix import cover_count
    >>> cover_count(4, 2), cover_count(4, 2, homogeneous=True)  # of 16
    (14, 8)
    >>> cover_count(101, 4) == cover_count(100, 4) + cover_count(100, 3)
    True
    """
    n, k = trials(n_points, n_features, homogeneous)
    return 2 * binomial_sum(n, k)


@overload
def separable_probability(
    n_points: int, n_features: int, *, homogeneous: bool = ..., log: Literal[False] = ...
) -> Fraction: ...


@overload
def separable_probability(n_points: int, n_features: int, *, homogeneous: bool = ..., log: Literal[True]) -> float: ...


def separable_probability(
    n_points: int, n_features: int, *, homogeneous: bool = False, log: bool = False
) -> Fraction | float:
    """Compute which part of all dichotomies of points in general position planes can make.

    Parameters
    ----------
    n_points : int
        Number of points, at least 1.
    n_features : int
        Their dimension.
    homogeneous : bool
        Whether planes go through the origin; if not, they have an offset.
    log : bool
        Whether to return the natural logarithm, for up to 10^12 points.

    Returns
    -------
    Fraction or float
        The exact probability that a random dichotomy is separable; or its logarithm, the double nearest to it or a
        neighbour, as intervals of `GUARD_BITS` bits prove.

    Examples
    --------
    >>> from separatrix import separable_probability
    >>> separable_probability(6, 2), separable_probability(4, 2)  # half of them at the capacity 2 (d + 1)
    (Fraction(1, 2), Fraction(7, 8))
    >>> separable_probability(10**9, 10, log=True)  # far above it
    -693146987.7385523
    """
    n, k = trials(n_points, n_features, homogeneous)
    if not flag("log", log):
        return Fraction(binomial_sum(n, k), 1 << n)
    if n >= MAX_POINTS_OF_LOG:
        raise OptionError(f"The 'n_points' parameter must be at most {MAX_POINTS_OF_LOG:,}. Got {n_points!r}.")
    return log_binomial_cdf(n, k)


def capacity(n_features: int, *, homogeneous: bool = False) -> int:
    """Compute how many random points planes can separate with probability 1/2: two for each weight.

    Parameters
    ----------
    n_features : int
        The dimension d of the points.
    homogeneous : bool
        Whether planes go through the origin; if not, they have an offset, which is a weight more.

    Returns
    -------
    int
        2 (d + 1), or 2 d without an offset. As d grows, random dichotomies of fewer points by any fixed part are
        separable with a probability that tends to 1, of more points with one that tends to 0.

    Examples
    --------
    >>> from separatrix import capacity, separable_probability
    >>> separable_probability(capacity(1000), 1000)
    Fraction(1, 2)
    >>> [float(separable_probability(round(part * capacity(1000)), 1000)) for part in (0.9, 1.1)]
    [0.999998..., 9.95...e-06]
    """
    return 2 * (whole("n_features", n_features, least=0) + (not flag("homogeneous", homogeneous)))


def trials(n_points: int, n_features: int, homogeneous: bool) -> tuple[int, int]:
    """The binomial distribution of these planes: n trials, and how many successes there may be."""
    n, d = whole("n_points", n_points) - 1, whole("n_features", n_features, least=0)
    return n, d - int(flag("homogeneous", homogeneous))


def binomial_sum(n: int, k: int) -> int:
    """Compute C(n, 0) + ... + C(n, k), or refuse where that would take too long.

    >>> binomial_sum(5, 2), binomial_sum(5, 3), binomial_sum(5, 9)  # 1 + 5 + 10, 32 - 6, 32
    (16, 26, 32)
    """
    if k >= n:
        few, bits = 0, float(n)
    else:
        few = min(k, n - k - 1)  # terms of the sum, or of its complement to 2^n
        bits = min(float(n), few * log2(3.0 * n / max(1, few)) + 1.0) if k == few else float(n)
    if bits * max(1, few) > MAX_BITS:
        raise OptionError(
            f"The exact number for n_points={n + 1:,} has about {bits:,.0f} binary digits, and its sum {few:,} terms. "
            "Ask for separable_probability(..., log=True)."
        )
    if k > few:
        return (1 << n) - (binomial_sum(n, n - k - 1) if k < n else 0)
    total, term = 0, 1
    for m in range(k + 1):
        total += term
        term = term * (n - m) // (m + 1)
    return total


def log_binomial_cdf(n: int, k: int) -> float:
    """Compute log Pr[Binomial(n, 1/2) <= k], with intervals that bound every rounding.

    >>> log_binomial_cdf(3, 1), log_binomial_cdf(4, 4), log_binomial_cdf(4, -1)
    (-0.6931471805599453, 0.0, -inf)
    """
    from flint import ctx

    if k >= n or k < 0:
        return 0.0 if k >= n else float("-inf")
    with ctx.workprec(GUARD_BITS):
        if 2 * k < n:
            return float(log_lower_tail(n, k).mid())
        return float((-log_lower_tail(n, n - k - 1).exp()).log1p().mid()) + 0.0  # 0.0 in place of -0.0


def log_lower_tail(n: int, k: int) -> Any:
    """The logarithm of the lower tail for 2 k < n, as a ball: that of its largest term, and of all in units of that."""
    from flint import arb

    largest = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma() - n * arb(2).log()
    low, high = relative_tail(n, k)
    unit = arb(2) ** -GUARD_BITS
    return largest + (unit * arb(low)).union(unit * arb(high)).log()


def relative_tail(n: int, k: int) -> tuple[int, int]:
    """Bounds on sum_(m <= k) C(n, m) / C(n, k), in units of 2^-GUARD_BITS.

    Each term is a part (k - j) / (n - k + 1 + j) < 1 of the one before. A term that is rounded down is short by at most
    1 for each rounding before it, and what follows the last one is less than a geometric series of its ratio.
    """
    term, total, j = 1 << GUARD_BITS, 0, 0
    while j <= k:
        total += term
        up, down = k - j, n - k + 1 + j
        j += 1
        if term * up <= (down - up) << (GUARD_BITS // 4):
            break
        term = term * up // down
    rest = (term + j) * up // (down - up) + 1
    return total, total + j * (j + 1) // 2 + rest
