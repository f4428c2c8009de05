"""The exhaustive code: every way to divide the classes into two sides, once (Dietterich and Bakiri, 1995).

k classes have 2^(k-1) - 1 such columns, and each two codewords differ in 2^(k-2) of them.
"""

import numpy as np

from separatrix.errors import OptionError

MAX_CLASSES = 11  # which have 1,023 columns


def exhaustive_code(n_classes: int) -> np.ndarray:
    """All columns, the first class on the positive side of each.

    >>> exhaustive_code(3).tolist()
    [[1, 1, 1], [-1, 1, -1], [-1, -1, 1]]
    """
    if n_classes > MAX_CLASSES:
        raise OptionError(
            f"The exhaustive code of {n_classes} classes has {2 ** (n_classes - 1) - 1:,} columns, each of which is a "
            f"fit. It is for {MAX_CLASSES} classes at most: use code='search' or code='bch'."
        )
    return two_sided_columns(n_classes)


def two_sided_columns(n_classes: int) -> np.ndarray:
    """Every column of +1 and -1 that has both and begins with +1."""
    numbers = np.arange(2 ** (n_classes - 1) - 1)
    others = numbers[None, :] >> np.arange(n_classes - 1)[:, None] & 1
    return np.vstack([np.ones(numbers.size, dtype=int), 2 * others - 1])
