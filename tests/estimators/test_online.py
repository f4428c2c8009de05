"""Rules that are shown rows part by part, and one class against the rest."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from separatrix import (
    Decay,
    LMSClassifier,
    NotCertifiedWarning,
    OneVsRest,
    Perceptron,
    PocketPerceptron,
    StochasticClassifier,
    StochasticRegressor,
    Unproved,
    verify,
)
from separatrix.data import samples

RNG = np.random.default_rng(9)
X = RNG.standard_normal((24, 3))
SCORES = X @ [1.0, -1.0, 0.5] + 0.8 * RNG.standard_normal(24)
TWO = np.where(SCORES > 0, "yes", "no")
THREE = np.array(["a", "b", "c"])[np.digitize(SCORES, [-0.7, 0.7])]
CHUNKS = {"halves": (12,), "eighths": tuple(range(3, 24, 3)), "uneven": (6, 9, 21)}
LOSSES = ("hinge", "logistic", "exponential", "perceptron")

STREAMING = [
    *(
        StochasticClassifier(loss=loss, averaged=averaged, l2=l2, learning_rate=rate)
        for loss in LOSSES
        for averaged, l2, rate in ((False, 0.0, 0.05), (False, 0.1, Decay(0.1)), (True, 0.05, Decay(0.05, 0.5, 4.0)))
    ),
    StochasticClassifier(loss="logistic", learning_rate="inverse", l2=0.1),
    StochasticClassifier(batch_size=3, averaged=True, learning_rate=0.1, l2=0.1),
    StochasticClassifier(fit_intercept=False, averaged=True, learning_rate=0.1),
    LMSClassifier(learning_rate=0.05),
    LMSClassifier(learning_rate="inverse", normalized=True),
    LMSClassifier(learning_rate=0.05, fit_intercept=False),
    Perceptron(),
    Perceptron(averaged=True),
    Perceptron(normalized=True, learning_rate="inverse"),
    Perceptron(update="minibatch", batch_size=3),
    Perceptron(update="minibatch", batch_size=3, averaged=True, l2=0.05),
    Perceptron(averaged=True, fit_intercept=False, normalized=True),
]


def said(model):
    changed = {name: value for name, value in model.get_params().items() if value != type(model)().get_params()[name]}
    return f"{type(model).__name__}-{changed}"


def planes(model):
    return np.column_stack([np.atleast_2d(model.coef_), model.intercept_])


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("model", STREAMING, ids=said)
def test_rows_in_parts_are_the_rows_in_one(model, chunks):
    for y, storage in ((TWO, np.asarray), (THREE, np.asarray), (TWO, sparse.csr_array)):
        model.set_params(shuffle=False)
        parts, whole = (type(model)(**model.get_params()) for _ in range(2))
        for rows, labels in zip(np.split(X, CHUNKS[chunks]), np.split(y, CHUNKS[chunks]), strict=True):
            parts.partial_fit(storage(rows), labels, classes=np.unique(y))
        whole.partial_fit(storage(X), y, classes=np.unique(y))
        assert np.allclose(planes(parts), planes(whole), rtol=1e-11, atol=1e-13)
        assert parts.n_presentations_ == whole.n_presentations_
        assert parts.n_updates_ == whole.n_updates_


@pytest.mark.parametrize("model", [model for model in STREAMING if not isinstance(model, Perceptron)], ids=said)
def test_a_single_pass_of_fit_is_partial_fit(model):
    for y in (TWO, THREE):
        one, other = (type(model)(**model.get_params()).set_params(shuffle=False, max_iter=1) for _ in range(2))
        one.fit(X, y)
        other.partial_fit(X, y, classes=np.unique(y))
        assert np.array_equal(planes(one), planes(other))
        assert one.certificate_.stated < np.inf
        assert other.certificate_.stated == np.inf, "not looked at again"


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize(
    "how",
    [
        {"loss": "squared"},
        {"loss": "squared", "averaged": True, "l2": 0.1},
        {"loss": "epsilon_insensitive", "learning_rate": "inverse"},
        {"loss": "squared_epsilon_insensitive", "l1": 0.1},
        {"loss": "squared", "l1": 0.1, "l2": 0.2, "batch_size": 3},
        {"loss": "epsilon_insensitive", "averaged": True, "fit_intercept": False},
    ],
    ids=str,
)
def test_numbers_in_parts(how, chunks):
    parts, whole = (
        StochasticRegressor(**({"shuffle": False, "learning_rate": 0.05} | how)) for _ in range(2)
    )  # fmt: skip
    for rows, y in zip(np.split(X, CHUNKS[chunks]), np.split(SCORES, CHUNKS[chunks]), strict=True):
        parts.partial_fit(rows, y)
    whole.partial_fit(X, SCORES)
    fitted = StochasticRegressor(**whole.get_params()).set_params(max_iter=1).fit(X, SCORES)
    assert np.allclose(planes(parts), planes(whole), rtol=1e-11, atol=1e-13)
    assert np.array_equal(planes(fitted), planes(whole))
    assert parts.n_presentations_ == whole.n_presentations_


@pytest.mark.parametrize(
    "model",
    [
        *(StochasticClassifier(loss=loss, l2=0.05, learning_rate=0.1) for loss in LOSSES),
        StochasticClassifier(averaged=True, batch_size=5, l2=0.05),
        StochasticClassifier(fit_intercept=False),
        LMSClassifier(),
        LMSClassifier(normalized=True, learning_rate=0.5),
        LMSClassifier(learning_rate=Decay(0.5), fit_intercept=False),
    ],
    ids=said,
)
def test_several_classes_are_each_against_the_rest(model):
    model.set_params(shuffle=False, max_iter=7)
    several = type(model)(**model.get_params()).fit(X, THREE)
    by_wrapper = OneVsRest(model).fit(X, THREE)
    assert np.allclose(planes(several), planes(by_wrapper), rtol=1e-12, atol=1e-14)
    assert np.array_equal(several.predict(X), by_wrapper.predict(X))
    for c, label in enumerate(several.classes_):
        alone = type(model)(**model.get_params()).fit(X, label == THREE)
        assert np.allclose(planes(several)[c], planes(alone)[0], rtol=1e-12, atol=1e-14)


def test_starts_and_curves_of_several_classes():
    start = RNG.standard_normal((3, 4))
    model = StochasticClassifier(start=start, learning_rate=0.1, max_iter=3, shuffle=False, record=True).fit(X, THREE)
    curves = []
    for c, label in enumerate(model.classes_):
        alone = StochasticClassifier(start=start[c], learning_rate=0.1, max_iter=3, shuffle=False, record=True)
        alone.fit(X, label == THREE)
        assert np.allclose(planes(model)[c], planes(alone)[0], rtol=1e-12)
        curves.append(alone.learning_curve_)
    assert np.allclose(model.learning_curve_, np.mean(curves, axis=0), rtol=1e-12)


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
def test_an_automatic_rate_is_settled_by_the_first_rows():
    model = StochasticClassifier(shuffle=False).partial_fit(X[:12], TWO[:12], classes=["no", "yes"])
    first = model.learning_rate_
    assert model.partial_fit(100 * X[12:], TWO[12:]).learning_rate_ == first
    slow = LMSClassifier(shuffle=False).partial_fit(X[:12], TWO[:12], classes=["no", "yes"])
    first = slow.learning_rate_
    later = slow.partial_fit(100 * X[12:], TWO[12:]).learning_rate_
    assert later < first, "longer rows must not overshoot"
    assert slow.partial_fit(X[:12], TWO[:12]).learning_rate_ == later


@pytest.mark.parametrize("replace", [False, True])
def test_the_same_seed_gives_the_same_planes(replace):
    one, again, other = (
        StochasticClassifier(replace=replace, max_iter=3, random_state=seed).fit(X, TWO) for seed in (0, 0, 1)
    )
    assert np.array_equal(planes(one), planes(again))
    assert not np.array_equal(planes(one), planes(other))


def test_rules_that_claim_nothing_do_not_warn():
    table = samples.gaussian_pair(0.3, 60, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (StochasticClassifier(), LMSClassifier(), PocketPerceptron(max_iter=20)):
            model.set_params(random_state=0).fit(table.X, table.labels)
            assert isinstance(model.certificate_, Unproved)
            assert model.certificate_.stated == pytest.approx(1 - model.score(table.X, table.labels))
            assert verify(model, table.X, table.labels).holds
    with pytest.warns(NotCertifiedWarning):
        Perceptron(max_iter=3, random_state=0).fit(table.X, table.labels)


@pytest.mark.parametrize("loss", ["squared", "epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("batch_size", [1, 32, 128, 500])
def test_the_automatic_rate_suits_batches_of_any_size(loss, batch_size):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 10))
    y = X @ rng.standard_normal(10) + 0.1 * rng.standard_normal(500)
    assert StochasticRegressor(loss=loss, batch_size=batch_size, random_state=0).fit(X, y).score(X, y) > 0.9


def test_rows_of_zeros_without_an_offset():
    zeros = np.zeros((4, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not StochasticClassifier(fit_intercept=False).fit(zeros, [0, 1, 0, 1]).coef_.any()
        assert not LMSClassifier(fit_intercept=False).fit(zeros, [0, 1, 0, 1]).coef_.any()
        assert not StochasticRegressor(fit_intercept=False).fit(zeros, [1.0, 2, 3, 4]).coef_.any()


def test_the_automatic_rate_comes_and_goes_with_the_option():
    X, y = [[0.0], [1.0], [3.0]], [0, 0, 1]
    for model in (StochasticClassifier(), LMSClassifier()):
        model.fit(X, y)
        assert hasattr(model, "learning_rate_")
        assert not hasattr(model.set_params(learning_rate=0.05).fit(X, y), "learning_rate_")
        assert hasattr(model.set_params(learning_rate="auto").partial_fit(X, y), "learning_rate_")


def test_a_rate_function_is_asked_for_the_steps_that_are_made():
    rates = [0.1, 0.2, 0.3]
    with pytest.warns(NotCertifiedWarning):
        Perceptron(update="batch", max_iter=3, learning_rate=lambda t: rates[t - 1]).fit([[0.0], [1], [3.0]], [0, 1, 0])
