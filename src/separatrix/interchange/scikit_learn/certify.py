"""A certificate for a model of scikit-learn: how far it is from the optimum of what it was itself asked to minimise.

    gap of a plane   P - D,     P: its own objective, from the rows,     D: what no plane can be below

D comes from the model's own dual variables, where it has any, and from those of a fit by this package, which is asked
the same question. Both ends are enclosures, as those of every certificate here.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates import DualityGap
from separatrix.certificates.claims.bound import bound_of
from separatrix.certificates.claims.certificate import boxed
from separatrix.certificates.claims.duality_gap import formula_of
from separatrix.errors import DataError, at_least, at_most
from separatrix.interchange.scikit_learn.claims import claim_of_expansions, claim_of_planes, planes_of
from separatrix.interchange.scikit_learn.questions import Question, question_of
from separatrix.objectives import SoftMargin, Values
from separatrix.options import number
from separatrix.problem import Problem


@dataclass(frozen=True, eq=False, repr=False)
class Certification:
    """How far a model is from the optimum of its own question, and a fit that is nearer.

    Attributes
    ----------
    model : str
        What was certified.
    question : Question
        The estimator of this package that is asked the same, and the column of a penalised offset, if any.
    certificate : DualityGap, Stationary, Separator or Unproved, or Collected of one for each plane
        The claim about the planes of the model: `certificate.error` recomputes it, and so does `verify`.
    best : estimator or None
        The fit by this package that lower bounds come from; None where none was needed.
    values : tuple of Values
        Of each plane with an objective: what it reaches, and what none can be below.
    n_wrong : int
        Rows that the model predicts wrong.
    tol : float
        The gap up to which the model counts as optimal.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from separatrix import certify
    >>> X, y = [[0.0], [1.0], [2.0], [4.0]], [0, 1, 0, 1]
    >>> found = certify(SVC(kernel="linear", tol=1e-9).fit(X, y), X, y)
    >>> found.gap < 1e-6, bool(found)
    (True, True)
    """

    model: str
    question: Question
    certificate: Any
    best: Any
    values: tuple[Values, ...]
    n_wrong: int
    tol: float

    @property
    def gap(self) -> float:
        """The relative gap at most, the worst of all planes; what is left of equations where these are solved."""
        if self.values:
            return max(each.relative for each in self.values)
        return self.certificate.stated

    @property
    def proof(self) -> bool:
        """Whether it is proved that the model is optimal up to `tol`, or that it separates the classes."""
        if self.values:
            return self.gap <= self.tol
        return bool(self.certificate.proof)

    def __bool__(self) -> bool:
        return self.proof

    def _fitted_problem(self, X: Any, y: Any, sample_weight: Any = None) -> Problem:
        """The question that was asked of the rows, posed again; `verify` recomputes the certificate by it."""
        weights = self.question.weights(y, sample_weight)
        return self.question.estimator._problem(self.question.rows(X), y, weights).problem

    def __repr__(self) -> str:
        return f"Certification({self.model}, gap={self.gap:.3g})"

    def _repr_html_(self) -> str:
        return boxed(str(self), "proved" if self.proof else "not proved", self.proof)

    def __str__(self) -> str:
        if not self.values:
            return f"{self.model}\n{self.certificate}"
        worst = int(np.argmax([each.relative for each in self.values]))
        parts = getattr(self.certificate, "parts", (self.certificate,))
        reached, claim = self.values[worst], parts[worst]
        of = f", the worst of {len(parts)} planes" if len(parts) > 1 else ""
        lines = [f"{self.model}: minimise {formula_of(claim)}, over {claim.n_rows:,} rows{of}"]
        if self.question.remark:
            lines.append(f"  {self.question.remark}")
        lines += [
            f"  primal       {at_most(reached.primal, 12)}, the objective of this model",
            f"  dual         {at_least(reached.dual, 12)}, which none is below",
            f"  gap          at most {at_most(reached.relative, 2)} of it",
            verdict(self, reached),
        ]
        return "\n".join(lines)


def certify(model: Any, X: Any, y: Any, sample_weight: Any = None, *, tol: float = 1e-4) -> Certification:
    """Recompute how far a fitted model of scikit-learn is from the optimum of its own objective.

    Parameters
    ----------
    model : fitted LinearSVC, SVC, LogisticRegression, SGDClassifier, RidgeClassifier, Perceptron or \
