"""What logistic discrimination minimises, and what its dual maximises (Cox, 1958; Jaakkola and Haussler, 1999).

    primal   1/2 ||W||^2 + C sum_i c_i loss_i,       loss_i = log(1 + sum_j exp(m_ij))
    dual     C sum_i c_i entropy(q_i) - 1/2 ||sum_i C c_i (e_i - q_i) x_i'||^2

m_ij is the score of a rival class j less that of the row's own class: the log-odds of j against it.
q_ij = exp(m_ij) / (1 + sum_j exp(m_ij)) are the probabilities of the rivals. With two classes there is one plane and
one rival, and m = -y (w.x + b). The entropy includes the probability 1 - sum_j q_ij of the own class, where e_i is 1.
In the dual q may be any probabilities; an offset demands besides that they are balanced between the classes:

    sum of c_i q_ij over the rows of a class, all j    =    sum of c_i q_ij over all rows of others, its own j

Everything is computed from m, not from 1 - q, so that tiny probabilities keep all their digits.
"""

import numpy as np

from separatrix.objectives.log_loss_loops import (
    ENTRIES_PER_LOSS,
    BinaryRows,
    add_loss_gradient,
    derivative_loop,
)
from separatrix.rows import ENTRIES_A_CALL, TINY, Rows, Vector, locked, n_columns, n_entries, n_rows, read_only


def rival_log_odds(scores: Vector, y: np.ndarray) -> Vector:
    """m, the log-odds of each rival, from scores of shape (n, planes); -inf in the place of the own class.

    >>> rival_log_odds(np.array([[2.0], [-1.0]]), np.array([1, 1])).tolist()
    [[-2.0], [1.0]]
    """
    log_odds = score_differences(scores, y)
    if scores.shape[1] > 1:
        log_odds[np.arange(len(y)), y] = -np.inf
    return log_odds


def score_differences(scores: Vector, y: np.ndarray) -> Vector:
    """The score of each rival less that of the own class, which is 0 in the place of the own class."""
    if scores.shape[1] == 1:
        return (1.0 - 2.0 * y)[:, None] * scores
    return scores - scores[np.arange(len(y)), y][:, None]


def losses_and_probabilities(log_odds: Vector) -> tuple[Vector, Vector]:
    """The loss of each row, and the probability q of each rival.

    >>> losses, rival_prob = losses_and_probabilities(np.array([[0.0], [-800.0], [800.0]]))
    >>> losses.tolist(), rival_prob.ravel().tolist()
    ([0.6931471805599453, 0.0, 800.0], [0.5, 0.0, 1.0])
    """
    if log_odds.shape[1] == 1:
        m = np.ascontiguousarray(log_odds[:, 0])
        small = np.abs(m)
        np.exp(np.negative(small, out=small), out=small)
        above = 1.0 + small
        losses = np.log(above)  # log1p takes twice as long, and this is as right with what `above` lost (Kahan, 1984)
        losses += (small - (above - 1.0)) / above
        losses += np.maximum(m, 0.0)
        rival_prob = np.where(m > 0.0, 1.0, small)
        rival_prob /= above
        return losses, rival_prob[:, None]
    most = np.maximum(log_odds.max(axis=1), 0.0)
    odds = np.exp(log_odds - most[:, None])
    beyond = odds.sum(axis=1) + np.expm1(-most)  # all odds, less 1
    return most + np.log1p(beyond), odds / (1.0 + beyond)[:, None]


def weighted_loss_gradient(
    log_odds: Vector, y: np.ndarray, weights: Vector, rival_prob: Vector
) -> tuple[Vector, float]:
    """Gradient of the weighted losses by the scores, and their sum; fills in the probabilities of the rivals.

    >>> log_odds, y, q = np.array([[0.0], [-800.0]]), np.array([0, 1]), np.empty((2, 1))
    >>> gradient, loss = weighted_loss_gradient(log_odds, y, np.array([2.0, 1.0]), q)
    >>> gradient.ravel().tolist(), round(loss, 6), q.ravel().tolist()
    ([1.0, -0.0], 1.386294, [0.5, 0.0])
    """
    losses, rival_prob[:] = losses_and_probabilities(log_odds)
    return weights[:, None] * score_gradients(rival_prob, y), float(weights @ losses)


