"""Votes are counted, and infinite scores are scores."""

import numpy as np
import pytest

from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.decoding import votes

INF = np.inf


@pytest.mark.filterwarnings("error")
def test_infinite_scores_vote_like_large_ones():
    """Columns are 1 against 0, 2 against 0, 2 against 1."""
    code = one_vs_one(3)
    for scores in ([INF, 2.0, -1.0], [-INF, -INF, 1.0], [INF, INF, INF], [INF, -INF, 0.5], [-INF, 3.0, INF]):
        found = votes(np.array([scores]), code)
        large = votes(np.clip([scores], -1e30, 1e30), code)
        assert found == pytest.approx(large, abs=1e-9)


def test_what_cancels_leaves_the_finite_scores_to_settle_a_tie():
    """Of classes that beat each other in a circle, infinitely, each wins once; how they do against a fourth decides."""
    code = one_vs_one(3)
    found = votes(np.array([[INF, -INF, INF]]), code)[0]  # 1 beats 0, 0 beats 2, 2 beats 1
    assert found.tolist() == [1.0, 1.0, 1.0]
    four = votes(np.array([[INF, -INF, -2.0, INF, -1.0, -5.0]]), one_vs_one(4))[0]  # and all beat 3
    assert four.argmax() == 2
    assert four[:3] == pytest.approx(2.0 + np.array([2.0, 1.0, 5.0]) / (3.0 * np.array([3.0, 2.0, 6.0])))
