"""The exact confidence interval of an error rate, from the number of wrong rows (Clopper and Pearson, 1934)."""

from typing import NamedTuple

from scipy.special import betaincinv

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """A 95 % confidence interval of an error rate."""

    low: float
    high: float


def exact_interval(wrong: float, n: float) -> Interval:
    """Clopper and Pearson's interval for the error rate wrong / n; `wrong` may be a mean of counts.

    >>> low, high = exact_interval(0, 100)
    >>> low, round(high, 4)  # 1 - 0.025^(1/100)
    (0.0, 0.0362)
    """
    tail = (1.0 - CONFIDENCE) / 2.0
    low = float(betaincinv(wrong, n - wrong + 1.0, tail)) if wrong > 0 else 0.0
    high = float(betaincinv(wrong + 1.0, n - wrong, 1.0 - tail)) if wrong < n else 1.0
    return Interval(low, high)
