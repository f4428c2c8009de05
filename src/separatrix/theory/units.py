"""Threshold units with unit weights, the first model of a nerve cell (McCulloch and Pitts, 1943).

    the unit fires   if   sum of its excitatory inputs >= threshold   and   no inhibitory input is active

Inputs and outputs are 0 or 1, so units can be put together to networks, and two layers of them compute any Boolean
function: a unit for each row of the truth table that is true, and a unit of threshold 1 behind them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.errors import DataError, OptionError


@dataclass(frozen=True)
class McCullochPitts:
    """A unit that fires when enough of its inputs are active, and no inhibitory one is.

    Parameters
    ----------
    threshold : int
        How many excitatory inputs must be active, 0 or more.
    inhibitory : iterable of int
        Which inputs, counted from 0, keep the unit from firing if they are active. All others are excitatory.

    Examples
    --------
    >>> from separatrix import McCullochPitts
    >>> pairs = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> McCullochPitts(threshold=2)(pairs).tolist(), McCullochPitts(threshold=1)(pairs).tolist()  # AND, OR
    ([0, 0, 0, 1], [0, 1, 1, 1])
    >>> McCullochPitts(threshold=0, inhibitory=[0])([[0], [1]]).tolist()  # NOT
    [1, 0]
    """

    threshold: int
    inhibitory: Iterable[int] = ()

    def __post_init__(self) -> None:
        """Check the options, and keep the inputs in order."""
        if not is_count(self.threshold):
            raise OptionError(
                f"The 'threshold' parameter must be a whole number of at least 0. Got {self.threshold!r}."
            )
        inputs = list(self.inhibitory) if isinstance(self.inhibitory, Iterable) else [self.inhibitory]
        if isinstance(self.inhibitory, str) or not all(map(is_count, inputs)):
            raise OptionError(
                f"The 'inhibitory' parameter must hold numbers of inputs, counted from 0. Got {self.inhibitory!r}."
            )
        object.__setattr__(self, "threshold", int(self.threshold))
        object.__setattr__(self, "inhibitory", tuple(sorted({int(each) for each in inputs})))

    def __call__(self, inputs: Any) -> np.ndarray:
        """Tell for each row of inputs whether the unit fires.

        Parameters
        ----------
        inputs : array of shape (..., m)
            0 or 1 for each of m inputs.

        Returns
        -------
        ndarray of shape (...)
            1 where it fires, else 0.
        """
        active = zeros_and_ones(inputs)
        vetoes = list(self.inhibitory)
        if vetoes and vetoes[-1] >= active.shape[-1]:
            raise DataError(f"Input {vetoes[-1]} is inhibitory, but a row has only {active.shape[-1]}, counted from 0.")
        # Inhibitory inputs may be counted too: where the count matters, none of them is active.
        enough, vetoed = active.sum(axis=-1) >= self.threshold, active[..., vetoes].any(axis=-1)
        return np.asarray(enough & ~vetoed).astype(int)


def is_count(value: object) -> bool:
    """Whether a value is a whole number of at least 0."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 0)


def zeros_and_ones(inputs: Any) -> np.ndarray:
    """Rows of inputs, none of them anything but 0 or 1."""
    try:
        given = np.asarray(inputs)
    except ValueError:
        raise DataError(f"The rows of inputs must be equally long. Got {inputs!r}.") from None
    if given.ndim == 0:
        raise DataError(f"A unit takes a row of inputs or several. Got {inputs!r}.")
    wrong = ~((given == 0) | (given == 1)) if given.dtype.kind in "biufO" else np.ones(given.shape, dtype=bool)
    if wrong.any():
        place = tuple(int(each) for each in np.argwhere(wrong)[0])
        raise DataError(f"Inputs of a threshold unit must be 0 or 1. Got {np.array(given[place]).item()!r} at {place}.")
    return given.astype(int)
