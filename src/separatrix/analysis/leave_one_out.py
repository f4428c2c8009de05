"""What each row would be predicted by the model of all other rows: leave-one-out, exactly."""

from typing import Any, NamedTuple

import numpy as np

from separatrix.analysis.leave_one_out_scores import LeaveOneOutBound, LeaveOneOutScores
from separatrix.certificates import DualityGap
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.errors import DataError, OptionError
from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest
from separatrix.estimators.reduction.decoding import votes
from separatrix.objectives import EpsilonInsensitive, LeastSquares, SoftMargin
from separatrix.objectives.bounds.mercer import satisfies_mercer
from separatrix.problem import Problem
from separatrix.rows import Vector, read_only, take
from separatrix.solvers.leave_one_out.support_vectors import LeftOut, left_out, scores_by
from separatrix.solvers.squares.leave_one_out import class_scores
from separatrix.theory.exact_interval import exact_interval

SUPPORTED = "LeastSquaresClassifier, LeastSquaresRegressor, LinearSVM, KernelSVM, LinearSVR or KernelSVR"
BOUNDS = {
    "support_vectors": ("support vectors (Vapnik, 1995)", "a row with alpha = 0 changes nothing when it leaves"),
    "xi_alpha": ("xi-alpha (Joachims, 2000)", "free rows determine the offset on every way"),
    "span": ("span (Vapnik and Chapelle, 2000)", "free rows determine the offset on every way"),
}


class Found(NamedTuple):
    """Scores of the rows of a problem without them, the largest violation, how many fits, and what bounds count."""

    scores: Vector
    violation: float = 0.0
    n_refits: int = 0
    flagged: dict[str, np.ndarray] = {}  # noqa: RUF012, never changed


def leave_one_out(model: Any, X: Any, y: Any, sample_weight: Any = None) -> LeaveOneOutScores:
    """Score every row by the model of all other rows, as n separate fits would, for the cost of a few.

    Least squares have a closed form. From the optimum of a support vector machine, the dual variable of each support
    row is driven to 0 while all others stay optimal; rows that are no support rows change nothing. Each optimum is
    checked against the optimality conditions of its rows, and fitted anew where the check fails.

    Parameters
    ----------
    model : estimator
        LeastSquaresClassifier, LeastSquaresRegressor, LinearSVM, KernelSVM, LinearSVR or KernelSVR. It is not changed.
        A support vector machine that is fitted to the same data saves a fit.
    X, y : as for fit
        The rows, and their classes or numbers.
    sample_weight : as for fit
        A row is left out with all its weight. Weights of classes, and of a kernel a gamma that depends on the rows,
        stay what they are with it.

    Returns
    -------
    LeaveOneOutScores
        `scores` of the rows, which of them are `wrong`, their `error` with an `interval`, and for support vector
        machines the `bounds` of it that one fit would give.

    Notes
    -----
    A row that is the only one of its class has no other that tells of it: its class scores minus infinity, and the row
    is wrong. Rows of weight 0 are in no fit, and have no score. Other estimators are refused: n fits are
    `cross_val_predict(model, X, y, cv=LeaveOneOut())` of scikit-learn. So are pipelines, whose other steps would have
    seen the row that is left out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearSVM, leave_one_out
    >>> X, y = load_iris(return_X_y=True)
    >>> found = leave_one_out(LinearSVM(C=1.0), X[50:], y[50:])  # versicolor and virginica
    >>> found.n_wrong, found.violation < 1e-12
    (3, True)
    >>> without = LinearSVM(C=1.0, tol=1e-12).fit(X[51:], y[51:])
    >>> bool(abs(without.decision_function(X[50:51])[0] - found.scores[0]) < 1e-8)
    True
    """
    problem, encoded = posed(model, X, y, sample_weight)
    found = by_squares(model, X, y, sample_weight, problem) if is_squares(problem) else by_machines(model, problem)
    return summary(found, problem, encoded)


def posed(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Problem, Any]:
    """The question that the model asks of all rows, or the refusal of a model whose rows are not left out here."""
    name = type(model).__name__
    if hasattr(model, "steps"):
        raise OptionError(
            "leave_one_out takes no pipeline: its other steps would have seen the row that is left out. Give the last "
            "step, and rows as the others make them."
        )
    if not hasattr(model, "_problem"):
        raise OptionError(f"leave_one_out needs a {SUPPORTED}. Got {name}.")
    encoded = model._problem(X, y, sample_weight)
    problem = encoded.problem
    if problem.n_rows < 2:
        raise DataError("leave_one_out needs at least 2 rows: without the only one there is no model. Got 1.")
    if not isinstance(problem.objective, (LeastSquares, SoftMargin, EpsilonInsensitive)):
        raise OptionError(
            f"leave_one_out needs a {SUPPORTED}. Got {name}: for n fits use scikit-learn's "
            "cross_val_predict(model, X, y, cv=LeaveOneOut())."
        )
    if getattr(model, "low_rank", None) is not None:
        raise OptionError(f"leave_one_out needs the optimum of the whole space, low_rank=None. Got {model.low_rank!r}.")
    if problem.kernel is not None and not satisfies_mercer(problem):
        raise OptionError(
            f"leave_one_out needs a kernel that is positive semidefinite on these rows. Got {problem.kernel!r}, whose "
            "machine is no optimum that others could be derived from."
        )
    return problem, encoded


