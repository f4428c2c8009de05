"""How far the error of K folds may be from the true one, whatever classifier of a family is chosen.

    P(sup over c |R_cv - R(c)| > delta)  <=  2K (N (1 + 1/K) e / VC)^(2 VC) 2^(-N delta / 2K)

for N >= K >= 3 and N delta^2 > 2K (Holden, 1996; Anthony and Holden, 1998). The VC dimension of planes in R^d is d + 1.
(e m / VC)^VC bounds the number of ways in which m = N (1 + 1/K) rows can be labelled where m >= VC; fewer rows can be
labelled in all 2^m ways.
"""

from dataclasses import dataclass
from math import floor, inf, log

from separatrix.errors import OptionError
from separatrix.options import number, whole

MAX_ROWS = 10**18  # beyond which no number of rows is sought


@dataclass(frozen=True)
class ErrorBound:
    """A bound on the probability that the error of K folds is off by more than delta; as a number, at most 1.

    Attributes
    ----------
    n, k : int
        Rows and folds.
    delta : float
        By how much the error may be off.
    dimension : int
        Features; the VC dimension of planes is one more.
    log10 : float
        The logarithm of the bound to the base 10, however large it is.

    Examples
    --------
    >>> from separatrix import error_bound
    >>> bound = error_bound(n=2000, k=4, delta=0.5, dimension=1)  # 8 (1250 e)^4 2^-125
    >>> bound.vacuous, abs(float(bound) / (8 * (1250 * 2.718281828459045) ** 4 / 2.0**125) - 1.0) < 1e-12
    (False, True)
    >>> float(error_bound(n=200, k=4, delta=0.5, dimension=1)), bound.informative_from
    (1.0, 703)
    """

    n: int
    k: int
    delta: float
    dimension: int
    log10: float

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing: a probability is at most 1 anyway."""
        return self.log10 >= 0.0

    @property
    def informative_from(self) -> float:
        """The least number of rows from which on the bound is below 1; infinite where that is beyond counting."""
        return rows_for(self.k, self.delta, self.dimension)

    def __float__(self) -> float:
        return min(1.0, 10.0 ** min(self.log10, 0.0))

    def __str__(self) -> str:
        folds = f"the error of {self.k} folds of {self.n:,} rows"
        if not self.vacuous:
            sure = f"With a probability of at least 1 - 10^{self.log10:.4g}"
            return f"{sure}, {folds} is within {self.delta:g} of the true one."
        off, enough = f"The probability that {folds} is off by more than {self.delta:g}", self.informative_from
        more = "for no number of rows" if enough == inf else f"from {enough:,.0f} rows on"
        return f"{off} is bounded by 10^{self.log10:.4g}, which says nothing: the bound is below 1 {more}."


def error_bound(n: int, k: int, delta: float, dimension: int) -> ErrorBound:
    """Bound the probability that a K-fold error is further than delta from the true error of the classifier.

    It holds for every distribution and for whatever plane is chosen from those of the feature space, and is therefore
    far too large for most data: it says so. Use the test rows of `choose` for an estimate, and this for how an
    estimate improves with rows, folds and features.

    Parameters
    ----------
    n : int
        Rows, N; at least as many as folds, and more than 2K / delta^2.
    k : int
        Folds, K; at least 3.
    delta : float
        By how much the estimate may be off, between 0 and 1.
    dimension : int
        Features d of the planes, whose VC dimension is d + 1.

    Returns
    -------
    ErrorBound
        `float` of it is the bound, at most 1; `log10` its logarithm, `vacuous` whether it is 1 or more, and
        `informative_from` the number of rows from which it is not.

    Examples
    --------
    >>> from separatrix import error_bound
    >>> print(error_bound(n=1000, k=5, delta=0.25, dimension=4))
    The probability that the error of 5 folds of 1,000 rows is off by more than 0.25 is bounded by 10^21.62, which \
says nothing: the bound is below 1 from 4,775 rows on.
    >>> float(error_bound(n=100_000, k=5, delta=0.25, dimension=4)) < 1e-100
    True
    """
    k, rows, d = whole("k", k, 3), whole("n", n), whole("dimension", dimension)
    off = number("delta", delta, above=0.0, most=1.0)
    if rows < k:
        raise OptionError(f"The 'n' parameter must be at least k={k}: each fold needs a row. Got {rows!r}.")
    if off == 1.0 or not rows * off**2 > 2 * k:
        least = f"n above 2k / delta^2 = {2 * k / off**2:.6g}" if off < 1.0 else "delta below 1"
        raise OptionError(f"The bound holds for {least} only. Got n={rows!r}, k={k!r} and delta={delta!r}.")
    return ErrorBound(rows, k, off, d, natural_log(rows, k, off, d) / log(10.0))


def natural_log(n: float, k: int, delta: float, dimension: int) -> float:
    """The logarithm of the bound.

    >>> from math import e
    >>> round(natural_log(100, 5, 0.5, 1), 6) == round(log(10 * (60 * e) ** 4 * 2.0**-5), 6)
    True
    """
    vc, m = dimension + 1, n * (1.0 + 1.0 / k)
    labellings = vc * (1.0 + log(m / vc)) if m >= vc else m * log(2.0)
    return log(2.0 * k) + 2.0 * labellings - n * delta / (2.0 * k) * log(2.0)


def rows_for(k: int, delta: float, dimension: int) -> float:
    """The least number of rows from which on the bound is below 1.

    The logarithm rises up to N = 4 K VC / (delta ln 2) and falls from there on, and the conditions are met above 2K /
    delta^2 rows.
    """
    peak = max(4.0 * k * (dimension + 1) / (delta * log(2.0)), 2.0 * k / delta**2, k)
    low = high = floor(peak) + 1
    if natural_log(low, k, delta, dimension) < 0.0:
        return low
    while natural_log(high, k, delta, dimension) >= 0.0:
        low, high = high, 2 * high
        if high > MAX_ROWS:
            return inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if natural_log(middle, k, delta, dimension) >= 0.0 else (low, middle)
    return high
