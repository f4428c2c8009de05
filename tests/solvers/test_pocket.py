"""The pocket against a plain loop that counts all rows after each correction."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import Perceptron, PocketPerceptron, Separator, Unproved, kesler_vectors
from separatrix.data import encode, samples
from separatrix.solvers.online.pocket import pocket

ENOUGH = 10**6


def by_hand(vectors, group, passes, start=None):
    """(60.45) on vectors that all want <w, v> > 0: the pocket, its errors, and the errors after each correction."""
    w = np.zeros(vectors.shape[1]) if start is None else start.copy()
    rows = vectors.reshape(-1, group, vectors.shape[1])
    best, fewest, history = w, int((rows @ w <= 0).any(axis=1).sum()), []
    for row in np.tile(rows, (passes, 1, 1)):
        before = w
        for v in row:
            w = w + v if v @ w <= 0 else w
        if w is before:
            continue
        history.append(int((rows @ w <= 0).any(axis=1).sum()))
        if history[-1] < fewest:
            best, fewest = w, history[-1]
        if fewest == 0:
            break
    return best, fewest, history


def signed(X, y):
    return y[:, None] * np.column_stack([X, np.ones(len(X))])


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_pocket_of_the_document(seed, storage):
    table = samples.gaussian_pair(0.7, 50, seed=seed)
    for passes in (1, 3, 12):
        best, fewest, history = by_hand(signed(table.X, table.labels), 1, passes)
        problem = encode(storage(table.X), table.labels).problem
        solution = pocket(problem, patience=ENOUGH, max_iter=passes)
        assert np.allclose(solution.extended, best, rtol=1e-12, atol=1e-12)
        assert solution.history.mistakes == len(history)
        assert isinstance(solution.certificate, Unproved)
        assert solution.certificate.stated == fewest / 50


@pytest.mark.parametrize("seed", range(5))
def test_several_classes(seed):
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1, 2], 15)
    X = np.array([[2.0, 0.0], [-1.0, 2.0], [-1.0, -2.0]])[y] + 1.5 * rng.standard_normal((45, 2))
    best, fewest, _ = by_hand(kesler_vectors(X, y), 2, 8)
    model = PocketPerceptron(patience=ENOUGH, max_iter=8, shuffle=False).fit(X, y)
    assert np.allclose(np.column_stack([model.coef_, model.intercept_]).ravel(), best, rtol=1e-12, atol=1e-12)
    assert np.mean(model.predict(X) != y) == pytest.approx(fewest / 45)


@pytest.mark.parametrize("patience", [1, 2, 7, 40])
@pytest.mark.parametrize("seed", range(4))
def test_patience_ends_exactly_then(seed, patience):
    table = samples.gaussian_pair(0.5, 60, seed=seed)
    _, _, history = by_hand(signed(table.X, table.labels), 1, 60)
    fewest, fruitless, updates = 61, 0, 0
    for errors in history:
        updates += 1
        fewest, fruitless = (errors, 0) if errors < fewest else (fewest, fruitless + 1)
        if fruitless == patience:
            break
    model = PocketPerceptron(patience=patience, max_iter=1000, shuffle=False).fit(table.X, table.labels)
    assert fruitless == patience
    assert model.n_updates_ == updates
    assert model.certificate_.stated == fewest / 60


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
def test_never_worse_than_the_perceptron_whose_planes_it_sees():
    better = 0
    for seed in range(20):
        table = samples.gaussian_pair(0.5, 80, seed=seed)
        rows = signed(table.X, table.labels)
        how = {"max_iter": 10, "random_state": seed, "record": True}
        kept = PocketPerceptron(patience=ENOUGH, **how).fit(table.X, table.labels)
        last = Perceptron(**how).fit(table.X, table.labels)
        assert np.array_equal(kept.trace_.row, last.trace_.row), "the same run"
        wrong = [
            np.count_nonzero(rows @ np.append(model.coef_[0], model.intercept_) <= 0) for model in (kept, last)
        ]  # fmt: skip
        assert wrong[0] <= wrong[1]
        assert wrong[0] == min(np.count_nonzero(rows @ w <= 0) for w in kept.trace_.iterates())
        better += wrong[0] < wrong[1]
    assert better > 10


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_separable_rows_are_separated_and_proved(seed, shuffle):
    table = samples.planted_margin(60, 3, ratio=0.03, seed=seed)[0]
    model = PocketPerceptron(patience=ENOUGH, max_iter=10_000, shuffle=shuffle, random_state=seed)
    model.fit(table.X, table.labels)
    assert isinstance(model.certificate_, Separator)
    assert model.certificate_.proof
    plain = Perceptron(max_iter=10_000, shuffle=shuffle, random_state=seed).fit(table.X, table.labels)
    assert np.array_equal(model.coef_, plain.coef_)
    assert model.n_updates_ == plain.n_updates_
    assert model.n_presentations_ < plain.n_presentations_, "it ends at once, not after a pass without mistakes"


def test_a_start_that_is_the_best_stays_in_the_pocket():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 0, 1, 1])
    start = np.array([1.0, -3.5])
    model = PocketPerceptron(start=start, patience=30, shuffle=False).fit(X, y)
    assert model.coef_.tolist() == [[1.0]]
    assert model.intercept_.tolist() == [-3.5]
    assert model.n_updates_ == 30
    assert model.certificate_.stated == 1 / 6
    apart = PocketPerceptron(start=[1.0, -1.5]).fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    assert (apart.n_updates_, apart.coef_.tolist(), apart.certificate_.proof) == (0, [[1.0]], True)


def test_a_start_that_is_better_than_what_follows_for_several_classes():
    y = np.tile([0, 1, 2], 10)
    X = np.array([[3.0, 0.0], [-2.0, 3.0], [-2.0, -3.0]])[y] + np.random.default_rng(0).standard_normal((30, 2))
    X[0] *= -1  # one row among others
    _, fewest, _ = by_hand(kesler_vectors(X, y), 2, 200)
    found = PocketPerceptron(patience=2000, shuffle=False).fit(X, y)
    start = np.column_stack([found.coef_, found.intercept_])
    again = PocketPerceptron(patience=5, start=start, shuffle=False).fit(X, y)
    assert found.certificate_.stated == again.certificate_.stated == fewest / 30
    assert np.array_equal(again.coef_, found.coef_)


@pytest.mark.parametrize("seed", range(6))
def test_rows_on_the_plane_are_counted_as_wrong(seed):
    """Small whole numbers, so that many rows lie on the planes that are passed through."""
    rng = np.random.default_rng(seed)
    X, two, several = rng.integers(-2, 3, (30, 2)).astype(float), rng.choice([-1, 1], 30), np.arange(30) % 3
    for y, vectors, group in ((two, signed(X, two), 1), (several, kesler_vectors(X, several), 2)):
        for passes in (1, 5):
            best, _, _ = by_hand(vectors, group, passes)
            solution = pocket(encode(X, y).problem, patience=ENOUGH, max_iter=passes)
            assert np.array_equal(solution.extended.ravel(), best)
