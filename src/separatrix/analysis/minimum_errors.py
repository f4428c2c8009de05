"""The fewest errors that a plane can make, from raw data."""

from typing import Any

from separatrix.analysis.robust_linear_program import two_classes
from separatrix.certificates.claims.minimum_errors import MinimumErrors
from separatrix.solvers.errors.fewest_errors import fewest_errors


def minimum_errors(X: Any, y: Any, *, fit_intercept: bool = True, time_limit: float | None = None) -> MinimumErrors:
    """Count the rows that every plane gets wrong at least, and find a plane that gets no more wrong.

    That is the least number of rows to remove so that a plane separates the rest strictly. It is a hard problem (its
    time grows without bound as classes overlap more), but some dozens of errors among hundreds of rows are soon proved.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows.
    y : array of n labels
        Their classes, two of them.
    fit_intercept : bool
        Whether planes have an offset.
    time_limit : float or None
        Seconds after which the bounds known by then are returned. None: until they meet.

    Returns
    -------
    MinimumErrors
        A whole number, with the `plane`, the `rows` that it gets wrong, the bounds `lower` and `upper`, whether they
        are `proved` to be the same, and the `conflicts` that prove the lower one.

    Notes
    -----
    A row on the plane is wrong. From 700 features on, only planes are sought, and `lower` stays 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import minimum_errors
    >>> X, y = load_iris(return_X_y=True)
    >>> found = minimum_errors(X[50:], y[50:])  # versicolor and virginica
    >>> found == 1, found.proved, found.rows.size
    (True, True, 1)
    """
    return fewest_errors(two_classes(X, y, fit_intercept, "minimum_errors").problem, time_limit)
