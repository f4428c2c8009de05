"""Every kernel is what its definition says, computed by plain loops."""

import itertools
import math
import re
import tracemalloc
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from separatrix import psd_defect
from separatrix.kernels import (
    RBF,
    Exponential,
    Function,
    Linear,
    Normalized,
    Polynomial,
    Precomputed,
    SetIntersection,
    Sigmoid,
    Spectrum,
    Tokens,
)
from separatrix.kernels.rows_of import as_rows


def rows(n=7, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def dot(x, z):
    return math.fsum(a * b for a, b in zip(x, z, strict=True))


def square(x, z):
    return math.fsum((a - b) ** 2 for a, b in zip(x, z, strict=True))


DEFINITIONS = [
    (Linear(), dot),
    (Polynomial(degree=3, coef0=0.5, gamma=0.7), lambda x, z: (0.7 * dot(x, z) + 0.5) ** 3),
    (Polynomial(degree=1), dot),
    (Polynomial(degree=7, coef0=-1.0), lambda x, z: (dot(x, z) - 1.0) ** 7),
    (RBF(gamma=0.3), lambda x, z: math.exp(-0.3 * square(x, z))),
    (RBF(sigma=0.8), lambda x, z: math.exp(-square(x, z) / (2 * 0.8**2))),
    (Sigmoid(gamma=0.4, coef0=-0.2), lambda x, z: math.tanh(0.4 * dot(x, z) - 0.2)),
    (Exponential(base=3.0), lambda x, z: 3.0 ** dot(x, z)),
]


def looped(function, A, B):
    return np.array([[function(a, b) for b in B] for a in A])


@pytest.mark.parametrize(("kernel", "definition"), DEFINITIONS, ids=[repr(kernel) for kernel, _ in DEFINITIONS])
def test_values_are_those_of_the_definition(kernel, definition):
    A, B = rows(), rows(5, seed=1)
    np.testing.assert_allclose(kernel.matrix(A), looped(definition, A, A), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.matrix(A, B), looped(definition, A, B), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(A), [definition(a, a) for a in A], rtol=1e-12)


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in DEFINITIONS], ids=repr)
def test_storage_of_the_rows_does_not_matter(kernel):
    A, B = rows(), rows(5, seed=1)
    A[np.abs(A) < 0.5], B[np.abs(B) < 0.5] = 0.0, 0.0
    expected = kernel.matrix(A, B)
    for left, right in itertools.product(
        [A, sparse.csr_matrix(A), as_rows(sparse.csr_array(A))], [B, sparse.csc_array(B)]
    ):
        np.testing.assert_allclose(kernel.matrix(left, right), expected, rtol=1e-13)
    np.testing.assert_allclose(kernel.matrix(sparse.csr_array(A)), kernel.matrix(A.tolist()), rtol=1e-13)
    np.testing.assert_allclose(kernel.diagonal(sparse.csr_array(A)), kernel.diagonal(A), rtol=1e-13)
    np.testing.assert_array_equal(
        kernel.matrix(A.astype(np.float32)), kernel.matrix(A.astype(np.float32).astype(float))
    )


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in DEFINITIONS] + [Normalized(Linear()), Linear() * RBF(1.0)])
def test_matrices_of_several_tiles_are_symmetric_and_those_of_their_parts(kernel, monkeypatch):
    A = rows(23)
    whole = kernel.matrix(A)
    monkeypatch.setattr("separatrix.kernels.tiles.TILE_ROWS", 4)
    K = kernel.matrix(A)
    assert (K == K.T).all()
    np.testing.assert_allclose(K, whole, rtol=1e-13)
    np.testing.assert_allclose(kernel.matrix(A, A[3:20]), whole[:, 3:20], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("kernel", [Polynomial(3), RBF(0.1), RBF(0.1) + RBF(0.2), RBF(0.1) + Linear()], ids=repr)
def test_little_more_memory_is_needed_than_for_the_values(kernel, monkeypatch):
    monkeypatch.setattr("separatrix.kernels.tiles.TILE_ROWS", 64)
    A, B = rows(1000, 20), rows(1500, 20, seed=1)
    kernel.matrix(A[:5])  # what is imported late is not counted
    tracemalloc.start()
    K = kernel.matrix(A, B)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    parts_at_once = 1 if kernel.by_products else 2
    assert peak < 1.15 * parts_at_once * K.nbytes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", [*(kernel for kernel, _ in DEFINITIONS), Normalized(Linear()), RBF(1.0) + RBF(2.0)])
def test_a_tile_of_products_becomes_values_of_its_type(kernel, dtype):
    A, B = rows().astype(dtype), rows(5, seed=1).astype(dtype)
    found = kernel.of_products(A @ B.T, np.sum(A * A, axis=1)[:, None], np.sum(B * B, axis=1))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, kernel.matrix(A, B), rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-6)


