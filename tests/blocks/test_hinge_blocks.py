"""Hinges over blocks: the optimum of all rows in memory, however the rows are cut and whoever works on them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from separatrix import NotSeparableError
from separatrix.certificates import Collected
from separatrix.data.blocks import read_blocks
from separatrix.data.encode import encode
from separatrix.errors import DataError
from separatrix.estimators.reduction.against_the_rest import each_against_the_rest
from separatrix.estimators.store.values import read, write_value
from separatrix.estimators.store.without_dual import has_dual, shortened
from separatrix.objectives import SoftMargin
from separatrix.objectives.dual_rule import FlatHingeRule, HingeBand
from separatrix.problem import Problem
from separatrix.solvers.blocks.hinge import Limits, solve
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.svm.warm_start import WarmStart

RNG = np.random.default_rng(28)
N, D = 3000, 5
FEW = Limits(rows=400, sample=300)  # so that most rows are counted by rule
CUTS = {
    "one": [],
    "even": [1000, 2000],
    "uneven": [7, 1900, 2950],
    "single rows": [1, 2, 3, 4],
    "empty": [0, 0, 1500, 1500, N],
    "many": list(range(100, N, 100)),
    "other": [2999],
}


def overlapping(n=N, d=D, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.array([1.0, 0.1, 10.0, 1.0, 3.0, 1.0, 2.0, 1.0])[:d]
    return X, (X @ rng.standard_normal(d) + 2.0 * rng.standard_normal(n) + 0.5 > 0).astype(int)


def cut(X, y, weights=None, cuts=()):
    """Blocks of rows, from edges."""
    edges = [0, *cuts, len(y)]
    spans = [slice(*edge) for edge in pairwise(edges)]
    return [(X[part], y[part]) if weights is None else (X[part], y[part], weights[part]) for part in spans]


def in_blocks(blocks, C, fit_intercept=True, limits=FEW):
    problem = read_blocks(blocks).encoded(fit_intercept=fit_intercept).problem
    return solve(problem.posed(SoftMargin(C)), limits=limits)


def in_memory(X, y, C, weights=None, fit_intercept=True):
    problem = encode(X, y, sample_weight=weights, fit_intercept=fit_intercept).problem.posed(SoftMargin(C))
    return each_against_the_rest(problem, None, lambda part, start: linear_svm(part, C=C)), problem


def assert_same(found, wanted, rtol=1e-8):
    assert np.abs(found.extended - wanted.extended).max() <= rtol * np.abs(wanted.extended).max()


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("cuts", CUTS)
def test_the_optimum_is_that_of_all_rows_in_memory(cuts, C):
    X, y = overlapping()
    wanted, problem = in_memory(X, y, C)
    found = in_blocks(cut(X, y, cuts=CUTS[cuts]), C)
    claim = found.certificate
    assert_same(found, wanted)
    assert claim.stated <= 1e-9
    assert claim.error(problem) <= 1e-9
    assert claim.rule.support.size < N / 2, "most rows were counted by rule"
    assert found.history.passes <= 16, "of so few rows at a time"


@pytest.mark.parametrize("cuts", ["one", "uneven", "empty"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_a_class_among_one_with_more_weight_has_no_plane(C, cuts):
    """The optimum is w = 0, with every row of the heavier class on the margin: no band of them is small."""
    X, _ = overlapping()
    y, weights = (np.arange(N) % 5 == 0).astype(int), RNG.uniform(0.5, 1.5, N)
    X = X + 0.5 * y[:, None] * [1.0, 0.1, 10.0, 0.0, 3.0]
    _, problem = in_memory(X, y, C, weights)
    found = in_blocks(cut(X, y, weights, CUTS[cuts]), C)
    claim = found.certificate
    assert isinstance(claim.rule, FlatHingeRule)
    assert not found.w.any()
    assert found.b == -1.0
    assert claim.primal == pytest.approx(2.0 * C * weights[y == 1].sum(), rel=1e-12)
    assert max(claim.stated, claim.error(problem)) <= 1e-9
    turned = in_blocks(cut(X, 1 - y, weights, CUTS[cuts]), C)
    assert (turned.b, turned.certificate.primal) == (1.0, pytest.approx(claim.primal))


@pytest.mark.parametrize("kind", ["float32", "sparse", "dense and sparse", "one class a block", "weights"])
def test_rows_of_any_kind(kind):
    X, y = overlapping()
    weights, cuts = None, [500, 501, 1700]
    if kind == "float32":
        X = X.astype(np.float32)
    if kind == "one class a block":
        order = np.argsort(y, kind="stable")
        X, y, cuts = X[order], y[order], [100, int((y == 0).sum())]
    if kind == "weights":
        weights = RNG.uniform(0.5, 3.0, N)
        weights[::7] = 0.0
    wanted, problem = in_memory(X, y, 1.0, weights)
    blocks = cut(X, y, weights, cuts)
    if "sparse" in kind:
        blocks = [
            (sparse.csr_array(block[0]) if k % 2 or kind == "sparse" else block[0], *block[1:])
            for k, block in enumerate(blocks)
        ]
    found = in_blocks(blocks, 1.0)
    assert_same(found, wanted)
    assert max(found.certificate.stated, found.certificate.error(problem)) <= 1e-9


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits])
def test_raw_features_and_several_classes(load, C):
    X, y = load(return_X_y=True)
    wanted, problem = in_memory(X, y, C)
    found = in_blocks(cut(X, y, cuts=[17, 100]), C, limits=Limits(rows=len(y) // 3, sample=150))
    assert_same(found, wanted)
    assert found.certificate.error(problem) <= 1e-9
    assert found.certificate.stated <= 1e-9
    assert isinstance(found.certificate, Collected) == (load is not load_breast_cancer)


@pytest.mark.parametrize("seed", range(6))
def test_without_an_offset_and_far_from_the_origin(seed):
    X, y = overlapping(seed=seed)
    C, fit_intercept = float(10.0 ** (seed - 3)), seed % 2 == 0
    X = X + 1e4 * (seed % 3)
    wanted, problem = in_memory(X, y, C, fit_intercept=fit_intercept)
    found = in_blocks(cut(X, y, cuts=[1200]), C, fit_intercept=fit_intercept)
    assert_same(found, wanted, 1e-7)
    assert found.certificate.error(problem) <= 1e-6


def test_the_threads_do_not_matter(monkeypatch):
    X, y = overlapping()
    found = []
    for count in (1, 2, 3):
        monkeypatch.setattr("separatrix.problem.runner.cores", lambda count=count: count)
        found.append(in_blocks(cut(X, y, cuts=CUTS["many"]), 1.0))
    for other in found[1:]:
        assert np.array_equal(other.extended, found[0].extended)
        assert other.certificate.values == found[0].certificate.values
        assert np.array_equal(other.certificate.rule.alpha, found[0].certificate.rule.alpha)


@pytest.mark.parametrize("rows", [60, 120, 1000])
def test_a_band_that_must_move(rows):
    X, y = overlapping(n=6000, seed=3)
    wanted, problem = in_memory(X, y, 1.0)
    found = in_blocks(cut(X, y, cuts=[2500]), 1.0, limits=Limits(rows=rows, sample=60))
    assert_same(found, wanted)
    assert found.certificate.error(problem) <= 1e-9
    assert found.certificate.rule.support.size <= 3 * rows


@pytest.mark.parametrize("balanced", [True, False])
def test_an_offset_that_no_row_decides(balanced):
    X, y = overlapping()
    order = np.argsort(y, kind="stable")
    kept = np.concatenate([order[: 1200 if balanced else 900], order[-1200:]])
    X, y, C = X[kept], y[kept], 1e-9  # every row of a class is at its bound
    wanted, problem = in_memory(X, y, C)
    found = in_blocks(cut(X, y, cuts=[700]), C)
    assert_same(found, wanted)
    assert found.certificate.error(problem) <= 1e-6


def test_few_rows_are_solved_in_memory():
    X, y = overlapping()
    wanted, _ = in_memory(X, y, 1.0)
    found = in_blocks(cut(X, y, cuts=[17, 900]), 1.0, limits=Limits())
    assert np.array_equal(found.extended, wanted.extended)
    assert found.history.passes == 1
    assert found.certificate.rule is None


def test_classes_that_are_apart_have_the_hard_margin_of_all_rows():
    X, y = overlapping()
    X = X + np.where(y == 1, 20.0, -20.0)[:, None]
    wanted, problem = in_memory(X, y, np.inf)
    found = in_blocks(cut(X, y, cuts=[400, 1000]), np.inf, limits=Limits(rows=200, sample=50))
    assert_same(found, wanted)
    assert found.certificate.separator.proof
    assert found.certificate.error(problem) <= 1e-9


def test_a_row_that_is_hardly_nearer_than_others_counts_for_the_hard_margin():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, N)
    X = rng.standard_normal((N, 3))
    X[:, 0] = (2 * y - 1) * (1.0 + 1e-4 * rng.random(N))
    wanted, _ = in_memory(X, y, np.inf)
    found = in_blocks(cut(X, y, cuts=[400, 1000]), np.inf, limits=Limits(rows=200, sample=50))
    assert_same(found, wanted)
    assert found.certificate.stated <= 1e-9


def test_classes_that_overlap_have_no_hard_margin_and_the_rows_that_prove_it_are_named():
    X, y = overlapping()
    with pytest.raises(NotSeparableError, match="No plane separates") as refusal:
        in_blocks(cut(X, y, cuts=[400, 1000]), np.inf)
    overlap = refusal.value.overlap
    assert overlap.proof
    assert overlap.error(encode(X, y).problem) == 0.0
    assert np.array_equal(overlap.rows, refusal.value.witness)


def test_a_sparse_table_of_many_columns_is_refused_with_advice():
    X = sparse.random_array((300, 2000), density=0.5, format="csr", rng=1)
    with pytest.raises(DataError, match="squared_hinge"):
        in_blocks(cut(X, np.arange(300) % 2, cuts=[100]), 1.0, limits=Limits(rows=200))


class TestHingeBand:
    """The rule that a dual point follows beyond its band."""

    def claim(self):
        X, y = overlapping()
        return in_blocks(cut(X, y, cuts=[1000]), 1.0).certificate, encode(X, y).problem

    def test_it_is_stored_in_model_files(self):
        claim, problem = self.claim()
        again = read(write_value(claim, "a claim"))
        assert isinstance(again.rule, HingeBand)
        assert np.array_equal(again.rule.alpha, claim.rule.alpha)
        assert again.error(problem) == claim.error(problem)

    def test_it_is_left_out_of_files_without_dual_variables(self):
        claim, _ = self.claim()
        assert has_dual(claim)
        assert shortened(claim).rule is None

    def test_a_warm_start_takes_its_plane_alone(self):
        claim, problem = self.claim()
        again = linear_svm(problem, C=2.0, start=WarmStart.of(claim))
        assert_same(again, linear_svm(problem, C=2.0))

    def test_its_bound_holds_whatever_alpha_is_named(self):
        claim, problem = self.claim()
        optimum = linear_svm(problem, C=1.0).certificate
        rng = np.random.default_rng(0)
        for scale in (0.5, 2.0, 1e6, np.nan):
            rule = claim.rule
            alpha = rule.alpha * scale * rng.uniform(0.0, 2.0, rule.alpha.size)
            other = HingeBand(rule.C, rule.w * rng.uniform(0.1, 3.0), rule.b, rule.support, alpha)
            values = SoftMargin(1.0).fold(claim.w, claim.b, other).over([problem])
            assert values.dual <= optimum.primal

    def test_a_rule_for_another_objective_is_no_claim(self):
        claim, problem = self.claim()
        for rule in (
            replace(claim.rule, C=2.0),
            replace(claim.rule, alpha=claim.rule.alpha[:-1]),
            replace(claim.rule, support=np.zeros_like(claim.rule.support)),
        ):
            assert replace(claim, rule=rule).error(problem) == np.inf
            assert replace(claim, rule=rule).fold().over([problem]) == np.inf

    def test_its_values_are_exact_to_rounding(self):
        claim, problem = self.claim()
        point = claim.rule.within(problem, 0)
        normal = (problem.signs[point.support] * point.alpha) @ problem.X[point.support]
        dual = point.alpha.sum() - 0.5 * normal @ normal
        assert claim.dual <= dual * (1.0 + 1e-12)
        assert claim.dual == pytest.approx(dual, rel=1e-10)

    def test_blocks_name_rows_by_their_numbers_over_all(self):
        claim, problem = self.claim()
        whole = claim.rule.within(problem, 0)
        second = Problem(problem.X[1000:], problem.y[1000:])
        part = claim.rule.within(second, 1000)
        inside = whole.support >= 1000
        assert np.array_equal(part.support + 1000, whole.support[inside])
        assert np.array_equal(part.alpha, whole.alpha[inside])
