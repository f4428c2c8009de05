"""What a model of scikit-learn was asked to minimise, as a question to an estimator of this package.

Some of scikit-learn's models penalise the offset: LIBLINEAR, on which LinearSVC and one solver of LogisticRegression
are built, appends a column of `intercept_scaling` to the rows and penalises its coefficient as any other,

    minimise  1/2 ||w||^2 + 1/2 (b / s)^2 + C sum_i loss_i           s: intercept_scaling

That is the question of an estimator without an offset, on rows [x, s] and for the plane [w, b / s].
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.class_weight import compute_class_weight

from separatrix.errors import OptionError
from separatrix.estimators.discriminant import GaussianDiscriminant
from separatrix.estimators.kernel.kernel_svm import KernelSVM
from separatrix.estimators.least_squares import LeastSquaresClassifier
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.estimators.logistic import LogisticClassifier
from separatrix.estimators.perceptron import Perceptron
from separatrix.rows import Vector

TOL = 1e-9  # relative gap to which the optimum is found that a model is compared with


@dataclass(frozen=True)
class Question:
    """An estimator that is asked the same.

    And the value of the column that stands for a penalised offset, if any, and the weights of classes.
    """

    estimator: Any
    column: float | None = None
    class_weight: Any = None

    @property
    def remark(self) -> str:
        """What is minimised besides what the formula of the objective says, for people."""
        if self.column is None:
            return ""
        scale = "b" if self.column == 1.0 else f"b / {self.column:g}"
        return f"where w includes {scale}: the offset is penalised, as the coefficient of a column of {self.column:g}"

    def rows(self, X: Any) -> Any:
        """The rows that the question is about: with the column of the offset where that is penalised."""
        if self.column is None:
            return X
        if sparse.issparse(X):
            return sparse.hstack([X, np.full((X.shape[0], 1), self.column)], format="csr")
        matrix = np.asarray(X)
        floats = matrix if matrix.dtype in (np.float32, np.float64) else matrix.astype(np.float64)
        return np.column_stack([floats, np.full(len(floats), self.column, dtype=floats.dtype)])

    def planes(self, W: Vector, b: Vector) -> tuple[Vector, Vector]:
        """The planes of a model, as the question has them."""
        if self.column is None:
            return W, b
        return np.column_stack([W, b / self.column]), np.zeros_like(b)

    def weights(self, y: Any, sample_weight: Any) -> Any:
        """Weights of rows times those of classes, which scikit-learn balances by the number of rows."""
        if self.class_weight is None:
            return sample_weight
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        own = compute_class_weight(self.class_weight, classes=classes, y=np.asarray(y))[codes]
        return own if sample_weight is None else own * np.asarray(sample_weight, dtype=np.float64)


def question_of(model: Any, n_rows: int | None = None) -> Question:
    """The question that a fitted model of scikit-learn was asked, by the nearest class that is known.

    >>> from sklearn.svm import LinearSVC
    >>> question_of(LinearSVC(C=2.0)).estimator
    LinearSVM(C=2.0, fit_intercept=False, loss='squared_hinge', tol=1e-09)
    """
    for kind in type(model).__mro__:
        if kind.__module__.startswith("sklearn.") and kind.__name__ in QUESTIONS:
            question = QUESTIONS[kind.__name__](model, n_rows)
            return replace(question, class_weight=getattr(model, "class_weight", None))
    raise OptionError(
        f"{type(model).__name__} is no model whose question is known. These are: {', '.join(sorted(QUESTIONS))}."
    )


def refuse(model: Any, **wanted: Any) -> None:
    """Refuse a model with an option that changes its question to one that is not certified."""
    for name, allowed in wanted.items():
        value = getattr(model, name, allowed[0])
        if not any(value is each or value == each for each in allowed):
            raise OptionError(
                f"{type(model).__name__} with {name}={value!r} has no certificate here. Those with "
                f"{name}={' or '.join(map(repr, allowed))} have."
            )


def linear_svc(model: Any, n_rows: int | None) -> Question:
    """The soft margin, with a penalised offset."""
    refuse(model, penalty=("l2",), loss=("hinge", "squared_hinge"), multi_class=("ovr",))
    column = float(model.intercept_scaling) if model.fit_intercept else None
    return Question(LinearSVM(C=model.C, loss=model.loss, tol=TOL, fit_intercept=False), column)


def svc(model: Any, n_rows: int | None) -> Question:
    """The soft margin in the space of a kernel, with rules settled as they were in the fit."""
    gamma = getattr(model, "_gamma", model.gamma)
    return Question(KernelSVM(model.kernel, C=model.C, gamma=gamma, degree=model.degree, coef0=model.coef0, tol=TOL))


def logistic_regression(model: Any, n_rows: int | None) -> Question:
    """The log loss with a squared penalty, or with none."""
    if (getattr(model, "l1_ratio", None) or 0.0) != 0.0 and getattr(model, "penalty", "l2") != "l2":
        refuse(model, l1_ratio=(0.0,))
    refuse(model, penalty=("l2", None, "deprecated"))
    C = np.inf if model.penalty is None else model.C
    penalised = model.solver == "liblinear" and model.fit_intercept
    column = float(model.intercept_scaling) if penalised else None
    return Question(LogisticClassifier(C=C, tol=TOL, fit_intercept=bool(model.fit_intercept) and not penalised), column)


def sgd_classifier(model: Any, n_rows: int | None) -> Question:
    """The mean of the losses and alpha / 2 ||w||^2, which is the soft margin or the log loss for C = 1 / (alpha n)."""
    refuse(model, penalty=("l2",), loss=("hinge", "squared_hinge", "log_loss"))
    C = 1.0 / (model.alpha * (n_rows or 1))
    if model.loss == "log_loss":
        return Question(LogisticClassifier(C=C, tol=TOL, fit_intercept=bool(model.fit_intercept)))
    return Question(LinearSVM(C=C, loss=model.loss, tol=TOL, fit_intercept=bool(model.fit_intercept)))


def perceptron(model: Any, n_rows: int | None) -> Question:
    """A plane with every row on its own side, which is all that is asked where nothing is penalised."""
    refuse(model, penalty=(None,))
    return Question(Perceptron(fit_intercept=bool(model.fit_intercept)))


def ridge_classifier(model: Any, n_rows: int | None) -> Question:
    """Least squares with a ridge; more than two classes have targets of -1 and 1 there."""
    return Question(LeastSquaresClassifier(ridge=float(model.alpha), fit_intercept=bool(model.fit_intercept)))


def linear_discriminant(model: Any, n_rows: int | None) -> Question:
    """Gaussian classes with one covariance."""
    refuse(model, covariance_estimator=(None,))
    if isinstance(model.shrinkage, str) or (model.solver != "svd" and model.priors is not None):
        option = "shrinkage" if isinstance(model.shrinkage, str) else "priors"
        refuse(model, **{option: (None,)})
    priors = None if model.priors is None else np.asarray(model.priors_, dtype=np.float64)
    return Question(GaussianDiscriminant(priors=priors, shrinkage=float(model.shrinkage or 0.0)))


QUESTIONS: Mapping[str, Callable[[Any, int | None], Question]] = {
    "LinearSVC": linear_svc,
    "SVC": svc,
    "LogisticRegression": logistic_regression,
    "SGDClassifier": sgd_classifier,
    "Perceptron": perceptron,
    "RidgeClassifier": ridge_classifier,
    "LinearDiscriminantAnalysis": linear_discriminant,
}
