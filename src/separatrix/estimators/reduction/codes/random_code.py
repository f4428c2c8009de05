"""Random codes: of +1 and -1, or of +1, -1 and 0 (Allwein, Schapire and Singer, 2000).

Of several draws that are codes the one with the largest minimum distance is taken. In ternary ones each entry is 0 with
probability 1/2. Where no draw tells all classes apart, its first columns give way to those of the binary numbers of the
classes in random order, so that every length from ceil(log2 k) on has a code.
"""

import numpy as np

from separatrix.estimators.reduction.codes.distance import distances, opposite
from separatrix.estimators.reduction.codes.exhaustive import two_sided_columns
from separatrix.estimators.reduction.codes.validity import one_sign, useful_columns

DRAWS = 32  # of which the best is taken
MAX_LISTED = 4096  # columns that are listed and drawn without replacement; of more, repeated ones are rare


def random_code(n_classes: int, length: int, random: np.random.Generator, ternary: bool = False) -> np.ndarray:
    """The best of several random codes of this length.

    >>> from separatrix.estimators.reduction.codes.validity import is_valid
    >>> code = random_code(10, 15, np.random.default_rng(0))
    >>> code.shape, is_valid(code)
    ((10, 15), True)
    """
    if n_columns(n_classes, ternary) <= MAX_LISTED:
        codes = of_listed_columns(n_classes, length, random, ternary)
    else:
        codes = [of_drawn_entries(n_classes, length, random, ternary) for _ in range(DRAWS)]
    least = np.array([least_distance(code) for code in codes])
    best = codes[int(least.argmax())]
    return best if least.max() > 0.0 else told_apart(best, random)


def n_columns(n_classes: int, ternary: bool = False) -> int:
    """How many columns there are with both sides, once up to an exchange of sides.

    >>> n_columns(4), n_columns(3, ternary=True)
    (7, 6)
    """
    return (3**n_classes - 2 ** (n_classes + 1) + 1) // 2 if ternary else 2 ** (n_classes - 1) - 1


def least_distance(code: np.ndarray) -> float:
    """The minimum distance of a code, 0 where two classes are on opposite sides in no column."""
    pairs = np.triu_indices(len(code), 1)
    return float(distances(code)[pairs].min()) if opposite(code)[pairs].all() else 0.0


def of_listed_columns(n_classes: int, length: int, random: np.random.Generator, ternary: bool) -> list[np.ndarray]:
    """Codes whose columns are drawn without replacement from all that there are."""
    columns = ternary_columns(n_classes) if ternary else two_sided_columns(n_classes)
    chance = np.log(np.where(columns == 0, 0.5, 0.25)).sum(axis=0)
    keys = chance + random.gumbel(size=(DRAWS, columns.shape[1]))  # the largest keys are a draw by these chances
    return [columns[:, np.argsort(-key)[:length]] for key in keys]


def ternary_columns(n_classes: int) -> np.ndarray:
    """Every column of +1, -1 and 0 that has both sides, once up to an exchange of sides."""
    numbers = np.arange(3**n_classes)
    columns = numbers[None, :] // 3 ** np.arange(n_classes)[:, None] % 3 - 1
    columns = columns[:, (columns > 0).any(axis=0) & (columns < 0).any(axis=0)]
    return np.unique(one_sign(columns), axis=1)


def of_drawn_entries(n_classes: int, length: int, random: np.random.Generator, ternary: bool) -> np.ndarray:
    """A code whose entries are drawn; columns without both sides and repeated ones are drawn again."""
    entries = np.array([1, -1, 0, 0] if ternary else [1, -1])
    code = np.empty((n_classes, 0), dtype=int)
    while code.shape[1] < length:
        more = entries[random.integers(entries.size, size=(n_classes, length - code.shape[1]))]
        code = useful_columns(np.hstack([code, more]))
    return code


def told_apart(code: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A code that begins with the binary digits of the numbers of the classes, in random order; all else as before."""
    n_classes, length = code.shape
    digits = np.arange((n_classes - 1).bit_length())
    counting = 2 * (random.permutation(n_classes)[:, None] >> digits & 1) - 1
    return useful_columns(np.hstack([counting, code]))[:, :length]