LinearDiscriminantAnalysis
        Or an estimator derived from one of them.
    X, y, sample_weight : as for its fit
        The rows that it was fitted to.
    tol : float
        The relative gap up to which the model counts as optimal. Where its own dual variables, or its gradient, do not
        prove that, a fit by this package gives the lower bound.

    Returns
    -------
    Certification
        The objective that the model reaches, what none can be below, and the gap; `print` it. It counts as true where
        the model is proved to be optimal up to `tol`, or to separate the classes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.svm import LinearSVC
    >>> from separatrix import certify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> poor = LinearSVC(C=100, max_iter=50, random_state=0)
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     found = certify(poor.fit(X, y), X, y)
    >>> found.gap > 0.2, bool(found)  # its objective is far above the least possible
    (True, False)
    """
    check_is_fitted(model)
    accuracy = number("tol", tol, above=0.0, most=1.0)
    question = question_of(model, np.shape(X)[0])
    weights = question.weights(y, sample_weight)
    rows = question.rows(X)
    encoded = question.estimator._problem(rows, y, weights)
    check_classes(model, encoded.classes)
    n_wrong = int(np.count_nonzero(np.asarray(model.predict(X)) != np.asarray(y)))
    if hasattr(model, "dual_coef_"):
        certificate = claim_of_expansions(model, encoded)
    else:
        certificate = claim_of_planes(question, planes_of(model, question), encoded.problem)
    best, values = None, values_of(certificate)
    if values and max(each.relative for each in values) > accuracy:
        best = clone(question.estimator).fit(rows, y, weights)
        certificate, values = compared(certificate, best.certificate_, encoded.problem)
    return Certification(" ".join(repr(model).split()), question, certificate, best, values, n_wrong, accuracy)


def check_classes(model: Any, classes: np.ndarray) -> None:
    """Refuse rows of other classes than those of the fit."""
    if not np.array_equal(model.classes_, classes):
        raise DataError(
            f"y has the classes {classes.tolist()}, but {type(model).__name__} was fitted to "
            f"{np.asarray(model.classes_).tolist()}. Give the rows that it was fitted to."
        )


def values_of(certificate: Any) -> tuple[Values, ...]:
    """What each plane reaches and what none can be below, where something is minimised."""
    parts = getattr(certificate, "parts", (certificate,))
    return tuple(part.values for part in parts if isinstance(part, DualityGap))


def compared(certificate: Any, best: Any, problem: Problem) -> tuple[Any, tuple[Values, ...]]:
    """The claims with the better lower bounds of a fit to the same question, and the values of each plane."""
    claims, others = (getattr(each, "parts", (each,)) for each in (certificate, best))
    sides = getattr(certificate, "code", np.zeros((0, 1))).T
    parts, values = [], []
    for own, other, side in zip(claims, others, sides, strict=True):
        asked = problem.dichotomy(side) if side.size else problem
        bounded = isinstance(own.objective, SoftMargin) and own.kernel is None
        part = DualityGap.issue(asked, own.w, own.b, other.alpha, other.support) if bounded else own
        best_bound = max(part.values, other.values, key=lambda each: each.dual)
        parts.append(part)
        values.append(Values(part.values.primal, best_bound.dual, part.values.rounding + best_bound.rounding))
    whole = parts[0] if len(claims) == 1 else replace(certificate, parts=tuple(parts))
    return whole, tuple(values)


def verdict(found: Certification, reached: Values) -> str:
    """What the gap means, in a sentence."""
    if found.proof:
        return f"It is optimal: no model has a better objective by more than {at_most(found.gap)} of it."
    if not reached.relative < 1.0 or not reached.dual > 0.0:
        return "Nothing is proved: no useful lower bound is known."
    ratio = reached.primal / reached.dual
    above = (
        f"{ratio:.3g} times the least possible"
        if ratio > 2.0
        else f"{100 * (ratio - 1):.2g} % above the least possible"
    )
    reaches = at_most(bound_of(found.best.certificate_))
    return f"Its objective is {above}. {type(found.best).__name__} reaches a gap of {reaches} on the same question."
