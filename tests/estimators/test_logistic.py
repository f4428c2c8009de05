"""LogisticClassifier: raw features, several classes against scikit-learn, limits, options, weights, interruption."""

import signal
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from separatrix import LogisticClassifier, NotCertifiedWarning, OneVsOne, OptionError, verify
from separatrix.data import samples

CANCER = load_breast_cancer()
RAW, SICK = CANCER.data, CANCER.target
SCALED = StandardScaler().fit_transform(RAW)
PAIR = samples.overlapping_pair(80, seed=3)
WINE = load_wine()


@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
@pytest.mark.parametrize("rows", [RAW, SCALED], ids=["raw", "standardised"])
def test_breast_cancer_to_a_gap_of_1e8_without_a_warning(rows, C):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticClassifier(C=C).fit(rows, SICK)
    assert model.certificate_.stated <= 1e-8
    assert verify(model, rows, SICK).error <= 1e-8
    assert np.allclose(model.predict_proba(rows).sum(axis=1), 1.0)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_several_classes_agree_with_scikit_learn_at_its_tightest(C):
    rows = StandardScaler().fit_transform(WINE.data)
    for k in (2, 3):
        X, y = rows[WINE.target < k], WINE.target[WINE.target < k]
        ours = LogisticClassifier(C=C).fit(X, y)
        theirs = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(X, y)
        w, b = theirs.coef_, theirs.intercept_
        w, b = (w - w.mean(axis=0), b - b.mean()) if k > 2 else (w, b)
        assert ours.coef_ == pytest.approx(w, abs=1e-6)
        assert ours.intercept_ == pytest.approx(b, abs=1e-6)
        assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-6)
        assert ours.predict_log_proba(X) == pytest.approx(np.log(ours.predict_proba(X)), abs=1e-9)


def test_a_summary_gives_standard_errors_at_a_maximum_of_the_likelihood_and_reasons_elsewhere():
    iris = load_iris()
    X, y = iris.data[50:], iris.target_names[iris.target[50:]]
    model = LogisticClassifier(C=np.inf).fit(X, y)
    # figures that every textbook of statistics has for versicolor against virginica
    assert model.coef_[0] == pytest.approx([-2.4652, -6.6809, 9.4294, 18.2861], abs=1e-4)
    assert model.intercept_[0] == pytest.approx(-42.638, abs=1e-3)
    assert model.standard_errors_[0] == pytest.approx([2.394, 4.480, 4.737, 9.743], abs=1e-3)
    assert model.intercept_standard_errors_[0] == pytest.approx(25.708, abs=1e-3)
    assert (model.deviance_, model.aic_) == pytest.approx((11.899, 21.899), abs=1e-3)
    text = model.summary()
    assert "'virginica' against 'versicolor'" in text
    assert "AIC 21.9" in text
    penalised = LogisticClassifier().fit(X, y)
    assert "the penalty biases" in penalised.summary()
    assert not hasattr(penalised, "standard_errors_")
    assert penalised.deviance_ > model.deviance_


