"""One open page: its messages are answered by processes, and the answers go out through a queue of limited size."""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from separatrix.data.table import shortened
from separatrix.errors import DataError, SeparatrixError
from separatrix.lab.limits import (
    MAX_QUEUED_BYTES,
    MAX_SECONDS_UNANSWERED,
    MAX_SECONDS_UNREAD,
    MAX_SLOTS,
    MIN_FIT_SECONDS,
)
from separatrix.lab.serving.workers import Pool

MESSAGES = ("hello", "fit", "separable", "curve", "lift", "toy", "read", "columns", "project", "model", "replay")
LONG = ("separable", "curve", "lift", "project", "replay")  # one at a time, so that a fit finds a process that is free
UNSUPPORTED = 1003  # close code of websockets

Key = tuple[str, int | None]
Work = Callable[[], Awaitable[None]]
State = dict[str, Any] | None  # of a page: {data, slots, seed}


class UnreadError(Exception):
    """A page does not read its answers."""


class Outbox:
    """Answers on their way to a page: whoever adds one waits while there are too many."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.texts: deque[str] = deque()
        self.size = 0
        self.changed = asyncio.Condition()

    async def put(self, text: str) -> None:
        """Add an answer as soon as there is room for it."""
        async with self.changed:
            await self.changed.wait_for(lambda: not self.texts or self.size + len(text) <= MAX_QUEUED_BYTES)
            self.texts.append(text)
            self.size += len(text)
            self.changed.notify_all()

    async def send_all(self) -> None:
        """Send answers in their order, until the page is gone or has left them unread for too long."""
        while True:
            async with self.changed:
                await self.changed.wait_for(lambda: self.texts)
                text = self.texts.popleft()
                self.size -= len(text)
                self.changed.notify_all()
            try:
                await asyncio.wait_for(self.socket.send_text(text), MAX_SECONDS_UNREAD)
            except TimeoutError:
                raise UnreadError from None


class Lane:
    """The computations of one kind for one slot: a newer message replaces the one before it.

    A page that drags a point asks again before the answer is there. So what runs goes on until it has run for a moment,
    and only then makes place for the newest message; those between the two are never begun.
    """

    def __init__(self) -> None:
        self.running: asyncio.Task[None] | None = None
        self.waiting: asyncio.Task[None] | None = None
        self.began = 0.0

    def ask(self, work: Work) -> None:
        """Begin some work after the one that runs, in place of the one that waits."""
        if self.waiting is not None:
            self.waiting.cancel()
        self.waiting = asyncio.create_task(self.follow(work))

    async def follow(self, work: Work) -> None:
        """Do some work when its turn has come."""
        me, former = asyncio.current_task(), self.running
        try:
            if former is not None:
                left = self.began + MIN_FIT_SECONDS - asyncio.get_running_loop().time()
                await asyncio.wait({former}, timeout=max(0.0, left))
                former.cancel()
                await asyncio.wait({former})
            self.running, self.waiting = me, None
            self.began = asyncio.get_running_loop().time()
            await work()
        finally:
            self.running = None if self.running is me else self.running
            self.waiting = None if self.waiting is me else self.waiting

    def cancel(self) -> None:
        """End what runs and what waits."""
        for task in (self.running, self.waiting):
            if task is not None:
                task.cancel()

    @property
    def tasks(self) -> set[asyncio.Task[None]]:
        """What runs and what waits."""
        return {task for task in (self.running, self.waiting) if task is not None}


class Session:
    """A page and its computations."""

    def __init__(self, socket: WebSocket, pool: Pool, start: State) -> None:
        self.socket, self.pool, self.start = socket, pool, start
        self.outbox = Outbox(socket)
        self.lanes: dict[Key, Lane] = {}
        self.long = asyncio.Semaphore(1)

    async def run(self) -> None:
        """Answer messages until the page is closed, or does not read its answers."""
        sending = asyncio.create_task(self.outbox.send_all())
        receiving = asyncio.create_task(self.receive_all())
        try:
            await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            tasks = {sending, receiving}.union(*(lane.tasks for lane in self.lanes.values()))
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in (sending, receiving):
            if not task.cancelled() and isinstance(task.exception(), UnreadError):
                raise UnreadError

    async def receive_all(self) -> None:
        """Take messages in."""
        while True:
            frame = await self.socket.receive()
            if frame["type"] == "websocket.disconnect":
                return
            if (text := frame.get("text")) is None:
                await self.socket.close(UNSUPPORTED, "Messages are JSON text, and this one is binary.")
                return
            message: dict[str, Any] = {}
            try:
                message = parsed(text)
                check(message)
                await self.take(message, text)
            except SeparatrixError as error:
                await self.say(message, {"kind": "error", "message": str(error), "option": None})

    async def take(self, message: dict[str, Any], text: str) -> None:
        """Begin what a message asks for."""
        do, slot = message["do"], message["slot"]
        if do == "cancel":
            for (_, other), lane in self.lanes.items():
                if other == slot:
                    lane.cancel()
            await self.say(message, {"kind": "cancelled"})
        else:
            self.lanes.setdefault((do, slot), Lane()).ask(partial(self.answer, message, text))

    async def answer(self, message: dict[str, Any], text: str) -> None:
        """Have a message answered; what cannot be answered is an error message."""
        send = self.pass_menu_on if message["do"] == "hello" else self.pass_on
        try:
            async with self.long if message["do"] in LONG else nullcontext():
                await self.pool.run(text.encode(), send, MAX_SECONDS_UNANSWERED)
        except SeparatrixError as error:
            await self.say(message, {"kind": "error", "message": str(error), "option": None})

    async def pass_menu_on(self, answer: bytes) -> None:
        """Send the menu to the page, with what it is to show at first."""
        await self.outbox.put(json.dumps(json.loads(answer) | {"start": self.start}, allow_nan=False))

    async def pass_on(self, answer: bytes) -> None:
        """Send an answer of a process to the page."""
        await self.outbox.put(answer.decode())

    async def say(self, message: dict[str, Any], answer: dict[str, Any]) -> None:
        """Send an answer of the server itself."""
        about = {"id": message.get("id"), "slot": message.get("slot")}
        await self.outbox.put(json.dumps(answer | about, allow_nan=False))


def parsed(text: str) -> dict[str, Any]:
    """The object that a message is, with the slot that it is about."""
    try:
        message = json.loads(text, parse_constant=refused)
    except RecursionError:
        raise DataError("The message is nested too deeply. Send points as lists of numbers.") from None
    except ValueError as error:
        raise DataError(f"The message is no JSON: {error}. Reload the page.") from None
    if not isinstance(message, dict):
        raise DataError(f"The message must be a JSON object. Got a {type(message).__name__}. Reload the page.")
    number, slot = message.setdefault("id", None), message.setdefault("slot", None)
    if not (number is None or (type(number) is int and abs(number) < 2**53)):
        raise DataError("The 'id' of a message must be a whole number below 2^53. Reload the page.")
    if not (slot is None or (type(slot) is int and 0 <= slot < MAX_SLOTS)):
        raise DataError(f"The 'slot' of a message must be a whole number from 0 to {MAX_SLOTS - 1}. Reload the page.")
    return message


def check(message: dict[str, Any]) -> None:
    """Refuse a message that asks for nothing that there is; what else it holds is checked where it is computed."""
    do = message.get("do")
    if not isinstance(do, str) or do not in (*MESSAGES, "cancel"):
        seen = shortened(do) if isinstance(do, str) else type(do).__name__
        raise DataError(f"A message asks to do one of {', '.join(MESSAGES)} or cancel. Got {seen}. Reload the page.")


def refused(constant: str) -> float:
    """Refuse NaN and infinities, which JSON does not have."""
    raise ValueError(f"{constant} is no number there")


async def serve_page(socket: WebSocket, pool: Pool, start: State) -> bool:
    """Serve a page until it is closed; whether it left its answers unread, so that its socket must be dropped."""
    await socket.accept()
    try:
        await Session(socket, pool, start).run()
    except UnreadError:
        return True
    except WebSocketDisconnect:
        return False
    with suppress(RuntimeError, WebSocketDisconnect):  # the page may be gone already
        await socket.close()
    return False
