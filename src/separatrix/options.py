"""Numbers, flags and small arrays that users give, checked: what was given, and what to give instead."""

from numbers import Real
from typing import Any

import numpy as np

from separatrix.errors import DataError, OptionError


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


def finite_array(name: str, value: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """Finite numbers of a given shape, of which None is any size, as float64.

    Examples
    --------
    >>> from separatrix.options import finite_array
    >>> finite_array("mean", [1, 2], (2,)).tolist()
    [1.0, 2.0]
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    fits = array.ndim == len(shape) and all(one in (None, other) for one, other in zip(shape, array.shape, strict=True))
    if not fits or not np.isfinite(array).all():
        sizes = ", ".join("n" if size is None else str(size) for size in shape) + "," * (len(shape) == 1)
        kind = f"hold finite numbers of shape ({sizes})" if shape else "be a finite number"
        raise DataError(f"{name!r} must {kind}. Got {value!r}.")
    return array
