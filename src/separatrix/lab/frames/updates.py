"""Frames of rules that correct by one row, or one batch, after the other, from the recorded run of the rule itself.

    w += rate y x      for each correction by a row x

The trace holds every correction, and repeats the run to the last bit (`solvers.online.trace`).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.errors import counted
from separatrix.estimators.relaxation import RelaxationClassifier
from separatrix.estimators.thermal import ThermalPerceptron
from separatrix.lab.frames.corrections import Correction, annealed, mistake, projection, short
from separatrix.lab.frames.presentations import presentations
from separatrix.lab.frames.recording import Frame, Recording, frame, thinned
from separatrix.lab.frames.setting import Setting
from separatrix.report.animation.replay import Moment, moments
from separatrix.rows import Vector
from separatrix.solvers.online.trace import Trace
from separatrix.theory.bounds import mistake_bound

MAX_RECORDED = 1_000_000  # corrections of a run that is recorded: 32 MB; longer ones are shown some rows at a time


def updates(setting: Setting) -> Recording:
    """The recording of a perceptron, of relaxation or of a thermal perceptron."""
    model = setting.fit()
    if model.n_updates_ > MAX_RECORDED and not isinstance(model, ThermalPerceptron):
        return presentations(setting)
    model = setting.fit(record=True)
    trace, most = model.trace_, setting.most
    total, unit = trace.edges().size - 1, "step" if trace.at_once else "update"
    note = " ".join(filter(None, [setting.note, thinned(most, total + 1, unit)]))
    shown = frames(setting, trace, bound_on_mistakes(setting))
    return Recording("step" if trace.at_once else "update", total, shown, model, note, setting.warnings)


def frames(setting: Setting, trace: Trace, bound: float | None) -> Iterator[Frame]:
    """The start, and what each correction, or each of evenly spaced ones, made of it."""
    made = trace.edges().tolist()
    for moment in moments(trace, setting.most):
        mistakes = made[moment.number]
        values = {"wrong": moment.n_wrong, "mistakes": mistakes, "bound": bound}
        if mistakes:
            values |= step_values(setting, trace, mistakes - 1)
        text = f"{cause(setting, trace, moment, mistakes - 1)} {setting.outcome(moment.n_wrong)}"
        rows = setting.rows(moment.rows)
        yield frame(moment.number, text, moment.planes, rows=rows, rivals=moment.rivals, values=values)


def bound_on_mistakes(setting: Setting) -> float | None:
    """(R / gamma)^2 for the rule of Novikoff's theorem; None for others, and infinite where no plane separates."""
    model: Any = setting.estimator
    if isinstance(model, (RelaxationClassifier, ThermalPerceptron)) or not isinstance(
        model.learning_rate, (int, float)
    ):
        return None
    if getattr(model, "update", "online") != "online" or getattr(model, "l2", 0.0) or model.start is not None:
        return None
    how = {name: getattr(model, name) for name in ("bias_step", "normalized") if hasattr(model, name)}
    return mistake_bound(setting.problem, **how)


def step_values(setting: Setting, trace: Trace, k: int) -> dict[str, float]:
    """The size of the step of correction k, and the temperature if the rule has one."""
    values = {"rate": abs(float(trace.rate[k]))}
    if isinstance(setting.estimator, ThermalPerceptron):
        values["temperature"] = temperature(setting, int(trace.t[k]))
    return values


def temperature(setting: Setting, t: int) -> float:
    """The temperature at presentation t of a thermal perceptron, which falls from pass to pass."""
    model, problem = setting.estimator, setting.problem
    hottest = model.temperature * float(np.median(problem.norms**2) or 1.0)
    return hottest * (1.0 - ((t - 1) // problem.n_rows) / model.max_iter)


def cause(setting: Setting, trace: Trace, moment: Moment, k: int) -> str:
    """What the last correction did and why; k is the number of its last row."""
    if moment.before is None:
        return initial(moment.planes)
    if trace.at_once:
        return summed(moment, float(trace.rate[k]))
    by = Correction.of(setting, trace, moment.before, k)
    if isinstance(setting.estimator, ThermalPerceptron):
        return annealed(setting, by, temperature(setting, int(trace.t[k])))
    return (projection if isinstance(setting.estimator, RelaxationClassifier) else mistake)(setting, by)


def initial(planes: Vector) -> str:
    """What is there before the first step."""
    if planes.any():
        return "The planes to start from." if len(planes) > 1 else "The plane to start from."
    return "The start: with w = 0 and b = 0 every row has the score 0, and there is no line yet. A tie counts as wrong."


def summed(moment: Moment, rate: float) -> str:
    """What a batch did: one step by the sum over its rows on the wrong side."""
    n, times = moment.rows.size, "" if rate == 1.0 else f" times {short(rate)}"
    if len(moment.planes) > 1:
        return (
            f"{counted(n, 'time')} a row of the batch was taken for another class. All are corrected together: the "
            f"plane of the own class moved by each row{times}, and that of the rival by minus it."
        )
    rows = "1 row was" if n == 1 else f"{n:,} rows were"
    return f"{rows} on the wrong side, so w moved once, by the sum of y x over {'it' if n == 1 else 'them'}{times}."