def is_squares(problem: Problem) -> bool:
    """Whether the sum of squares is minimised."""
    return isinstance(problem.objective, LeastSquares)


def by_squares(model: Any, X: Any, y: Any, sample_weight: Any, problem: Problem) -> Found:
    """The closed form of least squares."""
    residuals = model.leave_one_out(X, y, sample_weight=sample_weight).residuals[0]
    if not problem.n_classes:
        return Found(problem.y - residuals)
    targets = np.array(problem.objective.targets)
    scores = class_scores(problem, targets, residuals.reshape(problem.n_rows, -1))
    alone = np.flatnonzero(np.bincount(problem.y)[problem.y] == 1)
    if scores.shape[1] == 1:
        scores[alone, 0] = -np.inf * problem.signs[alone]
        return Found(scores[:, 0])
    scores[alone, problem.y[alone]] = -np.inf
    return Found(scores)


def by_machines(model: Any, problem: Problem) -> Found:
    """Support vector machines: one, or for several classes one for each column of their code."""
    if problem.n_classes <= 2:
        return found_by(left_out(problem, known_beta(model, problem, 0, 1)))
    code = one_vs_rest(problem.n_classes) if problem.kernel is None else one_vs_one(problem.n_classes)
    parts = [column(model, problem, code, number) for number in range(code.shape[1])]
    scores = np.column_stack([part.scores for part in parts])
    flagged = {name: np.any([part.flagged[name] for part in parts], axis=0) for name in BOUNDS}
    violation, n_refits = max(part.violation for part in parts), sum(part.n_refits for part in parts)
    return Found(scores if problem.kernel is None else votes(scores, code), violation, n_refits, flagged)


def column(model: Any, problem: Problem, code: np.ndarray, number: int) -> Found:
    """What one machine of several classes scores all rows; those that it does not know of are none of its own."""
    part, inside = problem.dichotomy(code[:, number]), code[problem.y, number] != 0
    rows = left_out(part, known_beta(model, part, number, code.shape[1]))
    found = found_by(rows)
    if inside.all():
        return found
    scores = np.empty(problem.n_rows)
    X: Any = take(problem.X, np.flatnonzero(~inside))
    scores[inside], scores[~inside] = (
        found.scores,
        scores_by(part, rows, X[:, inside] if problem.kernel.rows_are_values else X),
    )
    flagged = {name: np.zeros(problem.n_rows, dtype=bool) for name in found.flagged}
    for name, own in found.flagged.items():
        flagged[name][inside] = own
    return found._replace(scores=scores, flagged=flagged)


def found_by(rows: LeftOut) -> Found:
    """The outcome of one machine."""
    flagged = {} if rows.flagged is None else rows.flagged._asdict()
    return Found(rows.scores, float(rows.violations.max()), int(rows.refitted.sum()), flagged)


def known_beta(model: Any, part: Problem, number: int, n_parts: int) -> Vector | None:
    """y alpha of each row by the certificate of a fitted model, if that can be about this problem.

    Whether it is an optimum of the problem is checked where it is used.
    """
    claim: Any = getattr(model, "certificate_", None)
    claims = getattr(claim, "parts", (claim,))
    if len(claims) != n_parts or not isinstance(claims[number], DualityGap):
        return None
    own = claims[number]
    if own.n_rows != part.n_rows or own.objective != part.objective:
        return None
    return dual_variables(own) * (part.signs if part.n_classes else 1.0)


def summary(found: Found, problem: Problem, encoded: Any) -> LeaveOneOutScores:
    """The result for all rows that were given."""
    cost, total = problem.cost, float(problem.cost.sum())
    scores: Vector = np.full((encoded.n_given, *found.scores.shape[1:]), np.nan)
    scores[encoded.kept] = found.scores
    if not problem.n_classes:
        residuals = np.full(encoded.n_given, np.nan)
        residuals[encoded.kept] = problem.y - found.scores
        error = float(np.sqrt(cost @ (problem.y - found.scores) ** 2 / total))
        how = found.violation, found.n_refits
        return LeaveOneOutScores(read_only(scores), None, read_only(residuals), error, None, (), *how)
    predicted = found.scores > 0 if found.scores.ndim == 1 else found.scores.argmax(axis=1)
    wrong = np.zeros(encoded.n_given, dtype=bool)
    wrong[encoded.kept] = predicted != problem.y
    error, counted_rows = float(cost @ wrong[encoded.kept] / total), total**2 / float(cost @ cost)
    interval = exact_interval(min(error * counted_rows, counted_rows), counted_rows)
    bounds = tuple(
        LeaveOneOutBound(name, int(rows.sum()), float(cost @ rows / total), assumes)
        for (name, assumes), rows in ((BOUNDS[key], rows) for key, rows in found.flagged.items())
    )
    return LeaveOneOutScores(
        read_only(scores), read_only(wrong), None, error, interval, bounds, found.violation, found.n_refits
    )
