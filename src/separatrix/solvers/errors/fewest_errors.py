"""The fewest rows that a plane can get wrong, by implicit hitting sets (Chakravarti, 1994; Parker and Ryan, 1996).

    minimise over w, b    the number of rows i with  y_i (w.x_i + b) <= 0

A conflict is a set of rows, at most d + 2, that no plane separates: every plane gets one of them wrong at least. The
lightest set of rows that meets all conflicts found so far (`certificates.hitting_set`) is no heavier than the rows
that the best plane gets wrong. If a plane separates the rows outside of it, that plane is the best. If none does, the
rows outside hold a conflict that was not known (`solvers.gordan`), and the search goes on.

Most of the work is done without the lightest set. Sets lighter than the errors of the best plane, found by local
search, tell new conflicts or a better plane. Each row that the best plane gets wrong is offered to it again, which ends
in a better plane, or in a conflict of that row with rows that are right. Conflicts that the relaxed problem violates
raise its bound.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import linprog

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.hitting_set import fewest_hits
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.minimum_errors import MinimumErrors, part
from separatrix.certificates.claims.overlap import Balance
from separatrix.errors import DataError, NotSeparableError
from separatrix.problem import Problem
from separatrix.problem.distinct import Distinct
from separatrix.problem.scaling import Scaling
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.errors.good_planes import good_planes
from separatrix.solvers.errors.hitting_set_bounds import light_hits, relaxed_hits, within
from separatrix.solvers.options import number
from separatrix.solvers.separation.gordan import MOST_EXACT, alternative, cancelling, fewest
from separatrix.solvers.separation.quotient import Quotient
from separatrix.solvers.svm.linear_svm import linear_svm

FIRST_SECONDS, LEAST_SECONDS = 10.0, 0.01  # for an integer program
MORE_SECONDS = 3.0  # times as many the next time, if they do not do
MOST_OF_IT = 0.8  # of a time limit; to start again from the beginning is a waste
VIOLATED = 1e-3  # by which a conflict must fall short of 1 in the relaxed problem
SEARCHES = 8  # conflicts looked for at each solution of the relaxed problem
ROUNDS, GROWTH = 10, 1.01  # so many rounds of these go on only if the bound has grown by as much
VARIETY = 1.5  # logarithm of the scales that vary these searches
CHEAP = 1e-4  # what a row whose e is 0 costs in them, lest it is of no account
HELD = 1e-9  # weight of a row from which on it is in the conflict


@dataclass(eq=False)
class Search:
    """What is known so far, for rows that differ from each other.

    Parameters
    ----------
    problem : Problem
        Two classes.
    counts : ndarray of int
        How many errors each row counts for.
    budget : Budget
        When to stop.
    """

    problem: Problem
    counts: np.ndarray
    budget: Budget
    conflicts: dict[tuple[int, ...], Balance] = field(default_factory=dict)
    lower: int = 0
    light: int = 0  # local search finds no lighter hitting set than this
    stuck: bool = False  # a plane is known to exist that doubles cannot hold

    def __post_init__(self) -> None:
        """Begin with w = 0, which has every row on the plane."""
        self.inequalities = Inequalities(self.problem)
        self.all = np.arange(self.problem.n_rows)
        self.w, self.b, self.wrong = np.zeros(self.problem.n_features), 0.0, self.all
        self.rng = np.random.default_rng(0)

    @property
    def upper(self) -> int:
        """Errors of the best plane so far."""
        return self.weight(self.wrong)

    @property
    def finished(self) -> bool:
        """Whether the best plane is known, or the search cannot go on."""
        return self.lower >= self.upper or self.stuck or self.budget.left <= 0

    @property
    def sets(self) -> list[np.ndarray]:
        """The rows of each conflict."""
        return [conflict.index for conflict in self.conflicts.values()]

    def weight(self, index: np.ndarray) -> int:
        """How many errors some rows count for."""
        return int(self.counts[index].sum())

    def consider(self, w: Vector, b: float, as_good: bool = False) -> None:
        """Keep a plane if it is better than the best so far, or as good; the rows it gets wrong are told exactly."""
        if not (np.isfinite(w).all() and np.isfinite(b)):
            return
        v = np.append(w, b) if self.problem.fit_intercept else w
        wrong = np.flatnonzero(self.inequalities.values(exact.direction(v), self.all) <= 0.0)
        if self.weight(wrong) < self.upper + as_good:
            self.w, self.b, self.wrong = np.array(w, dtype=np.float64), float(b), wrong

    def add(self, question: Quotient, found: Balance) -> Balance:
        """Keep the least part of a balance that is a conflict."""
        conflict = fewest(question, found)
        order = np.argsort(conflict.index)
        conflict = Balance(conflict.index[order], [conflict.weights[k] for k in order])
        return self.conflicts.setdefault(tuple(conflict.index.tolist()), conflict)

    def ask(self, among: np.ndarray) -> Balance | None:
        """A conflict among some rows; None where a plane separates them, which is considered."""
        if not among.size:
            return None
        question = Quotient(self.inequalities, among)
        found = alternative(question)
        if isinstance(found, Balance):
            return self.add(question, found)
        planes = self.inequalities.planes(exact.rounded(found))
        self.consider(planes.w[0], float(planes.b[0]))
        return None

    def pack(self) -> None:
        """Find conflicts without a row in common; a plane gets one row of each wrong."""
        among = self.all
        while self.budget.left > 0 and (conflict := self.ask(among)) is not None:
            among = np.setdiff1d(among, conflict.index)
            self.lower += int(self.counts[conflict.index].min())
        self.stuck = not self.conflicts and self.upper > 0

    def settle(self, hit: np.ndarray) -> None:
        """Find conflicts without a row in common among the rows that are not hit, until a plane separates them."""
        among, known, before = np.setdiff1d(self.all, hit), len(self.conflicts), self.upper
        while self.budget.left > 0 and (conflict := self.ask(among)) is not None:
            among = np.setdiff1d(among, conflict.index)
        if self.upper < before:
            self.improve()
        unchanged = len(self.conflicts) == known and self.upper > self.weight(hit)
        self.stuck = unchanged and self.budget.left > 0

    def improve(self) -> None:
        """Offer each row that the best plane gets wrong to it again, together with those that are right."""
        right = np.setdiff1d(self.all, self.wrong)
        for row in self.wrong[np.argsort(-self.counts[self.wrong], kind="stable")].tolist():
            if self.finished:
                return
            among = np.sort(np.append(right, row))
            if self.ask(among) is None:
                right = among

    def separate(self, e: Vector) -> bool:
        """Look for conflicts that the relaxed problem violates; whether there were any.

            minimise  sum_i e_i u_i   subject to   sum_i u_i s_i a_i = 0,   sum_i u_i = 1,   u >= 0

        at random scales s: it is not the sum of e over the conflict that is minimised, but it becomes small.
        """
        question, known = Quotient(self.inequalities, self.all), len(self.conflicts)
        Z = question.floats(self.all)
        Z = Z / np.maximum(np.linalg.norm(Z, axis=1), TINY)[:, None]
        for _ in range(SEARCHES):
            if self.budget.left <= 0:
                break
            scale = np.exp(self.rng.uniform(-VARIETY, VARIETY, self.all.size))
            A = np.vstack([Z.T * scale, np.ones(self.all.size)])
            b = np.append(np.zeros(Z.shape[1]), 1.0)
            found = linprog(e + CHEAP, A_eq=A, b_eq=b, options=within(self.budget.seconds))
            held = self.all[:0] if found.x is None else np.flatnonzero(found.x > HELD)
            if held.size and e[held].sum() < 1.0 - VIOLATED:
                balance = cancelling(question, held, (found.x * scale)[held])
                if balance is not None:
                    self.add(question, balance)
        return len(self.conflicts) > known

    def raise_lower(self) -> np.ndarray:
        """Add conflicts that the relaxed problem violates while its bound grows; returns where its e is large."""
        values, e = [0.0], np.zeros(self.all.size)
        while not self.finished and values[-1] >= GROWTH * values[-ROUNDS:][0]:
            relaxed = relaxed_hits(self.sets, self.counts, self.budget.seconds)
            e, self.lower = relaxed.e, max(self.lower, relaxed.least)
            values.append(relaxed.value)
            if self.finished or not self.separate(e):
                break
        return np.flatnonzero(e > 0.5)

    def hit_lightly(self, start: np.ndarray) -> None:
        """Settle the lightest hitting sets that local search finds, while they are lighter than the upper bound."""
        self.light = max(self.light, self.lower)
        while not self.finished and self.light < self.upper:
            most = (self.light + self.upper - 1) // 2
            hit = light_hits(self.sets, self.counts, most, start, self.rng)
            if hit is None:
                self.light = most + 1  # there will be none later either, as conflicts are only added
            else:
                self.settle(hit)
                start = hit

    def run(self) -> None:
        """Search until the best plane is proved to be the best, or the search cannot go on."""
        self.pack()
        self.improve()
        seconds, start = FIRST_SECONDS, self.raise_lower()
        while not self.finished:
            known = len(self.conflicts)
            self.hit_lightly(start)
            start = self.raise_lower()
            if self.finished or len(self.conflicts) > known:
                continue
            left = self.budget.seconds
            limit = max(min(seconds, left), MOST_OF_IT * left if left < np.inf else 0.0, LEAST_SECONDS)
            hits = fewest_hits(self.sets, self.counts, limit)
            self.lower = max(self.lower, min(hits.least, self.upper))
            if hits.rows is None or self.weight(hits.rows) > hits.least:
                seconds *= MORE_SECONDS
            if hits.rows is not None and self.weight(hits.rows) < self.upper:
                self.settle(hits.rows)
                start, self.light = hits.rows, self.weight(hits.rows)


def fewest_errors(problem: Problem, time_limit: float | None = None) -> MinimumErrors:
    """Find the plane that gets the fewest rows wrong, and the proof that none gets fewer wrong.

    Parameters
    ----------
    problem : Problem
        Two classes; costs are not looked at.
    time_limit : float or None
        Seconds after which the bounds known by then are returned.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.errors.fewest_errors import fewest_errors
    >>> problem = Problem(np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1]))
    >>> found = fewest_errors(problem)
    >>> int(found), found.conflicts  # exclusive or: the diagonals of a square meet
    (1, [[0, 1, 2, 3]])
    """
    if problem.n_classes != 2:
        raise DataError(f"Errors of one plane are counted for two classes. Got {problem.n_classes}.")
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    distinct, budget = Distinct.of(problem), Budget(1, seconds)
    different = part(problem, distinct.first)
    search = Search(different, distinct.counts, budget)
    for plane in good_planes(different, budget):
        search.consider(*plane)
        if search.upper == 0:
            break
    if search.upper > 0 and search.inequalities.dimension <= MOST_EXACT:
        search.run()
    widen(search)
    conflicts = [Balance(distinct.first[each.index], each.weights) for each in needed(search)]
    return MinimumErrors.issue(problem, (search.w, search.b), distinct.members(search.wrong), search.lower, conflicts)


def widen(search: Search) -> None:
    """Replace the best plane by the one with the largest margin on the rows that it gets right, if there is time.

    The search is content with margins of the last digit, which do not show in predictions.
    """
    right = part(search.problem, np.setdiff1d(search.all, search.wrong))
    if search.budget.left <= 0 or np.unique(right.y).size < 2:
        return
    scaling = Scaling.of(right.X, np.ones(right.n_rows), right.fit_intercept)
    limit = search.budget.seconds if search.budget.seconds < np.inf else None
    try:
        solution = linear_svm(replace(right, X=scaling.scaled(right.X)), C=np.inf, time_limit=limit)
    except NotSeparableError:  # for doubles
        return
    search.consider(solution.w / scaling.unit, float(solution.b), as_good=True)


def needed(search: Search) -> list[Balance]:
    """The conflicts that prove the lower bound: those that the relaxed problem needs, if its bound is as good."""
    conflicts = list(search.conflicts.values())
    if search.lower == 0:
        return []
    relaxed = relaxed_hits(search.sets, search.counts)
    kept = [conflicts[k] for k in relaxed.binding]
    enough = kept and relaxed_hits([each.index for each in kept], search.counts).least >= search.lower
    return kept if enough else conflicts
