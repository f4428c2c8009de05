"""The rows of one block as a source has them."""

import re
from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import DataError


class RawBlock(NamedTuple):
    """Rows as a source has them, with a label or a number and a weight each, if it has these.

    `numbers` are those of the rows in their place, where they are not 0, 1, 2, ..., and `unit` is what they count: the
    rows of that place, or the lines of a file.
    """

    X: Any
    y: Any = None
    weights: Any = None
    numbers: Any = None
    unit: str = "row"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; no columns where the rows do not tell how many they have."""
        shape = np.shape(self.X) if not hasattr(self.X, "shape") else self.X.shape
        return int(shape[0]), int(shape[1]) if len(shape) > 1 else 0

    def located(self, refusal: DataError, place: str) -> DataError:
        """An error about these rows that says where they are."""

        def named(found: re.Match[str]) -> str:
            row = int(found[1])
            known = self.numbers is None or row >= len(self.numbers)
            return f"{self.unit} {row if known else int(self.numbers[row])}"

        said = re.sub(r"\brow (\d+)(?: \(from 0\))?", named, str(refusal), count=1)
        return type(refusal)(f"{place}: {said}")
