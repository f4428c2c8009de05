"""Options that solvers share, checked: what was given, and what to give instead."""

from typing import Any

import numpy as np

from separatrix.errors import DataError, OptionError
from separatrix.options import flag, number, whole
from separatrix.problem import Problem
from separatrix.rows import Vector

__all__ = ["check_finite", "check_shrinking", "first_planes", "flag", "number", "positive", "whole"]


def check_shrinking(l2: float, rates: Vector) -> None:
    """Refuse rates at which l2 would make w grow instead of shrink."""
    largest = float(rates.max())
    if largest * l2 >= 1.0:
        raise OptionError(
            f"With l2={l2:g} the learning rate must be below {1 / l2:.3g}, or w grows at every step. Got {largest:g}. "
            "Lower the learning rate or l2."
        )


def check_finite(planes: Vector, problem: Problem, rates: Vector) -> None:
    """Refuse weights that have overflowed."""
    if not np.isfinite(planes).all():
        raise DataError(
            f"The weights overflowed: rows are as long as {problem.radius:.3g} and the learning rate is "
            f"{rates[-1]:.3g}. Scale the features or lower the learning rate."
        )


def positive(name: str, value: Any) -> float:
    """A number above 0, perhaps infinite."""
    if isinstance(value, (float, np.floating)) and value == np.inf:
        return np.inf
    try:
        return number(name, value, above=0.0)
    except OptionError:
        raise OptionError(f"The {name!r} parameter must be a number above 0, or float('inf'). Got {value!r}.") from None


def first_planes(problem: Problem, start: Any) -> Vector:
    """Planes [w..., b] to start from, one a row: zero, or the user's, with an offset of 0 added where there is none."""
    n_planes = problem.n_planes
    if start is None:
        return np.zeros((n_planes, problem.n_features + 1))
    width = problem.n_features + problem.fit_intercept
    expected = (width,) if n_planes == 1 else (n_planes, width)
    try:
        given = np.array(start, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape != expected or not np.isfinite(given).all():
        per_plane = "[w..., b]" if problem.fit_intercept else "[w...]"
        raise OptionError(
            f"The 'start' parameter must hold {per_plane} as finite numbers of shape {expected}. Got {start!r}."
        )
    planes = given.reshape(n_planes, width)
    return planes if problem.fit_intercept else np.column_stack([planes, np.zeros(n_planes)])
