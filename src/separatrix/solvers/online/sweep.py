"""The one loop of all rules that learn row by row.

    w <- (1 - 2 rho_t l2) w - rho_t slope(g(x_i), y_i) x_i,      b <- b - rho_t slope(g(x_i), y_i) bias_step

A rule is a loss, which says the slope: that of the perceptron's loss makes this the perceptron, that of the hinge the
stochastic support vector machine, that of the squared loss LMS (Robbins and Monro, 1951). A step may also sum the
slopes of a batch of rows first. With more than two classes each row is held against its rivals: see `kesler`.
"""

from typing import NamedTuple

from separatrix.compiling import compiled, inner
from separatrix.objectives.loss import decay, kink, slope, value
from separatrix.rows import row_prefetch, row_score_twice
from separatrix.solvers.online.best_so_far import consider
from separatrix.solvers.online.kesler import hold_against
from separatrix.solvers.online.planes import (
    CORRECTIONS,
    OWED,
    ROWS,
    SCALE,
    SHARE,
    make_step,
    move,
    plane_score,
    settle_row,
    shrink,
)
from separatrix.solvers.online.trace import note


class Manner(NamedTuple):
    """How a rule is applied: what does not change during a run."""

    bias_step: float
    l2: float
    l1: float
    batch_size: int
    enough: int


@compiled
def sweep(
    X, y, orders, loss, W, rivals, extras, manner, rates, factors, doubt, growth, streak, afresh, ends, log, best
):  # fmt: skip
    """Present the rows pass by pass, until `enough` of them in a row needed no correction; changes W in place.

    Steps are rates[t] times factors[i], or the only one of each. A score whose distance from a kink of the loss is
    within `doubt`, the rounding error of the quick sum, is computed again in twice the precision, so that every
    storage of the rows gives the same answer; a step makes the doubt grow. `afresh` counts rows in a row by the pass;
    `ends` says that the orders end their passes, and with them a batch. None are: rivals with two classes, extras
    where W is all that is kept, best where the last planes are wanted. Returns how many steps were made, rows
    presented and corrections made, how many of these in the last pass, and how many rows in a row needed none.
    """
    t = presented = corrections = before = 0
    w, curve = W[0], log.curve
    for q in range(orders.order.shape[0]):
        order, ahead = orders.order[q], orders.ahead[q]
        before = corrections
        streak = 0 if afresh else streak
        for p in range(order.size):
            i = order[p]
            if ahead.size:
                row_prefetch(X, ahead[p])
            rate = rates[min(t, rates.size - 1)]
            place = corrections, t, presented, q
            made, moved = present(
                X, i, y[i], loss, W, w, rivals, extras, manner, rate, factors, doubt, log, curve, place
            )
            corrections += made
            presented += 1
            streak = 0 if made else streak + 1
            doubt += moved * growth
            if extras is not None:
                made = complete(X, order, p, W, extras, manner, rate, made, ends)
                streak = 0 if made > 0 else streak
            t += made >= 0
            if best is not None and made > 0 and consider(X, W, rivals, best):
                streak = manner.enough
            if streak >= manner.enough:
                return t, presented, corrections, corrections - before, streak
    return t, presented, corrections, corrections - before, streak


@inner
def present(X, i, target, loss, W, w, rivals, extras, manner, rate, factors, doubt, log, curve, place):
    """Show one row to the rule; returns the number of corrections, and by how many rows they moved w."""
    if rivals is not None:
        if extras is not None and manner.l2 > 0.0 and not extras.into.shape[0]:
            shrink(W, 1.0 - 2.0 * rate * manner.l2, extras)
        step = rate * factors[min(i, factors.size - 1)]
        return hold_against(rivals, X, i, target, loss, W, extras, manner.bias_step, step, doubt, log, place)
    if extras is not None and extras.paid.size:
        settle_row(X, i, W, extras)
    score = plane_score(X, i, w, extras)
    if kink(loss, score, target) <= doubt:
        score = row_score_twice(X, i, w)
        if extras is not None:
            score *= extras.numbers[SCALE]
    if curve.size:
        curve[place[3]] += value(loss, score, target)
    if extras is not None and not extras.into.shape[0]:
        lost = rate * (2.0 * manner.l2 + decay(loss, score))
        if lost != 0.0:
            shrink(W, 1.0 - lost, extras)
    downhill = -slope(loss, score, target)
    if downhill == 0.0:
        return 0, 0.0
    step = downhill * rate * factors[min(i, factors.size - 1)]
    move(step, X, i, W, 0, manner.bias_step, extras)
    note(log, place, 0, step * target)
    return 1, abs(step)


@inner
def complete(X, order, p, W, extras, manner, rate, made, ends):
    """Make the step of a batch if a row completes it; returns the corrections in the step, -1 if there was none."""
    if extras.into.shape[0]:
        extras.waiting[ROWS] += 1
        extras.waiting[CORRECTIONS] += made
        if extras.waiting[ROWS] < manner.batch_size and not (ends and p == order.size - 1):
            return -1
        made = extras.waiting[CORRECTIONS]
        make_step(X, order, p, W, 1.0 - 2.0 * rate * manner.l2, extras)
    extras.numbers[SHARE] += extras.numbers[SCALE]
    extras.numbers[OWED] += rate * manner.l1 / extras.numbers[SCALE]
    return made
