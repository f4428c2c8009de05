"""Few rows decide: a band at a time leads to the same plane as all rows at once."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from separatrix import LinearSVM, NotSeparableError
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.data.encode import encode
from separatrix.objectives import SoftMargin
from separatrix.problem.coordinates import Coordinates, spread_out
from separatrix.solvers.svm import decomposition, problem_program, smoothed_newton, working_set
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.svm.problem_program import ProblemProgram
from separatrix.solvers.svm.working_set import expanded

RNG = np.random.default_rng(3)
X = RNG.standard_normal((900, 4)) * [1.0, 10.0, 0.1, 1.0] + [0.0, 50.0, 0.0, -3.0]
G = (X - X.mean(axis=0)) / X.std(axis=0) @ [1.0, 0.5, -0.5, 0.2]
NOISY = (G + 0.7 * RNG.standard_normal(900) > 0).astype(int)
RARE = (G + 0.3 * RNG.standard_normal(900) > np.quantile(G, 0.98)).astype(int)
APART = X + 0.1 * np.sign(G)[:, None] * X.std(axis=0) * [1.0, 0.5, -0.5, 0.2]
DATA = {
    "noisy": (X, NOISY, None),
    "weighted": (X, NOISY, RNG.uniform(0.1, 5.0, 900)),
    "one in fifty": (X, RARE, None),
    "every row three times": (np.repeat(X[:300], 3, axis=0), np.repeat(NOISY[:300], 3), None),
    "random labels": (X, RNG.integers(0, 2, 900), None),
    "separable": (APART, (G > 0).astype(int), None),
    "sparse": (sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0)), NOISY, None),
    "float32": (X.astype(np.float32), NOISY, None),
}


@pytest.fixture
def small(monkeypatch):
    """Make a few hundred rows many, and squares a matter for interior points; counts the programs that are solved."""
    rounds = []
    monkeypatch.setattr(decomposition, "MAX_ROWS_AT_ONCE", 60)
    monkeypatch.setattr(decomposition, "ROWS_PER_COLUMN", 10)
    monkeypatch.setattr(problem_program, "MIN_SAMPLE", 25)
    monkeypatch.setattr(decomposition, "band_size", lambda n, d: 40.0)
    monkeypatch.setattr(decomposition, "narrow_band_size", lambda n, d: 25.0)
    for module in (decomposition, working_set):
        monkeypatch.setattr(module, "n_deciding", lambda k: 25.0)
    monkeypatch.setattr(decomposition, "UNSETTLED_WIDTH", 1.0)
    whole = ProblemProgram.restricted
    monkeypatch.setattr(ProblemProgram, "restricted", lambda self, *how: rounds.append(how) or whole(self, *how))
    monkeypatch.setattr(decomposition, "finite_newton", lambda *how: None)
    return rounds


def plane(problem, **how):
    solution = linear_svm(problem, **how)
    return np.append(solution.w, solution.b), solution


@pytest.mark.parametrize("how", [{"C": 0.01}, {"C": 10.0}, {"C": 1.0, "squared": True}, {"C": 100.0, "squared": True}])
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_same_plane_as_from_all_rows_at_once(fit_intercept, name, how, request):
    rows, labels, weight = DATA[name]
    problem = encode(rows, labels, sample_weight=weight, fit_intercept=fit_intercept).problem
    expected, _ = plane(problem, **how)
    rounds = request.getfixturevalue("small")
    found, solution = plane(problem, **how)
    assert rounds
    assert name == "random labels" or len(rounds[0][0]) < 900, "there no row is far from its margin"
    assert np.allclose(found, expected, rtol=1e-7, atol=1e-8 * np.linalg.norm(expected))
    assert solution.certificate.error(problem) <= 1e-8
    assert dual_variables(solution.certificate).shape == (900,)


@pytest.mark.parametrize("name", ["separable", "every row three times"])
def test_the_same_hard_margin(name, request):
    rows, labels = (APART, (G > 0).astype(int))
    rows, labels = (rows, labels) if name == "separable" else (np.repeat(rows, 3, axis=0), np.repeat(labels, 3))
    problem = encode(rows, labels).problem
    expected, _ = plane(problem, C=np.inf)
    rounds = request.getfixturevalue("small")
    found, solution = plane(problem, C=np.inf)
    assert len(rounds) >= 2
    assert np.allclose(found, expected, rtol=1e-7, atol=1e-9 * np.linalg.norm(expected))
    assert solution.certificate.error(problem) <= 1e-8


@pytest.mark.usefixtures("small")
def test_no_hard_margin_in_parts_either():
    with pytest.raises(NotSeparableError):
        linear_svm(encode(X, NOISY).problem, C=np.inf)
    labels = (G > 0).astype(int)
    labels[int(np.argmax(np.abs(G)))] ^= 1  # a single row far on the wrong side
    with pytest.raises(NotSeparableError):
        linear_svm(encode(APART, labels).problem, C=np.inf)


@pytest.mark.parametrize("objective", [SoftMargin(1.0), SoftMargin(1.0, squared=True), SoftMargin(np.inf)], ids=str)
def test_a_band_far_too_narrow_from_a_plane_far_off_still_ends_right(objective, request, monkeypatch):
    rows, labels = (APART, (G > 0).astype(int)) if objective.hard else (X, NOISY)
    problem = encode(rows, labels).problem
    how = {"C": objective.C, "squared": objective.squared}
    expected, _ = plane(problem, **how)
    rounds = request.getfixturevalue("small")
    monkeypatch.setattr(decomposition, "band_size", lambda n, d: 3.0)
    monkeypatch.setattr(decomposition, "narrow_band_size", lambda n, d: 2.0)
    monkeypatch.setattr(decomposition, "n_deciding", lambda d: 2.0)
    monkeypatch.setattr(decomposition, "UNSETTLED_WIDTH", 0.0)
    for start in (-expected, 0.0 * expected, 100.0 * expected[::-1]):
        found, solution = plane(problem, start=start, **how)
        assert np.allclose(found, expected, rtol=1e-7, atol=1e-8 * np.linalg.norm(expected))
        assert solution.certificate.error(problem) <= 1e-8
    assert len(rounds) > 3


def test_a_good_start_needs_no_sample(small):
    problem = encode(X, NOISY).problem
    start, first = plane(problem)
    _, again = plane(problem, start=start)
    assert again.history.iterations < first.history.iterations


@pytest.mark.parametrize("n", [900, 3000])
def test_a_start_that_costs_more_than_no_plane_is_not_used(n):
    problem = encode(np.tile(X, (4, 1))[:n] + RNG.standard_normal((n, 4)), np.tile(NOISY, 4)[:n]).problem
    good, first = plane(problem)
    for start in (-good, 1e4 * good):
        found, again = plane(problem, start=start)
        assert np.array_equal(found, good)
        assert again.history.iterations == first.history.iterations


@pytest.mark.parametrize("name", DATA)
def test_the_same_plane_where_steps_on_a_smoothed_hinge_lead_nowhere(name, small, monkeypatch):
    rows, labels, weight = DATA[name]
    problem = encode(rows, labels, sample_weight=weight).problem
    expected, _ = plane(problem)
    monkeypatch.setattr(smoothed_newton, "MAX_STEPS", 1)
    found, solution = plane(problem)
    assert len(small) >= 2, "interior points have the sample, too"
    assert np.allclose(found, expected, rtol=1e-7, atol=1e-8 * np.linalg.norm(expected))
    assert solution.certificate.error(problem) <= 1e-8


def test_a_budget_that_ends_between_rounds_leaves_a_true_gap(small):
    problem = encode(X, NOISY).problem
    for most in (1, 5, 12, 20):
        solution = linear_svm(problem, max_iter=most, tol=1e-10)
        assert solution.history.iterations <= most
        assert solution.certificate.error(problem) == solution.certificate.stated < np.inf
    assert small


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_one_row_in_a_hundred_among_thousands(loss):
    """All rows that a first plane leaves short may be of one class, and so may all that are near."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((4000, 4))
        labels = rows[:, 0] + 0.3 * rng.standard_normal(4000) > 2.3
        problem = encode(rows, labels).problem
        for C, start in ((0.01, None), (1.0, None), (1.0, [-50, 0, 0, 0, 300]), (1.0, [50, 0, 0, 0, -300])):
            solution = linear_svm(problem, C=C, squared=loss != "hinge", start=start)
            assert solution.certificate.error(problem) <= 1e-9


