"""The process that computes: it takes messages of pages from a pipe, one at a time, and writes the answers to another.

A thread reads the pipe all the while. A job that is cancelled meanwhile is interrupted as Ctrl-C would do it; when the
pipe is closed, because the server has ended in whatever way, the process ends at once. Told to, it fits small problems
of every method while nothing is asked, so that compiled loops are loaded before somebody waits for them.
"""

import json
import math
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

from separatrix.errors import SeparatrixError
from separatrix.lab.limits import MAX_FIT_SECONDS, MAX_OTHER_SECONDS
from separatrix.lab.serving.channel import ANSWER, CANCEL, DONE, HEADER, JOB, LOAD, LOADED, READY, packed

WARM_UP = 0  # the number of the jobs that only load compiled loops
SECONDS_BETWEEN_CHECKS = 0.1  # of the time that a job has taken
MAX_SECONDS = {"fit": MAX_FIT_SECONDS}  # by what is asked; for all else MAX_OTHER_SECONDS
SQUARE = {
    "x": [-0.6, -0.5, -0.4, -0.7, -0.2, -0.6, 0.6, 0.5, 0.4, 0.7, 0.2, 0.6],
    "y": [-0.5, 0.4, -0.3, 0.2, 0.1, 0.6, 0.5, -0.4, 0.3, -0.2, -0.1, -0.6],
    "class": [0] * 6 + [1] * 6,
    "weight": None,
    "names": ["x1", "x2"],
    "classes": ["blue", "orange"],
}


class Cancelled(KeyboardInterrupt):
    """Nobody waits for what is computed: like Ctrl-C, which all of the package takes well."""


class Computer:
    """Answers jobs in the main thread, while another thread takes them in."""

    def __init__(self, commands: BinaryIO, answers: BinaryIO) -> None:
        self.commands, self.output = commands, answers
        self.jobs: SimpleQueue[tuple[int, bytes]] = SimpleQueue()
        self.warming: Iterator[bytes] | None = None  # fits that load compiled loops, while no job waits
        self.current: int | None = None
        self.cancelled: set[int] = set()
        self.computing = False  # whether a cancelled job may be interrupted right now
        self.main = threading.main_thread().ident or 0
        self.clock = clock_of(self.main)
        self.end = math.inf  # when the current job has taken too long, by that clock
        self.late = False  # whether it was ended for that

    def listen(self) -> None:
        """Take jobs in until the pipe is closed; then end the process, whatever it does."""
        while header := self.commands.read(HEADER.size):
            if len(header) < HEADER.size:
                break
            kind, job, length = HEADER.unpack(header)
            text = self.commands.read(length)
            if kind == JOB:
                self.jobs.put((job, text))
                self.cancel(WARM_UP)
            elif kind == CANCEL:
                self.cancel(job)
            elif kind == LOAD:
                self.jobs.put((WARM_UP, b""))
        os._exit(0)

    def watch(self) -> None:
        """Interrupt jobs that take too long, for ever."""
        while True:
            time.sleep(SECONDS_BETWEEN_CHECKS)
            if self.clock() > self.end:
                interrupt(self.main)

    def cancel(self, job: int) -> None:
        """Interrupt the main thread if it is at this job, and remember it if the job has not begun."""
        if job != WARM_UP:
            self.cancelled.add(job)
        if self.current == job:
            interrupt(self.main)

    def interrupted(self, number: int, frame: Any) -> None:
        """At the signal: leave what is computed, if it is for nobody. Ctrl-C in the terminal is for the server."""
        if self.computing and (self.unwanted or self.clock() > self.end):
            self.late, self.computing = not self.unwanted, False
            raise Cancelled

    @property
    def unwanted(self) -> bool:
        """Whether nobody waits for the current job."""
        return self.current in self.cancelled or (self.current == WARM_UP and not self.jobs.empty())

    def work(self) -> None:
        """Answer jobs for ever; while there are none, load compiled loops if that was asked for."""
        while True:
            job, text = self.next_job()
            if not text:
                self.warming = warm_ups()
                continue
            self.current = job
            for answer in self.answers(text):
                if job != WARM_UP:
                    self.write(packed(ANSWER, job, answer))
            self.current = None
            self.cancelled.discard(job)
            if job != WARM_UP:
                self.write(packed(DONE, job))

    def next_job(self) -> tuple[int, bytes]:
        """The job that waits, else a fit that loads compiled loops, else the next job that comes."""
        with suppress(Empty):
            return self.jobs.get_nowait()
        if self.warming is not None:
            if (warm_up := next(self.warming, None)) is not None:
                return WARM_UP, warm_up
            self.warming = None
            self.write(packed(LOADED, WARM_UP))
        return self.jobs.get()

    def answers(self, text: bytes) -> Iterator[bytes]:
        """The answers to a message as JSON; an error is one of them, and a job that is cancelled has no more."""
        from separatrix.lab.answers import answers

        message = json.loads(text)
        about = {name: message.get(name) for name in ("id", "slot")}
        seconds = MAX_SECONDS.get(message["do"], MAX_OTHER_SECONDS)
        self.end, self.late = self.clock() + seconds, False
        found = answers(message)
        while (answer := self.following(found)) is not None:
            try:
                yield encoded(answer | about)
            except ValueError as failure:
                yield encoded(error(failure) | about)
        if self.late:
            yield encoded(error(TimeoutError(f"{seconds:g}")) | about)
        self.end = math.inf
        with suppress(BaseException):
            found.close()  # type: ignore[attr-defined]

    def following(self, found: Iterator[dict[str, Any]]) -> dict[str, Any] | None:
        """The next answer; None after the last one, or if the job is cancelled."""
        try:
            self.computing = True
            return None if self.unwanted else next(found, None)
        except Cancelled:
            return None
        except Exception as failure:
            return error(failure)
        finally:
            self.computing = False

    def write(self, frame: bytes) -> None:
        """Write a frame whole, however little the pipe takes at once."""
        rest = memoryview(frame)
        while rest:
            rest = rest[self.output.write(rest) :]


