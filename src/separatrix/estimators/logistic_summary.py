"""Standard errors of a logistic regression, and its table.

The covariance of maximum likelihood estimates is the inverse of the matrix of second derivatives (Fisher, 1925). With a
penalty the estimates are biased, and that matrix says nothing of their error; of separated classes there are none.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from separatrix.certificates import DualityGap
from separatrix.errors import counted, first_few
from separatrix.objectives.likelihood.maximum_fold import curvature_fold
from separatrix.objectives.log_loss import losses_and_probabilities, rival_log_odds
from separatrix.objectives.log_loss_curvature import Factor, gauged, hessian, spanning_coordinates
from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.scaled_rows import ScaledRows
from separatrix.products import scores
from separatrix.rows import Vector
from separatrix.theory.likelihood import Likelihood

if TYPE_CHECKING:
    from separatrix.estimators.logistic import LogisticClassifier

MAX_DEFECT = 1e-8  # what is missing of a coordinate in the span of the rows, from which on a column depends on others


class Inference(NamedTuple):
    """What the likelihood says of planes; None where it says nothing."""

    errors: Vector | None = None
    intercept_errors: Vector | None = None
    log_likelihood: float | None = None
    deviance: float | None = None
    aic: float | None = None


def inference(problem: Any, claim: DualityGap, errors: bool) -> Inference:
    """Log-likelihood and deviance; at a maximum of the likelihood also standard errors and Akaike's criterion."""
    w, b, objective = np.atleast_2d(claim.w), np.atleast_1d(claim.b), claim.objective
    if not errors:
        loss = (claim.primal - 0.5 * float(np.sum(w * w))) / objective.unit
        return Inference(None, None, -loss, 2.0 * loss)
    k = len(w)
    if isinstance(problem, BlockedProblem):
        (coordinates, curved), loss = problem.over(curvature_fold(objective, (w, b))), claim.primal
        H = with_first_plane(curved.hessian, k)
    else:
        losses, rival_prob = losses_and_probabilities(log_odds(problem, w, b))
        loss, coordinates = float(problem.cost @ losses), spanning_coordinates(problem)
        H = hessian(ScaledRows(problem.X, coordinates).gram, problem.cost, rival_prob, problem.y)
    parameters = int(np.count_nonzero(np.diag(H)[: coordinates.width])) * max(1, k - 1)
    if parameters == 0:  # all zeros, and no offset
        return Inference(np.full(w.shape, np.nan), np.zeros(k), -loss, 2.0 * loss, 2.0 * loss)
    inverse = Factor(gauged(H, k)).solve(np.eye(len(H))).reshape(k, coordinates.width, k, coordinates.width)
    to_coefficients = np.column_stack(coordinates.plane(np.eye(coordinates.width))).T  # of [v..., b] to [w..., b]
    each = [to_coefficients @ plane_covariance(inverse, c, k) @ to_coefficients.T for c in range(k)]
    errors_found = np.sqrt(np.maximum(np.diagonal(each, axis1=1, axis2=2), 0.0))
    errors_found[:, :-1][:, dependent_columns(coordinates)] = np.nan
    return Inference(errors_found[:, :-1], errors_found[:, -1], -loss, 2.0 * loss, 2.0 * loss + 2.0 * parameters)


def with_first_plane(H: Vector, k: int) -> Vector:
    """The Hessian of several planes from that without the first: a shift of all planes changes nothing."""
    if k == 1:
        return H
    p = len(H) // (k - 1)
    blocks = np.zeros((k, p, k, p))
    blocks[1:, :, 1:] = H.reshape(k - 1, p, k - 1, p)
    blocks[1:, :, 0] = -blocks.sum(axis=2)[1:]
    blocks[0] = -blocks[1:].sum(axis=0)
    return blocks.reshape(k * p, k * p)


def in_the_limit(problem: Problem, found: Likelihood) -> Inference:
    """Log-likelihood and deviance of separated classes: rows beside the plane are certain, those on it are not.

    Of several classes that are separated weakly there are only planes near the limit, and they count as they are.
    """
    if found.kind == "complete":
        return Inference(log_likelihood=0.0, deviance=0.0)
    if found.finite is not None:
        loss = found.finite.certificate.primal
    else:
        w, b = np.atleast_2d(found.solution.w), np.atleast_1d(found.solution.b)
        loss = float(problem.cost @ losses_and_probabilities(log_odds(problem, w, b))[0])
    return Inference(log_likelihood=-loss, deviance=2.0 * loss)


