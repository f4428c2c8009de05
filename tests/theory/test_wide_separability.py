"""Many features and several classes: what is proved, what is undecided, and how much memory it takes."""

import itertools
import json

import numpy as np
import pytest

from separatrix import encode, separability, verify
from separatrix.cli.main import main
from separatrix.selection.conclusions.separation_words import separation_words
from separatrix.solvers import budget as budget_module
from separatrix.solvers.budget import Budget, TimeOverError
from separatrix.solvers.separation import newton_alternative
from separatrix.solvers.separation.exact_simplex import origin_in_hull
from separatrix.theory import separability as theory
from separatrix.theory import wide_separability


def slabs(n, d, k=3, gap=0.02, seed=0):
    """Normal rows cut into slabs along one direction, with gaps between them: linear machines separate them."""
    rng = np.random.default_rng(seed)
    X, u = rng.standard_normal((n, d)), rng.standard_normal(d)
    u /= np.linalg.norm(u)
    y = np.searchsorted(np.quantile(X @ u, np.arange(1, k) / k), X @ u)
    return X + gap * np.outer(y, u), y


@pytest.fixture
def wide(monkeypatch):
    """No dimension is small enough for integers."""
    monkeypatch.setattr(theory, "MAX_EXACT_DIMENSION", 0)
    monkeypatch.setattr("separatrix.analysis.separability_text.MAX_EXACT_DIMENSION", 0)


@pytest.mark.large
@pytest.mark.parametrize(("n", "d"), [(4000, 400), (900, 300)])
def test_slabs_are_separable_though_the_middle_one_is_not_from_the_rest(n, d):
    X, y = slabs(n, d)
    found = separability(X, y, time_limit=None)
    assert (found.kind, found.proved) == ("complete", True)
    assert found.certificate.error(encode(X, y).problem) == 0.0
    scores = X @ found.coef.T + found.intercept
    assert (scores.argmax(axis=1) == y).all()


def test_small_slabs(wide):
    X, y = slabs(300, 5)
    found = separability(X, y)
    assert (found.kind, found.proved) == ("complete", True)
    assert "all 3 complete, by the same planes" in str(found)


