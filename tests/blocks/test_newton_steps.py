"""Newton's steps are cut where the whole one goes too far: log cosh sends it ever farther from |v| > 1.09 on."""

import numpy as np
import pytest

from separatrix.solvers.blocks.newton import SHORTER_STEPS, Machine, Sums


def sums_of_log_cosh(machine):
    """What a pass adds up for F(v) = log cosh(v) at the end of a step, and its slopes before that."""
    (before,), (step,) = machine.candidate.V[:, 0], machine.candidate.step[:, 0]
    v = before + step
    slopes = np.array([np.tanh(before + t * step) * step for t in SHORTER_STEPS])
    loss = abs(v) + np.log1p(np.exp(-2.0 * abs(v))) - np.log(2.0)
    return Sums(loss, np.array([[np.tanh(v)]]), np.array([[1.0 / np.cosh(min(abs(v), 300.0)) ** 2]]), slopes)


@pytest.mark.parametrize("start", [0.5, 1.2, 3.0, -20.0])
def test_steps_that_go_too_far_are_cut(start):
    machine = Machine(np.array([[start]]), np.zeros(1), np.inf, 1e-9)
    passes = 0
    while not machine.done and passes < 40:
        machine.take(sums_of_log_cosh(machine))
        passes += 1
    assert machine.done
    assert abs(machine.V[0, 0]) < 1e-8


def test_a_start_that_is_worse_than_zeros_is_left():
    machine = Machine(np.array([[3.0]]), np.zeros(1), 0.0, 1e-9)
    machine.take(sums_of_log_cosh(machine))
    assert machine.candidate.end[0, 0] == 0.0
    machine.take(sums_of_log_cosh(machine))
    assert machine.done
    assert machine.V[0, 0] == 0.0
