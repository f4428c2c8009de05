"""Shrinking, averages and l1 by a few numbers are what they stand for."""

import numpy as np
import pytest

from separatrix.solvers.online.weights import (
    L1_TOTAL,
    SCALE,
    SCALE_SUM,
    Lazy,
    apply_l1,
    make_step,
    move,
    plane_score,
    shrink,
)

X = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])


class Plain:
    """w, b and the sum of all past ones, kept as they are."""

    def __init__(self, W):
        self.W, self.total = W.copy(), np.zeros_like(W)

    def shrink(self, factor):
        self.W[:, :-1] *= factor

    def move(self, step, i, j, bias):
        self.W[j] += step * np.append(X[i], bias)

    def end(self):
        self.total += self.W


@pytest.mark.parametrize("factors", [(0.9,), (0.5, 0.9), (0.9, 1e-4), (0.9, 0.0), (0.8, -0.6), (0.99, 2e-3)])
def test_a_scale_and_a_share_stand_for_w_and_its_sum(factors):
    rng = np.random.default_rng(0)
    W = rng.standard_normal((2, 4))
    plain, lazy = Plain(W), Lazy.of(W, averaged=True, in_batches=False, with_l1=False)
    for t in range(400):
        factor, step = factors[t % len(factors)], rng.standard_normal()
        plain.shrink(factor)
        shrink(W, factor, lazy)
        plain.move(step, t % 2, t % 3 % 2, 2.5)
        move(step, X, t % 2, W, t % 3 % 2, 2.5, lazy)
        plain.end()
        lazy.scalars[SCALE_SUM] += lazy.scalars[SCALE]
        scale = np.abs(plain.W).max()
        assert np.allclose(lazy.scalars[SCALE] * W, plain.W, rtol=1e-11, atol=1e-11 * scale)
        mean = (lazy.scalars[SCALE_SUM] * W + lazy.u) / (t + 1)
        assert np.allclose(mean, plain.total / (t + 1), rtol=1e-10, atol=1e-10 * scale)
        score = plain.W[0, :3] @ X[1] + plain.W[0, 3]
        assert plane_score(X, 1, W[0], lazy) == pytest.approx(score, rel=1e-9, abs=1e-9)


def test_nothing_happens_without_lazy_state():
    W = np.zeros((1, 4))
    move(2.0, X, 0, W, 0, 3.0, None)
    assert W.tolist() == [[2.0, -4.0, 1.0, 6.0]]
    assert plane_score(X, 1, W[0], None) == -12.0 + 1.0 + 6.0


def test_a_batch_is_summed_before_w_moves():
    W = np.array([[1.0, 1.0, 1.0, 1.0]])
    lazy = Lazy.of(W, averaged=False, in_batches=True, with_l1=False)
    order = np.arange(2)
    for i in order:
        move(0.5, X, i, W, 0, 1.0, lazy)
        assert W.tolist() == [[1.0, 1.0, 1.0, 1.0]]
        lazy.pending[0] += 1
    make_step(X, order, 1, W, 0.5, lazy)
    assert (lazy.scalars[SCALE] * W).tolist() == [[1.0, 1.0, 1.25, 2.0]]
    assert not lazy.batch_sum.any()
    assert not lazy.pending.any()


def test_what_l1_is_owed_is_paid_once_and_not_past_zero():
    W = np.array([[1.0, -0.3, 0.1, 5.0]])
    lazy = Lazy.of(W, averaged=False, in_batches=False, with_l1=True)
    lazy.scalars[L1_TOTAL] += 0.25
    apply_l1(W, 0, 1, lazy)
    assert W.tolist() == [[0.75, -0.3, 0.1, 5.0]]
    lazy.scalars[L1_TOTAL] += 0.25
    for _ in range(2):
        apply_l1(W, 0, 3, lazy)
        assert W.tolist() == [[0.5, 0.0, 0.0, 5.0]]
