"""Whether planes separate classes: completely, weakly or not at all, with a proof of each answer.

    complete          <a_i, v> > 0  for all i  has a solution v
    quasi-complete    <a_i, v> >= 0 has one that is not zero on all i, but none that is positive on all
    overlap           <a_i, v> >= 0 only where all are zero

with the vectors a_i of `certificates.inequalities`. Either there is a plane, or some vectors cancel with positive
weights (`solvers.separation.gordan`). Then every v that is nowhere negative is zero on these and on all that they span,
and the alternative is applied to the other vectors in the quotient space modulo that span. Each round lowers its
dimension, until no vectors are left (overlap), or a plane is positive on all that are left (quasi-complete).

Where the dimension is too large for integers, doubles may prove an answer (`wide_separability`). What is not
proved when that or the time ends is undecided.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from separatrix.certificates import DualityGap, InteriorOverlap, Overlap, Separator, Unproved, WeakSeparator
from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.overlap import Balance
from separatrix.errors import NotSeparableError
from separatrix.problem import Problem
from separatrix.rows import n_entries
from separatrix.solvers.budget import Budget, TimeOverError
from separatrix.solvers.online import perceptron
from separatrix.solvers.separation.gordan import (
    MAX_EXACT_DIMENSION,
    alternative,
    enlarge_balance,
    minimal_balance,
    opposite_duplicates,
)
from separatrix.solvers.separation.quotient_space import QuotientSpace
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.theory.independent_columns import independent_columns, pad_columns, restrict_columns
from separatrix.theory.wide_separability import PairKind, duplicates_overlap, wide_findings

Kind: TypeAlias = Literal["complete", "quasi-complete", "overlap", "undecided"]

PERCEPTRON_MIN_DIMENSION = 64  # from which a perceptron is tried first: it is much faster where it succeeds
MARGIN_TOL, WIDE_MARGIN_TOL = 1e-9, 1e-6  # relative error of the largest margin; the latter with many features


@dataclass(frozen=True, eq=False)
class Verdict:
    """The kind of separation, and the certificate that proves it; `machine` proves how large a margin can be.

    `recession_basis` are integer vectors that span the directions of recession, the v that are nowhere negative, where
    the separation is quasi-complete. A verdict that is undecided may still have a proof that no plane separates
    strictly, and of several classes `pairs` is what is proved of two of them.
    """

    kind: Kind
    certificate: Separator | WeakSeparator | Overlap | InteriorOverlap | Unproved
    machine: DualityGap | None = None
    recession_basis: tuple[IntegerVector, ...] = ()
    pairs: tuple[PairKind, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether the kind is proved; for an overlap also that no plane separates even weakly."""
        return self.kind != "undecided" and self.certificate.proof


def overlap_verdict(claim: Overlap | InteriorOverlap, pairs: tuple[PairKind, ...] = ()) -> Verdict:
    """The verdict of a claim that no plane separates: an overlap only if it is proved that none does even weakly."""
    return Verdict("overlap" if claim.proof and claim.not_even_weakly else "undecided", claim, pairs=pairs)


class ExactAnswer(NamedTuple):
    """The outcome of exact arithmetic.

    A plane v, strict unless there are `hulls`, vectors that cancel; or no plane, and a `balance` that spans all, unless
    time ran out. `recession_basis` are integer vectors that span the v that are nowhere negative.
    """

    v: IntegerVector
    hulls: Balance | None
    balance: Balance | None
    recession_basis: list[IntegerVector]


def separability_verdict(problem: Problem, time_limit: float | None = None) -> Verdict:
    """Decide whether planes separate two classes, or linear machines more of them jointly.

    After `time_limit` seconds no further step is begun; what is not proved then is undecided.

    >>> X = np.array([[0.0], [1.0], [1.0], [2.0]])
    >>> [separability_verdict(Problem(X, np.array(y))).kind for y in ([0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0])]
    ['complete', 'quasi-complete', 'overlap']
    """
    inequalities = Inequalities(problem)
    budget = Budget(1, np.inf if time_limit is None else time_limit)
    if inequalities.dimension > PERCEPTRON_MIN_DIMENSION:
        separator = separator_by_perceptron(problem, budget.seconds)
        if separator is not None:
            return complete_verdict(problem, separator, budget)
    try:
        return exact_verdict(problem, budget) or wide_verdict(problem, budget)
    except TimeOverError:
        return undecided_verdict(problem)


def undecided_verdict(problem: Problem, pairs: tuple[PairKind, ...] = ()) -> Verdict:
    """The verdict where the time is over: perhaps two equal rows of different classes prove that no plane separates."""
    overlap = duplicates_overlap(problem)
    reason = "neither planes that separate the classes were found, nor a proof that there are none"
    return Verdict("undecided", overlap or Unproved(reason), pairs=pairs)


def exact_verdict(problem: Problem, budget: Budget) -> Verdict | None:
    """The verdict of exact arithmetic; None where the dimension is too large for it, also without dependent columns."""
    if Inequalities(problem).dimension <= MAX_EXACT_DIMENSION:
        return certified_verdict(problem, exact_answer(Inequalities(problem), budget), budget)
    columns = independent_columns(problem)
    if columns.size == problem.n_features:
        return None
    narrow = Inequalities(restrict_columns(problem, columns))
    if narrow.dimension > MAX_EXACT_DIMENSION:
        return None
    answer = exact_answer(narrow, budget)
    basis = [pad_columns(v, problem, columns) for v in answer.recession_basis]
    answer = answer._replace(v=pad_columns(answer.v, problem, columns), recession_basis=basis)
    return certified_verdict(problem, answer, budget)


