"""Which coefficients of a logistic regression are infinite, where the separation is quasi-complete.

The likelihood grows along every v that is nowhere negative on the vectors a_i and positive on some. These v span the
same space as all v that are zero on the vectors which no v can make positive. A coefficient stays finite exactly if
it is zero in all of that space; but for directions in which all a_i are zero, along which nothing changes at all
(Albert and Anderson, 1984; Santner and Duffy, 1986).
"""

import numpy as np
from scipy.optimize import linprog

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.problem import Problem
from separatrix.rows import TINY, Vector


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


ZERO_TOLERANCE = 1e-7  # relative to the largest entry, for solutions of linear programs


def signs(inequalities: Inequalities, basis: list[IntegerVector], features: list[int]) -> list[int]:
    """The sign of each feature in all v of a space that are nowhere negative; 0 where they do not agree.

    The least and the largest entry over these v, of a given length, are linear programs.
    """
    index = inequalities.not_orthogonal(np.arange(inequalities.n), basis)
    V = np.array([exact.rounded(vector) for vector in basis]).T
    products = inequalities.vectors(index) @ V
    products /= np.maximum(np.abs(products).max(axis=1), TINY)[:, None]
    total, zeros = products.sum(axis=0)[None], np.zeros(len(products))

    def largest(costs: Vector) -> float:
        """The largest <costs, c> with products c >= 0 that add up to 1."""
        found = linprog(-costs, -products, zeros, total, [1.0], (None, None))
        return -float(found.fun) if found.success else np.inf

    ends = [(-largest(-V[j]), largest(V[j])) for j in features]
    slacks = [ZERO_TOLERANCE * max(map(abs, pair)) for pair in ends]
    return [int(pair[0] >= -slack) - int(pair[1] <= slack) for pair, slack in zip(ends, slacks, strict=True)]


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
