"""Frames of the pocket algorithm: a perceptron that wanders, and the best plane that it has passed through.

The trace holds each correction. The plane in the pocket changes where one misclassifies fewer rows than it.
"""

from collections.abc import Iterator

import numpy as np

from separatrix.certificates.arithmetic.planes import Planes
from separatrix.lab.frames.corrections import Correction, mistake
from separatrix.lab.frames.recording import Frame, Recording, evenly, frame, thinned
from separatrix.lab.frames.setting import Setting
from separatrix.lab.frames.updates import bound_on_mistakes, initial
from separatrix.rows import Vector
from separatrix.solvers.online.trace import Trace

PLANES_AT_ONCE = 256  # whose errors are counted together
ROUNDING = 1e-9  # part of its terms, from which on a score is counted as it is; others are settled exactly


def best_so_far(setting: Setting) -> Recording:
    """The recording of a pocket perceptron."""
    model = setting.fit(record=True)
    trace = model.trace_
    iterates = iterates_of(trace)
    errors = np.concatenate([n_errors(setting, part) for part in parts(iterates)])
    chosen = in_the_pocket(errors, trace)
    total, most = len(iterates) - 1, setting.most
    numbers = sorted({*evenly(total, most - np.unique(chosen).size), *np.unique(chosen)[-most // 2 :].tolist()})
    note = " ".join(filter(None, [setting.note, thinned(len(numbers), total + 1, "update")]))
    shown = frames(setting, trace, iterates, (errors, chosen), numbers)
    return Recording("update", total, shown, model, note, setting.warnings)


def iterates_of(trace: Trace) -> Vector:
    """The planes at the start and after each correction."""
    planes = np.atleast_2d(trace.start).copy()
    found = np.empty((len(trace) + 1, *planes.shape))
    found[0] = planes
    for k in range(len(trace)):
        trace.advance(planes, k, k + 1)
        found[k + 1] = planes
    return found


def parts(iterates: Vector) -> list[Vector]:
    """Some planes at a time."""
    return [iterates[first : first + PLANES_AT_ONCE] for first in range(0, len(iterates), PLANES_AT_ONCE)]


def n_errors(setting: Setting, iterates: Vector) -> np.ndarray:
    """How many rows each of some planes misclassifies, those on it among them."""
    problem, n, (m, k, _) = setting.problem, setting.problem.n_rows, iterates.shape
    flat = iterates.reshape(m * k, -1)
    scores = (setting.X @ flat[:, :-1].T + flat[:, -1]).reshape(n, m, k)
    if k == 1:
        leads = scores[:, :, 0] * problem.signs[:, None]
    else:
        own = scores[np.arange(n), :, problem.y]
        scores[np.arange(n), :, problem.y] = -np.inf
        leads = own - scores.max(axis=2)
    counts = np.count_nonzero(leads <= 0.0, axis=0)
    sizes = np.abs(iterates).max(axis=(1, 2)) * (1.0 + float(np.abs(setting.X).max()))
    unsure = np.flatnonzero((np.abs(leads) <= ROUNDING * sizes).any(axis=0))
    for place in unsure.tolist():
        counts[place] = exact_errors(setting, iterates[place])
    return counts


def exact_errors(setting: Setting, planes: Vector) -> int:
    """How many rows are not strictly on their own side of planes, where rounding may decide in fractions."""
    problem, held = setting.problem, Planes(planes[:, :-1], planes[:, -1])
    margins, rounding, _ = held.margins(problem)
    for i, j in np.argwhere(np.abs(margins) <= rounding):
        margins[i, j] = held.exact_margin(problem, int(i), int(j)) if planes.any() else 0.0
    return int(np.count_nonzero((margins <= 0.0).any(axis=1)))


def in_the_pocket(errors: np.ndarray, trace: Trace) -> np.ndarray:
    """The number of the iterate that is in the pocket after each presentation that made corrections.

    Of a start at zero nothing is known, so that any plane is better.
    """
    chosen, best, fewest = (
        np.zeros(errors.size, dtype=int),
        0,
        errors[0] if trace.start.any() else trace.problem.n_rows + 1,
    )
    for number in range(1, errors.size):
        ends = (
            number == len(trace) or trace.t[number] != trace.t[number - 1]
        )  # of several corrections by a row the last
        if ends and errors[number] < fewest:
            best, fewest = number, errors[number]
        chosen[number] = best
    return chosen


def frames(
    setting: Setting, trace: Trace, iterates: Vector, pocket: tuple[np.ndarray, np.ndarray], numbers: list[int]
) -> Iterator[Frame]:
    """The plane in the pocket, the perceptron's own as a line, and what the correction was for."""
    (errors, chosen), bound = pocket, bound_on_mistakes(setting)
    for number in numbers:
        planes, own = iterates[chosen[number]], iterates[number]
        n_wrong = setting.n_wrong(planes)
        values = {"wrong": n_wrong, "best": n_wrong, "now": int(errors[number]), "mistakes": number, "bound": bound}
        text, last = initial(own), slice(max(number - 1, 0), number)
        if number:
            why = mistake(setting, Correction.of(setting, trace, iterates[number - 1], number - 1))
            text = f"{why} {pocket_sentence(number, errors, chosen)}"
        marks = setting.line(own[0], "step", "the perceptron's plane now") if len(own) == 1 else []
        rows, rivals = setting.rows(trace.row[last]), trace.rival[last]
        yield frame(number, text, planes, rows=rows, rivals=rivals, marks=marks, values=values)


def pocket_sentence(number: int, errors: np.ndarray, chosen: np.ndarray) -> str:
    """Whether the plane went into the pocket."""
    now, kept = int(errors[number]), int(errors[chosen[number]])
    if chosen[number] == number:
        return f"Now {now:,} are wrong, fewer than ever before: this plane goes into the pocket."
    return f"Now {now:,} are wrong; the pocket keeps the plane of update {chosen[number]:,}, with {kept:,}."
