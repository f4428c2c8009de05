"""Support vector regression in the space of a kernel, against clarabel, its optimality conditions and scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVR, NuSVR

from separatrix.certificates import Unproved
from separatrix.errors import OptionError
from separatrix.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid
from separatrix.problem import Problem, Status
from separatrix.solvers.kernel import kernel_space, newton_rounds
from separatrix.solvers.kernel.dual import dual_optimum
from separatrix.solvers.kernel.gram import Gram
from separatrix.solvers.kernel.kernel_space import KernelSpace
from separatrix.solvers.kernel.kernel_svr import kernel_nu_svr, kernel_svr
from solvers import duals_by_clarabel as oracle

KERNELS = (Linear(), Polynomial(2, 1.0), RBF(0.5), RBF(5.0))
ROUTES = ("any", "float64 rounds", "float32 rounds")


def named(form):
    """A name that is the same in every process."""
    return f"{form[0].__name__}, {form[1]}"


FORMS = (
    (kernel_svr, {"epsilon": 0.1}),
    (kernel_svr, {"epsilon": 0.0}),
    (kernel_svr, {"epsilon": 0.1, "squared": True}),
    (kernel_svr, {"epsilon": 0.0, "squared": True}),
    (kernel_nu_svr, {"nu": 0.3}),
    (kernel_nu_svr, {"nu": 0.95}),
)


def numbers(seed, kernel=None, n=None):
    rng = np.random.default_rng(seed)
    n, d = n or int(rng.integers(5, 50)), int(rng.integers(1, 5))
    X = rng.standard_normal((n, d))
    y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.standard_normal(n)
    cost = rng.uniform(0.2, 3.0, n) if seed % 2 else np.ones(n)
    return of_numbers(X, y, cost, kernel or KERNELS[seed % 4])


def of_numbers(X, y, cost=None, kernel=RBF(0.5)):  # noqa: B008
    return replace(Problem.of_numbers(np.asarray(X, dtype=float), np.asarray(y, dtype=float), cost), kernel=kernel)


@pytest.fixture(params=ROUTES)
def route(request, monkeypatch):
    """Every way to the optimum: a factor where there is one, or Newton rounds alone, in both precisions."""
    if request.param != "any":
        monkeypatch.setattr(dual_optimum, "by_factor", lambda *_: None)
    if request.param == "float32 rounds":
        monkeypatch.setattr(kernel_space, "gram_of", Gram)
    return request.param


def beta_of(problem, claim):
    beta = np.zeros(problem.n_rows)
    beta[claim.support] = claim.alpha
    return beta


def check_tube(problem, solution, epsilon, upper, tol=1e-6):
    """Row by row: beta is 0 inside the tube, at its bound outside, in between on the border, of the residual's sign."""
    beta, residuals = beta_of(problem, solution.certificate), problem.y - solution.model.scores(problem.X)
    inside, outside = np.abs(residuals) < epsilon - tol, np.abs(residuals) > epsilon + tol
    assert np.abs(beta).max(initial=0.0) <= upper.max() * (1.0 + 1e-9)
    assert np.abs(beta[inside]).max(initial=0.0) <= 1e-7 * upper.max()
    assert np.allclose(beta[outside], np.sign(residuals[outside]) * upper[outside], rtol=1e-6)
    free = (np.abs(beta) > 1e-6 * upper) & (np.abs(beta) < (1.0 - 1e-6) * upper)
    if epsilon > tol:
        assert np.allclose(residuals[free], np.sign(beta[free]) * epsilon, atol=tol)
    assert abs(beta.sum()) <= 1e-9 * max(np.abs(beta).sum(), 1e-300)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_regression_has_the_dual_value_of_clarabel(seed, squared):
    problem, epsilon = numbers(seed), (0.0, 0.1, 0.5)[seed % 3]
    C = 10.0 ** np.random.default_rng(seed).uniform(-2, 2)
    found = kernel_svr(problem, C=C, epsilon=epsilon, squared=squared)
    claim, cost = found.certificate, C * problem.cost
    value, _ = oracle.epsilon_insensitive(problem.kernel.matrix(problem.X), problem.y, cost, epsilon, squared)
    assert claim.dual == pytest.approx(value, rel=1e-8)
    assert claim.error(problem) <= 1e-8
    assert found.status is Status.SOLVED
    if not squared:
        check_tube(problem, found, epsilon, cost)
    else:  # beta is what the excess costs
        residuals = problem.y - found.model.scores(problem.X)
        excess = np.sign(residuals) * np.maximum(np.abs(residuals) - epsilon, 0.0)
        assert np.allclose(beta_of(problem, claim), 2.0 * cost * excess, atol=1e-6 * max(1.0, cost.max()))


