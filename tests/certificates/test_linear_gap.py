"""The duality gap of the robust linear program: a lower bound whatever alpha is, and any spoiled part shows."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix import DataError
from separatrix.certificates import DualityGap, Overlap
from separatrix.certificates.claims.overlap import Balance
from separatrix.objectives.mean_slack.objective import MeanSlack
from separatrix.objectives.mean_slack.repair import balanced, shares
from separatrix.problem import Problem
from separatrix.solvers.separation.robust_lp import robust_lp
from solvers.robust_lp_data import overlapping

X, Y = overlapping(0)
PROBLEM = Problem(X, Y, 2, np.random.default_rng(0).integers(1, 4, Y.size).astype(float))
PLANE = robust_lp(PROBLEM)
CLAIM = PLANE.certificate
APART = Problem(X + 5.0 * Y[:, None], Y)


def test_an_optimal_claim_holds():
    assert CLAIM.proof
    assert CLAIM.error(PROBLEM) <= 1e-12
    assert CLAIM.primal == pytest.approx(CLAIM.dual, rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_dual_value_is_below_that_of_every_plane(seed):
    """Alpha that is anything, near the best or far from it, is corrected to a bound that is true."""
    rng = np.random.default_rng(seed)
    best = np.zeros(PROBLEM.n_rows)
    best[CLAIM.support] = CLAIM.alpha
    for size in (1e-12, 1e-6, 1e-3, 1.0):
        alpha = best + size * rng.standard_normal(best.size) * (rng.random(best.size) < 0.2)
        claim = DualityGap.issue(PROBLEM.posed(MeanSlack()), rng.standard_normal(3), 0.0, alpha)
        assert 0.0 <= claim.dual <= CLAIM.primal * (1.0 + 1e-12)
        assert claim.primal >= CLAIM.dual


def test_corrected_sums_vanish_exactly_but_for_rounding():
    alpha = np.zeros(PROBLEM.n_rows)
    alpha[CLAIM.support] = CLAIM.alpha
    inside = np.flatnonzero((alpha > 0.0) & (alpha < shares(PROBLEM)))
    alpha[inside] += 1e-7 * np.random.default_rng(0).standard_normal(inside.size)
    corrected = balanced(PROBLEM, alpha)
    assert corrected.any()
    assert (corrected <= shares(PROBLEM)).all()
    assert abs((corrected * PROBLEM.signs) @ np.column_stack([X, np.ones(Y.size)])).max() < 1e-15


def test_sums_that_cannot_be_made_to_vanish_bound_nothing():
    """One row alone has no row of the other class to cancel it."""
    alone = np.zeros(PROBLEM.n_rows)
    alone[0] = 0.5 * shares(PROBLEM)[0]
    assert DualityGap.issue(PROBLEM.posed(MeanSlack()), PLANE.w, PLANE.b, alone).dual == 0.0


def test_every_spoiled_part_of_the_claim_shows():
    spoiled = {
        "w": replace(CLAIM, w=1.01 * CLAIM.w),
        "b": replace(CLAIM, b=CLAIM.b + 0.05),
        "alpha": replace(CLAIM, alpha=0.9 * CLAIM.alpha),
        "support": replace(CLAIM, support=CLAIM.support[::-1]),
    }
    for part, claim in spoiled.items():
        assert claim.error(PROBLEM) > 1e-4, part
    for other in (replace(PROBLEM, X=X[::-1].copy()), replace(PROBLEM, y=1 - Y), replace(PROBLEM, cost=np.ones(50))):
        assert CLAIM.error(other) > 1e-4


def test_a_value_of_0_is_a_separator():
    claim = robust_lp(APART).certificate
    assert claim.primal == claim.error(APART) == claim.rounding == 0.0
    assert claim.separator.proof
    assert replace(claim, b=claim.b + 100.0, separator=None).error(APART) == 1.0
    assert claim.error(replace(APART, y=1 - Y)) == np.inf


def test_a_value_above_0_comes_with_rows_that_prove_it():
    assert CLAIM.overlap.proof
    assert "rows prove that no plane separates the classes" in str(CLAIM)
    other = Balance(CLAIM.overlap.hulls.index, [2 * weight + 1 for weight in CLAIM.overlap.hulls.weights])
    assert replace(CLAIM, overlap=Overlap.issue(PROBLEM, other)).error(PROBLEM) == np.inf


def test_another_shape_is_refused():
    with pytest.raises(DataError, match="50 rows of 3 features and 1 plane\\(s\\), but the problem has 50 rows x 2"):
        CLAIM.error(replace(PROBLEM, X=X[:, :2]))


def test_it_says_what_it_proves():
    assert str(CLAIM).startswith(
        "DualityGap: minimise the mean slack of each class, added, over 50 rows\n  primal       "
    )
    assert "No plane has a lower value by more than" in str(CLAIM)
    assert str(robust_lp(APART).certificate).count("Every row lies strictly on its own side") == 1
    assert repr(CLAIM) == f"DualityGap(50 rows, stated={CLAIM.stated:.3g})"
    nothing = DualityGap.issue(PROBLEM.posed(MeanSlack()), PLANE.w, PLANE.b, np.zeros(50))
    assert nothing.stated == 1.0
