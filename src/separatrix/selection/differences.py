r"""Confidence intervals of error rates and tests of their differences, from the folds of a cross-validation.

    interval     mean(e) ± t_{J-1} sqrt((1/J + n_test/n_train) var(e))
    difference   t = mean(d) / sqrt((1/J + n_test/n_train) var(d)),      d_j = the difference of two methods in fold j

J counts the folds of all repeats. The training sets of the folds overlap, so that the usual 1/J alone
underestimates the variance; the second term corrects it (Nadeau and Bengio, 2003). Errors are counts, for which the
normal approximation fails where folds agree by chance and have a variance of 0. So an interval is never narrower than
the exact one of Clopper and Pearson (1934) for the rows that were wrong, and a p-value never smaller than that of a
sign test of the rows that only one of the two methods gets wrong (McNemar, 1947). Multiple comparisons are corrected
as by Holm (1979).
"""

import numpy as np
from scipy.special import bdtr, stdtr, stdtrit

from separatrix.rows import Vector
from separatrix.theory.exact_interval import CONFIDENCE, Interval, exact_interval

__all__ = [
    "Interval",
    "corrected_error",
    "corrected_t",
    "error_interval",
    "exact_interval",
    "holm",
    "loss_interval",
    "sign_test",
]


def corrected_t(differences: Vector, ratio: float) -> tuple[float, float]:
    """The corrected resampled t statistic of differences, one for each fold, and its two-sided p-value.

    `ratio` is the number of test rows divided by that of training rows: 1/(k - 1) for k folds.

    >>> t, p = corrected_t(np.array([0.01, 0.03, 0.02, 0.04]), ratio=1 / 3)  # mean 0.025, variance 1/6000
    >>> round(t, 4), round(p, 4)
    (2.5355, 0.085)
    """
    if differences.size < 2:
        return 0.0, 1.0
    mean, error = float(np.mean(differences)), corrected_error(differences, ratio)
    if error == 0.0:
        return (0.0, 1.0) if mean == 0.0 else (float(np.copysign(np.inf, mean)), 0.0)
    t = mean / error
    return t, float(2.0 * stdtr(differences.size - 1, -abs(t)))


def corrected_error(values: Vector, ratio: float) -> float:
    """The standard error of the mean over folds whose training sets overlap."""
    return float(np.sqrt((1.0 / values.size + ratio) * np.var(values, ddof=1)))


def sign_test(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value of a sign test, from the rows that only one of two methods gets wrong.

    >>> sign_test(5, 0), sign_test(3, 3)  # 2/32; no difference
    (0.0625, 1.0)
    """
    n = only_first + only_second
    return min(1.0, 2.0 * float(bdtr(min(only_first, only_second), n, 0.5))) if n else 1.0


def error_interval(errors: Vector, n: int, ratio: float) -> Interval:
    """The interval of an error rate: the corrected one over folds, at least as wide as the exact one of n test rows.

    >>> error_interval(np.full(5, 0.1), 100, 0.25) == exact_interval(10, 100)  # folds that agree by chance
    True
    """
    mean = float(np.mean(errors))
    half = float(stdtrit(errors.size - 1, (1.0 + CONFIDENCE) / 2.0)) * corrected_error(errors, ratio)
    low, high = exact_interval(min(mean * n, n), n)
    return Interval(max(0.0, min(low, mean - half)), min(1.0, max(high, mean + half)))


def loss_interval(losses: Vector, n: int | None, ratio: float, bounds: tuple[float, float]) -> Interval:
    """The interval of a loss within its bounds; where it is a part of n rows, that of a rate.

    >>> loss_interval(np.array([1.0, 2.0, 3.0]), None, 0.5, (0.0, np.inf)).low  # 2 - 4.303 sqrt(5 / 6) is below 0
    0.0
    """
    known = losses[np.isfinite(losses)]
    if known.size < 2:
        return Interval(np.nan, np.nan)
    if n is not None:
        return error_interval(known, n, ratio)
    half = float(stdtrit(known.size - 1, (1.0 + CONFIDENCE) / 2.0)) * corrected_error(known, ratio)
    mean = float(np.mean(known))
    return Interval(max(bounds[0], mean - half), min(bounds[1], mean + half))


def holm(p: Vector) -> Vector:
    """p-values with Holm's correction: the smallest times their number, the next times one less, and so on.

    >>> holm(np.array([0.04, 0.01, 0.03])).tolist()
    [0.06, 0.03, 0.06]
    """
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(p.size, 0, -1)
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return corrected
