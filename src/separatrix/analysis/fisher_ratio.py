"""Fisher's criterion for a direction: how far apart two classes are when they are projected on it (Fisher, 1936).

    J(w) = (m_1 - m_0)^2 / (s_1^2 + s_0^2),      m_c = mean of w.x over class c,   s_c^2 = sum of (w.x - m_c)^2

Its maximum is at w = S_w^-1 (m_1 - m_0). The line through both means is the direction that keeps the means farthest
apart, but says nothing of the spread within the classes: its J is no larger, and as large only if it is
an eigenvector of S_w.
"""

from typing import Any

import numpy as np

from separatrix.data.encode import encode
from separatrix.errors import DataError
from separatrix.options import finite_array
from separatrix.products import combination, scores
from separatrix.rows import length


def fisher_ratio(X: Any, y: Any, direction: Any = None) -> float:
    """Compute J of a direction: the squared distance of the projected means over the scatter within both classes.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows, of two classes.
    y : array of n labels
        Their classes.
    direction : array of shape (d,) or None
        w, whatever its length and sign. None: the line through the means of the classes.

    Returns
    -------
    float
        J(w): infinite where the means differ and neither class varies along w, NaN where they do not differ either.

    Examples
    --------
    >>> from separatrix import FisherDiscriminant, fisher_ratio
    >>> X, y = [[0, 0], [4, 5], [5, 4], [2, 0], [6, 5], [7, 4]], [0, 0, 0, 1, 1, 1]  # long classes, side by side
    >>> fisher = FisherDiscriminant().fit(X, y)
    >>> round(fisher_ratio(X, y), 3), round(fisher_ratio(X, y, fisher.coef_[0]), 3)  # along the means, and the best
    (0.143, 1.037)
    """
    problem = encode(X, y).problem
    if problem.n_classes != 2:
        raise DataError(f"Fisher's ratio is for two classes. Got {problem.n_classes}.")
    shares = problem.signs / np.where(problem.y == 1, (problem.y == 1).sum(), (problem.y == 0).sum())
    w = (
        combination(problem.X, shares)
        if direction is None
        else finite_array("direction", direction, (problem.n_features,))
    )
    if direction is not None and not w.any():
        raise DataError("'direction' must have a number other than 0.")
    projected = scores(problem.X, w / (length(w) or 1.0))
    parts = [projected[problem.y == c] for c in (0, 1)]
    apart, within = parts[1].mean() - parts[0].mean(), sum(((part - part.mean()) ** 2).sum() for part in parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(apart**2) / within)
