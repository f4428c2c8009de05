"""Fingerprints that are summed up over rows: the same however rows are cut, ordered and stored, else different."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import LeastSquaresRegressor, LinearSVM, read_blocks, save
from separatrix.data.row_fingerprint import NO_ROWS, RowSums
from separatrix.estimators.store.model_file import fingerprint_of, read_model_file

RANDOM = np.random.default_rng(0)
X = np.where(RANDOM.random((50, 4)) < 0.5, 0.0, RANDOM.normal(size=(50, 4)))
y = np.where(X[:, 0] > 0, "yes", "no")
WHOLE = RowSums.of(X, y)


def test_cuts_order_and_storage_change_nothing():
    order = RANDOM.permutation(50)
    for cuts in ([10], [1, 2, 49], [0, 25]):
        found = NO_ROWS
        for part in np.split(order, cuts):
            rows = sparse.csr_array(X[part]) if part.size % 2 else np.where(X[part] == 0, -0.0, X[part])
            found = found.merged(RowSums.of(rows, y[part], np.ones(part.size)) if part.size else NO_ROWS)
        assert found.fingerprint == WHOLE.fingerprint
    assert WHOLE.fingerprint.classes == {"no": int((y == "no").sum()), "yes": int((y == "yes").sum())}


def changed():
    """The rows with one thing changed in each."""
    entry, swapped, moved = X.copy(), X.copy(), X.copy()
    entry[7, 2] = np.nextafter(entry[7, 2], 1.0)
    swapped[:2] = X[1::-1]
    moved[5] = np.roll(X[5], 1)
    yield entry, y, None
    yield swapped, y[:2].tolist()[::-1] + y[2:].tolist()[::-1], None
    yield moved, y, None
    yield X, np.where(np.arange(50) == 3, "maybe", y), None
    yield X, y, np.where(np.arange(50) == 3, 2.0, 1.0)
    yield np.vstack([X, X[:1]]), np.append(y, y[0]), None


@pytest.mark.parametrize("rows", list(changed()))
def test_whatever_is_changed_shows(rows):
    assert RowSums.of(*rows).sums != WHOLE.sums


def test_numbers_and_their_texts_are_one_label_but_numbers_to_predict_are_compared_as_such():
    assert RowSums.of(X, [1.0, 0.5] * 25).fingerprint == RowSums.of(X, ["1", "0.5"] * 25).fingerprint
    assert RowSums.of(X, [True, False] * 25).fingerprint == RowSums.of(X, ["True", "False"] * 25).fingerprint
    targets = RANDOM.normal(size=50)
    found = RowSums.of(X, targets, numbers=True)
    assert found.classes is None
    targets[3] = np.nextafter(targets[3], 9.0)
    assert RowSums.of(X, targets, numbers=True).sums != found.sums


def test_a_model_file_knows_the_blocks_of_its_fit_in_memory_too(tmp_path):
    path, blocks = tmp_path / "m.json", read_blocks(X, y, rows_per_block=20)
    save(LinearSVM().fit(blocks), path, data=blocks)
    stored = read_model_file(path)
    assert stored.fingerprint == WHOLE.fingerprint
    assert stored.is_of((X, y), X)
    assert not stored.is_of((X + 1.0, y), X + 1.0)
    numbers = X @ [1.0, 2.0, 0.0, 1.0]
    regression = read_blocks(X, numbers, rows_per_block=20)
    save(LeastSquaresRegressor().fit(regression), path, data=regression)
    assert read_model_file(path).is_of((X, numbers), X)
    assert fingerprint_of(regression, LeastSquaresRegressor()).classes is None
