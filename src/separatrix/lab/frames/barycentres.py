"""Frames of the barycentric correction procedure: two weighted means, and the plane across the line between them."""

from typing import Any

import numpy as np

from separatrix.errors import counted
from separatrix.lab.frames.recording import Recording
from separatrix.lab.frames.setting import Setting, mark
from separatrix.lab.frames.watched import Machine, Shown, recording, watch

MAX_ROWS_RINGED = 40


def barycentres(setting: Setting) -> Recording:
    """The recording of a barycentric classifier."""
    return recording(setting, watch(setting, keep, first=1), "step", show)


def keep(machine: Machine, event: str, told: dict[str, Any]) -> Any:
    """The plane of the step, the best so far, and the weights that the means were made of."""
    if event != "step":
        return None
    plane, best = np.append(told["w"], told["b"]), told["best"]
    return plane, np.append(best.w, best.b), float(told["errors"]), told["weights"].copy()


def show(setting: Setting, machine: Machine, speaks: bool, iterate: Any, before: Any) -> Shown:
    """Where the means are, who is wrong, and so gains weight."""
    if not speaks:
        return Shown("", iterate[1])
    plane, best, errors, weights = iterate
    problem, (negative, positive) = machine.problem, machine.sides
    means = np.array(
        [weights[problem.y == c] @ machine.X[problem.y == c] / weights[problem.y == c].sum() for c in (0, 1)]
    )
    wrong = np.flatnonzero((machine.X @ plane[:2] + plane[2] > 0.0) != (problem.y == 1))
    names = (f"the mean of {negative}", f"the mean of {positive}")
    marks = [mark("point", mean, "nearest", name) for mean, name in zip(means, names, strict=True)]
    marks += [mark("segment", means, "step", "w"), *setting.line(plane, "step", "the plane of this step")]
    same = np.array_equal(plane, best)
    text = (
        f"w goes from the weighted mean of {negative} to that of {positive}, and b has the fewest errors for it. "
        f"{counted(wrong.size, 'row')} on the wrong side {'gains' if wrong.size == 1 else 'gain'} weight, so that "
        f"{'its' if wrong.size == 1 else 'their'} mean moves towards {'it' if wrong.size == 1 else 'them'}. "
        f"{'This is the best plane so far.' if same else 'The best plane so far is kept.'}"
    )
    if wrong.size == 0:
        text = f"w goes from the weighted mean of {negative} to that of {positive}, and with this b nobody is wrong."
    values = {"best": n_errors(machine, best), "loss": errors}
    parts = {"rows": setting.rows(machine.index[wrong[:MAX_ROWS_RINGED]]), "marks": marks, "values": values}
    return Shown(text, best, parts)


def n_errors(machine: Machine, plane: Any) -> int:
    """How many rows of a machine's problem are not on their own side."""
    problem = machine.problem
    return int(np.count_nonzero((machine.X @ plane[:2] + plane[2]) * problem.signs <= 0.0))
