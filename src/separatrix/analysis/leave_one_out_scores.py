"""The result of leaving rows out, for people: scores, errors, and what bounds would have said."""

from dataclasses import dataclass

import numpy as np

from separatrix.errors import at_most, counted
from separatrix.rows import Vector
from separatrix.theory.exact_interval import Interval


@dataclass(frozen=True)
class LeaveOneOutBound:
    """A bound of the leave-one-out error by one fit: how many rows it counts, their part by weight, what it assumes.

    Examples
    --------
    >>> from separatrix import LinearSVM, leave_one_out
    >>> found = leave_one_out(LinearSVM(C=1.0), [[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 0, 1])
    >>> found.bounds[0].name, found.bounds[0].n_rows, found.bounds[0].error
    ('support vectors (Vapnik, 1995)', 4, 0.8)
    """

    name: str
    n_rows: int
    error: float
    assumes: str


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOutScores:
    """What every row scores by the model of all other rows.

    Attributes
    ----------
    scores : ndarray of shape (n,), or (n, n_classes) for several classes
        As `decision_function`, or `predict` of a regressor, gives them; not a number for rows of weight 0.
    wrong : ndarray of bool or None
        The rows whose class is not predicted without them.
    residuals : ndarray or None
        y less the prediction, of a regressor.
    error : float
        The part of the rows that is wrong, by their weights, or the root of the mean squared residual.
    interval : Interval or None
        95 % confidence bounds of the error rate (Clopper and Pearson), as if rows were wrong independently.
    bounds : tuple of LeaveOneOutBound
        What is known of the error from the model of all rows alone, for classes by support vector machines. Rows for
        which the assumption of a bound is not known to hold are counted, so that all of them are true.
    violation : float
        The largest violation of the optimality conditions by any of the machines, in units of the scores, computed from
        the rows; 0 for least squares, which have a closed form.
    n_refits : int
        How many machines had to be fitted anew.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import KernelSVM, leave_one_out
    >>> X, y = load_iris(return_X_y=True)
    >>> found = leave_one_out(KernelSVM(C=1.0), X[50:], y[50:])
    >>> found
    LeaveOneOutScores(5 of 100 rows wrong)
    >>> all(bound.error >= found.error for bound in found.bounds)
    True
    """

    scores: Vector
    wrong: np.ndarray | None
    residuals: Vector | None
    error: float
    interval: Interval | None
    bounds: tuple[LeaveOneOutBound, ...]
    violation: float
    n_refits: int

    @property
    def n_wrong(self) -> int | None:
        """How many rows are wrong; None for a regressor."""
        return None if self.wrong is None else int(np.count_nonzero(self.wrong))

    def __repr__(self) -> str:
        n = len(self.scores)
        if self.wrong is None:
            return f"LeaveOneOutScores({counted(n, 'row')}, root mean squared residual {self.error:.4g})"
        return f"LeaveOneOutScores({self.n_wrong:,} of {counted(n, 'row')} wrong)"

    def __str__(self) -> str:
        n = len(self.scores)
        if self.wrong is None or self.interval is None:
            lines = [f"Leave-one-out: root mean squared residual {self.error:.4g} over {counted(n, 'row')}."]
        else:
            low, high = self.interval
            rate = f"{self.error:.1%} (95 %: {low:.1%} to {high:.1%})"
            lines = [f"Leave-one-out: {self.n_wrong:,} of {counted(n, 'row')} wrong, {rate}."]
        if self.bounds:
            width = max(len(bound.name) for bound in self.bounds)
            lines += ["", f"{'bound by one fit':<{width}}    rows  at most  assumes that"]
            lines += [f"{b.name:<{width}}  {b.n_rows:>6,}  {b.error:>7.1%}  {b.assumes}" for b in self.bounds]
        if self.bounds or self.violation:
            refits = f"; {counted(self.n_refits, 'machine')} fitted anew" if self.n_refits else ""
            lines += ["", f"Every machine meets its optimality conditions to {at_most(self.violation)}{refits}."]
        return "\n".join(lines)
