"""Newton's steps are cut where the whole one goes too far: that for sqrt(1 + v^2) leads from v to -v^3."""

import numpy as np
import pytest

from separatrix.solvers.blocks.newton import SHORTER_STEPS, Machine, Sums


def sums_of_root(machine):
    """What a pass adds up for F(v) = sqrt(1 + v^2) at the end of a step, and its slopes before that."""
    (before,), (step,) = machine.candidate.V[:, 0], machine.candidate.step[:, 0]
    v = before + step
    slopes = np.array([(before + t * step) / np.hypot(1.0, before + t * step) * step for t in SHORTER_STEPS])
    size = np.hypot(1.0, v)
    return Sums(size, np.array([[v / size]]), np.array([[size**-3.0]]), slopes)


@pytest.mark.parametrize("start", [0.5, 1.2, 3.0, -20.0])
def test_steps_that_go_too_far_are_cut(start):
    machine = Machine(np.array([[start]]), np.zeros(1), np.inf, 1e-9)
    passes = 0
    while not machine.done and passes < 40:
        machine.take(sums_of_root(machine))
        passes += 1
    assert machine.done
    assert abs(machine.V[0, 0]) < 1e-8


def test_a_start_that_is_worse_than_zeros_is_left():
    machine = Machine(np.array([[3.0]]), np.zeros(1), 0.0, 1e-9)
    machine.take(sums_of_root(machine))
    assert machine.candidate.end[0, 0] == 0.0
    machine.take(sums_of_root(machine))
    assert machine.done
    assert machine.V[0, 0] == 0.0
