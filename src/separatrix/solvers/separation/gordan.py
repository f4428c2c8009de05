"""A plane, or the proof that there is none (Gordan, 1873).

    either   <a_i, v> > 0  for all i                       has a solution v
    or       sum_i u_i a_i = 0,  u >= 0,  sum_i u_i > 0    has a solution u, on at most rank + 1 of the vectors

Few of the vectors decide, so the question is put to some of them: those that answer with a plane are joined by the
vectors which that plane serves worst, until it serves all, or until some of them cancel. Floats find the answer, and
whole numbers prove it; where floats cannot tell, the simplex method in fractions does.
"""

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import Whole
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.overlap import Balance
from separatrix.rows import Vector, dense_row
from separatrix.solvers.separation.exact_simplex import origin_in_hull
from separatrix.solvers.separation.least_distance import equally_far, hull_weights, steepest
from separatrix.solvers.separation.quotient import Quotient

ALL_AT_ONCE = 2**18  # entries of vectors up to which all of them are asked at once
FIRST = 400  # vectors asked first, otherwise; ten times the dimension, if that is more
ADDED = 50  # vectors that join at least; twice the dimension, if that is more
RESCALINGS = 8
MOST_EXACT = 700  # dimensions up to which equations are solved in whole numbers


def alternative(quotient: Quotient) -> Whole | Balance:
    """Find v with <a_i, v> > 0 on all vectors in question, or some of them that cancel.

    Parameters
    ----------
    quotient : Quotient
        The vectors in question.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.inequalities import Inequalities
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.separation.gordan import alternative
    >>> from separatrix.solvers.separation.quotient import Quotient
    >>> rows = Inequalities(Problem(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 0])))
    >>> found = alternative(Quotient(rows, np.arange(3)))
    >>> found.index.tolist(), found.weights  # half of 1 and half of 3 is 2
    ([0, 1, 2], [1, 2, 1])
    """
    chosen, stuck = first_asked(quotient), False
    while True:
        found = decided(quotient, chosen) if not stuck else decided_exactly(quotient, chosen)
        if isinstance(found, Balance):
            return found
        short = values = np.zeros(0)
        for v in found:
            short, values = quotient.short(v)
            if not short.size:
                return v
        worst = short[np.argsort(values)[: max(ADDED, 2 * quotient.dimension)]].astype(chosen.dtype)
        stuck = stuck or bool(np.isin(worst, chosen).all())  # floats mistook these
        chosen = np.union1d(chosen, worst)


