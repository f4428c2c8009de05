"""Whether planes separate classes: completely, weakly or not at all, with a proof of each answer.

    complete          <a_i, v> > 0  for all i  has a solution v
    quasi-complete    <a_i, v> >= 0 has one that is not zero on all i, but none that is positive on all
    overlap           <a_i, v> >= 0 only where all are zero

with the vectors a_i of `certificates.inequalities`. Either there is a plane, or some vectors cancel with positive
weights (`solvers.gordan`). Then every v that is nowhere negative is zero on these and on all that they span, and the
same question is asked of the vectors left, modulo that span. Each round settles one more direction at least, and
it ends with no vectors left (overlap), or with a plane that is positive on all vectors left (quasi-complete).
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from separatrix.certificates import DualityGap, Overlap, Separator, Unproved, WeakSeparator
from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import Whole
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.overlap import Balance
from separatrix.errors import NotSeparableError
from separatrix.problem import Problem
from separatrix.rows import n_entries
from separatrix.solvers.budget import Budget
from separatrix.solvers.online import perceptron
from separatrix.solvers.separation.gordan import MOST_EXACT, alternative, contradiction, fewest, several
from separatrix.solvers.separation.plane_or_overlap import approximate_overlap
from separatrix.solvers.separation.quotient import Quotient
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.theory.fewer_columns import independent_columns, to_all_columns, with_columns

Kind: TypeAlias = Literal["complete", "quasi-complete", "overlap"]

WIDE = 64  # dimensions from which a perceptron is tried first
WORK = 3e8  # entries that it may look at
NEAR, NEAR_ENOUGH = 1e-9, 1e-6  # the largest margin is found to this part of it; with many features to the latter


@dataclass(frozen=True, eq=False)
class Verdict:
    """What is known, and the certificate that proves it; `machine` proves how large a margin can be.

    `free` are whole vectors that span the v which are nowhere negative, where the separation is quasi-complete.
    """

    kind: Kind
    certificate: Separator | WeakSeparator | Overlap | Unproved
    machine: DualityGap | None = None
    free: tuple[Whole, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether nothing is left to believe; an overlap takes the proof that no plane separates even weakly."""
        claim = self.certificate
        return claim.proof and not (isinstance(claim, Overlap) and claim.balance is None)


class Answer(NamedTuple):
    """Whole numbers that settle the question.

    A plane v, strict unless there are `hulls`, vectors that cancel; or no plane, and a `balance` that spans all, unless
    time ran out. `free` are whole vectors that span the v that are nowhere negative.
    """

    v: Whole
    hulls: Balance | None
    balance: Balance | None
    free: list[Whole]


def judged(problem: Problem, time_limit: float | None = None) -> Verdict:
    """Find out whether planes separate the classes of a problem.

    Parameters
    ----------
    problem : Problem
        Two classes, or more, which linear machines are to tell apart jointly.
    time_limit : float or None
        Seconds after which no further step is begun; what is known then is not proved.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.theory.separability import judged
    >>> X = np.array([[0.0], [1.0], [1.0], [2.0]])
    >>> [judged(Problem(X, np.array(y))).kind for y in ([0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0])]
    ['complete', 'quasi-complete', 'overlap']
    """
    inequalities = Inequalities(problem)
    budget = Budget(1, np.inf if time_limit is None else time_limit)
    if inequalities.dimension > WIDE:
        separator = tried(problem)
        if separator is not None:
            return complete(problem, separator, budget)
    if inequalities.dimension <= MOST_EXACT:
        return issued(problem, answered(inequalities, budget), budget)
    columns = independent_columns(problem)
    narrow = problem if columns.size == problem.n_features else with_columns(problem, columns)
    if Inequalities(narrow).dimension > MOST_EXACT:
        return seen(problem, budget)
    answer = answered(Inequalities(narrow), budget)
    free = [to_all_columns(v, problem, columns) for v in answer.free]
    return issued(problem, answer._replace(v=to_all_columns(answer.v, problem, columns), free=free), budget)


def tried(problem: Problem) -> Separator | None:
    """A plane by the perceptron, if it finds one soon."""
    passes = int(WORK / max(1, (problem.n_classes - 1) * n_entries(problem.X)))
    if passes < 1:
        return None
    certificate = perceptron.online(problem, max_iter=min(passes, 200), rng=np.random.default_rng(0)).certificate
    return certificate if certificate.proof else None


def answered(inequalities: Inequalities, budget: Budget) -> Answer:
    """The answer in whole numbers."""
    question, balance, hulls = Quotient(inequalities, np.arange(inequalities.n)), None, None
    while question.among.size:
        found = alternative(question)
        if not isinstance(found, Balance):
            return Answer(found, hulls, None, question.basis or [])
        hulls = (contradiction(inequalities) or fewest(question, found)) if hulls is None else hulls
        found = several(question, found)
        balance = found if balance is None else joined(inequalities, balance, found)
        question = question.settled(balance.index)
        if budget.left <= 0:
            break
    return Answer([], hulls, balance if not question.among.size else None, [])


