"""What becomes of a plane and its dual variables."""

import numpy as np

from separatrix.losses import SoftMargin
from separatrix.problem import Problem
from separatrix.solvers.budget import Budget
from separatrix.solvers.linear_svm import linear_svm
from separatrix.solvers.svm_answer import answer


def test_rounding_makes_no_support_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    problem, objective = Problem(X, (X[:, 0] > 0).astype(int)), SoftMargin(1.0, False)
    found = linear_svm(problem, C=1.0)
    support = found.certificate.support
    assert 0 < support.size < 40
    dust = np.where(found.alpha > 0, found.alpha, 1e-17)
    again = answer(problem, objective, found.w, found.b, dust, 1e-6, Budget(10))
    np.testing.assert_array_equal(again.certificate.support, support)
    np.testing.assert_array_equal(np.flatnonzero(again.alpha), support)
    assert again.certificate.stated <= 1e-12
