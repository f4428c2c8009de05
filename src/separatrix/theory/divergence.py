"""Which coefficients of a logistic regression are infinite, where the separation is quasi-complete.

The likelihood grows along every v that is nowhere negative on the vectors a_i and positive on some. These v span the
same space as all v that are zero on the vectors which no v can make positive. A coefficient stays finite exactly if
it is zero in all of that space; but for directions in which all a_i are zero, along which nothing changes at all
(Albert and Anderson, 1984; Santner and Duffy, 1986).
"""

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.problem import Problem
from separatrix.solvers.separation.exact_simplex import origin_in_hull


def divergence(problem: Problem, recession_basis: list[IntegerVector]) -> dict[int, int]:
    """The features with an infinite coefficient, and its sign; 0 where the sign depends on the direction.

    The basis spans the directions of recession, the v that are nowhere negative. The offset has the number d.

    >>> X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [2.0, 1.0]])  # the second column is 1 in one class only
    >>> divergence(Problem(X, np.array([0, 1, 0, 1])), [[0, 1, 0]])
    {1: 1}
    """
    inequalities = Inequalities(problem)
    basis = orthogonal_part(recession_basis, directions_of_constancy(inequalities, recession_basis))
    features = nonzero_entries(basis)
    return dict(zip(features, signs(inequalities, basis, features), strict=True))


def nonzero_entries(basis: list[IntegerVector]) -> list[int]:
    """The entries that are not zero in every vector of a basis."""
    return [j for j in range(len(basis[0])) if any(vector[j] for vector in basis)] if basis else []


def signs(inequalities: Inequalities, basis: list[IntegerVector], features: list[int]) -> list[int]:
    """The sign of each feature in all v of a space that are nowhere negative; 0 where they do not agree.

    Some v is positive on all vectors that are not zero in this space, so that an entry is negative in some v that is
    nowhere negative exactly where it is in one that is positive on all of them. Gordan's alternative decides, in
    integers.
    """
    index = inequalities.not_orthogonal(np.arange(inequalities.n), basis)
    products = exact.products(inequalities.vectors(index), basis)
    vectors = [list(vector) for vector in dict.fromkeys(tuple(exact.divide_by_gcd(row)) for row in products)]
    entries = [[vector[j] for vector in basis] for j in features]
    return [
        int(some_vector_is_positive(vectors, entry)) - int(some_vector_is_positive(vectors, [-k for k in entry]))
        for entry in entries
    ]


ROWS_ADDED = 50  # to a working set at a time


def some_vector_is_positive(vectors: list[IntegerVector], entry: IntegerVector) -> bool:
    """Whether some c has a positive product with an integer vector and with all of many others.

    >>> some_vector_is_positive([[1, 0], [1, 1]], [-1, 2]), some_vector_is_positive([[1, 0], [1, 1]], [-2, -1])
    (True, False)
    """
    from flint import fmpz_mat

    matrix = fmpz_mat(vectors)
    chosen = list(range(0, len(vectors), max(1, len(vectors) // ROWS_ADDED)))
    while True:
        found = origin_in_hull([entry, *(vectors[i] for i in chosen)])
        if found.v is None:
            return False
        values = [int(k) for k in (matrix * fmpz_mat([[k] for k in found.v])).entries()]
        wrong = sorted((value, i) for i, value in enumerate(values) if value <= 0)
        if not wrong:
            return True
        chosen += [i for _, i in wrong[:ROWS_ADDED]]


INITIAL_VECTORS = 400  # that the null space is computed of, before it is checked on all


def directions_of_constancy(inequalities: Inequalities, recession_basis: list[IntegerVector]) -> list[IntegerVector]:
    """A basis of the v of a space that are zero on all vectors: the likelihood is constant along them."""
    index, all_vectors = (
        np.arange(0, inequalities.n, max(1, inequalities.n // INITIAL_VECTORS)),
        np.arange(inequalities.n),
    )
    while True:
        parts = exact.integer_null_space(exact.products(inequalities.vectors(index), recession_basis))
        found = [exact.linear_combination(part, recession_basis) for part in parts]
        more = inequalities.not_orthogonal(all_vectors, found)
        if not more.size:
            return found
        index = np.append(index, more[: len(found)])


def orthogonal_part(vectors: list[IntegerVector], others: list[IntegerVector]) -> list[IntegerVector]:
    """The components of vectors that are orthogonal to others, as integer vectors up to a positive factor."""
    from flint import fmpz_mat

    if not others:
        return vectors
    L, V = fmpz_mat(others), fmpz_mat(vectors)
    solved = (L * L.transpose()).solve(L * V.transpose())  # fractions
    parts = []
    for k, vector in enumerate(vectors):
        along = [sum(solved[i, k] * row[j] for i, row in enumerate(others)) for j in range(len(vector))]
        parts.append(exact.clear_denominators([entry - removed for entry, removed in zip(vector, along, strict=True)]))
    return parts
