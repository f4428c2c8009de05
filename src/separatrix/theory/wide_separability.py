"""Whether planes separate classes where the dimension is too large for exact arithmetic: what doubles can prove.

A linear machine that has every row on its own side is a proof, and so are the weights of `InteriorOverlap` on some rows
of two classes: classes that are not separable in pairs are not separable jointly. Both come from few rows. A logistic
machine for a sample finds the rows that are difficult, and where it separates the sample, the rows that it violates
join it. Where it does not, the pairs of classes that it confuses most are tried first.

What is made in memory has at most `MAX_ENTRIES_MADE` entries at a time, besides a number for each row and class.
"""

from typing import NamedTuple

import numpy as np

from separatrix.certificates import InteriorOverlap, Overlap, Separator
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.interior_overlap import spans_all
from separatrix.problem import Plane, Problem, Status
from separatrix.products import scores
from separatrix.rows import n_entries, take
from separatrix.solvers.budget import Budget, TimeOverError
from separatrix.solvers.logistic.logistic import logistic
from separatrix.solvers.separation.gordan import opposite_duplicates
from separatrix.solvers.separation.newton_alternative import (
    MAX_COLUMNS,
    WORKING_ROWS_A_COLUMN,
    Pair,
    plane_or_weights,
)

MAX_ENTRIES_MADE = 2**25  # of rows that are copied, or of planes for all pairs of them: 256 MB
SAMPLE_ENTRIES = 2**22  # of the rows of the first sample
MIN_SAMPLE_ROWS = 50  # of each class
SAMPLE_TOL = 1e-3  # relative gap to which a sample is solved
SLACK_COSTS = 1e5, 1e7, 1e9, 1e11  # C times the mean square of the rows: a larger one where a smaller does not separate
MAX_WRONG_TO_RAISE = 0.01  # part of a sample that is wrong where a larger C is tried at once
STEPS_AT_ONCE = 40  # on a sample, after which its planes are held against all rows
TIME_SHARE = 0.5  # of the time that is left, for the machine of all classes, or for more pairs than prove the verdict


class PairKind(NamedTuple):
    """What is proved of two classes: "complete", or "not complete" where no plane separates them strictly."""

    own: int
    rival: int
    kind: str


class WideFindings(NamedTuple):
    """What was proved: a machine that separates, or why none does; and what is known of pairs."""

    separator: Separator | None
    overlap: InteriorOverlap | Overlap | None
    pairs: tuple[PairKind, ...]


def wide_findings(problem: Problem, budget: Budget) -> WideFindings:
    """Find a linear machine that separates, or pairs of classes that no plane separates, until the time is over.

    >>> rng = np.random.default_rng(0)
    >>> problem = Problem(rng.standard_normal((200, 5)), rng.integers(0, 2, 200))
    >>> wide_findings(problem, Budget(1)).overlap
    InteriorOverlap(not even weakly, 36 of 200 rows, stated=0)
    """
    search = MachineSearch(problem)
    found = search.step(budget)
    if found is not None:
        return WideFindings(found, None, ())
    pairs = PairSearch(problem, pairs_by_confusion(problem, search.planes))
    pairs.run(search.planes, budget, most=1)
    share = Budget(1, TIME_SHARE * budget.seconds)
    while found is None and pairs.separator is None and not (pairs.parts or search.stuck or share.left <= 0):
        found = search.step(share)
    found = found or pairs.separator
    if found is not None:
        return WideFindings(found, None, ())
    pairs.run(search.planes, Budget(1, TIME_SHARE * budget.seconds) if pairs.parts else budget)
    overlap = InteriorOverlap.issue(problem, pairs.parts) if pairs.parts else duplicates_overlap(problem)
    return WideFindings(pairs.separator, overlap, tuple(pairs.known))


def duplicates_overlap(problem: Problem) -> Overlap | None:
    """The overlap of two equal rows of different classes, if there are any."""
    pair = opposite_duplicates(Inequalities(problem))
    return None if pair is None else Overlap.issue(problem, pair)


class MachineSearch:
    """The search for a linear machine that separates all rows, by a sample that the rows that it violates join."""

    def __init__(self, problem: Problem):
        self.problem, self.sample = problem, first_sample(problem)
        self.typical = float(problem.squares.mean()) or 1.0
        self.largest = MAX_ENTRIES_MADE * problem.n_rows // max(1, n_entries(problem.X))
        self.planes = Planes.of(np.zeros((problem.n_planes, problem.n_features)), np.zeros(problem.n_planes))
        self.level, self.stuck = 0, False

    def step(self, budget: Budget) -> Separator | None:
        """Solve for the sample, and hold the planes against all rows: they are proved, or the sample grows."""
        problem, sample = self.problem, self.sample
        part = Problem(
            take(problem.X, sample), problem.y[sample], problem.n_classes, fit_intercept=problem.fit_intercept
        )
        limit = max(budget.seconds, 1e-3) if budget.seconds < np.inf else None
        start = Plane.of(self.planes.w, self.planes.b) if self.planes.w.any() else None
        found = logistic(
            part, C=SLACK_COSTS[self.level] / self.typical, tol=SAMPLE_TOL, max_iter=STEPS_AT_ONCE, start=start,
            time_limit=limit,
        )  # fmt: skip
        self.planes = Planes.of(found.w, found.b)
        wrong = wrong_rows(problem, self.planes)
        if not wrong.size:
            separator = Separator.issue(problem, found.w, found.b)
            self.stuck = not separator.proof
            return separator if separator.proof else None
        inside = np.isin(wrong, sample, assume_unique=True)
        solved = found.status is not Status.STOPPED
        few = inside.sum() <= MAX_WRONG_TO_RAISE * sample.size
        if inside.any() and (solved or few) and self.level + 1 < len(SLACK_COSTS):
            self.level += 1
        else:
            self.stuck = bool((inside.any() and solved) or sample.size >= self.largest)
        self.sample = np.union1d(sample, wrong[: max(0, self.largest - sample.size)])
        return None


