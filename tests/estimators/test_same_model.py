"""One set of numbers in many containers gives one model."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone, is_regressor

from separatrix import (
    Calibrated,
    KernelNuSVM,
    NuSVM,
    Perceptron,
    PocketPerceptron,
    ReducedHullClassifier,
    StochasticClassifier,
)
from separatrix.data import samples
from separatrix.estimators.registry import estimators

# Calibrated has no plane of its own, and needs two rows of each class; test_calibrated.py has its containers.
WITH_PLANES = [estimator for estimator in estimators() if not isinstance(estimator, Calibrated)]


def wide_indices(matrix):
    matrix = sparse.csr_array(matrix)
    parts = matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    wide = sparse.csr_array(matrix.shape)
    wide.data, wide.indices, wide.indptr = parts
    return wide


def columns(X):
    return {f"column {j}": X[:, j] for j in range(X.shape[1])}


def memory_map(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    return np.load(tmp_path / "X.npy", mmap_mode="r")


CONTAINERS = {
    "Fortran order": np.asfortranarray,
    "list": np.ndarray.tolist,
    "every second row of a larger array": lambda X: np.repeat(X, 2, axis=0)[::2],
    "CSR array": sparse.csr_array,
    "CSR matrix": sparse.csr_matrix,
    "CSC": sparse.csc_array,
    "COO": sparse.coo_array,
    "CSR, 64-bit indices": wide_indices,
    "pandas": lambda X: pd.DataFrame(columns(X)),
    "polars": lambda X: pl.DataFrame(columns(X)),
    "Arrow": lambda X: pa.table(columns(X)),
}
# iris has one decimal: scores that are nearly, but not quite, zero are common, and rounding would decide them
TABLES = {name: samples.builtin(name) for name in ("iris", "wine")} | {
    "two of iris": None,
    "planted": samples.planted_margin(150, 6, ratio=0.01, seed=3)[0],
}


@pytest.fixture(params=TABLES)
def data(request):
    table = TABLES[request.param]
    if table is not None:
        return table.X, table.labels
    iris = TABLES["iris"]
    kept = iris.labels != "setosa"
    return iris.X[kept], iris.labels[kept]


def fitted(estimator, X, y):
    y = np.unique(y, return_inverse=True)[1] if is_regressor(estimator) else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = type(estimator)(**estimator.get_params(deep=False))
        seed = {"random_state": 5} if "random_state" in model.get_params() else {}
        return model.set_params(**seed).fit(X, y)


# Steps that follow the score itself follow its last digits too; those that only ask on which side it is do not.
SMOOTH = {"ThermalPerceptron", "RelaxationClassifier", "LMSClassifier", "LinearSVM", "HoKashyapClassifier"}
SMOOTH |= {"LeastSquaresClassifier", "LogisticClassifier", "FisherDiscriminant", "GaussianDiscriminant", "SparseSVR"}
SMOOTH |= {"NuSVM", "BarycentricClassifier"}


def is_smooth(model):
    return type(model).__name__ in SMOOTH or getattr(model, "loss", None) in ("logistic", "exponential")


def assert_same(one, other, X):
    if not hasattr(one, "coef_"):
        assert_same_machine(one, other, X)
        return
    equal = np.allclose if is_smooth(one) else np.array_equal
    assert equal(one.coef_, other.coef_)
    assert equal(one.intercept_, other.intercept_)
    assert is_regressor(one) or np.array_equal(one.classes_, other.classes_)
    assert one.n_iter_ == other.n_iter_
    rounding = max(getattr(model.certificate_, "rounding", 0.0) for model in (one, other))
    assert one.certificate_.stated == pytest.approx(other.certificate_.stated, rel=1e-9, abs=max(1e-12, rounding))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one of them may know names of features
        same = np.allclose if is_regressor(one) else np.array_equal
        assert same(one.predict(X), other.predict(X))


def assert_same_machine(one, other, X):
    """Machines in the space of a kernel: within a tiny gap of the one optimum, or by the same steps."""
    assert np.array_equal(getattr(one, "classes_", ()), getattr(other, "classes_", ()))
    if hasattr(one, "tol"):
        assert max(one.certificate_.stated, other.certificate_.stated) <= one.tol
    else:
        assert (one.n_iter_, one.certificate_.stated) == (other.n_iter_, other.certificate_.stated)
    if hasattr(one, "classes_"):  # on raw features kernel values of other rows are nearly equal, and alpha not unique
        assert np.array_equal(one.support_, other.support_)
        assert np.allclose(one.dual_coef_, other.dual_coef_, rtol=1e-5, atol=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one of them may know names of features
        scores = [model.predict(X) if is_regressor(model) else model.decision_function(X) for model in (one, other)]
        assert np.allclose(*scores, rtol=1e-5, atol=1e-5)


@pytest.mark.large
@pytest.mark.parametrize("estimator", WITH_PLANES, ids=repr)
@pytest.mark.parametrize("container", ["CSR array", "pandas"])
def test_containers(container, estimator, data):
    X, y = data
    assert_same(fitted(estimator, X, y), fitted(estimator, CONTAINERS[container](X), y), X)


@pytest.mark.large
@pytest.mark.parametrize("estimator", WITH_PLANES, ids=repr)
def test_all_containers_of_the_rows_that_rounding_would_decide(estimator):
    X, y = TABLES["iris"].X[50:], TABLES["iris"].labels[50:]
    expected = fitted(estimator, X, y)
    for contained in CONTAINERS.values():
        assert_same(expected, fitted(estimator, contained(X), y), X)


@pytest.mark.large
@pytest.mark.parametrize("estimator", WITH_PLANES, ids=repr)
def test_float32_of_the_same_values(estimator, data):
    narrow, y = data[0].astype(np.float32), data[1]
    wide = narrow.astype(np.float64)
    expected = fitted(estimator, wide, y)
    for container in (np.asarray, sparse.csr_array, lambda X: pd.DataFrame(columns(X))):
        assert_same(expected, fitted(estimator, container(narrow), y), wide)


@pytest.mark.parametrize("estimator", WITH_PLANES, ids=repr)
def test_a_read_only_memory_map(estimator, tmp_path):
    X, y = samples.logic_gate("NAND").X, samples.logic_gate("NAND").labels
    mapped = memory_map(X, tmp_path)
    assert not mapped.flags.writeable
    assert_same(fitted(estimator, X, y), fitted(estimator, mapped, y), X)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("estimator", WITH_PLANES, ids=repr)
def test_feature_names_are_kept_and_held_to(estimator, frame):
    gate = samples.logic_gate("NAND")
    model = fitted(estimator, frame({"p": gate.X[:, 0], "q": gate.X[:, 1]}), gate.labels)
    assert model.feature_names_in_.tolist() == ["p", "q"]
    predicted = model.predict(frame({"p": gate.X[:, 0], "q": gate.X[:, 1]}))
    assert np.array_equal(predicted, fitted(estimator, gate.X, gate.labels).predict(gate.X))
    with pytest.raises(ValueError, match="(?s)feature names should match.*unseen at fit time:\n- r"):
        model.predict(frame({"p": gate.X[:, 0], "r": gate.X[:, 1]}))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(frame({"q": gate.X[:, 0], "p": gate.X[:, 1]}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(gate.X)
    again = model.fit(gate.X, gate.labels)  # an array has no names
    assert not hasattr(again, "feature_names_in_")
    assert again.n_features_in_ == 2


@pytest.mark.large
def test_wide_rows_that_are_mostly_empty():
    """How much is stored decides how much work a call does, not what comes out; an odd number of rows, too."""
    rng = np.random.default_rng(0)
    X = np.zeros((1001, 1000))
    X[:, :3] = np.round(rng.standard_normal((1001, 3)) * 8) / 8
    y = rng.integers(0, 2, 1001)
    for estimator in (Perceptron(max_iter=100), PocketPerceptron(max_iter=5), StochasticClassifier(max_iter=50)):
        assert_same(fitted(estimator, X, y), fitted(estimator, sparse.csr_array(X), y), X)


@pytest.mark.parametrize("machine", [NuSVM(), KernelNuSVM("linear"), ReducedHullClassifier()], ids=repr)
def test_ties_of_pairs_are_the_same_for_every_container(machine):
    """Rows halfway between two of one row a class are a tie of that pair, though of no other."""
    sizes = [1.2410753541551405, 0.5944511304172723, 0.0272347299734979, -2.0507429982743677]
    rows = np.outer(sizes, [1.0, -1.0, 1.0, 3.0])
    machine = clone(machine).fit(rows, [1, 3, 0, 2])
    middles = np.array([0.5 * (a + b) for a in rows for b in rows])
    expected = machine.predict(middles)
    for container in (sparse.csr_array, np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2]):
        assert np.array_equal(machine.predict(container(middles)), expected)