PERCEPTRON_MAX_ENTRIES = 1e8  # entries of rows that it may read, a second or two
PERCEPTRON_ENTRIES_A_SECOND = 1e7  # that it may read of the time that is left: a tenth of it


def separator_by_perceptron(problem: Problem, seconds: float = np.inf) -> Separator | None:
    """A separating plane by the perceptron; None where it finds none within its budget."""
    most = min(PERCEPTRON_MAX_ENTRIES, PERCEPTRON_ENTRIES_A_SECOND * seconds)
    passes = int(most / max(1, (problem.n_classes - 1) * n_entries(problem.X)))
    if passes < 1:
        return None
    certificate = perceptron.online(problem, max_iter=min(passes, 200), rng=np.random.default_rng(0)).certificate
    return certificate if certificate.proof else None


def exact_answer(inequalities: Inequalities, budget: Budget) -> ExactAnswer:
    """Decide in integers, in one quotient space after the other."""
    space, balance, hulls = QuotientSpace(inequalities, np.arange(inequalities.n)), None, None
    while space.index.size:
        try:
            found = alternative(space, budget)
        except TimeOverError:
            if hulls is None:
                raise
            break
        if not isinstance(found, Balance):
            return ExactAnswer(found, hulls, None, space.basis or [])
        hulls = (opposite_duplicates(inequalities) or minimal_balance(space, found, budget)) if hulls is None else hulls
        found = enlarge_balance(space, found, budget)
        balance = found if balance is None else join_balances(inequalities, balance, found)
        space = space.modulo(balance.index)
        if budget.left <= 0:
            break
    return ExactAnswer([], hulls, balance if not space.index.size else None, [])


def certified_verdict(problem: Problem, answer: ExactAnswer, budget: Budget) -> Verdict:
    """The verdict of exact arithmetic with its certificates."""
    if not any(answer.v):
        assert answer.hulls is not None  # there are vectors, and no plane
        return overlap_verdict(Overlap.issue(problem, answer.hulls, answer.balance))
    if answer.hulls is not None:
        weak = WeakSeparator.issue(problem, answer.v, Overlap.issue(problem, answer.hulls))
        return Verdict("quasi-complete", weak, recession_basis=tuple(answer.recession_basis))
    planes = Inequalities(problem).planes(exact.rounded(answer.v))
    w, b = (planes.w[0], float(planes.b[0])) if problem.n_classes == 2 else (planes.w, planes.b)
    separator = Separator.issue(problem, w, b)
    return complete_verdict(problem, separator if separator.proof else WeakSeparator.issue(problem, answer.v), budget)


def complete_verdict(problem: Problem, certificate: Separator | WeakSeparator, budget: Budget) -> Verdict:
    """The classes are separable; of two, also the plane with the largest margin."""
    machine = largest_margin_certificate(problem, budget.seconds) if problem.n_classes == 2 else None
    if machine is None or machine.separator is None:
        return Verdict("complete", certificate)
    return Verdict("complete", machine.separator, machine)


MARGIN_MAX_ENTRIES = 2**24  # of the rows of many columns: the machine with the largest margin needs several times these


def largest_margin_certificate(problem: Problem, seconds: float) -> DualityGap | None:
    """The certificate of the plane with the largest margin; None where it is too small to be found, or no time left."""
    large = problem.n_features > PERCEPTRON_MIN_DIMENSION and n_entries(problem.X) > MARGIN_MAX_ENTRIES
    if seconds <= 0.0 or large:
        return None
    try:
        tol = MARGIN_TOL if problem.n_features < MAX_EXACT_DIMENSION else WIDE_MARGIN_TOL
        solution = linear_svm(problem, C=np.inf, tol=tol, time_limit=seconds if seconds < np.inf else None)
    except NotSeparableError:  # in doubles
        return None
    return solution.certificate if solution.certificate.proof else None


def wide_verdict(problem: Problem, budget: Budget) -> Verdict:
    """The verdict for dimensions beyond exact arithmetic, from what doubles prove."""
    found = wide_findings(problem, budget)
    if found.separator is not None:
        return complete_verdict(problem, found.separator, budget)
    if found.overlap is not None:
        return overlap_verdict(found.overlap, found.pairs)
    machine = largest_margin_certificate(problem, budget.seconds) if problem.n_classes == 2 else None
    if machine is not None and machine.separator is not None:
        return Verdict("complete", machine.separator, machine)
    return undecided_verdict(problem, found.pairs)


def join_balances(inequalities: Inequalities, known: Balance, found: Balance) -> Balance:
    """Join a balance and one in the quotient space modulo its span to a balance of all their vectors.

    If sum_i u_i a_i = sum_j m_j a_j over the known j, with weights k_j > 0 that cancel, then u_i and t k_j - m_j do
    too, and are positive for a large t.
    """
    from flint import fmpq, fmpq_mat, fmpz_mat

    n = len(known.weights)
    Z = fmpz_mat(exact.scaled_integers(inequalities.vectors(np.append(known.index, found.index)))[0]).transpose()
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
    return Balance(index, exact.clear_denominators(raised + [fmpq(weight) for weight in found.weights]))
