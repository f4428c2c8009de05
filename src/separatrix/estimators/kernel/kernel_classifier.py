"""What classifiers in the space of a kernel share: pairs of classes, each with a machine, over one set of rows."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates import NearestPoint
from separatrix.certificates.claims.collected import names_of
from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.data.encode_kernel import EncodedKernel, encode_kernel
from separatrix.estimators.base import CertifiedClassifier
from separatrix.estimators.kernel.kernel_machine import KernelMachine
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.columns import solve_columns
from separatrix.estimators.reduction.decoding import votes
from separatrix.estimators.reduction.in_pairs import (
    by_pairs,
    check_stored_pairs,
    in_order_of_pairs,
    offsets_by_pairs,
    placed,
    rows_of,
)
from separatrix.estimators.store.fitted_attributes import ArrayOf, floats
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector

MAX_ROWS_FOR_A_CORE = 5000  # of a pair of classes: more are worth all cores


class KernelClassifier(KernelMachine, CertifiedClassifier):
    """A classifier by expansions over support rows, one for each pair of classes, which vote.

    Subclasses have the options of the kernel and solve the problem of a pair.
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "n_support_": ArrayOf("i", "k"),
        "support_loss_?": floats("m", "finite"),
    }

    def _problem(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> EncodedKernel:
        how = {"class_weight": self.class_weight, "sample_weight": sample_weight, **how}
        encoded = encode_kernel(X, y, self._asked_kernel(), **how)
        return replace(encoded, problem=encoded.problem.posed(self._objective(encoded.classes)))

    def _fit_pairs(
        self, encoded: EncodedKernel, solve: Callable[[int, Problem], Solution], parallel: bool = False
    ) -> list[Solution]:
        """Solve the problem of each pair of classes and publish the machines, which are returned too."""
        problem, code = encoded.problem, one_vs_one(encoded.classes.size)
        few = 2 * int(np.bincount(problem.y).max()) <= MAX_ROWS_FOR_A_CORE
        machines, certificate = solve_columns(
            code,
            lambda pair, side: solve(pair, problem.dichotomy(side)),
            lambda each: each.certificate,
            parallel and few,
        )
        self.classes_ = encoded.classes
        self.certificate_: Any = certificate.parts[0] if len(machines) == 1 else certificate.named(encoded.classes)
        self._publish_support(machines, encoded, code)
        self._keep("support_loss_", None)  # of `fewer_support_rows`, after an earlier fit
        return machines

    def _publish_support(self, machines: list[Solution], encoded: EncodedKernel, code: np.ndarray) -> None:
        """The support rows of all pairs, in order of their class, and their coefficients."""
        problem = encoded.problem
        found = placed([machine.certificate for machine in machines], problem, code)
        codes = problem.y[found.rows]
        self.intercept_ = offsets_by_pairs(np.array([float(machine.certificate.b) for machine in machines]))
        self._publish_rows(encoded, found.rows)
        self.n_support_ = np.bincount(codes, minlength=encoded.classes.size).astype(np.int32)
        self.dual_coef_ = in_order_of_pairs(found.coefficients, codes, encoded.classes.size)

    def _check_stored(self) -> None:
        """Refuse attributes that contradict each other, which no `fit` can have made."""
        check_stored_pairs(self)

    @also_for_blocks
    def decision_function(self, X: Any) -> Vector:
        """Compute g(x): for two classes positive where `classes_[1]` is predicted, else the votes for each class.

        Parameters
        ----------
        X : as for fit
            The rows; for a precomputed kernel their values with all training rows, or with the support rows alone.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            The scores.
        """
        scores = self._pair_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else votes(scores, one_vs_one(self.classes_.size))

    def _pair_scores(self, X: Any) -> Vector:
        """The score of each pair of classes, positive where the later one is predicted."""
        check_is_fitted(self)
        coefficients = by_pairs(self.dual_coef_, self.n_support_)
        return self._expanded(X, coefficients.T, offsets_by_pairs(self.intercept_))

    def _asks_for(self, claim: Any, problem: Problem) -> bool:
        """Whether a claim of a pair, where it proves something, is about what the options ask to minimise."""
        nearest = isinstance(claim, NearestPoint)
        return not nearest and (not claim.proof or getattr(claim, "objective", None) == problem.objective)

    def _concerns(self, certificate: Any, problem: Problem) -> bool:
        """Whether a certificate is about the kernel, support rows and coefficients that predictions come from."""
        k = self.classes_.size
        parts, code = getattr(certificate, "parts", (certificate,)), one_vs_one(k)
        if len(parts) != code.shape[1] or not np.array_equal(getattr(certificate, "code", code), code):
            return False
        if getattr(certificate, "names", None) not in (None, names_of(self.classes_)):
            return False
        if any(each.w is None or rows_of(each) is None or not self._asks_for(each, problem) for each in parts):
            return False
        found = placed(parts, problem, code)
        own = by_pairs(self.dual_coef_, self.n_support_)
        if not np.array_equal(found.coefficients, own):
            return False
        if not np.array_equal([each.b for each in parts], offsets_by_pairs(self.intercept_)):
            return False
        return self._has_rows_of(problem, found.rows)
