"""Several classes by Kesler's construction (Nilsson, 1965), without writing its vectors out.

    find w_1, b_1, ..., w_k, b_k with  (w_c - w_j).x_i + b_c - b_j > 0  for every row i of class c and every j != c

Each row stands for the k - 1 vectors of `problem.kesler`, with x in block c and -x in block j. A rule for two classes
is shown them one by one, all of class +1; for the perceptron that is

    w_c += rho_t x_i,   w_j -= rho_t x_i      whenever  w_c.x_i + b_c <= w_j.x_i + b_j

With l2 all planes shrink once, before the first of a row's vectors is shown.
"""

from separatrix.compiling import inner
from separatrix.objectives.loss import distance_to_kink, slope
from separatrix.rows import row_score_parts
from separatrix.solvers.online.trace import log_correction
from separatrix.solvers.online.weights import SCALE, decay_weights, move, plane_score


@inner
def present_to_all(X, example, weights, options, log):
    """Present a row of class c to the rule once for each other class j; returns the corrections and how far w moved.

    w_c -= step slope(lead) x_i,   w_j += step slope(lead) x_i,   b alike,   where lead = g_c(x_i) - g_j(x_i)
    """
    W, classes, lazy = weights
    i, c, loss = example.i, example.target, options.loss
    decay_weights(W, 2.0 * example.rate * options.l2, lazy)
    step = example.rate * options.factors[min(i, options.factors.size - 1)]
    made, moved = 0, 0.0
    own = plane_score(X, i, W[c], lazy)
    for j in classes:
        if j == c:
            continue
        lead = own - plane_score(X, i, W[j], lazy)
        if distance_to_kink(loss, lead, 1.0) <= example.tie:
            lead = precise_lead(X, i, W, c, j, lazy)
        towards = -step * slope(loss, lead, 1.0)
        if towards != 0.0:
            move(towards, X, i, W, c, options.bias_step, lazy)
            move(-towards, X, i, W, j, options.bias_step, lazy)
            own = plane_score(X, i, W[c], lazy)
            log_correction(log, example, example.corrections + made, j, towards)
            made += 1
            moved += 2.0 * abs(towards)
    return made, moved


@inner
def precise_lead(X, i, W, c, j, lazy):
    """By how much class c scores more than class j on row i, from twice the precision."""
    (high, low), (rival_high, rival_low) = row_score_parts(X, i, W[c]), row_score_parts(X, i, W[j])
    lead = (high - rival_high) + (low - rival_low)
    return lead if lazy is None else lazy.scalars[SCALE] * lead
