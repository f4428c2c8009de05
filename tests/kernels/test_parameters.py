"""Gamma as scikit-learn has it and by the nearest rows; names; what is refused, and with which words."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from separatrix.errors import DataError, OptionError
from separatrix.kernels import (
    RBF,
    Fisher,
    Function,
    Linear,
    Normalized,
    Polynomial,
    Precomputed,
    SetIntersection,
    Sigmoid,
    Spectrum,
    Tokens,
    kernel_of,
)

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("gamma", ["scale", "auto"])
@pytest.mark.parametrize("rows", [X, sparse.csr_matrix(np.where(X > 2, X, 0.0)), np.ones((6, 2))])
def test_gamma_is_that_of_scikit_learn(gamma, rows):
    theirs = SVC(gamma=gamma).fit(rows, np.arange(rows.shape[0]) % 3)._gamma
    for kernel in (RBF(gamma), Polynomial(gamma=gamma), Sigmoid(gamma)):
        assert kernel.resolved(rows).gamma == pytest.approx(theirs, rel=1e-13)
    assert (RBF(gamma) + Linear()).resolved(rows).parts[0].gamma == pytest.approx(theirs, rel=1e-13)


def test_entries_that_are_stored_twice_are_added():
    twice = sparse.csr_array(([1.0, 2.0, 1.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    for kernel in (RBF(), Polynomial(gamma="scale"), Normalized(Linear())):
        np.testing.assert_allclose(kernel.matrix(twice), kernel.matrix([[3.0, 0.0], [0.0, 1.0]]), rtol=1e-15)
    assert twice.nnz == 3  # the user's own is left alone


def test_an_unresolved_gamma_is_that_of_the_left_rows():
    np.testing.assert_array_equal(RBF().matrix(X[:20], X), RBF().resolved(X[:20]).matrix(X[:20], X))
    with pytest.raises(OptionError, match="gamma='scale' is a number only once the rows are known"):
        RBF().of_distances(np.zeros(1))


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_sigma_is_the_distance_of_the_nearest_rows_of_different_classes(storage, monkeypatch):
    monkeypatch.setattr("separatrix.kernels.tiles.TILE_ROWS", 32)
    labels = np.array(["setosa", "versicolor", "virginica"])[Y]
    distances = [np.linalg.norm(a - b) for i, a in enumerate(X) for j, b in enumerate(X) if labels[i] < labels[j]]
    assert RBF("nearest").resolved(storage(X), labels).sigma == pytest.approx(min(distances), rel=1e-12)
    far = RBF("nearest").resolved(storage(np.round(X * 10) + 2.0**40), labels)
    assert far.sigma == pytest.approx(min(distances) * 10, rel=1e-12)


def test_equal_rows_of_different_classes_give_no_sigma():
    assert RBF("nearest").resolved([[0.0], [0.0], [3.0], [9.0]], [0, 1, 1, 0]).sigma == pytest.approx(3.0)
    with pytest.raises(DataError, match="two rows of different classes that are not equal. Got 2 rows of 2 classes"):
        RBF("nearest").resolved([[1.0], [1.0]], [0, 1])
    with pytest.raises(OptionError, match=r"needs the classes of the rows. Call kernel.resolved\(X, y\)"):
        RBF("nearest").matrix(X)


def test_names_of_scikit_learn():
    assert kernel_of("linear") == Linear()
    assert kernel_of("rbf", gamma=0.5) == RBF(0.5)
    assert kernel_of("rbf") == RBF("scale")
    assert kernel_of("poly", gamma=1.0, degree=2, coef0=3.0) == Polynomial(2, 3.0, 1.0)
    assert kernel_of("sigmoid", gamma="auto", coef0=-1.0) == Sigmoid("auto", -1.0)
    assert kernel_of("precomputed") == Precomputed()
    assert kernel_of(Tokens(), gamma=5.0) == Tokens()
    assert kernel_of(np.dot) == Function(np.dot)


@pytest.mark.parametrize("kernel", ["gauss", 3, None, RBF])
def test_other_names_are_refused(kernel):
    with pytest.raises(OptionError, match="'kernel' parameter must be one of 'linear', 'poly', .* Got"):
        kernel_of(kernel)


REFUSED = [
    (lambda: RBF(gamma=-1.0), OptionError, "'gamma' parameter must be a finite number above 0, or one of .*Got -1.0"),
    (lambda: RBF(gamma=0.5, sigma=1.0), OptionError, "either 'gamma' or 'sigma', not both. Got gamma=0.5 and sigma=1"),
    (lambda: RBF(sigma=0.0), OptionError, "'sigma' parameter must be a finite number above 0. Got 0"),
    (lambda: RBF(gamma="wide"), OptionError, "or one of 'scale', 'auto', 'nearest'. Got 'wide'"),
    (lambda: Polynomial(gamma="nearest"), OptionError, "or one of 'scale', 'auto'. Got 'nearest'"),
    (lambda: Polynomial(degree=2.5), OptionError, "'degree' parameter must be a whole number of at least 1. Got 2.5"),
    (lambda: Polynomial(degree=0), OptionError, "'degree' parameter must be a whole number of at least 1. Got 0"),
    (lambda: Sigmoid(coef0=np.nan), OptionError, "'coef0' parameter must be a finite number. Got nan"),
    (lambda: Spectrum(0), OptionError, "'k' parameter must be a whole number of at least 1. Got 0"),
    (lambda: Tokens(bag="yes"), OptionError, "'bag' parameter must be True or False. Got 'yes'"),
    (lambda: Function(3), OptionError, "must be callable. Got 3"),
    (lambda: Fisher(SVC()), OptionError, r"must be a fitted GaussianMixture.*Got SVC\(\)"),
    (lambda: RBF(1.0).matrix(["red", "blue"]), DataError, "takes rows of numbers. Got 'red'. Use Tokens"),
    (lambda: Linear().matrix([{1, 2}]), DataError, r"takes rows of numbers. Got \{1, 2\}"),
    (lambda: Linear().matrix([1.0, 2.0]), DataError, r"two dimensions. Got the shape \(2,\)"),
    (lambda: Linear().matrix(np.ones((2, 3)), np.ones((2, 4))), DataError, "Rows of 3 and of 4 columns"),
    (lambda: RBF(1.0).matrix([[1.0], [np.nan]]), DataError, "rows 0 and 1 is nan. Rows must hold finite numbers"),
    (lambda: Polynomial(degree=99).matrix([[1e9]]), DataError, "rows 0 and 0 is inf.*lower its degree"),
    (lambda: Polynomial(degree=99).diagonal([[1.0], [1e9]]), DataError, "rows 1 and 1 is inf"),
    (lambda: Tokens().matrix("one text"), DataError, "takes a sequence of texts, one for each row. Got 'one text'"),
    (lambda: Tokens().matrix([3, 4]), DataError, "Each row must be a string. Got 3"),
    (lambda: Tokens().matrix(["?", "!"]), DataError, "The vocabulary is empty: no text has a word"),
    (lambda: Spectrum(5).matrix(["abc"]), DataError, "The vocabulary is empty: no string is as long as k = 5. Lower k"),
    (lambda: SetIntersection().matrix([set()]), DataError, "The vocabulary is empty: every set is empty"),
    (lambda: SetIntersection().matrix(["ab"]), DataError, "Each row must be a set.*Got 'ab'. Use Tokens or Spectrum"),
    (lambda: SetIntersection().matrix([[["a"]]]), DataError, "elements of a set must be hashable"),
    (lambda: Precomputed().matrix(np.ones((2, 3))), DataError, r"must be square, n x n. Got the shape \(2, 3\)"),
    (lambda: Precomputed().matrix(np.ones((2, 3)), [5]), DataError, r"for number 5. Got the shape \(2, 3\)"),
    (lambda: Precomputed().matrix(np.ones((2, 3)), [0.5]), DataError, r"are numbers of training rows. Got \[0.5\]"),
    (lambda: Precomputed().matrix(["a"]), DataError, r"is a matrix of numbers. Got \['a'\]"),
    (lambda: Function(np.dot).matrix(X[:3]), ValueError, "not aligned"),
    (
        lambda: Function(lambda a, b: 1.0).matrix(X[:3]),
        DataError,
        r"shape \(3, 3\). Got the shape \(\). Set pairs=True",
    ),
    (lambda: RBF(1.0).feature_map(X), OptionError, r"RBF\(gamma=1.0\) has no explicit feature map"),
    (lambda: Polynomial(9).feature_map(np.ones((1, 30))), OptionError, "has 163,011,640 components, more than 100,000"),
    (
        lambda: Polynomial(2, -1.0).feature_map(X),
        OptionError,
        "With coef0 below 0 a polynomial has no real feature map",
    ),
    (lambda: Precomputed().of_products(X, X, X), OptionError, "is no function of inner products. Use its `matrix`"),
]


@pytest.mark.parametrize(
    ("call", "error", "words"), REFUSED, ids=lambda each: each[:40] if isinstance(each, str) else ""
)
def test_what_is_wrong_is_said(call, error, words):
    with pytest.raises(error, match=words):
        call()
