"""Frames as blocks: which of their columns are features, and which hold labels and weights."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.files.roles import roles_of
from separatrix.data.files.source import Reading
from separatrix.data.prepare.dates import DATE
from separatrix.data.prepare.frames import frame_columns, frame_labels, frame_names, frame_part, frame_values
from separatrix.errors import DataError


class FrameRoles(NamedTuple):
    """Columns of frames by their names; all frames must have those of the first, in any order.

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix.data.files.source import Reading
    >>> frame = pd.DataFrame({"id": [7, 8], "age": [30, 40], "ill": ["no", "yes"], "w": [1, 2]})
    >>> roles = FrameRoles.of(frame, Reading("ill", drop=("id",), weights="w"))
    >>> roles.features, roles.target, roles.weights, roles.block(frame).weights.tolist()
    (('age',), 'ill', 'w', [1.0, 2.0])
    """

    features: tuple[str, ...]
    target: str | None = None
    weights: str | None = None
    dropped: tuple[str, ...] = ()
    kinds: Mapping[str, str] | None = None  # of columns that are not to be one array; empty where they are to be found

    @classmethod
    def of(cls, frame: Any, reading: Reading, name: str = "the frame") -> "FrameRoles":
        """The roles in frames of which this is the first; a column that is named must be there."""
        return cls.of_names(frame_names(frame), reading, name)

    @classmethod
    def of_names(cls, names: tuple[str, ...], reading: Reading, name: str) -> "FrameRoles":
        """The roles of columns with these names."""
        found = roles_of(names, reading, name)
        target = None if found.target is None else names[found.target]
        weights = None if found.weights is None else names[found.weights]
        features = tuple(names[j] for j in found.features)
        return cls(features, target, weights, tuple(set(names) - {*features, target, weights}))

    @property
    def used(self) -> tuple[str, ...]:
        """The columns that are read."""
        return (*self.features, *(name for name in (self.target, self.weights) if name is not None))

    def check(self, names: tuple[str, ...]) -> None:
        """Refuse columns that lack one of these, or have others: they may be of other data."""
        absent = [name for name in self.used if name not in names]
        if absent:
            raise DataError(f"there is no column {absent[0]!r}, which the first rows have. Give all parts the same.")
        strange = [name for name in names if name not in self.used and name not in self.dropped]
        if strange:
            raise DataError(
                f"there is a column {strange[0]!r}, which the first rows do not have. Give all parts the same columns, "
                "or drop it."
            )

    def block(self, frame: Any, y: Any = None, weights: Any = None) -> RawBlock:
        """The rows of a frame, with labels and weights from its columns where these are not given beside it."""
        names = frame_names(frame)
        self.check(names)
        rows = self.rows(frame_part(frame, self.features))
        if self.target is not None:
            y = frame_labels(frame, self.target)
        if self.weights is not None:
            weights = frame_values(frame_part(frame, (self.weights,)))[0][:, 0]
        return RawBlock(rows, y, weights)

    def rows(self, frame: Any) -> Any:
        """The features of a frame: one array of numbers, or columns of their kinds."""
        if self.kinds is None:
            return frame_values(frame)[0]
        words = {name for name, kind in self.kinds.items() if kind == "text"}
        numbers = {name for name, kind in self.kinds.items() if kind == "number"}
        dates = {name: kind.removeprefix(DATE) for name, kind in self.kinds.items() if kind.startswith(DATE)}
        return frame_columns(frame, words, dates=dates, numbers=numbers)
