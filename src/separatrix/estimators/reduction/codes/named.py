"""The codes that have a name, and the lengths that each may have."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import OptionError
from separatrix.estimators.reduction.codes.adapted import adapted_code
from separatrix.estimators.reduction.codes.bch import bch_code
from separatrix.estimators.reduction.codes.exhaustive import exhaustive_code
from separatrix.estimators.reduction.codes.local_search import search_code
from separatrix.estimators.reduction.codes.pairs_and_rest import one_vs_rest
from separatrix.estimators.reduction.codes.random_code import n_columns, random_code
from separatrix.options import whole
from separatrix.rows import Vector

MAX_LENGTH = 1023  # each column is a fit
COLUMNS_PER_BIT = 10  # of default lengths, for the log2(k) bits of a class; 15 for ternary codes (Allwein et al., 2000)
TERNARY_COLUMNS_PER_BIT = 15


class Wanted(NamedTuple):
    """What a code is made for: classes, a length, random numbers, and how far the classes of the data are apart."""

    n_classes: int
    length: int
    random: np.random.Generator
    separation: Callable[[], Vector]


KINDS: Mapping[str, Callable[[Wanted], np.ndarray]] = {
    "exhaustive": lambda wanted: exhaustive_code(wanted.n_classes),
    "search": lambda wanted: search_code(wanted.n_classes, wanted.length, wanted.random),
    "bch": lambda wanted: bch_code(wanted.n_classes, wanted.length, wanted.random),
    "random": lambda wanted: random_code(wanted.n_classes, wanted.length, wanted.random),
    "ternary": lambda wanted: random_code(wanted.n_classes, wanted.length, wanted.random, ternary=True),
    "adapted": lambda wanted: adapted_code(wanted.separation(), wanted.length, wanted.random),
}


def named_code(
    kind: str, n_classes: int, length: Any, random: np.random.Generator, separation: Callable[[], Vector]
) -> np.ndarray:
    """The code of a kind; `separation` is called by the kind that looks at the data. Two classes have one code only.

    >>> named_code("bch", 26, None, np.random.default_rng(0), lambda: np.ones((26, 26))).shape
    (26, 31)
    """
    if kind not in KINDS:
        raise OptionError(
            f"The 'code' parameter of ErrorCorrectingCode must be one of {tuple(KINDS)}, or a matrix. Got {kind!r}."
        )
    size = length_of(kind, n_classes, length)
    if n_classes == 2:
        return one_vs_rest(2)
    return KINDS[kind](Wanted(n_classes, size, random, separation))


def length_of(kind: str, n_classes: int, given: Any) -> int:
    """The length that is asked for, within what there are columns for; by default some columns for each bit of a class.

    >>> [length_of("random", k, None) for k in (3, 4, 10, 100)], length_of("bch", 100, None)
    ([3, 7, 34, 67], 63)
    """
    most = n_columns(n_classes, kind == "ternary")
    if given is None:
        per_bit = TERNARY_COLUMNS_PER_BIT if kind == "ternary" else COLUMNS_PER_BIT
        usual = min(int(np.ceil(per_bit * np.log2(n_classes))), most, MAX_LENGTH)
        return 2 ** ((usual + 1).bit_length() - 1) - 1 if kind == "bch" else usual
    length, least = whole("length", given), (n_classes - 1).bit_length()
    if kind == "exhaustive" and length != most:
        raise OptionError(
            f"The exhaustive code of {n_classes} classes has {most} columns. Leave 'length' at None for it. "
            f"Got {length}."
        )
    if n_classes > 2 and not least <= length <= min(most, MAX_LENGTH):
        raise OptionError(
            f"The 'length' parameter of ErrorCorrectingCode must be from {least} to {min(most, MAX_LENGTH)} for "
            f"{n_classes} classes: fewer columns cannot tell all of them apart, and more would repeat each other. "
            f"Got {length}."
        )
    return length