SETS = [{"a"}, {"a", "b", "c"}, set(), {"b", "c", 4}, {4, (5, "six")}]


def subsets(elements):
    return {frozenset(each) for size in range(len(elements) + 1) for each in itertools.combinations(elements, size)}


def test_common_subsets_are_counted():
    counts = looped(lambda a, b: len(subsets(a) & subsets(b)), SETS, SETS)
    np.testing.assert_array_equal(SetIntersection().matrix(SETS), counts)
    np.testing.assert_array_equal(SetIntersection().matrix(SETS[:2], [list(SETS[3])]), counts[:2, 3:4])
    sizes = np.sqrt(counts.diagonal())
    np.testing.assert_allclose(
        SetIntersection(normalized=True).matrix(SETS), counts / sizes / sizes[:, None], rtol=1e-14
    )
    np.testing.assert_allclose(Normalized(SetIntersection()).matrix(SETS), counts / sizes / sizes[:, None], rtol=1e-14)
    np.testing.assert_array_equal(SetIntersection().diagonal(SETS), counts.diagonal())


def test_large_sets_overflow_unless_normalised():
    large = [set(range(2000)), set(range(4, 2000))]
    np.testing.assert_allclose(SetIntersection(normalized=True).matrix(large), [[1.0, 0.25], [0.25, 1.0]], rtol=1e-13)
    with pytest.raises(ValueError, match=r"rows 0 and 0 is inf.*normalise"):
        SetIntersection().matrix(large)


TEXTS = ["The cat, the dog.", "A dog; THE dog!", "", "Über_2 the café", "?!"]


@pytest.mark.parametrize("bag", [False, True])
def test_words_of_texts(bag):
    words = [Counter(re.sub(r"[^\w]", " ", text.lower()).split()) for text in TEXTS]
    words = words if bag else [Counter(set(each)) for each in words]
    expected = looped(lambda a, b: sum(a[word] * b[word] for word in a), words, words)
    np.testing.assert_array_equal(Tokens(bag=bag).matrix(TEXTS), expected)
    np.testing.assert_array_equal(Tokens(bag=bag).matrix(np.array(TEXTS)[:, None]), expected)
    np.testing.assert_array_equal(Tokens(bag=bag).matrix(TEXTS[:2], TEXTS[2:]), expected[:2, 2:])
    sizes = np.sqrt(expected.diagonal())
    sizes[sizes == 0.0] = np.inf
    for normalized in (Tokens(bag=bag, normalized=True), Normalized(Tokens(bag=bag))):
        np.testing.assert_allclose(normalized.matrix(TEXTS), expected / sizes / sizes[:, None], rtol=1e-14)
        np.testing.assert_allclose(normalized.matrix(TEXTS[:1], TEXTS[1:]), (expected / sizes / sizes[:, None])[:1, 1:])


