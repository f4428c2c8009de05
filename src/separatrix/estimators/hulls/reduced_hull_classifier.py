"""The plane between the nearest points of reduced convex hulls, as a scikit-learn classifier."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, Self
from warnings import warn

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates import NearestPoint
from separatrix.certificates.arithmetic.reduced_hull import smallest_mu
from separatrix.certificates.claims.collected import names_of
from separatrix.certificates.claims.nearest_point import Mixtures, kernel_bisector, mixtures, normalized_weights
from separatrix.data.encode_kernel import EncodedKernel
from separatrix.errors import TrivialFitWarning
from separatrix.estimators.base import warn_not_certified
from separatrix.estimators.kernel.kernel_classifier import KernelClassifier
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.decoding import votes
from separatrix.estimators.reduction.in_pairs import in_order_of_pairs, offsets_by_pairs, placed
from separatrix.estimators.store.fitted_attributes import floats
from separatrix.kernels import Linear
from separatrix.problem import PlanesOfCode, Problem, Solution, Status
from separatrix.rows import Vector, length
from separatrix.solvers.hulls.mu import candidate_mus
from separatrix.solvers.hulls.reduced_hulls import offset_of, reduced_hulls

OFFSET_RTOL = 1e-6  # of the distance of the two points, by which an offset may differ from what its rule says
MU_RTOL = 1e-12
SCORE_RTOL = 1e-3  # by which the scores of the two points may differ from -1 and 1: it is the scale that is checked


class Coefficients(NamedTuple):
    """Coefficients of some rows of a pair, as `placed` takes them."""

    coefficients_of: np.ndarray
    w: Vector


class ReducedHullClassifier(KernelClassifier):
    """The plane between the nearest points of the reduced convex hulls of the classes: the geometry of the nu-SVM.

    The reduced hull R(X, mu) holds the mixtures sum a_i x_i of rows whose weights are at most mu, so that none of its
    points depends much on a single row. For mu = 1 it is the convex hull, and the plane is that with the largest
    margin; the smaller mu, the smaller the hulls, down to the mean of the smaller class at mu = 1 / N_min. w points
    from the nearest point of the one hull to that of the other and has the direction of the nu-SVM with
    nu = 2 / (mu N). Several classes are told apart in pairs, which vote.

    Parameters
    ----------
    mu : float or "auto"
        The largest weight of a row in a point of its hull, times the weight of the row; at least one over the weight of
        the smaller class, its number of rows. "auto" is twice that, at which nu is 1/2 for equal classes; where the
        hulls then meet, 1.5, 1.25, 1.125 or 1 times the smallest, the first at which they do not.
    algorithm : {"mdm", "gilbert", "schlesinger_kozinec"}
        The one of Mitchell, Dem'yanov and Malozemov (1974), of Gilbert (1966), or of Kozinec (1964) and Schlesinger,
        each for reduced hulls. An active-set method makes their last digits right, so that all give the same answer.
    kernel : str, Kernel or callable
        "linear", "poly", "rbf", "sigmoid" or "precomputed", a kernel of `separatrix.kernels`, or a function f(A, B). It
        must be positive semidefinite.
    gamma : float, "scale", "auto" or "nearest"
        Of "poly", "rbf" and "sigmoid". "nearest", for "rbf": sigma is the distance of the closest rows of different
        classes.
    degree, coef0 : int, float
        Of "poly", and coef0 of "sigmoid".
    offset : {"bisector", "kkt"}
        Where the plane is: halfway between the two points, or halfway between the levels at which rows of either class
        have a weight between 0 and mu, as the optimality conditions of the nu-SVM have it.
    tol : float
        The relative error of the distance that the certificate must reach.
    max_iter : int
        Steps of the algorithm at most, for each pair of classes and each mu that is tried.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    mu_, nu_ : float or ndarray of shape (n_pairs,)
        The mu that was used, and nu = 2 / (mu W) of the nu-SVM, W the weight of all rows of the pair.
    distance_ : float or ndarray of shape (n_pairs,)
        The distance of the nearest points, 0 where the reduced hulls meet: there is no direction then, w and b are 0.
    nearest_points_ : ndarray of shape (2, d) or (n_pairs, 2, d)
        The two points, that of the first class first; for the linear kernel only.
    coef_ : ndarray of shape (n_pairs, d)
        w, with g = w.x + b at -1 and 1 in the nearest points for the offset of the bisector: the distance is 2 / ||w||.
        For the linear kernel only; for more than two classes with scikit-learn's sign: positive for the first of a
        pair.
    intercept_ : ndarray of shape (n_pairs,)
        b, with the sign of `coef_` and `dual_coef_`.
    support_ : ndarray of int
        The rows with weight, in order of their class.
    support_vectors_ : rows
        These rows, as they were given; for a precomputed kernel their numbers.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        y a of these rows times 2 / distance^2: `w = dual_coef_ @ X[support_]`; for more than two classes in
        scikit-learn's order of pairs.
    n_support_ : ndarray of int
        How many of the support rows each class has.
    kernel_ : Kernel
        The kernel, with numbers in place of rules.
    certificate_ : NearestPoint, or Collected of one for each pair
        The distance of the two points and a bound that no two points of the reduced hulls are below.
    n_iter_ : int
        Steps of the algorithm, the most of any pair.

    Notes
    -----
    `sample_weight` c bounds the weight of a row by mu c: a weight of 2 is the row twice. In the space of a kernel the
    matrix of all pairs of rows of two classes is factored, which takes memory and time for more than a few thousand
    rows.

    Examples
    --------
    >>> from separatrix import ReducedHullClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [9.0]], [0, 0, 1, 0, 1, 1]  # 2 and 3 are on the wrong side
    >>> model = ReducedHullClassifier(mu=0.5).fit(X, y)  # the hulls are [0.5, 2] and [3, 6.5]
    >>> round(model.distance_, 9), model.nearest_points_.round(9).tolist(), model.predict([[2.4], [2.6]]).tolist()
    (1.0, [[2.0], [3.0]], [0, 1])
    >>> round(model.nu_, 9), model.certificate_.stated < 1e-12
    (0.666666667, True)
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "mu_": float | Vector,
        "nu_": float | Vector,
        "distance_": float | Vector,
        "coef_?": floats("md", "finite"),
        "nearest_points_?": floats(),
    }

    def __init__(
        self,
        mu: float | Literal["auto"] = "auto",
        *,
        algorithm: Literal["gilbert", "mdm", "schlesinger_kozinec"] = "mdm",
        kernel: Any = "linear",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        offset: Literal["bisector", "kkt"] = "bisector",
        tol: float = 1e-6,
        max_iter: int = 100_000,
        class_weight: Any = None,
        verbose: bool = False,
    ):
        self.mu = mu
        self.algorithm = algorithm
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.offset = offset
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the nearest points of the reduced hulls of each pair of classes.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or sequence of sets or texts
            The rows; for a precomputed kernel the square matrix of its values.
        y : array of n labels
            Their classes.
        sample_weight : array of n numbers or None
            How often each row counts: its weight in a point is at most mu times this.

        Returns
        -------
        ReducedHullClassifier
            Itself.
        """
        encoded = self._pose(X, y, sample_weight)
        rule = partial(
            reduced_hulls,
            mu=self.mu,
            algorithm=self.algorithm,
            offset=self.offset,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        with progress_line(self, encoded.problem):
            machines = self._fit_pairs(encoded, lambda _, problem: rule(problem), parallel=True)
        self.n_iter_ = max(machine.history.iterations for machine in machines)
        self._warn(machines, encoded)
        return self

    def _problem(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> EncodedKernel:
        encoded = super()._problem(X, y, sample_weight, **how)
        if isinstance(encoded.kernel, Linear):  # rows are their own coordinates
            encoded = replace(encoded, problem=replace(encoded.problem, kernel=None))
        return encoded

    def _publish_support(self, machines: list[Solution], encoded: EncodedKernel, code: np.ndarray) -> None:
        claims: list[Any] = [machine.certificate for machine in machines]
        pairs = [encoded.problem.dichotomy(side) for side in code.T]
        one, totals = len(claims) == 1, np.array([float(pair.cost.sum()) for pair in pairs])
        self.mu_ = number_or_array([claim.mu for claim in claims])
        self.nu_ = number_or_array((2.0 / (totals * self.mu_)).tolist())
        self.distance_ = number_or_array([claim.distance for claim in claims])
        linear = isinstance(encoded.kernel, Linear)
        points = np.array([claim.points(pair) for claim, pair in zip(claims, pairs, strict=True)]) if linear else None
        self._keep("nearest_points_", points[0] if one and points is not None else points)
        self._keep("coef_", offsets_by_pairs_of(np.array([claim.w for claim in claims])) if linear else None)
        if not linear:
            super()._publish_support(machines, encoded, code)
            return
        found = placed([coefficients_of(*each) for each in zip(claims, pairs, strict=True)], encoded.problem, code)
        codes = encoded.problem.y[found.rows]
        self.intercept_ = offsets_by_pairs(np.array([claim.b for claim in claims]))
        self._publish_rows(encoded, found.rows)
        self.n_support_ = np.bincount(codes, minlength=encoded.classes.size).astype(np.int32)
        self.dual_coef_ = in_order_of_pairs(found.coefficients, codes, encoded.classes.size)

    def _check_stored(self) -> None:
        """Refuse attributes that contradict each other, which no `fit` can have made."""
        super()._check_stored()
        if isinstance(self.kernel_, Linear) != hasattr(self, "coef_"):
            raise ValueError("coef_ belongs to the linear kernel, and to no other")

    def _pair_scores(self, X: Any) -> Vector:
        check_is_fitted(self)
        if not isinstance(self.kernel_, Linear):
            return super()._pair_scores(X)
        planes = PlanesOfCode(self.coef_, self.intercept_, self._decoded)
        return offsets_by_pairs_of(self._scores(X, planes).T).T

    def _decoded(self, scores: Vector) -> Vector:
        """Scores of classes from those of the public planes of pairs."""
        return votes(offsets_by_pairs_of(scores.T).T, one_vs_one(self.classes_.size))

    def _concerns(self, certificate: Any, problem: Problem) -> bool:
        """Whether a certificate is about the planes that predictions come from, and about what the options ask for."""
        parts, code = getattr(certificate, "parts", (certificate,)), one_vs_one(self.classes_.size)
        if len(parts) != code.shape[1] or not all(isinstance(each, NearestPoint) for each in parts):
            return False
        answers = all(self._is_answer(*each) for each in zip(parts, map(problem.dichotomy, code.T), strict=True))
        if not isinstance(self.kernel_, Linear):
            return answers and super()._concerns(certificate, problem)
        same_code = np.array_equal(getattr(certificate, "code", code), code)
        if not same_code or getattr(certificate, "names", None) not in (None, names_of(self.classes_)):
            return False
        own, offsets = offsets_by_pairs_of(self.coef_), offsets_by_pairs(self.intercept_)
        planes = all(np.array_equal(*each) for each in zip((each.w for each in parts), own, strict=True))
        return answers and planes and np.array_equal([each.b for each in parts], offsets)

    def _is_answer(self, claim: NearestPoint, problem: Problem) -> bool:
        """Whether a claim is about the mu and the offset that the options ask for."""
        asked = candidate_mus(problem) if isinstance(self.mu, str) else [float(self.mu)]
        if claim.mu is None or not np.isclose(claim.mu, asked, rtol=MU_RTOL, atol=0.0).any():
            return False
        if not has_unit_scores(problem, claim):
            return False
        expected = offset_of(problem, claim, self.offset)
        return bool(abs(claim.b - expected) <= OFFSET_RTOL + 4.0 * claim.stated + MU_RTOL * abs(expected))

    def _asks_for(self, claim: Any, problem: Problem) -> bool:
        return isinstance(claim, NearestPoint)

    def _warn(self, machines: list[Solution], encoded: EncodedKernel) -> None:
        """Say which reduced hulls meet, or that the distance is not as exact as was asked for."""
        meeting = [pair for pair, machine in enumerate(machines) if machine.certificate.distance == 0.0]
        worst = max(machines, key=lambda machine: machine.certificate.stated)
        if meeting:
            side = one_vs_one(encoded.classes.size).T[meeting[0]]
            problem = encoded.problem.dichotomy(side)
            names = " and ".join(names_of(encoded.classes[np.flatnonzero(side)]))
            more = f" (and of {len(meeting) - 1} more pairs)" if len(meeting) > 1 else ""
            mu, least = machines[meeting[0]].certificate.mu, smallest_mu(problem.y, problem.cost)
            advice = f"lower mu towards {least:.6g}, the smallest for them" if mu > least * (1.0 + MU_RTOL) else ""
            advice = f"{advice}, or take a richer kernel" if advice else "take a richer kernel, as mu cannot be smaller"
            warn(
                f"The reduced convex hulls of the classes {names}{more} meet with mu={mu:.6g}: their distance is 0, w "
                f"and b are 0, and nothing tells the classes apart. To have them apart, {advice}.",
                TrivialFitWarning,
                stacklevel=3,
            )
        elif worst.status is not Status.SOLVED:
            remedy = f"Raise max_iter={self.max_iter}" if worst.status is Status.STOPPED else "Scale the features"
            warn_not_certified(
                f"ReducedHullClassifier reached a relative error of {worst.certificate.stated:.2g} where "
                f"tol={self.tol:g} was asked for. {worst.status} {remedy}, or accept the error by a larger tol.",
                depth=2,
            )


def has_unit_scores(problem: Problem, claim: NearestPoint) -> bool:
    """Whether the scores of the two points of a claim differ by 2, as those of a fit do; w is 0 where they meet."""
    if claim.distance == 0.0:
        return not np.any(claim.w)
    if claim.kernel is None:
        between = points_of(claim, problem).between
        return bool(abs(float(claim.w @ between) - 2.0) <= SCORE_RTOL + 4.0 * claim.stated)
    made, _ = kernel_bisector(problem, claim.support, claim.weights)
    most = SCORE_RTOL + 4.0 * claim.stated
    return bool(np.allclose(claim.w, made, rtol=most, atol=most * float(np.abs(made).max(initial=0.0))))


def number_or_array(values: list[float]) -> Any:
    """A number where there is one pair of classes, else an array."""
    return values[0] if len(values) == 1 else np.array(values)


def offsets_by_pairs_of(planes: Vector) -> Vector:
    """Planes with the second class of each pair positive, from those with scikit-learn's signs, or back."""
    return planes if len(planes) == 1 else -planes


def coefficients_of(claim: NearestPoint, problem: Problem) -> Coefficients:
    """The coefficients of the rows of a pair in w, all 0 where w is."""
    if claim.kernel is not None:
        return Coefficients(claim.support, np.array(claim.w))
    between = length(points_of(claim, problem).between) if claim.distance > 0.0 else 0.0
    scale = 2.0 / between**2 if between > 0.0 else 0.0
    return Coefficients(claim.support, scale * problem.signs[claim.support] * claim.weights)


def points_of(claim: NearestPoint, problem: Problem) -> Mixtures:
    """The two points of a claim, and their difference."""
    return mixtures(problem, claim.support, *normalized_weights(problem, claim.support, claim.weights))
