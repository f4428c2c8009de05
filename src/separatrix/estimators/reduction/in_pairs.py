"""Several classes in pairs, each of which has a machine in the space of a kernel: one set of support rows for all.

Support rows are in the order of their classes, and `dual_coef_` has their coefficients in scikit-learn's order of
pairs: row r holds those of the pair with the r-th other class. Predictions come from these public numbers alone.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap, NearestPoint
from separatrix.data.encode_kernel import is_symbolic
from separatrix.estimators.reduction.against_the_rest import joined, joined_history, joined_status
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.columns import solve_columns
from separatrix.estimators.store.fitted_attributes import ArrayOf, RowsOf, floats
from separatrix.kernels import Kernel, Precomputed
from separatrix.problem import Expansion, Plane, Problem, Solution
from separatrix.rows import Vector

# s support rows, m machines, r rows of coefficients: classes but one, or 1 where there are no classes
SUPPORT_ATTRIBUTES: Mapping[str, Any] = {
    "kernel_": Kernel,
    "support_": ArrayOf("i", "s"),
    "support_vectors_": RowsOf("sd"),
    "dual_coef_": floats("rs", "finite"),
    "intercept_": floats("m", "finite"),
}


def each_against_each(problem: Problem, solve: Callable[[Problem], Solution]) -> Solution:
    """Solve a problem of any number of classes, by one machine for each pair where there are more than two.

    Machines are planes, or in the space of a kernel expansions over the support rows of all pairs, in the order of
    their classes.
    """
    if problem.n_classes == 2:
        return solve(problem)
    code = one_vs_one(problem.n_classes)
    parts, certificate = solve_columns(code, lambda _, side: solve(problem.dichotomy(side)), attrgetter("certificate"))
    if isinstance(parts[0].model, Plane):
        return joined(parts, certificate)
    found, offsets = placed(certificate.parts, problem, code), np.array([float(part.b) for part in parts])
    model = Expansion(problem.kernel, problem.support_rows(found.rows), found.coefficients, offsets)
    return Solution(model, certificate, joined_status(parts), joined_history([part.history for part in parts]))


class Placed(NamedTuple):
    """The support rows of all pairs in order of their class, and the coefficients of each pair."""

    rows: np.ndarray
    coefficients: Vector


def placed(certificates: Any, problem: Problem, code: np.ndarray) -> Placed:
    """Gather the support rows of the certificates of all pairs, without those whose coefficients are all 0."""
    numbers = [np.flatnonzero(side[problem.y]) for side in code.T]
    parts = [(own[rows_of(claim)], claim.w) for own, claim in zip(numbers, certificates, strict=True)]
    used = np.unique(np.concatenate([rows[w != 0.0] for rows, w in parts]))
    used = used[np.argsort(problem.y[used], kind="stable")]
    place = np.full(problem.n_rows, -1)
    place[used] = np.arange(used.size)
    coefficients = np.zeros((len(parts), used.size))
    for pair, (rows, w) in enumerate(parts):
        coefficients[pair, place[rows[w != 0.0]]] = w[w != 0.0]
    return Placed(used, coefficients)


def rows_of(claim: Any) -> Any:
    """The rows whose coefficients a claim is about."""
    hulls_or_gap = isinstance(claim, (DualityGap, NearestPoint))
    return claim.support if hulls_or_gap else getattr(claim, "coefficients_of", None)


def in_order_of_pairs(coefficients: Vector, codes: np.ndarray, n_classes: int) -> Vector:
    """Coefficients of pairs as scikit-learn has them: row r is that of the pair with the r-th other class.

    There the first class of a pair is the positive one, but for two classes the second.
    """
    if n_classes == 2:
        return coefficients
    into = np.zeros((n_classes - 1, codes.size))
    for row, own, place in pair_places(codes, n_classes):
        into[place, own] = -coefficients[row, own]
    return into


def offsets_by_pairs(intercepts: Vector) -> Vector:
    """Offsets with the second class of each pair positive, from those with scikit-learn's signs, or back.

    >>> offsets_by_pairs(np.array([0.5])).tolist(), offsets_by_pairs(np.array([0.5, -1.0, 2.0])).tolist()
    ([0.5], [-0.5, 1.0, -2.0])
    """
    return intercepts if intercepts.size == 1 else -intercepts


def by_pairs(dual_coef: Vector, n_support: np.ndarray) -> Vector:
    """The coefficients of each pair again, of shape (n_pairs, n_support), the second class of a pair positive.

    >>> coefficients = np.array([[-2.0, 2.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -3.0, 3.0]])  # a and b, a and c, b and c
    >>> published = in_order_of_pairs(coefficients, np.array([0, 1, 2]), 3)
    >>> published.tolist(), bool((by_pairs(published, np.array([1, 1, 1])) == coefficients).all())
    ([[2.0, -2.0, -1.0], [1.0, 3.0, -3.0]], True)
    """
    k = n_support.size
    if k == 2:
        return dual_coef
    codes = np.repeat(np.arange(k), n_support)
    into = np.zeros((k * (k - 1) // 2, codes.size))
    for row, own, place in pair_places(codes, k):
        into[row, own] = -dual_coef[place, own]
    return into


def pair_places(codes: np.ndarray, n_classes: int) -> Iterator[tuple[int, np.ndarray, int]]:
    """For both classes of each pair: the pair, the support rows of the class, and their row of `dual_coef_`."""
    for row, (i, j) in enumerate(combinations(range(n_classes), 2)):
        yield row, codes == i, j - 1
        yield row, codes == j, i


def check_stored_pairs(model: Any) -> None:
    """Refuse coefficients and offsets that are not those of the pairs of classes, which no `fit` can have made."""
    k = model.classes_.size
    if len(model.dual_coef_) != k - 1 or model.intercept_.size != k * (k - 1) // 2:
        raise ValueError(f"dual_coef_ and intercept_ are not those of the pairs of {k} classes")
    check_stored_support(model)


def check_stored_support(model: Any) -> None:
    """Refuse support rows, coefficients and a kernel that do not belong together, which no `fit` can have made."""
    kernel, rows, n = model.kernel_, model.support_vectors_, model.support_.size
    if (model.n_support_ < 0).any() or int(model.n_support_.sum(dtype=np.int64)) != n:
        raise ValueError(f"n_support_ does not count the {n} support rows")
    if model.support_.min(initial=0) < 0 or np.unique(model.support_).size < n:
        raise ValueError("support_ must hold numbers of rows, each once")
    if isinstance(kernel, Precomputed):
        if not np.array_equal(rows, model.support_) or model.support_.max(initial=-1) >= model.n_features_in_:
            raise ValueError("for a precomputed kernel support_vectors_ are the row numbers of support_")
        return
    if is_symbolic(rows) and model.n_features_in_ != 1:
        raise ValueError(f"texts and sets are one feature, not {model.n_features_in_}")
    if not n:
        return
    try:
        resolved, diagonal = kernel.resolved(rows), kernel.diagonal(rows)
    except (ArithmeticError, TypeError) as problem:  # numbers that are too large, say
        raise ValueError(f"{kernel!r} has no values on its support rows: {problem}") from None
    if resolved != kernel:
        raise ValueError(f"kernel_ must have numbers in place of rules, unlike {kernel!r}")
    if not np.isfinite(diagonal).all():
        raise ValueError(f"{kernel!r} is not finite on its support rows")
