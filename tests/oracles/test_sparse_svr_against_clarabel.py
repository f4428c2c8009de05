"""SparseSVR has the value of an independent solver, and the conditions of the optimum row by row, column by column."""

import numpy as np
import pytest

from oracles.tube_oracle import objective, optimal_value
from separatrix import SparseSVR


def drawn(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(5, 90)), int(rng.integers(1, 30))
    X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-1.0, 1.0, d) + rng.standard_normal(d)
    w = rng.standard_normal(d) * (rng.random(d) < 0.5) / np.maximum(np.abs(X).max(axis=0), 1.0)
    y = X @ w + rng.standard_t(3, n) * 0.5 + rng.standard_normal()
    how = {"l1": 10.0 ** rng.uniform(-3.0, 0.5), "epsilon": float(rng.choice([0.0, 0.01, 0.25, 1.0]))}
    cost = rng.uniform(0.2, 3.0, n) if seed % 2 else np.ones(n)
    return X, y, cost, {**how, "fit_intercept": bool(seed % 3)}


@pytest.mark.parametrize("seed", range(30))
def test_the_value_is_that_of_the_oracle(seed):
    X, y, cost, how = drawn(seed)
    model = SparseSVR(**how, tol=1e-9).fit(X, y, cost)
    value = objective(X, y, model.coef_, model.intercept_, how["l1"], how["epsilon"], cost)
    assert model.certificate_.primal == pytest.approx(value, rel=1e-12)
    assert model.certificate_.stated <= 1e-9
    best = optimal_value(X, y, cost=cost, **how)
    assert value == pytest.approx(best, rel=1e-8, abs=1e-12)
    assert model.certificate_.dual <= best * (1.0 + 1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_rows_and_columns_fulfil_the_conditions_of_the_optimum(seed):
    X, y, cost, how = drawn(seed)
    model, share = SparseSVR(**how, tol=1e-9).fit(X, y, cost), cost / cost.sum()
    beta, half, r = np.zeros(len(y)), np.sqrt(how["epsilon"]), y - model.predict(X)
    beta[model.support_] = model.dual_coef_[0]
    u, small = beta / share, 1e-7 * np.abs(r).max()
    inside, beyond = np.abs(r) < half - small, np.abs(r) > half + small
    border = ~inside & ~beyond
    assert np.all(u[inside] == 0.0)
    assert u[beyond] == pytest.approx(2.0 * r[beyond], abs=1e-6 * np.abs(u).max(initial=1.0))
    assert np.all(u[border] * np.sign(r[border]) >= -1e-6)
    assert np.all(np.abs(u[border]) <= 2.0 * half + 1e-6 + small)
    pull, used = X.T @ beta, model.coef_ != 0.0
    assert pull[used] == pytest.approx(how["l1"] * np.sign(model.coef_[used]), rel=1e-6)
    assert np.all(np.abs(pull) <= how["l1"] * (1.0 + 1e-6))
    assert not how["fit_intercept"] or abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()
    assert how["fit_intercept"] or model.intercept_ == 0.0
