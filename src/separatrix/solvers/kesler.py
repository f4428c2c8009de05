"""The perceptron for several classes by Kesler's construction (Nilsson, 1965), done without writing it out.

    find w_1, b_1, ..., w_k, b_k with  (w_c - w_j).x_i + b_c - b_j > 0  for every row i of class c and every j != c

Each row stands for k - 1 vectors of the extended problem, with x in block c, -x in block j and zeros elsewhere. A
correction by one of them (`separatrix.kesler_vectors` writes them out) is

    w_c += rho_t x_i,   w_j -= rho_t x_i      whenever  w_c.x_i + b_c <= w_j.x_i + b_j
"""

from separatrix.rows import compiled, row_dot, row_prefetch, row_score_parts
from separatrix.solvers.trace import move, note


@compiled
def sweep(X, y, orders, w, into, rates, bias_step, doubt, growth, streak, afresh, enough, log):
    """Present the rows pass by pass, each against every other class; changes `into` in place.

    Takes and returns what `perceptron.sweep` does; a mistake is one correction, of which a row may need several.
    """
    t = mistakes = before = 0
    for order in orders:
        before = mistakes
        streak = 0 if afresh else streak
        for p in range(order.size):
            row_prefetch(X, order, p)
            rate = rates[min(t, rates.size - 1)]
            corrections = present(X, order[p], y[order[p]], w, into, rate, bias_step, doubt, log, mistakes, t)
            mistakes += corrections
            doubt += 2.0 * corrections * rate * growth
            streak = 0 if corrections else streak + 1
            t += 1
            if streak >= enough:
                return t, mistakes, mistakes - before, streak
    return t, mistakes, mistakes - before, streak


@compiled
def present(X, i, c, w, into, rate, bias_step, doubt, log, noted, t):
    """Hold row i of class c against every other class; returns the number of corrections.

    if <w_c, x_i> + b_c <= <w_j, x_i> + b_j:   w_c += rate x_i,   w_j -= rate x_i,   b alike
    """
    corrections = 0
    k, d = w.shape[0], w.shape[1] - 1
    own = row_dot(X, i, w[c]) + w[c, d]
    for j in range(k):
        if j != c and is_behind(X, i, w, c, j, own, doubt):
            move(rate, X, i, into[c], bias_step)
            move(-rate, X, i, into[j], bias_step)
            own = row_dot(X, i, w[c]) + w[c, d]
            note(log, noted + corrections, k * t + j)
            corrections += 1
    return corrections


@compiled
def is_behind(X, i, w, c, j, own, doubt):
    """Whether class c scores no more than class j on row i, in twice the precision where rounding could decide."""
    lead = own - (row_dot(X, i, w[j]) + w[j, w.shape[1] - 1])
    if abs(lead) > doubt:
        return lead <= 0.0
    (high, low), (rival_high, rival_low) = row_score_parts(X, i, w[c]), row_score_parts(X, i, w[j])
    return (high - rival_high) + (low - rival_low) <= 0.0
