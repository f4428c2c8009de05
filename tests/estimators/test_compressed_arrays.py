"""Long arrays in model files: the same bits again, few bytes, and nothing that a damaged file could ask for."""

import base64
import json
import zlib

import numpy as np
import pytest

from separatrix import LinearSVM, load, save, verify
from separatrix.estimators.store.arrays import (
    MIN_ENTRIES_TO_COMPRESS,
    UnfitError,
    compressed,
    decompressed,
    read_array,
    write_array,
)

RANDOM = np.random.default_rng(0)
N = 5000
SPARSE = np.where(RANDOM.random(N) < 0.3, RANDOM.normal(size=N), 0.0)
ARRAYS = {
    "floats": RANDOM.normal(size=N),
    "single": RANDOM.normal(size=N).astype(np.float32),
    "specials": np.tile([np.inf, -np.inf, np.nan, -0.0, 5e-324], N // 5),
    "ascending": np.sort(RANDOM.choice(10**6, N, replace=False)),
    "whole": RANDOM.integers(-(2**62), 2**62, N),
    "bytes": RANDOM.integers(0, 256, N).astype(np.uint8),
    "mostly zero": SPARSE,
    "matrix by columns": np.asfortranarray(RANDOM.normal(size=(N // 10, 10))),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_long_arrays_are_the_same_bits_again(name):
    array = ARRAYS[name]
    tree = json.loads(json.dumps(write_array(array)))
    again = read_array(tree)
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    assert again.tobytes("A") == array.tobytes("A")
    assert isinstance(tree["values"], dict)
    assert len(json.dumps(tree)) <= 1.5 * array.nbytes + 200


def test_short_arrays_are_for_people_to_read():
    assert write_array(np.arange(MIN_ENTRIES_TO_COMPRESS - 1.0))["values"][:3] == [0.0, 1.0, 2.0]


def test_row_numbers_take_a_byte_or_two_each():
    rows = np.flatnonzero(RANDOM.random(100_000) < 0.7)
    assert len(json.dumps(compressed(rows))) < rows.size


@pytest.mark.parametrize(
    "tree",
    [
        {"zlib": ["!!!"], "size": 1},
        {"zlib": [base64.b64encode(b"no zlib").decode()], "size": 1},
        {"zlib": [base64.b64encode(zlib.compress(bytes(80))).decode()], "size": 11},
        {"zlib": [base64.b64encode(zlib.compress(bytes(80))).decode()], "size": 9},
        {"zlib": [base64.b64encode(zlib.compress(bytes(80))[:-3]).decode()], "size": 10},
        {"zlib": [base64.b64encode(zlib.compress(bytes(80))).decode()], "size": 10**12},
        {"zlib": [base64.b64encode(zlib.compress(bytes(80))).decode()], "size": -1},
        {"zlib": "AAAA", "size": 1},
        {"zlib": ["AAAA"], "size": 1, "more": 2},
        {"zlib": ["AAAA"]},
    ],
)
def test_damaged_numbers_are_refused(tree):
    with pytest.raises(UnfitError):
        decompressed("float64", tree)


def test_a_model_of_many_rows(tmp_path):
    X = RANDOM.normal(size=(4000, 3))
    y = np.where(X[:, 0] + 2.0 * RANDOM.normal(size=4000) > 0.0, 1, 0)
    model = LinearSVM(tol=1e-3).fit(X, y)
    save(model, tmp_path / "m.json", data=(X, y))
    again = load(tmp_path / "m.json")
    np.testing.assert_array_equal(again.certificate_.alpha, model.certificate_.alpha)
    np.testing.assert_array_equal(again.support_, model.support_)
    assert verify(again, X, y) == verify(model, X, y)
    text = json.loads((tmp_path / "m.json").read_text())
    alpha = text["model"]["fitted"]["certificate_"]["fields"]["alpha"]
    assert "zlib" in alpha["values"]
