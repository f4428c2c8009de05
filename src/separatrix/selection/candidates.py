"""Which methods to compare on data of a given size, and with which options.

Methods that would take minutes are not tried, with the reason said, and rules that go through the rows again and again
get fewer passes where there are many rows. Both are decided by counting multiplications, never by a clock, so that they
are the same on every machine.
"""

import difflib
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier

from separatrix.errors import OptionError, counted
from separatrix.estimators.discriminant import FisherDiscriminant, GaussianDiscriminant
from separatrix.estimators.ho_kashyap import HoKashyapClassifier
from separatrix.estimators.least_squares import LeastSquaresClassifier
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.estimators.logistic import LogisticClassifier
from separatrix.estimators.online import OnlineClassifier
from separatrix.estimators.pocket import PocketPerceptron
from separatrix.estimators.registry import ALGORITHMS, Algorithm

PASSES_WORK = 6e8  # multiplications of all passes of an online rule, about a second
POCKET_WORK = 4e10  # of a pocket that would count all errors at every row
STEPS_WORK = 2e9  # of all steps of Ho and Kashyap's rule
FEWEST_PASSES, FEWEST_POCKET, FEWEST_STEPS = 20, 3, 50
ROW_COST = 20  # what a row costs beside its numbers, in multiplications
SPARSE_COST = 4  # what a number of a sparse row costs more than one of a dense row
LARGEST_CUBE = 1500.0**3  # of a matrix that is decomposed
HO_KASHYAP_CUBE = 10  # how much more Ho and Kashyap's rule makes of one
INTERIOR_WORK = 3e11  # multiplications of an interior-point method, about ten seconds
INTERIOR_COLUMNS = 1500  # beyond which a support vector machine on sparse rows goes another way
STEPS = {"hinge": 35.0, "squared_hinge": 12.0}  # of the interior-point method, usually
MATRIX_FREE = 3000  # columns of sparse rows from which on least squares decomposes nothing
DECOMPOSING = (FisherDiscriminant, GaussianDiscriminant, HoKashyapClassifier, LeastSquaresClassifier)


class Size(NamedTuple):
    """What the cost of a fit depends on; `stored` are the numbers of a row that are not left out as zeros."""

    rows: int
    columns: int
    stored: float
    classes: int
    sparse: bool

    @property
    def planes(self) -> int:
        """Planes between the classes, each against the rest."""
        return 1 if self.classes == 2 else self.classes

    @property
    def sweep(self) -> float:
        """Multiplications of one look at all rows."""
        return self.rows * self.planes * (self.stored * (SPARSE_COST if self.sparse else 1) + ROW_COST)


class Candidate(NamedTuple):
    """A method to try; `position` decides where two are equally good, `passes` are those that many rows leave it."""

    name: str
    estimator: Any
    position: int
    passes: int | None = None


def registered(size: Size, seed: int) -> tuple[list[Candidate], dict[str, str]]:
    """All methods of the registry that suit data of this size, and the others with the reason.

    Examples
    --------
    >>> from separatrix.selection.candidates import Size, registered
    >>> found, left_out = registered(Size(rows=1000, columns=5000, stored=5000, classes=2, sparse=False), seed=0)
    >>> "Fisher's discriminant" in left_out, "linear SVM" in [candidate.name for candidate in found]
    (True, True)
    """
    estimators = {algorithm.name: algorithm.make() for algorithm in ALGORITHMS}
    reasons = {name: unsuitable(model, size) for name, model in estimators.items() if is_classifier(model)}
    names = [name for name, reason in reasons.items() if not reason]
    return named(names, size, seed), {name: reason for name, reason in reasons.items() if reason}


def named(names: Iterable[str], size: Size, seed: int) -> list[Candidate]:
    """The methods of the registry that are asked for."""
    known = {algorithm.name: (position, algorithm) for position, algorithm in enumerate(ALGORITHMS)}
    found = []
    for name in dict.fromkeys(names):
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.4)
            raise OptionError(
                f"There is no algorithm {name!r}{f' (did you mean {near[0]!r}?)' if near else ''}. "
                f"The algorithms are {', '.join(map(repr, known))}."
            )
        found.append(fitting(*known[name], size, seed))
    if not found:
        raise OptionError("'algorithms' names no algorithm. Name at least one, or give None for all.")
    return found


def fitting(position: int, algorithm: Algorithm, size: Size, seed: int) -> Candidate:
    """An algorithm with as many passes as its time allows."""
    estimator = seeded(algorithm.make(), algorithm.name, seed)
    most = passes(estimator, size)
    if most is None or most >= estimator.max_iter:
        return Candidate(algorithm.name, estimator, position)
    return Candidate(algorithm.name, estimator.set_params(max_iter=most), position, most)


