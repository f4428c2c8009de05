"""LinearSVM on data that break other solvers."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse

from separatrix import LinearSVM, NotSeparableError, verify
from separatrix.data import samples
from separatrix.estimators.registry import algorithms

RNG = np.random.default_rng(0)
LOSSES = ["hinge", "squared_hinge"]
FLAT = np.column_stack([RNG.standard_normal((40, 2)), np.full(40, 7.0), np.zeros(40)])
GENES = RNG.standard_normal((62, 2000))
ALONE = np.vstack([[3.0, 3.0, 3.0], RNG.standard_normal((1000, 3))])
DATA = {
    "62 rows of 2000 features": (GENES, np.arange(62) % 3 == 0),
    "two rows": (np.array([[1.0, 2.0], [1.0, 2.5]]), [0, 1]),
    "two rows of 500 features": (GENES[:2, :500], [0, 1]),
    "every row five times": (np.repeat(RNG.standard_normal((20, 3)), 5, axis=0), np.repeat(np.arange(20) % 2, 5)),
    "every row with both labels": (np.repeat(RNG.standard_normal((20, 3)), 2, axis=0), np.arange(40) % 2),
    "some rows with both labels": (
        np.repeat(FLAT[:20, :2], 2, axis=0),
        np.append(np.arange(10) % 2, [0] * 15 + [1] * 15),
    ),
    "columns that never change": (FLAT, FLAT[:, 0] + 0.3 * FLAT[:, 1] > 0),
    "nothing but zeros": (np.zeros((6, 3)), [0, 1, 0, 1, 1, 1]),
    "zeros, as many of both": (np.zeros((6, 3)), [0, 1] * 3),
    "one row against a thousand": (ALONE, np.arange(1001) == 0),
    "one column": (np.linspace(-1, 1, 30)[:, None], np.arange(30) % 7 > 3),
    "the same column thrice": (np.repeat(RNG.standard_normal((30, 1)), 3, axis=1), np.arange(30) % 2),
    "exclusive or": (samples.logic_gate("XOR").X, samples.logic_gate("XOR").labels),
    "tiny": (1e-90 * RNG.standard_normal((30, 3)), np.arange(30) % 2),
    "large": (1e4 * RNG.standard_normal((30, 3)), np.arange(30) % 2),
    "columns 12 orders apart": (RNG.standard_normal((50, 3)) * [1e-6, 1.0, 1e6], np.arange(50) % 2),
    "mostly empty": (sparse.random(80, 300, density=0.01, random_state=1), np.arange(80) % 2),
}


def quiet(X, y, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return LinearSVM(**how).fit(X, y)


@pytest.mark.parametrize("C", [1e-12, 1e-3, 1.0, 1e3, 1e12])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", DATA)
def test_every_fit_is_certified_without_a_warning(name, loss, C):
    X, y = DATA[name]
    model = quiet(X, y, C=C, loss=loss)
    found = verify(model, X, y)
    assert found.error <= 1e-6
    assert found.holds
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize(
    "name", ["62 rows of 2000 features", "two rows", "two rows of 500 features", "columns that never change"]
)
def test_separable_ones_have_a_hard_margin(name):
    X, y = DATA[name]
    model = quiet(X, y, C=np.inf)
    assert model.score(X, y) == 1.0
    assert verify(model, X, y).error <= 1e-9
    assert np.abs(model.decision_function(X)).min() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
@pytest.mark.parametrize("scale", [1e14, 1e20, 1e90])
@pytest.mark.parametrize("loss", LOSSES)
def test_rows_too_long_for_any_bound_get_the_best_plane_all_the_same(loss, scale):
    """sum alpha y x would have to cancel to more digits than there are; the losses do not mind."""
    X, y = np.random.default_rng(0).standard_normal((30, 3)), np.arange(30) % 2
    expected = LinearSVM(C=1e8, loss=loss).fit(X, y).slacks_
    model = LinearSVM(loss=loss).fit(scale * X, y)
    power = 1 + (loss == "squared_hinge")
    assert verify(model, scale * X, y).holds
    assert (model.slacks_**power).sum() == pytest.approx((expected**power).sum(), rel=1e-3)


@pytest.mark.parametrize("scale", [1e-90, 1e-30, 1e30, 1e90])
@pytest.mark.parametrize("loss", LOSSES)
def test_other_units_with_a_price_to_match(loss, scale):
    table = samples.gaussian_pair(1.0, 60, seed=3)
    expected = quiet(table.X, table.labels, loss=loss)
    model = quiet(scale * table.X, table.labels, C=1.0 / scale**2, loss=loss)
    assert np.allclose(scale * model.coef_, expected.coef_, rtol=1e-8)
    assert model.intercept_[0] == pytest.approx(expected.intercept_[0], rel=1e-8)


@pytest.mark.parametrize("scale", [1e-90, 1e-30, 1e30, 1e90])
def test_the_hard_margin_in_other_units(scale):
    table, _ = samples.planted_margin(60, 3, ratio=0.05, seed=0)
    expected = quiet(table.X, table.labels, C=np.inf)
    model = quiet(scale * table.X, table.labels, C=np.inf)
    assert np.allclose(scale * model.coef_, expected.coef_, rtol=1e-8)
    assert model.margin_width_ == pytest.approx(scale * expected.margin_width_, rel=1e-8)


INSEPARABLE = {
    "overlapping": ([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]),
    "touching": ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]),
    "the same row": ([[1.0, 2.0], [1.0, 2.0]], [0, 1]),
    "all zero": (np.zeros((4, 2)), [0, 1, 0, 1]),
    "exclusive or": DATA["exclusive or"],
    "one in the middle": ([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [1.0, 1.0]], [0, 0, 0, 0, 1]),
    "a hundred rows": (RNG.standard_normal((100, 5)), np.arange(100) % 2),
    "in thousandths": (1e-3 * RNG.standard_normal((100, 5)), np.arange(100) % 2),
    "in millions": (1e6 * RNG.standard_normal((100, 5)), np.arange(100) % 2),
    "three classes in a row": ([[0.0], [1.0], [2.0], [3.0]], [0, 1, 2, 2]),
}


@pytest.mark.parametrize("name", INSEPARABLE)
def test_no_hard_margin_where_no_plane_separates(name):
    with pytest.raises(NotSeparableError, match="No plane separates the classes.*Use a finite C"):
        quiet(*INSEPARABLE[name], C=np.inf)


def test_no_hard_margin_through_the_origin():
    rows, labels = [[1.0], [2.0]], [0, 1]
    assert quiet(rows, labels, C=np.inf).score(rows, labels) == 1.0
    with pytest.raises(NotSeparableError):
        quiet(rows, labels, C=np.inf, fit_intercept=False)


def test_the_squared_hinge_has_the_same_hard_margin():
    table, _ = samples.planted_margin(60, 3, ratio=0.05, seed=1)
    hard = [quiet(table.X, table.labels, C=np.inf, loss=loss) for loss in LOSSES]
    assert np.array_equal(hard[0].coef_, hard[1].coef_)


def test_all_zero_rows_are_told_apart_by_the_offset_alone():
    most = quiet(*DATA["nothing but zeros"])
    assert not most.coef_.any()
    assert most.predict([[0.0, 0.0, 0.0]]).tolist() == [1]
    assert most.margin_width_ == np.inf
    assert quiet(*DATA["zeros, as many of both"]).intercept_[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.large
def test_float32_rows_are_not_copied_to_float64():
    """A fit takes as much memory beside its rows as for rows in float64, which are not copied at all."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50_000, 40))
    y = X[:, 0] + 0.5 * rng.standard_normal(len(X)) > 0
    most = []
    for rows in (X, X.astype(np.float32)):
        LinearSVM(C=1e-4).fit(rows, y)  # compiled loops for these numbers take memory, too
        tracemalloc.start()
        LinearSVM(C=1e-4).fit(rows, y)
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert most[1] < most[0] + 0.3 * X.nbytes


