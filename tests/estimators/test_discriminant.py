"""FisherDiscriminant and GaussianDiscriminant on rows of every kind."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from separatrix import DataError, FisherDiscriminant, GaussianDiscriminant, NotCertifiedWarning, OptionError, verify
from separatrix.data import samples

BOTH = [FisherDiscriminant(), GaussianDiscriminant()]


def rows(n=120, d=4, k=3):
    rng, y = np.random.default_rng(4), np.arange(n) % k
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.standard_normal((k, d))[y], y


def made(estimator, X, y, **how):
    return type(estimator)(**estimator.get_params()).fit(X, y, **how)


@pytest.mark.parametrize("away", [0.0, 1e6])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("estimator", BOTH, ids=repr)
def test_parts_are_the_whole(estimator, k, away):
    X, y = rows(k=k)
    X, y = X + away, np.sort(y)  # the first parts know one class only
    whole, parted = made(estimator, X, y), type(estimator)()
    weights = np.random.default_rng(5).integers(1, 3, len(y))
    weighted = made(estimator, X, y, sample_weight=weights)
    for pieces, known, expected in ((None, parted, whole), (weights, type(estimator)(), weighted)):
        for a, b in pairwise([0, 1, 3, 50, 51, 120]):
            part = None if pieces is None else pieces[a:b]
            known.partial_fit(X[a:b], y[a:b], classes=range(k), sample_weight=part)
            assert np.isfinite(known.coef_).all()
            assert set(known.predict(X)) <= set(y[:b])
        size = np.abs(expected.coef_).max()
        assert known.coef_ == pytest.approx(expected.coef_, abs=1e-11 * size)
        assert known.decision_function(X) == pytest.approx(expected.decision_function(X), abs=1e-8)
        assert verify(known, X, y, pieces)
    assert parted.n_rows_ == 120


@pytest.mark.parametrize("estimator", BOTH, ids=repr)
def test_weights_are_copies_and_sparse_rows_are_rows(estimator):
    X, y = rows()
    counts = np.random.default_rng(5).integers(0, 4, len(y))
    weighted = made(estimator, X, y, sample_weight=counts)
    copied = made(estimator, np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert weighted.decision_function(X) == pytest.approx(copied.decision_function(X), abs=1e-10)
    thin = X * (np.random.default_rng(5).uniform(size=X.shape) < 0.08)
    assert made(estimator, sparse.csr_array(thin), y).decision_function(thin) == pytest.approx(
        made(estimator, thin, y).decision_function(thin), abs=1e-10
    )


def singular():
    X, y = rows(60)
    return {
        "constant": np.column_stack([X, np.full(60, 0.1)]),
        "twice": np.column_stack([X, X[:, 0]]),
        "a sum of others": np.column_stack([X, X[:, 1] - X[:, 2]]),
        "more columns than rows": np.random.default_rng(5).standard_normal((60, 90)),
    }, y


@pytest.mark.parametrize("name", singular()[0])
@pytest.mark.parametrize("estimator", BOTH, ids=repr)
def test_covariances_without_an_inverse(estimator, name):
    """scikit-learn's eigen solver raises LinAlgError on some of these."""
    X, y = singular()[0][name], singular()[1]
    model = made(estimator, X, y)
    assert model.rank_ == (57 if name == "more columns than rows" else 4)
    assert verify(model, X, y)
    if name in ("constant", "twice", "a sum of others"):
        smaller = made(estimator, X[:, :4], y)
        expected = smaller.decision_function(X[:, :4])
        assert model.decision_function(X) == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())
    if isinstance(model, FisherDiscriminant):
        Z = model.transform(X)
        within = sum(np.cov(Z[y == c].T) * (np.sum(y == c) - 1) for c in range(3)) / 57
        assert within == pytest.approx(np.eye(2), abs=1e-9)


@pytest.mark.parametrize("far", [0.0, 1e4])
@pytest.mark.parametrize("estimator", BOTH, ids=repr)
def test_directions_that_tell_classes_apart_without_varying_are_counted(estimator, far):
    """With more columns than rows the two differences of three classes are of this kind."""
    X, y = rows(60)
    given, _ = singular()
    assert [made(estimator, given[name] + far, y).ignored_ for name in given] == [0, 0, 0, 2]
    first = (y == np.unique(y)[0]).astype(float)
    told = np.column_stack([X, first])
    assert made(estimator, told + far, y).ignored_ == 1
    assert made(estimator, np.column_stack([X, X[:, 0] + first]) + far, y).ignored_ == 1
    assert made(estimator, X + far, y).ignored_ == 0


@pytest.mark.parametrize("estimator", BOTH, ids=repr)
def test_classes_that_do_not_vary(estimator):
    X, y = np.repeat([[0.0, 0.0], [3.0, 1.0]], 4, axis=0), np.repeat(["a", "b"], 4)
    model = made(estimator, X, y)
    assert model.rank_ == 0
    assert model.score(X, y) == 1.0
    assert model.predict([[1.4, 0.5], [1.6, 0.5]]).tolist() == ["a", "b"]  # the nearer mean
    assert verify(model, X, y)