def interrupt(thread: int) -> None:
    """Have the handler of SIGINT called in the main thread, which also wakes it from a wait where the system can."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


def clock_of(thread: int) -> Callable[[], float]:
    """The seconds that a thread has computed, where the system tells them; what is compiled for it is not counted.

    So a machine that is busy, or a method whose loops are not compiled yet, ends no fit that is small enough.
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    number = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(number)


def encoded(answer: dict[str, Any]) -> bytes:
    """An answer as strict JSON; numbers of NumPy are numbers."""
    return json.dumps(answer, allow_nan=False, separators=(",", ":"), default=lambda value: value.tolist()).encode()


def error(failure: Exception) -> dict[str, Any]:
    """The answer that says what went wrong: on purpose, for lack of memory, or by a mistake of ours."""
    if isinstance(failure, SeparatrixError):
        sentence = str(failure)
    elif isinstance(failure, TimeoutError):
        sentence = f"This took longer than {failure} seconds and was ended. Take fewer points or another method."
    elif isinstance(failure, MemoryError):
        sentence = "There is not enough memory for this. Take fewer points."
    else:
        detail = " ".join(str(failure).split())[:300]
        sentence = f"This failed by a mistake in the lab ({type(failure).__name__}: {detail}). Try another method."
    return {"kind": "error", "message": sentence, "option": getattr(failure, "option", None)}


def warm_ups() -> Iterator[bytes]:
    """Small problems of every method, the popular ones first."""
    from separatrix.lab.answers import answers

    menu = next(iter(answers({"id": 0, "do": "hello"})))
    methods = [method["name"] for method in menu.get("methods", [])]
    for name in methods:
        about = {"id": 0, "slot": 0, "method": name, "options": {}, "seed": 0}
        yield json.dumps({"do": "fit", "data": SQUARE, "record": True, "max_frames": 20, **about}).encode()
    yield json.dumps({"do": "separable", "id": 0, "data": SQUARE}).encode()


def main() -> None:
    """Answer jobs from the standard input on the standard output, which nothing else may write to."""
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    computer = Computer(os.fdopen(os.dup(0), "rb"), output)
    signal.signal(signal.SIGINT, computer.interrupted)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    sys.stdin = None
    warnings.simplefilter("ignore")  # what matters to a page is in the answers
    for task in (computer.listen, computer.watch):
        threading.Thread(target=task, daemon=True).start()
    import separatrix.lab.answers  # noqa: F401, which takes a second: ready means that it is there

    computer.write(packed(READY, 0))
    computer.work()
