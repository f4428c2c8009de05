"""Bounds on what a fit may take, from raw data."""

from typing import Any

from separatrix.data.encode import encode
from separatrix.solvers.options import flag
from separatrix.theory import bounds
from separatrix.theory.bounds import BiasStep


def mistake_bound(
    X: Any,
    y: Any,
    margin: float | None = None,
    *,
    fit_intercept: bool = True,
    bias_step: BiasStep = 1.0,
    normalized: bool = False,
) -> float:
    """Bound how often an online perceptron is corrected, in whatever order the rows come.

    A perceptron that starts at zero and has a constant rate makes at most (R / gamma)^2 corrections (Novikoff, 1962),
    where R is the length of the longest row and gamma the margin of any separating plane through the origin, both
    for the rows that it adds to [w, b]: the rows [x, 1] as a rule.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows.
    y : array of n labels
        Their classes; of more than two, the corrections of Kesler's construction are bounded.
    margin : float or None
        gamma, the least y (w.x + b) / ||[w, b]|| of a plane that is known to separate. None: the largest there is,
        which takes a time that grows with the cube of the number of features.
    fit_intercept : bool
        Whether the plane has an offset; if not, the rows are x alone.
    bias_step : float or "radius2"
        What b moves by where w moves by x. With a step c the rows are (x, sqrt(c)); "radius2" is c = max ||x||^2.
    normalized : bool
        Whether each of these rows is divided by its length.

    Returns
    -------
    float
        The bound, rounded up where it has to be rounded; infinite where no separating plane was found.

    Notes
    -----
    The margin is not the one that a support vector machine reports: that is for x alone, not for the rows [x, 1].
    With several classes ||[w, b]|| is over the planes of all classes, and R is sqrt(2) times that of the rows.

    Examples
    --------
    >>> from separatrix import Perceptron, mistake_bound
    >>> X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    >>> Perceptron(shuffle=False).fit(X, y).n_updates_, round(mistake_bound(X, y), 6)  # 2 / (1/2)
    (2, 4.0)
    >>> mistake_bound([[1], [2], [3]], ["a", "b", "a"])
    inf
    """
    problem = encode(X, y, fit_intercept=flag("fit_intercept", fit_intercept)).problem
    return bounds.mistake_bound(problem, margin, bias_step=bias_step, normalized=normalized)
