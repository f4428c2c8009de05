"""Relaxation: nearer to every solution with each step, and on the boundary where it is asked to be."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from separatrix import NotCertifiedWarning, OptionError, RelaxationClassifier, Separator, kesler_vectors
from separatrix.data import encode, samples
from separatrix.solvers.online.relaxation import relaxation

MANY_Y = np.tile([0, 1, 2], 10)
MANY_X = np.array([[4.0, 0.0], [-3.0, 4.0], [-3.0, -4.0]])[MANY_Y] + np.random.default_rng(1).uniform(-1, 1, (30, 2))


def by_hand(vectors, passes, margin, share, start=None):
    """w += share max(0, margin - <w, v>) / ||v||^2 v for each v, until all <w, v> > 0 at the end of a pass."""
    w = np.zeros(vectors.shape[1]) if start is None else np.array(start, dtype=float)
    for _ in range(passes):
        if (vectors @ w > 0).all():
            break
        for v in vectors:
            w = w + share * max(0.0, margin - v @ w) / (v @ v) * v
    return w


def signed(X, y):
    return y[:, None] * np.column_stack([X, np.ones(len(X))])


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("margin", "share"), [(1.0, 1.0), (0.2, 0.5), (3.0, 1.9), (1.0, 2.0)])
def test_the_rule(margin, share, storage):
    start = np.array([0.5, -1.0, 0.25])
    for table in (samples.gaussian_pair(1.5, 40, seed=0), samples.gaussian_pair(0.5, 40, seed=1)):
        rows = signed(table.X, table.labels)
        for passes in (1, 2, 15):
            model = RelaxationClassifier(
                margin=margin, relaxation=share, max_iter=passes, shuffle=False, start=start
            ).fit(storage(table.X), table.labels)  # fmt: skip
            plane = np.append(model.coef_[0], model.intercept_)
            assert np.allclose(plane, by_hand(rows, passes, margin, share, start), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("share", [0.5, 1.0, 1.7])
def test_several_classes(share):
    vectors = kesler_vectors(MANY_X, MANY_Y)
    for passes in (1, 100):
        solution = relaxation(encode(MANY_X, MANY_Y).problem, relaxation=share, max_iter=passes)
        expected = by_hand(vectors, passes, 1.0, share)
        assert np.allclose(solution.extended.ravel(), expected, rtol=1e-10, atol=1e-12)
    assert solution.certificate.proof


def test_without_offset():
    table = samples.separable_pair(20, seed=1)
    solution = relaxation(encode(table.X, table.labels, fit_intercept=False).problem, max_iter=3)
    expected = by_hand(table.labels[:, None] * table.X, 3, 1.0, 1.0)
    assert np.allclose(solution.w, expected, rtol=1e-10)
    assert solution.b == 0.0


def walked(seed, share, margin, several):
    """The vectors of a problem that can be solved, planes from the trace of a run, and the problem's solution."""
    if several:
        X, y = MANY_X, MANY_Y
        vectors = kesler_vectors(X, y)
    else:
        table = samples.planted_margin(40, 3, ratio=0.05, seed=seed)[0]
        X, y = table.X, table.labels
        vectors = signed(X, y)
    rng = np.random.default_rng(seed)
    solution = relaxation(encode(X, y).problem, relaxation=share, margin=margin, max_iter=10_000, rng=rng, record=True)
    assert solution.certificate.proof
    return vectors, [w.ravel() for w in solution.history.trace.iterates()], solution


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize(("share", "margin"), [(0.3, 1.0), (1.0, 0.5), (1.8, 2.0), (2.0, 1.0)])
@pytest.mark.parametrize("seed", range(3))
def test_every_step_brings_w_nearer_to_every_solution(seed, share, margin, several):
    vectors, planes, solution = walked(seed, share, margin, several)
    assert len(planes) > 3
    assert np.array_equal(planes[-1], solution.extended.ravel())
    inside = planes[-1] / (vectors @ planes[-1]).min()
    for far in (1.0, 1.5, 20.0):
        target = far * margin * inside
        distances = np.linalg.norm(np.array(planes) - target, axis=1)
        assert (np.diff(distances) <= 1e-12 * distances[0]).all()
        if share < 2.0 and far > 1.0:
            assert (np.diff(distances) < 0).all()


@pytest.mark.parametrize("share", [0.4, 1.0, 1.6])
def test_a_step_goes_its_share_of_the_way_to_the_boundary(share):
    table = samples.planted_margin(40, 3, ratio=0.05, seed=1)[0]
    rows = signed(table.X, table.labels)
    trace = relaxation(encode(table.X, table.labels).problem, relaxation=share, margin=0.7, record=True).history.trace
    planes = list(trace.iterates())
    for before, after, i in zip(planes, planes[1:], trace.row, strict=False):
        missing = 0.7 - rows[i] @ before
        assert missing > 0
        assert rows[i] @ after == pytest.approx(0.7 - (1 - share) * missing, abs=1e-12)


@pytest.mark.parametrize("share", [0.5, 1.0, 1.9])
@pytest.mark.parametrize("seed", range(4))
def test_separable_rows_are_separated_and_proved(seed, share):
    table = samples.planted_margin(60, 4, ratio=0.03, seed=seed)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RelaxationClassifier(relaxation=share, max_iter=10_000, random_state=seed).fit(table.X, table.labels)
    assert isinstance(model.certificate_, Separator)
    assert model.certificate_.proof


def test_margin_0_needs_steps_beyond_the_boundary_and_somewhere_to_start():
    table = samples.separable_pair(20, seed=0)
    start = [0.3, -0.4, 0.1]
    for how in (
        {"relaxation": 1.0, "start": start},
        {"relaxation": 0.5, "start": start},
        {"relaxation": 1.5},
        {"relaxation": 1.5, "start": np.zeros(3)},
    ):
        with pytest.raises(OptionError, match=f"margin=0.*relaxation={how['relaxation']}"):
            RelaxationClassifier(margin=0, **how).fit(table.X, table.labels)


@pytest.mark.parametrize("seed", range(5))
def test_reflections_end_with_margin_0(seed):
    """Motzkin and Schoenberg: a step as far beyond the boundary as w was before it ends inside of an open cone."""
    table, start = samples.separable_pair(20, seed=seed), [0.3, -0.4, 0.1]
    model = RelaxationClassifier(margin=0, relaxation=2, start=start, shuffle=False).fit(table.X, table.labels)
    assert model.certificate_.proof
    plane = np.append(model.coef_[0], model.intercept_)
    assert np.allclose(plane, by_hand(signed(table.X, table.labels), 1000, 0.0, 2.0, start), rtol=1e-10)


def test_overlap_is_said_once():
    table = samples.gaussian_pair(0.5, 60, seed=0)
    with pytest.warns(NotCertifiedWarning, match="max_iter=7") as caught:
        model = RelaxationClassifier(max_iter=7, random_state=0).fit(table.X, table.labels)
    assert len(caught) == 1
    assert not model.certificate_.proof
    assert model.n_iter_ == 7


def test_a_row_without_length_stays_where_it_is():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    with pytest.warns(NotCertifiedWarning):
        model = RelaxationClassifier(fit_intercept=False, max_iter=3).fit(X, [1, 1, 0])
    assert np.isfinite(model.coef_).all()
