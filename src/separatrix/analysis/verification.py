"""Recompute the certificate of a fitted model from data.

Nothing here imports a solver, directly or not: what checks a claim is small enough to trust by itself. The model, which
is handed in, poses its question again.
"""

from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates import Collected
from separatrix.certificates.claims.collected import names_of
from separatrix.certificates.restating import can_be_restated, error_fold, restating_fold
from separatrix.errors import DataError, OptionError
from separatrix.estimators.calibration.threshold import without_threshold
from separatrix.estimators.fit_hash import is_as_fitted
from separatrix.estimators.reduction.codes import one_vs_rest
from separatrix.estimators.store.without_dual import LEFT_OUT
from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.products import native_matrix
from separatrix.rows import TINY

SUM_RTOL = 1e-9  # the last digits of a sum depend on how the rows are stored
OBJECTIVE_RTOL = 1e-9  # by which an objective may differ from the stated one, for the same reason
MAX_ROUNDING = 1e-2  # by which an error may exceed the stated one: a dual point could be chosen to be rounded by more
MAX_ROUNDING_OF_ERROR = 0.25  # part of the stated error by which it may be exceeded, where that is more


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


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Verification:
    """Recompute the error of a model's certificate from data, whatever the solver believed.

    Parameters
    ----------
    model : fitted estimator of this package, a pipeline that ends with one, or Separability
        What has a `certificate_`, or a verdict; of a pipeline the last step, on what the others make of X.
    X, y, sample_weight : as for fit
        The data that the claim is about; y is None where the model learns from rows alone, and for Blocks, which are
        gone through as often as the certificate asks.

    Returns
    -------
    Verification
        `holds` where the error is finite and no larger than the one stated at fit: the claim is as true as it was.
        `proved`, and the whole result true, where the certificate is a proof besides. A certificate that is not
        about what the model predicts with is infinitely wrong; so is one that is about no plane, such as an Overlap,
        where the model no longer predicts with what it was fitted with. Of a model that was stored without its dual
        variables, `holds` says that the planes reach the stated objective, and `error` how far that is off.

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


def checked(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> tuple[Verification, Any]:
    """What a check finds, and the certificate with figures from these data; None where it is not about the model.

    Of the figures in the certificate of a model, which may come from a file that anybody could write, only the stated
    error is used: as the claim that is checked. The model itself poses the question again, from the data and its
    options, as its `fit` did.
    """
    model, X = claimant(model, X)
    certificate = claim_of(model)
    problem = model._fitted_problem(X, y, sample_weight)
    if hasattr(model, "_check_features"):
        model._check_features(X)
    if problem is not None and getattr(model, LEFT_OUT, False):
        return objective_alone(certificate, model, problem), None
    error, fresh = (np.inf, None) if problem is None else recomputed(certificate, model, problem)
    if fresh is None:
        return Verification(np.inf, certificate.stated, False, False), None
    most = max(MAX_ROUNDING, MAX_ROUNDING_OF_ERROR * certificate.stated)
    rounding = certificate.stated * SUM_RTOL + min(getattr(fresh, "rounding", 0.0), most)
    holds = bool(error <= certificate.stated + rounding and error < np.inf)
    proved = bool(holds and fresh.proof and getattr(model, "proved", True))
    return Verification(error, certificate.stated, holds, proved), fresh


def objective_alone(certificate: Any, model: Any, problem: Problem) -> Verification:
    """What can be checked without dual variables: that the plane reaches the objective that is stated, from the data.

    The error is the relative difference of the two; nothing is proved of other planes.
    """
    error, stated = np.inf, certificate.stated
    with suppress(IndexError, ValueError):
        _, fresh = recomputed(certificate, model, problem)
        if fresh is not None:
            error = max(relative_difference(*pair) for pair in zip(primals(fresh), primals(certificate), strict=True))
    return Verification(error, stated, bool(error <= OBJECTIVE_RTOL), False)


def primals(certificate: Any) -> list[float]:
    """The objectives that planes reach, as certificates state them."""
    parts = certificate.parts if isinstance(certificate, Collected) else (certificate,)
    return [part.primal for part in parts if hasattr(part, "primal")]


def relative_difference(one: float, other: float) -> float:
    """How far two numbers are apart, relative to the larger."""
    return abs(one - other) / max(abs(one), abs(other), TINY)


def claimant(model: Any, X: Any) -> tuple[Any, Any]:
    """The model that a claim is about, and the rows as it sees them: the last step, or what is inside of it.

    That of Calibrated, and of scikit-learn's FixedThresholdClassifier, whose threshold changes no plane.
    """
    model = without_threshold(model)
    if isinstance(model, Pipeline):
        return claimant(model.steps[-1][1], model[:-1].transform(X) if len(model.steps) > 1 else X)
    return claimant(*model._claimant(X)) if hasattr(model, "_claimant") else (model, X)


def claim_of(model: Any) -> Any:
    """The certificate of a fitted model, or of a verdict."""
    if is_verdict(model):
        return model.certificate
    check_is_fitted(model)
    if not (hasattr(model, "_fitted_problem") and hasattr(model, "certificate_")):
        raise OptionError(
            f"{type(model).__name__} has no certificate_ to verify. Use a classifier of this package, or a pipeline "
            "that ends with one."
        )
    return model.certificate_


def is_verdict(model: Any) -> bool:
    """Whether this is a verdict with a certificate, such as Separability, and no model that predicts."""
    return hasattr(model, "_fitted_problem") and hasattr(model, "certificate")


def recomputed(certificate: Any, model: Any, problem: Problem) -> tuple[float, Any]:
    """The error from the data, and the certificate with figures from there; infinite and None if it fails to fit."""
    try:
        if isinstance(certificate, Collected) and hasattr(model, "estimators_"):
            return recompute_parts(certificate, model, problem)
        if not (is_verdict(model) or concerns_model(certificate, model, problem)):
            return np.inf, None
        if isinstance(problem, BlockedProblem):
            return recompute_over(certificate, problem)
        return certificate.error(problem), certificate.restated(problem)
    except DataError:
        raise
    except (IndexError, ValueError):
        pass
    return np.inf, None


def recompute_over(certificate: Any, problem: BlockedProblem) -> tuple[float, Any]:
    """The error from blocks of rows, and the certificate with their figures."""
    if can_be_restated(certificate):
        fresh = problem.over(restating_fold(certificate))
        return fresh.stated, fresh
    return problem.over(error_fold(certificate)), certificate  # whose proof, where it has one, is an error of 0


def recompute_parts(certificate: Collected, model: Any, problem: Problem) -> tuple[float, Any]:
    """The worst error of the parts of a reduction, each recomputed on the question that its own model was asked."""
    code, parts, models = certificate.code, certificate.parts, model.estimators_
    if not (np.array_equal(code, model.code_) and has_names_of(certificate, model) and code.shape[1] == len(models)):
        return np.inf, None
    found: list[tuple[float, Any]] = []
    for part, one, side in zip(parts, models, code.T, strict=True):
        asked: Any = problem.dichotomy(side)
        inner, rows = claimant(one, native_matrix(asked.X))
        if hasattr(inner, "_fitted_problem"):  # models from elsewhere make no claim
            asked = inner._fitted_problem(rows, asked.signs, asked.cost)
        found.append((np.inf, None) if asked is None else recomputed(part, inner, asked))
    if any(fresh is None for _, fresh in found):
        return np.inf, None
    return max(error for error, _ in found), replace(certificate, parts=tuple(fresh for _, fresh in found))


def concerns_model(certificate: Any, model: Any, problem: Problem) -> bool:
    """Whether a certificate is about the planes of a model, and about the problem that its options define."""
    w: Any = getattr(model, "coef_", None)
    b: Any = getattr(model, "intercept_", None)
    is_certified_by = getattr(model, "_is_certified_by", lambda claim, problem: True)
    if not is_as_fitted(model):
        return False
    if hasattr(model, "_concerns"):
        return model._concerns(certificate, problem)
    if not problem.fit_intercept and np.any(np.nan_to_num(np.atleast_1d(b if b is not None else 0.0)) != 0.0):
        return False  # there was to be no offset
    if not isinstance(certificate, Collected):
        return concerns_planes(certificate, w, b) and is_certified_by(certificate, problem)
    same_code = np.array_equal(certificate.code, one_vs_rest(model.classes_.size))  # planes of its own
    parts = [
        concerns_planes(*each) and is_certified_by(each[0], problem)
        for each in zip(certificate.parts, w, b, strict=True)
    ]
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
