"""Which methods to compare on data of a given size, and with which options.

Methods that would take minutes are not tried, with the reason said, and rules that go through the rows again and again
get fewer passes where there are many rows. Both follow from the cost that a row of the registry gives.
"""

import difflib
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from separatrix.errors import OptionError, counted
from separatrix.estimators.algorithm import Algorithm, Task
from separatrix.estimators.fit_cost import UNKNOWN_COST, FitCost, Size
from separatrix.estimators.registry import algorithm_of, algorithms
from separatrix.selection.measures.metrics import Metric
from separatrix.selection.regression.units import InUnits
from separatrix.selection.tuned import Tuned, n_fits
from separatrix.solvers.options import number


class Candidate(NamedTuple):
    """A method to try; `position` decides where two are equally good, `passes` are those that many rows leave it."""

    name: str
    estimator: Any
    position: int
    passes: int | None = None


def registered(
    size: Size, seed: int, tune: bool = False, task: Task = "classification"
) -> tuple[list[Candidate], dict[str, str]]:
    """All methods of the registry that suit data of this size, and the others with the reason.

    With `tune`, those with a grid of options choose them within their training rows.

    >>> found, left_out = registered(Size(rows=1000, columns=5000, stored=5000, classes=2, sparse=False), seed=0)
    >>> "Fisher's discriminant" in left_out, "linear SVM" in [candidate.name for candidate in found]
    (True, True)
    """
    reasons = {row.name: cost_of(row, tune).refusal(size) for row in algorithms(task)}
    names = [name for name, reason in reasons.items() if not reason]
    advice = "name it in 'algorithms' to have it all the same"
    return named(names, size, seed, tune, task), {
        name: f"{reason}; {advice}" for name, reason in reasons.items() if reason
    }


def named(
    names: Iterable[str], size: Size, seed: int, tune: bool = False, task: Task = "classification"
) -> list[Candidate]:
    """The methods of the registry that are asked for."""
    known = {row.name: (position, row) for position, row in enumerate(algorithms(task))}
    found = []
    for name in dict.fromkeys(names):
        if hasattr(name, "fit"):
            raise OptionError(
                f"'algorithms' lists the estimator {name!r}. Give estimators with names of your own, as in "
                f"algorithms={{'mine': {name!r}}}."
            )
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.4)
            raise OptionError(
                f"There is no algorithm {name!r}{f' (did you mean {near[0]!r}?)' if near else ''}. "
                f"The algorithms are {', '.join(map(repr, known))}."
            )
        found.append(fitting(*known[name], size, seed, tune))
    if not found:
        raise OptionError("'algorithms' names no algorithm. Name at least one, or give None for all.")
    return found


def fitting(position: int, algorithm: Algorithm, size: Size, seed: int, tune: bool = False) -> Candidate:
    """An algorithm with as many passes as its time allows, or with options that it chooses within its training rows."""
    estimator = seeded(algorithm.make(), algorithm.name, seed)
    if tune and algorithm.grid is not None:
        tuned = InUnits if algorithm.task == "regression" else Tuned
        return Candidate(algorithm.name, tuned(estimator, algorithm.grid, random_state=seed), position)
    most = algorithm.cost.max_passes(size)
    passes = None if most is None or most >= estimator.max_iter else most
    estimator = estimator if passes is None else estimator.set_params(max_iter=passes)
    estimator = InUnits(estimator) if algorithm.task == "regression" else estimator
    return Candidate(algorithm.name, estimator, position, passes)


def fewer_passes(candidates: Iterable[Candidate]) -> list[str]:
    """Sentences on the methods that get fewer passes than usual, one for each number of passes."""
    by_passes: dict[int, list[str]] = {}
    for candidate in sorted(candidates, key=lambda candidate: candidate.position):
        if candidate.passes is not None:
            by_passes.setdefault(candidate.passes, []).append(candidate.name)
    return [
        f"At most {counted(most, 'pass', 'passes')} through the rows, as they are many (max_iter): {'; '.join(names)}."
        for most, names in sorted(by_passes.items())
    ]


def given(estimators: Mapping[Any, Any], seed: int) -> list[Candidate]:
    """The user's own estimators, in the user's order."""
    for name, estimator in estimators.items():
        if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
            raise OptionError(
                f"'algorithms' must map names to unfitted estimators with fit and predict. Got {estimator!r} for "
                f"{name!r}{'. Make one: ' + estimator.__name__ + '()' if isinstance(estimator, type) else ''}."
            )
    if not estimators:
        raise OptionError("'algorithms' is empty. Give at least one estimator, or None for all of the package.")
    return [
        Candidate(str(name), seeded(clone(estimator), str(name), seed), position)
        for position, (name, estimator) in enumerate(estimators.items())
    ]


def seeded(estimator: Any, name: str, seed: int) -> Any:
    """Give an estimator a seed of its own wherever it has none; it depends on the name, not on who else is there."""
    if not hasattr(estimator, "get_params"):
        return estimator
    options = estimator.get_params(deep=True)
    own = np.random.SeedSequence([seed, zlib.crc32(name.encode())]).generate_state(1)
    wanted = [key for key, value in options.items() if key.split("__")[-1] == "random_state" and value is None]
    return estimator.set_params(**dict.fromkeys(wanted, int(own[0] >> 1))) if wanted else estimator


