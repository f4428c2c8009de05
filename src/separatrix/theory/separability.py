"""Whether planes separate classes: completely, weakly or not at all, with a proof of each answer.

    complete          <a_i, v> > 0  for all i  has a solution v
    quasi-complete    <a_i, v> >= 0 has one that is not zero on all i, but none that is positive on all
    overlap           <a_i, v> >= 0 only where all are zero

with the vectors a_i of `certificates.inequalities`. Either there is a plane, or some vectors cancel with positive
weights (`solvers.separation.gordan`). Then every v that is nowhere negative is zero on these and on all that they span,
and the alternative is applied to the other vectors in the quotient space modulo that span. Each round lowers its
dimension, until no vectors are left (overlap), or a plane is positive on all that are left (quasi-complete).
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from separatrix.certificates import DualityGap, Overlap, Separator, Unproved, WeakSeparator
from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.overlap import Balance
from separatrix.errors import NotSeparableError
from separatrix.problem import Problem
from separatrix.rows import n_entries
from separatrix.solvers.budget import Budget
from separatrix.solvers.online import perceptron
from separatrix.solvers.separation.gordan import (
    MAX_EXACT_DIMENSION,
    alternative,
    enlarge_balance,
    minimal_balance,
    opposite_duplicates,
)
from separatrix.solvers.separation.plane_or_overlap import approximate_overlap
from separatrix.solvers.separation.quotient_space import QuotientSpace
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.theory.independent_columns import independent_columns, pad_columns, restrict_columns

Kind: TypeAlias = Literal["complete", "quasi-complete", "overlap"]

PERCEPTRON_MIN_DIMENSION = 64  # from which a perceptron is tried first: it is much faster where it succeeds
MARGIN_TOL, WIDE_MARGIN_TOL = 1e-9, 1e-6  # relative error of the largest margin; the latter with many features


@dataclass(frozen=True, eq=False)
class Verdict:
    """The kind of separation, and the certificate that proves it; `machine` proves how large a margin can be.

    `recession_basis` are integer vectors that span the directions of recession, the v that are nowhere negative, where
    the separation is quasi-complete.
    """

    kind: Kind
    certificate: Separator | WeakSeparator | Overlap | Unproved
    machine: DualityGap | None = None
    recession_basis: tuple[IntegerVector, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether the kind is proved; for an overlap also that no plane separates even weakly."""
        claim = self.certificate
        return claim.proof and not (isinstance(claim, Overlap) and claim.balance is None)


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

    After `time_limit` seconds no further step is begun; what is known then is not proved.

    >>> X = np.array([[0.0], [1.0], [1.0], [2.0]])
    >>> [separability_verdict(Problem(X, np.array(y))).kind for y in ([0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0])]
    ['complete', 'quasi-complete', 'overlap']
    """
    inequalities = Inequalities(problem)
    budget = Budget(1, np.inf if time_limit is None else time_limit)
    if inequalities.dimension > PERCEPTRON_MIN_DIMENSION:
        separator = separator_by_perceptron(problem)
        if separator is not None:
            return complete_verdict(problem, separator, budget)
    if inequalities.dimension <= MAX_EXACT_DIMENSION:
        return certified_verdict(problem, exact_answer(inequalities, budget), budget)
    columns = independent_columns(problem)
    narrow = problem if columns.size == problem.n_features else restrict_columns(problem, columns)
    if Inequalities(narrow).dimension > MAX_EXACT_DIMENSION:
        return numerical_verdict(problem, budget)
    answer = exact_answer(Inequalities(narrow), budget)
    basis = [pad_columns(v, problem, columns) for v in answer.recession_basis]
    answer = answer._replace(v=pad_columns(answer.v, problem, columns), recession_basis=basis)
    return certified_verdict(problem, answer, budget)


PERCEPTRON_MAX_ENTRIES = 3e8  # entries of rows that it may read, a few seconds


def separator_by_perceptron(problem: Problem) -> Separator | None:
    """A separating plane by the perceptron; None where it finds none within its budget."""
    passes = int(PERCEPTRON_MAX_ENTRIES / max(1, (problem.n_classes - 1) * n_entries(problem.X)))
    if passes < 1:
        return None
    certificate = perceptron.online(problem, max_iter=min(passes, 200), rng=np.random.default_rng(0)).certificate
    return certificate if certificate.proof else None


def exact_answer(inequalities: Inequalities, budget: Budget) -> ExactAnswer:
    """Decide in integers, in one quotient space after the other."""
    space, balance, hulls = QuotientSpace(inequalities, np.arange(inequalities.n)), None, None
    while space.index.size:
        found = alternative(space)
        if not isinstance(found, Balance):
            return ExactAnswer(found, hulls, None, space.basis or [])
        hulls = (opposite_duplicates(inequalities) or minimal_balance(space, found)) if hulls is None else hulls
        found = enlarge_balance(space, found)
        balance = found if balance is None else join_balances(inequalities, balance, found)
        space = space.modulo(balance.index)
        if budget.left <= 0:
            break
    return ExactAnswer([], hulls, balance if not space.index.size else None, [])


def certified_verdict(problem: Problem, answer: ExactAnswer, budget: Budget) -> Verdict:
    """The verdict of exact arithmetic with its certificates."""
    if not any(answer.v):
        assert answer.hulls is not None  # there are vectors, and no plane
        return Verdict("overlap", Overlap.issue(problem, answer.hulls, answer.balance))
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


def largest_margin_certificate(problem: Problem, seconds: float) -> DualityGap | None:
    """The certificate of the plane with the largest margin; None where it is too small to be found, or no time left."""
    if seconds <= 0.0:
        return None
    try:
        tol = MARGIN_TOL if problem.n_features < MAX_EXACT_DIMENSION else WIDE_MARGIN_TOL
        solution = linear_svm(problem, C=np.inf, tol=tol, time_limit=seconds if seconds < np.inf else None)
    except NotSeparableError:  # in doubles
        return None
    return solution.certificate if solution.certificate.proof else None


def numerical_verdict(problem: Problem, budget: Budget) -> Verdict:
    """The verdict of a support vector machine, for dimensions beyond exact arithmetic: only a plane is a proof then."""
    if problem.n_classes > 2:
        return numerical_joint_verdict(problem, budget)
    limit = max(budget.seconds, 1e-3) if budget.seconds < np.inf else None
    try:
        machine = linear_svm(problem, C=np.inf, tol=WIDE_MARGIN_TOL, time_limit=limit)
    except NotSeparableError as refusal:
        return Verdict("overlap", prefer_duplicates(problem, refusal.overlap))
    claim = machine.certificate
    if claim.proof:
        return Verdict("complete", claim.separator, claim)
    weights = np.zeros(problem.n_rows)
    weights[claim.support] = claim.alpha
    return Verdict("overlap", prefer_duplicates(problem, approximate_overlap(problem, weights)))


def prefer_duplicates(problem: Problem, overlap: Overlap) -> Overlap:
    """The overlap of two equal rows of different classes, which is a proof, if there are any; else the one given."""
    pair = opposite_duplicates(Inequalities(problem))
    return overlap if pair is None else Overlap.issue(problem, pair)


def numerical_joint_verdict(problem: Problem, budget: Budget) -> Verdict:
    """The verdict from planes that separate each class from the rest, which together separate all classes."""
    planes = []
    for c in range(problem.n_classes):
        code = np.where(np.arange(problem.n_classes) == c, 1, -1)
        part = numerical_verdict(problem.dichotomy(code), budget)
        if part.kind != "complete" or not isinstance(part.certificate, Separator):
            return Verdict("overlap", Unproved("no linear machine was found, nor a proof that there is none"))
        planes.append(np.append(part.certificate.w, part.certificate.b))
    W = np.array(planes)
    return Verdict("complete", Separator.issue(problem, W[:, :-1], W[:, -1]))


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
