"""leave_one_out for all kinds of classes and rows, what it refuses, and the bounds beside it."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import (
    DataError,
    KernelSVM,
    LeastSquaresClassifier,
    LeastSquaresRegressor,
    LinearSVM,
    LogisticClassifier,
    OneVsOne,
    OptionError,
    Perceptron,
    leave_one_out,
)
from separatrix.kernels import SetIntersection
from separatrix.solvers.leave_one_out.base_optimum import Variables, optimum_of
from separatrix.solvers.leave_one_out.bounds import free_spans
from solvers.leave_one_out_sets import TIGHT, clouds

X, Y = (part[::3] for part in load_iris(return_X_y=True))
OVERLAP = clouds(60, 3, 0.4, 0)


@pytest.mark.large
@pytest.mark.parametrize(
    "model", [LinearSVM(), KernelSVM(gamma=0.5), KernelSVM("linear"), LeastSquaresClassifier()], ids=str
)
def test_several_classes(model):
    found = leave_one_out(model, X, Y)
    tight = clone(model).set_params(tol=TIGHT)
    for i in range(Y.size):
        kept = np.delete(np.arange(Y.size), i)
        fitted = tight.fit(X[kept], Y[kept])
        assert np.abs(fitted.decision_function(X[[i]])[0] - found.scores[i]).max() <= 1e-8
        assert (fitted.predict(X[[i]])[0] != Y[i]) == found.wrong[i]
    assert all(bound.error >= found.error for bound in found.bounds)


def test_a_fitted_model_is_used_and_not_changed():
    model = KernelSVM(gamma=0.5).fit(X, Y)
    before = {name: np.copy(getattr(model, name)) for name in ("dual_coef_", "intercept_", "support_")}
    found = leave_one_out(model, X, Y)
    assert all(np.array_equal(getattr(model, name), value) for name, value in before.items())
    fresh = KernelSVM(gamma=0.5)
    assert np.abs(leave_one_out(fresh, X, Y).scores - found.scores).max() < 1e-9
    assert not hasattr(fresh, "classes_")


@pytest.mark.parametrize("model", [LinearSVM(), KernelSVM(gamma=0.5), LeastSquaresClassifier()], ids=str)
def test_the_only_row_of_a_class(model):
    rows = np.array([[0.0], [1.0], [2.0], [3.0], [5.0], [6.0]])
    two = leave_one_out(model, rows, ["a", "b", "b", "b", "b", "b"])
    assert two.scores[0] == np.inf
    assert two.wrong[0]
    assert np.isfinite(two.scores[1:]).all()
    three = leave_one_out(model, rows, ["a", "b", "b", "b", "c", "c"])
    assert three.wrong[0]
    own = three.scores[0, 0]
    assert own == -np.inf if not isinstance(model, KernelSVM) else own < three.scores[0, 1:].min()
    without = clone(model).fit(rows[1:], ["b", "b", "b", "c", "c"]).predict(rows[:1])[0]
    assert "abc"[three.scores[0].argmax()] == without


def test_weights():
    X, y = OVERLAP
    weights = np.random.default_rng(0).integers(0, 3, y.size).astype(float)
    found = leave_one_out(LinearSVM(), X, y, weights)
    gone = weights == 0.0
    assert np.isnan(found.scores[gone]).all()
    assert not found.wrong[gone].any()
    alone = leave_one_out(LinearSVM(), X[~gone], y[~gone], weights[~gone])
    assert np.array_equal(alone.scores, found.scores[~gone])
    assert alone.error == found.error
    twice = np.repeat(np.arange(y.size), weights.astype(int))
    kept = twice[twice != twice[0]]  # a row is left out with all its weight
    fitted = LinearSVM(tol=TIGHT).fit(X[kept], y[kept])
    assert abs(fitted.decision_function(X[[twice[0]]])[0] - found.scores[twice[0]]) < 1e-8


def test_rows_of_any_kind():
    X, y = OVERLAP
    plain = leave_one_out(LinearSVM(), X, y)
    names = np.array(["no", "yes"])[y]
    for rows in (sparse.csr_matrix(X), pd.DataFrame(X, columns=list("abc")), X.tolist()):
        assert np.abs(leave_one_out(LinearSVM(), rows, names).scores - plain.scores).max() < 1e-9
    single = leave_one_out(LinearSVM(tol=1e-9), X.astype(np.float32), y)
    assert np.abs(single.scores - plain.scores).max() < 1e-4
    sets = [{"a"}, {"a", "b"}, {"b", "c"}, {"c"}, {"a", "c"}, {"b"}]
    found = leave_one_out(KernelSVM(SetIntersection()), sets, [0, 0, 1, 1, 0, 1])
    without = KernelSVM(SetIntersection(), tol=TIGHT).fit(sets[1:], [0, 1, 1, 0, 1])
    assert abs(without.decision_function(sets[:1])[0] - found.scores[0]) < 1e-8


def test_a_regressor_has_residuals():
    y = X[:, 0] * 2.0 + X[:, 1]
    found = leave_one_out(LeastSquaresRegressor(ridge=1.0), X, y)
    assert found.error == pytest.approx(LeastSquaresRegressor(ridge=1.0).leave_one_out(X, y).errors[0])
    assert "root mean squared residual" in str(found)
    assert found.n_wrong is None


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_their_formulas_and_hold(squared, seed):
    X, y = clouds(70, 3, 0.5, seed)
    C = 2.0
    model = KernelSVM(gamma=0.2, C=C, loss="squared_hinge" if squared else "hinge", tol=TIGHT).fit(X, y)
    found = leave_one_out(model, X, y)
    K = model.kernel_.matrix(X)
    alpha = np.zeros(y.size)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    ridge = 0.5 / C if squared else 0.0
    slack = np.zeros(y.size) if squared else np.maximum(0.0, 1.0 - (2 * y - 1) * model.decision_function(X))
    least = K[alpha > 0.0].min()
    xi_alpha = (alpha > 0.0) & (2.0 * (1.0 - least + ridge) * alpha + slack >= 1.0)
    support, by_xi, by_span = found.bounds
    assert [support.n_rows, by_xi.n_rows] == [np.count_nonzero(alpha), np.count_nonzero(xi_alpha)]
    assert found.wrong.sum() <= min(by_xi.n_rows, by_span.n_rows)
    assert not found.wrong[alpha == 0.0].any()
    assert by_span.n_rows < support.n_rows or squared


def test_the_span_is_the_distance_to_the_other_support_rows():
    """Of a hard margin in the plane: Vapnik and Chapelle's S from the rows, with lstsq."""
    X, y = clouds(40, 2, 3.0, 1)
    model = LinearSVM(C=np.inf).fit(X, y)
    rows, alpha = X[model.support_], np.abs(model.dual_coef_[0])
    problem = model._problem(X, y).problem
    variables = Variables(problem)
    optimum = optimum_of(problem, variables)[1]
    spans = free_spans(variables.dual, optimum, np.inf)
    for i, span in enumerate(spans):
        others = np.delete(rows, i, axis=0)
        basis, target = (others[1:] - others[0]).T, rows[i] - others[0]
        part = np.linalg.lstsq(basis, target, rcond=None)[0]
        taken = np.append(1.0 - part.sum(), part)
        sides = np.delete(2 * y[model.support_] - 1, i) * (2 * y[model.support_[i]] - 1)
        if (np.delete(alpha, i) + alpha[i] * sides * taken >= 0.0).all():
            assert span == pytest.approx(np.linalg.norm(target - basis @ part), rel=1e-6)
        else:
            assert span == np.inf