def log_odds(problem: Problem, w: Vector, b: Vector) -> Vector:
    """The log-odds of each rival against the row's own class."""
    return rival_log_odds(scores(problem.X, np.ascontiguousarray(w.T)) + b, problem.y)


def plane_covariance(covariance: Vector, c: int, k: int) -> Vector:
    """The covariance of one plane; of several, of its difference from their mean, which the gauge leaves alone."""
    own = covariance[c, :, c]
    if k == 1:
        return own
    cross = covariance[c].mean(axis=1)
    return own - cross - cross.T + covariance.mean(axis=(0, 2))


def dependent_columns(coordinates: Coordinates) -> np.ndarray:
    """Which columns depend on others, so that their coefficient is not determined."""
    if coordinates.basis is None:
        return np.zeros(coordinates.centre.size, dtype=bool)
    inside = coordinates.basis @ np.linalg.pinv(coordinates.basis)
    return (np.abs(1.0 - np.diag(inside)) > MAX_DEFECT) | ~coordinates.basis.any(axis=1)


def table(model: "LogisticClassifier") -> str:
    """The coefficients with what is known of them."""
    infinite = np.column_stack([model.infinite_, model.infinite_intercept_])
    planes = np.column_stack([model.coef_, model.intercept_])
    errors = None
    if hasattr(model, "standard_errors_"):
        errors = np.column_stack([model.standard_errors_, model.intercept_standard_errors_])
    names = [*model.feature_names_, "(intercept)"]
    keep = slice(None) if model.fit_intercept else slice(-1)
    width = max(map(len, names[keep])) + 4
    lines = [headline(model)]
    for c in range(len(planes)):
        title = f"{model.classes_.tolist()[c]!r}" if len(planes) > 1 else ""
        lines.append(
            f"{title:<{width}}  coefficient" + ("  standard error        z         p" if errors is not None else "")
        )
        for j in range(len(names))[keep]:
            error = None if errors is None else float(errors[c, j])
            lines.append(f"  {names[j]:<{width - 2}}" + cells(float(planes[c, j]), error, bool(infinite[c, j])))
    return "\n".join([*lines, *remarks(model)])


def cells(value: float, error: float | None, infinite: bool) -> str:
    """One line of the table."""
    if infinite:
        return f"{'infinite':>13}"
    if error is None:
        return f"{value:>13.4g}"
    if not error > 0.0:
        return f"{value:>13.4g}{'depends on others':>20}"
    z = value / error
    return f"{value:>13.4g}{error:>16.4g}{z:>9.3g}{2.0 * float(ndtr(-abs(z))):>10.3g}"


def headline(model: "LogisticClassifier") -> str:
    """What was fitted to what."""
    labels: list[Any] = model.classes_.tolist()
    what = (
        f"{labels[1]!r} against {labels[0]!r}" if len(labels) == 2 else f"{len(labels)} classes, planes adding up to 0"
    )
    how = "maximum likelihood" if np.isinf(model.C) else f"C = {model.C:g}"
    return f"LogisticClassifier: {how} on {model._n_rows:,} rows, {what}"


def remarks(model: "LogisticClassifier") -> list[str]:
    """Figures of the whole fit, and why there are no standard errors."""
    kind = getattr(model, "separation_", None)
    if kind not in (None, "overlap"):
        return [separated_text(model, str(kind)), "No standard errors: there is no maximum to take the curvature of."]
    figures = f"deviance {model.deviance_:.4g}, log-likelihood {model.log_likelihood_:.4g}"
    if kind == "overlap":
        return [f"{figures}, AIC {model.aic_:.4g}"]
    return [figures, "No standard errors: the penalty biases the coefficients. C=inf is maximum likelihood."]


def separated_text(model: Any, kind: str) -> str:
    """That there is no maximum, and which coefficients are infinite."""
    every = model.feature_names_  # made anew at each access
    names = [every[j] for j in np.flatnonzero(model.infinite_.any(axis=0))]
    names += ["(intercept)"] * bool(model.infinite_intercept_.any())
    if kind == "complete":
        why = "the classes are separated completely. coef_ is the direction in which it grows, at margin 1"
    elif model.classes_.size == 2:
        why = "the classes are separated, but for some rows on the plane. The other coefficients fit these rows"
    else:
        why = "the classes are separated weakly. coef_ is of a large finite C, near its limits"
    count = counted(len(names), "coefficient")
    return f"The likelihood has no maximum: {why}. Infinite: {count}, {first_few(names)}."
