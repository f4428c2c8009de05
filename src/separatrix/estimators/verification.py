"""Check a fitted model's claim again."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates import Collected
from separatrix.data.encode import encode
from separatrix.errors import OptionError


class Verification(NamedTuple):
    """What a check found: the error now, the error stated at fit, and whether the claim is as true as it was."""

    error: float
    stated: float
    holds: bool

    def __bool__(self) -> bool:
        return self.holds


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
        True where the error is no larger than the one stated at fit. A certificate that is not about the planes that
        the model predicts with is infinitely wrong.

    Examples
    --------
    >>> from separatrix import Perceptron, verify
    >>> X, y = [[0, 0], [1, 0], [4, 4], [5, 4]], [0, 0, 1, 1]
    >>> model = Perceptron().fit(X, y)
    >>> verify(model, X, y)
    Verification(error=0.0, stated=0.0, holds=True)
    >>> verify(model, X, [0, 1, 0, 1]).holds  # other labels
    False
    >>> model.coef_[0] = -1.0  # another plane
    >>> verify(model, X, y).holds
    False
    """
    check_is_fitted(model)
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        raise OptionError(f"{type(model).__name__} has no certificate_ to verify. Use a classifier of this package.")
    fit_intercept = getattr(model, "fit_intercept", True)
    problem = encode(X, y, classes=model.classes_, fit_intercept=fit_intercept).problem
    error = certificate.error(problem) if speaks_of(certificate, model) else np.inf
    return Verification(error, certificate.stated, bool(error <= certificate.stated))


def speaks_of(certificate: Any, model: Any) -> bool:
    """Whether a certificate is about the planes that a model predicts with."""
    if isinstance(certificate, Collected):
        return all(map(speaks_of, certificate.parts, model.estimators_))
    if getattr(certificate, "w", None) is None:
        return True
    same_w = np.array_equal(np.atleast_2d(certificate.w), model.coef_)
    return same_w and np.array_equal(np.atleast_1d(certificate.b), model.intercept_)
