"""Decoding: how the scores of the two-class problems of a code become one score for each class; the largest wins.

    hamming   minus the number of columns with the class on the other side, 1/2 where it is on none
    loss      minus sum over columns of max(0, 1 - M f), the hinge loss of the scores f for the codeword M of the class,
              which is 1 where the class is on no side (Allwein, Schapire and Singer, 2000)
    votes     of pairs: one for the winner of each
    dag       of pairs: the winner stays, the loser is out (Platt, Cristianini and Shawe-Taylor, 2000)

For scores of 1 and -1 the hinge loss is twice the Hamming distance. Equal distances and votes are settled by the larger
sum of scores.
"""

from collections.abc import Callable

import numpy as np

from separatrix.rows import Vector

MAX_SCORE = 1e100  # beyond, a score has nothing to say but its side; sums of losses stay finite


def votes(scores: Vector, code: np.ndarray) -> Vector:
    """One vote a column for the winning side; ties go to the larger sum of scores, squeezed to a third of a vote.

    >>> from separatrix.estimators.reduction.codes import one_vs_one
    >>> votes(np.array([[-1.0, -1.0, 5.0]]), one_vs_one(3)).argmax().item()  # class 0 beats 1 and 2
    0
    """
    won = (scores > 0).astype(float)
    counts = won @ (code > 0).T + (1.0 - won) @ (code < 0).T
    return counts + confidence(scores, code) / 3.0


def hamming(scores: Vector, code: np.ndarray) -> Vector:
    """Minus the distance of each word to each codeword; ties go to the larger sum of scores, squeezed to a quarter.

    >>> code = np.array([[1, 1, 1], [-1, -1, 1], [-1, 1, -1]])
    >>> hamming(np.array([[0.1, -9.0, 0.1], [2.0, 2.0, 2.0]]), code).round().tolist()
    [[-1.0, -1.0, -3.0], [0.0, -2.0, -2.0]]
    """
    sides = np.where(scores > 0, 1.0, -1.0)
    return (sides @ code.T - code.shape[1]) / 2.0 + confidence(scores, code) / 4.0


def confidence(scores: Vector, code: np.ndarray) -> Vector:
    """The sum of the scores for each class, those against it negative, squeezed to the interval from -1 to 1.

    Infinite scores, for and against, cancel each other; what is left of them outweighs all finite ones.
    """
    infinite = np.isinf(scores)
    finite = np.where(infinite, 0.0, scores) @ code.T
    beyond = np.where(infinite, np.sign(scores), 0.0) @ code.T
    return np.where(beyond == 0.0, finite / (np.abs(finite) + 1.0), np.sign(beyond))


def hinge_loss(scores: Vector, code: np.ndarray) -> Vector:
    """Minus the sum over columns of the hinge loss of the scores for each codeword.

    >>> hinge_loss(np.array([[1.0, -1.0], [3.0, 0.5]]), np.array([[1, 1], [-1, -1], [-1, 0]])).tolist()
    [[-2.0, -2.0, -3.0], [-0.5, -5.5, -5.0]]
    """
    bounded = np.clip(scores, -MAX_SCORE, MAX_SCORE)
    losses = [np.maximum(0.0, 1.0 - side * bounded) for side in (-1.0, 0.0, 1.0)]
    return -sum(loss @ (code == side).T for side, loss in zip((-1, 0, 1), losses, strict=True))


def decision_dag(score: Callable[[int, np.ndarray], Vector], n_rows: int, n_classes: int) -> Vector:
    """Decide between the first and the last class that is left of each row, which leaves out one, until one is left.

    A row needs the scores of k - 1 pairs; `score` is asked for those of a pair, given its number in the code of pairs
    and some rows, and is positive for the later class. A class gets the number of the round that it lost, and the one
    that is left k - 1; and from the squeezed score of that round up to a half more if it won, less if it lost.

    >>> from separatrix.estimators.reduction.codes import one_vs_one
    >>> pairs = np.array([[-2.0, 1.0, 3.0]])  # 0 beats 1, 2 beats 0, 2 beats 1
    >>> decision_dag(lambda pair, rows: pairs[rows, pair], 1, 3).tolist()  # 0 loses to 2, then 1 loses to 2
    [[-0.25, 0.625, 2.375]]
    """
    low, found = np.zeros(n_rows, dtype=int), np.empty((n_rows, n_classes))
    for round_number in range(n_classes - 1):
        left = n_classes - 1 - round_number  # from the first to the last class that is left
        scores = np.empty(n_rows)
        for first in range(round_number + 1):
            rows = np.flatnonzero(low == first)
            if rows.size or not round_number:
                scores[rows] = score(pair_number(first, first + left, n_classes), rows)
        later, squeezed = scores > 0, half_squeezed(np.abs(scores))
        found[np.arange(n_rows), np.where(later, low, low + left)] = round_number - squeezed
        low += later
    found[np.arange(n_rows), low] = n_classes - 1 + squeezed
    return found


def half_squeezed(margins: Vector) -> Vector:
    """Numbers from 0 to infinity as numbers from 0 to 1/2.

    >>> half_squeezed(np.array([0.0, 1.0, np.inf])).tolist()
    [0.0, 0.25, 0.5]
    """
    finite = np.where(np.isinf(margins), 0.0, margins)
    return np.where(np.isinf(margins), 0.5, finite / (2.0 * finite + 2.0))


def pair_number(i: int, j: int, n_classes: int) -> int:
    """The column of the pair i < j in the code of pairs.

    >>> [pair_number(*pair, 4) for pair in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))]
    [0, 1, 2, 3, 4, 5]
    """
    return i * (2 * n_classes - i - 1) // 2 + j - i - 1