@pytest.mark.parametrize("seed", range(12))
def test_doubles_never_contradict_integers(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    k = 2 + seed % 3
    X = rng.integers(-3, 4, (12 + 4 * seed, 3)).astype(float)
    y = np.append(np.arange(k), rng.integers(0, k, len(X) - k))
    y = np.where((np.arange(len(y)) > k) & (seed % 2 == 0), np.clip((X[:, 0] + 3) // 2, 0, k - 1), y).astype(int)
    exact = separability(X, y)
    monkeypatch.setattr(theory, "MAX_EXACT_DIMENSION", 0)
    found = separability(X, y)
    assert found.kind in (exact.kind, "undecided")
    if found.witness.size:
        assert exact.kind != "complete"
    assert found.proved == (found.kind != "undecided")
    assert bool(verify(found, X, y)) == found.proved


def test_a_pair_that_overlaps_settles_all_classes(wide):
    rng = np.random.default_rng(0)
    X, y = slabs(400, 6, k=4, gap=1.0)
    mixed = np.flatnonzero(y >= 2)
    y[mixed] = 2 + rng.integers(0, 2, mixed.size)
    found = separability(X, y)
    assert found.certificate.pairs.tolist() == [[2, 3]]
    assert found.certificate.proof
    assert (found.kind, found.proved) == ("undecided", False)  # 0 and 1 are separable from the others: quasi-complete
    assert "no linear machine separates 4 classes strictly" in str(found)
    assert "not so       2-3" in str(found)
    plain = json.loads(json.dumps(found.to_dict()))
    assert {"classes": [2, 3], "kind": "not complete"} in plain["known_pairs"]
    assert {"classes": [0, 1], "kind": "complete"} in plain["known_pairs"]


def test_classes_of_noise_overlap_with_proof(wide):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 6)), np.arange(400) % 4
    found = separability(X, y)
    assert (found.kind, found.proved) == ("overlap", True)
    assert "not even weakly" in str(found)
    assert verify(found, X, y)
    assert not verify(found, X, (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0))


def clock(monkeypatch, step):
    """A clock that goes on by so many seconds each time somebody looks at it."""
    ticks = itertools.count()
    monkeypatch.setattr(budget_module.time, "perf_counter", lambda: step * next(ticks))


@pytest.mark.parametrize("d", [3, 80])
def test_where_the_time_ends_nothing_is_claimed(d, monkeypatch):
    X, y = slabs(2000, d, k=2, gap=1e-3)
    y[:40] = 1 - y[:40]
    monkeypatch.setattr(theory, "MAX_EXACT_DIMENSION", 0)
    clock(monkeypatch, 10.0)
    found = separability(X, y)
    assert (found.kind, found.proved, found.certificate.proof) == ("undecided", False, False)
    assert found.coef is None
    assert found.witness.size == 0
    low, high = found.margin_bounds
    assert low == 0.0 < high < np.inf
    assert "Undecided: no plane was found that separates 0 from 1, nor a proof that there is none." in str(found)
    assert "raise time_limit" in str(found)
    assert separation_words(found, 2000).short == "Undecided"


def test_exact_work_ends_with_the_time():
    X, y = slabs(30_000, 20, k=2, gap=1e-4)  # more than one subset of the rows is needed
    found = separability(X, y, time_limit=1e-9)
    assert (found.kind, found.proved, found.certificate.proof) == ("undecided", False, False)
    assert separability(X, y, time_limit=None).kind == "complete"
    with pytest.raises(TimeOverError):
        origin_in_hull([[1, 0], [0, 1]], Budget(1, 0.0))


def test_pairs_share_the_time(monkeypatch):
    X, y = slabs(60, 2, k=4, gap=1.0)
    found = separability(X, y)
    clock(monkeypatch, 6.0)
    kinds = [each.kind for each in found.pairs.values()]
    assert kinds[0] == "complete"
    assert kinds[-1] == "undecided"  # after thirty seconds
    assert "not examined" not in kinds
    assert all(each.proved == (each.kind != "undecided") for each in found.pairs.values())


@pytest.mark.large
def test_memory_is_that_of_some_rows(monkeypatch):
    made = []

    def counted(original):
        def call(X, index):
            made.append(len(index) * (X.shape[1] if isinstance(X, np.ndarray) else 1))
            return original(X, index)

        return call

    monkeypatch.setattr(newton_alternative, "dense_rows", counted(newton_alternative.dense_rows))
    monkeypatch.setattr(wide_separability, "take", counted(wide_separability.take))
    monkeypatch.setattr(wide_separability, "SAMPLE_ENTRIES", 2**16)
    monkeypatch.setattr(wide_separability, "MAX_ENTRIES_MADE", 2**20)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40_000, 100))
    y = np.clip(np.rint(X[:, 0] + 0.3 * rng.standard_normal(len(X))) + 4, 0, 8).astype(int)
    monkeypatch.setattr(theory, "MAX_EXACT_DIMENSION", 0)
    found = separability(X, y, time_limit=None)
    assert found.certificate.proof
    assert found.witness.size
    search = wide_separability.MachineSearch(found.problem)  # whose samples grow, as the classes overlap
    for _ in range(3):
        search.step(Budget(1))
    assert 2**16 < max(made) <= 2**20 < X.size


def test_wide_margins_have_bounds(wide):
    X, y = slabs(200, 5, k=2, gap=0.5)
    found = separability(X, y)
    low, high = found.margin_bounds
    assert low <= found.margin <= high
    assert high <= low * (1 + 1e-6)
    noisy = separability(X, np.arange(200) % 2)
    assert noisy.margin_bounds == (0.0, 0.0)


def test_the_command_says_what_is_known(tmp_path, capsys, wide):
    X, y = slabs(200, 4, k=3, gap=1.0)
    y[y == 2] = 1 + np.arange((y == 2).sum()) % 2
    lines = [",".join([*map(repr, row), f"c{label}"]) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    path = tmp_path / "three.csv"
    path.write_text("\n".join(["a,b,c,d,kind", *lines]))
    assert main(["separable", str(path), "--target", "kind"]) == 0
    out = capsys.readouterr().out
    assert "Undecided between quasi-complete and overlap: no linear machine separates 3 classes strictly." in out
    assert "'c1'-'c2'" in out
    assert main(["separable", str(path), "--target", "kind", "--check", "--json"]) == 1
    plain = json.loads(capsys.readouterr().out)
    assert (plain["kind"], plain["proved"]) == ("undecided", False)