class PairSearch:
    """The search for pairs of classes that no plane separates, in an order that is given."""

    def __init__(self, problem: Problem, order: list[tuple[int, int]]):
        self.problem, self.order = problem, order if has_room(problem) else []
        self.parts: list[tuple[tuple[int, int], np.ndarray, np.ndarray]] = []
        self.known: list[PairKind] = []
        self.separator: Separator | None = None
        self.component = np.arange(problem.n_classes)  # of classes whose planes are proved to be the same

    def run(self, machine: Planes, budget: Budget, most: int | None = None) -> None:
        """Try the pairs that are left, so many at most, until the time is over."""
        for own, rival in self.order[:most]:
            self.order = self.order[1:]
            if self.component[own] == self.component[rival]:
                continue
            try:
                found = plane_or_weights(Pair(self.problem, own, rival), pair_plane(machine, own, rival), budget)
            except TimeOverError:
                return
            if isinstance(found, Planes):
                self.known.append(PairKind(own, rival, "complete"))
                if self.problem.n_classes == 2:
                    separator = Separator.issue(self.problem, found.w[0], float(found.b[0]))
                    self.separator = separator if separator.proof else None
            elif found is not None:
                self.parts.append(((own, rival), found.rows, found.weights))
                self.known.append(PairKind(own, rival, "not complete"))
                if spans_all(self.problem, found.rows):
                    self.component[self.component == self.component[own]] = self.component[rival]


def has_room(problem: Problem) -> bool:
    """Whether what the search of a pair makes has few enough entries, and its matrix few enough columns."""
    width = min(problem.n_features + int(problem.fit_intercept), problem.n_rows)
    # working sets may be twice the first; copied, scaled, signed and weighted
    made = 4 * 2 * WORKING_ROWS_A_COLUMN * width * (problem.n_features + 1)
    return width <= MAX_COLUMNS and made <= MAX_ENTRIES_MADE


def first_sample(problem: Problem) -> np.ndarray:
    """Evenly spaced rows of each class, all rows where they are few."""
    n, k = problem.n_rows, problem.n_classes
    size = max(1, SAMPLE_ENTRIES * n // max(1, n_entries(problem.X)))
    if n <= size:
        return np.arange(n)
    order = np.argsort(problem.y, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(problem.y, minlength=k))[:-1])
    counts = [min(own.size, max(MIN_SAMPLE_ROWS, size * own.size // n)) for own in groups]
    each = [own[np.arange(count) * own.size // count] for own, count in zip(groups, counts, strict=True) if count]
    return np.sort(np.concatenate(each))


def machine_scores(problem: Problem, planes: Planes) -> np.ndarray:
    """The score of each row for each class; two classes share a plane, half of it with either sign."""
    g = scores(problem.X, np.ascontiguousarray(planes.w.T)).reshape(problem.n_rows, -1) + planes.b
    return g if problem.n_classes > 2 else np.column_stack([-0.5 * g, 0.5 * g])


def wrong_rows(problem: Problem, planes: Planes) -> np.ndarray:
    """The rows whose own class does not have the largest score alone, the worst first."""
    g, each = machine_scores(problem, planes), np.arange(problem.n_rows)
    own = g[each, problem.y].copy()
    g[each, problem.y] = -np.inf
    margins = own - g.max(axis=1)
    wrong = np.flatnonzero(~(margins > 0.0))
    return wrong[np.argsort(margins[wrong])]


def pairs_by_confusion(problem: Problem, machine: Planes) -> list[tuple[int, int]]:
    """All pairs of classes, those first that share most wrong rows."""
    if problem.n_classes == 2:
        return [(1, 0)]
    wrong = wrong_rows(problem, machine)
    predicted = machine_scores(problem, machine)[wrong].argmax(axis=1)
    counts = np.zeros((problem.n_classes, problem.n_classes), dtype=int)
    np.add.at(counts, (problem.y[wrong], predicted), 1)
    first, second = np.triu_indices(problem.n_classes, 1)
    shared = (counts + counts.T)[first, second]
    order = np.argsort(-shared, kind="stable")
    return list(zip(first[order].tolist(), second[order].tolist(), strict=True))


def pair_plane(machine: Planes, own: int, rival: int) -> Planes:
    """The plane between two classes, positive for the first."""
    if len(machine.w) == 1:
        return machine if own == 1 else Planes(-machine.w, -machine.b)
    return Planes((machine.w[own] - machine.w[rival])[None], (machine.b[own] - machine.b[rival])[None])
