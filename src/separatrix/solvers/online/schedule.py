"""Learning rates rho_t for t = 1, 2, ...

constant     rho_t = rho
"inverse"    rho_t = 1 / t          sum rho_t = infinity, sum rho_t^2 < infinity (Robbins and Monro, 1951)
Decay        rho_t = c / (1 + (t - 1) / delay)^power
function     rho_t = function(t)
"""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from separatrix.errors import OptionError
from separatrix.rows import Vector

LearningRate: TypeAlias = float | Literal["inverse"] | Callable[[int], float]
Schedule: TypeAlias = Callable[[int, int], Vector]


@dataclass(frozen=True)
class Decay:
    """A rate that falls: c at the first step, and c / 2^power after `delay` more.

    With delay 1 and power 1, as it is unless said otherwise, rho_t = c / t.

    Parameters
    ----------
    c : float
        The first rate.
    power : float
        How steeply it falls: rho_t = c / (1 + (t - 1) / delay)^power.
    delay : float
        How many steps it takes to have fallen by 2^power.

    Examples
    --------
    >>> from separatrix import Decay
    >>> [Decay(0.5)(t) for t in (1, 2, 5)]
    [0.5, 0.25, 0.1]
    """

    c: float = 1.0
    power: float = 1.0
    delay: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what is no rate."""
        for name in ("c", "power", "delay"):
            if not is_rate(getattr(self, name)):
                raise OptionError(f"{name!r} of Decay must be a positive number. Got {getattr(self, name)!r}.")

    def __call__(self, t: Any) -> Any:
        """rho_t, also for an array of steps."""
        return self.c / (1.0 + (t - 1) / self.delay) ** self.power


def schedule(learning_rate: LearningRate) -> Schedule:
    """Rates from t on, as many as are asked for; a constant rate is an array of one.

    >>> schedule("inverse")(2, 3).round(3).tolist()
    [0.5, 0.333, 0.25]
    """
    if isinstance(learning_rate, str) and learning_rate == "inverse":
        return lambda t, count: 1.0 / np.arange(t, t + count)
    if isinstance(learning_rate, Decay):
        return lambda t, count: learning_rate(np.arange(t, t + count))
    if callable(learning_rate):
        return lambda t, count: computed(learning_rate, t, count)
    if not is_rate(learning_rate):
        raise OptionError(
            "The 'learning_rate' parameter must be a positive number, 'inverse', a Decay or a function of t. "
            f"Got {learning_rate!r}."
        )
    constant = np.array([float(learning_rate)])
    return lambda t, count: constant


def is_rate(value: object) -> bool:
    """Whether a value can be a rate: a positive finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and bool(0 < float(value) < np.inf)


def computed(function: Callable[[int], float], t: int, count: int) -> Vector:
    """The rates that a user's function gives, each of them checked."""
    rates = [function(step) for step in range(t, t + count)]
    for step, rate in enumerate(rates, start=t):
        if not is_rate(rate):
            raise OptionError(
                f"The 'learning_rate' function must give a positive number for every t = 1, 2, ... "
                f"Got {rate!r} for t = {step}."
            )
    return np.array(rates, dtype=np.float64)
