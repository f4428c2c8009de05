"""Recompute the certificate of a fitted model from data."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted, validate_data

from separatrix.analysis.separability import Separability
from separatrix.certificates import Collected
from separatrix.certificates.claims.collected import names_of
from separatrix.data.encode import class_weights, encode, encode_numbers
from separatrix.errors import DataError, OptionError
from separatrix.estimators.base import CertifiedClassifier
from separatrix.estimators.fit_hash import is_as_fitted
from separatrix.estimators.reduction.codes import one_vs_rest
from separatrix.problem import Problem, Regression

SUM_RTOL = 1e-9  # the last digits of a sum depend on how the rows are stored


class Verification(NamedTuple):
    """The result of a check; true where the claim was proved at fit and still is.

    The error now, the error stated at fit, whether the claim is as true as it was, and whether it is proved.
    """

    error: float
    stated: float
    holds: bool
    proved: bool

    def __bool__(self) -> bool:
        return self.proved


def verify(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Verification:
    """Recompute the error of a model's certificate from data, whatever the solver believed.

    Parameters
    ----------
    model : fitted classifier of this package, or Separability
        What has a `certificate_`, or a verdict.
    X, y, sample_weight : as for fit
        The data that the claim is about.

    Returns
    -------
    Verification
        `holds` where the error is finite and no larger than the one stated at fit: the claim is as true as it was.
        `proved`, and the whole result true, where the certificate is a proof besides. A certificate that is not
        about what the model predicts with is infinitely wrong; so is one that is about no plane, such as an Overlap,
        where the model no longer predicts with what it was fitted with.

    Examples
    --------
    >>> from separatrix import Perceptron, verify
    >>> X, y = [[0, 0], [1, 0], [4, 4], [5, 4]], [0, 0, 1, 1]
    >>> model = Perceptron().fit(X, y)
    >>> verify(model, X, y)
    Verification(error=0.0, stated=0.0, holds=True, proved=True)
    >>> verify(model, X, [0, 1, 0, 1]).holds  # other labels
    False
    >>> model.coef_[0] = -1.0  # another plane
    >>> verify(model, X, y).holds
    False
    """
    return checked(model, X, y, sample_weight)[0]


def checked(model: Any, X: Any, y: Any, sample_weight: Any = None) -> tuple[Verification, Any]:
    """What a check finds, and the certificate with figures from these data; None where it is not about the model.

    Of the figures in the certificate of a model, which may come from a file that anybody could write, only the stated
    error is used: as the claim that is checked.
    """
    if isinstance(model, Separability):
        return check_separability(model, X, y)
    check_is_fitted(model)
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        raise OptionError(
            f"{type(model).__name__} has no certificate_ to verify. Use a classifier of this package; of a pipeline, "
            "verify its last step on what the steps before it make of X."
        )
    problem = rebuild_problem(model, X, y, sample_weight)
    validate_data(model, X, reset=False, skip_check_array=True)
    error, fresh = (np.inf, None) if problem is None else recomputed(certificate, model, problem)
    if fresh is None:
        return Verification(np.inf, certificate.stated, False, False), None
    rounding = certificate.stated * SUM_RTOL + getattr(fresh, "doubt", 0.0)
    holds = bool(error <= certificate.stated + rounding and error < np.inf)
    return Verification(error, certificate.stated, holds, bool(holds and fresh.proof)), fresh


def recomputed(certificate: Any, model: Any, problem: Problem | Regression) -> tuple[float, Any]:
    """The error from the data, and the certificate with figures from there; infinite and None if it fails to fit."""
    try:
        if isinstance(certificate, Collected) and hasattr(model, "estimators_") and isinstance(problem, Problem):
            return recompute_parts(certificate, model, problem)
        if concerns_model(certificate, model, problem):
            return certificate.error(problem), certificate.restated(problem)
    except DataError:
        raise
    except (IndexError, ValueError):
        pass
    return np.inf, None


def recompute_parts(certificate: Collected, model: Any, problem: Problem) -> tuple[float, Any]:
    """The worst error of the parts of a reduction, each recomputed on the question that its own model was asked."""
    code, parts, models = certificate.code, certificate.parts, model.estimators_
    if not (np.array_equal(code, model.code_) and has_names_of(certificate, model) and code.shape[1] == len(models)):
        return np.inf, None
    sides = zip(parts, models, code.T, strict=True)
    found = [recomputed(part, one, weighted_dichotomy(one, problem.dichotomy(side))) for part, one, side in sides]
    if any(fresh is None for _, fresh in found):
        return np.inf, None
    return max(error for error, _ in found), replace(certificate, parts=tuple(fresh for _, fresh in found))


def weighted_dichotomy(model: Any, problem: Problem) -> Problem:
    """A two-class problem with the offset and the class weights that are options of one model in a reduction.

    Its labels are the sides -1 and 1; "balanced" is for these two. Models from elsewhere make no claim that needs it.
    """
    if not isinstance(model, CertifiedClassifier):
        return problem
    cost, class_weight = problem.cost, getattr(model, "class_weight", None)
    if class_weight is not None:
        cost = cost * class_weights(class_weight, np.array([-1, 1]), problem.y, cost)[problem.y]
    return Problem(problem.X, problem.y, 2, cost, bool(getattr(model, "fit_intercept", True)))


def check_separability(found: Separability, X: Any, y: Any) -> tuple[Verification, Any]:
    """Recompute the certificate of a verdict on separability."""
    encoded = encode(X, y, fit_intercept=found.problem.fit_intercept)
    certificate = found.certificate
    same = np.array_equal(encoded.classes, found.classes) and encoded.problem.n_rows == found.problem.n_rows
    if not same:
        return Verification(np.inf, certificate.stated, False, False), None
    error, fresh = certificate.error(encoded.problem), certificate.restated(encoded.problem)
    holds = bool(error <= certificate.stated and error < np.inf)
    return Verification(error, certificate.stated, holds, bool(holds and fresh.proof and found.proved)), fresh


def rebuild_problem(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Problem | Regression | None:
    """The problem that a model was fitted to, from the data and its options; None if these are other classes."""
    fit_intercept = bool(getattr(model, "fit_intercept", True))
    if is_regressor(model):
        return encode_numbers(X, y, fit_intercept)
    class_weight = getattr(model, "class_weight", None)
    if isinstance(class_weight, Mapping):  # of a class whose rows all had a weight of 0 nothing was fitted
        known = model.classes_.tolist()
        class_weight = {label: weight for label, weight in class_weight.items() if label in known}
    encoded = encode(
        X,
        y,
        sample_weight=sample_weight,
        class_weight=class_weight,
        classes=model.classes_,
        fit_intercept=fit_intercept,
    )
    return encoded.problem if np.array_equal(encoded.classes, model.classes_) else None


def concerns_model(certificate: Any, model: Any, problem: Problem | Regression) -> bool:
    """Whether a certificate is about the planes of a model, and about the problem that its options define."""
    w: Any = getattr(model, "coef_", None)
    b: Any = getattr(model, "intercept_", None)
    asked = getattr(model, "_is_claimed_by", lambda claim, problem: True)
    if not is_as_fitted(model):
        return False
    if not isinstance(certificate, Collected):
        return concerns_planes(certificate, w, b) and asked(certificate, problem)
    same_code = np.array_equal(certificate.code, one_vs_rest(model.classes_.size))  # planes of its own
    parts = [concerns_planes(*each) and asked(each[0], problem) for each in zip(certificate.parts, w, b, strict=True)]
    return same_code and has_names_of(certificate, model) and all(parts)


def has_names_of(certificate: Collected, model: Any) -> bool:
    """Whether a certificate calls the classes what the model calls them."""
    return certificate.names in (None, names_of(model.classes_))


def concerns_planes(certificate: Any, w: Any, b: Any) -> bool:
    """Whether a certificate is about these planes, or about none, which the model itself must then have bound to it."""
    if getattr(certificate, "w", None) is None:
        return True
    same_w = np.array_equal(np.atleast_2d(certificate.w), np.atleast_2d(w))
    return same_w and np.array_equal(np.atleast_1d(certificate.b), np.atleast_1d(b))