def first_asked(quotient: Quotient) -> np.ndarray:
    """All vectors if they are few, else some of each class, evenly spaced."""
    n, wanted = quotient.among.size, max(FIRST, 10 * quotient.dimension)
    if n <= wanted or n * quotient.inequalities.dimension <= ALL_AT_ONCE:
        return quotient.among
    y = quotient.inequalities.problem.y[quotient.inequalities.row_of(quotient.among)]
    groups = [quotient.among[y == c] for c in np.unique(y)]
    return np.sort(np.concatenate([g[:: max(1, len(g) * len(groups) // wanted)] for g in groups]))


def decided(quotient: Quotient, chosen: np.ndarray) -> list[Whole] | Balance:
    """The answer of some vectors: planes to try, or a balance; by floats, and proved."""
    Z = quotient.floats(chosen)
    lengths = np.linalg.norm(Z, axis=1)
    if lengths.min() <= 0.0:
        return decided_exactly(quotient, chosen)
    units, t = Z / lengths[:, None], float(lengths.min())
    for _ in range(RESCALINGS):
        u = hull_weights(units, t / lengths)
        if u is None:
            break
        point, held = u @ units, u > 0.0
        v = steepest(units, 1.0 / lengths, [point])
        balance = cancelling(quotient, chosen[held], (u / lengths)[held]) if v is None else None
        if balance is not None:
            return balance
        if v is None:
            v = steepest(units, 1.0 / lengths, [equally_far(units, 1.0 / lengths, held)])
        if v is not None:
            return quotient.candidates(v)
        t = float(np.linalg.norm(point)) / float(np.sum(u / lengths))
        if not t > 0.0:
            break
    return decided_exactly(quotient, chosen)


def cancelling(quotient: Quotient, index: np.ndarray, u: Vector) -> Balance | None:
    """Positive weights with which these vectors cancel, near weights u that almost do."""
    ways = exact.null_space_of(transposed(quotient.exactly(index)))
    weights = exact.near(u, ways) if ways else []
    if not weights or min(weights) < 0 or max(weights) == 0 or index.size > 2 * (index.size - len(ways)):
        return None
    kept = [k for k, weight in enumerate(weights) if weight]
    return Balance(index[kept], [weights[k] for k in kept])


def fewest(quotient: Quotient, balance: Balance) -> Balance:
    """A part of a balance that cancels on its own, and no part of it does (Caratheodory, 1911).

    A multiple of another way to cancel takes one weight to zero, and none below.
    """
    index, weights = balance.index, balance.weights
    while True:
        ways = exact.null_space_of(transposed(quotient.exactly(index)))
        if len(ways) == 1:
            return Balance(index, weights)
        way = next(way for way in ways if is_another(way, weights))
        weights = exact.primitive(fewer(weights, way if max(way) > 0 else [-k for k in way]))
        kept = [k for k, weight in enumerate(weights) if weight]
        index, weights = index[kept], [weights[k] for k in kept]


def transposed(Z: list[Whole]) -> list[Whole]:
    """Rows as columns."""
    return [list(column) for column in zip(*Z, strict=True)]


def is_another(way: Whole, weights: Whole) -> bool:
    """Whether a way to cancel is no multiple of some positive weights."""
    return any(a * weights[0] != b * way[0] for a, b in zip(way, weights, strict=True))


def fewer(weights: Whole, way: Whole) -> Whole:
    """weights - t way, for the largest t that takes none below zero."""
    pairs = [(weight, part) for weight, part in zip(weights, way, strict=True) if part > 0]
    least = pairs[0]
    for weight, part in pairs[1:]:
        if weight * least[1] < least[0] * part:
            least = weight, part
    return [weight * least[1] - least[0] * part for weight, part in zip(weights, way, strict=True)]


def decided_exactly(quotient: Quotient, chosen: np.ndarray) -> list[Whole] | Balance:
    """The same in fractions all the way."""
    Z = quotient.exactly(chosen)
    zero = next((k for k, row in enumerate(Z) if not any(row)), None)
    if zero is not None:
        return Balance(chosen[[zero]], [1])
    outcome = origin_in_hull(Z)
    if outcome.v is None:
        return Balance(chosen[outcome.rows], outcome.weights)
    return [quotient.vector(outcome.v, chosen)]


def several(quotient: Quotient, found: Balance) -> Balance:
    """One balance of several with no vector in common, at most twice as many vectors as they span directions."""
    balance, rest = found, first_asked(quotient)
    rank = exact.least_rank(quotient.exactly(found.index))
    while rank < quotient.dimension:
        rest = np.setdiff1d(rest, balance.index)
        more = decided(quotient, rest) if rest.size else []
        if not isinstance(more, Balance):
            break
        index = np.append(balance.index, more.index)
        rank, before = exact.least_rank(quotient.exactly(index)), rank
        if rank == before or index.size > 2 * rank:
            break
        balance = Balance(index, balance.weights + more.weights)
    return balance


def contradiction(inequalities: Inequalities) -> Balance | None:
    """Two rows that are the same but for their class, if there are any."""
    problem, rng = inequalities.problem, np.random.default_rng(0)
    keys, _ = Planes.of(rng.standard_normal(problem.n_features), 0.0).scores(problem)
    order = np.lexsort((problem.y, keys[:, 0]))  # equal rows have equal keys
    first, second = order[:-1], order[1:]
    alike = (keys[first, 0] == keys[second, 0]) & (problem.y[first] != problem.y[second])
    for i, j in zip(first[alike].tolist(), second[alike].tolist(), strict=True):
        if np.array_equal(dense_row(problem.X, i), dense_row(problem.X, j)):
            pairs = (i, int(problem.y[j])), (j, int(problem.y[i]))
            return Balance(np.sort([inequalities.number_of(row, rival) for row, rival in pairs]), [1, 1])
    return None
