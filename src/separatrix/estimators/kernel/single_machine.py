"""What machines of one expansion share, those for numbers and for rows without targets: coefficients and an offset."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates import DualityGap, Unproved
from separatrix.data.encode_kernel import EncodedKernel
from separatrix.estimators.kernel.kernel_machine import KernelMachine
from separatrix.estimators.reduction.in_pairs import check_stored_support, rows_of
from separatrix.estimators.store.fitted_attributes import ArrayOf
from separatrix.objectives.bounds.mercer import satisfies_mercer
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector

SCORE_RTOL = 1e-12  # part of sum |coefficients| max K(x, x) by which scores differ with the order of their sums


class SingleMachine(KernelMachine):
    """A machine of one expansion over support rows."""

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"n_support_": ArrayOf("i", "o")}

    def _publish(self, encoded: EncodedKernel, solution: Solution, claim: Any, b: float) -> None:
        """Make the answer public under scikit-learn's names."""
        used = np.flatnonzero(claim.w)
        self._publish_rows(encoded, rows_of(claim)[used])
        self.dual_coef_ = claim.w[used][None, :]
        self.intercept_ = np.array([b])
        self.n_support_ = np.array([used.size], dtype=np.int32)
        self.n_iter_ = solution.history.iterations
        self.certificate_: Any = claim

    def _machine_scores(self, X: Any, b: float = 0.0) -> Vector:
        """The expansion of each row, plus an offset."""
        check_is_fitted(self)
        return self._expanded(X, self.dual_coef_[0], b)

    def _check_stored(self) -> None:
        """Refuse attributes that contradict each other, which no `fit` can have made."""
        if len(self.dual_coef_) != 1 or self.intercept_.size != 1 or self.n_support_.size != 1:
            raise ValueError("dual_coef_, intercept_ and n_support_ are those of one machine")
        check_stored_support(self)

    def _concerns(self, certificate: Any, problem: Problem) -> bool:
        """Whether a certificate is about the kernel, support rows and coefficients that predictions come from."""
        rows = rows_of(certificate)
        if getattr(certificate, "w", None) is None or rows is None or certificate.w.shape != rows.shape:
            return False
        used = np.flatnonzero(certificate.w)
        same = np.array_equal(certificate.w[used], self.dual_coef_[0])
        return same and self._has_rows_of(problem, rows[used])


def claim_or_unproved(problem: Problem, claim: Any, b: float) -> Any:
    """The claim of a gap; of a kernel without Mercer's condition, whose dual bounds nothing, that nothing is proved."""
    if isinstance(claim, DualityGap) and satisfies_mercer(problem):
        return claim
    why = "the kernel matrix of these rows is not positive semidefinite, or not known to be, so that the dual bounds"
    unproved = Unproved(f"{why} nothing", claim.w, b, np.inf, coefficients_of=rows_of(claim))
    return replace(unproved, stated=unproved.error(problem))


def training_scores(problem: Problem, claim: Any) -> Vector:
    """The expansion of each row of the problem, without an offset."""
    rows = rows_of(claim)
    return problem.kernel.expansion(problem.support_rows(rows), claim.w, problem.X)


def score_rounding(problem: Problem, w: Vector) -> float:
    """How far scores of equal rows may be from each other: summed in another order, or of rows stored otherwise."""
    return SCORE_RTOL * float(problem.kernel.diagonal(problem.X).max(initial=0.0)) * float(np.abs(w).sum())


def weighted_part(problem: Problem, rows: np.ndarray) -> float:
    """Which part of all weights some rows have, by their numbers or a mask."""
    return float(problem.cost[rows].sum() / problem.cost.sum())