def fewer_passes(candidates: Iterable[Candidate]) -> list[str]:
    """Sentences on the methods that get fewer passes than usual, one for each number of passes."""
    by_passes: dict[int, list[str]] = {}
    for candidate in sorted(candidates, key=lambda candidate: candidate.position):
        if candidate.passes is not None:
            by_passes.setdefault(candidate.passes, []).append(candidate.name)
    return [
        f"At most {counted(most, 'pass', 'passes')} through so many rows (max_iter): {'; '.join(names)}."
        for most, names in sorted(by_passes.items())
    ]


def passes(estimator: Any, size: Size) -> int | None:
    """How often a rule may go through the rows; None where that is not what it does."""
    if isinstance(estimator, PocketPerceptron):
        return max(FEWEST_POCKET, pocket_passes(size))
    if isinstance(estimator, OnlineClassifier):
        return max(FEWEST_PASSES, int(PASSES_WORK / size.sweep))
    if isinstance(estimator, HoKashyapClassifier):
        return max(FEWEST_STEPS, int(STEPS_WORK / size.sweep))
    return None


def pocket_passes(size: Size) -> int:
    """How many passes a pocket has time for.

    Planes separate as many rows as twice the columns, as a rule (Cover, 1965): then the pocket changes until the end.
    With more rows its patience ends it much earlier.
    """
    return int(POCKET_WORK / (size.rows * size.sweep * (SPARSE_COST if size.sparse else 1)))


def unsuitable(estimator: Any, size: Size) -> str:
    """Why a method is not tried on data of this size; empty if it is."""
    advice = "name it in 'algorithms' to have it all the same"
    if isinstance(estimator, LinearSVM):
        work = interior_work(estimator, size)
        return f"it needs some {work:.0e} multiplications a fit; {advice}" if work > INTERIOR_WORK else ""
    if isinstance(estimator, PocketPerceptron) and 2 * size.columns > size.rows and pocket_passes(size) < FEWEST_POCKET:
        return f"it counts the wrong rows of all {size.rows:,} after every correction, and there will be many; {advice}"
    matrices = HO_KASHYAP_CUBE * size.planes if isinstance(estimator, HoKashyapClassifier) else 1
    matrix_free = isinstance(estimator, LeastSquaresClassifier) and size.sparse and size.columns > MATRIX_FREE
    if not isinstance(estimator, DECOMPOSING) or matrix_free or matrices * float(size.columns) ** 3 <= LARGEST_CUBE:
        return ""
    return f"it decomposes a matrix of {size.columns:,} x {size.columns:,} numbers; {advice}"


def interior_work(estimator: LinearSVM, size: Size) -> float:
    """Multiplications of the interior-point method, 0 where it is not used."""
    narrow = float(min(size.rows, size.columns))
    if size.sparse and narrow > INTERIOR_COLUMNS:
        return 0.0
    return STEPS[estimator.loss] * size.planes * max(size.rows, size.columns) * narrow**2


def given(estimators: Mapping[Any, Any], seed: int) -> list[Candidate]:
    """The user's own estimators, in the user's order."""
    for name, estimator in estimators.items():
        if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
            raise OptionError(
                f"'algorithms' must map names to unfitted classifiers with fit and predict. Got {estimator!r} for "
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


def cheapest_first(candidates: list[Candidate], size: Size) -> list[Candidate]:
    """In the order of their cost, as far as it is known."""
    return sorted(candidates, key=lambda candidate: (operations(candidate.estimator, size), candidate.position))


def operations(estimator: Any, size: Size) -> float:
    """Multiplications of a fit, very roughly; infinite for a method of which nothing is known."""
    narrow = float(min(size.columns, size.rows))
    if isinstance(estimator, (FisherDiscriminant, GaussianDiscriminant, LeastSquaresClassifier)):
        return size.rows * narrow**2 + size.columns * narrow**2
    if isinstance(estimator, LinearSVM):
        return 30.0 * size.sweep + interior_work(estimator, size)
    if isinstance(estimator, LogisticClassifier):
        return 30.0 * size.sweep
    if isinstance(estimator, (OnlineClassifier, HoKashyapClassifier)):
        rows = np.sqrt(size.rows) if isinstance(estimator, PocketPerceptron) else 1.0
        return float(estimator.max_iter * size.sweep * rows)
    return np.inf
