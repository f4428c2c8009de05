"""Codes: how several classes become two-class problems, and how the answers become one class again.

A code is a matrix with a row for each class and a column for each two-class problem: +1 and -1 for the sides, 0 for
classes that a problem leaves out. Decoding turns the scores of all columns into one score for each class (Dietterich
and Bakiri, 1995; Allwein, Schapire and Singer, 2000).
"""

from collections.abc import Callable
from itertools import combinations
from typing import TypeVar

import numpy as np

from separatrix.certificates import Certificate, Collected
from separatrix.rows import Vector
from separatrix.threads import parallel_map

Answer = TypeVar("Answer")


def solve_columns(
    code: np.ndarray,
    solve: Callable[[int, np.ndarray], Answer],
    certificate_of: Callable[[Answer], Certificate],
    parallel: bool = False,
) -> tuple[list[Answer], Collected]:
    """Solve the two-class problem of each column of a code, given its number, and collect the certificates.

    In parallel each column has one core.

    >>> from separatrix.certificates import Unproved
    >>> answers, claim = solve_columns(one_vs_rest(3), lambda k, side: side.sum(), lambda _: Unproved("a sum"))
    >>> [int(answer) for answer in answers], len(claim.parts)
    ([-1, -1, -1], 3)
    """
    columns = list(enumerate(code.T))
    answers = list((parallel_map if parallel else map)(lambda column: solve(*column), columns))
    return answers, Collected(code, tuple(map(certificate_of, answers)))


def one_vs_rest(n_classes: int) -> np.ndarray:
    """Each class against all others; two classes need one problem only.

    >>> one_vs_rest(3).tolist()
    [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    """
    if n_classes == 2:
        return np.array([[-1], [1]])
    return 2 * np.eye(n_classes, dtype=int) - 1


def one_vs_one(n_classes: int) -> np.ndarray:
    """Each class against each other one, the later of the two on the positive side.

    >>> one_vs_one(3).tolist()
    [[-1, -1, 0], [1, 0, -1], [0, 1, 1]]
    """
    pairs = np.array(list(combinations(range(n_classes), 2)))
    code = np.zeros((n_classes, len(pairs)), dtype=int)
    column = np.arange(len(pairs))
    code[pairs[:, 0], column], code[pairs[:, 1], column] = -1, 1
    return code


def votes(scores: Vector, code: np.ndarray) -> Vector:
    """One vote a column for the winning side; ties go to the larger sum of scores, squeezed to a third of a vote.

    Infinite scores, for and against, cancel each other; what is left of them outweighs all finite ones.

    >>> votes(np.array([[-1.0, -1.0, 5.0]]), one_vs_one(3)).argmax().item()  # class 0 beats 1 and 2
    0
    """
    won = (scores > 0).astype(float)
    counts = won @ (code > 0).T + (1.0 - won) @ (code < 0).T
    infinite = np.isinf(scores)
    confidence = np.where(infinite, 0.0, scores) @ code.T
    squeezed = confidence / (3.0 * (np.abs(confidence) + 1.0))
    beyond = np.where(infinite, np.sign(scores), 0.0) @ code.T
    return counts + np.where(beyond == 0.0, squeezed, np.sign(beyond) / 3.0)
