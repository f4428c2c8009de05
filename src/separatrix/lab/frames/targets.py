"""Frames of Ho and Kashyap's algorithm: least squares for targets that grow where the plane exceeds them.

e = A v - t,      t += 2 rho max(e, 0)
"""

from typing import Any

import numpy as np

from separatrix.errors import counted
from separatrix.lab.frames.corrections import short
from separatrix.lab.frames.recording import Recording
from separatrix.lab.frames.setting import Setting
from separatrix.lab.frames.watched import Machine, Shown, recording, watch

MAX_ROWS_RINGED = 12  # those whose targets grow most; all would hide the picture


def targets(setting: Setting) -> Recording:
    """The recording of a Ho-Kashyap classifier."""
    end = "The answer, after the last check in whole numbers."
    return recording(setting, watch(setting, keep, first=1), "step", show, end)


def keep(machine: Machine, event: str, told: dict[str, Any]) -> Any:
    """The plane, the targets for which it is the least-squares solution, and the errors."""
    if event != "step":
        return None
    v, coordinates = told["plane"]
    w, b = coordinates.plane(v)
    return np.append(w, b), told["targets"].copy(), told["e"].copy()


def show(setting: Setting, machine: Machine, speaks: bool, iterate: Any, before: Any) -> Shown:
    """What a step did: whose targets grew, and what is left of the errors."""
    if not speaks:
        return Shown("", iterate[0])
    plane, t, e = iterate
    grew = np.flatnonzero(e > 0.0)
    cost = machine.problem.cost / machine.problem.cost.max()
    residual = float(cost @ (e * e))
    first = (
        "The least-squares plane for the target 1 of every row."
        if before is None
        else ("The least-squares plane for the targets as they have grown.")
    )
    what = (
        f"{counted(grew.size, 'row')} {'exceeds its target' if grew.size == 1 else 'exceed their targets'}, by up to "
        f"{short(e.max())}: these targets grow before the next step, and none ever shrinks."
    )
    if grew.size == 0:
        what = (
            "No row exceeds its target, so no target can grow. Minus the errors are then weights with which the rows "
            "cancel, which proves that no plane separates these classes."
        )
    elif plane[:-1].any() and float((e + t).min()) > 0.0:
        what = "Every margin is positive, so the plane separates, and the targets have done their work."
    values = {"loss": residual, "targets": float(t.max() / t.min())}
    some = grew[np.argsort(-e[grew], kind="stable")][:MAX_ROWS_RINGED]
    parts = {"rows": setting.rows(machine.index[some]), "values": values}
    return Shown(f"{first} {what} Squared errors add up to {short(residual)}.", plane, parts)
