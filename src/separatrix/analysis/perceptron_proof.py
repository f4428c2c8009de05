"""The quantities in the convergence proofs of the perceptron, measured on data.

    online    t gamma <= ||w_t|| <= sqrt(t) R        after t corrections from zero (Novikoff, 1962)
    batch     at most ||w_0 - alpha w*||^2 / (beta^2 rho (2 - rho)) steps with alpha = beta^2 / gamma, 0 < rho < 2,
              beta the length of the longest sum of rows y z, gamma = min y <w*, z> of a unit w* that separates

where z are the rows [x, 1] and w includes b. Once t gamma would exceed sqrt(t) R, the perceptron must have ended.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates.arithmetic.mistake_bound import ExtendedRows
from separatrix.data.encode import encode
from separatrix.errors import DataError, NotSeparableError, OptionError
from separatrix.products import dense_rows
from separatrix.rows import Vector, length, rounding_bound
from separatrix.solvers.options import first_planes, flag, number
from separatrix.theory.largest_margin import largest_margin

MAX_ROWS_FOR_SUBSETS = 18  # whose 2^n sums are all computed


@dataclass(frozen=True, eq=False)
class WeightNorms:
    """||[w, b]|| after each correction of a run, between what the proof allows.

    Parameters
    ----------
    norms : ndarray of shape (n_updates + 1,)
        The lengths, from 0 before the first correction.
    lower : ndarray
        gamma times the sum of the rates so far: t gamma at rate 1.
    upper : ndarray
        R times the root of the sum of their squares: sqrt(t) R at rate 1.
    gamma : float
        The largest margin on the rows [x, 1]; 0 where no plane separates them.
    radius : float
        R, the length of the longest of these rows.

    Examples
    --------
    >>> from separatrix import Perceptron, weight_norms
    >>> X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    >>> found = weight_norms(Perceptron(shuffle=False, record=True).fit(X, y))
    >>> for name in ("lower", "norms", "upper"):
    ...     print(name, getattr(found, name).round(3).tolist())
    lower [0.0, 0.707, 1.414]
    norms [0.0, 1.414, 1.414]
    upper [0.0, 1.414, 2.0]
    """

    norms: Vector
    lower: Vector
    upper: Vector
    gamma: float
    radius: float


def weight_norms(model: Any) -> WeightNorms:
    """Compute the lengths of w along a recorded run of a perceptron, with the bounds of the convergence proof.

    Parameters
    ----------
    model : Perceptron
        Fitted row by row from zero, with `record=True`, whatever its rate.

    Returns
    -------
    WeightNorms
        `norms` between `lower` and `upper`.

    Examples
    --------
    >>> from separatrix import Perceptron, weight_norms
    >>> model = Perceptron(record=True, random_state=0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])  # AND
    >>> found = weight_norms(model)
    >>> bool((found.lower <= found.norms).all() and (found.norms <= found.upper * (1 + 1e-12)).all())
    True
    """
    check_is_fitted(model)
    trace = getattr(model, "trace_", None)
    if trace is None:
        raise OptionError(f"The run of this {type(model).__name__} was not recorded. Fit it with record=True.")
    if trace.at_once or trace.start.any():
        raise OptionError(
            "The bounds hold for corrections row by row from zero. Use update='online' and start=None for this run."
        )
    rows = ExtendedRows(trace.problem, trace.bias_step)
    found = largest_margin(rows)
    gamma = 0.0 if found is None else rows.margin(*found)
    lengths = [np.linalg.norm(scaled(iterate, rows.offset)) for iterate in trace.iterates()]
    rates = np.concatenate([[0.0], np.abs(trace.rate)])
    rounded = 1.0 + rounding_bound(rates.size + 8)  # of the sums, so that the bounds still hold
    lower, upper = gamma * np.cumsum(rates) / rounded, rows.radius * np.sqrt(np.cumsum(rates**2)) * rounded
    return WeightNorms(np.array(lengths), lower, upper, gamma, rows.radius)


def scaled(iterate: Vector, offset: float) -> Vector:
    """[w, b / sqrt(c)] where b moves by c, which is the rule on rows (x, sqrt(c)); w alone where there is no offset."""
    return np.concatenate([iterate[..., :-1], iterate[..., -1:] / offset], axis=-1) if offset else iterate[..., :-1]


class BatchBound(NamedTuple):
    """How many steps a batch perceptron takes at most, rounded up, and the constants of the proof.

    `beta` is exact but for rounding upwards for few rows (`exact`), otherwise an upper bound, with which the bound on
    the steps holds too. `gamma` is rounded down.
    """

    steps: float
    beta: float
    gamma: float
    alpha: float
    exact: bool


def batch_bound(
    X: Any, y: Any, *, learning_rate: float = 1.0, start: Any = None, fit_intercept: bool = True
) -> BatchBound:
    """Bound the steps of a batch perceptron, w += rho sum y x over all rows on the wrong side.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows, of two classes.
    y : array of n labels
        Their classes.
    learning_rate : float
        rho, above 0 and below 2.
    start : array or None
        [w..., b] to start from. None: zero.
    fit_intercept : bool
        Whether the plane has an offset.

    Returns
    -------
    BatchBound
        `steps`, at most ||w_0 - alpha w*||^2 / (beta^2 rho (2 - rho)), and `beta`, `gamma`, `alpha = beta^2 / gamma`,
        with w* the unit vector of the largest margin gamma on the rows [x, 1].

    Examples
    --------
    >>> from separatrix import Perceptron, batch_bound
    >>> X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    >>> bound = batch_bound(X, y)
    >>> round(bound.steps, 6), round(bound.beta**2, 6), round(bound.gamma**2, 6)  # all rows together: (-2, 2, 0)
    (16.0, 8.0, 0.5)
    """
    rho = number("learning_rate", learning_rate, above=0.0)
    if rho >= 2.0:
        raise OptionError(f"The 'learning_rate' parameter must be below 2 for this bound. Got {learning_rate!r}.")
    problem = encode(X, y, fit_intercept=flag("fit_intercept", fit_intercept)).problem
    if problem.n_classes != 2:
        raise DataError(f"The bound is for two classes. Got {problem.n_classes}.")
    rows = ExtendedRows(problem)
    found = largest_margin(rows)
    if found is None:
        raise NotSeparableError("No separating plane was found, so that a batch perceptron need not end.")
    gamma, (planes, _) = rows.margin(*found), found
    best = np.append(planes.w[0], planes.b[0] * rows.step)
    Z = np.column_stack([dense_rows(problem.X, np.arange(problem.n_rows)), np.full(problem.n_rows, rows.offset)])
    beta, exact = longest_sum(Z * problem.signs[:, None])
    alpha, initial, rounded = beta**2 / gamma, first_planes(problem, start)[0], rounding_bound(best.size + 16)
    away = length(initial - alpha * best / length(best)) + rounded * (length(initial) + alpha)
    steps = away**2 / (beta**2 * rho * (2.0 - rho)) * (1.0 + rounded)
    return BatchBound(float(steps), beta, gamma, alpha, exact)


def longest_sum(V: Vector) -> tuple[float, bool]:
    """The length of the longest sum of some of the rows of V, rounded up; and whether that is all, or an upper bound.

    >>> beta, exact = longest_sum(np.array([[3.0, 0.0], [0.0, 4.0], [-1.0, 0.0]]))
    >>> 5.0 <= beta < 5.0 + 1e-13, exact
    (True, True)
    """
    rounded = rounding_bound(V.size + 16)
    if len(V) > MAX_ROWS_FOR_SUBSETS:
        lengths, spectral = np.linalg.norm(V, axis=1), np.linalg.norm(V, 2) + rounded * np.linalg.norm(V)
        return float(min(lengths.sum(), np.sqrt(len(V)) * spectral)) * (1.0 + rounded), False
    sums = np.zeros((1, V.shape[1]))
    for row in V:
        sums = np.concatenate([sums, sums + row])
    off = rounded * float(np.linalg.norm(np.abs(V).sum(axis=0)))  # of sums whose terms cancel
    return (float(np.linalg.norm(sums, axis=1).max()) + off) * (1.0 + rounded), True
