"""Frames of rules that are shown one row after the other and mostly move at each: LMS, stochastic rules, averages.

    w <- (1 - 2 rho l2) w - rho slope(g(x), y) x

The first rows are shown one by one, later ones some at a time; numbers count presentations of a row.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import counted
from separatrix.lab.frames.corrections import capital, short
from separatrix.lab.frames.recording import Recording
from separatrix.lab.frames.setting import Setting
from separatrix.lab.frames.watched import Machine, Shown, recording, watch
from separatrix.objectives import Kind
from separatrix.objectives.loss import slope, value
from separatrix.rows import Vector

RULES = {
    Kind.PERCEPTRON: "the perceptron's loss max(0, -m)",
    Kind.HINGE: "the hinge loss max(0, 1 - m)",
    Kind.LOGISTIC: "the logistic loss log(1 + exp(-m))",
    Kind.EXPONENTIAL: "the exponential loss exp(-m)",
    Kind.SQUARED: "half the squared residual",
    Kind.SQUARED_HINGE: "half the squared shortfall of m from the margin",
    Kind.THERMAL: "the perceptron's rule, which fades with the temperature",
}


class Presented(NamedTuple):
    """The planes that would be the answer and those of the rule itself, and what was presented for them.

    `own` are planes before the rows; `rate` is that of the last step.
    """

    planes: Vector
    own: Vector
    before: Vector | None
    rows: np.ndarray
    rate: float
    moved: int
    passes: int
    options: Any


def presentations(setting: Setting) -> Recording:
    """The recording of LMS, of a stochastic rule, or of a perceptron that is averaged or penalised."""
    note = "The first rows are shown one by one, later ones some at a time. A step is a row that is presented."
    return recording(setting, watch(setting, keep), "step", show, note=note)


def keep(machine: Machine, event: str, told: dict[str, Any]) -> None:
    """The planes after some presentations; their number is that of the rows presented."""
    run, about = told["run"], machine.about
    own, before = run.last_planes(), about.get("own")
    rows = told["rows"].copy() if event == "rows" else np.empty(0, dtype=int)
    rate, moved = float(run.rates(max(run.t, 1), 1)[0]), run.mistakes - about.get("mistakes", 0)
    about["own"], about["mistakes"] = own, run.mistakes
    machine.add(Presented(run.planes().copy(), own, before, rows, rate, moved, run.passes, run.options), run.presented)


def show(setting: Setting, machine: Machine, speaks: bool, iterate: Presented, _: Any) -> Shown:
    """What the rows did to the planes, and what the mean loss is now."""
    if not speaks:
        return Shown("", iterate.planes)
    values = {"rate": iterate.rate, "loss": mean_loss(machine, iterate), "passes": iterate.passes}
    parts: dict[str, Any] = {"values": values, "rows": setting.rows(machine.index[iterate.rows[:MAX_ROWS]])}
    averaged = bool(getattr(setting.estimator, "averaged", False))
    text = sentence(setting, machine, iterate)
    if averaged:
        text += " Shown is the mean of all planes passed through"
        text += "; the broken line is the rule's own plane now." if len(iterate.own) == 1 else "."
        parts["marks"] = setting.line(iterate.own[0], "step", "now") if len(iterate.own) == 1 else []
    return Shown(text, iterate.planes, parts)


MAX_ROWS = 40  # that are ringed
MAX_LOSSES = 500  # rows whose losses are averaged


def mean_loss(machine: Machine, iterate: Presented) -> float | None:
    """The mean loss of the rows, or of evenly spaced ones, for the plane that is shown; None for several planes."""
    if len(iterate.planes) > 1:
        return None
    scores = machine.X @ iterate.planes[0, :-1] + iterate.planes[0, -1]
    some = np.unique(np.linspace(0, scores.size - 1, min(scores.size, MAX_LOSSES)).round().astype(int))
    pairs = zip(scores[some].tolist(), machine.problem.signs[some].tolist(), strict=True)
    with np.errstate(over="ignore"):
        return float(np.mean([value(iterate.options.loss, score, float(y)) for score, y in pairs]))


def sentence(setting: Setting, machine: Machine, iterate: Presented) -> str:
    """Which rows were presented, and what came of it."""
    if iterate.before is None:
        return "The start, before any row was presented."
    if iterate.rows.size == 1 and len(iterate.own) == 1 and iterate.options.batch_size == 1:
        return one_row(setting, machine, iterate)
    n, moved = iterate.rows.size, counted(iterate.moved, "correction")
    who = "the last row" if n == 1 else f"the last {n:,} rows"
    return f"Pass {iterate.passes}: {who} made {moved} of w, at the rate {short(iterate.rate)}."


def one_row(setting: Setting, machine: Machine, iterate: Presented) -> str:
    """What a rule for two classes made of one row."""
    i, before = int(iterate.rows[0]), iterate.before
    assert before is not None
    y, kind = float(machine.problem.signs[i]), Kind(iterate.options.loss.kind)
    score = float(machine.X[i] @ before[0, :-1] + before[0, -1])
    factor = float(iterate.options.factors[min(i, iterate.options.factors.size - 1)])
    step = -iterate.rate * factor * float(slope(iterate.options.loss, score, y))
    who = f"{capital(setting.row(int(machine.index[i])))} (y = {y:+.0f}) had the score"
    if kind == Kind.SQUARED:
        why = f"off its target by {short(y - score)}"
    else:
        why = f"the margin m = y g = {short(y * score)}"
    if abs(step) == 0.0:
        return f"{who} {short(score)}, {why}. {capital(RULES[kind])} is level there, so w stayed."
    moved = f"so w moved by {step:+.3g} times the row"
    return f"{who} {short(score)}, {why}, {moved}: down the slope of {RULES[kind]}, at the rate {short(iterate.rate)}."
