"""Claims of least squares and discriminants on hostile data, against exact fractions, and sums against their bounds."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from scipy import sparse

from certificates.exact_squares import exact_error
from certificates.hostile_data import KINDS
from certificates.hostile_squares import hostile_fit
from contracts.library import library
from separatrix import (
    FisherDiscriminant,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LeastSquaresRegressor,
    NotCertifiedWarning,
    verify,
)
from separatrix.certificates.claims.discriminant_bounds import LOG_ROUNDINGS
from separatrix.certificates.claims.enclosed_moments import EnclosedMoments, ExactMoments, rounded
from separatrix.certificates.claims.exact_normal_sums import ExactSums
from separatrix.certificates.claims.normal_equations import residual_of
from separatrix.certificates.claims.normal_sums import CONSTANT, RowSums, row_sums
from separatrix.problem import Moments, Problem
from separatrix.rows import UNIT_ROUNDOFF, take


def encloses(found, truth):
    """Whether fractions are no farther from numbers than their radii say."""
    value, radius, true = np.ravel(found.value), np.ravel(found.radius), np.ravel(np.array(truth, dtype=object))
    return all(abs(Fraction(a) - t) <= Fraction(r) for a, r, t in zip(value, radius, true, strict=True))


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=lambda kind: KINDS[kind].__name__)
def test_no_error_is_larger_than_stated_and_containers_agree(kind):
    for seed in range(kind, 16 * len(KINDS), len(KINDS)):
        fit = hostile_fit(seed)
        if fit is None:
            continue
        claim, truth = fit.model.certificate_, exact_error(fit.problem, fit.model.certificate_)
        assert Decimal(claim.stated) >= truth, seed
        low = claim.stated - claim.rounding if claim.stated < np.inf else 0.0
        assert Decimal(low) <= truth * Decimal(1.0 + 2.0**-50), seed
        assert claim.error(fit.problem) == claim.stated, seed
        for X in (fit.X, sparse.csr_array(fit.X), np.asfortranarray(fit.X)):
            found = verify(fit.model, X, fit.y, fit.weights)
            assert found.holds == (claim.stated < np.inf), seed
            assert found.proved == claim.proof, seed


@pytest.mark.parametrize("seed", range(24))
def test_plain_sums_enclose_the_equations_and_the_moments(seed):
    """Before any fraction is used: planes that are far off, from blocks of rows that are merged."""
    fit = hostile_fit(seed)
    problem, rng = fit.problem, np.random.default_rng(seed)
    if isinstance(fit.model, LeastSquaresClassifier | LeastSquaresRegressor):
        equations = fit.model.certificate_.equations
        W, b = (part * (1.0 + 1e-3 * rng.standard_normal(part.shape)) for part in equations.fitted)
        exact = ExactSums.of(problem, equations.targets, W, b)
        truth = exact.error(W, equations.ridge, CONSTANT)
        merged = reduce(RowSums.merged, [row_sums(block, equations.targets, W, b) for block in cut(problem)])
        for sums in (row_sums(problem, equations.targets, W, b), merged):
            error = residual_of(sums, equations.targets, W, equations.ridge).error
            assert error.low <= truth.high
            assert truth.low <= error.high
        return
    exact, merged = ExactMoments.of(problem), reduce(Moments.merged, map(Moments.of, cut(problem)))
    for moments in (Moments.of(problem), merged):
        found, truth = EnclosedMoments.of(moments), exact_moments(exact)
        for one, true in zip(found[:5], truth[:5], strict=True):
            assert encloses(one, true)
        e = [Fraction(v) for v in found.squares.tolist()]
        for j, row in enumerate(truth[5]):
            for k, value in enumerate(row):
                assert (Fraction(float(found.within[j, k])) - value) ** 2 <= e[j] * e[k] * (1 + Fraction(1, 2**40))


def cut(problem):
    """The rows in three blocks, or in two."""
    return [
        Problem(take(problem.X, part), problem.y[part], problem.n_classes, problem.cost[part], problem.fit_intercept)
        for part in np.array_split(np.arange(problem.n_rows), min(3, problem.n_rows))
    ]


def exact_moments(sums):
    """n_c, n, m, m_c, m_c - m and S_w in fractions."""
    n, total = sums.weight, sum(sums.weight)
    means = [[s / c if c else Fraction(0) for s in row] for row, c in zip(sums.linear, n, strict=True)]
    mean = [sum(column) / total for column in zip(*sums.linear, strict=True)]
    apart = [
        [m - v if c else Fraction(0) for m, v in zip(row, mean, strict=True)] for row, c in zip(means, n, strict=True)
    ]
    d = len(mean)
    within = [
        [
            sums.products[min(j, k)][abs(j - k)] - sum(c * m[j] * m[k] for c, m in zip(n, means, strict=True))
            for k in range(d)
        ]
        for j in range(d)
    ]
    return n, total, mean, means, apart, within


def test_fractions_are_enclosed_by_what_they_are_rounded_to():
    values = [Fraction(1, 3), Fraction(-2, 7), Fraction(1, 10**330), Fraction(3, 4), Fraction(0)]
    assert encloses(rounded(values), values)
    assert rounded(values).radius[3:].tolist() == [0.0, 0.0]
    assert rounded([Fraction(10**400)]).radius.tolist() == [np.inf]


def test_logarithms_are_off_by_fewer_units_than_the_bound():
    values = np.random.default_rng(0).uniform(1e-6, 1.0, 300)
    for value, found in zip(values.tolist(), np.log(values).tolist(), strict=True):
        truth = Decimal(value).ln()
        assert abs(Decimal(found) - truth) <= Decimal(LOG_ROUNDINGS * UNIT_ROUNDOFF / 2) * abs(truth)


def test_a_class_at_the_mean_of_all_rows_leaves_nothing():
    case = {case.name: case for case in library()}["several classes, nested"]
    model = GaussianDiscriminant().fit(case.problem.X, case.problem.y)
    assert model.certificate_.proof
    assert exact_error(case.problem, model.certificate_) <= Decimal(model.certificate_.stated)


@pytest.mark.parametrize("model", [GaussianDiscriminant, FisherDiscriminant])
def test_a_column_whose_squares_are_below_all_doubles_is_not_left_out_with_a_proof(model):
    X = np.array([[2, 0], [2, -3], [-2, -1], [-1, -3], [2, -2], [-1, -2], [1, -1], [2, 2], [2, 2], [-3, -2]])
    X, y = X * [1.0, 5e-324], [1, 0, 1, 1, 0, 0, 0, 1, 0, 1]
    with pytest.warns(NotCertifiedWarning):
        fitted = model().fit(X, y)
    claim, problem = fitted.certificate_, fitted._problem(X, y, None).problem
    assert exact_error(problem, claim) > Decimal("1e-3")
    assert not claim.proof


def test_means_whose_reciprocals_overflow_give_planes():
    model = FisherDiscriminant().fit([[5e-324, 1.0, -1e-323], [0.0, 1.0, -5e-324]], [0, 1])
    assert np.isfinite(model.coef_).all()


def test_what_overflows_is_not_proved():
    model = LeastSquaresRegressor().fit([[0.0], [1.0], [2.0], [4.0]], [1.0, 3.0, 4.0, 8.0])
    claim = replace(model.certificate_, stated=np.inf)
    assert not claim.proof
    assert "nothing bounds" in str(claim)


@pytest.mark.parametrize("ridge", [0.0, 1e-6, 1.0])
@pytest.mark.parametrize("n", [3, 4, 9])
def test_a_weight_counts_a_row_as_often_also_where_columns_are_many_and_of_mixed_scales(n, ridge):
    rng = np.random.default_rng(n)
    X, numbers = rng.standard_normal((n, 4)) * [1e-6, 1.0, 1e3, 1e6], rng.standard_normal(n)
    weights = np.arange(n) % 3 + 1
    every = np.repeat(np.arange(n), weights)
    weighed = LeastSquaresRegressor(ridge).fit(X, numbers, sample_weight=weights)
    repeated = LeastSquaresRegressor(ridge).fit(X[every], numbers[every])
    assert weighed.rank_ == repeated.rank_
    assert weighed.coef_ == pytest.approx(repeated.coef_, rel=1e-6, abs=1e-12 * np.abs(repeated.coef_).max())
    assert weighed.predict(X) == pytest.approx(repeated.predict(X), abs=1e-8)
