"""Verdicts against elimination in fractions, and what must not change them."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import sparse

from separatrix import encode, separability
from separatrix.certificates import Overlap, Separator, WeakSeparator
from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.inequalities import Inequalities
from theory import fourier_motzkin


def tiny(seed):
    """A few rows of small whole numbers, with ties and duplicates, in two or three classes."""
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(2, 9)), int(rng.integers(1, 4)), 2 if seed % 4 else 3
    X = rng.integers(-2, 3, (max(n, k), d)).astype(float)
    if k == 3:
        X = X[: max(3, min(n, 5)), :1]
    y = np.append(np.arange(k), rng.integers(0, k, len(X)))[: len(X)]
    return X, y, bool(rng.integers(0, 3))


@pytest.mark.parametrize("seed", range(240))
def test_verdicts_agree_with_elimination_in_fractions(seed):
    X, y, intercept = tiny(seed)
    found = separability(X, y, fit_intercept=intercept)
    problem = encode(X, y, fit_intercept=intercept).problem
    inequalities = Inequalities(problem)
    vectors = inequalities.vectors(np.arange(inequalities.n))
    assert found.kind == fourier_motzkin.kind(vectors.tolist())
    assert found.proved
    assert found.certificate.error(problem) == 0.0
    if isinstance(found.certificate, Overlap):
        assert found.certificate.balance.index.size <= 2 * (np.linalg.matrix_rank(vectors) + 1)  # Steinitz
    if isinstance(found.certificate, WeakSeparator) and found.kind == "quasi-complete":
        v = np.array(found.certificate.v, dtype=object)
        values = vectors.astype(int).astype(object) @ v
        assert min(values) == 0 < max(values)
        # the rows on the plane are those that no weak separation has elsewhere
        weak = [(a, False) for a in vectors.tolist()]
        movable = {i for i, a in enumerate(vectors.tolist()) if fourier_motzkin.feasible([*weak, (a, True)])}
        assert movable == set(np.flatnonzero(values > 0))


@pytest.mark.parametrize("d", range(2, 11))
def test_at_covers_threshold_about_half_of_random_sets_are_separable(d):
    n, n_sets = 2 * (d + 1), 112  # 1008 sets in all
    rng, complete = np.random.default_rng(d), 0
    for _ in range(n_sets):
        X, y = rng.standard_normal((n, d)), rng.integers(0, 2, n)
        if y.min() == y.max():
            complete += 1  # one class is separable from none
            continue
        found = separability(X, y)
        assert found.proved
        assert found.kind != "quasi-complete"  # points in general position do not touch
        assert found.certificate.error(encode(X, y).problem) == 0.0
        complete += found.kind == "complete"
    assert 2 * sum(comb(n - 1, m) for m in range(d + 1)) / 2**n == 0.5  # Cover, 1965
    assert abs(complete / n_sets - 0.5) < 4 * 0.5 / np.sqrt(n_sets)  # four standard deviations


@pytest.mark.parametrize("seed", range(30))
def test_copies_scales_and_shifts_do_not_change_a_verdict(seed):
    X, y, intercept = tiny(seed)
    kind = separability(X, y, fit_intercept=intercept).kind
    changed = [
        (np.vstack([X, X]), np.append(y, y)),
        (X * 2.0**40, y),
        (X * 2.0**-70, y),
        (X * 2.0 ** np.arange(X.shape[1]), y),
    ]
    changed += [(X + 2.0**20, y), (X - 7.0, y)] if intercept else []
    changed += [(np.column_stack([X, X[:, 0], np.zeros(len(X))]), y)]
    for other_X, other_y in changed:
        found = separability(other_X, other_y, fit_intercept=intercept)
        assert found.kind == kind
        assert found.proved


def test_gaussian_sets_scaled_and_shifted():
    rng = np.random.default_rng(5)
    for _ in range(20):
        X, y = np.round(rng.standard_normal((10, 4)) * 2**20) / 2**20, np.append([0, 1], rng.integers(0, 2, 8))
        kinds = {separability(X * 2.0**k + shift, y).kind for k in (-30, 0, 30) for shift in (0.0, 5.0 * 2.0**k)}
        assert len(kinds) == 1


@pytest.mark.parametrize(
    ("X", "y", "on", "directions"),
    [
        # a column that is 1 in one class only
        ([[1, 0], [2, 0], [3, 0], [4, 0], [2, 1], [9, 1]], [0, 1, 0, 1, 1, 1], [0, 1, 2, 3], {"x1": 1}),
        # ties on the plane
        ([[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [1, 2]], [0, 0, 1, 1, 0, 1], [], None),
        ([[0, 0], [0, 1], [0, 0], [0, 1], [-1, 3], [2, 5]], [0, 0, 1, 1, 0, 1], [0, 1, 2, 3], {"x0": 1}),
        # +{0, 1} against -{0, -1}
        ([[0], [1], [0], [-1]], [1, 1, 0, 0], [0, 2], {"x0": 1}),
    ],
)
def test_quasi_complete_sets_name_the_infinite_directions(X, y, on, directions):
    found = separability(X, y)
    assert found.proved
    if directions is None:
        assert found.kind == "complete"
        return
    assert found.kind == "quasi-complete"
    assert found.on_plane.tolist() == on
    assert found.directions == directions
    assert "inf" in str(found)


def test_columns_that_change_nothing_are_not_infinite():
    # the last column is five times the offset: moving one against the other changes no score
    X, y = [[1, 0, 5], [2, 0, 5], [3, 0, 5], [4, 0, 5], [2, 1, 5]], [0, 1, 0, 1, 1]
    assert separability(X, y).directions == {"x1": 1}


def test_a_sign_that_depends_on_the_direction_is_left_open():
    # v is zero on the first two rows alone: any (w, 0) with |w_1| <= w_0 is nowhere negative
    X, y = [[0, 0], [0, 0], [1, 1], [1, -1]], [0, 1, 1, 1]
    assert separability(X, y).directions == {"x0": 1, "x1": 0}


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, lambda X: np.asarray(X, dtype=np.float32)])
def test_storage_does_not_matter(storage):
    rng = np.random.default_rng(3)
    X = rng.integers(-3, 4, (40, 3)).astype(float)
    for y in (X[:, 0] + X[:, 1] > 0.5, X[:, 0] > rng.integers(-1, 2, 40), X[:, 2] + 4 * (np.arange(40) == 7) > 3.5):
        plain, found = separability(X, y), separability(storage(X), y)
        assert found.kind == plain.kind
        assert found.proved
        assert found.witness.tolist() == plain.witness.tolist()


@pytest.mark.parametrize("scale", [1e-90, 1e90])
def test_extreme_scales(scale):
    X = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [1.0, 1.0]])
    for y, kind in (([0, 0, 1, 1], "overlap"), ([0, 0, 1, 0], "complete")):
        found = separability(X * scale, y)
        assert (found.kind, found.proved) == (kind, True)
    mixed = X * [1.0, scale]
    assert separability(mixed, [0, 0, 1, 1]).kind == "overlap"


def test_a_plane_that_doubles_cannot_hold_is_held_in_whole_numbers():
    found = separability([[1.0], [1.0 + 2.0**-52]], [0, 1])
    assert found.kind == "complete"
    assert found.proved
    assert isinstance(found.certificate, (Separator, WeakSeparator))
    closer = separability([[1e16, 1.0], [1e16 + 2, 1.0], [1e16, -1.0]], [0, 1, 0])
    assert (closer.kind, closer.proved) == ("complete", True)


def test_a_row_off_the_plane_by_the_last_bit_is_off():
    found = separability([[1.0], [1.0], [1.0 + 2.0**-52]], [0, 1, 1])
    assert (found.kind, found.proved, found.on_plane.tolist()) == ("quasi-complete", True, [0, 1])


@pytest.mark.large
def test_many_features_without_exact_work_are_proved_in_doubles():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1500, 720)).astype(float)
    y = rng.integers(0, 2, 1500)
    found = separability(X, y)
    assert found.proved == (found.kind != "undecided")
    assert found.certificate.error(encode(X, y).problem) == 0.0
    assert found.kind == "overlap"  # random labels of more than twice as many rows as columns
    apart = separability(X, X[:, 0] > 0.5)
    assert (apart.kind, apart.proved) == ("complete", True)


def test_a_time_limit_is_kept_and_said():
    X, y = [[0], [1], [0], [-1]], [1, 1, 0, 0]
    found = separability(X, y, time_limit=1e-9)
    assert found.witness.tolist() == [0, 2]
    assert found.certificate.proof  # that no plane separates strictly
    assert (found.kind, found.proved) == ("undecided", False)
    assert "weakly is not known" in str(found)
    assert separability(X, y, time_limit=60.0).kind == "quasi-complete"
    apart = separability([[0.0], [2.0]], [0, 1], time_limit=60.0)
    assert apart.margin == pytest.approx(1.0)


@pytest.mark.large
def test_more_columns_than_rows():
    rng = np.random.default_rng(1)
    X, y = rng.integers(-9, 10, (62, 1000)).astype(float), np.tile([0, 1], 31)
    assert separability(X, y).kind == "complete"
    X[1] = X[0]  # of two classes
    found = separability(X, y)
    assert (found.kind, found.proved) == ("quasi-complete", True)
    assert found.witness.tolist() == [0, 1]
    assert found.on_plane.tolist() == [0, 1]
    X[1::2] = X[::2]
    found = separability(sparse.csr_array(X), y)
    assert (found.kind, found.proved) == ("overlap", True)
    assert found.certificate.error(encode(X, y).problem) == 0.0


def quasi_complete(seed):
    """Weakly separated rows of full rank: of mixed scales, in strips, far from the origin."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    t = rng.integers(0, 5, n) * 20.0
    X = [
        rng.integers(0, 3, (n, 2)) * 10.0 ** rng.integers(-60, 60, 2),
        np.column_stack([t, t + 3e-13 * rng.integers(-1, 2, n)]),
        rng.integers(0, 3, (n, 2)) * (1 + 1e-9 * rng.integers(-1, 2, (n, 2))),
        rng.integers(0, 3, (n, 2)) + 1.7e12,
    ][seed % 4]
    X[1] = X[0]
    side = X @ rng.standard_normal(2)
    y = (side > np.median(side)).astype(int)
    y[:2] = 1, 0
    return X, y


def test_signs_of_infinite_coefficients_are_those_of_elimination_in_fractions():
    checked = 0
    for seed in range(80):
        X, y = quasi_complete(seed)
        found, extended = separability(X, y), np.column_stack([X, np.ones(len(X))])
        if found.kind != "quasi-complete" or exact.rank(extended) < 3:
            continue
        signed = extended * np.where(y == 1, 1.0, -1.0)[:, None]
        weak, expected = [([Fraction(v) for v in row], False) for row in signed.tolist()], {}
        for name, unit in zip(("x0", "x1", "(intercept)"), np.eye(3, dtype=int).tolist(), strict=True):
            signs = [fourier_motzkin.feasible([*weak, ([sign * k for k in unit], True)]) for sign in (1, -1)]
            if any(signs):
                expected[name] = int(signs[0]) - int(signs[1])
        assert found.directions == expected, seed
        checked += 1
    assert checked > 20
