"""A claim is checked block by block: however rows are cut and tallies merged, the error is that of all rows."""

from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import RegressorMixin

from separatrix import (
    DataError,
    FisherDiscriminant,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LeastSquaresRegressor,
    LinearSVM,
    LogisticClassifier,
    OptionError,
    Perceptron,
    PocketPerceptron,
    StochasticRegressor,
    robust_linear_program,
)
from separatrix.certificates import Separator
from separatrix.data.encode import encode, encode_numbers
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem
from separatrix.problem.fold import Fold
from separatrix.rows import take

RNG = np.random.default_rng(3)
N = 120
TWO, THREE = RNG.integers(0, 2, N), RNG.integers(0, 3, N)
MIXED = RNG.standard_normal((N, 3)) + np.eye(3)[THREE] + TWO[:, None]
APART = RNG.uniform(-1, 1, (N, 3)) + np.where(TWO == 1, 2.0, -2.0)[:, None]
WEIGHTS = RNG.uniform(0.5, 3.0, N)
NUMBERS = MIXED @ [1.0, -1.0, 0.5] + RNG.standard_normal(N)
CUTS = {"one": [], "uneven": [1, 2, 50, 117], "halves": [60], "rows": list(range(1, N))}
MODELS = {
    "separator": (Perceptron(random_state=0), APART, TWO),
    "separator of several": (Perceptron(random_state=0), MIXED * [1, 1, 0] + 50 * np.eye(3)[THREE], THREE),
    "hinge": (LinearSVM(C=2.0), MIXED, TWO),
    "hinge, far": (LinearSVM(C=2.0), MIXED + 1e6, TWO),
    "hinge, no offset": (LinearSVM(C=2.0, fit_intercept=False), MIXED, TWO),
    "hinge, large C": (LinearSVM(C=1e9), APART, TWO),
    "squared hinge": (LinearSVM(C=0.3, loss="squared_hinge"), MIXED, TWO),
    "hard": (LinearSVM(C=np.inf), APART, TWO),
    "joint": (LinearSVM(C=2.0, multi_class="crammer_singer"), MIXED + 100.0, THREE),
    "joint, no offset": (LinearSVM(C=2.0, multi_class="crammer_singer", fit_intercept=False), MIXED, THREE),
    "logistic": (LogisticClassifier(), MIXED, TWO),
    "logistic, no offset": (LogisticClassifier(fit_intercept=False), MIXED, TWO),
    "logistic of several": (LogisticClassifier(C=3.0), MIXED, THREE),
    "least squares": (LeastSquaresClassifier(), MIXED + 100.0, TWO),
    "least squares of several": (LeastSquaresClassifier(ridge=2.0, fit_intercept=False), MIXED, THREE),
    "least squares of numbers": (LeastSquaresRegressor(), MIXED + 100.0, NUMBERS + 1e3),
    "least squares of numbers, no offset": (LeastSquaresRegressor(2.0, fit_intercept=False), MIXED, NUMBERS),
    "Fisher": (FisherDiscriminant(), MIXED, THREE),
    "Gaussian": (GaussianDiscriminant(shrinkage=0.1), MIXED + 100.0, THREE),
    "error rate": (PocketPerceptron(random_state=0), MIXED, TWO),
    "residuals": (StochasticRegressor(random_state=0), MIXED, NUMBERS),
}
EXACT = {"separator", "separator of several", "error rate"}


def blocks_of(problem, cuts, changes_storage=False):
    """The rows of a problem in blocks; every other one stored sparse."""
    edges, blocks = [0, *cuts, problem.n_rows], []
    for place, (first, last) in enumerate(pairwise(edges)):
        index = np.arange(first, last)
        X = take(problem.X, index)
        if changes_storage and place % 2:
            csr = sparse.csr_array(X)
            X = encode(csr, index, classes=[-1, *index.tolist()]).problem.X
        how = problem.n_classes, problem.cost[index], problem.fit_intercept, problem.objective
        blocks.append(Problem(X, problem.y[index], *how))
    return blocks


@pytest.fixture(scope="module")
def claims():
    """Each claim with its problem, and the same claim stated of other planes, whose error is large."""
    found = {}
    for name, (unfitted, X, y) in MODELS.items():
        online = unfitted.__class__ in (Perceptron, PocketPerceptron, StochasticRegressor)
        weights = {} if online else {"sample_weight": WEIGHTS}
        claim = unfitted.fit(X, y, **weights).certificate_
        numbers = isinstance(unfitted, RegressorMixin)
        make = encode_numbers if numbers else encode
        found[name] = claim, make(X, y, fit_intercept=unfitted.fit_intercept, **weights).problem
    return found


