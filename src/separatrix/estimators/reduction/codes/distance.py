"""How far the codewords of a code are apart, and how many wrong classifiers that makes good.

    d(r, s) = sum over columns of (1 - M_r M_s) / 2          1 where the sides differ, 1/2 where a class is left out

A code of +1 and -1 with the least distance d between two codewords decodes every word with at most floor((d - 1) / 2)
wrong bits to the right class (Hamming, 1950). With zeros a row of class r also meets classifiers that were not trained
on its class and may say anything. Then class s is as near as r at worst after half of

    m(r, s) = opposite + (left out of s alone - left out of r alone) / 2

wrong bits, where `opposite` counts the columns with r and s on different sides.
"""

import numpy as np

from separatrix.rows import Vector


def distances(code: np.ndarray) -> Vector:
    """The distance of each pair of codewords, as a matrix; that of a codeword to itself counts its zeros."""
    return (code.shape[1] - (code @ code.T).astype(np.float64)) / 2.0


def minimum_distance(code: np.ndarray) -> float:
    """The least distance between two codewords.

    >>> from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest
    >>> minimum_distance(one_vs_rest(5)), minimum_distance(one_vs_one(4))  # 1 + 5 / 2: five columns leave one out
    (2.0, 3.5)
    """
    return float(distances(code)[np.triu_indices(len(code), 1)].min())


def n_corrected(code: np.ndarray) -> int:
    """How many classifiers may be wrong, whichever they are, without any harm to the decoded class.

    >>> from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest
    >>> n_corrected(one_vs_rest(5)), n_corrected(one_vs_one(4)), n_corrected(np.array([[1, 1, 1], [-1, -1, -1]]))
    (0, 0, 1)
    """
    zeros = np.count_nonzero(code == 0, axis=1)
    lead = opposite(code) + (zeros[None, :] - zeros[:, None]) / 2.0
    np.fill_diagonal(lead, np.inf)
    return max(0, int(np.ceil(lead.min() / 2.0)) - 1)


def opposite(code: np.ndarray) -> Vector:
    """How many columns put one class of each pair on one side and one on the other, as a matrix."""
    positive, negative = (code > 0).astype(np.float64), (code < 0).astype(np.float64)
    one_way = positive @ negative.T
    return one_way + one_way.T
