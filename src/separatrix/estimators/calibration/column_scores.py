"""The scores of any classifier as columns of two-class questions, and the code that says which questions they are.

A reduction answers for each column of its code, another classifier that tells its classes apart in pairs for each pair,
and any other one for each class against the rest. Two classes are one question.
"""

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from separatrix.errors import DataError
from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest
from separatrix.estimators.reduction.error_correcting_code import ErrorCorrectingCode
from separatrix.estimators.reduction.reduction import Reduction
from separatrix.rows import Vector


def at_last_step(model: Any, X: Any) -> tuple[Any, Any]:
    """The last step of a fitted pipeline and the rows as it sees them; another model as it is."""
    if not isinstance(model, Pipeline):
        return model, X
    return at_last_step(model.steps[-1][1], model[:-1].transform(X) if len(model.steps) > 1 else X)


def last_step(model: Any) -> Any:
    """The last step of a pipeline, or another model as it is."""
    return last_step(model.steps[-1][1]) if isinstance(model, Pipeline) else model


def scores_pairs(model: Any) -> bool:
    """Whether a model has a score for each pair of classes: of this package, or scikit-learn's SVC if asked for it."""
    model = last_step(model)
    return hasattr(model, "_pair_scores") or getattr(model, "decision_function_shape", None) == "ovo"


def code_of(model: Any, n_classes: int) -> np.ndarray:
    """Which classes are on which side in each column of scores."""
    model = last_step(model)
    if n_classes == 2:
        return one_vs_rest(2)
    if isinstance(model, Reduction):
        return model.code_
    return one_vs_one(n_classes) if scores_pairs(model) else one_vs_rest(n_classes)


def use_code_of(fitted: Any, model: Any) -> None:
    """Give a model that draws or adapts a code that of another one, so that their columns ask the same."""
    fitted, model = last_step(fitted), last_step(model)
    if isinstance(model, ErrorCorrectingCode):
        model.set_params(code=fitted.code_, length=None)


def column_scores(model: Any, X: Any, n_classes: int) -> Vector:
    """Scores of shape (n, number of columns of the code), larger where the positive side is more likely.

    They are those of the decision function, else probabilities, else whether a class is predicted.

    >>> from separatrix import OneVsOne, Perceptron
    >>> model = OneVsOne(Perceptron(shuffle=False)).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "c", "d"])
    >>> column_scores(model, [[1.0], [2.0]], 4).shape, model.decision_function([[1.0], [2.0]]).shape
    ((2, 6), (2, 4))
    """
    model, X = at_last_step(model, X)
    if n_classes > 2 and isinstance(model, Reduction):
        found = model._column_scores(X)
    elif n_classes > 2 and scores_pairs(model):
        found = model._pair_scores(X) if hasattr(model, "_pair_scores") else -model.decision_function(X)
    elif hasattr(model, "decision_function"):
        found = model.decision_function(X)
    elif hasattr(model, "predict_proba"):
        found = model.predict_proba(X)
    else:
        found = np.asarray(model.predict(X))[:, None] == model.classes_
    scores = np.asarray(found, dtype=np.float64)
    if n_classes == 2 and scores.ndim == 2:
        scores = scores[:, 1]
    columns = scores.reshape(len(scores), -1)
    expected = code_of(model, n_classes).shape[1]
    if columns.shape[1] != expected:
        raise DataError(
            f"{type(model).__name__} gives {columns.shape[1]} scores a row for {n_classes} classes, where {expected} "
            "are expected. Wrap it in OneVsRest or OneVsOne."
        )
    return columns
