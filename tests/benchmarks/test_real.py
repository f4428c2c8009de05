"""The benchmark of real data judges each contestant by its own objective; no test depends on time."""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

FOLDER = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(FOLDER))

real = pytest.importorskip("real")
real_fits = pytest.importorskip("real_fits")
real_sets = pytest.importorskip("real_sets")


def iris():
    return real_sets.reduced(real_sets.built_in("iris"), None, scale=False)


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def fitted(family, name, X, y, C=1.0, tol=1e-8):
    contestant = real_fits.FAMILIES[family][name]
    return contestant, contestant.measure(X, y, C, contestant.fit(X, y, C, tol))


@pytest.mark.parametrize("data", [lambda: (iris().X, iris().y), cancer], ids=["three classes", "two classes"])
@pytest.mark.parametrize("family", ["hinge", "squared_hinge", "logistic", "least_squares"])
def test_peers_are_near_the_bound_that_is_proved_for_their_objective(family, data):
    X, y = data()
    peers = {name: each for name, each in real_fits.FAMILIES[family].items() if each.bound}
    assert peers
    for name, contestant in peers.items():
        if not real.is_installed(contestant):
            continue
        below = fitted(family, contestant.bound, X, y)[1]
        gap = (fitted(family, name, X, y)[1] - below) / below
        assert -1e-7 < gap < (1e-2 if name == "LIBLINEAR" else 1e-4), name  # whose passes are limited to 1,000
        loose = contestant.measure(X, y, 1.0, contestant.fit(X[::3], y[::3], 1.0, 1e-2))  # another plane costs more
        assert loose > below * (1 - 1e-7)


@pytest.mark.parametrize("data", [lambda: (iris().X, iris().y), cancer], ids=["three classes", "two classes"])
def test_the_gap_of_a_kernel_machine_closes_with_its_tolerance(data):
    X, y = data()
    gaps = [fitted("kernel", "sklearn SVC", X, y, tol=tol)[1] for tol in (1e-1, 1e-3, 1e-7)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert 0.0 <= gaps[2] + 1e-12 < 1e-6
    assert fitted("kernel", "separatrix KernelSVM", X, y)[1] < 1e-6


@pytest.mark.large
def test_the_script_measures_in_processes_of_their_own(tmp_path, capsys):
    X, y = load_iris(return_X_y=True)
    np.savez(tmp_path / "flowers.npz", X=X, y=y)
    out = tmp_path / "out.json"
    options = ["--no-built-in", "--families", "least_squares", "--limit", "60", "--max-rows", "90", "--json", str(out)]
    real.main([str(tmp_path / "flowers.npz"), *options])
    lines = json.loads(out.read_text())
    assert [line["contestant"] for line in lines] == ["separatrix LeastSquaresClassifier", "sklearn RidgeClassifier"]
    assert all(line["size"].startswith("90 x 4") for line in lines)
    assert all(line["gap"] <= 1e-4 and line["megabytes"] >= 0.0 for line in lines)
    assert "RidgeClassifier" in capsys.readouterr().out


def test_files_of_all_kinds_are_the_same_rows(tmp_path):
    X, y = np.array([[1.0, 0.0], [2.5, 3.0], [0.0, 4.0]]), np.array([0, 1, 1])
    csv = "\n".join(["a,b,kind", *(f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True))])
    svm = "\n".join(f"{label} 1:{a} 2:{b}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True))
    (tmp_path / "one.csv").write_text(csv)
    (tmp_path / "two.svm.gz").write_bytes(gzip.compress(svm.encode()))
    np.savez(tmp_path / "three.npz", X=X, y=y)
    (tmp_path / "notes.md").write_text("no data")
    found = [real_sets.reduced(real_sets.read(file), None, scale=False) for file in real_sets.files_of(str(tmp_path))]
    assert len(found) == 3
    for each in found:
        dense = each.X.toarray() if hasattr(each.X, "toarray") else each.X
        assert np.array_equal(dense, X)
        assert each.y.tolist() == [0, 1, 1]
    with pytest.raises(SystemExit, match="no file or folder"):
        real_sets.files_of(str(tmp_path / "nothing"))
    half = real_sets.reduced(found[0], 2, scale=True)
    assert half.X.shape == (2, 2)
    assert np.allclose(half.X.mean(axis=0), 0.0)