@pytest.mark.parametrize("seed", range(30))
def test_nu_regression_has_the_dual_value_of_clarabel(seed):
    problem, rng = numbers(seed), np.random.default_rng(seed)
    C, nu = 10.0 ** rng.uniform(-2, 1), rng.uniform(0.05, 0.95)
    found = kernel_nu_svr(problem, C=C, nu=nu)
    claim, cost = found.certificate, problem.cost
    value, _ = oracle.nu_insensitive(problem.kernel.matrix(problem.X), problem.y, C * cost, nu)
    assert claim.dual == pytest.approx(value, rel=1e-8)
    assert claim.error(problem) <= 1e-8
    residuals = problem.y - found.model.scores(problem.X)
    epsilon = claim.objective.best_epsilon(residuals, cost)
    check_tube(problem, found, epsilon, C * cost)
    beta, weight = np.abs(beta_of(problem, claim)), cost.sum()
    assert beta.sum() <= C * nu * weight * (1.0 + 1e-9)
    assert cost[np.abs(residuals) > epsilon + 1e-7].sum() <= nu * weight * (1.0 + 1e-9)
    if epsilon > 1e-6:  # else the tube is closed, and fewer may be enough
        assert beta.sum() == pytest.approx(C * nu * weight, rel=1e-6)
        assert cost[beta > 0.0].sum() >= nu * weight * (1.0 - 1e-9)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("form", FORMS, ids=named)
def test_every_route_leads_to_the_same_optimum(seed, form, route):
    solve, options = form
    problem = numbers(seed, (RBF(0.5), RBF(5.0), RBF(0.1))[seed % 3], 20 + 7 * seed)
    C = 10.0 ** np.random.default_rng(seed).uniform(-1, 2)
    claim = solve(problem, C=C, tol=1e-8, **options).certificate
    K, cost = problem.kernel.matrix(problem.X), C * problem.cost
    if "nu" in options:
        value, _ = oracle.nu_insensitive(K, problem.y, cost, options["nu"])
    else:
        value, _ = oracle.epsilon_insensitive(K, problem.y, cost, options["epsilon"], "squared" in options)
    assert claim.stated <= 1e-8
    assert claim.dual == pytest.approx(value, rel=1e-7)


@pytest.mark.parametrize("form", FORMS, ids=named)
def test_weights_are_repetitions(form, route):
    solve, options = form
    problem = numbers(2, RBF(0.5), 40)
    times = np.random.default_rng(0).integers(0, 4, 40)
    index = np.random.default_rng(1).permutation(np.repeat(np.arange(40), times))
    weighted = of_numbers(problem.X, problem.y, 1.0 * times)
    repeated = of_numbers(problem.X[index], problem.y[index])
    assert KernelSpace(repeated, 1e9).gram.n == np.count_nonzero(times)
    first, second = (solve(each, C=2.0, tol=1e-9, **options) for each in (weighted, repeated))
    assert first.certificate.dual == pytest.approx(second.certificate.dual, rel=1e-9)
    assert np.allclose(first.model.scores(problem.X), second.model.scores(problem.X), atol=1e-7)
    assert second.certificate.n_rows == index.size
    assert second.certificate.error(repeated) <= 1e-9


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6, 1e100])
@pytest.mark.parametrize("form", FORMS, ids=named)
def test_targets_of_any_size_have_the_same_machine(form, size, route):
    solve, options = form
    problem = numbers(4, RBF(0.5), 60)
    expected = solve(problem, C=3.0, **options)
    own = {**options, "epsilon": options["epsilon"] * size} if "epsilon" in options else options
    C = 3.0 if "squared" in options else 3.0 * size
    shifted = replace(problem, y=size * (problem.y + 7.0))
    found = solve(shifted, C=C, **own)
    assert found.certificate.error(shifted) <= 1e-8
    assert np.allclose(found.model.scores(problem.X) / size - 7.0, expected.model.scores(problem.X), atol=1e-7)


