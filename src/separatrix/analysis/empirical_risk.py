"""The empirical risk of a fitted model: the mean of a loss over rows, of training data or others.

    zero_one      1 where the label is wrong, else 0        hinge          max(0, 1 - m)
    perceptron    max(0, -m)                                squared_hinge  max(0, 1 - m)^2
    logistic      log(1 + exp(-m))                          exponential    exp(-m)
    squared       r^2                                       absolute       |r|

with the margin m = y g(x), for several classes the lead of a row's own class over the best other one, and the residual
r = y - g(x). Two classes are -1 and +1 there.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from separatrix.analysis.margins import class_codes, margins
from separatrix.data.encode import row_weights, weighted_numbers
from separatrix.errors import OptionError
from separatrix.rows import Vector

OF_MARGIN: dict[str, Callable[[Vector], Vector]] = {
    "perceptron": lambda m: np.maximum(0.0, -m),
    "hinge": lambda m: np.maximum(0.0, 1.0 - m),
    "squared_hinge": lambda m: np.maximum(0.0, 1.0 - m) ** 2,
    "logistic": lambda m: np.logaddexp(0.0, -m),
    "exponential": lambda m: np.exp(-m),
}
OF_RESIDUAL: dict[str, Callable[[Vector], Vector]] = {"squared": np.square, "absolute": np.abs}


def empirical_risk(
    model: Any, X: Any, y: Any, loss: str | Callable[[Vector, Vector], Any] = "zero_one", *, sample_weight: Any = None
) -> float:
    """Compute the mean loss of a fitted model over rows: (1/N) sum loss(y, g(x)).

    Parameters
    ----------
    model : fitted classifier or regressor
        For losses of the margin, one with `decision_function`.
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows.
    y : array of n labels or numbers
        Their classes, out of `classes_`, or what is to be predicted.
    loss : str or function
        "zero_one", "perceptron", "hinge", "squared_hinge", "logistic" or "exponential" for classes; "squared" or
        "absolute" for numbers, and for two classes with the targets -1 and +1. A function takes all targets and all
        scores g(x), and returns one loss for each row.
    sample_weight : array of n numbers or None
        A weight of 2 is the same as the row twice.

    Returns
    -------
    float
        The mean of the losses, by weight.

    Examples
    --------
    >>> from separatrix import Perceptron, empirical_risk
    >>> X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    >>> model = Perceptron(shuffle=False).fit(X, y)  # w = (-1, 1), b = 0: each margin is 1
    >>> [empirical_risk(model, X, y, loss) for loss in ("zero_one", "perceptron", "hinge", "squared")]
    [0.0, 0.0, 0.0, 0.0]
    >>> round(empirical_risk(model, X, y, "logistic"), 4)  # log(1 + 1/e)
    0.3133
    """
    check_is_fitted(model)
    found = np.asarray(losses(model, X, y, loss), dtype=np.float64)
    weights = row_weights(sample_weight, found.size)
    return float(found @ weights / weights.sum())


def losses(model: Any, X: Any, y: Any, loss: Any) -> Any:
    """The loss of each row."""
    if not callable(loss) and loss not in ("zero_one", *OF_MARGIN, *OF_RESIDUAL):
        names = ", ".join(map(repr, ("zero_one", *OF_MARGIN, *OF_RESIDUAL)))
        raise OptionError(f"The 'loss' parameter must be a function or one of {names}. Got {loss!r}.")
    if is_regressor(model):
        return of_numbers(model, X, y, loss)
    if loss == "zero_one":
        predicted = np.asarray(model.predict(X))
        return predicted != model.classes_[class_codes(model, y, predicted.size)]
    if not callable(loss) and loss in OF_MARGIN:
        with np.errstate(over="ignore"):  # an infinite loss is what it is
            return OF_MARGIN[loss](margins(model, X, y).functional)
    if len(model.classes_) != 2:
        raise OptionError(f"The loss {loss!r} needs two classes or numbers. Got {len(model.classes_)} classes.")
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    return of_targets(2.0 * class_codes(model, y, scores.size) - 1.0, scores, loss)


def of_numbers(model: Any, X: Any, y: Any, loss: Any) -> Any:
    """The losses of a regressor."""
    if not callable(loss) and loss not in OF_RESIDUAL:
        raise OptionError(f"The loss of a regressor must be 'squared', 'absolute' or a function. Got {loss!r}.")
    predicted = np.asarray(model.predict(X), dtype=np.float64)
    return of_targets(weighted_numbers(y, predicted.size)[0], predicted, loss)


def of_targets(targets: Vector, scores: Vector, loss: Any) -> Any:
    """The losses of targets and scores, by name or by a user's function, whose answer is checked."""
    found = loss(targets, scores) if callable(loss) else OF_RESIDUAL[loss](targets - scores)
    if np.shape(found) != scores.shape:
        raise OptionError(f"The 'loss' function must return {scores.size} losses, one a row. Got {np.shape(found)}.")
    return found
