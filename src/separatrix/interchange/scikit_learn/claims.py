"""What can be claimed of a model of scikit-learn by its own numbers alone: its planes, or its dual variables."""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.certificates import Collected, DualityGap, Separator, Stationary, Unproved
from separatrix.certificates.claims.discriminant_equations import GaussianEquations
from separatrix.certificates.claims.normal_equations import NormalEquations, decision_planes
from separatrix.enclosures import Interval
from separatrix.estimators.least_squares import LeastSquaresClassifier
from separatrix.estimators.perceptron import Perceptron
from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest
from separatrix.estimators.reduction.in_pairs import by_pairs, offsets_by_pairs
from separatrix.interchange.scikit_learn.questions import Question
from separatrix.objectives import LeastSquares, LogLoss, SoftMargin
from separatrix.problem import Problem
from separatrix.problem.moments import SUM_OF_MOMENTS
from separatrix.products import dense_rows
from separatrix.rows import Vector


def planes_of(model: Any, question: Question) -> tuple[Vector, Vector]:
    """W and b of a model with planes, in the coordinates and for the targets of the question."""
    W = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    b = np.array(np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), (len(W),)))
    if isinstance(question.estimator, LeastSquaresClassifier) and len(W) > 1:
        W, b = W / 2.0, (b + 1.0) / 2.0  # targets of -1 and 1 are twice those of 0 and 1, less 1
    return question.planes(W, b)


def claim_of_planes(question: Question, planes: tuple[Vector, Vector], problem: Problem) -> Any:
    """What can be claimed of planes by themselves, as the question asks."""
    W, b = planes
    w, offset = (W[0], float(b[0])) if len(W) == 1 else (W, b)
    objective = problem.objective
    if isinstance(objective, LogLoss):
        return DualityGap.issue(problem, w, offset)
    if isinstance(objective, SoftMargin):
        code = one_vs_rest(problem.n_classes)
        parts = [
            DualityGap.issue(problem.dichotomy(side), W[k], float(b[k]), np.zeros(problem.n_rows))
            for k, side in enumerate(code.T)
        ]
        return parts[0] if len(parts) == 1 else Collected(code, tuple(parts))
    if isinstance(question.estimator, Perceptron):
        claim = Separator.issue(problem, w, offset)
        guess = Unproved("no plane of it has every row on its own side", w, offset)
        return claim if claim.proof else replace(guess, stated=guess.error(problem))
    return stationary_claim(question, planes, problem)


def stationary_claim(question: Question, planes: tuple[Vector, Vector], problem: Problem) -> Stationary:
    """What these planes leave of the equations of the question."""
    W, b = planes
    objective = problem.objective
    if isinstance(objective, LeastSquares):
        targets = np.array(objective.targets)
        equations: Any = NormalEquations(targets, objective.ridge, (np.ascontiguousarray(W.T), b))
        W, b = decision_planes(W.T, b, targets)
        return restated(np.atleast_2d(W), np.atleast_1d(b), equations, problem)
    equations = GaussianEquations(question.estimator.priors, question.estimator.shrinkage, full_rank=True)
    part = 1.0 - problem.n_classes / problem.n_rows  # scikit-learn divides scatters by n from 1.8 on, before by n - k
    log_priors = log_odds_of_priors(equations.priors, problem)
    claims = []
    for t in (1.0, part):
        planes = (
            centred(W * t, (b - log_priors) * t, problem) if problem.n_classes > 2 else (W * t, (b - log_priors) * t)
        )
        claims.append(restated(planes[0], log_priors + planes[1], equations, problem))
    return min(claims, key=lambda claim: claim.stated)


def centred(W: Vector, b: Vector, problem: Problem) -> tuple[Vector, Vector]:
    """Planes less what all have in common, which decides nothing, so that they are about the mean m of the rows.

    sum_c p_c w_c = 0,     sum_c p_c (b_c + w_c.(m + m_c) / 2) = 0          p_c: the part of the rows in class c
    """
    moments = problem.over(SUM_OF_MOMENTS)
    parts = moments.weight / moments.total_weight
    W = W - parts @ W
    return W, b - parts @ (b + 0.5 * np.sum(W * (moments.mean + moments.means), axis=1))


def restated(W: Vector, b: Vector, equations: Any, problem: Problem) -> Stationary:
    """What planes leave of equations, from the rows."""
    return Stationary.of(W, b, equations, Interval(0.0, np.inf), problem.n_rows).restated(problem)


def log_odds_of_priors(priors: Vector | None, problem: Problem) -> Vector:
    """The part of the offsets that comes from priors: their logarithm, for two classes the log-odds of the second."""
    counts = np.bincount(problem.y, weights=problem.cost, minlength=problem.n_classes)
    logs = np.log(counts / counts.sum() if priors is None else priors)
    return logs[1:] - logs[:1] if logs.size == 2 else logs


def claim_of_expansions(model: Any, encoded: Any) -> Any:
    """What can be claimed of a kernel machine of pairs of classes, by its own dual variables."""
    problem, k = encoded.problem, encoded.classes.size
    code = one_vs_one(k)
    dense = model.dual_coef_.toarray() if hasattr(model.dual_coef_, "toarray") else model.dual_coef_
    coefficients = by_pairs(np.asarray(dense, dtype=np.float64), np.asarray(model.n_support_))
    offsets = offsets_by_pairs(np.asarray(model.intercept_, dtype=np.float64))
    numbers = support_numbers(model, encoded)
    parts = []
    for pair, side in enumerate(code.T):
        own = np.flatnonzero(side[problem.y])
        within = np.full(problem.n_rows, -1)
        within[own] = np.arange(own.size)
        rows = within[numbers]
        used = (rows >= 0) & (coefficients[pair] != 0.0)
        order = np.argsort(rows[used], kind="stable")
        support, w = rows[used][order], coefficients[pair][used][order]
        parts.append(DualityGap.issue(problem.dichotomy(side), w, float(offsets[pair]), np.abs(w), support))
    return parts[0] if len(parts) == 1 else Collected(code, tuple(parts)).named(encoded.classes)


def support_numbers(model: Any, encoded: Any) -> np.ndarray:
    """The numbers in the problem of the support rows of a model.

    Where rows have no weight, LIBSVM leaves them out before it counts, so that `support_` counts the others alone.
    """
    given, kept = np.asarray(model.support_), encoded.kept
    if kept.size == encoded.n_given or given.max(initial=0) >= kept.size:
        return np.searchsorted(kept, given)
    rows = model.support_vectors_
    own = rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
    counted = own.ndim == 2 and np.array_equal(dense_rows(encoded.problem.X, given), own)
    return given if counted else np.searchsorted(kept, given)
