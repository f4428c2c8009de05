"""From a run to its Solution: all rows are checked again, and the certificate claims what they prove."""

from typing import Any

import numpy as np

from separatrix.certificates import Separator, Unproved
from separatrix.problem import History, Plane, Solution, Status
from separatrix.solvers.online.run import Run
from separatrix.solvers.online.trace import Trace


def separator(run: Run, mistakes: int | None = None) -> Solution:
    """Claim that the planes separate, whether they do or not; `mistakes` where a bound holds for them."""
    w, b = planes_of(run)
    certificate = Separator.issue(run.problem, w, b, mistakes)
    return solution_of(run, certificate, Status.SEPARATED if certificate.proof else Status.SPENT)


def separator_or_unproved(run: Run, reason: str, mistakes: int | None = None) -> Solution:
    """Claim that the planes separate if they do; otherwise claim nothing, for a reason."""
    solution = separator(run, mistakes)
    return solution if solution.certificate.proof else unproved(run, reason)


def unproved(run: Run, reason: str) -> Solution:
    """Claim nothing but how many rows are classified correctly."""
    w, b = planes_of(run)
    stated = Unproved(reason, w, b).error(run.problem)
    return solution_of(run, Unproved(reason, w, b, stated), Status.ENDED)


def unchecked(run: Run) -> Solution:
    """Claim nothing, and make no further pass over the rows."""
    reason = "each row was presented once; call fit for a certificate on all rows"
    return solution_of(run, Unproved(reason, *planes_of(run)), Status.UNCHECKED)


def planes_of(run: Run) -> tuple[Any, Any]:
    """Normals and offsets; of a single plane, one normal and one number."""
    planes = run.planes()
    plane = Plane.of(planes[:, :-1], planes[:, -1])
    return plane.w, plane.b


def trace_of(run: Run) -> Trace:
    """The log of a run, to be watched again."""
    t, row, rival, rate = (np.concatenate(parts) for parts in zip(*run.log, strict=True))
    problem, start = run.problem, run.start[0] if len(run.start) == 1 else run.start
    return Trace(problem, start, t, row, rival, rate, run.options.bias_step, run.in_batches)


def solution_of(run: Run, certificate: Any, status: Status) -> Solution:
    """The planes of the run with their certificate."""
    (w, b), last = planes_of(run), run.last_planes()
    history = History(
        iterations=run.t - run.t_before,
        passes=run.passes,
        mistakes=run.mistakes,
        last_mistakes=run.last_mistakes,
        trace=trace_of(run) if run.record else None,
        curve=np.array(run.curve) / run.n_rows if run.with_curve else None,
        last=last[0] if len(last) == 1 else last,
    )
    return Solution(Plane(np.array(w), b if isinstance(b, float) else np.array(b)), certificate, status, history)
