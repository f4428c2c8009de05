"""The two codes that everybody uses: each class against the rest, and each class against each other one."""

from itertools import combinations

import numpy as np


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
