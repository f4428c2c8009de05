"""The bound is the least that Novikoff's theorem gives, and never less than the truth."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import DataError, OptionError, mistake_bound
from separatrix.certificates import Separator
from separatrix.certificates.arithmetic.exact import fraction
from separatrix.data import encode, samples
from separatrix.theory import bounds
from theory.margin_oracle import best_bound

WAYS = [
    {},
    {"fit_intercept": False},
    {"bias_step": 4.0},
    {"bias_step": "radius2"},
    {"normalized": True},
    {"normalized": True, "bias_step": "radius2"},
    {"normalized": True, "fit_intercept": False},
]


def two_classes(seed, n=80, d=3):
    """Separable without an offset, and so with any."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.uniform(0.5, 5.0, d)
    scores = X @ rng.standard_normal(d)
    far = np.abs(scores) > 0.2
    return X[far], scores[far] > 0


def three_classes(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, 3))
    far = np.diff(np.sort(scores, axis=1))[:, -1] > 0.2
    return X[far], scores[far].argmax(axis=1)


@pytest.mark.parametrize("ratio", [0.3, 1e-2, 1e-4])
@pytest.mark.parametrize("n_features", [1, 4, 30])
def test_planted_margins(n_features, ratio):
    table, gamma = samples.planted_margin(100, n_features, ratio, seed=n_features)
    bound = mistake_bound(table.X, table.labels)
    assert bound <= ratio**-2 * (1 + 1e-9), "the best plane is at least as good as the planted one"
    assert bound == pytest.approx(best_bound(table.X, table.labels), rel=1e-6)
    assert mistake_bound(table.X, table.labels, gamma) == pytest.approx(ratio**-2, rel=1e-9)


@pytest.mark.parametrize("how", WAYS, ids=str)
@pytest.mark.parametrize("data", [two_classes, three_classes])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_best_bound_there_is(data, seed, how):
    X, y = data(seed)
    bound = mistake_bound(X, y, **how)
    assert np.isfinite(bound)
    assert bound == pytest.approx(best_bound(X, y, **how), rel=1e-6)
    assert mistake_bound(sparse.csr_array(X), y, **how) == pytest.approx(bound, rel=1e-9)


def test_a_step_of_one_is_the_plain_rule():
    X, y = two_classes(5)
    assert mistake_bound(X, y, bias_step=1) == mistake_bound(X, y) == mistake_bound(X, y, bias_step=1.0)


def test_by_hand():
    """Rows [0, 1] and [3, 1], times their sides (0, -1) and (3, 1): v = (2/3, -1) has <v, z> = 1 on both."""
    X, y = [[0.0], [3.0]], ["no", "yes"]
    assert mistake_bound(X, y) == pytest.approx(10 * (1 + 4 / 9), rel=1e-12)
    # (0, -3) and (3, 3): v = (2/3, -1/3); R^2 = 18
    assert mistake_bound(X, y, bias_step="radius2") == pytest.approx(18 * 5 / 9, rel=1e-12)
    # (0, -1) and (3, 1) / sqrt(10): unit vectors with the cosine c = -1 / sqrt(10): gamma^2 = (1 + c) / 2
    assert mistake_bound(X, y, normalized=True) == pytest.approx(2 / (1 - 10**-0.5), rel=1e-12)


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_classes_that_no_plane_separates(how):
    gate, pair = samples.logic_gate("XOR"), samples.gaussian_pair(1.0, 500, seed=1)
    assert mistake_bound(gate.X, gate.labels, **how) == np.inf
    assert mistake_bound(pair.X, pair.labels, **how) == np.inf
    assert mistake_bound(np.arange(12.0)[:, None], np.tile([0, 1, 2], 4), **how) == np.inf
    assert mistake_bound([[1.0, 2.0], [1.0, 2.0]], [0, 1], **how) == np.inf
    assert mistake_bound(np.zeros((4, 2)), [0, 1, 0, 1], **how) == np.inf


def test_classes_that_touch_have_no_bound():
    assert mistake_bound([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]) == np.inf


@pytest.mark.parametrize("power", [-320, -40, 7, 300])
@pytest.mark.parametrize("how", [{"fit_intercept": False}, {"bias_step": "radius2"}], ids=str)
@pytest.mark.parametrize("normalized", [False, True])
def test_without_a_fixed_offset_scale_does_not_matter(power, how, normalized):
    X, y = two_classes(1)
    bound = mistake_bound(X, y, **how, normalized=normalized)
    assert mistake_bound(X * 2.0**power, y, **how, normalized=normalized) == pytest.approx(bound, rel=1e-9)
    sparse_rows = sparse.csr_array(X * 2.0**power)
    assert mistake_bound(sparse_rows, y, **how, normalized=normalized) == pytest.approx(bound, rel=1e-9)


def test_raw_measurements_with_a_margin_of_a_hundred_millionth():
    """The two diagnoses are separable, just so: after standardising the features, too, by another plane."""
    table = samples.builtin("breast_cancer")
    assert 1e16 < mistake_bound(table.X, table.labels) < 1.5e16
    standard = (table.X - table.X.mean(axis=0)) / table.X.std(axis=0)
    bound = mistake_bound(standard, table.labels)
    assert bound == pytest.approx(best_bound(standard, table.labels), rel=1e-6)


