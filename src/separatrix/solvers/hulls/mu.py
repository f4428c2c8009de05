"""The largest weight of a row in a reduced hull, mu: which values leave both hulls with points.

    1 / W_min  <=  mu            W_min the weight of the lighter class, its number of rows where none has a weight

Below, weights of at most mu c_i do not add up to 1, and the hull of the lighter class is empty. In terms of the
nu-SVM, nu = 2 / (mu W) <= 2 W_min / W (Crisp and Burges, 1999).
"""

from typing import Any

from separatrix.certificates.arithmetic.reduced_hull import MASS_RTOL, smallest_mu
from separatrix.errors import OptionError
from separatrix.problem import Problem
from separatrix.solvers.options import number

AUTO_FACTORS = (2.0, 1.5, 1.25, 1.125, 1.0)  # of the smallest mu: nu = 1/2 for equal classes, up to 1


def feasible_mu(problem: Problem, mu: Any) -> float:
    """Check that mu is a number for which neither reduced hull is empty.

    >>> import numpy as np
    >>> feasible_mu(Problem(np.arange(5.0)[:, None], np.array([0, 0, 1, 1, 1])), 0.4)
    Traceback (most recent call last):
    separatrix.errors.OptionError: The 'mu' parameter must be in [0.5, 1] ... Got 0.4. ...
    """
    value, least = number("mu", mu, above=0.0), smallest_mu(problem.y, problem.cost)
    if value < least * (1.0 - MASS_RTOL):
        most = 1.0 / float(problem.cost.min())
        raise OptionError(
            f"The 'mu' parameter must be in [{least:.6g}, {most:.6g}] for these classes: below, the weights of the "
            f"lighter one, at most mu each, cannot add up to 1; from the other end on, hulls are whole. Got {mu!r}. "
            f"Use mu={least:.6g} or more, or mu='auto'."
        )
    return value


def candidate_mus(problem: Problem) -> list[float]:
    """What mu="auto" tries in turn, until the reduced hulls are apart.

    The first is twice the smallest mu: half of the weight of the lighter class is then at least at its bound, and for
    equal classes nu is 1/2. Classes that overlap more need a smaller one. The last is the smallest.

    >>> import numpy as np
    >>> candidate_mus(Problem(np.arange(5.0)[:, None], np.array([0, 0, 1, 1, 1])))
    [1.0, 0.75, 0.625, 0.5625, 0.5]
    """
    least, whole = smallest_mu(problem.y, problem.cost), 1.0 / float(problem.cost.min())
    return list(dict.fromkeys(min(factor * least, max(whole, least)) for factor in AUTO_FACTORS))
