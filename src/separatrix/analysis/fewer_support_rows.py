"""A machine in the space of a kernel with fewer support rows, and what that costs, measured."""

from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates import Collected, DualityGap, Separator, Unproved
from separatrix.data.encode import features
from separatrix.data.encode_kernel import some_rows
from separatrix.errors import DataError, OptionError
from separatrix.estimators.hulls.reduced_hull_classifier import ReducedHullClassifier
from separatrix.estimators.kernel.kernel_classifier import KernelClassifier
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.in_pairs import by_pairs, in_order_of_pairs, rows_of
from separatrix.kernels import Precomputed
from separatrix.options import number
from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.kernel.gram import Gram, gram_of
from separatrix.solvers.kernel.reduced_set import ReducedSet, reduced_set

MAX_BYTES = 1e8  # for kernel values in float32, which are not used here


def fewer_support_rows(model: Any, tol: float = 1e-3, X: Any = None, y: Any = None, sample_weight: Any = None) -> Any:
    """Replace the expansion of a kernel machine by one over fewer of its support rows, with a measured loss.

    The plane w of each pair of classes is projected onto the span of some support rows in the space of the kernel. Rows
    are chosen one by one, each as it lessens ||w - w'|| most, until that is at most tol ||w||. Predictions are quicker
    by as much as there are fewer rows.

    Parameters
    ----------
    model : fitted KernelSVM or KernelPerceptron
        The machine, which stays as it is.
    tol : float
        The largest loss ||w - w'|| / ||w|| of any pair, from 0 to 1. Double precision cannot tell losses below some
        1e-7: a smaller tol keeps all rows.
    X, y, sample_weight : as for fit, or None
        The data that the machine was fitted to, from which a new certificate is computed. Without them nothing is
        proved of the new machine, except for its loss. A precomputed kernel needs X in any case.

    Returns
    -------
    classifier
        A fitted copy with fewer rows in `support_`, `support_vectors_` and `dual_coef_`, the same `intercept_`, and:

        - `support_loss_`, ndarray of shape (n_pairs,): the loss of each pair, from the kernel values. For every row x,
          the score of the pair differs by at most `support_loss_` times ||w|| sqrt(K(x, x)).
        - `certificate_`: with data, the objective of the new plane against the lower bound that the machine had, or
          that the classes are still separated; without, Unproved.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from separatrix import KernelSVM, fewer_support_rows
    >>> X, y = make_moons(400, noise=0.25, random_state=0)
    >>> model = KernelSVM(gamma=1.0).fit(X, y)
    >>> smaller = fewer_support_rows(model, 0.01, X, y)
    >>> model.support_.size > 4 * smaller.support_.size, bool(smaller.support_loss_[0] <= 0.01)
    (True, True)
    >>> bool((smaller.predict(X) == model.predict(X)).all()), smaller.certificate_.stated < 0.01
    (True, True)
    """
    if not isinstance(model, KernelClassifier) or isinstance(model, ReducedHullClassifier):
        raise OptionError(f"The 'model' parameter must be a fitted KernelSVM or KernelPerceptron. Got {model!r}.")
    check_is_fitted(model)
    most = number("tol", tol, at_least=0.0, most=1.0)
    problem = None if X is None or y is None else problem_of(model, X, y, sample_weight)
    found = reduced_pairs(model, gram_of_support(model, X), most)
    coefficients = np.array([each.coefficients for each in found])
    certificate = restated(model, found, problem)
    return with_coefficients(model, coefficients, np.array([each.loss for each in found]), certificate)


def problem_of(model: Any, X: Any, y: Any, sample_weight: Any) -> Problem:
    """The problem that a machine was fitted to; data of another one are refused."""
    problem = model._fitted_problem(X, y, sample_weight)
    if problem is None or not model._concerns(model.certificate_, problem):
        raise DataError(
            "These are not the rows, classes and weights that the machine was fitted to, or it was changed since. Give "
            "those of its fit, or none."
        )
    return problem


