"""Several classes by Kesler's construction (Nilsson, 1965), done without writing it out.

    find w_1, b_1, ..., w_k, b_k with  (w_c - w_j).x_i + b_c - b_j > 0  for every row i of class c and every j != c

Each row stands for k - 1 vectors of the extended problem, with x in block c, -x in block j and zeros elsewhere
(`separatrix.kesler_vectors` writes them out). A rule for two classes is shown them one by one, all of class +1; for
the perceptron that is

    w_c += rho_t x_i,   w_j -= rho_t x_i      whenever  w_c.x_i + b_c <= w_j.x_i + b_j

With l2 all planes shrink once, before the first of a row's vectors is shown.
"""

from separatrix.compiling import inner
from separatrix.objectives.loss import kink, slope
from separatrix.rows import row_score_parts
from separatrix.solvers.online.planes import SCALE, move, plane_score
from separatrix.solvers.online.trace import note


@inner
def hold_against(rivals, X, i, c, loss, W, extras, bias_step, step, doubt, log, place):
    """Show row i of class c to the rule, against every rival; returns the corrections and how far they moved w.

    w_c -= step slope(lead) x_i,   w_j += step slope(lead) x_i,   b alike,   where lead = g_c(x_i) - g_j(x_i)
    """
    made, moved = 0, 0.0
    own = plane_score(X, i, W[c], extras)
    for j in rivals:
        if j == c:
            continue
        lead = own - plane_score(X, i, W[j], extras)
        if kink(loss, lead, 1.0) <= doubt:
            lead = precise_lead(X, i, W, c, j, extras)
        towards = -step * slope(loss, lead, 1.0)
        if towards != 0.0:
            move(towards, X, i, W, c, bias_step, extras)
            move(-towards, X, i, W, j, bias_step, extras)
            own = plane_score(X, i, W[c], extras)
            note(log, (place[0] + made, place[1], place[2], place[3]), j, towards)
            made += 1
            moved += 2.0 * abs(towards)
    return made, moved


@inner
def precise_lead(X, i, W, c, j, extras):
    """By how much class c scores more than class j on row i, from twice the precision."""
    (high, low), (rival_high, rival_low) = row_score_parts(X, i, W[c]), row_score_parts(X, i, W[j])
    lead = (high - rival_high) + (low - rival_low)
    return lead if extras is None else extras.numbers[SCALE] * lead