def test_registry_rows_make_both_losses():
    rows = {algorithm.name: algorithm for algorithm in algorithms("classification")}
    assert rows["linear SVM"].make().loss == "hinge"
    assert rows["linear SVM, squared hinge"].make(C=2.0).get_params()["loss"] == "squared_hinge"
    assert rows["linear SVM, squared hinge"].make(C=2.0).C == 2.0


@pytest.mark.parametrize("seed", range(6))
def test_a_hard_margin_on_rows_of_one_line(seed):
    rng = np.random.default_rng(seed)
    t = np.append(rng.uniform(-3, -0.2, 20), rng.uniform(0.2, 3, 20))
    X, y = np.outer(t, rng.standard_normal(4)).astype(np.float32), t > 0
    model = LinearSVM(C=np.inf).fit(X, y)
    lengths = np.linalg.norm(X.astype(float), axis=1)
    apart = lengths[y].min() + lengths[~y].min()  # the nearest rows, on opposite sides of the origin
    assert model.margin_width_ == pytest.approx(apart, rel=1e-5)
    assert model.certificate_.proof


@pytest.mark.parametrize("scale", [1e-15, 1.0, 1e15])
def test_tiny_rows_are_no_overlap(scale):
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((16, 14)), np.arange(16) % 2
    model = LinearSVM(C=np.inf).fit(X * scale, y)
    assert model.margin_width_ == pytest.approx(scale * LinearSVM(C=np.inf).fit(X, y).margin_width_, rel=1e-6)


@pytest.mark.parametrize("C", [1.0, 1e4])
@pytest.mark.parametrize("times", [1e4, 1e6])
@pytest.mark.parametrize(("n", "d", "seed"), [(200, 3, 2), (1500, 4, 1), (1500, 4, 5)])
def test_rows_far_from_all_others_do_not_stop_the_search(n, d, seed, times, C):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] + rng.standard_normal(n) > 0.0).astype(int)
    X[:5] *= times
    model = quiet(X, y, C=C)
    assert verify(model, X, y).error <= 1e-6


@pytest.mark.parametrize("seed", [22, 41, 50])
def test_rows_that_repeat_with_uneven_weights_are_settled(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((25, 2))[rng.integers(0, 25, 500)]
    y = (X @ rng.standard_normal(2) + rng.choice([0.1, 1.0]) * rng.standard_normal(500) > 0.0).astype(int)
    model = LinearSVM(C=1e6).fit(X, y, sample_weight=rng.choice([0.01, 1.0, 100.0], 500))
    assert model.certificate_.stated <= 1e-6


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n", [60, 4000])
@pytest.mark.parametrize("far", [1e3, 1e6])
def test_planes_through_the_origin_of_rows_far_from_it(far, n, loss):
    """All columns are nearly the same there; in coordinates along their mean and across it they are not."""
    rng = np.random.default_rng(0)
    spread = rng.standard_normal((n, 6))
    y = np.where(spread @ rng.standard_normal(6) + 0.3 * rng.standard_normal(n) > 0.0, 1, -1)
    for C in (0.01, 1.0, 1000.0):
        model = quiet(spread + far, y, C=C, loss=loss, fit_intercept=False)
        assert model.certificate_.stated <= 1e-7
        assert verify(model, spread + far, y)
        assert model.score(spread + far, y) > 0.6
