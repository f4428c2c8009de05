"""Kernels of rows that are no vectors: sets, texts, strings.

    sets       2^|A & S|, the number of subsets that both have; normalised 2^(|A & S| - (|A| + |S|) / 2)
    texts      <words(A), words(S)>, the words as a set (0 or 1) or a bag (counts)
    strings    <counts(A), counts(S)> of all substrings of length k (Leslie, Eskin and Noble, 2002)

A row is cut into tokens and becomes their counts, a sparse vector with a column for each token of the training rows.
What is left is a function of inner products. Tokens that training rows do not have get columns behind the others, so
that the norms of new rows are right.
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.errors import DataError
from separatrix.kernels.inner_product import Exponential, Linear
from separatrix.kernels.kernel import Kernel
from separatrix.kernels.rbf import RBF
from separatrix.kernels.rows_of import as_list
from separatrix.kernels.scaling import Normalized
from separatrix.options import flag, whole
from separatrix.rows import CSR, Vector

WORD = re.compile(r"\w+")
Token = Hashable


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of the training rows, one a column; called with rows, it counts their tokens.

    Parameters
    ----------
    kernel : SetIntersection, Tokens or Spectrum
        How a row is cut into tokens.
    tokens : tuple
        The token of each column.

    Examples
    --------
    >>> from separatrix.kernels import Tokens
    >>> encode = Tokens(bag=True).encoder(["to be or not", "be"])
    >>> encode.tokens
    ('be', 'not', 'or', 'to')
    >>> counts = encode(["be, be quick"])  # "quick" gets a new column
    >>> counts.indices.tolist(), counts.data.tolist(), counts.n_columns
    ([0, 4], [2.0, 1.0], 5)
    """

    kernel: "Symbolic"
    tokens: tuple[Token, ...]
    columns: dict[Token, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", {token: place for place, token in enumerate(self.tokens)})

    def __call__(self, X: Any) -> CSR:
        """Count the tokens of rows."""
        columns, counts = dict(self.columns), self.kernel.counts(X)
        entries = [
            sorted((columns.setdefault(token, len(columns)), times) for token, times in each.items()) for each in counts
        ]
        flat = np.array([entry for row in entries for entry in row], dtype=np.int64).reshape(-1, 2)
        indptr = np.cumsum([0, *map(len, entries)])
        return CSR(flat[:, 1].astype(np.float64), np.ascontiguousarray(flat[:, 0]), indptr, len(columns))


class Symbolic(Kernel):
    """A kernel by the tokens that rows are cut into."""

    rows_are: str
    no_tokens: str

    def cut(self, row: Any) -> Iterable[Token]:
        """Tokens of a row, as often as they are to count."""
        raise NotImplementedError

    def counts(self, X: Any) -> list[Counter[Token]]:
        """How often each row has each of its tokens."""
        return [Counter(self.cut(row)) for row in as_list(X, self.rows_are)]

    def encoder(self, X: Any) -> Vocabulary:
        """Collect the tokens of the training rows X."""
        found = {token for each in self.counts(X) for token in each}
        if not found:
            raise DataError(f"The vocabulary is empty: {self.no_tokens}")
        return Vocabulary(self, tuple(sorted(found, key=repr)))

    def feature_map(self, X: Any) -> Vector:
        """Compute the counts, normalised where the kernel is; of subsets there would be too many."""
        return self.over.feature_map(self.encoder(X)(X))


@dataclass(frozen=True)
class SetIntersection(Symbolic):
    """2^|A & S| for two sets, the number of their common subsets.

    A row is a set, or a list or tuple of its elements; for rows of 0 and 1 `Exponential(base=2.0)` is this kernel.

    Parameters
    ----------
    normalized : bool
        Whether to divide by sqrt(2^|A| 2^|S|), which makes it 1 for equal sets and keeps large sets from overflowing.

    Examples
    --------
    >>> from separatrix.kernels import SetIntersection
    >>> SetIntersection().matrix([{"a", "b"}, {"b", "c"}, {"d"}]).tolist()
    [[4.0, 2.0, 1.0], [2.0, 4.0, 1.0], [1.0, 1.0, 2.0]]
    """

    normalized: bool = False
    rows_are = "sets"
    no_tokens = "every set is empty. Give rows with elements."

    def __post_init__(self) -> None:
        object.__setattr__(self, "normalized", flag("normalized", self.normalized))

    @property
    def over(self) -> Kernel:
        """2^(x.z) of rows of 0 and 1; normalised it is 2^(-||x - z||^2 / 2)."""
        return RBF(gamma=0.5 * math.log(2.0)) if self.normalized else Exponential(2.0)

    def cut(self, row: Any) -> Iterable[Token]:
        """Elements of a set."""
        if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
            raise DataError(
                f"Each row must be a set, or a list or tuple of its elements. Got {row!r}. Use Tokens or Spectrum for "
                "texts."
            )
        try:
            return frozenset(row)
        except TypeError:
            raise DataError(f"The elements of a set must be hashable: numbers, strings, tuples. Got {row!r}.") from None


@dataclass(frozen=True)
class Tokens(Symbolic):
    """A text as its words: the number of words that two texts have in common.

    Words are runs of letters, digits and underscores; capitals count as small letters.

    Parameters
    ----------
    bag : bool
        Whether a word counts as often as it occurs: the sum over words of the product of both counts.
    normalized : bool
        Whether to divide by the norms, which gives the cosine; 0 for a text without words.

    Examples
    --------
    >>> from separatrix.kernels import Tokens
    >>> Tokens().matrix(["The cat and the dog", "the mouse"]).tolist()
    [[4.0, 1.0], [1.0, 2.0]]
    >>> Tokens(bag=True).matrix(["The cat and the dog", "the mouse"]).tolist()
    [[7.0, 2.0], [2.0, 2.0]]
    """

    bag: bool = False
    normalized: bool = False
    rows_are = "texts"
    no_tokens = "no text has a word. Give texts with letters or digits."

    def __post_init__(self) -> None:
        object.__setattr__(self, "bag", flag("bag", self.bag))
        object.__setattr__(self, "normalized", flag("normalized", self.normalized))

    @property
    def over(self) -> Kernel:
        """The inner product of counts, or its cosine."""
        return Normalized(Linear()) if self.normalized else Linear()

    def cut(self, row: Any) -> Iterable[Token]:
        """Words of a text."""
        words = WORD.findall(checked_text(row).lower())
        return words if self.bag else set(words)


@dataclass(frozen=True)
class Spectrum(Symbolic):
    """Strings by their substrings of length k: the sum over substrings of the product of both counts.

    Parameters
    ----------
    k : int
        Length of the substrings, 1 or more.
    normalized : bool
        Whether to divide by the norms, which makes strings of different lengths comparable; 0 for one shorter than k.

    Examples
    --------
    >>> from separatrix.kernels import Spectrum
    >>> Spectrum(2).matrix(["abab", "bab"]).tolist()  # ab, ba, ab and ba, ab
    [[5.0, 3.0], [3.0, 2.0]]
    """

    k: int
    normalized: bool = False
    rows_are = "strings"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))
        object.__setattr__(self, "normalized", flag("normalized", self.normalized))

    @property
    def over(self) -> Kernel:
        """The inner product of counts, or its cosine."""
        return Normalized(Linear()) if self.normalized else Linear()

    @property
    def no_tokens(self) -> str:  # type: ignore[override]
        """What to say where no row is as long as k."""
        return f"no string is as long as k = {self.k}. Lower k."

    def cut(self, row: Any) -> Iterable[Token]:
        """Substrings of a string."""
        text = checked_text(row)
        return [text[place : place + self.k] for place in range(len(text) - self.k + 1)]


def checked_text(row: Any) -> str:
    """A row that is a string."""
    if not isinstance(row, str):
        raise DataError(f"Each row must be a string. Got {row!r}.")
    return row