@pytest.mark.parametrize("form", FORMS, ids=named)
def test_degenerate_rows_and_targets(form):
    solve, options = form
    X = np.random.default_rng(0).standard_normal((12, 2))
    for problem, expected in (
        (of_numbers(X[:1], [3.0]), [3.0]),
        (of_numbers(X, np.full(12, 1e6)), np.full(12, 1e6)),
        (of_numbers(X, np.zeros(12)), np.zeros(12)),
    ):
        found = solve(problem, **options)
        assert np.allclose(found.model.scores(problem.X), expected)
        assert (found.certificate.primal, found.certificate.dual) == (0.0, 0.0)
        assert found.certificate.error(problem) == 0.0
    equal = of_numbers(np.zeros((5, 2)), [1.0, 2.0, 3.0, 4.0, 9.0])  # one score for all
    found = solve(equal, **options)
    assert found.certificate.error(equal) <= 1e-9
    assert np.ptp(found.model.scores(equal.X)) <= 1e-9
    some = np.where(np.arange(12) < 5, 0.0, 1.0)
    y = np.sin(X[:, 0])
    with_nothing, without = solve(of_numbers(X, y, some), **options), solve(of_numbers(X[5:], y[5:]), **options)
    assert with_nothing.certificate.dual == pytest.approx(without.certificate.dual, rel=1e-9)
    assert np.allclose(with_nothing.model.scores(X), without.model.scores(X), atol=1e-7)


@pytest.mark.parametrize("squared", [False, True])
def test_a_tube_that_holds_all_rows_is_flat(squared, monkeypatch):
    problem = numbers(3, RBF(0.5))
    monkeypatch.setattr(KernelSpace, "__init__", lambda *_: pytest.fail("kernel values for nothing"))
    found = kernel_svr(problem, epsilon=100.0, squared=squared)
    assert found.certificate.support.size == 0
    assert np.allclose(found.model.scores(problem.X), 0.5 * (problem.y.min() + problem.y.max()))
    assert found.certificate.error(problem) == 0.0


@pytest.mark.parametrize("form", FORMS, ids=named)
def test_given_kernel_values_have_the_machine_of_their_rows(form):
    solve, options = form
    problem = numbers(4, RBF(0.5))
    given = of_numbers(RBF(0.5).matrix(problem.X), problem.y, problem.cost, Precomputed())
    found, expected = solve(given, **options), solve(problem, **options)
    assert np.allclose(found.model.scores(given.X), expected.model.scores(problem.X), atol=1e-8)
    assert found.certificate.error(given) <= 1e-9


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_a_machine_without_offset(epsilon, route):
    problem = replace(numbers(6, RBF(1.0), 50), fit_intercept=False)
    claim = kernel_svr(problem, C=2.0, epsilon=epsilon, tol=1e-9).certificate
    K = problem.kernel.matrix(problem.X)
    value, _ = oracle.epsilon_insensitive(K, problem.y, 2.0 * problem.cost, epsilon, offset=False)
    assert claim.dual == pytest.approx(value, rel=1e-8)
    assert claim.b == 0.0
    with pytest.raises(OptionError, match="offset"):
        kernel_nu_svr(problem)


