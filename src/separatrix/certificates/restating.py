"""Claims with figures from blocks of rows: in the passes that their folds need, several claims in the same ones."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from separatrix.certificates.claims.collected import Collected
from separatrix.certificates.claims.duality_gap import DualityGap, fold_of_values
from separatrix.certificates.claims.stationary import Stationary
from separatrix.objectives import NO_DUAL_POINT
from separatrix.objectives.dual_rule import DualRule
from separatrix.objectives.values import NO_VALUES
from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold, side_by_side
from separatrix.rows import Vector, read_only


def unmeasured_gap(problem: BlockedProblem, w: Vector, b: float | Vector, rule: DualRule | None = None) -> DualityGap:
    """The claim that planes minimise the objective of rows in blocks, before its figures are known."""
    offset = float(b) if np.ndim(b) == 0 else read_only(np.array(b))
    kept = read_only(np.array(w)), offset, problem.objective, NO_DUAL_POINT.support, NO_DUAL_POINT.alpha
    return DualityGap(*kept, NO_VALUES, problem.n_rows, weighted=problem.weighted, rule=rule)


def can_be_restated(claim: Any) -> bool:
    """Whether all figures of a claim can be had from blocks of rows."""
    return all(isinstance(part, (DualityGap, Stationary)) for part in parts_of(claim))


def restating_fold(claim: Any) -> Fold:
    """The claim with figures from blocks of rows, for gaps, equations and several of these.

    Examples
    --------
    >>> from separatrix import LogisticClassifier
    >>> from separatrix.certificates.restating import restating_fold
    >>> from separatrix.data.blocks import read_blocks
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> problem = read_blocks(X, y, rows_per_block=3).encoded().problem
    >>> claim = LogisticClassifier().fit(X, y).certificate_
    >>> fresh = problem.over(restating_fold(claim))
    >>> bool(abs(fresh.primal - claim.primal) < 1e-12)
    True
    """
    if isinstance(claim, Collected):
        folds = [restating_fold(part) for part in claim.parts]
        return side_by_side(folds, questions_of(claim)).then(lambda parts: replace(claim, parts=tuple(parts)))
    if isinstance(claim, Stationary):
        return claim.restating_fold()
    return fold_of_values(claim).then(lambda values: replace(claim, values=values))


def error_fold(claim: Any) -> Fold:
    """The error of a claim from blocks of rows: of several that of the worst."""
    if not isinstance(claim, Collected):
        return claim.fold()
    return side_by_side([error_fold(part) for part in claim.parts], questions_of(claim)).then(max)


def parts_of(claim: Any) -> tuple[Any, ...]:
    """The claims that one is made of."""
    return claim.parts if isinstance(claim, Collected) else (claim,)


def questions_of(claim: Collected) -> list[Callable[[Problem], Problem]]:
    """The two-class problem of each part, of a problem of several classes."""
    return [partial(Problem.dichotomy, code=column) for column in claim.code.T]
