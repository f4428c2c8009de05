"""From labels to the numbers of classes, in the same way for every block."""

from typing import Any, NamedTuple

import numpy as np

from separatrix.data.blocks.census import Counts
from separatrix.data.encode import label_array, one_type
from separatrix.data.table import labels_from_text
from separatrix.errors import DataError


class ClassCodes(NamedTuple):
    """The classes, sorted, and for labels that come as text which class each spelling stands for.

    Examples
    --------
    >>> import numpy as np
    >>> codes = ClassCodes(np.array([1, 10]), np.array(["+1", "10"]), np.array([0, 1]))
    >>> codes.of(["10", "+1", "+1"]).tolist()
    [1, 0, 0]
    """

    classes: np.ndarray
    spellings: np.ndarray | None = None
    numbers: np.ndarray | None = None

    def of(self, y: Any) -> np.ndarray:
        """The number of the class of each row."""
        if self.spellings is None or self.numbers is None:
            return self._found(self.classes, label_array(y)[0])
        return self.numbers[self._found(self.spellings, np.asarray(y, dtype=self.spellings.dtype.kind))]

    def _found(self, known: np.ndarray, given: np.ndarray) -> np.ndarray:
        places = np.minimum(np.searchsorted(known, given), known.size - 1)
        strange = np.flatnonzero(known[places] != given)
        if strange.size:
            label = given[strange[:1]].tolist()[0]
            raise DataError(
                f"y has the label {label!r} in row {strange[0]}, which the first pass did not find. The rows must be "
                "the same in every pass."
            )
        return places


def class_codes(found: Counts, as_written: bool) -> ClassCodes:
    """The classes of the labels that were found; texts of a file that are all numbers are these numbers."""
    labels = list(found.labels)
    if as_written:
        values = labels_from_text(labels, apart=True)
        order = np.argsort(np.array(labels, dtype=np.str_))
        classes = np.unique(values)
        return ClassCodes(classes, np.array(labels, dtype=np.str_)[order], np.searchsorted(classes, values)[order])
    kind: Any = object if "|O" in found.types else np.result_type(*map(np.dtype, sorted(found.types)))
    return ClassCodes(np.unique(np.asarray(labels, dtype=kind)))


def codes_of_known(known: Any, found: Counts, as_written: bool) -> tuple[ClassCodes, list[Any]]:
    """The codes of classes that are known, and the labels found that are none of them."""
    classes = np.unique(one_type(np.asarray(known)))
    if classes.size < 2:
        raise DataError(f"'classes' must name at least two classes. Got {classes.tolist()}.")
    labels = list(found.labels)
    values = like(classes, labels) if as_written else labels
    members = set(classes.tolist())
    strange = [label for label, value in zip(labels, values, strict=True) if value not in members]
    if strange or not as_written:
        return ClassCodes(classes), strange
    order = np.argsort(np.array(labels, dtype=np.str_))
    numbers = np.searchsorted(classes, np.asarray(values, dtype=classes.dtype))
    return ClassCodes(classes, np.array(labels, dtype=np.str_)[order], numbers[order]), []


def like(classes: np.ndarray, texts: list[str]) -> list[Any]:
    """Labels of a file in the type of classes; what cannot be one stays text."""
    if classes.dtype.kind == "b":
        return [{"True": True, "False": False}.get(text, text) for text in texts]
    if classes.dtype.kind not in "iuf":
        return list(texts)
    return [labels_from_text([text]).tolist()[0] for text in texts]