def test_a_step_scales_with_the_square_of_the_rows():
    X, y = two_classes(2)
    bound = mistake_bound(X, y, bias_step=4.0)
    assert bound != pytest.approx(mistake_bound(X, y), rel=0.01)
    for power in (-320, 100):
        assert mistake_bound(X * 2.0**power, y, bias_step=4.0 ** (power + 1)) == pytest.approx(bound, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_many_normalised_rows(seed):
    """More rows than one round takes: those of the worst angle are looked for, not those of the least margin."""
    X, y = two_classes(seed, n=3000)
    X *= 10.0 ** np.random.default_rng(seed).uniform(-2, 2, len(X))[:, None]
    for how in ({"normalized": True}, {"normalized": True, "fit_intercept": False}):
        assert mistake_bound(X, y, **how) == pytest.approx(best_bound(X, y, **how), rel=1e-6)


def test_a_given_margin_is_in_the_units_of_the_rows():
    X, y = np.array([[3.0], [-3.0]]), [1, 0]
    for scale in (1.0, 2.0**-320, 2.0**300):
        bound = mistake_bound(X * scale, y, 1.5 * scale, fit_intercept=False)
        assert bound == pytest.approx(4.0, rel=1e-12)
    assert mistake_bound(X, y, 0.5, bias_step="radius2") == pytest.approx(18 / 0.25, rel=1e-12)
    for scale in (1.0, 2.0**-320):  # normalised rows have no units
        assert mistake_bound(X * scale, y, 0.5, normalized=True) == pytest.approx(4.0, rel=1e-12)
        bound = mistake_bound(X * scale, y, 0.5, normalized=True, fit_intercept=False)
        assert bound == pytest.approx(4.0, rel=1e-12)
    assert mistake_bound([[3.0], [-3.0], [0.0]], [0, 1, 2], 0.5) == pytest.approx(2 * 10 / 0.25, rel=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_it_is_rounded_up(seed):
    """In exact fractions: R^2 times ||v||^2 over the square of the least margin, for the plane that was found."""
    table, _ = samples.planted_margin(30, 3, 0.05, seed=seed)
    extended, _ = bounds.extended_rows(encode(table.X, table.labels).problem, 1.0, False)
    planes, margins = bounds.largest_margin(extended)
    extend = [[*map(fraction, x), fraction(1.0)] for x in table.X]
    v = [*map(fraction, planes.w[0]), fraction(planes.b[0])]
    scores = [sum(a * b for a, b in zip(x, v, strict=True)) for x in extend]
    products = [int(side) * score for side, score in zip(table.labels, scores, strict=True)]
    radius2 = max(sum(a * a for a in x) for x in extend)
    truth = radius2 * sum(a * a for a in v) / min(products) ** 2
    bound = extended.mistake_bound(planes, margins)
    assert truth <= fraction(bound) <= truth * fraction(1 + 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_rounded_up_for_a_given_margin(seed):
    rng = np.random.default_rng(seed)
    X, margin = rng.standard_normal((10, 7)), rng.uniform(0.1, 1.0)
    truth = max(sum(fraction(a) ** 2 for a in x) + 1 for x in X) / fraction(margin) ** 2
    bound = fraction(mistake_bound(X, [0, 1] * 5, margin))
    assert truth <= bound <= truth * fraction(1 + 1e-12)


def test_the_bound_of_a_certificate_is_no_smaller():
    """A certificate quotes the bound of the plane that it is about, which is no better than the best."""
    X, y = two_classes(3)
    problem = encode(X, y).problem
    planes, _ = bounds.largest_margin(bounds.extended_rows(problem, 1.0, False)[0])
    best = Separator.issue(problem, planes.w[0], float(planes.b[0])).examined.bound
    assert best == pytest.approx(mistake_bound(X, y), rel=1e-12)
    assert Separator.issue(problem, planes.w[0], planes.b[0] + 0.1 * abs(planes.b[0]) + 0.1).examined.bound > best


@pytest.mark.parametrize("margin", [0, -1.0, np.inf, np.nan, "wide", True])
def test_margins_that_are_none_are_refused(margin):
    with pytest.raises(OptionError, match="'margin' parameter must be a positive number"):
        mistake_bound([[0.0], [1.0]], [0, 1], margin)


def test_a_margin_beyond_the_longest_row_is_refused():
    with pytest.raises(OptionError, match=r"at most 3\.16228, the length of the longest row.*Got 3\.2"):
        mistake_bound([[0.0], [3.0]], [0, 1], 3.2)


@pytest.mark.parametrize(
    ("option", "value"),
    [("bias_step", 0.0), ("bias_step", "radius"), ("bias_step", None), ("normalized", 1), ("fit_intercept", "yes")],
)
def test_other_options_are_checked(option, value):
    with pytest.raises(OptionError, match=f"'{option}' parameter must be"):
        mistake_bound([[0.0], [1.0]], [0, 1], **{option: value})


def test_data_are_checked():
    with pytest.raises(DataError, match="1 class only"):
        mistake_bound([[0.0], [1.0]], [1, 1])