@pytest.mark.parametrize("form", FORMS, ids=named)
def test_a_start_leads_to_the_optimum_of_a_cold_fit(form, monkeypatch):
    solve, options = form
    monkeypatch.setattr(dual_optimum, "by_factor", lambda *_: None)
    problem = numbers(8, RBF(0.5), 150)
    space, start = KernelSpace(problem, 1e9), None
    changes = [{"nu": nu} for nu in (0.3, 0.5, 0.2)] if "nu" in options else [{"epsilon": e} for e in (0.1, 0.3, 0.0)]
    for C, change in [(1.0, {}), (10.0, {}), (10.0, changes[1]), (0.3, changes[2]), (3.0, changes[0])]:
        asked = {**options, **change, "C": C}
        found = solve(problem, **asked, space=space, start=start)
        assert found.certificate.stated <= 1e-9
        assert found.certificate.dual == pytest.approx(solve(problem, **asked).certificate.dual, rel=1e-9)
        start = found.certificate
    with pytest.raises(OptionError, match="about these 149 rows"):
        solve(of_numbers(problem.X[1:], problem.y[1:]), **options, start=start)


@pytest.mark.parametrize("form", [FORMS[0], FORMS[2], FORMS[4]], ids=named)
def test_a_start_from_nearby_needs_no_search(form, monkeypatch):
    solve, options = form
    monkeypatch.setattr(dual_optimum, "by_factor", lambda *_: None)
    problem = numbers(8, RBF(0.5), 150)
    first = solve(problem, C=1.0, **options).certificate
    key = "nu" if "nu" in options else "epsilon"
    other = {**options, key: 1.05 * options[key], "C": 1.05}
    expected = solve(problem, **other).certificate
    monkeypatch.setattr(newton_rounds, "block_smo", lambda *_: pytest.fail("a search from nothing"))
    assert solve(problem, **other, start=first).certificate.dual == pytest.approx(expected.dual, rel=1e-9)


@pytest.mark.parametrize("form", FORMS, ids=named)
def test_an_indefinite_kernel_has_a_stationary_point_and_no_proof(form):
    solve, options = form
    problem = numbers(4, Sigmoid(1.0, -1.0), 60)
    found = solve(problem, C=0.1, **options)
    assert isinstance(found.certificate, Unproved)
    assert found.status is Status.ENDED
    residuals = problem.y - found.model.scores(problem.X)
    assert found.certificate.error(problem) == pytest.approx(np.sqrt(np.mean(residuals**2)))


@pytest.mark.parametrize("options", [{"C": 0.0}, {"C": np.inf}, {"epsilon": -0.1}, {"epsilon": np.nan}, {"tol": 0.0}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        kernel_svr(numbers(0), **options)


@pytest.mark.parametrize("nu", [0.0, 1.1, -1.0, np.nan])
def test_a_nu_out_of_range_is_refused(nu):
    with pytest.raises(OptionError, match="nu"):
        kernel_nu_svr(numbers(0), nu=nu)


@pytest.mark.parametrize("seed", range(4))
def test_predictions_of_scikit_learn(seed):
    problem = numbers(seed, RBF(0.5), 80)
    X, y, cost = problem.X, problem.y, problem.cost
    peer = SVR(gamma=0.5, C=2.0, epsilon=0.1, tol=1e-10).fit(X, y, cost)
    assert np.allclose(kernel_svr(problem, C=2.0, epsilon=0.1).model.scores(X), peer.predict(X), atol=1e-6)
    if seed % 2 == 0:  # scikit-learn's nu counts weights in another way
        peer = NuSVR(gamma=0.5, C=2.0, nu=0.4, tol=1e-10).fit(X, y)
        assert np.allclose(kernel_nu_svr(problem, C=2.0, nu=0.4).model.scores(X), peer.predict(X), atol=1e-6)


@pytest.mark.parametrize("form", FORMS, ids=named)
def test_more_rows_than_are_kept_in_float64(form):
    solve, options = form
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2200, 10))
    problem = of_numbers(X, X[:, 0] * X[:, 1] + 0.5 * rng.standard_normal(2200), kernel=RBF(0.1))
    found = solve(problem, C=1.0, **options)
    assert found.certificate.error(problem) <= 1e-8
    residuals = problem.y - found.model.scores(X)
    if "squared" not in options:
        best = getattr(found.certificate.objective, "best_epsilon", lambda *_: options["epsilon"])
        epsilon = best(residuals, problem.cost)
        check_tube(problem, found, epsilon, np.ones(2200), tol=1e-5)
