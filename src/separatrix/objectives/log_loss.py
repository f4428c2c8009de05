"""What logistic discrimination minimises, and what its dual maximises (Cox, 1958; Jaakkola and Haussler, 1999).

    primal   1/2 ||W||^2 + C sum_i c_i loss_i,       loss_i = log(1 + sum_j exp(m_ij))
    dual     C sum_i c_i entropy(q_i) - 1/2 ||sum_i C c_i (e_i - q_i) x_i'||^2

m_ij is the score of a rival class j less that of the row's own class, so that exp(m_ij) are odds against it, and
q_ij = exp(m_ij) / (1 + sum_j exp(m_ij)) are the probabilities of the rivals, which are wrong. Of two classes there is
one plane and one rival, m = -y (w.x + b). The entropy counts the probability 1 - sum_j q_ij of the own class too; e_i
is 1 there. In the dual q may be any probabilities; an offset asks besides that each class gains what it loses:

    sum of c_i q_ij over the rows of a class, all j    =    sum of c_i q_ij over all rows of others, its own j

Everything is computed from m, not from 1 - q, so that tiny probabilities keep all their digits.
"""

import numpy as np

from separatrix.objectives.log_loss_loops import RESPONSE, each_entropy, look_at, slopes_along
from separatrix.rows import ENTRIES_A_CALL, TINY, Rows, Vector, locked, n_columns, n_entries, n_rows, read_only

MOST_STEPS = 200


def rivalry(scores: Vector, y: np.ndarray) -> Vector:
    """m: by how much rivals are ahead, from scores of shape (n, planes); the own class has none, minus infinity.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.log_loss import rivalry
    >>> rivalry(np.array([[2.0], [-1.0]]), np.array([1, 1])).tolist()
    [[-2.0], [1.0]]
    """
    if scores.shape[1] == 1:
        return (1.0 - 2.0 * y)[:, None] * scores
    rows = np.arange(len(y))
    ahead = scores - scores[rows, y][:, None]
    ahead[rows, y] = -np.inf
    return ahead


def losses_and_wrong(ahead: Vector) -> tuple[Vector, Vector]:
    """The loss of each row, and the probability q of each rival.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.log_loss import losses_and_wrong
    >>> losses, wrong = losses_and_wrong(np.array([[0.0], [-800.0], [800.0]]))
    >>> losses.tolist(), wrong.ravel().tolist()
    ([0.6931471805599453, 0.0, 800.0], [0.5, 0.0, 1.0])
    """
    if ahead.shape[1] == 1:
        m = np.ascontiguousarray(ahead[:, 0])
        small = np.abs(m)
        np.exp(np.negative(small, out=small), out=small)
        above = 1.0 + small
        losses = np.log(above)  # log1p takes twice as long, and this is as right with what `above` lost (Kahan, 1984)
        losses += (small - (above - 1.0)) / above
        losses += np.maximum(m, 0.0)
        wrong = np.where(m > 0.0, 1.0, small)
        wrong /= above
        return losses, wrong[:, None]
    most = np.maximum(ahead.max(axis=1), 0.0)
    odds = np.exp(ahead - most[:, None])
    beyond = odds.sum(axis=1) + np.expm1(-most)  # all odds, less 1
    return most + np.log1p(beyond), odds / (1.0 + beyond)[:, None]


def respond(ahead: Vector, y: np.ndarray, weights: Vector, wrong: Vector) -> tuple[Vector, float]:
    """How much rows pull at their scores, and their weighted loss; the probabilities of rivals are put in their place.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.log_loss import respond
    >>> wrong = np.empty((2, 1))
    >>> pull, lost = respond(np.array([[0.0], [-800.0]]), np.array([0, 1]), np.array([2.0, 1.0]), wrong)
    >>> pull.ravel().tolist(), round(lost, 6), wrong.ravel().tolist()
    ([1.0, -0.0], 1.386294, [0.5, 0.0])
    """
    losses, wrong[:] = losses_and_wrong(ahead)
    return weights[:, None] * slopes(wrong, y), float(weights @ losses)