@pytest.mark.large
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_many_rows_without_any_change_of_sizes(loss):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((20_000, 6))
    labels = rows @ [2.0, 1.0, 0.0, 0.0, -1.0, 0.5] + rng.standard_normal(20_000) > 3.0
    model = LinearSVM(loss=loss).fit(rows, labels)
    order = rng.permutation(20_000)
    again = LinearSVM(loss=loss).fit(rows[order], labels[order])
    assert np.allclose(model.decision_function(rows), again.decision_function(rows), rtol=1e-8, atol=1e-8)
    assert model.certificate_.stated <= 1e-9
    assert LinearSVM(loss=loss, start=model).fit(rows, labels).n_iter_ < model.n_iter_, "a start saves iterations"


@pytest.mark.parametrize(("n", "d"), [(60, 3), (100, 50), (600, 50), (900, 200), (2000, 20), (3000, 200)])
def test_along_a_row_of_prices_starts_save_iterations(n, d):
    """Also where more rows are on the margin than a tenth of all, and where slack is so dear that there is none."""
    rng = np.random.default_rng(n)
    rows = rng.standard_normal((n, d))
    labels = rows @ rng.standard_normal(d) + 0.5 * np.sqrt(d) * rng.standard_normal(n) > 0.0
    cold, warm, before = 0, 0, LinearSVM(C=0.003).fit(rows, labels)
    for C in np.logspace(-2.0, 2.0, 9):
        model = LinearSVM(C=C).fit(rows, labels)
        plane = np.append(before.coef_, before.intercept_)  # of a model it would take alpha, and another way
        warm += LinearSVM(C=C, start=plane).fit(rows, labels).n_iter_
        cold, before = cold + model.n_iter_, model
    assert warm < 0.95 * cold


