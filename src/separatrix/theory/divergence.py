"""Which coefficients of a logistic regression are infinite, where the separation is quasi-complete.

The likelihood grows along every v that is nowhere negative on the vectors a_i and positive on some. These v span the
same space as all v that are zero on the vectors which no v can make positive. A coefficient stays finite exactly if
it is zero in all of that space; but for directions in which all a_i are zero, along which nothing changes at all
(Albert and Anderson, 1984; Santner and Duffy, 1986).
"""

import numpy as np
from scipy.optimize import linprog

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import Whole
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.problem import Problem
from separatrix.rows import TINY, Vector

NOTHING = 1e-7  # part of the largest entry that is rounding
SOME = 400  # vectors that tell idle directions, checked on all


def divergence(problem: Problem, free: list[Whole]) -> dict[int, int]:
    """The features with an infinite coefficient, and its sign; 0 where the sign depends on the direction.

    Parameters
    ----------
    problem : Problem
        Two classes.
    free : list of whole vectors
        They span the v that are nowhere negative.

    Returns
    -------
    dict of int to int
        Number of a feature to +1, -1 or 0; the offset has the number d.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.theory.divergence import divergence
    >>> X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [2.0, 1.0]])  # the second column is 1 in one class only
    >>> divergence(Problem(X, np.array([0, 1, 0, 1])), [[0, 1, 0]])
    {1: 1}
    """
    inequalities = Inequalities(problem)
    basis = without(idle(inequalities, free), free)
    features = involved(basis)
    return dict(zip(features, signs(inequalities, basis, features), strict=True))


def involved(basis: list[Whole]) -> list[int]:
    """The entries that are not zero in all vectors of a space."""
    return [j for j in range(len(basis[0])) if any(vector[j] for vector in basis)] if basis else []


def signs(inequalities: Inequalities, basis: list[Whole], features: list[int]) -> list[int]:
    """The sign of each feature in all v of a space that are nowhere negative; 0 where they do not agree.

    The least and the largest entry over these v, of a given length, are linear programs.
    """
    among = inequalities.escaping(np.arange(inequalities.n), basis)
    V = np.array([exact.rounded(vector) for vector in basis]).T
    products = inequalities.vectors(among) @ V
    products /= np.maximum(np.abs(products).max(axis=1), TINY)[:, None]
    total, zeros = products.sum(axis=0)[None], np.zeros(len(products))

    def largest(costs: Vector) -> float:
        """The largest <costs, c> with products c >= 0 that add up to 1."""
        found = linprog(-costs, -products, zeros, total, [1.0], (None, None))
        return -float(found.fun) if found.success else np.inf

    ends = [(-largest(-V[j]), largest(V[j])) for j in features]
    slacks = [NOTHING * max(map(abs, pair)) for pair in ends]
    return [int(pair[0] >= -slack) - int(pair[1] <= slack) for pair, slack in zip(ends, slacks, strict=True)]


def idle(inequalities: Inequalities, free: list[Whole]) -> list[Whole]:
    """Whole vectors that span those of a space that are zero on all vectors: along them nothing changes."""
    index, everything = np.arange(0, inequalities.n, max(1, inequalities.n // SOME)), np.arange(inequalities.n)
    while True:
        parts = exact.null_space_of(exact.products(inequalities.vectors(index), free))
        found = [exact.combined(part, free) for part in parts]
        more = inequalities.escaping(everything, found)
        if not more.size:
            return found
        index = np.append(index, more[: len(found)])


def without(idle: list[Whole], vectors: list[Whole]) -> list[Whole]:
    """Whole vectors in the directions of the parts of some that are orthogonal to others."""
    from flint import fmpz_mat

    if not idle:
        return vectors
    L, V = fmpz_mat(idle), fmpz_mat(vectors)
    solved = (L * L.transpose()).solve(L * V.transpose())  # fractions
    parts = []
    for k, vector in enumerate(vectors):
        along = [sum(solved[i, k] * row[j] for i, row in enumerate(idle)) for j in range(len(vector))]
        parts.append(exact.in_proportion([entry - removed for entry, removed in zip(vector, along, strict=True)]))
    return parts
