"""What all comparisons share: methods in the order of their errors, the best of them, and the one to use."""

from dataclasses import replace
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

Method = TypeVar("Method", bound=Any)  # an entry: name, estimator, errors, mean, proofs, failure, baseline, ...


def rounded(mean: float) -> float:
    """An error rate without rounding errors, which depend on the order of a sum."""
    return round(mean, 12)


class Ranked(Generic[Method]):
    """A table of methods, the best first; a dataclass that inherits it has the fields."""

    rows: tuple[Method, ...]
    preparation: Any
    step: ClassVar[str] = "classifier"  # what the last step of a pipeline is called

    @staticmethod
    def rounded(error: float) -> float:
        """An error without rounding errors."""
        return rounded(error)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and lists, ready for JSON."""
        raise NotImplementedError

    @property
    def ranked(self) -> tuple[Method, ...]:
        """The methods that have a result, the best first, without the baseline."""
        return tuple(entry for entry in self.rows if not (entry.failure or entry.baseline))

    @property
    def best(self) -> Method:
        """The method with the least mean error; of several the first in the registry. The others are tested against it.

        Its error is biased downwards a little, as it is the least of many.
        """
        return (self.ranked or self.rows[-1:])[0]

    @property
    def chosen(self) -> Method:
        """The method to use: proved in every fold, if such a method is not distinguishably worse than the best.

        Of the methods within one standard error of the least mean error, and not shown to be worse, it is the best of
        those that are proved, if there are any, else the best; of equals the first.
        """
        J = self.best.errors.size
        standard_error = float(self.best.errors.std(ddof=1)) / np.sqrt(J) if J > 1 else 0.0
        candidates = [
            entry
            for entry in self.ranked
            if self.rounded(entry.mean - self.best.mean) <= standard_error and not entry.differs
        ]
        proved = [entry for entry in candidates if entry.proofs is not None and entry.proofs.all_proved]
        return min(proved or candidates or [self.best], key=lambda entry: (self.rounded(entry.mean), entry.position))

    def entry(self, name: str) -> Method:
        """The entry of a method."""
        return next(entry for entry in self.rows if entry.name == name)

    def pipeline(self, name: str | None = None) -> Any:
        """A method, by default the chosen one, behind the preparation: unfitted, to be fitted to all rows."""
        estimator = clone((self.chosen if name is None else self.entry(name)).estimator)
        if self.preparation is None:
            return estimator
        return Pipeline([("preparation", clone(self.preparation)), (self.step, estimator)])

    def without_times(self) -> Self:
        """A copy without seconds, which differ from run to run."""
        rows = tuple(replace(entry, fit_seconds=None, predict_seconds=None) for entry in self.rows)
        return replace(self, rows=rows)  # type: ignore[type-var]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        same = self.without_times().to_dict() == other.without_times().to_dict()
        pairs = zip(self.rows, other.rows, strict=False)
        return same and all(np.array_equal(one.predicted, two.predicted) for one, two in pairs)

    __hash__ = None  # type: ignore[assignment]
