"""What the plain loops of the rules share: the passes around them.

A rule that is run often writes its plain case out in its own file: two classes, one row at a time, no penalty, no
average and no log. Such a loop makes one pass; here it is repeated. The general loop, `sweep.sweep`, computes the same
to the last bit.
"""

from typing import NamedTuple

from separatrix.compiling import inner
from separatrix.rows import row_prefetch
from separatrix.solvers.online.shuffling import Passes


class Progress(NamedTuple):
    """How far a call is: rows presented, corrections made, the streak of rows without one, and the tie bound.

    A score within `tie` of a kink of the loss is computed again in twice the precision: see `sweep.Options`.
    """

    presented: int
    corrections: int
    streak: int
    tie: float


@inner
def make_passes(sweep, X, y, passes, w, options):
    """Make passes until `stop_after` rows in a row needed no correction; returns as the general `sweep.sweep` does.

    `sweep(X, y, rows, w, options, progress)` makes one pass, changes w = [w..., b] in place, and returns its progress.
    """
    presented, corrections, streak, tie, before = 0, 0, options.streak, options.tie, 0
    for q in range(passes.order.shape[0]):
        before = corrections
        progress = Progress(presented, corrections, 0 if options.restarts else streak, tie)
        rows = Passes(passes.order[q], passes.ahead[q])
        presented, corrections, streak, tie = sweep(X, y, rows, w, options, progress)
        if streak >= options.stop_after:
            break
    return presented, presented, corrections, corrections - before, streak


@inner
def fetched(X, rows, p):
    """The row number at place p of a pass; a row whose turn is soon is asked for from memory."""
    if rows.ahead.size:
        row_prefetch(X, rows.ahead[p])
    return rows.order[p]
