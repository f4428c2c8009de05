"""The tube of a regressor: how far from the fit a row may be at no cost."""

from typing import Any

import numpy as np

from separatrix.estimators.registry import SparseSVR, StochasticRegressor


def half_width(model: Any) -> float | None:
    """Half the width of the tube of a regressor, in the units of the target; None where it has none.

    That which was fitted, `epsilon_`, or else the option. Some rules compare epsilon with squared residuals.

    >>> from sklearn.svm import SVR
    >>> half_width(SVR(epsilon=0.5)), half_width(SparseSVR(epsilon=0.25)), half_width(object())
    (0.5, 0.5, None)
    """
    epsilon = getattr(model, "epsilon_", getattr(model, "epsilon", None))
    if epsilon is None or (isinstance(model, StochasticRegressor) and model.loss == "squared"):
        return None
    return float(np.sqrt(epsilon)) if compares_squares(model) else float(epsilon)


def compares_squares(model: Any) -> bool:
    """Whether a regressor compares its epsilon with squared residuals."""
    stochastic = isinstance(model, StochasticRegressor) and model.loss == "squared_epsilon_insensitive"
    return stochastic or isinstance(model, SparseSVR)
