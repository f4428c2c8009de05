"""The order of the methods by their mean errors, and which of them are really worse than the best."""

from dataclasses import replace

import numpy as np

from separatrix.errors import counted
from separatrix.selection.comparison import BASELINE, Entry, rounded
from separatrix.selection.differences import corrected_t, holm, sign_test

SIGNIFICANT = 0.05


def ranked(entries: list[Entry], ratio: float) -> tuple[Entry, ...]:
    """The entries in their order, each with the test of its difference to the best.

    `ratio` are the rows tested with for each row learnt from.
    """
    order = sorted(entries, key=lambda entry: (entry.baseline, bool(entry.failure), rank(entry), entry.position))
    best = order[0]
    others = [entry for entry in order[1:] if not entry.failure]
    if best.failure:
        return tuple(order)
    methods = [entry for entry in others if not entry.baseline]
    corrected = holm(np.array([surprise(entry, best, ratio) for entry in methods]))
    p = {id(entry): float(value) for entry, value in zip(methods, corrected, strict=True)}
    # whether the best is better than no method at all is one question, asked before all the others
    p |= {id(entry): surprise(entry, best, ratio) for entry in others if entry.baseline}
    return tuple(
        replace(entry, p=p[id(entry)], differs=p[id(entry)] < SIGNIFICANT) if id(entry) in p else entry
        for entry in order
    )


def rank(entry: Entry) -> float:
    """The mean error, without what the order of a sum may change."""
    return 0.0 if entry.failure else rounded(entry.mean)


def surprise(entry: Entry, best: Entry, ratio: float) -> float:
    """The p-value of a difference, by folds and by rows: the larger, for neither alone is to be trusted."""
    _, by_folds = corrected_t(entry.errors - best.errors, ratio)
    rows = np.sign(entry.wrong - best.wrong)
    return max(by_folds, sign_test(int(np.count_nonzero(rows > 0)), int(np.count_nonzero(rows < 0))))


def verdict(table: tuple[Entry, ...]) -> str:
    """What the table comes to, in a sentence."""
    results = [entry for entry in table if not (entry.failure or entry.baseline)]
    if not results:
        return "No method has a result."
    best, last = results[0], table[-1]
    if not (last.differs and last.mean > best.mean):
        return f"No method is shown to be better than always saying the {BASELINE}."
    unsure = [entry.name for entry in results[1:] if not entry.differs]
    if unsure:
        return f"{counted(len(unsure), 'other method')} cannot be told from {best.name} at 5 %; more repeats may do it."
    return f"{best.name} is better than {'all others' if results[1:] else 'saying the ' + BASELINE}, at 5 %."