def test_merged_rows_lose_as_much_as_they_do_while_all_fall_short():
    problem = encode(X, NOISY, sample_weight=DATA["weighted"][2]).problem
    program = ProblemProgram(problem.posed(SoftMargin(2.0)), Coordinates.of(X, True))
    full = np.flatnonzero(problem.y == 1)
    (total,), (weight,) = program.group_sums([full])
    v = 1e-3 * RNG.standard_normal(5)
    losses = 2.0 * problem.cost[full] * (1.0 - program.rows(full) @ v)
    assert (losses > 0.0).all()
    assert 2.0 * weight * (1.0 - total / weight @ v) == pytest.approx(losses.sum(), rel=1e-12)


def test_squared_rows_that_fall_short_are_a_quadratic():
    problem = encode(X, NOISY, sample_weight=DATA["weighted"][2]).problem
    program = ProblemProgram(problem.posed(SoftMargin(2.0, squared=True)), Coordinates.of(X, True))
    full = np.arange(0, 900, 2)
    groups = [full[problem.y[full] == side] for side in range(2)]
    v = RNG.standard_normal(5)
    losses = (2.0 * problem.cost[full] * (1.0 - program.rows(full) @ v) ** 2).sum()
    constant = 2.0 * problem.cost[full].sum()
    small = program.restricted(full[:0], groups)
    quadratic = 0.5 * v @ (small.H - program.H) @ v - small.f @ v
    assert program.unit * quadratic + constant == pytest.approx(losses, rel=1e-12)


def test_a_sample_weighs_as_much_as_all_rows_of_each_class():
    rng = np.random.default_rng(0)
    problem = encode(rng.standard_normal((9000, 2)), np.arange(9000) % 10 == 0).problem
    sample = ProblemProgram(problem.posed(SoftMargin(1.0)), Coordinates.of(np.eye(2), True)).sample().problem
    assert sample.n_rows == 500 + 8100 // 12
    for side in range(2):
        assert sample.cost[sample.y == side].sum() == pytest.approx(problem.cost[problem.y == side].sum(), rel=1e-12)


