"""Gordan's alternative (1873): a vector that is positive on all of some vectors, or some of these that cancel.

    either   <a_i, v> > 0  for all i                       has a solution v
    or       sum_i u_i a_i = 0,  u >= 0,  sum_i u_i > 0    has a solution u, on at most rank + 1 of the vectors

Few of the vectors decide, so the problem is solved for a subset. Where it has a solution v, the vectors that v violates
most join the subset, until v is positive on all vectors or some of them cancel. Solutions are found in doubles and
proved in integers; where doubles do not suffice, the simplex method in fractions decides.
"""

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.overlap import Balance
from separatrix.rows import Vector, dense_row
from separatrix.solvers.budget import Budget, TimeOverError
from separatrix.solvers.separation.exact_simplex import origin_in_hull
from separatrix.solvers.separation.least_distance import hull_points, minimum_norm_solution, shortest_feasible
from separatrix.solvers.separation.quotient_space import QuotientSpace

MAX_EXACT_DIMENSION = 700  # up to which equations are solved in integers, in seconds
MIN_VECTORS_ADDED = 50  # to the subset; twice the dimension, if that is more


def alternative(space: QuotientSpace, budget: Budget | None = None) -> IntegerVector | Balance:
    """Find v with <a_i, v> > 0 on all vectors of a quotient space, or some of them that cancel with positive weights.

    Raises TimeOverError where a budget ends before one of the two is found.

    >>> from separatrix.problem import Problem
    >>> rows = Inequalities(Problem(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 0])))
    >>> found = alternative(QuotientSpace(rows, np.arange(3)))
    >>> found.index.tolist(), found.weights  # half of 1 and half of 3 is 2
    ([0, 1, 2], [1, 2, 1])
    """
    chosen, floats_fail = initial_subset(space), False
    while True:
        found = solve_exactly(space, chosen, budget) if floats_fail else solve_in_floats(space, chosen, budget)
        if isinstance(found, Balance):
            return found
        violated = values = np.zeros(0)
        for v in found:
            violated, values = space.violations(v)
            if not violated.size:
                return v
        worst = violated[np.argsort(values)[: max(MIN_VECTORS_ADDED, 2 * space.dimension)]].astype(chosen.dtype)
        floats_fail = floats_fail or bool(np.isin(worst, chosen).all())  # v was to be positive on these
        chosen = np.union1d(chosen, worst)
        if budget is not None:
            budget.check_time()


INITIAL_VECTORS = 400  # in the subset; ten times the dimension, if that is more
MAX_ENTRIES_AT_ONCE = 2**18  # of vectors, up to which all of them are in the subset


