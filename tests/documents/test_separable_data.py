"""Gates and data sets that everybody knows: which are linearly separable, with the proof."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from separatrix import LinearSVM, NotSeparableError, encode, separability, verify
from separatrix.data.samples import logic_gate


@pytest.mark.parametrize("name", ["AND", "OR", "NAND", "NOR", "NOT"])
def test_gates_with_a_plane(name):
    gate = logic_gate(name)
    found = separability(gate.X, gate.labels)
    assert found.kind == "complete"
    assert verify(found, gate.X, gate.labels)


@pytest.mark.parametrize("name", ["XOR", "XNOR"])
def test_gates_without(name):
    gate = logic_gate(name)
    found = separability(gate.X, gate.labels)
    assert (found.kind, found.witness.tolist()) == ("overlap", [0, 1, 2, 3])
    assert found.weights.tolist() == [0.5] * 4
    assert verify(found, gate.X, gate.labels)
    assert not verify(found, gate.X, logic_gate("AND").labels)


def test_breast_cancer_is_separable():
    X, y = load_breast_cancer(return_X_y=True)
    found = separability(X, y)
    assert found.kind == "complete"
    assert found.proved
    assert found.margin == pytest.approx(1.0 / np.linalg.norm(LinearSVM(C=np.inf).fit(X, y).coef_), rel=1e-8)
    assert found.margin_certificate.error(encode(X, y).problem) <= 1e-9
    assert "569 rows strictly on their own sides" in str(found)


def test_wine_is_separable_in_every_way():
    X, y = load_wine(return_X_y=True)
    found = separability(X, y)
    assert found.kind == "complete"
    assert {verdict.kind for verdict in [*found.rest.values(), *found.pairs.values()]} == {"complete"}
    assert all(verdict.proved for verdict in found.rest.values())


def test_two_kinds_of_iris_overlap():
    iris = load_iris(as_frame=True)
    names = iris.target_names[iris.target]
    found = separability(iris.data, names)
    assert found.kind == "quasi-complete"  # setosa is told apart, the others are not
    assert found.rest["setosa"].kind == "complete"
    assert {pair: verdict.kind for pair, verdict in found.pairs.items()} == {
        ("setosa", "versicolor"): "complete",
        ("setosa", "virginica"): "complete",
        ("versicolor", "virginica"): "overlap",
    }
    pair = found.pairs["versicolor", "virginica"]
    assert pair.witness.size <= 6
    assert pair.proved
    # the two mixtures are one point, as anyone can check with the rows of the whole table
    X, shares = iris.data.to_numpy()[pair.witness], pair.weights
    own = names[pair.witness] == "versicolor"
    assert shares[own].sum() == pytest.approx(1.0)
    assert shares[own] @ X[own] == pytest.approx(shares[~own] @ X[~own], abs=1e-12)
    assert "not even weakly" in str(pair)


@pytest.mark.large
def test_digits_are_separable_jointly():
    X, y = load_digits(return_X_y=True)
    found = separability(X, y)
    assert (found.kind, found.proved) == ("complete", True)
    assert (X @ found.coef.T + found.intercept).argmax(axis=1).tolist() == y.tolist()


def test_a_hard_margin_names_the_rows_that_make_it_impossible():
    iris = load_iris()
    kept = iris.target > 0
    X, y = iris.data[kept], iris.target[kept]
    with pytest.raises(NotSeparableError, match="6 rows prove it") as refusal:
        LinearSVM(C=np.inf).fit(X, y)
    assert refusal.value.overlap.proof
    assert refusal.value.witness.tolist() == separability(X, y).witness.tolist()
    # rows of weight 0 are left out, and the others keep their numbers
    padded, labels = np.vstack([X[:5], X]), np.append(y[:5], y)
    weight = np.append(np.zeros(5), np.ones(len(X)))
    with pytest.raises(NotSeparableError) as refusal:
        LinearSVM(C=np.inf).fit(padded, labels, sample_weight=weight)
    assert (refusal.value.witness - 5).tolist() == separability(X, y).witness.tolist()