def issued(problem: Problem, answer: Answer, budget: Budget) -> Verdict:
    """The certificates of an answer."""
    if not any(answer.v):
        assert answer.hulls is not None  # there are vectors, and no plane
        return Verdict("overlap", Overlap.issue(problem, answer.hulls, answer.balance))
    if answer.hulls is not None:
        weak = WeakSeparator.issue(problem, answer.v, Overlap.issue(problem, answer.hulls))
        return Verdict("quasi-complete", weak, free=tuple(answer.free))
    planes = Inequalities(problem).planes(exact.rounded(answer.v))
    w, b = (planes.w[0], float(planes.b[0])) if problem.n_classes == 2 else (planes.w, planes.b)
    separator = Separator.issue(problem, w, b)
    return complete(problem, separator if separator.proof else WeakSeparator.issue(problem, answer.v), budget)


def complete(problem: Problem, certificate: Separator | WeakSeparator, budget: Budget) -> Verdict:
    """The classes are separable; of two, also the plane with the largest margin."""
    machine = hard_margin(problem, budget.seconds) if problem.n_classes == 2 else None
    if machine is None or machine.separator is None:
        return Verdict("complete", certificate)
    return Verdict("complete", machine.separator, machine)


def hard_margin(problem: Problem, seconds: float) -> DualityGap | None:
    """The certificate of the plane with the largest margin; None where it is too small to be found, or no time left."""
    if seconds <= 0.0:
        return None
    try:
        tol = NEAR if problem.n_features < MOST_EXACT else NEAR_ENOUGH
        solution = linear_svm(problem, C=np.inf, tol=tol, time_limit=seconds if seconds < np.inf else None)
    except NotSeparableError:  # for doubles
        return None
    return solution.certificate if solution.certificate.proof else None


def seen(problem: Problem, budget: Budget) -> Verdict:
    """Too many dimensions for whole numbers: a plane is still a proof, but that there is none can only be seen."""
    if problem.n_classes > 2:
        return seen_jointly(problem, budget)
    left = budget.seconds
    try:
        machine = linear_svm(problem, C=np.inf, tol=NEAR_ENOUGH, time_limit=max(left, 1e-3) if left < np.inf else None)
    except NotSeparableError as refusal:
        return Verdict("overlap", better(problem, refusal.overlap))
    claim = machine.certificate
    if claim.proof:
        return Verdict("complete", claim.separator, claim)
    weights = np.zeros(problem.n_rows)
    weights[claim.support] = claim.alpha
    return Verdict("overlap", better(problem, approximate_overlap(problem, weights)))


def better(problem: Problem, overlap: Overlap) -> Overlap:
    """Two rows that are the same prove what mixtures of many only show."""
    pair = contradiction(Inequalities(problem))
    return overlap if pair is None else Overlap.issue(problem, pair)


def seen_jointly(problem: Problem, budget: Budget) -> Verdict:
    """Planes that separate each class from the rest make a linear machine that separates all of them."""
    planes = []
    for c in range(problem.n_classes):
        code = np.where(np.arange(problem.n_classes) == c, 1, -1)
        part = seen(problem.dichotomy(code), budget)
        if part.kind != "complete" or not isinstance(part.certificate, Separator):
            return Verdict("overlap", Unproved("no linear machine was found, nor a proof that there is none"))
        planes.append(np.append(part.certificate.w, part.certificate.b))
    W = np.array(planes)
    return Verdict("complete", Separator.issue(problem, W[:, :-1], W[:, -1]))


def joined(inequalities: Inequalities, known: Balance, found: Balance) -> Balance:
    """One balance of vectors that cancel and of others that cancel modulo the span of these.

    If sum_i u_i a_i = sum_j m_j a_j over the known j, with weights k_j > 0 that cancel, then u_i and t k_j - m_j do
    too, and are positive for a large t.
    """
    from flint import fmpq, fmpq_mat, fmpz_mat

    n = len(known.weights)
    Z = fmpz_mat(exact.whole(inequalities.vectors(np.append(known.index, found.index)))[0]).transpose()
    total = Z * fmpz_mat([[0]] * n + [[weight] for weight in found.weights])
    columns = [[*(Z[i, j] for j in range(n)), total[i, 0]] for i in range(Z.nrows())]
    reduced, rank = fmpq_mat(fmpz_mat(columns)).rref()
    m = [fmpq(0)] * n
    for i in range(rank):
        first = next(j for j in range(n) if reduced[i, j] != 0)
        m[first] = reduced[i, n]
    shares = zip(m, known.weights, strict=True)
    t = 1 + max(0, *(int(part.p) // (int(part.q) * weight) for part, weight in shares))
    raised = [t * weight - part for part, weight in zip(m, known.weights, strict=True)]
    index = np.append(known.index, found.index)
    return Balance(index, exact.in_proportion(raised + [fmpq(weight) for weight in found.weights]))