def look_at_two(
    X: Rows,
    part: slice,
    plane: tuple[Vector, float] | None,
    y: np.ndarray,
    weights: Vector,
    ahead: Vector,
    wrong: Vector,
    apart: bool = False,
) -> tuple[Vector, float]:
    """The same for rows of two classes by a compiled loop: the sum of x_i times its pull, and besides over class 1.

    By how much rivals are ahead is put in its place, too; where no plane is given it must be there.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.log_loss import look_at_two
    >>> X, y, (ahead, wrong) = np.array([[1.0], [2.0]]), np.array([0, 1], dtype=np.int32), np.empty((2, 2, 1))
    >>> look_at_two(X, slice(0, 2), (np.zeros(1), 0.0), y, np.ones(2), ahead, wrong, apart=True)[0].tolist()
    [[-0.5], [-1.0]]
    """
    w, b = (np.zeros(n_columns(X)), 0.0) if plane is None else plane
    X, w, y, weights = locked(X), read_only(w), read_only(y), read_only(weights)  # one type for compiled code
    into, tile = np.zeros((1 + apart, n_columns(X))), max(8, min(64, 2**15 // (1 + n_entries(X) // n_rows(X))))
    losses, pull, lost = np.empty(tile), np.empty(tile), 0.0
    step = max(tile, part_size(X))
    for first in range(part.start, part.stop, step):
        last = min(first + step, part.stop)
        given = (first, last, plane is None, w, b, y, weights, ahead[:, 0], wrong[:, 0], losses, pull, into)
        lost += look_at(X, *given)
    return into, float(lost)


def part_size(X: Rows) -> int:
    """How many rows to go through before Ctrl-C is seen."""
    return max(1, ENTRIES_A_CALL // (RESPONSE + n_entries(X) // n_rows(X)))


def pulls_along(ahead: Vector, along: Vector, t: float, quick: bool = False) -> Vector:
    """The derivative of each loss by t where leads of rivals are `ahead` and grow by t times `along`."""
    if quick and ahead.shape[1] == 1:
        into = np.empty(len(ahead))
        slopes_along(ahead[:, 0], along[:, 0], t, into)
        return into
    return np.sum(wrong_of(ahead + t * along) * along, axis=1)


def wrong_of(ahead: Vector) -> Vector:
    """The probability q of each rival alone."""
    if ahead.shape[1] > 1:
        return losses_and_wrong(ahead)[1]
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-ahead))


def slopes(wrong: Vector, y: np.ndarray) -> Vector:
    """Derivative of each loss by the scores, of shape (n, planes)."""
    if wrong.shape[1] == 1:
        return (1.0 - 2.0 * y)[:, None] * wrong
    into = wrong.copy()
    into[np.arange(len(y)), y] = -wrong.sum(axis=1)
    return into


def curved(wrong: Vector, y: np.ndarray, along: Vector) -> Vector:
    """Second derivative of each loss times a change of the scores."""
    if wrong.shape[1] == 1:
        return wrong * (1.0 - wrong) * along
    p = probabilities(wrong, y)
    return p * (along - np.sum(p * along, axis=1, keepdims=True))


def probabilities(wrong: Vector, y: np.ndarray) -> Vector:
    """q with the probability of the own class put in, for more than two classes."""
    p = wrong.copy()
    p[np.arange(len(y)), y] = 1.0 - wrong.sum(axis=1)
    return p


def entropies(wrong: Vector, quick: bool = False) -> Vector:
    """The entropy of each row's probabilities, by a compiled loop where that is asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.log_loss import entropies
    >>> entropies(np.array([[0.5], [0.0], [1.0]])).round(6).tolist()
    [0.693147, 0.0, 0.0]
    """
    if wrong.shape[1] == 1:
        q = np.minimum(wrong[:, 0], 1.0)
        if quick:
            each_entropy(q, into := np.empty(len(q)))
            return into
        rival = -q * np.log(np.maximum(q, TINY))
        return rival - (1.0 - q) * np.log1p(-np.minimum(q, 1.0 - 2.0**-53))
    total = np.minimum(wrong.sum(axis=1), 1.0)
    rivals = -np.sum(wrong * np.log(np.maximum(wrong, TINY)), axis=1)
    return rivals - (1.0 - total) * np.log1p(-np.minimum(total, 1.0 - 2.0**-53))


def balanced(wrong: Vector, y: np.ndarray, cost: Vector, n_classes: int) -> Vector:
    """q scaled down so that each class gains what it loses; only by factors, so that tiny ones stay right.

    Of two classes the heavier side is scaled down. Where no factors do it, all are 0, which is balance too.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.objectives.log_loss import balanced
    >>> balanced(np.array([[0.5], [0.25], [0.5]]), np.array([0, 1, 1]), np.ones(3), 2).round(3).tolist()
    [[0.5], [0.167], [0.333]]
    """
    if n_classes == 2:
        flow = np.zeros((2, 2))
        flow[0, 1], flow[1, 0] = (float(np.sum((cost * wrong[:, 0])[y == c])) for c in (0, 1))
    else:
        flow = np.array([(cost * (y == c)) @ wrong for c in range(n_classes)])
    factors = balancing(flow)
    if n_classes == 2:
        return wrong * np.where(y == 0, factors[0, 1], factors[1, 0])[:, None]
    return wrong * factors[y]


def balancing(flow: Vector) -> Vector:
    """Factors of at most 1 that make the sums of each row and of its column the same (Osborne, 1960).

    They are exp(x_j - x_i), scaled, with the x that minimise sum_ij flow_ij exp(x_j - x_i), by Newton steps.
    """
    k = len(flow)
    if k == 2:
        out, back = float(flow[0, 1]), float(flow[1, 0])
        least = min(out, back)
        return np.array([[0.0, least / max(out, TINY)], [least / max(back, TINY), 0.0]])
    x, size = np.zeros(k), max(float(flow.sum()), TINY)
    flow = flow / size
    for _ in range(MOST_STEPS):
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
