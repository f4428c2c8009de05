"""Frames of linear machines: interior points, the polish on the active set, and Newton's steps, with both bounds.

    primal   the objective of the planes of an iterate          dual   what no planes can be below

Both are those of the certificate that the iterate would have, so that they close to the gap of the answer.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import counted
from separatrix.lab.frames.corrections import short
from separatrix.lab.frames.recording import Recording
from separatrix.lab.frames.setting import Setting
from separatrix.lab.frames.watched import Machine, Shown, recording, watch
from separatrix.rows import Vector
from separatrix.solvers.svm.joint.joint_svm import issued

ALPHA_RTOL = 1e-6  # part of the largest alpha, below which a row is not drawn as one with weight
MAX_ALPHAS = 400


class Step(NamedTuple):
    """An iterate of a machine: its kind, planes [w, b], alpha of each row where it is known, and what else was told."""

    kind: str
    planes: Vector
    alpha: Vector | None
    told: dict[str, Any]


def machine_steps(setting: Setting) -> Recording:
    """The recording of a linear support vector machine, of any loss and form, or of logistic discrimination."""
    end = "The answer, which the certificate was made for: its two values are the last ones of both curves."
    return recording(setting, watch(setting, keep), "iteration", show, end)


def keep(machine: Machine, event: str, told: dict[str, Any]) -> Step | None:
    """The planes and alpha of an iterate, in units of the data."""
    if event == "direction":
        machine.about["direction"] = told
    elif event == "program":
        machine.about.update({"factor": 1.0} | told)
    elif event == "joint":
        w, b = told["program"].coordinates.plane(told["V"].T)
        part = float(told["program"].cost.max() / (machine.problem.objective.C * machine.problem.cost.max()))
        return Step("joint", np.column_stack([w, b]), told["prob"].copy(), {"part": part, "width": told["width"]})
    elif "objective" in told:
        w, b = told["objective"].design.coordinates.plane(told["V"].T)
        return Step("logistic", np.column_stack([w, b]), None, {})
    elif event in ("interior", "polish", "newton") and "program" in machine.about:
        return of_program(machine, event, told)
    return None


def of_program(machine: Machine, event: str, told: dict[str, Any]) -> Step:
    """An iterate in the units of its program, in those of the data."""
    program, factor = machine.about["program"], machine.about["factor"]
    alpha = told["alpha"] * (program.unit / factor) if told["alpha"].size == machine.problem.n_rows else None
    kept = {name: value for name, value in told.items() if np.ndim(value) == 0} | machine.about.pop("direction", {})
    if "violators" in told:
        kept["violators"] = np.flatnonzero(told["violators"]) if alpha is not None else np.empty(0, dtype=int)
    if hasattr(program, "plane"):
        w, b, rho = program.plane(told["v"])
        scale = rho if rho > 0.0 else factor
        return Step(event, np.append(w, b)[None] / scale, alpha, kept | {"rho": rho / factor})
    w, b = program.coordinates.plane(told["v"])
    return Step(event, np.append(w, b)[None], alpha, kept)


@np.errstate(all="ignore")  # an iterate far from the optimum may have no finite value
def claim_of(machine: Machine, step: Step) -> DualityGap:
    """The certificate that the iterate would have."""
    problem, planes, alpha = machine.problem, step.planes, step.alpha
    if step.kind == "joint" and alpha is not None:
        return issued(problem, planes[:, :-1], planes[:, -1], alpha)
    if step.kind == "logistic":
        w, b = (planes[0, :-1], float(planes[0, -1])) if len(planes) == 1 else (planes[:, :-1], planes[:, -1])
        return DualityGap.issue(problem, w, b)
    if alpha is None:
        return DualityGap.issue(problem, planes[0, :-1], float(planes[0, -1]))
    support = np.flatnonzero(alpha)
    return DualityGap.issue(problem, planes[0, :-1], float(planes[0, -1]), alpha[support], support)


def show(setting: Setting, machine: Machine, speaks: bool, step: Step, before: Step | None) -> Shown:
    """What the iteration did, and how far apart the two values are."""
    if not speaks:
        return Shown("", step.planes)
    claim = claim_of(machine, step)
    values: dict[str, Any] = {"primal": claim.primal, "dual": claim.dual, "gap": claim.primal - claim.dual}
    values |= {"barrier": step.told.get("mu"), "step": step.told.get("taken")}
    parts: dict[str, Any] = {"values": values}
    if step.alpha is not None and step.alpha.ndim == 1:
        parts["alpha"] = alphas(setting, machine, step.alpha)
    if "violators" in step.told:
        parts["rows"] = setting.rows(machine.index[step.told["violators"]])
    text = f"{SENTENCES[step.kind](machine, step, before)} {between(claim)}"
    return Shown(text, step.planes if len(step.planes) > 1 else step.planes[0], parts)


def between(claim: DualityGap) -> str:
    """Between which values the optimum is, as a sentence."""
    if not np.isfinite(claim.primal):
        return (
            f"No plane can be below {short(claim.dual)}; this one leaves rows short of the margin, which is forbidden."
        )
    return f"The objective is {short(claim.primal)} here, and for no plane below {short(claim.dual)}."


def alphas(setting: Setting, machine: Machine, alpha: Vector) -> dict[str, Any]:
    """The rows with weight, and their bound where all have the same."""
    used = np.flatnonzero(alpha > ALPHA_RTOL * alpha.max(initial=0.0))[:MAX_ALPHAS]
    bound = getattr(machine.problem.objective, "C", None)
    same = bound is not None and np.isfinite(bound) and np.ptp(machine.problem.cost) == 0.0
    bounded = same and not getattr(machine.problem.objective, "squared", False)
    rows = setting.rows(machine.index[used]).tolist()
    top = float(bound * machine.problem.cost[0]) if bounded else None
    return {"rows": rows, "values": alpha[used].tolist(), "bound": top}


def interior(machine: Machine, step: Step, before: Step | None) -> str:
    """What an iteration of the interior-point method did."""
    if before is None:
        return (
            "The start, well inside of all bounds: w = 0, and every alpha is in the middle of its box. From here each "
            "step is Newton's, towards alpha times slack = mu for every row, with a mu that falls to 0."
        )
    taken, mu = step.told.get("taken"), step.told["mu"]
    if taken is None:
        return f"The best iterate so far, with mu = {short(mu)}."
    cut = "was taken almost whole" if taken > 0.99 else f"was cut at {short(taken)} of its length, before one reached 0"
    return (
        f"Newton's step towards alpha times slack = mu {cut}: alphas, their room and slacks stay positive. mu is now "
        f"{short(mu)}, and the path leads to the optimum as mu goes to 0."
    )


def polish(machine: Machine, step: Step, before: Step | None) -> str:
    """What the polish did."""
    rows = counted(int(step.told["free"]), "row")
    return (
        f"The path has shown which rows are on the margin: {rows}. One linear system puts them exactly there, with the "
        "alphas of all others at their bounds, and so makes the last digits right."
    )


def newton(machine: Machine, step: Step, before: Step | None) -> str:
    """What a Newton step for squared hinges did."""
    rows = counted(step.told["violators"].size, "row")
    if before is None:
        return f"The start: w = 0, where all rows are short of the margin 1: {rows}."
    same = np.array_equal(step.told["violators"], before.told["violators"])
    if same:
        return f"The same rows are short of the margin, {rows}: the minimum of their quadratic is that of all rows."
    return (
        "For the rows short of the margin alone the objective is a quadratic, and Newton's step goes to its minimum. "
        f"Some rows changed sides on the way: {rows} are short of it now."
    )


def joint(machine: Machine, step: Step, before: Step | None) -> str:
    """What a step of the joint machine did."""
    part = step.told["part"]
    way = f" This is the way there, with {short(part)} of the C that was asked for." if part < 0.999 else ""
    return (
        "All planes moved together: a Newton step of the augmented Lagrangian, in which every row spreads its weight "
        f"over the classes that come too near to its own.{way}"
    )


def logistic(machine: Machine, step: Step, before: Step | None) -> str:
    """What a Newton step for the log loss did."""
    if before is None:
        return "The start: w = 0, where every class is equally probable for every row."
    return (
        "Newton's step: each row pulls by its residual, one minus the probability of its class, and counts in the "
        "Hessian by p (1 - p), which is largest for rows near the boundary."
    )


SENTENCES = {"interior": interior, "polish": polish, "newton": newton, "joint": joint, "logistic": logistic}
