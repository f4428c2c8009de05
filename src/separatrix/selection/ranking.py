"""Methods in the order of their mean errors, with tests of which are worse than the best."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.errors import counted
from separatrix.selection.comparison import BASELINE, Entry
from separatrix.selection.differences import corrected_t, holm, sign_test
from separatrix.selection.ranked import rounded

SIGNIFICANCE_LEVEL = 0.05


def p_value_of_rates(entry: Entry, best: Entry, ratio: float) -> float:
    """The larger p-value of the corrected t test over folds and the sign test over rows, where rows are counted."""
    differences = entry.errors - best.errors
    _, by_folds = corrected_t(differences[np.isfinite(differences)], ratio)
    counted_rows = entry.metric.trials(entry.truth)
    if counted_rows is None:
        return by_folds
    rows = (entry.wrong - best.wrong)[counted_rows]
    return max(by_folds, sign_test(int(np.count_nonzero(rows > 0)), int(np.count_nonzero(rows < 0))))


def rank_entries(
    entries: list[Any],
    ratio: float,
    p_value: Callable[[Any, Any, float], float] = p_value_of_rates,
    rounded: Callable[[float], float] = rounded,
) -> tuple[Any, ...]:
    """Sort the entries by their mean errors, and test the difference of each to the best.

    `ratio` is the number of test rows divided by the number of training rows. `p_value` tests one difference, and
    `rounded` frees an error of what is rounding.
    """

    def place(entry: Any) -> tuple[bool, bool, float, int]:
        error = 0.0 if entry.failure else rounded(entry.mean)
        return entry.baseline, bool(entry.failure), error, entry.position

    order = sorted(entries, key=place)
    best = order[0]
    others = [entry for entry in order[1:] if not entry.failure]
    if best.failure:
        return tuple(order)
    methods = [entry for entry in others if not entry.baseline]
    corrected = holm(np.array([p_value(entry, best, ratio) for entry in methods]))
    p = {id(entry): float(value) for entry, value in zip(methods, corrected, strict=True)}
    # whether the best is better than no method at all is one question, asked before all the others
    p |= {id(entry): p_value(entry, best, ratio) for entry in others if entry.baseline}
    return tuple(
        replace(entry, p=p[id(entry)], differs=p[id(entry)] < SIGNIFICANCE_LEVEL) if id(entry) in p else entry
        for entry in order
    )


def summary(table: tuple[Entry, ...]) -> str:
    """A sentence on which methods are better than others at the level of significance."""
    results = [entry for entry in table if not (entry.failure or entry.baseline)]
    if not results:
        return "No method has a result."
    best, last = results[0], table[-1]
    if not (last.differs and last.mean > best.mean):
        return f"No method is shown to be better than always saying the {BASELINE}."
    unsure = [entry.name for entry in results[1:] if not entry.differs]
    if unsure:
        others = counted(len(unsure), "other method is", "other methods are")
        return f"{others} not shown to be worse than {best.name}, at 5 %; more repeats may show it."
    return f"{best.name} is better than {'all others' if results[1:] else 'saying the ' + BASELINE}, at 5 %."
