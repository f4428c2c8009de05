"""Numbers and flags that users give as options, checked: what was given, and what to give instead."""

from numbers import Real
from typing import Any

import numpy as np

from separatrix.errors import OptionError


def whole(name: str, value: Any, least: int = 1) -> int:
    """A whole number, not too small.

    Examples
    --------
    >>> from separatrix.options import whole
    >>> whole("max_iter", 5)
    5
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise OptionError(f"The {name!r} parameter must be a whole number of at least {least}. Got {value!r}.")
    return int(value)


def number(name: str, value: Any, *, above: float = -np.inf, at_least: float = -np.inf, most: float = np.inf) -> float:
    """A finite number within bounds.

    Examples
    --------
    >>> from separatrix.options import number
    >>> number("l2", 0.5, at_least=0)
    0.5
    """
    fits = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
    if not fits or not (above < float(value) <= most and float(value) >= at_least):
        bounds = [
            f"above {above:g}" if above > -np.inf else "",
            f"of at least {at_least:g}" if at_least > -np.inf else "",
            f"of at most {most:g}" if most < np.inf else "",
        ]
        words = " and ".join(bound for bound in bounds if bound)
        raise OptionError(f"The {name!r} parameter must be a finite number {words}. Got {value!r}.".replace(" .", "."))
    return float(value)


def flag(name: str, value: Any) -> bool:
    """True or False, also as NumPy has them."""
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"The {name!r} parameter must be True or False. Got {value!r}.")
    return bool(value)
