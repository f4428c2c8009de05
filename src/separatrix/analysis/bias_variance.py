"""Bias and variance of an estimator, by simulation."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils import check_random_state

from separatrix.data.encode import features
from separatrix.errors import DataError, OptionError
from separatrix.solvers.options import whole
from separatrix.theory.bias_variance import BiasVariance, squared_parts, zero_one_parts

LOSSES = ("squared", "zero_one")


def bias_variance(
    estimator: Any,
    sampler: Callable[[np.random.Generator], tuple[Any, Any]],
    X: Any,
    target: Any,
    *,
    loss: Literal["squared", "zero_one"] = "squared",
    n_sets: int = 200,
    random_state: Any = None,
) -> BiasVariance:
    """Fit an estimator to many training sets, and decompose its error into bias and variance.

    Parameters
    ----------
    estimator : scikit-learn regressor or classifier
        What is fitted, a fresh clone for each set.
    sampler : function
        Takes a NumPy Generator, and returns a training set: rows and their targets.
    X : array of shape (n_points, d)
        The points at which bias and variance are computed.
    target : array of n_points, or function of X
        The truth at these points: E[y|x] for the squared loss, the best label for the zero-one loss.
    loss : {"squared", "zero_one"}
        With "squared" regressors are judged by `predict`, classifiers of two classes by `decision_function`; with
        "zero_one" by the labels that they predict.
    n_sets : int
        How many training sets to draw. The bias found is too large by a n_sets-th of the variance, on average.
    random_state : int, RandomState or None
        Decides the training sets.

    Returns
    -------
    BiasVariance
        `bias`, `variance` and `error` at each point; error = bias + variance, exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.linear_model import LinearRegression
    >>> from separatrix import bias_variance
    >>> x = np.linspace(0, 1, 11)[:, None]
    >>> def noisy_line(rng):
    ...     return x, 2 * x[:, 0] + 0.1 * rng.standard_normal(11)
    >>> line = bias_variance(LinearRegression(), noisy_line, x, lambda x: 2 * x[:, 0], random_state=0)
    >>> fixed = bias_variance(DummyRegressor(strategy="constant", constant=1.0), noisy_line, x, lambda x: 2 * x[:, 0])
    >>> bool(line.bias.mean() < 1e-4), fixed.variance.max().item()  # right on average; always the same
    (True, 0.0)
    """
    if loss not in LOSSES:
        raise OptionError(f"The 'loss' parameter must be one of {LOSSES}. Got {loss!r}.")
    n, points = whole("n_sets", n_sets), features(X)
    right = np.asarray(target(X) if callable(target) else target)
    if right.shape != (points.shape[0],):
        raise DataError(f"'target' must hold one value for each of {points.shape[0]} points. Got shape {right.shape}.")
    rng = np.random.default_rng(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    predict = "predict" if loss == "zero_one" or is_regressor(estimator) else "decision_function"
    predictions = np.array([getattr(clone(estimator).fit(*sampler(rng)), predict)(X) for _ in range(n)])
    if predictions.shape != (n, right.size):
        raise DataError(
            f"{type(estimator).__name__} gives {predictions.shape[1:]} numbers for {right.size} points, where one each "
            "is needed. Use two classes, a regressor with one output, or loss='zero_one'."
        )
    return squared_parts(predictions, right) if loss == "squared" else zero_one_parts(predictions, right)