def initial_subset(space: QuotientSpace) -> np.ndarray:
    """All vectors if they are few, else some of each class, evenly spaced."""
    n, wanted = space.index.size, max(INITIAL_VECTORS, 10 * space.dimension)
    if n <= wanted or n * space.inequalities.dimension <= MAX_ENTRIES_AT_ONCE:
        return space.index
    y = space.inequalities.problem.y[space.inequalities.row_of(space.index)]
    groups = [space.index[y == c] for c in np.unique(y)]
    return np.sort(np.concatenate([g[:: max(1, len(g) * len(groups) // wanted)] for g in groups]))


def solve_in_floats(
    space: QuotientSpace, chosen: np.ndarray, budget: Budget | None = None
) -> list[IntegerVector] | Balance:
    """Solve the problem of some vectors in doubles: candidates for v, or a balance, which is exact."""
    Z = space.float_vectors(chosen)
    lengths = np.linalg.norm(Z, axis=1)
    if lengths.min() <= 0.0:
        return solve_exactly(space, chosen, budget)
    units = Z / lengths[:, None]
    for u, _ in hull_points(units, lengths):
        point, active = u @ units, u > 0.0
        v = shortest_feasible(units, 1.0 / lengths, [point])
        balance = exact_balance(space, chosen[active], (u / lengths)[active]) if v is None else None
        if balance is not None:
            return balance
        if v is None:
            v = shortest_feasible(units, 1.0 / lengths, [minimum_norm_solution(units, 1.0 / lengths, active)])
        if v is not None:
            return space.integer_candidates(v)
    return solve_exactly(space, chosen, budget)


def exact_balance(space: QuotientSpace, index: np.ndarray, u: Vector) -> Balance | None:
    """Round weights u for which vectors nearly cancel to weights for which they do; None where that fails."""
    dependencies = linear_dependencies(space, index)
    weights = exact.round_to_span(u, dependencies) if dependencies else []
    if not weights or min(weights) < 0 or max(weights) == 0 or index.size > 2 * (index.size - len(dependencies)):
        return None
    kept = [k for k, weight in enumerate(weights) if weight]
    return Balance(index[kept], [weights[k] for k in kept])


def minimal_balance(space: QuotientSpace, balance: Balance, budget: Budget | None = None) -> Balance:
    """Reduce a balance to one of whose vectors no proper part cancels (Caratheodory, 1911), while there is time.

    Subtracting a multiple of another linear dependency makes one weight zero, and none negative.
    """
    index, weights = balance.index, balance.weights
    while True:
        if budget is not None and budget.seconds <= 0.0:
            return Balance(index, weights)
        dependencies = linear_dependencies(space, index)
        if len(dependencies) == 1:
            return Balance(index, weights)
        other = next(each for each in dependencies if is_no_multiple(each, weights))
        weights = exact.primitive(eliminate_weight(weights, other if max(other) > 0 else [-k for k in other]))
        kept = [k for k, weight in enumerate(weights) if weight]
        index, weights = index[kept], [weights[k] for k in kept]


def linear_dependencies(space: QuotientSpace, index: np.ndarray) -> list[IntegerVector]:
    """A basis of the linear dependencies of some vectors: of all weights, of any sign, for which they cancel."""
    return exact.integer_null_space([list(column) for column in zip(*space.integer_vectors(index), strict=True)])


def is_no_multiple(v: IntegerVector, weights: IntegerVector) -> bool:
    """Whether a vector is no multiple of positive weights."""
    return any(a * weights[0] != b * v[0] for a, b in zip(v, weights, strict=True))


def eliminate_weight(weights: IntegerVector, v: IntegerVector) -> IntegerVector:
    """weights - t v, times a positive factor, for the largest t that makes no weight negative (the ratio test)."""
    pairs = [(weight, entry) for weight, entry in zip(weights, v, strict=True) if entry > 0]
    least = pairs[0]
    for weight, entry in pairs[1:]:
        if weight * least[1] < least[0] * entry:
            least = weight, entry
    return [weight * least[1] - least[0] * entry for weight, entry in zip(weights, v, strict=True)]


def solve_exactly(
    space: QuotientSpace, chosen: np.ndarray, budget: Budget | None = None
) -> list[IntegerVector] | Balance:
    """Solve the problem of some vectors by the simplex method in fractions: v, or a balance."""
    Z = space.integer_vectors(chosen)
    zero = next((k for k, row in enumerate(Z) if not any(row)), None)
    if zero is not None:
        return Balance(chosen[[zero]], [1])
    outcome = origin_in_hull(Z, budget)
    if outcome.v is None:
        return Balance(chosen[outcome.rows], outcome.weights)
    return [space.lift(outcome.v, chosen)]


def enlarge_balance(space: QuotientSpace, found: Balance, budget: Budget) -> Balance:
    """Join disjoint balances to a balance, while its vectors are at most twice their rank, and time is left."""
    balance, rest = found, initial_subset(space)
    rank = exact.rank_lower_bound(space.integer_vectors(found.index))
    while rank < space.dimension and budget.seconds > 0.0:
        rest = np.setdiff1d(rest, balance.index)
        try:
            more = solve_in_floats(space, rest, budget) if rest.size else []
        except TimeOverError:
            break
        if not isinstance(more, Balance):
            break
        index = np.append(balance.index, more.index)
        rank, before = exact.rank_lower_bound(space.integer_vectors(index)), rank
        if rank == before or index.size > 2 * rank:
            break
        balance = Balance(index, balance.weights + more.weights)
    return balance


def opposite_duplicates(inequalities: Inequalities) -> Balance | None:
    """Two equal rows of different classes, if there are any."""
    problem, rng = inequalities.problem, np.random.default_rng(0)
    keys, _ = Planes.of(rng.standard_normal(problem.n_features), 0.0).scores(problem)
    order = np.lexsort((problem.y, keys[:, 0]))  # equal rows have equal keys
    first, second = order[:-1], order[1:]
    candidates = (keys[first, 0] == keys[second, 0]) & (problem.y[first] != problem.y[second])
    for i, j in zip(first[candidates].tolist(), second[candidates].tolist(), strict=True):
        if np.array_equal(dense_row(problem.X, i), dense_row(problem.X, j)):
            own, rival = problem.y[[i, j]], problem.y[[j, i]]
            return Balance(np.sort(np.array([i, j]) * inequalities.rivals + rival - (rival > own)), [1, 1])
    return None
