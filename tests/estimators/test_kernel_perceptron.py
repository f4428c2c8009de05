"""The perceptron in the space of a kernel: the linear one's updates, Novikoff's bound, and claims that fail."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine, make_moons
from sklearn.preprocessing import StandardScaler

from separatrix import (
    Collected,
    DataError,
    KernelPerceptron,
    NotCertifiedWarning,
    OptionError,
    Perceptron,
    Separator,
    Unproved,
    load,
    save,
    verify,
)
from separatrix.data import encode, samples
from separatrix.kernels import RBF, Linear, Polynomial, Precomputed, SetIntersection, Sigmoid, Spectrum, Tokens
from separatrix.problem import Problem, Status
from separatrix.solvers.kernel import dual_passes, gram, row_cache
from separatrix.solvers.kernel.kernel_perceptron import kernel_perceptron
from separatrix.solvers.kernel.kernel_svm import kernel_svm
from separatrix.solvers.online import perceptron

IRIS, WINE = (load(return_X_y=True) for load in (load_iris, load_wine))
MOONS = make_moons(300, noise=0.1, random_state=0)


def dual_form(K, y, bias_step, max_iter):
    """The rule as a textbook has it: every score is summed up from alpha anew."""
    n, alpha, b, streak, presented = len(y), np.zeros(len(y)), 0.0, 0, 0
    while streak < n and presented < max_iter * n:
        i = presented % n
        presented, streak = presented + 1, streak + 1
        if y[i] * ((alpha * y) @ K[i] + b) <= 0.0:
            alpha[i], b, streak = alpha[i] + 1.0, b + y[i] * bias_step, 0
    return alpha, b, presented


@pytest.mark.parametrize("bias_step", [1.0, 3.0, "radius2"])
@pytest.mark.parametrize("kernel", [RBF(2.0), Polynomial(3, 1.0, 0.5), Linear()], ids=repr)
def test_the_rule_of_the_textbook(kernel, bias_step):
    X, y = MOONS[0][:150], MOONS[1][:150]
    problem = Problem(X, y, kernel=kernel)
    K = kernel.matrix(X)
    step = K.diagonal().max() if bias_step == "radius2" else bias_step
    alpha, b, presented = dual_form(K, 2.0 * y - 1.0, step, 40)
    found = kernel_perceptron(problem, bias_step=bias_step, max_iter=40)
    rows = found.certificate.coefficients_of
    assert np.array_equal(rows, np.flatnonzero(alpha))
    assert np.array_equal(found.certificate.w, (alpha * problem.signs)[rows])
    assert found.model.b == pytest.approx(b, rel=1e-12)
    assert (found.history.mistakes, found.history.iterations) == (alpha.sum(), presented)


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_with_the_linear_kernel_it_makes_the_updates_of_the_perceptron(seed, shuffled):
    table, _ = samples.planted_margin(400, 4, ratio=0.02, seed=seed)
    problem = encode(table.X, table.labels).problem
    orders = [np.random.default_rng(seed) if shuffled else None for _ in range(2)]
    plane = perceptron.online(problem, max_iter=10_000, rng=orders[0])
    machine = kernel_perceptron(Problem(problem.X, problem.y, kernel=Linear()), max_iter=10_000, rng=orders[1])
    for count in ("mistakes", "iterations", "passes", "last_mistakes"):
        assert getattr(machine.history, count) == getattr(plane.history, count)
    assert machine.model.coefficients @ np.asarray(machine.model.rows) == pytest.approx(plane.w, rel=1e-9, abs=1e-12)
    assert machine.model.b == plane.b
    assert machine.certificate.examined.nearest == pytest.approx(plane.certificate.examined.nearest, rel=1e-9)
    assert machine.certificate.examined.bound == pytest.approx(plane.certificate.examined.bound, rel=1e-6)


def test_both_estimators_agree_on_the_counts():
    X, y = StandardScaler().fit_transform(IRIS[0][:100]), IRIS[1][:100]
    plane, machine = Perceptron(random_state=3).fit(X, y), KernelPerceptron("linear", random_state=3).fit(X, y)
    assert (machine.n_iter_, machine.n_updates_) == (plane.n_iter_, plane.n_updates_)
    assert machine.dual_coef_ @ machine.support_vectors_ == pytest.approx(plane.coef_, rel=1e-9)
    assert np.abs(machine.dual_coef_).sum() == machine.n_updates_


@pytest.mark.parametrize("kernel", [RBF(5.0), Polynomial(3, 1.0, 1.0), RBF(1.0) + 0.5 * Linear()], ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_novikoffs_bound_in_the_space_of_the_kernel(kernel, seed):
    """At most (R / gamma)^2 mistakes; gamma is the hard margin, through the origin, of the vectors (phi(x), 1)."""
    X, y = make_moons(120, noise=0.08, random_state=seed)
    K = kernel.matrix(X)
    homogeneous = Problem(K + 1.0, y, 2, fit_intercept=False, kernel=Precomputed())
    hard = kernel_svm(homogeneous, C=np.inf).certificate
    assert hard.stated <= 1e-6
    bound = (K.diagonal().max() + 1.0) * 2.0 * hard.primal  # gamma^2 = 1 / ||w||^2
    for rng in (None, np.random.default_rng(seed)):
        found = kernel_perceptron(Problem(X, y, kernel=kernel), max_iter=100_000, rng=rng)
        assert found.status is Status.SEPARATED
        assert 0 < found.history.mistakes <= bound
        assert found.history.mistakes <= found.certificate.examined.bound
        assert found.certificate.examined.bound >= bound * (1 - 1e-5), "no plane has a larger margin than the best"


def test_a_separator_is_recomputed_and_a_false_one_fails():
    X, y = MOONS
    problem = Problem(X, y, kernel=RBF(5.0))
    claim = kernel_perceptron(problem).certificate
    assert claim.proof
    assert claim.error(problem) == 0.0
    w, b, rows = claim.w, float(claim.b), claim.coefficients_of
    g = problem.kernel.matrix(X)[:, rows] @ w + b
    assert ((g > 0) == y).all()
    length = np.sqrt(w @ problem.kernel.matrix(X[rows]) @ w)
    assert claim.examined.nearest == pytest.approx(np.abs(g).min() / length, rel=1e-9)
    moved = Separator.issue(problem, w, b + 1.1 * np.abs(g).min() * -np.sign(g[np.abs(g).argmin()]), None, rows)
    assert moved.stated == pytest.approx(0.1 * np.abs(g).min() / length, rel=1e-6)
    assert (moved.proof, moved.examined.n_wrong) == (False, 1)
    assert claim.error(Problem(X, y, kernel=RBF(5.1))) == np.inf
    assert claim.error(Problem(X, y)) == np.inf
    assert claim.error(Problem(X, 1 - y, kernel=RBF(5.0))) > 0.0
    twice = np.concatenate([rows[:1], rows])
    assert Separator.issue(problem, np.concatenate([w[:1], w]), b, None, twice).stated == np.inf
    assert Separator.issue(problem, w[:-1], b, None, rows).stated == np.inf
    assert Separator.issue(problem, np.array([1.0, 2.0]), b).stated == np.inf, (
        "a plane of the features is no claim here"
    )
    with pytest.raises(OptionError, match="all rows at once"):
        claim.fold()


def test_a_row_that_rounding_decides_is_not_proved():
    """Scores of 1e-16 of their terms have a sign, but no proof of it."""
    X, y = np.array([[1.0], [1.0 + 2.0**-51]]), np.array([0, 1])
    plane = Separator.issue(Problem(X, y), np.array([1.0]), -1.0 - 2.0**-52)
    machine = Separator.issue(Problem(X, y, kernel=Linear()), np.array([1.0]), -1.0 - 2.0**-52, None, np.array([0]))
    assert plane.proof, "exact fractions decide it"
    assert not machine.proof


def test_a_changed_model_does_not_verify():
    X, y = MOONS
    model = KernelPerceptron(gamma=5.0, random_state=0).fit(X, y)
    assert verify(model, X, y)
    for change in ("coefficient", "offset", "row", "kernel"):
        other = pickle.loads(pickle.dumps(model))
        if change == "coefficient":
            other.dual_coef_[0, 0] += 1.0
        elif change == "offset":
            other.intercept_[0] += 1.0
        elif change == "row":
            other.support_vectors_[0] += 0.1
        else:
            other.kernel_ = RBF(4.0)
        assert not verify(other, X, y).holds, change
    assert not verify(model, X, 1 - y).holds


@pytest.mark.parametrize("name", ["two", "three", "given values"])
def test_files_hold_the_claim_and_no_figure_of_it_is_believed(name, tmp_path):
    X, y = {"two": MOONS, "three": IRIS, "given values": (RBF(5.0).matrix(MOONS[0]), MOONS[1])}[name]
    kernel = "precomputed" if name == "given values" else RBF(5.0)
    model = KernelPerceptron(kernel, random_state=0).fit(X, y)
    save(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    assert str(loaded.certificate_) == str(model.certificate_)
    assert verify(loaded, X, y) == (0.0, 0.0, True, True)
    first = getattr(loaded.certificate_, "parts", (loaded.certificate_,))[0]
    for field, other in (
        ("w", 2.0 * first.w),
        ("b", first.b + 1.0),
        ("coefficients_of", first.coefficients_of[::-1]),
        ("coefficients_of", None),
        ("kernel", RBF(5.5)),
        ("kernel", None),
    ):
        forged = pickle.loads(pickle.dumps(loaded))
        part = replace(first, **{field: other})
        several = isinstance(forged.certificate_, Collected)
        forged.certificate_ = (
            replace(forged.certificate_, parts=(part, *forged.certificate_.parts[1:])) if several else part
        )
        assert not verify(forged, X, y).holds, field


def test_classes_that_overlap_are_said_to():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    with pytest.warns(NotCertifiedWarning, match="max_iter=7 with .* The classes may overlap in the space of RBF"):
        model = KernelPerceptron(gamma=1.0, max_iter=7, random_state=0).fit(X, [0, 1, 0, 1])
    assert isinstance(model.certificate_, Unproved)
    assert model.certificate_.stated == np.mean(np.array([-1, 1, -1, 1]) * model.decision_function(X) <= 0.0)
    assert model.n_iter_ == 7
    found = verify(model, X, [0, 1, 0, 1])
    assert (found.holds, found.proved) == (True, False)


def test_several_classes_vote_in_pairs():
    X, y = StandardScaler().fit_transform(WINE[0]), WINE[1]
    model = KernelPerceptron(random_state=0).fit(X, y)
    assert model.certificate_.proof
    assert len(model.certificate_.parts) == 3
    assert verify(model, X, y)
    assert model.score(X, y) == 1.0
    assert model.decision_function(X).shape == (178, 3)
    assert model.dual_coef_.shape == (2, model.support_.size)
    assert model.n_support_.sum() == model.support_.size
    assert np.array_equal(model.support_vectors_, X[model.support_])


def test_texts_strings_sets_and_given_values_are_rows():
    texts = ["a good and sunny day", "what a bad day", "good good food", "bad rain", "sunny and good", "a bad bad meal"]
    moods = ["up", "down", "up", "down", "up", "down"]
    model = KernelPerceptron(Tokens(), random_state=0).fit(texts, moods)
    assert model.predict(["good weather", "bad news"]).tolist() == ["up", "down"]
    assert verify(model, texts, moods)
    strings, kinds = ["ACGTACGT", "ACGTAC", "GTACGT", "TTTTGGGG", "TTTGGG", "TTGGGG"], [0, 0, 0, 1, 1, 1]
    assert KernelPerceptron(Spectrum(3), random_state=0).fit(strings, kinds).predict(["TTTGG"]).tolist() == [1]
    sets = [{1, 2, 3}, {1, 2}, {2, 3}, {7, 8}, {8, 9}, {7, 9}]
    assert verify(KernelPerceptron(SetIntersection(), random_state=0).fit(sets, kinds), sets, kinds)
    X, y = MOONS
    K = RBF(5.0).matrix(X)
    given, known = (
        KernelPerceptron(kernel, shuffle=False).fit(rows, y) for kernel, rows in (("precomputed", K), (RBF(5.0), X))
    )
    assert np.array_equal(given.dual_coef_, known.dual_coef_)
    assert verify(given, K, y)
    assert np.array_equal(given.predict(K), y)
    same = KernelPerceptron(lambda A, B: RBF(5.0).matrix(A, B), shuffle=False).fit(X, y)
    assert np.array_equal(same.dual_coef_, known.dual_coef_)
    assert verify(same, X, y)


def test_sparse_rows_and_float32():
    X, y = MOONS
    dense = KernelPerceptron(gamma=5.0, shuffle=False).fit(X, y)
    for rows in (sparse.csr_array(X), X.astype(np.float32)):
        model = KernelPerceptron(gamma=5.0, shuffle=False).fit(rows, y)
        assert verify(model, rows, y)
        assert np.array_equal(model.predict(X), dense.predict(X))


def test_without_mercers_condition_nothing_is_proved_and_nobody_is_warned():
    X, y = StandardScaler().fit_transform(IRIS[0][:100]), IRIS[1][:100]
    model = KernelPerceptron(Sigmoid(0.1, 0.0), random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert isinstance(model.certificate_, Unproved)
    assert "rounding may have moved the kernel values" in str(model.certificate_)
    assert verify(model, X, y) == (0.0, 0.0, True, False)


def test_scores_that_drifted_are_computed_again_before_the_end(monkeypatch):
    """Kernel values that are wrong by a percent while it runs do not end it with rows on the wrong side."""
    problem = Problem(*make_moons(200, noise=0.15, random_state=2), kernel=RBF(8.0))
    error = 0.01 * np.random.default_rng(0).standard_normal((200, 200))

    def add_rows(self, index, amounts, into):
        into += amounts @ (self.exact * (1.0 + error))[index]

    monkeypatch.setattr(gram.GivenGram, "add_rows", add_rows)
    found = kernel_perceptron(problem)
    assert found.status is Status.SEPARATED
    assert found.certificate.error(problem) == 0.0


def test_the_bound_on_mistakes_is_quoted_for_a_step_of_one_only():
    problem = Problem(*MOONS, kernel=RBF(5.0))
    assert kernel_perceptron(problem, bias_step=3.0).certificate.mistakes is None
    found = kernel_perceptron(problem)
    assert found.certificate.mistakes == found.history.mistakes
    assert f"{found.history.mistakes} <= (R/gamma)^2" in str(found.certificate)


@pytest.mark.parametrize("columns", [0, 100], ids=["kept rows", "computed rows"])
def test_float32_and_blocks_lead_to_a_proof_in_float64(columns, monkeypatch):
    """Few kernel rows are kept and blocks are small: scores drift, are computed again, and the end is still proved."""
    X, y = make_moons(500, noise=0.12, random_state=1)
    problem = Problem(X, y, kernel=RBF(8.0))
    exact = kernel_perceptron(problem)
    monkeypatch.setattr(gram, "MAX_EXACT_ROWS", 10)
    monkeypatch.setattr(gram, "MAX_COLUMNS_TO_COMPUTE", columns)
    monkeypatch.setattr(row_cache, "MIN_ROWS_KEPT", 32)
    monkeypatch.setattr(dual_passes, "BLOCK_ROWS", 16)
    found = kernel_perceptron(problem, cache_mb=0.001)
    assert found.status is exact.status is Status.SEPARATED
    assert found.certificate.error(problem) == 0.0


def test_hard_cases_have_answers_or_clear_errors():
    one = KernelPerceptron().fit([[0.0, 1.0], [3.0, 2.0]], ["a", "b"])
    assert one.predict([[3.0, 2.0], [0.0, 1.0]]).tolist() == ["b", "a"]
    X, y = IRIS[0][:100] + 1e-3 * np.arange(400).reshape(100, 4), IRIS[1][:100]
    assert KernelPerceptron(gamma=1e12, random_state=0).fit(X, y).certificate_.proof  # every row is far from all others
    assert not KernelPerceptron(gamma=1e-16, max_iter=3, shuffle=False).fit(X, y).certificate_.proof  # all rows are one
    zero = np.zeros((4, 2))
    with pytest.warns(NotCertifiedWarning):
        KernelPerceptron("linear", bias_step="radius2", max_iter=5).fit(zero, [0, 1, 0, 1])
    for options, message in (
        ({"bias_step": "radius"}, "'bias_step' parameter must be a positive number or 'radius2'"),
        ({"bias_step": 0.0}, "'bias_step'"),
        ({"max_iter": 0}, "'max_iter'"),
        ({"cache_mb": -1.0}, "'cache_mb'"),
        ({"shuffle": "yes"}, "'shuffle' parameter of KernelPerceptron"),
        ({"gamma": -2.0}, "gamma"),
        ({"kernel": "gauss"}, "'kernel' parameter must be one of"),
    ):
        with pytest.raises(OptionError, match=message):
            KernelPerceptron(**options).fit(*MOONS)
    with pytest.raises(DataError, match="class"):
        KernelPerceptron().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(TypeError, match="sample_weight"):
        KernelPerceptron().fit(*MOONS, sample_weight=np.ones(300))
    given = KernelPerceptron("precomputed", random_state=0).fit(RBF(5.0).matrix(MOONS[0]), MOONS[1])
    with pytest.raises(DataError, match="KernelPerceptron is expecting 300"):
        given.predict(np.ones((2, 7)))