def binary_loss_and_gradient(
    X: Rows,
    part: slice,
    plane: tuple[Vector, float] | None,
    y: np.ndarray,
    weights: Vector,
    log_odds: Vector,
    rival_prob: Vector,
) -> tuple[Vector, float]:
    """Gradient by w of the weighted losses of two classes, and their sum, in one pass over the rows of a part.

    Fills in the log-odds and probabilities of the rivals; without a plane the log-odds are given. The gradient has
    shape (1, d).

    >>> X, y, (m, q) = np.array([[1.0], [2.0]]), np.array([0, 1], dtype=np.int32), np.empty((2, 2, 1))
    >>> plane = np.zeros(1), 0.0
    >>> binary_loss_and_gradient(X, slice(0, 2), plane, y, np.ones(2), m, q)[0].tolist()
    [[-0.5]]
    """
    w, b = (np.empty(0), 0.0) if plane is None else plane
    entries_a_row = n_entries(X) // n_rows(X)
    tile = max(8, min(64, 2**15 // (1 + entries_a_row)))  # rows that stay in the first cache
    X, w = locked(X), read_only(w)  # one type for compiled code
    rows = BinaryRows(
        read_only(y), read_only(weights), log_odds[:, 0], rival_prob[:, 0], np.empty(tile), np.empty(tile)
    )
    gradient, loss = np.zeros((1, n_columns(X))), 0.0
    step = max(tile, ENTRIES_A_CALL // (ENTRIES_PER_LOSS + entries_a_row))
    for first in range(part.start, part.stop, step):
        loss += add_loss_gradient(X, first, min(first + step, part.stop), w, b, rows, gradient)
    return gradient, float(loss)


def directional_derivatives(log_odds: Vector, change: Vector, t: float, in_loop: bool = False) -> Vector:
    """The derivative by t of each loss whose log-odds are log_odds + t change."""
    if in_loop and log_odds.shape[1] == 1:
        into = np.empty(len(log_odds))
        derivative_loop(log_odds[:, 0], change[:, 0], t, into)
        return into
    return np.sum(rival_probabilities(log_odds + t * change) * change, axis=1)


def rival_probabilities(log_odds: Vector) -> Vector:
    """The probability q of each rival."""
    if log_odds.shape[1] > 1:
        return losses_and_probabilities(log_odds)[1]
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-log_odds))


def score_gradients(rival_prob: Vector, y: np.ndarray) -> Vector:
    """Derivative of each loss by the scores, of shape (n, planes)."""
    if rival_prob.shape[1] == 1:
        return (1.0 - 2.0 * y)[:, None] * rival_prob
    into = rival_prob.copy()
    into[np.arange(len(y)), y] = -rival_prob.sum(axis=1)
    return into


def hessian_product(p: Vector, weights: Vector, change: Vector) -> Vector:
    """The Hessian of each weighted loss by its scores, times a change of the scores; p as in `plane_probabilities`.

    Two classes have one score and p (1 - p); more have diag(p) - p p'. Classes are rows of the arrays inside, so that
    sums over classes are sums of whole rows.

    >>> p, change = np.array([[0.5, 0.25, 0.25]]), np.array([[1.0, 0.0, 0.0]])
    >>> hessian_product(p, np.array([2.0]), change).tolist()
    [[0.5, -0.25, -0.25]]
    """
    by_class, into = p.T, np.ascontiguousarray(change.T)
    if len(by_class) == 1:
        into = into * (1.0 - by_class)
    else:
        into = into - np.einsum("ki,ki->i", by_class, into)
    into *= by_class
    into *= weights
    return into.T


def plane_probabilities(rival_prob: Vector, y: np.ndarray) -> Vector:
    """What curvature is made of: of two classes the probability of the rival, of more those of all classes."""
    return rival_prob if rival_prob.shape[1] == 1 else probabilities(rival_prob, y)


def probabilities(rival_prob: Vector, y: np.ndarray) -> Vector:
    """The probabilities of all of more than two classes: q, and 1 - sum q for the own class."""
    p = rival_prob.copy()
    p[np.arange(len(y)), y] = 1.0 - rival_prob.sum(axis=1)
    return p


def flow_between_classes(rival_prob: Vector, y: np.ndarray, cost: Vector, n_classes: int) -> Vector:
    """How much probability the rows of each class give to each rival: the sums of c_i q_ij, a row for each class."""
    if n_classes > 2:
        return np.array([(cost * (y == c)) @ rival_prob for c in range(n_classes)])
    flow = np.zeros((2, 2))
    flow[0, 1], flow[1, 0] = np.bincount(y, weights=cost * rival_prob[:, 0], minlength=2)
    return flow


def scaled_probabilities(rival_prob: Vector, y: np.ndarray, factors: Vector) -> Vector:
    """q times a factor for each class and rival."""
    if len(factors) > 2:
        return rival_prob * factors[y]
    return rival_prob * np.array([factors[0, 1], factors[1, 0]])[y][:, None]


def balancing_factors(flow: Vector) -> Vector:
    """Factors of at most 1 by which the sum of each row of `flow` equals that of its column (Osborne, 1960).

    They are exp(x_j - x_i), scaled, with the x that minimise sum_ij flow_ij exp(x_j - x_i), by Newton steps.
    """
    k = len(flow)
    if k == 2:
        out, back = float(flow[0, 1]), float(flow[1, 0])
        least = min(out, back)
        return np.array([[0.0, least / max(out, TINY)], [least / max(back, TINY), 0.0]])
    x, size = np.zeros(k), max(float(flow.sum()), TINY)
    flow = flow / size
    for _ in range(200):
        moved = flow * np.exp(x - x[:, None])
        surplus = moved.sum(axis=0) - moved.sum(axis=1)
        if np.abs(surplus).sum() <= 4.0 * k * 2.0**-53 * moved.sum():
            break
        laplacian = np.diag(moved.sum(axis=0) + moved.sum(axis=1)) - moved - moved.T
        step = -np.linalg.lstsq(laplacian, surplus, rcond=1e-15)[0]
        largest = float(np.abs(step).max())
        x = x + step * min(1.0, 1.0 / max(largest, TINY))  # where it would go further, curvature may not hold
        x -= x.mean()
    else:
        if np.abs(surplus).sum() > 1e-13 * moved.sum():
            return np.zeros((k, k))
    factors = np.exp(x - x[:, None])
    return factors / factors[flow > 0.0].max(initial=1.0)
