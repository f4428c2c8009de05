"""Hebb's and Oja's rules as functions of a table."""

from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from separatrix.data.encode import as_rows, features
from separatrix.errors import DataError, OptionError
from separatrix.problem import Problem
from separatrix.products import scores
from separatrix.rows import Vector, length
from separatrix.solvers.online import hebb as hebb_rule
from separatrix.solvers.online import oja as oja_rule
from separatrix.solvers.online.schedule import LearningRate


class Direction(np.ndarray):
    """A weight vector, which can also project rows onto itself.

    Examples
    --------
    >>> from separatrix import oja
    >>> w = oja([[2.0, 2.0], [-1.0, -1.0]], random_state=0)
    >>> abs(w.transform([[1.0, 1.0]])).round(2).tolist()  # the length of (1, 1)
    [1.41]
    """

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Results of arithmetic are plain arrays and numbers."""
        return array[()] if array.ndim == 0 else np.asarray(array)

    def transform(self, X: Any) -> Vector:
        """Project rows.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            w.x of each row.
        """
        matrix = features(X)
        if matrix.shape[1] != self.size:
            raise DataError(f"X has {matrix.shape[1]} features, but the direction has {self.size}.")
        return scores(as_rows(matrix), np.asarray(self))


def hebb(
    X: Any,
    *,
    learning_rate: LearningRate = 0.01,
    max_iter: int = 1,
    start: Any = None,
    shuffle: bool = False,
    random_state: Any = None,
) -> Direction:
    """Hebb's rule: w += rho g x with g = w.x. It grows without bound; see `oja` for one that does not.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows.
    learning_rate : float, "inverse", Decay or function of t
        rho_t; t counts presentations from 1.
    max_iter : int
        How often to go through the data.
    start : array of d numbers or None
        w to start from; None: a random one of length 1, as 0 would never move.
    shuffle : bool
        Reshuffle the rows before each pass.
    random_state : int, RandomState or None
        Decides the start and the order of the rows.

    Returns
    -------
    Direction
        w, an array of d numbers.

    Examples
    --------
    >>> from separatrix import hebb
    >>> hebb([[2.0, 0.0]], start=[1.0, 1.0], learning_rate=0.5, max_iter=2).tolist()  # three times as long each time
    [9.0, 1.0]
    """
    problem, how = prepare(X, start, shuffle, random_state)
    return hebb_rule.hebb(problem, learning_rate=learning_rate, max_iter=max_iter, **how).view(Direction)


def oja(
    X: Any,
    *,
    learning_rate: LearningRate | Literal["auto"] = "auto",
    max_iter: int = 100,
    start: Any = None,
    shuffle: bool = True,
    random_state: Any = None,
) -> Direction:
    """Oja's rule: w += rho g (x - g w) with g = w.x; tends to the first principal direction of rows about 0.

    That is the unit eigenvector of E x x' with the largest eigenvalue, either it or its negative. Centre the columns
    to make it the direction of the largest variance.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows.
    learning_rate : float, "inverse", Decay, function of t or "auto"
        rho_t; t counts presentations from 1. "auto" starts from 1 / (2 max ||x||^2) and halves in the
        first ten passes.
    max_iter : int
        How often to go through the data.
    start : array of d numbers or None
        w to start from; None: a random one of length 1, as 0 would never move.
    shuffle : bool
        Reshuffle the rows before each pass.
    random_state : int, RandomState or None
        Decides the start and the order of the rows.

    Returns
    -------
    Direction
        w, an array of d numbers, which can `transform` rows.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix import oja
    >>> X = np.random.default_rng(0).standard_normal((500, 2)) * [3.0, 1.0]
    >>> w = oja(X, random_state=0)
    >>> round(float(np.linalg.norm(w)), 2), round(abs(float(w[0])), 2)  # of unit length, along the first axis
    (1.0, 1.0)
    """
    problem, how = prepare(X, start, shuffle, random_state)
    if isinstance(learning_rate, str) and learning_rate == "auto":
        learning_rate = oja_rule.suited_rate(problem)
    return oja_rule.oja(problem, learning_rate=learning_rate, max_iter=max_iter, **how).view(Direction)


def prepare(X: Any, start: Any, shuffle: bool, random_state: Any) -> tuple[Problem, dict[str, Any]]:
    """The rows as a regression problem without targets, the initial w, and the generator that shuffles the rows."""
    if not isinstance(shuffle, (bool, np.bool_)):
        raise OptionError(f"The 'shuffle' parameter must be True or False. Got {shuffle!r}.")
    matrix = features(X)
    problem = Problem.of_numbers(as_rows(matrix), np.zeros(matrix.shape[0]), fit_intercept=False)
    random = check_random_state(random_state)
    if start is None:
        start = random.standard_normal(problem.n_features)
        start = start / length(start)
    rng = np.random.default_rng(random.randint(np.iinfo(np.int32).max)) if shuffle else None
    return problem, {"start": start, "rng": rng}
