"""Frames of algorithms for the nearest points of reduced hulls: Gilbert, MDM, Schlesinger and Kozinec.

p and q are mixtures of the rows of each class;  d = p - q;  the extreme points along d bound its length from below
"""

from typing import Any

import numpy as np

from separatrix.analysis.reduced_hull import reduced_hull
from separatrix.certificates import NearestPoint
from separatrix.certificates.arithmetic.reduced_hull import extreme_weights
from separatrix.lab.frames.corrections import capital, short
from separatrix.lab.frames.recording import Recording
from separatrix.lab.frames.setting import Setting, mark
from separatrix.lab.frames.watched import Machine, Shown, expansion, recording, watch
from separatrix.rows import Vector

MAX_ALPHAS = 400  # rows with weight that a frame names
MAX_CORNERS = 100  # of an outline
MEETING = 1e-4  # part of the first distance, below which steps are no longer shown


def hull_steps(setting: Setting) -> Recording:
    """The recording of a classifier by reduced hulls."""
    end = "Wolfe's method has made the weights exact, and the plane is midway between the nearest points."
    return recording(setting, watch(setting, keep), "step", show, end)


def keep(machine: Machine, event: str, told: dict[str, Any]) -> Any:
    """The weights before a step, and those before the step that led to them; the first of each mu has none before."""
    if event != "step":
        return None
    about = machine.about
    hulls, mu = about["hulls"], float(about["mu"])
    if about.get("begun") is not hulls:
        about["begun"], about["here"], about["before"] = hulls, hulls.initial_weights(), None
        about["mus"] = [*about.get("mus", []), mu]
        about["first"] = float(told["distance"])
    kept = about["here"], about["before"], tuple(about["mus"])
    about["before"], about["here"] = about["here"], told["state"].a.copy()
    if told["distance"] < MEETING * about["first"]:
        machine.number += 1  # the hulls meet, and the points only come nearer to each other
        return None
    return kept


def show(setting: Setting, machine: Machine, speaks: bool, iterate: Any, _: Any) -> Shown:
    """The two points after a step, what the step did, and how near they can still come."""
    weights, before, mus = iterate
    problem, mu = machine.problem, mus[-1]
    claim = NearestPoint.issue(problem, weights, mu=mu)
    if not speaks and problem.kernel is None:
        return Shown("", np.append(claim.w, claim.b))
    lower = machine.about.setdefault("lower", {})
    lower[mu] = max(lower.get(mu, 0.0), claim.bound)
    text = f"{step_sentence(setting, machine, weights, before, mus)} {distance_sentence(claim.distance, lower[mu])}"
    values = {"distance": claim.distance, "lower": lower[mu], "mu": mu}
    parts: dict[str, Any] = {"values": values, "alpha": alpha_of(setting, machine, weights, mu)}
    if problem.kernel is not None:
        coefficients = np.zeros(problem.n_rows)
        coefficients[claim.support] = claim.w
        return Shown(text, None, parts, expansion(problem, coefficients, float(claim.b)))
    points = np.array([weights[problem.y == c] @ machine.X[problem.y == c] for c in (0, 1)])
    extreme = extreme_points(problem, points, mu)
    parts["marks"] = [
        *hulls_of(machine, mu),
        mark("point", points[1], "nearest", f"p of {machine.sides[1]}"),
        mark("point", points[0], "nearest", f"q of {machine.sides[0]}"),
        mark("segment", points, "nearest", short(claim.distance)),
        *(mark("point", point, "extreme", "") for point in extreme),
    ]
    return Shown(text, np.append(claim.w, claim.b), parts)


def extreme_points(problem: Any, points: Vector, mu: float) -> Vector:
    """The points of both reduced hulls that are farthest towards each other along d = p - q."""
    s = problem.signs * (problem.X @ (points[1] - points[0]))
    own = [problem.y == c for c in (0, 1)]
    return np.array([extreme_weights(-s[each], mu * problem.cost[each]) @ problem.X[each] for each in own])


def hulls_of(machine: Machine, mu: float) -> list[dict[str, Any]]:
    """The outlines of both reduced hulls, which do not change while mu does not."""
    outlines = machine.about.setdefault("outlines", {})
    if mu not in outlines:
        problem = machine.problem
        hulls = [reduced_hull(machine.X[problem.y == c], mu, problem.cost[problem.y == c]) for c in (0, 1)]
        outlines[mu] = [mark("polygon", drawn(hull.outline()), "hull", "") for hull in hulls]
    return outlines[mu]


def drawn(outline: Vector) -> Vector:
    """Enough corners of an outline to draw it, with as many digits as that needs."""
    size = float(np.ptp(outline, axis=0).max(initial=0.0)) or 1.0
    digits = int(np.ceil(np.log10(1e4 / size)))
    return np.round(outline[:: -(-len(outline) // MAX_CORNERS)], digits)


def alpha_of(setting: Setting, machine: Machine, weights: Vector, mu: float) -> dict[str, Any]:
    """The rows with weight; their bound is mu where all count alike."""
    used = np.flatnonzero(weights)
    used = np.sort(used[np.argsort(-weights[used], kind="stable")][:MAX_ALPHAS])
    same = np.ptp(machine.problem.cost) == 0.0
    rows = setting.rows(machine.index[used]).tolist()
    return {
        "rows": rows,
        "values": weights[used].tolist(),
        "bound": mu * float(machine.problem.cost[0]) if same else None,
    }


def step_sentence(setting: Setting, machine: Machine, weights: Vector, before: Any, mus: tuple[float, ...]) -> str:
    """Which weight moved, in the words of the algorithm."""
    if before is None:
        again = f"The reduced hulls meet with mu = {short(mus[-2])}, so mu is lowered. " if len(mus) > 1 else ""
        return (
            f"{again}The start, with no weight above mu = {short(mus[-1])}: p and q are the extreme points of the "
            "reduced hulls on the line between the class means."
        )
    change = weights - before
    up, down = np.flatnonzero(change > 0.0), np.flatnonzero(change < 0.0)
    if up.size == 0:
        return "Nothing moved: no step makes the distance smaller."
    if setting.estimator.algorithm == "mdm" and up.size == down.size == 1:
        gives, takes = (setting.row(int(machine.index[rows[0]])) for rows in (down, up))
        return (
            f"MDM: of the rows with weight, {gives} lies farthest from the other class along d; {takes} faces it most. "
            f"So {short(float(change[up[0]]))} of the weight went from the one to the other."
        )
    moved = {int(c) for c in machine.problem.y[np.flatnonzero(change)]}
    side = "both points" if len(moved) > 1 else f"the point of {machine.sides[moved.pop()]}"
    name = "Gilbert" if setting.estimator.algorithm == "gilbert" else "Schlesinger and Kozinec"
    most = capital(setting.row(int(machine.index[up[np.argmax(change[up])]])))
    return (
        f"{name}: {side} moved straight towards the extreme point against d, to where the distance is shortest. {most} "
        f"gained most, {short(float(change.max()))} of the weight."
    )


def distance_sentence(distance: float, lower: float) -> str:
    """How far the two points are apart, and how near they can come at most."""
    apart = f"The points are {short(distance)} apart"
    if lower > 0.0:
        return f"{apart}, and no two can be nearer than {short(lower)}: the hulls do not meet."
    return f"{apart}; the extreme points do not yet show that the hulls are apart."
