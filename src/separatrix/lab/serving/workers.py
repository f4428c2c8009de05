"""Processes that compute for the lab: a few, started beforehand, one of them in reserve.

A job that nobody waits for any more is interrupted. If its process does not react, it is killed, and another is started
in its place; a process that crashes is an error message for one page, and no more than that.
"""

import asyncio
import itertools
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress

from separatrix.errors import SeparatrixError
from separatrix.lab.limits import MAX_CANCEL_SECONDS
from separatrix.lab.serving.channel import ANSWER, CANCEL, DONE, HEADER, JOB, LOAD, LOADED, READY, packed

AT_WORK = 2  # jobs at the same time; more would only take turns on the processors of a small machine
IN_RESERVE = 1  # processes that take over at once where another had to be killed
MAX_FAILED_STARTS = 3  # in a row, before it is said that processes cannot be started
MAIN = "separatrix.lab.serving.computing"  # whose main() is what a process runs
FRAMES_AHEAD = 2  # answers that are read from a process before the page takes them
NEVER = (
    "The processes that compute cannot be started: the terminal says why. End the lab with Ctrl-C and start it again."
)

Send = Callable[[bytes], Awaitable[None]]
Frame = tuple[bytes, int, bytes]
ENDED: Frame = (b"", 0, b"")


class WorkerError(SeparatrixError):
    """A process ended, or took too long, before its job was done."""


class Worker:
    """A process that computes, seen from the server."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.frames: asyncio.Queue[Frame] = asyncio.Queue(FRAMES_AHEAD)
        self.loaded = asyncio.Event()
        self.reading = asyncio.create_task(self.read())

    @classmethod
    async def start(cls) -> "Worker":
        """Start a process that imports the package from where this one did."""
        program = f"import sys; sys.path[:] = {sys.path!r}; from {MAIN} import main; main()"
        pipe = asyncio.subprocess.PIPE
        return cls(await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdin=pipe, stdout=pipe))

    async def read(self) -> None:
        """Take in what the process writes, until it ends."""
        stream = self.process.stdout
        assert stream is not None
        with suppress(asyncio.IncompleteReadError):
            while True:
                kind, job, length = HEADER.unpack(await stream.readexactly(HEADER.size))
                text = await stream.readexactly(length)
                if kind == LOADED:
                    self.loaded.set()
                else:
                    await self.frames.put((kind, job, text))
        self.loaded.set()
        await self.frames.put(ENDED)

    def write(self, frame: bytes) -> None:
        """Give a frame to the process; one that has ended is found out when its answer is read."""
        assert self.process.stdin is not None
        with suppress(OSError, RuntimeError):
            self.process.stdin.write(frame)

    async def ready(self) -> bool:
        """Wait until the process has imported what it needs; whether it has, or ended before."""
        return (await self.frames.get())[0] == READY

    async def answers(self, job: int, text: bytes, send: Send, seconds: float) -> None:
        """Have a message answered, and send each answer on; fail if there is none for so many seconds."""
        self.write(packed(JOB, job, text))
        while True:
            try:
                kind, about, answer = await asyncio.wait_for(self.frames.get(), seconds)
            except TimeoutError:
                raise WorkerError(f"There was no answer for {seconds:g} seconds. Take fewer points.") from None
            if (kind, about) == (DONE, job):
                return
            if (kind, about) == (ANSWER, job):
                await send(answer)
            elif kind == ENDED[0]:
                code = await self.process.wait()
                raise WorkerError(
                    f"The process that computed this has ended (exit code {code}), perhaps for lack of memory. "
                    "Another one takes over: try again, or take fewer points."
                )

    async def ended(self, job: int) -> bool:
        """Cancel a job; whether the process is free for another within a short time."""
        self.write(packed(CANCEL, job))
        with suppress(TimeoutError):
            return await asyncio.wait_for(self.end(job), MAX_CANCEL_SECONDS)
        return False

    async def end(self, job: int) -> bool:
        """Leave answers to a job unread until it is done; False if the process ends instead."""
        while (frame := await self.frames.get()) != ENDED:
            if frame[:2] == (DONE, job):
                return True
        return False

    def kill(self) -> None:
        """End the process at once."""
        self.reading.cancel()
        self.loaded.set()
        with suppress(ProcessLookupError):
            self.process.kill()


class Pool:
    """The processes, of which each has one job at a time."""

    def __init__(self) -> None:
        self.turns = asyncio.Semaphore(AT_WORK)
        self.workers: set[Worker] = set()
        self.idle: list[Worker] = []  # the last one that was busy is the next: its memory is warm
        self.free = asyncio.Condition()
        self.numbers = itertools.count(1)
        self.failed_starts = 0
        self.loading = asyncio.Lock()
        self.tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin to start the processes, the one in reserve last."""
        self.apart(self.start_all())

    def apart(self, work: Awaitable[None]) -> None:
        """Do something while the server goes on."""
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def start_all(self) -> None:
        """Start all processes, as many at a time as can work at a time."""
        await asyncio.gather(*(self.add() for _ in range(AT_WORK)))
        for _ in range(IN_RESERVE):
            await self.add()

    async def add(self) -> None:
        """Start a process, again if it ends before it is ready."""
        while self.failed_starts < MAX_FAILED_STARTS:
            worker = await Worker.start()
            self.workers.add(worker)
            if await worker.ready():
                self.failed_starts = 0
                await self.offer(worker)
                self.apart(self.load(worker))
                return
            self.remove(worker)
            self.failed_starts += 1
        async with self.free:
            self.free.notify_all()

    async def load(self, worker: Worker) -> None:
        """Have a process load the compiled loops, one process after the other: the first may have to compile them."""
        async with self.loading:
            worker.write(packed(LOAD, 0))
            await worker.loaded.wait()

    async def offer(self, worker: Worker) -> None:
        """Let a process have the next job."""
        async with self.free:
            self.idle.append(worker)
            self.free.notify()

    def remove(self, worker: Worker) -> None:
        """Kill a process and forget it."""
        worker.kill()
        self.workers.discard(worker)

    async def run(self, text: bytes, send: Send, seconds: float) -> None:
        """Have a message answered by the next process that is free, and send the answers on.

        To cancel the task that runs this cancels the job.
        """
        async with self.turns:
            async with self.free:
                await self.free.wait_for(lambda: self.idle or self.failed_starts >= MAX_FAILED_STARTS)
                if not self.idle:
                    raise WorkerError(NEVER)
                worker = self.idle.pop()
            job = next(self.numbers)
            try:
                await worker.answers(job, text, send, seconds)
            except BaseException:
                self.apart(self.free_from(worker, job))
                raise
            await self.offer(worker)

    async def free_from(self, worker: Worker, job: int) -> None:
        """Have a process leave its job, or replace it."""
        if await worker.ended(job):
            await self.offer(worker)
        else:
            self.remove(worker)
            await self.add()

    async def close(self) -> None:
        """Kill all processes, and wait for the system to have ended them."""
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        workers = list(self.workers)
        for worker in workers:
            self.remove(worker)
        await asyncio.gather(*(worker.process.wait() for worker in workers))