@pytest.mark.parametrize("mixed", [False, True], ids=["dense", "dense and sparse"])
@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("name", MODELS)
def test_the_cuts_do_not_matter(name, cuts, mixed, claims):
    claim, problem = claims[name]
    error, blocks = claim.error(problem), blocks_of(problem, CUTS[cuts], mixed)
    found = claim.fold().over(blocks)
    rounding = max(1e-11, getattr(claim, "rounding", 0.0))  # rows far from the origin, in any order
    assert found == (error if name in EXACT else pytest.approx(error, rel=1e-9, abs=rounding))
    if error == 0.0 and name in EXACT:
        assert found == 0.0


@pytest.mark.parametrize("name", MODELS)
def test_other_labels_are_as_wrong_in_blocks(name, claims):
    claim, problem = claims[name]
    rolled = Problem(problem.X, np.roll(problem.y, 1), problem.n_classes, problem.cost, problem.fit_intercept)
    error = claim.error(rolled)
    assert error > 1e-6
    found = claim.fold().over(blocks_of(rolled, CUTS["uneven"]))
    # where planes are far off, the curvature at all rows may bound the losses better than the dual does
    assert found == pytest.approx(error, rel=1e-9) or ("logistic" in name and found >= error > 1e-3)


@pytest.mark.parametrize("last", [2.0**-51, 0.0])
def test_a_row_that_rounding_cannot_place_is_placed_exactly_in_its_block(last):
    problem = Problem(np.array([[1.0, 1.0], [1.0 + last, 2.0], [3.0, 3.0]]), np.array([0, 1, 1]))
    claim = Separator.issue(problem, np.array([1.0, 0.5]), -2.0)  # x + y / 2 > 2
    assert claim.examined.n_exact == 1
    assert (claim.stated == 0.0) == (last > 0.0)
    for cuts in ([1], [2], [1, 2]):
        assert claim.fold().over(blocks_of(problem, cuts)) == claim.error(problem) == claim.stated


def merged_in(order, fold, blocks):
    """The answer from tallies that are merged in another order than that of their rows."""
    tallies = list(fold.tallies(blocks))
    found = fold.verdict(reduce(fold.merge, [tallies[k] for k in order]))
    return merged_in(order, found, blocks) if isinstance(found, Fold) else found


@pytest.mark.parametrize("name", MODELS)
def test_tallies_are_merged_in_any_order(name, claims):
    claim, problem = claims[name]
    blocks, error = blocks_of(problem, [7, 8, 40, 90]), claim.error(problem)
    for order in ([4, 3, 2, 1, 0], [2, 0, 4, 1, 3]):
        found = merged_in(order, claim.fold(), blocks)
        assert found == (error if name in EXACT else pytest.approx(error, rel=1e-9, abs=1e-11))
    fold = claim.fold()
    one, two, *rest = fold.tallies(blocks)
    nested = fold.verdict(fold.merge(one, fold.merge(two, reduce(fold.merge, rest))))
    assert isinstance(nested, Fold) or nested == pytest.approx(error, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("name", ["hinge", "logistic", "least squares", "Gaussian"])
def test_blocks_of_other_data_are_refused(name, claims):
    claim, problem = claims[name]
    blocks = blocks_of(problem, [30, 80])
    with pytest.raises(DataError, match="120 rows, but the blocks have 80 in all"):
        claim.fold().over(blocks[:2])
    narrow = Problem(np.ones((30, 2)), blocks[0].y, problem.n_classes)
    with pytest.raises(DataError, match="of 3 features"):
        claim.fold().over([narrow, *blocks[1:]])
    posed = [blocks[0].posed(SoftMargin(C=7.0)), *blocks[1:]]
    assert claim.fold().over(posed) == np.inf, "one block asks for another objective"


def test_rows_of_the_dual_point_are_numbered_through_all_blocks(claims):
    claim, problem = claims["hinge"]
    first, last = blocks_of(problem, [60])
    assert claim.fold().over([last, first]) > 1e-3, "the support rows are others"


def test_claims_that_are_no_sums_over_blocks_say_so():
    claim = robust_linear_program(MIXED, TWO).certificate
    with pytest.raises(OptionError, match="Check all rows at once"):
        claim.fold()


def test_a_maximum_likelihood_is_a_sum_over_blocks_too():
    model = LogisticClassifier(C=np.inf).fit(MIXED, TWO)
    problem, claim = model._fitted_problem(MIXED, TWO), model.certificate_
    found = claim.fold().over([problem])
    assert 0.0 < found < 1e-6
    assert found == pytest.approx(claim.error(problem), rel=0.5, abs=1e-12)
