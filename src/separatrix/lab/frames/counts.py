"""Frames of the kernel perceptron: alpha counts how often each row was on the wrong side.

alpha_i += 1,   b += y_i bias_step      whenever y_i g(x_i) <= 0,      g(x) = sum_j alpha_j y_j K(x_j, x) + b
"""

from typing import Any

import numpy as np

from separatrix.lab.frames.corrections import capital, short
from separatrix.lab.frames.machine_steps import MAX_ALPHAS
from separatrix.lab.frames.recording import Recording, evenly, thinned
from separatrix.lab.frames.setting import Setting
from separatrix.lab.frames.watched import Machine, Shown, expansion, recording, watch
from separatrix.rows import Vector


def counts(setting: Setting) -> Recording:
    """The recording of a kernel perceptron."""
    model, machines = watch(setting, keep)
    for machine in machines:
        machine.about["order"] = np.concatenate([np.empty(0, dtype=int), *machine.about.get("mistakes", [])])
        machine.number = machine.about["order"].size
        for number in evenly(machine.number, setting.most - 1):
            machine.iterates.add(number, number)
    longest = max(machine.number for machine in machines)
    note = thinned(min(longest + 1, setting.most), longest + 1, "update")
    return recording(setting, (model, machines), "update", show, note=note)


def keep(machine: Machine, event: str, told: dict[str, Any]) -> None:
    """Note the rows of the mistakes in their order; what they make of alpha is counted afterwards."""
    if event == "mistakes":
        machine.about.setdefault("mistakes", []).append(told["rows"].copy())


def state(machine: Machine, number: int) -> tuple[Vector, float]:
    """alpha and b after so many mistakes, summed in their order."""
    made, signs = machine.about["order"][:number], machine.problem.signs
    alpha = np.bincount(made, minlength=machine.problem.n_rows).astype(np.float64)
    offsets = np.cumsum(np.concatenate([[0.0], signs[made] * float(machine.about["bias_step"])]))
    return alpha, float(offsets[-1])


def show(setting: Setting, machine: Machine, speaks: bool, iterate: int, _: Any) -> Shown:
    """The function that alpha makes, and the row whose alpha grew last."""
    signs = machine.problem.signs
    alpha, b = state(machine, iterate)
    used = np.flatnonzero(alpha)[:MAX_ALPHAS]
    rows = setting.rows(machine.index[used]).tolist()
    parts: dict[str, Any] = {
        "alpha": {"rows": rows, "values": alpha[used].tolist(), "bound": None},
        "values": {"mistakes": iterate},
    }
    text = "The start: alpha = 0 for every row and b = 0, so that every row has the score 0. A tie counts as wrong."
    if iterate:
        i = int(machine.about["order"][iterate - 1])
        text = sentence(setting, machine, i, state(machine, iterate - 1))
        parts |= {"rows": setting.rows(machine.index[[i]]), "rivals": [rival(setting, machine, i)]}
    return Shown(text, None, parts, expansion(machine.problem, signs * alpha, b))


def rival(setting: Setting, machine: Machine, i: int) -> int:
    """The class that a row was taken for: the other one of its pair."""
    own = setting.problem.y[machine.index]
    return int(own[machine.problem.y != machine.problem.y[i]][0])


def sentence(setting: Setting, machine: Machine, i: int, before: tuple[Vector, float]) -> str:
    """Why the alpha of a row grew."""
    (alpha, b), problem = before, machine.problem
    score = float(expansion(problem, problem.signs * alpha, b)(machine.X[[i]])[0])
    other = setting.names[rival(setting, machine, i)]
    who, sign = capital(setting.row(int(machine.index[i]))), "+" if problem.signs[i] > 0 else "-"
    why = f"was taken for {other}, with the score {short(score)}" if score else "had the score 0, which counts as wrong"
    return (
        f"{who} {why}. So its alpha went from {alpha[i]:.0f} to {alpha[i] + 1.0:.0f}: {sign}K(x, x_i) was added to g "
        f"once more, and b moved by {sign}{short(float(machine.about['bias_step']))}."
    )
