"""Mean-square estimation from moments, and from samples where moments are not known.

    minimise E (y - w.x)^2:      R w = E[x y],      R = E[x x']
    Gaussian x and y:            E[y|x] = m_y + s_xy S_x^-1 (x - m_x)
    E F(x, w) = 0:               w_k = w_(k-1) + rho_k F(x_k, w_(k-1))          (Robbins and Monro, 1951)

The first is the limit of least squares, and the second says where it is more than linear: for Gaussians no other
function of x is nearer to y. The third finds the root of a mean from samples alone, provided that the rates rho_k have
an infinite sum and a finite sum of squares; with F = x (y - w.x) it is LMS.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import DataError
from separatrix.options import finite_array
from separatrix.rows import Vector
from separatrix.solvers.online.schedule import LearningRate, schedule

SYMMETRY_TOLERANCE = 1e-9  # relative to the largest entry
RANK_TOLERANCE = 1e-12  # relative to the largest eigenvalue


def mean_square_solution(R: Any, cross: Any) -> Vector:
    """Compute the w of the least mean square error E (y - w.x)^2 from the moments of x and y.

    Parameters
    ----------
    R : array of shape (d, d)
        E[x x'], the correlation matrix: symmetric, with no negative eigenvalue. For an offset, let the last entry of x
        be 1.
    cross : array of shape (d,)
        E[x y].

    Returns
    -------
    ndarray of shape (d,)
        w with R w = E[x y]; the shortest, where there are several.

    Examples
    --------
    >>> from separatrix import mean_square_solution
    >>> mean_square_solution([[2.0, 1.0], [1.0, 1.0]], [3.0, 2.0]).round(12).tolist()
    [1.0, 1.0]
    """
    matrix = semidefinite("R", R)
    right = finite_array("cross", cross, (len(matrix),))
    values, vectors = np.linalg.eigh(matrix)
    kept = values > RANK_TOLERANCE * max(values[-1], 0.0)
    parts = vectors.T @ right
    if np.abs(parts[~kept]).max(initial=0.0) > np.sqrt(RANK_TOLERANCE) * np.linalg.norm(right):
        raise DataError("E[x y] is not in the range of R, so that these are the moments of no x and y. Check them.")
    return vectors[:, kept] @ (parts[kept] / values[kept])


class ConditionalMean(NamedTuple):
    """E[y|x] = slope.x + intercept, and the variance of y that x leaves."""

    slope: Vector
    intercept: float
    variance: float


def conditional_mean(mean: Any, covariance: Any) -> ConditionalMean:
    """Compute the conditional mean E[y|x] of jointly Gaussian x and y, where y is the last variable.

    Parameters
    ----------
    mean : array of shape (d + 1,)
        The means of x and then of y.
    covariance : array of shape (d + 1, d + 1)
        Their covariance matrix.

    Returns
    -------
    ConditionalMean
        `slope` and `intercept` of the line (plane) E[y|x], and the `variance` of y about it.

    Examples
    --------
    >>> from separatrix import conditional_mean
    >>> found = conditional_mean([1.0, 3.0], [[4.0, 2.0], [2.0, 5.0]])  # 3 + 2/4 (x - 1)
    >>> found.slope.tolist(), found.intercept, found.variance
    ([0.5], 2.5, 4.0)
    """
    matrix = semidefinite("covariance", covariance)
    if len(matrix) < 2:
        raise DataError("'covariance' must be of x and y, two variables at least. Got one.")
    centre = finite_array("mean", mean, (len(matrix),))
    slope = mean_square_solution(matrix[:-1, :-1], matrix[:-1, -1])
    left = float(matrix[-1, -1] - slope @ matrix[:-1, -1])
    return ConditionalMean(slope, float(centre[-1] - slope @ centre[:-1]), max(left, 0.0))


def robbins_monro(
    F: Callable[[Any, Vector], Any], samples: Iterable[Any], start: Any, *, learning_rate: LearningRate = "inverse"
) -> Vector:
    """Approach the root w of E F(x, w) = 0 by samples of x: w_k = w_(k-1) + rho_k F(x_k, w_(k-1)).

    Parameters
    ----------
    F : function of a sample and w
        Returns an array of the shape of w. Where E F is the negative gradient of a risk, w goes downhill.
    samples : iterable
        x_1, x_2, ...: whatever F takes, each used once.
    start : array
        w_0.
    learning_rate : float, "inverse", Decay or function of k
        rho_k, from k = 1. "inverse", 1/k, has an infinite sum and a finite sum of squares, as the theorem asks.

    Returns
    -------
    ndarray of shape (n_samples + 1, ...)
        w_0, w_1, ..., each of the shape of `start`; the last is the answer.

    Examples
    --------
    >>> from separatrix import robbins_monro
    >>> robbins_monro(lambda x, w: x - w, [2.0, 4.0, 9.0], 0.0).tolist()  # the mean of what was seen so far
    [0.0, 2.0, 3.0, 5.0]
    """
    w = finite_array("start", start, (None,) * np.ndim(start))
    rates, path = schedule(learning_rate), [w]
    for k, sample in enumerate(samples, start=1):
        step = finite_array(f"F of sample {k}", F(sample, w), w.shape)
        w = w + rates(k, 1)[0] * step
        path.append(w)
    return np.array(path)


def semidefinite(name: str, given: Any) -> Vector:
    """A symmetric matrix without negative eigenvalues, or an error that says what is wrong with it."""
    matrix = finite_array(name, given, (None, None))
    if len(matrix) != matrix.shape[1] or not len(matrix):
        raise DataError(f"{name!r} must be a square matrix. Got shape {matrix.shape}.")
    size = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > SYMMETRY_TOLERANCE * size:
        raise DataError(f"{name!r} must be symmetric, as matrices of second moments are. Got {given!r}.")
    least = float(np.linalg.eigvalsh(matrix)[0])
    if least < -SYMMETRY_TOLERANCE * size:
        raise DataError(f"{name!r} has the eigenvalue {least:.3g}, where second moments have none below 0.")
    return matrix
