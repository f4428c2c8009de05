"""Slopes against differences of values, choices where there is no slope, and where the slopes jump."""

import numpy as np
import pytest

from separatrix.objectives import Kind, Loss, slope, value
from separatrix.objectives.loss import decay, distance_to_kink

OF_CLASSES = [
    Loss(Kind.PERCEPTRON),
    Loss(Kind.HINGE),
    Loss(Kind.SQUARED_HINGE, 0.7),
    Loss(Kind.LOGISTIC),
    Loss(Kind.EXPONENTIAL),
]
OF_NUMBERS = [Loss(Kind.SQUARED), Loss(Kind.EPSILON, 0.3), Loss(Kind.SQUARED_EPSILON, 0.4)]
OF_ROWS = [Loss(Kind.HEBB), Loss(Kind.OJA)]
JUMPING = [Loss(Kind.PERCEPTRON), Loss(Kind.HINGE), Loss(Kind.EPSILON, 0.3), Loss(Kind.SQUARED_EPSILON, 0.4)]
SCORES = np.linspace(-3.05, 3.05, 123)
CASES = [(loss, y) for loss in OF_CLASSES for y in (-1.0, 1.0)] + [
    (loss, y) for loss in OF_NUMBERS + OF_ROWS for y in (-1.7, 0.0, 0.6)
]


def name(case):
    return f"{Kind(case.kind).name.lower()}" if isinstance(case, Loss) else str(case)


@pytest.mark.parametrize(("loss", "y"), CASES, ids=name)
def test_the_slope_is_that_of_the_value(loss, y):
    h, checked = 1e-5, 0
    for g in SCORES:
        if distance_to_kink(loss, g, y) > 2 * h:
            difference = (value(loss, g + h, y) - value(loss, g - h, y)) / (2 * h)
            assert slope(loss, g, y) == pytest.approx(difference, rel=1e-8, abs=1e-4 if loss.kind == 3 else 1e-8)
            checked += 1
    assert checked > 100


def test_values_by_hand():
    assert value(Loss(Kind.PERCEPTRON), 2.0, -1.0) == 2.0
    assert value(Loss(Kind.HINGE), 2.0, -1.0) == 3.0
    assert value(Loss(Kind.SQUARED_HINGE, 3.0), 1.0, 1.0) == 2.0
    assert value(Loss(Kind.LOGISTIC), 0.0, 1.0) == pytest.approx(np.log(2))
    assert value(Loss(Kind.EXPONENTIAL), 2.0, 1.0) == pytest.approx(np.exp(-2))
    assert value(Loss(Kind.SQUARED), 2.0, 5.0) == 4.5
    assert value(Loss(Kind.EPSILON, 1.0), 2.0, 5.0) == value(Loss(Kind.EPSILON, 1.0), 5.0, 2.0) == 2.0
    assert value(Loss(Kind.SQUARED_EPSILON, 1.0), 2.0, 5.0) == 8.0
    assert value(Loss(Kind.HEBB), 3.0, 0.0) == value(Loss(Kind.OJA), 3.0, 0.0) == -4.5
    assert value(Loss(Kind.THERMAL, 1.0), -2.0, 1.0) == 0.0


@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_a_tie_makes_a_step(y):
    """The documents write <= in (60.19) and (61.22), and both ends of the tube count in (61.32)."""
    assert slope(Loss(Kind.PERCEPTRON), 0.0, y) == -y
    assert slope(Loss(Kind.HINGE), y, y) == -y
    assert slope(Loss(Kind.THERMAL, 2.0), 0.0, y) == -y
    tube = Loss(Kind.EPSILON, 0.5)
    assert slope(tube, 1.5, 2.0) == -1.0
    assert slope(tube, 2.5, 2.0) == 1.0
    assert slope(tube, 1.75, 2.0) == slope(tube, 2.25, 2.0) == 0.0
    square = Loss(Kind.SQUARED_EPSILON, 0.25)
    assert slope(square, 1.5, 2.0) == -1.0
    assert slope(square, 2.5, 2.0) == 1.0
    assert slope(square, 1.75, 2.0) == 0.0


def test_a_tube_of_no_width_has_no_slope_where_it_is_hit():
    assert slope(Loss(Kind.EPSILON, 0.0), 2.0, 2.0) == 0.0
    assert slope(Loss(Kind.SQUARED_EPSILON, 0.0), 2.0, 2.0) == 0.0


@pytest.mark.parametrize("y", [-1.0, 1.0])
@pytest.mark.parametrize("far", [50.0, 700.0, 1e5, 1e300])
def test_the_logistic_loss_of_huge_scores(far, y):
    loss = Loss(Kind.LOGISTIC)
    with np.errstate(over="raise", invalid="raise"):
        assert value(loss, -far * y, y) == far
        assert value(loss, far * y, y) == pytest.approx(np.exp(-far), rel=1e-12, abs=1e-300)
        assert slope(loss, -far * y, y) == -y
    with np.errstate(over="ignore"):  # 1 / infinity is the 0 that is meant
        assert abs(slope(loss, far * y, y)) == pytest.approx(np.exp(-far), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("y", [-1.0, 1.0, 0.4])
@pytest.mark.parametrize("loss", JUMPING, ids=name)
def test_a_kink_is_where_the_slope_jumps(loss, y):
    if loss.kind in (Kind.PERCEPTRON, Kind.HINGE) and abs(y) != 1.0:
        return
    for g in SCORES:
        far = distance_to_kink(loss, g, y)
        if far < 1e-12:
            continue
        inside = [slope(loss, g + share * far, y) for share in np.linspace(-0.999, 0.999, 41)]
        assert np.abs(np.diff(inside)).max() < 0.1 + 0.2 * far, "no jump nearer"
        edges = [abs(slope(loss, g + s * far + 1e-9, y) - slope(loss, g + s * far - 1e-9, y)) for s in (-1, 1)]
        assert max(edges) > 0.9, "a jump there"


@pytest.mark.parametrize(("loss", "y"), [case for case in CASES if case[0] not in JUMPING], ids=name)
def test_the_others_never_jump(loss, y):
    for g in SCORES:
        assert distance_to_kink(loss, g, y) == np.inf
        assert abs(slope(loss, g + 1e-9, y) - slope(loss, g - 1e-9, y)) < 1e-6


def test_thermal_steps_fade_with_the_distance():
    loss = Loss(Kind.THERMAL, 2.0)
    for y in (-1.0, 1.0):
        assert slope(loss, -3.0 * y, y) == pytest.approx(-y * np.exp(-1.5))
        assert slope(loss, 1e-9 * y, y) == 0.0
        assert distance_to_kink(loss, 0.25 * y, y) == 0.25
        assert distance_to_kink(loss, -0.25 * y, y) == 0.0, "a score that decides the step is in doubt itself"


def test_only_ojas_rule_decays():
    assert decay(Loss(Kind.OJA), -3.0) == 9.0
    for kind in Kind:
        assert kind == Kind.OJA or decay(Loss(kind, 1.0), 3.0) == 0.0