@pytest.mark.parametrize("scale", [1e-90, 1e90])
@pytest.mark.parametrize("estimator", BOTH, ids=repr)
def test_scales_do_not_matter(estimator, scale):
    X, y = rows()
    plain, scaled = made(estimator, X, y), made(estimator, X * [scale, 1.0, 1e9, 1e-9], y)
    assert scaled.decision_function(X * [scale, 1.0, 1e9, 1e-9]) == pytest.approx(plain.decision_function(X), abs=1e-9)


def test_log_odds_are_those_of_scikit_learn_but_for_the_divisor():
    """Its lsqr solver divides the covariance by n, ours by n - k."""
    for k in (2, 3):
        X, y = rows(k=k)
        theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
        ours = GaussianDiscriminant().fit(X, y)
        odds = [np.diff(m.predict_log_proba(X), axis=1) - np.diff(np.log(np.bincount(y))) for m in (ours, theirs)]
        assert odds[0] * len(y) / (len(y) - k) == pytest.approx(odds[1], abs=1e-9)
        assert np.exp(ours.predict_log_proba(X)) == pytest.approx(ours.predict_proba(X), abs=1e-12)
        assert ours.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)), abs=1e-12)


def test_priors_move_thresholds_only_and_may_be_given_by_label():
    X, y = rows(k=2)
    labels = np.array(["no", "yes"])[y]
    even, rare = GaussianDiscriminant("equal").fit(X, labels), GaussianDiscriminant({"yes": 0.01, "no": 0.99})
    rare.fit(X, labels)
    assert rare.coef_ == pytest.approx(even.coef_, rel=1e-14)
    assert rare.intercept_ - even.intercept_ == pytest.approx([np.log(0.01 / 0.99)], rel=1e-10)


def test_shrinkage_ends_at_the_nearest_mean():
    X, y = rows()
    model = GaussianDiscriminant("equal", shrinkage=1.0).fit(X, y)
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    nearest = np.linalg.norm(X[:, None] - means, axis=2).argmin(axis=1)
    assert model.predict(X).tolist() == nearest.tolist()
    assert GaussianDiscriminant(shrinkage=0.3).fit(X, y).coef_ != pytest.approx(model.coef_)


def test_fisher_is_the_gaussian_discriminant_with_equal_priors():
    iris = samples.builtin("iris")
    fisher = FisherDiscriminant().fit(iris.X, iris.labels)
    gauss = GaussianDiscriminant("equal").fit(iris.X, iris.labels)
    differences = [m.decision_function(iris.X) @ [[1, 0], [-1, 1], [0, -1]] for m in (fisher, gauss)]
    assert differences[0] == pytest.approx(differences[1], abs=1e-9)
    one = FisherDiscriminant(n_components=1).fit(iris.X, iris.labels)
    assert one.transform(iris.X)[:, 0] == pytest.approx(fisher.transform(iris.X)[:, 0], abs=1e-12)
    assert one.get_feature_names_out().tolist() == ["fisherdiscriminant0"]
    assert verify(one, iris.X, iris.labels)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (GaussianDiscriminant([0.5, 0.6]), "'priors'"),
        (GaussianDiscriminant([0.5, 0.3, 0.2]), "'priors' parameter must be None, 'equal', or hold a positive number"),
        (GaussianDiscriminant({0: 1.0}), "no number for the class 1"),
        (GaussianDiscriminant("even"), "'priors'"),
        (GaussianDiscriminant(shrinkage=1.5), "'shrinkage'"),
        (FisherDiscriminant(n_components=0), "'n_components'"),
    ],
)
def test_options_are_checked(estimator, message):
    X, y = rows(k=2)
    with pytest.raises(OptionError, match=message):
        estimator.fit(X, y)


def test_weights_that_count_no_rows_and_classes_that_change_are_refused():
    X, y = rows(k=2)
    with pytest.raises(DataError, match="add up to 0.12, not more than the 2 classes"):
        GaussianDiscriminant().fit(X, y, np.full(120, 0.001))
    with pytest.raises(DataError, match="classes must be passed"):
        GaussianDiscriminant().partial_fit(X, y)
    with pytest.raises(DataError, match="differs from the classes"):
        GaussianDiscriminant().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(OptionError, match="'class_weight'"):
        GaussianDiscriminant(class_weight="balanced").partial_fit(X, y, classes=[0, 1])


def test_means_that_are_hardly_numbers():
    """Seven parts of ten million of the least number there is are 0, by which nothing may be divided."""
    X = np.array([[0.0, -3.0], [2e-323, 1.0], [5e-324, -1.0], [0.0, 2.0], [1e-323, 0.0]])
    for model in (GaussianDiscriminant(), FisherDiscriminant()):
        with pytest.warns(NotCertifiedWarning, match="underflow. Scale them"):  # squares of the first column are 0
            model.fit(X, [0, 0, 1, 1, 2])
        assert np.isfinite(model.coef_).all()
        assert not model.certificate_.proof