def gram_of_support(model: Any, X: Any) -> Gram:
    """The kernel matrix of the support rows."""
    kernel, rows = model.kernel_, model.support_vectors_
    if isinstance(kernel, Precomputed):
        if X is None:
            raise DataError("A machine with a precomputed kernel has no kernel values. Give X, the matrix of its fit.")
        model._check_features(X)
        values = np.asarray(features(X))
        if values.shape[0] != values.shape[1]:
            raise DataError(f"X must be the square matrix that the machine was fitted to. Got {values.shape}.")
        return gram_of(kernel, values[np.ix_(rows, rows)], MAX_BYTES)
    if kernel.by_products:
        return gram_of(kernel.over, kernel.encoder(rows)(rows), MAX_BYTES)
    return gram_of(Precomputed(), kernel.matrix(rows), MAX_BYTES)


def reduced_pairs(model: Any, gram: Gram, tol: float) -> list[ReducedSet]:
    """The reduced set of each pair of classes, with a coefficient for each support row of the machine."""
    found = []
    for coefficients in by_pairs(model.dual_coef_, model.n_support_):
        own = np.flatnonzero(coefficients)
        part = reduced_set(partial(values_of, gram, own), coefficients[own], tol)
        into = np.zeros(coefficients.size)
        into[own] = part.coefficients
        found.append(ReducedSet(into, part.loss))
    return found


def values_of(gram: Gram, own: np.ndarray, left: np.ndarray, right: np.ndarray) -> Vector:
    """K of some rows with some others, by their places among some of all rows."""
    return gram.exact_block(own[left], own[right])


def with_coefficients(model: Any, coefficients: Vector, loss: Vector, certificate: Any) -> Any:
    """A copy of a machine with other coefficients of its support rows, of which only those that are used are kept."""
    used, k = np.flatnonzero(coefficients.any(axis=0)), model.classes_.size
    codes = np.repeat(np.arange(k), model.n_support_)[used]
    other = copy(model)
    other.support_, other.support_vectors_ = model.support_[used], some_rows(model.support_vectors_, used)
    other.n_support_ = np.bincount(codes, minlength=k).astype(np.int32)
    other.dual_coef_ = in_order_of_pairs(coefficients[:, used], codes, k)
    other.intercept_ = model.intercept_.copy()
    other.support_loss_, other.certificate_ = loss, certificate
    return other


def restated(model: Any, found: list[ReducedSet], problem: Problem | None) -> Any:
    """The certificate of the machine with the coefficients that were found."""
    claims, parts = getattr(model.certificate_, "parts", (model.certificate_,)), []
    before, sides = by_pairs(model.dual_coef_, model.n_support_), one_vs_one(model.classes_.size).T
    for claim, coefficients, pair, side in zip(claims, before, found, sides, strict=True):
        own = np.flatnonzero(coefficients)
        own = own[np.argsort(model.support_[own])]  # a claim has its rows in their order in the data
        w = np.zeros_like(claim.w)
        w[claim.w != 0.0] = pair.coefficients[own]
        parts.append(claim_of_pair(claim, w, pair.loss, None if problem is None else problem.dichotomy(side)))
    return replace(model.certificate_, parts=tuple(parts)) if isinstance(model.certificate_, Collected) else parts[0]


def claim_of_pair(claim: Any, w: Vector, loss: float, problem: Problem | None) -> Any:
    """What is true of other coefficients w of the rows of a claim; without a problem nothing is proved."""
    rows, kept, b = rows_of(claim), w != 0.0, float(claim.b)
    if kept.all():
        return claim
    if problem is not None and isinstance(claim, DualityGap):
        return DualityGap.issue(problem, w, b, claim.alpha, claim.support)
    if problem is not None and isinstance(claim, Separator):
        separator = Separator.issue(problem, w[kept], b, None, rows[kept])
        if separator.proof:
            return separator
    reason = (
        f"{np.count_nonzero(kept):,} of {kept.size:,} support rows are left, whose w is within {loss:.2g} ||w|| of "
        "that of the machine that was fitted"
    )
    unproved = Unproved(reason, w[kept], b, coefficients_of=rows[kept])
    return unproved if problem is None else replace(unproved, stated=unproved.error(problem))
