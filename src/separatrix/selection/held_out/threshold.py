"""A threshold of the scores of one class, chosen for a recall or for a least cost, by rows that fits had not seen.

    recall r   the largest t for which at least a part r of the class scores t or more
    cost       the t of the least a (false alarms) + m (misses); between two scores, in the middle

It is never chosen by test rows, so that what it reaches on them is what can be expected of new rows (Elkan, 2001).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import OptionError
from separatrix.rows import Vector
from separatrix.selection.measures.score_curves import score_counts
from separatrix.selection.measures.scored_rows import ScoredRows
from separatrix.solvers.options import number


class Wish(NamedTuple):
    """What a threshold is asked for: a recall, or the costs of a false alarm and of a miss."""

    recall: float | None = None
    false_alarm: float = 1.0
    miss: float = 1.0

    @classmethod
    def of(cls, recall: Any, cost: Any) -> "Wish | None":
        """Check what is asked; None where nothing is."""
        if recall is not None and cost is not None:
            raise OptionError("A threshold is chosen for a recall or for a cost. Give one of the two.")
        if recall is not None:
            return cls(recall=number("recall", recall, above=0.0, most=1.0))
        if cost is None:
            return None
        if np.shape(cost) != (2,):
            raise OptionError(f"The 'cost' parameter must be that of a false alarm and that of a miss. Got {cost!r}.")
        alarm, miss = (number("cost", each, at_least=0.0) for each in cost)
        if alarm == miss == 0.0:
            raise OptionError("One of the costs must be above 0: that of a false alarm, or that of a miss.")
        return cls(None, alarm, miss)

    @property
    def words(self) -> str:
        """What is asked, in words."""
        if self.recall is not None:
            return f"a recall of {100 * self.recall:.4g} %"
        return f"the least cost, {self.false_alarm:g} for a false alarm and {self.miss:g} for a miss"

    def threshold(self, scores: Vector, own: np.ndarray) -> float:
        """The threshold that does it on these scores.

        >>> scores, own = np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, False, True])
        >>> Wish(recall=0.5).threshold(scores, own), Wish(false_alarm=1.0, miss=5.0).threshold(scores, own)
        (4.0, 1.5)
        """
        if self.recall is not None:
            ranked = np.sort(scores[own])[::-1]
            return float(ranked[int(np.ceil(self.recall * ranked.size - 1e-9)) - 1])
        counts = score_counts(scores, own)
        costs = self.false_alarm * counts.alarms + self.miss * (counts.n_own - counts.hits)
        place = int(np.argmin(costs))  # of equal costs the largest threshold, which calls the fewest rows
        upper, lower = [*counts.thresholds, -np.inf][place : place + 2]
        if np.isinf(upper) or np.isinf(lower):  # none is called, or all are
            return float(upper if np.isinf(upper) else lower)
        middle = float(upper / 2.0 + lower / 2.0)
        return middle if middle > lower else float(upper)


class Outcome(NamedTuple):
    """What a threshold does to rows: those of the class that are called or missed, and others that are called."""

    hits: int
    misses: int
    false_alarms: int
    n_others: int

    @classmethod
    def of(cls, scored: ScoredRows, threshold: float) -> "Outcome":
        """Count the rows that a threshold calls."""
        called, own = scored.scores >= threshold, scored.own
        hits, alarms = int((called & own).sum()), int((called & ~own).sum())
        return cls(hits, int(own.sum()) - hits, alarms, int((~own).sum()))

    @property
    def recall(self) -> float:
        """The part of the class that is called."""
        return self.hits / (self.hits + self.misses) if self.hits + self.misses else np.nan

    @property
    def precision(self) -> float:
        """The part of the called that is of the class."""
        return self.hits / (self.hits + self.false_alarms) if self.hits + self.false_alarms else np.nan

    def to_dict(self, wish: Wish) -> dict[str, Any]:
        """The counts and parts in plain values, with the cost where one was asked for."""
        parts = {"recall": self.recall, "precision": self.precision}
        plain = self._asdict() | {name: None if np.isnan(part) else part for name, part in parts.items()}
        cost = wish.false_alarm * self.false_alarms + wish.miss * self.misses
        return plain if wish.recall is not None else plain | {"cost": cost}


@dataclass(frozen=True)
class Threshold:
    """A chosen threshold: rows whose score of class `positive` is at least `value` are called so.

    Attributes
    ----------
    value : float
        In the units of the scores: of the decision function, its sign turned where `positive` is the first class, or of
        the probability where there is no decision function.
    positive, code : label and int
        The class, and its place among the classes.
    wish : Wish
        What it was chosen for.
    left_out : Outcome
        What it does to the rows that it was chosen by, each scored when it was left out.
    test : Outcome or None
        What it does to the test rows, which had no part in it.
    """

    value: float
    positive: Any
    code: int
    wish: Wish
    left_out: Outcome
    test: Outcome | None = None

    def to_dict(self) -> dict[str, Any]:
        """The threshold in plain values; infinite ones as text."""
        return {
            "value": self.value if np.isfinite(self.value) else str(self.value),
            "positive": self.positive,
            "chosen_for": self.wish.words,
            "cross_validated": self.left_out.to_dict(self.wish),
            "test": None if self.test is None else self.test.to_dict(self.wish),
        }
