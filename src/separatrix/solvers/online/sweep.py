"""The general loop of all rules that learn row by row, with every option.

    w <- (1 - 2 rho_t l2) w - rho_t slope(g(x_i), y_i) x_i,      b <- b - rho_t slope(g(x_i), y_i) bias_step

A rule is a loss, which says the slope: that of the perceptron's loss makes this the perceptron, that of the hinge the
stochastic support vector machine, that of the squared loss LMS (Robbins and Monro, 1951). A step may also sum the
slopes of a batch of rows first. With more than two classes each row is compared with every other class: see `kesler`.
Rules have loops of their own for their plain case, in their files, which agree with this one to the last bit.
"""

from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.objectives.loss import Loss, decay, distance_to_kink, slope, value
from separatrix.solvers.online.kesler import present_to_all
from separatrix.solvers.online.plain_passes import fetched
from separatrix.solvers.online.shuffling import Passes
from separatrix.solvers.online.trace import log_correction
from separatrix.solvers.online.weights import (
    CORRECTIONS,
    L1_TOTAL,
    ROWS,
    SCALE,
    SCALE_SUM,
    apply_l1_to_row,
    decay_weights,
    make_step,
    move,
    plane_score,
    precise_score,
)

ONE = np.ones(1)


class Options(NamedTuple):
    """What a compiled loop is told besides the rows and the weights.

    A step is rates[t] times factors[i], or the only one of each, times what the slope of the loss says.
    """

    loss: Loss
    factors: np.ndarray
    bias_step: float
    l2: float
    l1: float
    batch_size: int
    stop_after: int  # the run ends when so many rows in a row needed no correction
    rates: np.ndarray = ONE
    streak: int = 0  # how many in a row needed none before this call
    restarts: bool = False  # whether each pass begins a new streak
    ends_pass: bool = True  # whether the orders end their passes, and with them a batch
    tie: float = 0.0  # bound on the rounding error of a score
    tie_growth: float = 0.0  # by how much it grows where w moves by a row


class Example(NamedTuple):
    """A row as it is presented: its number, target, rate and tie bound.

    Then how many corrections, steps, rows and passes came before it in this call.
    """

    i: int
    target: float
    rate: float
    tie: float
    corrections: int
    t: int
    presented: int
    q: int


@compiled
def sweep(X, y, passes, weights, options, log):
    """Present the rows pass by pass, until `stop_after` of them in a row needed no correction; changes W in place.

    Returns the steps made, rows presented, corrections made and how many of these in the last pass, and the streak.
    """
    t = presented = corrections = before = 0
    streak, tie = options.streak, options.tie
    for q in range(passes.order.shape[0]):
        rows = Passes(passes.order[q], passes.ahead[q])
        before = corrections
        streak = 0 if options.restarts else streak
        for p in range(rows.order.size):
            i, rate = fetched(X, rows, p), options.rates[min(t, options.rates.size - 1)]
            example = Example(i, y[i], rate, tie, corrections, t, presented, q)
            made, moved = present(X, example, weights, weights.classes, options, log)
            corrections += made
            presented += 1
            streak = 0 if made else streak + 1
            tie += moved * options.tie_growth
            made = complete_step(X, passes, example, made, weights.W, weights.lazy, options)
            streak = 0 if made > 0 else streak
            t += made >= 0
            if streak >= options.stop_after:
                return t, presented, corrections, corrections - before, streak
    return t, presented, corrections, corrections - before, streak


@inner
def present(X, example, weights, classes, options, log):
    """Present one row to the rule; returns the number of corrections, and by how many rows they moved w.

    A score whose distance from a kink of the loss is within the bound on its rounding error is computed again in twice
    the precision, so that every storage of the rows gives the same answer.
    """
    if classes is not None:
        return present_to_all(X, example, weights, options, log)
    i, target, loss, w = example.i, example.target, options.loss, weights.W[0]
    apply_l1_to_row(X, i, weights.W, weights.lazy)
    score = plane_score(X, i, w, weights.lazy)
    if distance_to_kink(loss, score, target) <= example.tie:
        score = precise_score(X, i, w, weights.lazy)
    if log.curve.size:
        log.curve[example.q] += value(loss, score, target)
    decay_weights(weights.W, example.rate * (2.0 * options.l2 + decay(loss, score)), weights.lazy)
    downhill = -slope(loss, score, target)
    if downhill == 0.0:
        return 0, 0.0
    step = downhill * example.rate * options.factors[min(i, options.factors.size - 1)]
    move(step, X, i, weights.W, 0, options.bias_step, weights.lazy)
    log_correction(log, example, example.corrections, 0, step * target)
    return 1, abs(step)


@inner
def complete_step(X, passes, example, made, W, lazy, options):
    """Make the step of a batch if the row completes it; returns the corrections in the step, -1 if there was none."""
    if lazy is None:
        return made
    if lazy.batch_sum.shape[0]:
        order = passes.order[example.q]
        p = example.presented - example.q * order.size
        lazy.pending[ROWS] += 1
        lazy.pending[CORRECTIONS] += made
        if lazy.pending[ROWS] < options.batch_size and not (options.ends_pass and p == order.size - 1):
            return -1
        made = lazy.pending[CORRECTIONS]
        make_step(X, order, p, W, 1.0 - 2.0 * example.rate * options.l2, lazy)
    lazy.scalars[SCALE_SUM] += lazy.scalars[SCALE]
    lazy.scalars[L1_TOTAL] += example.rate * options.l1 / lazy.scalars[SCALE]
    return made
