"""A bound on the corrections of an online perceptron, whatever the order of the rows (Novikoff, 1962).

    corrections <= (R / gamma)^2

from zero and at a constant rate, with R and gamma as in `certificates.arithmetic.mistake_bound`. Every separating plane
gives a valid bound; the one with the largest margin, a plane through the origin of the extended rows, gives the least.
It is not the plane of the largest distance to the rows x, whose 1 / ||w|| is no such gamma.
"""

from dataclasses import replace
from numbers import Real
from typing import Literal, TypeAlias

import numpy as np

from separatrix.certificates.arithmetic.mistake_bound import ExtendedRows
from separatrix.errors import OptionError
from separatrix.problem import Problem
from separatrix.rows import CSR
from separatrix.solvers.options import flag
from separatrix.theory.largest_margin import largest_margin

BiasStep: TypeAlias = float | Literal["radius2"]

MARGIN_ROUNDING = 1e-9  # relative, by which a given margin may exceed the longest row


def mistake_bound(
    problem: Problem, margin: float | None = None, *, bias_step: BiasStep = 1.0, normalized: bool = False
) -> float:
    """(R / gamma)^2 with the largest margin gamma or a known one, rounded up; infinite where no plane was found.

    >>> problem = Problem(np.array([[1.0], [3.0]]), np.array([0, 1]))
    >>> round(mistake_bound(problem), 6)  # of x - 2 the margin is 1 / sqrt(5), and the longest row is [3, 1]
    50.0
    """
    check_positive("bias_step", bias_step, "a positive number or 'radius2'", "radius2")
    if margin is not None:
        check_positive("margin", margin, "a positive number, or None to find it")
    extended, scale = extended_rows(problem, bias_step, flag("normalized", normalized))
    if margin is None:
        found = largest_margin(extended)
        return np.inf if found is None else extended.mistake_bound(*found)
    radius = extended.radius / (1.0 if normalized else scale)
    if margin > radius * (1.0 + MARGIN_ROUNDING):
        raise OptionError(
            f"The 'margin' parameter must be at most {radius:.6g}, the length of the longest row, which no plane's "
            f"margin exceeds. Got {margin!r}. Give min y (w.x + b) / ||[w, b]|| of a separating plane, or None."
        )
    return extended.bound_of(float(margin) * (1.0 if normalized else scale))


def check_positive(name: str, value: object, allowed: str, *words: str) -> None:
    """Refuse an option that is neither a positive finite number nor one of some words."""
    number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and 0.0 < float(value) < np.inf
    if not number and not (isinstance(value, str) and value in words):
        raise OptionError(f"The {name!r} parameter must be {allowed}. Got {value!r}.")


MIN_LARGEST_ENTRY = 2.0**-400  # below which squares underflow and rows are scaled up


def extended_rows(problem: Problem, bias_step: BiasStep, normalized: bool) -> tuple[ExtendedRows, float]:
    """The rows that a perceptron adds, and the power of two that scales them against underflow."""
    step = 0.0 if isinstance(bias_step, str) or not problem.fit_intercept else float(bias_step)
    X = problem.X
    values = X.data if isinstance(X, CSR) else X
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)), np.sqrt(step))
    scale = 2.0 ** min(1000, -int(np.frexp(largest)[1])) if 0.0 < largest < MIN_LARGEST_ENTRY else 1.0
    if scale != 1.0:
        problem = replace(problem, X=X._replace(data=X.data * scale) if isinstance(X, CSR) else X * scale)
    step = float(problem.squares.max()) if isinstance(bias_step, str) else step * scale * scale
    return ExtendedRows(problem, step, normalized), scale
