"""Frames of solvers that tell their iterates: one machine, or one for each class or pair, which are shown together.

The estimator itself is fitted while it is watched (`solvers.watching`), so that what is shown is what it went through.
"""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.decoding import votes
from separatrix.lab.frames.answer import certified_values, fitted_frame
from separatrix.lab.frames.corrections import capital
from separatrix.lab.frames.grid import field_of, grid_points
from separatrix.lab.frames.recording import Frame, Iterates, Recording, Unit, evenly, frame, thinned
from separatrix.lab.frames.setting import Setting
from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.watching import watched_by


class Machine:
    """A problem of two classes that was solved, or the one of all classes, and the iterates of its solver.

    `first` is the number of the first iterate: 0 where the solver tells of its start.
    """

    def __init__(self, problem: Problem, most: int, first: int) -> None:
        self.problem, self.about = problem, dict[str, Any]()
        self.iterates, self.number, self.first = Iterates(most), first - 1, first
        self.index: np.ndarray = np.arange(problem.n_rows)
        self.sides: tuple[str, str] = ("", "")

    @property
    def X(self) -> Vector:  # noqa: N802
        """The rows of the problem, which are dense."""
        return np.asarray(self.problem.X)

    def add(self, iterate: Any, number: int | None = None) -> None:
        """Keep an iterate, if its turn is; its number is the next, unless another is given."""
        self.number = self.number + 1 if number is None else number
        self.iterates.add(self.number, iterate)

    def numbers(self) -> list[int]:
        """The numbers of the iterates that were kept."""
        return [number for number, _ in self.iterates.all()]

    def at(self, number: int) -> tuple[Any, Any]:
        """The last iterate that was kept until a number, and the one before it; None where there is none."""
        past = [iterate for other, iterate in self.iterates.all() if other <= number]
        return (past[-1] if past else None), (past[-2] if len(past) > 1 else None)


Keep: TypeAlias = Callable[[Machine, str, dict[str, Any]], Any]


class Watch:
    """Keeps the iterates of each problem of a fit.

    What is told of problems that a solver poses within another one is ignored, unless `nested` says to keep it, too.
    """

    def __init__(self, keep: Keep, asked: Problem, most: int, first: int = 0, nested: bool = False) -> None:
        self.keep, self.asked, self.most, self.first, self.with_nested = keep, asked, most, first, nested
        self.machines: list[Machine] = []
        self.within = False

    def __call__(self, event: str, iterate: dict[str, Any]) -> None:
        """Take note of what a solver tells."""
        posed = iterate.get("problem") or getattr(iterate.get("program"), "problem", None)
        if posed is not None:
            self.within = posed.objective != self.asked.objective or posed.kernel != self.asked.kernel
        if event == "problem" and not self.within:
            self.begin(iterate)
        if self.machines and (self.with_nested or not self.within):
            kept = self.keep(self.machines[-1], event, iterate)
            if kept is not None:
                self.machines[-1].add(kept)

    def begin(self, told: dict[str, Any]) -> None:
        """Begin a machine, unless the problem is the last one again."""
        problem = told["problem"]
        if not self.machines or self.machines[-1].problem is not problem:
            self.machines.append(Machine(problem, self.most, self.first))
        self.machines[-1].about.update(told)


class Shown(NamedTuple):
    """What a frame shows of one machine: its plane [w, b] if it has one, a sentence, and parts of the frame."""

    text: str
    plane: Vector | None = None
    parts: dict[str, Any] = {}  # noqa: RUF012, never changed
    scores: Callable[[Vector], Vector] | None = None  # of points, where there is no plane in the space of features


Show: TypeAlias = Callable[[Setting, Machine, bool, Any, Any], Shown]  # the machine speaks, or only moves


def watch(setting: Setting, keep: Keep, first: int = 0, nested: bool = False) -> tuple[Any, list[Machine]]:
    """Fit the estimator while it is watched; returns it, and the machines with their places among the classes."""
    watcher = Watch(keep, setting.problem, setting.most, first, nested)
    with watched_by(watcher):
        model = setting.fit()
    return model, placed(setting, watcher.machines)


def placed(setting: Setting, machines: list[Machine]) -> list[Machine]:
    """Machines that know which rows of the problem they have, and what their two sides are called.

    None where some problem was answered without a solver, as it is then not known whose iterates the others are.
    """
    names, k = setting.names, len(setting.names)
    if len(machines) == 1 and k == 2:
        machines[0].sides = (names[0], names[1])
    elif len(machines) == k > 2 and not setting.in_pairs:
        for name, machine in zip(names, machines, strict=True):
            machine.sides = ("the rest", name)
    elif len(machines) == k * (k - 1) // 2 and setting.in_pairs:
        for (i, j), machine in zip(combinations(range(k), 2), machines, strict=True):
            machine.sides = (names[i], names[j])
            machine.index = np.flatnonzero(np.isin(setting.problem.y, (i, j)))
    elif k > 2 and (setting.in_pairs or len(machines) > 1):
        return []
    return machines


