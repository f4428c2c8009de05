"""The question that a solver is asked: rows, their targets, and what an error on each row costs.

Targets are class codes or numbers. g(x) = w.x + b decides for class 1 where g > 0, for class 0 elsewhere; with more
classes each has its own g, and the largest wins. Numbers are predicted by g itself.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from threading import RLock
from typing import Any, TypeVar

import numpy as np

from separatrix import rows
from separatrix.errors import DataError, counted
from separatrix.products import scores
from separatrix.rows import Rows, Vector
from separatrix.threads import cached_property

Found = TypeVar("Found")


class Shared:
    """Values by name, each computed once, whichever thread asks for it first."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.lock = RLock()

    def get(self, name: str, compute: Callable[[], Found]) -> Found:
        """The value of a name."""
        with self.lock:
            if name not in self.values:
                self.values[name] = compute()
            return self.values[name]


class Measured:
    """Numbers about rows X that any question has."""

    X: Rows
    fit_intercept: bool

    @property
    def n_rows(self) -> int:
        """Number of rows, n."""
        return rows.n_rows(self.X)

    @property
    def n_features(self) -> int:
        """Number of features, d."""
        return rows.n_columns(self.X)

    @property
    def shape(self) -> str:
        """How many rows and features, in words."""
        return f"{counted(self.n_rows, 'row')} x {counted(self.n_features, 'feature')}"

    @property
    def storage(self) -> str:
        """How the rows are stored, in a word."""
        return "sparse" if isinstance(self.X, rows.CSR) else "dense"

    def over(self, fold: Any) -> Any:
        """The answer of a Fold over these rows, which are one block."""
        return fold.over([self])

    def shared(self, name: str, compute: Callable[[], Found]) -> Found:
        """What depends on the rows alone, computed once for all the problems that are posed over these rows."""
        return self.__dict__.setdefault("_shared", Shared()).get(name, compute)

    @cached_property
    def squares(self) -> Vector:
        """||x||^2 of each row."""
        return self.shared("squares", lambda: rows.squares(self.X))

    @cached_property
    def norms(self) -> Vector:
        """||[x, 1]|| of each row, or ||x|| where there is no offset."""
        return np.sqrt(self.squares + float(self.fit_intercept))

    @cached_property
    def radius(self) -> float:
        """R, the norm of the longest row."""
        return float(self.norms.max())