def test_no_bound_where_the_offset_is_free():
    """With a small C no row is free, b is the middle of an interval, and bounds count every row that it depends on."""
    found = leave_one_out(LinearSVM(C=1e-4), *OVERLAP)
    assert all(bound.n_rows == OVERLAP[1].size for bound in found.bounds)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Perceptron(), "Got Perceptron"),
        (LogisticClassifier(), "cross_val_predict"),
        (OneVsOne(LinearSVM()), "Got OneVsOne"),
        (make_pipeline(StandardScaler(), LinearSVM()), "takes no pipeline"),
        (KernelSVM(low_rank=3), "low_rank=None"),
        (KernelSVM("sigmoid"), "positive semidefinite"),
        ("LinearSVM", "Got str"),
    ],
    ids=str,
)
def test_refusals(model, words):
    with pytest.raises(OptionError, match=words):
        leave_one_out(model, X, Y)


def test_refused_data():
    with pytest.raises(DataError, match="NaN"):
        leave_one_out(LinearSVM(), [[np.nan], [1.0]], [0, 1])
    with pytest.raises(DataError, match="at least 2 rows"):
        leave_one_out(LeastSquaresRegressor(), [[0.0]], [1.0])
    with pytest.raises(DataError, match="1 class only"):
        leave_one_out(LinearSVM(), [[0.0], [1.0]], [1, 1])


def test_the_result_prints_what_it_knows():
    found = leave_one_out(KernelSVM(gamma=0.5), *OVERLAP)
    text = str(found)
    assert f"{found.n_wrong} of 60 rows wrong" in text
    assert "xi-alpha (Joachims, 2000)" in text
    assert "optimality conditions" in text
    assert repr(found) == f"LeaveOneOutScores({found.n_wrong} of 60 rows wrong)"
    low, high = found.interval
    assert low < found.error < high
    with pytest.raises(ValueError, match="read-only"):
        found.scores[0] = 0.0