@pytest.mark.parametrize("k", [1, 2, 3])
def test_substrings_of_strings(k):
    strings = ["abracadabra", "cadabra", "ab", "aaaa", "A b"]

    def occurrences(text, part):
        return sum(text.startswith(part, place) for place in range(len(text)))

    parts = ["".join(each) for each in itertools.product("abrcdA ", repeat=k)]
    expected = looped(lambda a, b: sum(occurrences(a, part) * occurrences(b, part) for part in parts), strings, strings)
    np.testing.assert_array_equal(Spectrum(k).matrix(strings), expected)
    sizes = np.sqrt(np.where(expected.diagonal() > 0, expected.diagonal(), np.inf))
    np.testing.assert_allclose(Spectrum(k, normalized=True).matrix(strings), expected / sizes / sizes[:, None])


@pytest.mark.parametrize("frame", [pd.Series(TEXTS), pd.DataFrame({"text": TEXTS}), pl.Series(TEXTS)], ids=type)
def test_columns_of_frames(frame):
    np.testing.assert_array_equal(Tokens().matrix(frame), Tokens().matrix(TEXTS))


def test_tokens_never_seen_count_in_the_norms_and_with_each_other():
    kernel = Tokens(bag=True)
    encode = kernel.encoder(["red green", "blue"])
    new = encode(["red red pink", "pink gold", "gold"])
    assert encode(["red green", "blue"]).n_columns == 3
    assert new.n_columns == 5
    np.testing.assert_array_equal(kernel.over.diagonal(new), [5, 2, 1])
    np.testing.assert_array_equal(kernel.over.matrix(new), [[5, 1, 0], [1, 2, 1], [0, 1, 1]])
    np.testing.assert_array_equal(kernel.over.matrix(encode(["red green", "blue"]), new), [[2, 0, 0], [0, 0, 0]])


def test_functions_of_all_rows_and_of_pairs():
    A, B = rows(), rows(5, seed=1)
    matrix, pairs = Function(lambda left, right: left @ right.T), Function(lambda a, b: a @ b, pairs=True)
    for kernel in (matrix, pairs):
        np.testing.assert_allclose(kernel.matrix(A, B), A @ B.T)
        np.testing.assert_allclose(kernel.diagonal(A), np.sum(A * A, axis=1))
    np.testing.assert_allclose(Normalized(pairs).matrix(A), Normalized(Linear()).matrix(A))
    np.testing.assert_allclose(Normalized(matrix).matrix(A, B), Normalized(Linear()).matrix(A, B))
    prefix = Function(lambda a, b: len(a) if b.startswith(a) else 0.0, pairs=True)
    assert prefix.matrix(["ab"], ["abc", "x"]).tolist() == [[2.0, 0.0]]


def test_a_given_matrix_is_its_own_kernel():
    K = rows(4, 4)
    np.testing.assert_array_equal(Precomputed().matrix(K), K)
    np.testing.assert_array_equal(Precomputed().matrix(K[:2], [3, 0]), K[:2][:, [3, 0]])
    np.testing.assert_array_equal(Precomputed().diagonal(K), K.diagonal())


@pytest.mark.parametrize(
    ("kernel", "X"),
    [
        (Linear(), rows(20)),
        (Polynomial(degree=4, coef0=1.0), rows(20)),
        (RBF(gamma=0.1), rows(20)),
        (RBF(gamma=1e-12), rows(20)),
        (Exponential(base=1.5), rows(20)),
        (SetIntersection(), SETS),
        (SetIntersection(normalized=True), SETS),
        (Tokens(bag=True), TEXTS),
        (Tokens(normalized=True), TEXTS),
        (Spectrum(2), TEXTS),
        (RBF(gamma=1.0) * Polynomial(degree=2) + 2.0 * Linear(), rows(20)),
        (Normalized(Polynomial(degree=2, coef0=1.0)), rows(20)),
    ],
    ids=lambda each: type(each).__name__,
)
def test_inner_products_are_positive_semidefinite(kernel, X):
    assert psd_defect(kernel.matrix(X)).holds