@dataclass(frozen=True, eq=False, repr=False)
class Problem(Measured):
    """Numbers that solvers may trust and cannot change; `separatrix.encode` makes them from a user's data.

    Parameters
    ----------
    X : ndarray of shape (n, d) or CSR
        The rows, float32 or float64.
    y : ndarray of int, or of float where the targets are numbers
        Class of each row, 0 to n_classes - 1, or the number that is to be predicted for it.
    n_classes : int
        How many classes there are; 0 where the targets are numbers.
    cost : ndarray of float or None
        What an error on each row costs: its weight times that of its class. None: 1 each.
    fit_intercept : bool
        Whether the planes have an offset b.
    objective : Objective or None
        What is minimised, where that is settled.
    kernel : Kernel or None
        The inner product of the rows, where that is not x.z: planes are then in the space of the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([1, 0]))
    >>> problem.signs.tolist(), round(problem.radius**2)  # the longest row is [3, 4, 1]
    ([1, -1], 26)
    >>> Problem.of_numbers(np.array([[1.0], [2.0], [3.0]]), np.array([2.5, 5.0, 7.5]))
    Problem(3 rows x 1 feature, numbers, dense)
    """

    X: Rows
    y: np.ndarray
    n_classes: int = 2
    cost: Vector = None  # type: ignore[assignment]  # filled in below
    fit_intercept: bool = True
    objective: Any = None
    kernel: Any = None

    def __post_init__(self) -> None:
        """Check that the parts fit together, and lock them."""
        y, what = np.asarray(self.y), "classes" if self.n_classes else "targets"
        if y.shape != (rows.n_rows(self.X),):
            raise DataError(f"There are {rows.n_rows(self.X)} rows, but the {what} have the shape {y.shape}.")
        if self.n_classes and y.size and not (y.min() >= 0 and y.max() < self.n_classes):
            raise DataError(f"Classes must be 0 to {self.n_classes - 1}. Got {y.min()} to {y.max()}.")
        cost = np.ones(y.size) if self.cost is None else np.asarray(self.cost, dtype=np.float64)
        object.__setattr__(self, "X", rows.locked(self.X))
        object.__setattr__(self, "y", rows.read_only(np.asarray(y, dtype=np.int32 if self.n_classes else np.float64)))
        object.__setattr__(self, "cost", rows.read_only(cost))

    @classmethod
    def of_numbers(cls, X: Rows, y: Vector, cost: Vector | None = None, fit_intercept: bool = True) -> "Problem":
        """Ask for numbers y to be predicted, one for each row."""
        return cls(X, y, 0, cost, fit_intercept)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        targets = counted(self.n_classes, "class", "classes") if self.n_classes else "numbers"
        return f"Problem({self.shape}, {targets}, {self.storage})"

    def __getstate__(self) -> dict:
        """What a copy needs: not the margins of some plane."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def posed(self, objective: Any) -> "Problem":
        """Ask for the minimum of an objective over these rows, with what is known of them already."""
        if objective == self.objective:
            return self
        other = copy(self)
        other.__dict__.update({name: value for name, value in self.__dict__.items() if name.startswith("_")})
        object.__setattr__(other, "objective", objective)
        return other

    def forget_margins(self) -> None:
        """Have the margins of the next plane computed anew, whatever a solver computed before."""
        self.__dict__.pop("_margins", None)

    @property
    def n_planes(self) -> int:
        """Number of planes: one for two classes or for numbers, else one for each class."""
        return self.n_classes if self.n_classes > 2 else 1

    @property
    def targets(self) -> np.ndarray:
        """What rules are shown of each row: the sign of its class, its code where there are more, or its number."""
        return self.signs if self.n_classes == 2 else self.y

    @cached_property
    def signs(self) -> np.ndarray:
        """Classes 0 and 1 as -1 and +1, in one byte each: passes in random order stay in the cache."""
        return 2 * (self.y == 1).view(np.int8) - 1

    def margins(self, w: Vector, b: float) -> Vector:
        """y g(x) of each row, for two classes.

        Solver, certificate and model ask for those of one plane in turn, so the last are kept.
        """
        plane = w.tobytes(), float(b)
        kept = self.__dict__.get("_margins")
        if kept is None or kept[0] != plane:
            margins = scores(self.X, w)
            margins += b
            margins *= self.signs
            kept = plane, rows.read_only(margins)
            self.__dict__["_margins"] = kept
        return kept[1]

    def support_rows(self, index: np.ndarray) -> Any:
        """Some rows as a kernel expects those of an expansion: where rows are kernel values, their numbers."""
        return index if self.kernel.rows_are_values else rows.take(self.X, index)

    def dichotomy(self, code: np.ndarray) -> "Problem":
        """Pose a two-class problem with this objective: code[c] is +1 or -1, or 0 to leave class c out."""
        side = np.asarray(code)[self.y]
        kept = np.flatnonzero(side)
        if kept.size == self.n_rows:
            own = Problem(self.X, side > 0, 2, self.cost, self.fit_intercept, self.objective, self.kernel)
            own.__dict__["_shared"] = self.__dict__.setdefault("_shared", Shared())
            return own
        X: Any = rows.take(self.X, kept)
        if self.kernel is not None and self.kernel.rows_are_values:
            X = X[:, kept]
        return Problem(X, side[kept] > 0, 2, self.cost[kept], self.fit_intercept, self.objective, self.kernel)