def recording(
    setting: Setting, watched: tuple[Any, list[Machine]], unit: Unit, show: Show, end: str = "", note: str = ""
) -> Recording:
    """The recording of a fit that was watched.

    `end` is what the answer is beyond the last iterate, "" where it is the last iterate itself. `note` says which
    iterates are shown, where that is not an even part of them.
    """
    model, machines = watched
    numbers = sorted({number for machine in machines for number in machine.numbers()})
    numbers = kept_numbers(numbers, setting.most - 1)
    last = max([0, *(machine.number for machine in machines)])
    made = last + 1 - (machines[0].first if machines else 0)
    if not numbers:
        note = "The steps of this fit are not known one by one, so that its answer alone is shown."
    note = " ".join(filter(None, [setting.note, note or thinned(len(numbers), made, unit)]))
    total = last + 1 if end or not numbers else last
    return Recording(unit, total, frames(setting, watched, numbers, show, end), model, note, setting.warnings)


def kept_numbers(numbers: list[int], most: int) -> list[int]:
    """At most so many of some numbers, the first and the last among them."""
    return [numbers[place] for place in evenly(len(numbers) - 1, most)] if numbers else []


def frames(
    setting: Setting, watched: tuple[Any, list[Machine]], numbers: list[int], show: Show, end: str
) -> Iterator[Frame]:
    """The start if the solver tells of none, the iterates, and the fitted model."""
    model, machines = watched
    if not numbers or numbers[0] > 0:
        yield frame(0, "The rows, before the first step.")
    lead = max(machines, key=lambda machine: machine.number) if machines else None
    for number in numbers:
        yield joint_frame(setting, machines, lead, number, show)
    if end or not numbers:
        last = max([0, *(machine.number for machine in machines)])
        place = machines.index(lead) if lead is not None else 0
        yield fitted_frame(setting, model, last + 1, end or "The answer.", values=certified_values(model, place))


def joint_frame(setting: Setting, machines: list[Machine], lead: Any, number: int, show: Show) -> Frame:
    """All machines at a number of their own runs, with the words of the one that takes longest."""
    begun = [each for each in machines if each.at(number)[0] is not None]
    shown = {id(each): show(setting, each, each is lead, *each.at(number)) for each in begun}
    own = shown[id(lead)]
    parts, text = dict(own.parts), own.text
    planes, n_wrong = None, 0
    if own.plane is not None:
        nothing = np.zeros(np.atleast_2d(own.plane).shape)
        rows: list[Any] = [shown[id(each)].plane if id(each) in shown else nothing for each in machines]
        planes = np.vstack(rows)
        n_wrong = setting.n_wrong(planes)
    elif own.scores is not None:
        parts["field"], n_wrong = kernel_field(setting, [shown[id(each)].scores for each in machines])
    if own.plane is not None or own.scores is not None:
        parts["values"] = {"wrong": n_wrong, **parts.get("values", {})}
        text = f"{text} {setting.outcome(n_wrong)}"
    if len(machines) > 1:
        ended = sum(machine.number <= number for machine in machines)
        one, other = lead.sides
        whose = f"{other} against the rest" if one == "the rest" else f"{one} against {other}"
        text = f"{len(machines)} planes, each with a run of its own. {capital(whose)}: {text}"
        text += f" {ended} of {len(machines)} runs {'has' if ended == 1 else 'have'} ended." if ended else ""
    return frame(number, text, planes, pairs=setting.pairs, **parts)


def kernel_field(setting: Setting, scores: list[Any]) -> tuple[dict[str, Any], int]:
    """The scores of machines in the space of a kernel on a grid, and how many rows of the problem they tell wrongly."""
    points = np.vstack([grid_points(setting.view), setting.X])
    found = np.column_stack([each(points) for each in scores])
    n_rows = setting.problem.n_rows
    shown, n_wrong = found[:-n_rows], int(np.count_nonzero(~setting.won(found[-n_rows:])))
    if setting.in_pairs:
        shown = votes(shown, one_vs_one(len(setting.names)))
    return field_of(setting.view, lambda _: shown), n_wrong


def expansion(problem: Problem, coefficients: Vector, b: float) -> Callable[[Vector], Vector]:
    """g: the sum of the coefficients of the rows times their kernel values, and b."""
    used = np.flatnonzero(coefficients)

    def scores(points: Vector) -> Vector:
        if not used.size:
            return np.full(len(points), b)
        return problem.kernel.expansion(problem.support_rows(used), coefficients[used], points) + b

    return scores
