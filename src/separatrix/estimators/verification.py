"""Check a fitted model's claim again."""

from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from separatrix.data.encode import encode
from separatrix.errors import OptionError


class Verification(NamedTuple):
    """What a check found: the error now, the error stated at fit, and whether the claim is as true as it was."""

    error: float
    stated: float
    holds: bool


def verify(model: Any, X: Any, y: Any) -> Verification:
    """Recompute the error of a model's certificate from data, whatever the solver believed.

    Parameters
    ----------
    model : fitted classifier of this package
        Has a `certificate_`.
    X, y : as for fit
        The data that the claim is about.

    Returns
    -------
    Verification
        `holds` is True where the error is no larger than the one stated at fit.

    Examples
    --------
    >>> from separatrix import Perceptron, verify
    >>> X, y = [[0, 0], [1, 0], [4, 4], [5, 4]], [0, 0, 1, 1]
    >>> model = Perceptron().fit(X, y)
    >>> verify(model, X, y)
    Verification(error=0.0, stated=0.0, holds=True)
    >>> model.certificate_.w[:] = -1.0  # spoil the plane
    >>> verify(model, X, y).holds
    False
    """
    check_is_fitted(model)
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        raise OptionError(f"{type(model).__name__} has no certificate_ to verify. Use a classifier of this package.")
    fit_intercept = getattr(model, "fit_intercept", True)
    problem = encode(X, y, classes=model.classes_, fit_intercept=fit_intercept).problem
    error = certificate.error(problem)
    return Verification(error, certificate.stated, bool(error <= certificate.stated))