def test_standard_errors_of_several_classes_are_those_of_pairs_of_two():
    """With two classes in a multinomial gauge planes are half of the one plane, and so are their errors."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((90, 2)), rng.integers(0, 3, 90)
    model = LogisticClassifier(C=np.inf).fit(X, y)
    H = np.zeros((9, 9))
    for x, p in zip(np.column_stack([X, np.ones(90)]), model.predict_proba(X), strict=True):
        H += np.kron(np.diag(p) - np.outer(p, p), np.outer(x, x))
    errors = np.sqrt(np.diag(np.linalg.pinv(H))).reshape(3, 3)
    assert np.column_stack([model.standard_errors_, model.intercept_standard_errors_]) == pytest.approx(
        errors, rel=1e-8
    )
    assert model.summary().count("standard error") == 3


def test_columns_that_depend_on_others_have_no_standard_error():
    rng = np.random.default_rng(0)
    X, y = np.round(16.0 * rng.standard_normal((60, 3))) / 16.0, rng.integers(0, 2, 60)
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.full(60, 2.0)])  # sums that are exact
    model = LogisticClassifier(C=np.inf).fit(X, y)
    assert np.isnan(model.standard_errors_[0]).tolist() == [True, True, False, True, True]
    assert "depends on others" in model.summary()
    assert model.aic_ == pytest.approx(model.deviance_ + 2 * 4)


def fit_with_warning(model, X, y):
    with pytest.warns(NotCertifiedWarning) as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    return str(caught[0].message)


def test_separated_classes_are_named_and_have_limits():
    X, y = np.array([[0.0, 5.0], [1.0, 5.0], [3.0, 5.0], [4.0, 5.0]]), ["a", "a", "b", "b"]
    model = LogisticClassifier(C=np.inf)
    message = fit_with_warning(model, X, y)
    assert "separated completely" in message
    assert "2 coefficients, x0, (intercept)" in message
    assert model.coef_ == pytest.approx(np.array([[1.0, 0.0]]), abs=1e-9)
    assert model.separation_ == "complete"
    assert model.infinite_.tolist() == [[True, False]]
    assert model.predict_proba([[0, 5], [2, 5], [4, 5]]).tolist() == [[1, 0], [0.5, 0.5], [0, 1]]
    assert verify(model, X, y)
    assert "there is no maximum" in model.summary()
    model.set_params(C=1.0).fit(X, y)
    assert not hasattr(model, "separation_")
    assert not model.infinite_.any()


def test_weakly_separated_classes_are_named_and_have_limits():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"dose": [1.0, 2, 3, 4, 2, 3], "treated": [0, 0, 0, 0, 1, 1]})
    y = np.array([0, 1, 0, 1, 1, 1])
    model = LogisticClassifier(C=np.inf)
    message = fit_with_warning(model, X, y)
    assert "Infinite: 1 coefficient, treated." in message
    inside = LogisticClassifier(C=np.inf).fit(X[["dose"]][:4], y[:4])
    assert model.coef_[0, 0] == pytest.approx(inside.coef_[0, 0], rel=1e-9)
    proba = model.predict_proba(X)[:, 1]
    assert proba[:4] == pytest.approx(inside.predict_proba(X[["dose"]][:4])[:, 1], rel=1e-9)
    assert proba[4:].tolist() == [1.0, 1.0]
    assert model.decision_function(X)[4:].tolist() == [np.inf, np.inf]
    assert (model.predict(X) == (proba > 0.5)).all()
    assert verify(model, X, y)
    assert "infinite" in model.summary()


def test_several_separated_classes_share_limits():
    X, y = np.array([[0.0], [0.5], [2.0], [2.5], [4.0], [5.0]]), [0, 0, 1, 1, 2, 2]
    model = LogisticClassifier(C=np.inf)
    assert "separated completely" in fit_with_warning(model, X, y)
    assert model.predict_proba(X).tolist() == np.repeat(np.eye(3), 2, axis=0).tolist()
    assert model.coef_.ravel() == pytest.approx([-4 / 3, 0.0, 4 / 3], abs=1e-6)


@pytest.mark.parametrize("C", [0.5, np.inf])
def test_weights_count_copies(C):
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, len(PAIR.X))
    labels = [PAIR.labels, rng.integers(0, 3, len(PAIR.X))]
    for y in labels:
        weighted = LogisticClassifier(C=C, class_weight="balanced").fit(PAIR.X, y, sample_weight=counts)
        copied = LogisticClassifier(C=C, class_weight="balanced")
        copied.fit(np.repeat(PAIR.X, counts, axis=0), np.repeat(y, counts))
        assert weighted.decision_function(PAIR.X) == pytest.approx(copied.decision_function(PAIR.X), abs=1e-8)
        assert weighted.deviance_ == pytest.approx(copied.deviance_, rel=1e-12)


def test_sparse_rows_and_float32_give_the_same_model():
    X = np.round(SCALED * 8) / 8
    dense = LogisticClassifier().fit(X, SICK)
    for rows in (sparse.csr_array(X), sparse.csc_matrix(X), X.astype(np.float32), np.asfortranarray(X)):
        other = LogisticClassifier().fit(rows, SICK)
        assert other.coef_ == pytest.approx(dense.coef_, abs=1e-9)
        assert other.predict_proba(rows) == pytest.approx(dense.predict_proba(X), abs=1e-9)


def test_more_features_than_rows_and_useless_columns():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 100)), np.arange(20) % 2
    model = LogisticClassifier(C=10.0).fit(X, y)
    assert model.certificate_.stated <= 1e-12
    alpha = y - model.predict_proba(X)[:, 1]
    assert model.coef_[0] == pytest.approx(10.0 * X.T @ alpha, abs=1e-9)  # w is made of the rows
    padded = LogisticClassifier(C=10.0).fit(np.column_stack([X, np.full(20, 7.0), np.zeros(20)]), y)
    assert padded.coef_[0] == pytest.approx(np.append(model.coef_[0], [0.0, 0.0]), abs=1e-9)


@pytest.mark.parametrize("scale", [1e-90, 1e-8, 1e8, 1e90])
def test_units_do_not_matter_where_C_follows_them(scale):
    """1/2 ||w||^2 + C losses with rows times s is the same question with C s^2, w / s."""
    model = LogisticClassifier(C=2.0).fit(PAIR.X, PAIR.labels)
    other = LogisticClassifier(C=2.0 / scale**2).fit(PAIR.X * scale, PAIR.labels)
    assert other.coef_ * scale == pytest.approx(model.coef_, rel=1e-7)
    assert other.certificate_.stated <= 1e-8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0.0}, "'C' parameter must be a number above 0, or float\\('inf'\\). Got 0.0"),
        ({"C": "1"}, "'C'.* Got '1'"),
        ({"C": float("nan")}, "'C'.* Got nan"),
        ({"tol": 0.0}, "'tol'.* Got 0.0"),
        ({"max_iter": 0}, "'max_iter'.* Got 0"),
        ({"time_limit": -1.0}, "'time_limit'.* Got -1.0"),
        ({"fit_intercept": "yes"}, "'fit_intercept'.* Got 'yes'"),
        ({"class_weight": {"none": 1.0}}, "'class_weight'"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        LogisticClassifier(**options).fit(PAIR.X, PAIR.labels)


def test_a_stopped_fit_says_once_how_far_it_got():
    model = LogisticClassifier(C=100.0, max_iter=2)
    message = fit_with_warning(model, RAW, SICK)
    assert f"reached a gap of {model.certificate_.stated:.2g} where tol=1e-06" in message
    assert "max_iter=2" in message
    found = verify(model, RAW, SICK)
    assert found.holds
    assert found.error > 1e-6


def test_parts_of_a_reduction_are_gathered():
    model = OneVsOne(LogisticClassifier(C=np.inf))
    message = fit_with_warning(model, WINE.data, WINE.target)
    assert "3 of the 3 two-class problems" in message


def test_time_limits_and_interruption_end_a_long_fit():
    rng = np.random.default_rng(0)
    X = sparse.random_array((20_000, 5_000), density=0.01, format="csr", random_state=rng)
    y = (X @ rng.standard_normal(5_000) > 0).astype(int)
    assert "time_limit=0.3" in fit_with_warning(LogisticClassifier(C=1e6, tol=1e-12, time_limit=0.3), X, y)
    if not hasattr(signal, "setitimer"):
        return
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            LogisticClassifier(C=1e6, tol=1e-15).fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_pairs_that_are_separated_weakly_vote_with_infinite_scores():
    """Classes 0 and 1 meet in x = 2 only, where either is as likely; 2 is beyond both."""
    X, y = np.array([[0.0], [1.0], [2.0], [2.0], [3.0], [4.0], [5.0], [6.0]]), [0, 0, 0, 1, 1, 2, 2, 2]
    model = OneVsOne(LogisticClassifier(C=np.inf))
    fit_with_warning(model, X, y)
    assert np.isinf(model.estimators_[0].decision_function(X)).any()
    assert np.isfinite(model.decision_function(X)).all()
    assert model.predict(X).tolist() == [0, 0, 0, 0, 1, 2, 2, 2]


def test_names_are_made_once_for_a_warning(monkeypatch):
    looks = []
    names = LogisticClassifier.feature_names_.fget
    monkeypatch.setattr(LogisticClassifier, "feature_names_", property(lambda self: looks.append(1) or names(self)))
    X = np.random.default_rng(0).standard_normal((10, 200))
    message = fit_with_warning(LogisticClassifier(C=np.inf), X, X[:, 0] > 0)
    assert "201 coefficients" in message
    assert len(looks) == 1


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("X", [np.ones((6, 1)), np.zeros((6, 2)), np.full((6, 8), 3.0)])
@pytest.mark.parametrize("y", [[0, 1, 0, 1, 0, 1], [0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 0, 1]])
def test_columns_that_never_change_tell_nothing_and_count_for_nothing(X, y):
    """The model of the offset alone: of two classes its error is 1 / sqrt(n p q); one parameter less than classes."""
    model = LogisticClassifier(C=np.inf).fit(X, y)
    counts = np.bincount(y)
    deviance = -2.0 * counts @ np.log(counts / 6.0)
    assert np.isnan(model.standard_errors_).all()
    assert model.deviance_ == pytest.approx(deviance)
    assert model.aic_ == pytest.approx(deviance + 2.0 * (counts.size - 1))
    if counts.size == 2:
        assert model.intercept_standard_errors_ == pytest.approx(np.sqrt(6.0 / counts.prod()))
    assert model.summary().count("depends on others") == model.coef_.size
    assert verify(model, X, y)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_zeros_without_an_offset_leave_nothing_to_fit():
    model = LogisticClassifier(C=np.inf, fit_intercept=False).fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert np.isnan(model.standard_errors_).all()
    assert model.aic_ == model.deviance_ == pytest.approx(8.0 * np.log(2.0))


SEPARATED = {
    "complete": ([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]),
    "complete, three classes": ([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [-5.0, 5.0]], [0, 0, 1, 2]),
    "on the plane": ([[0.0], [1.0], [1.0], [3.0]], [0, 0, 1, 1]),
    "weakly, three classes": ([[0.0], [1.0], [1.0], [3.0], [5.0]], [0, 0, 1, 1, 2]),
}


@pytest.mark.parametrize(("X", "y"), SEPARATED.values(), ids=SEPARATED)
def test_the_likelihood_of_separated_classes_is_that_of_the_limits(X, y):
    model = LogisticClassifier(C=np.inf)
    fit_with_warning(model, X, y)
    own = model.predict_proba(X)[np.arange(len(y)), y]
    assert model.log_likelihood_ == pytest.approx(np.log(own).sum(), rel=1e-9, abs=1e-12)
    assert model.deviance_ == -2.0 * model.log_likelihood_
    assert not hasattr(model, "aic_")
    supremum = 0.0 if model.separation_ == "complete" else -2.0 * np.log(2.0)  # two rows of two classes at x = 1
    assert model.log_likelihood_ == pytest.approx(supremum, abs=1e-3)


def test_weights_count_in_the_likelihood_of_the_limits():
    X, y = [[0.0], [1.0], [1.0], [3.0]], [0, 0, 1, 1]
    with pytest.warns(NotCertifiedWarning):
        model = LogisticClassifier(C=np.inf).fit(X, y, sample_weight=[5.0, 1.0, 3.0, 5.0])
    assert model.log_likelihood_ == pytest.approx(np.log(0.25) + 3.0 * np.log(0.75))
