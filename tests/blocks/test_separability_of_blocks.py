"""Verdicts on rows in blocks: those on all rows in memory, with proofs that hold for all."""

from itertools import pairwise

import numpy as np
import pytest

from separatrix import separability
from separatrix.data.blocks import read_blocks
from separatrix.data.encode import encode
from separatrix.solvers.blocks.hinge import Limits
from separatrix.theory.separability import separability_verdict
from separatrix.theory.separability_of_blocks import separability_of_blocks

N = 2000
FEW = Limits(rows=200, sample=60)


def rows_of(kind, n=N, d=4, seed=0):
    """Rows and classes of a kind of separation that few rows do not show."""
    rng = np.random.default_rng(seed)
    X, w = np.round(rng.standard_normal((n, d)), 3), rng.integers(-4, 5, d) / 4.0 + 0.125
    y = (X @ w > 0.1).astype(int)
    if kind == "barely complete":
        return X, y
    if kind == "one row overlaps":
        y[n // 2] = 1 - y[n // 2]
    if kind == "overlap":
        y = rng.integers(0, 2, n)
    if kind == "overlap in a plane":  # but for one row, all lie in a plane, where they overlap
        y = rng.integers(0, 2, n)
        X[:, 0] = 1.0
        X[n // 3, 0], y[n // 3] = 2.0, 1
    if kind == "all in a plane":
        y = rng.integers(0, 2, n)
        X[:, 0] = X[:, 1]
    if kind == "quasi-complete":
        y = rng.integers(0, 2, n)
        X[:, 0] = np.where(rng.random(n) < 0.4, 0.0, np.where(y == 1, 1.0, -1.0))
    if kind == "three apart":
        y = rng.integers(0, 3, n)
        X[:, :3] = 0.3 * X[:, :3] + 5.0 * np.eye(3)[y]
    if kind == "three mixed":
        y = rng.integers(0, 3, n)
    return X, y


KINDS = [
    "barely complete", "one row overlaps", "overlap", "overlap in a plane", "all in a plane", "quasi-complete",
    "three apart", "three mixed",
]  # fmt: skip


@pytest.mark.parametrize("cuts", [[], [7, 900, 900], list(range(50, N, 50))], ids=["one", "uneven", "many"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_verdict_is_that_of_all_rows(kind, cuts):
    X, y = rows_of(kind)
    problem = encode(X, y).problem
    wanted = separability_verdict(problem)
    edges = [0, *cuts, N]
    blocks = read_blocks([(X[a:b], y[a:b]) for a, b in pairwise(edges)]).encoded().problem
    found = separability_of_blocks(blocks, limits=FEW)
    assert found.kind == wanted.kind
    assert found.proved
    assert found.certificate.error(problem) == 0.0
    assert type(found.certificate) is type(wanted.certificate)
    if wanted.machine is not None:
        assert found.machine.error(problem) <= 1e-6
        assert found.machine.primal == pytest.approx(wanted.machine.primal, rel=1e-8)


def test_few_rows_have_the_verdict_in_memory():
    X, y = rows_of("quasi-complete", n=300)
    blocks = read_blocks(X, y, rows_per_block=70).encoded().problem
    found = separability_of_blocks(blocks)
    assert found.kind == "quasi-complete"
    assert found.certificate.error(encode(X, y).problem) == 0.0


def test_a_proof_of_an_overlap_names_rows_over_all_blocks():
    X, y = rows_of("overlap")
    found = separability_of_blocks(read_blocks(X, y, rows_per_block=333).encoded().problem, limits=FEW)
    assert found.certificate.n_rows == N
    assert found.certificate.rows.max() > 333
    other = encode(np.roll(X, 1, axis=0), y).problem
    assert found.certificate.error(other) > 0.0, "other rows have these numbers"


def test_without_an_offset():
    X, y = rows_of("barely complete")
    blocks = read_blocks(X, y, rows_per_block=500).encoded(fit_intercept=False).problem
    wanted = separability_verdict(encode(X, y, fit_intercept=False).problem)
    found = separability_of_blocks(blocks, limits=FEW)
    assert found.kind == wanted.kind
    assert found.certificate.error(encode(X, y, fit_intercept=False).problem) == 0.0


def test_no_time():
    X, y = rows_of("barely complete")
    blocks = read_blocks(X, y, rows_per_block=500).encoded().problem
    found = separability_of_blocks(blocks, time_limit=1e-9, limits=FEW)
    assert found.kind == "undecided"
    assert not found.proved


def test_separability_takes_blocks():
    X, y = rows_of("barely complete", n=400)
    found = separability(read_blocks(X, np.where(y == 1, "b", "a"), rows_per_block=99))
    assert found.kind == "complete"
    assert found.classes.tolist() == ["a", "b"]
    assert found.coef.shape == (1, 4)
    assert found.margin == pytest.approx(separability(X, y).margin, rel=1e-8)
    assert "Separator" in str(found)
    assert "complete" in repr(found)
    X, y = rows_of("overlap", n=400)
    found = separability(read_blocks(X, y, rows_per_block=99))
    assert found.coef is None
    assert found.witness.size <= 6