def test_rows_spread_out_over_all_of_them():
    assert spread_out(5, 10).tolist() == [0, 1, 2, 3, 4]
    some = spread_out(1000, 10)
    assert (some[0], some[-1], some.size) == (0, 900, 10)
    assert np.ptp(np.diff(some)) <= 1


@pytest.mark.parametrize("looks", [25, 0])
@pytest.mark.parametrize("C", [1.0, 1e3, 1e8])
def test_a_row_that_counts_as_one_that_falls_short_may_just_reach(C, looks, monkeypatch):
    monkeypatch.setattr(smoothed_newton, "MAX_STEPS", looks)
    rng = np.random.default_rng(1)
    rows, rare = rng.standard_normal((20_000, 10)), np.arange(20_000) < 4
    rows[rare] += 3.0  # every one of four rows ends on the margin, with an alpha between its bounds
    model = LinearSVM(C=C).fit(rows, rare)
    assert model.certificate_.stated < 1e-9
    assert model.slacks_[rare].max() < 1e-9
    assert np.all(np.abs(model.dual_coef_) < C)


@pytest.mark.parametrize("n", [1500, 8000])
def test_a_start_from_which_many_rows_just_reach(n):
    rng = np.random.default_rng(14)
    rows, labels = rng.standard_normal((50, 4))[rng.integers(0, 50, n)], rng.integers(0, 2, n)
    before = LinearSVM(C=1e3).fit(rows, labels)  # copies of a row are all on the margin, or none
    assert np.count_nonzero(before.slacks_ < 1e-12) > n / 100
    for C, y in ((1e3, labels), (1e-6, labels), (1e8, labels), (1.0, 1 - labels)):
        assert LinearSVM(C=C, start=before).fit(rows, y).certificate_.stated < 1e-9
    for level in ([0.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0]):
        assert LinearSVM(start=level).fit(rows, labels).certificate_.stated < 1e-9


@pytest.mark.parametrize("rows", [X, X.astype(np.float32), DATA["sparse"][0]])
def test_rows_are_measured_alike_with_and_without_a_compiled_loop(rows, monkeypatch):
    problem = encode(rows, NOISY).problem
    coordinates = Coordinates.of(X[:50], offset=True)
    program, some, found = ProblemProgram(problem.posed(SoftMargin(1.0)), coordinates), np.arange(3, 900, 7), []
    for there in (True, False):
        monkeypatch.setattr(problem_program, "loaded", lambda there=there: there)
        found.append(program.rows(some))
    assert np.array_equal(*found)


def test_a_small_fit_does_not_wait_for_numba():
    fit = "import sys; from separatrix import LinearSVM; LinearSVM().fit([[0.0], [1.0], [3.0]], [0, 0, 1])"
    subprocess.run([sys.executable, "-c", f"{fit}; assert 'numba' not in sys.modules"], check=True)


@pytest.mark.parametrize("C", [1e2, 1e8])
def test_rows_far_from_the_origin_from_a_start_far_off(C):
    rng = np.random.default_rng(5)
    noise = rng.standard_normal((6000, 10))
    rows, labels = 1e8 + noise, noise[:, 0] + 0.5 * rng.standard_normal(6000) > 0.0
    before = LinearSVM(C=1e-8).fit(rows, labels)
    assert LinearSVM(C=C, start=before).fit(rows, labels).certificate_.stated < 1e-8


def test_rows_that_count_together_share_the_alpha_of_their_mean():
    problem = encode(X, NOISY, sample_weight=DATA["weighted"][2]).problem
    program = ProblemProgram(problem.posed(SoftMargin(2.0)), Coordinates.of(X, True))
    full = np.ones(900, dtype=bool)
    full[:10] = False
    upper = 2.0 * problem.cost
    sides = [full & (problem.y == side) for side in range(2)]
    inner = np.append(np.zeros(10), [0.25 * upper[sides[0]].sum(), upper[sides[1]].sum()])
    groups = [np.flatnonzero(side) for side in sides]
    alpha = program.unit * expanded(program, np.ones(900), np.arange(10), groups, inner / program.unit)
    assert np.allclose(alpha[sides[0]], 0.25 * upper[sides[0]], rtol=1e-12)
    assert np.array_equal(alpha[sides[1]], upper[sides[1]])
    assert not alpha[:10].any()