def with_class_weight(
    candidates: list[Candidate], class_weight: Any, classes: np.ndarray
) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates that take class weights, with these; and the others with the reason."""
    if class_weight is None:
        return candidates, {}
    weights = checked_class_weight(class_weight, classes)
    kept, left_out = [], {}
    for candidate in candidates:
        names = [name for name in parameters_of(candidate.estimator) if name.split("__")[-1] == "class_weight"]
        if names:
            weighted = clone(candidate.estimator).set_params(**dict.fromkeys(names, weights))
            kept.append(candidate._replace(estimator=weighted))
        else:
            left_out[candidate.name] = "without class weights"
    if not kept:
        raise OptionError("None of the methods takes class weights. Name others in 'algorithms', or leave them out.")
    return kept, left_out


def checked_class_weight(class_weight: Any, classes: np.ndarray) -> Any:
    """The weights with the labels of the data, which a command line gives as text; 1 for classes that are not named."""
    if class_weight == "balanced":
        return class_weight
    if not isinstance(class_weight, Mapping):
        raise OptionError(
            f"The 'class_weight' parameter must be 'balanced', a mapping of labels to numbers, or None. Got "
            f"{class_weight!r}."
        )
    labels = {str(label): label for label in classes.tolist()}
    unknown = [label for label in class_weight if str(label) not in labels]
    if unknown:
        raise OptionError(f"There is no class {unknown[0]!r} to weight. The classes are {list(labels)[:12]}.")
    given = {str(label): number("class_weight", weight, above=0.0) for label, weight in class_weight.items()}
    return {label: given.get(text, 1.0) for text, label in labels.items()}


def with_metric(candidates: list[Candidate], metric: Metric) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates whose predictions the metric can measure, which choose their options by it; and the others."""
    if metric.name == "logloss":
        able = [candidate for candidate in candidates if hasattr(candidate.estimator, "predict_proba")]
        unable = [candidate.name for candidate in candidates if candidate not in able]
        if not able:
            raise OptionError(
                "None of the methods gives probabilities, which a log loss needs. Wrap one by Calibrated."
            )
        return able, dict.fromkeys(unable, "without probabilities, which a log loss needs")
    if metric.name == "error" or not metric.by_predictions:
        return candidates, {}
    tuned = [candidate for candidate in candidates if isinstance(candidate.estimator, Tuned)]
    return [
        candidate._replace(estimator=clone(candidate.estimator).set_params(metric=metric))
        if candidate in tuned
        else candidate
        for candidate in candidates
    ], {}


def parameters_of(estimator: Any) -> Mapping[str, Any]:
    """The options of an estimator and of all that is inside of it."""
    return estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}


def cheapest_first(candidates: list[Candidate], size: Size) -> list[Candidate]:
    """In the order of their cost, as far as it is known."""
    return sorted(candidates, key=lambda candidate: (multiplications(candidate.estimator, size), candidate.position))


def multiplications(estimator: Any, size: Size) -> float:
    """Multiplications of a fit, to an order of magnitude; infinite for a method of which nothing is known."""
    return known_cost(estimator).multiplications(size, max_iter_of(estimator))


def predicted_seconds(estimator: Any, size: Size) -> float:
    """The seconds that a fit is predicted to take; infinite for a method of which nothing is known."""
    return known_cost(estimator).seconds(size, max_iter_of(estimator))


def known_cost(estimator: Any) -> FitCost:
    """The cost of a fit by the row of the registry that an estimator is made by."""
    row, tune = algorithm_of(inner(estimator)), inner(estimator) is not estimator and estimator.grid is not None
    return cost_of(row, tune) if row else UNKNOWN_COST


def inner(estimator: Any) -> Any:
    """The estimator of the registry within what chooses its options."""
    return estimator.estimator if isinstance(estimator, (Tuned, InUnits)) else estimator


def max_iter_of(estimator: Any) -> int:
    """How often a rule may go through the rows."""
    return getattr(inner(estimator), "max_iter", 1) or 1


def within_seconds(
    candidates: list[Candidate], size: Size, n_folds: int, seconds: float
) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates whose fits are predicted to end in time, quick ones first; and the others with the reason.

    Some rows of the registry are always tried. Methods of which nothing is known are kept: for them the clock decides.
    """
    predicted = [n_folds * predicted_seconds(candidate.estimator, size) for candidate in candidates]
    rows = (algorithm_of(inner(candidate.estimator)) for candidate in candidates)
    always = [row is not None and row.always for row in rows]
    order = sorted(
        (place for place in range(len(candidates)) if np.isfinite(predicted[place])),
        key=lambda place: (not always[place], predicted[place], candidates[place].position),
    )
    spent, too_long = 0.0, set()
    for rank, place in enumerate(order):
        if rank and spent + predicted[place] > seconds and not always[place]:
            too_long.add(place)
        else:
            spent += predicted[place]
    reason = f"its fits are predicted to go beyond the {seconds:.3g} s for all methods; a longer time includes it"
    kept = [candidate for place, candidate in enumerate(candidates) if place not in too_long]
    return kept, {candidates[place].name: reason for place in sorted(too_long)}


def cost_of(algorithm: Algorithm, tune: bool) -> FitCost:
    """The cost of a fit, or of all fits that choose the options of an algorithm with a grid."""
    if not tune or algorithm.grid is None:
        return algorithm.cost
    return algorithm.cost.tuned(n_fits(algorithm.grid(np.eye(2))))  # as many settings as for any other rows
