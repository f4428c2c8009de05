"""A fit of the lab: the model, how long it took, and what it warned of."""

import warnings
from time import perf_counter
from typing import Any, NamedTuple

from separatrix.errors import NotCertifiedWarning, TrivialFitWarning
from separatrix.estimators.progress_line import no_progress_lines
from separatrix.lab.question import Question


class Fit(NamedTuple):
    """A fitted model, how long it took, and what it warned of."""

    model: Any
    seconds: float
    warnings: list[str]


def fitted(question: Question, model: Any = None) -> Fit:
    """Fit the method of a question; what it warns of is kept."""
    start = perf_counter()
    with warnings.catch_warnings(record=True) as caught, no_progress_lines():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", NotCertifiedWarning)
        warnings.simplefilter("always", TrivialFitWarning)
        model = question.fit(model)
    return Fit(model, perf_counter() - start, [str(warning.message) for warning in caught])
