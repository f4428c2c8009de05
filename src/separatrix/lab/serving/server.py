"""The server of the lab: one process on the loopback interface that gives a page to whoever knows its address.

The address holds a random token. Requests without it, for other hosts (a name that was rebound to this machine) or from
pages of other origins are refused. It reads no file but those of the page, and writes none.
"""

import asyncio
import hmac
import json
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any
from weakref import WeakKeyDictionary

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope
from starlette.types import Send as Sending
from starlette.websockets import WebSocket

from separatrix.lab.limits import MAX_CONNECTIONS, MAX_MESSAGE_BYTES, MAX_SECONDS_SILENT, MAX_SOCKETS
from separatrix.lab.serving.sessions import State, serve_page
from separatrix.lab.serving.workers import Pool

TOKEN_BYTES = 24
LOOPBACK = ("127.0.0.1", "::1", "localhost")
BACKLOG = 128  # connections that wait to be taken
TRY_LATER = 1013  # close code of websockets
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
}
NOTEBOOKS = "http://localhost:* http://127.0.0.1:* vscode-webview:"  # that may show the lab in a frame
HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Lets only requests pass that know the token, name this server as their host, and come from its own pages."""

    def __init__(self, app: ASGIApp, token: str, hosts: Sequence[str]) -> None:
        self.app = app
        self.start = f"/{token}/".encode()
        self.hosts = {host.encode() for host in hosts}
        self.origins = {b"http://" + host for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Sending) -> None:
        """Pass a request on without the token, or refuse it."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]
            await send(message)

        if not self.allows(scope):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                refusal = PlainTextResponse("The address of the lab is the one that its command printed.\n", 403)
                await refusal(scope, receive, send_with_headers)
            return
        path = "/" + scope["path"][len(self.start) :]
        await self.app({**scope, "path": path, "raw_path": path.encode()}, receive, send_with_headers)

    def allows(self, scope: Scope) -> bool:
        """Whether a request may pass."""
        given = scope["path"].encode("utf-8", "replace")[: len(self.start)]
        known = hmac.compare_digest(given, self.start)  # in a time that does not tell how much of it is right
        named = [value for name, value in scope["headers"] if name == b"host"]
        headers = Headers(scope=scope)
        local = len(named) == 1 and named[0].lower() in self.hosts
        origin = headers.get("origin", "" if scope["type"] == "websocket" else None)
        own = origin is None or origin.encode("latin-1") in self.origins
        linked = headers.get("sec-fetch-mode") == "navigate"  # whoever knows the address may follow it from anywhere
        own = own and (linked or headers.get("sec-fetch-site", "none") in ("none", "same-origin"))
        return known and local and own


class Lab:
    """What the server answers: the page, its files, and a socket for each page that is open."""

    def __init__(self, token: str, pool: Pool, start: State, framed: bool) -> None:
        self.token, self.pool, self.start = token, pool, start
        self.ancestors = NOTEBOOKS if framed else "'none'"
        self.sockets = 0
        self.abort: Callable[[Any], None] = lambda client: None
        page = files("separatrix.lab") / "page"
        self.index = page / "index.html"
        self.files = {entry.name: entry for entry in page.iterdir() if suffix(entry.name) in TYPES}

    def app(self) -> Starlette:
        """The application, without its guard."""
        return Starlette(
            routes=[
                Route("/", self.show_page),
                Route("/page/{name}", self.show_file),
                WebSocketRoute("/socket", self.open_socket),
            ]
        )

    async def show_page(self, request: Request) -> Response:
        """The page, with a policy that lets only its own scripts run."""
        nonce = secrets.token_urlsafe(16)
        text = filled(self.index.read_text(encoding="utf-8"), nonce, self.token, sorted(self.files))
        host = request.headers["host"]
        return Response(text, headers={"content-security-policy": policy(nonce, host, self.ancestors)} | HTML)

    async def show_file(self, request: Request) -> Response:
        """A file of the page."""
        name = request.path_params["name"]
        if name not in self.files:
            return PlainTextResponse(f"The page has no file {name[:80]!r}.\n", 404)
        return Response(self.files[name].read_bytes(), media_type=TYPES[suffix(name)])

    async def open_socket(self, socket: WebSocket) -> None:
        """Serve a page that is open, unless there are too many."""
        if self.sockets >= MAX_SOCKETS:
            await socket.accept()
            await socket.close(TRY_LATER, f"{MAX_SOCKETS} pages of the lab are open. Close one and reload this one.")
            return
        self.sockets += 1
        try:
            unread = await serve_page(socket, self.pool, self.start)
        except asyncio.CancelledError:  # the server ends, which is no failure of the page
            return
        finally:
            self.sockets -= 1
        if unread:
            self.abort(socket.scope["client"])


HTML = {"content-type": "text/html; charset=utf-8"}


def suffix(name: str) -> str:
    """The end of a name from its last dot on."""
    return name[name.rfind(".") :] if "." in name else ""


def policy(nonce: str, host: str, ancestors: str) -> str:
    """The content security policy of the page: its own files and its socket, nothing else."""
    own = f"'self' 'nonce-{nonce}'"
    return (
        f"default-src 'none'; script-src {own}; style-src {own}; img-src 'self' data: blob:; "
        f"connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
    )


def filled(text: str, nonce: str, token: str, names: Sequence[str]) -> str:
    """The text of the page, with what differs each time it is served."""
    imports = {f"lab/{name}": f"./page/{name}" for name in names if name.endswith(".js")}
    values = {"[[nonce]]": nonce, "[[token]]": token, "[[imports]]": json.dumps({"imports": imports})}
    for name, value in values.items():
        text = text.replace(name, value)
    return text


class Server(uvicorn.Server):
    """A server whose signals are those of the process, and which drops connections that ask for nothing."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.seen: WeakKeyDictionary[Any, float] = WeakKeyDictionary()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the command: Ctrl-C ends it at once."""
        yield

    async def on_tick(self, counter: int) -> bool:
        """Do what is to be done ten times a second."""
        if counter % 10 == 0:
            self.drop_silent()
        return await super().on_tick(counter)

    def drop_silent(self) -> None:
        """Drop connections that have not asked for anything for too long; the oldest ones if there are too many."""
        now = asyncio.get_running_loop().time()
        silent = [each for each in self.server_state.connections if getattr(each, "scope", 0) is None]
        since = sorted((self.seen.setdefault(each, now), number) for number, each in enumerate(silent))
        too_many = len(self.server_state.connections) - MAX_CONNECTIONS
        for place, (began, number) in enumerate(since):
            if place < too_many or now - began > MAX_SECONDS_SILENT:
                silent[number].transport.abort()

    def abort(self, client: Any) -> None:
        """Drop a connection with all that it has not read."""
        connections: list[Any] = list(self.server_state.connections)
        for each in connections:
            if each.client is not None and tuple(each.client) == tuple(client or ()):
                each.transport.abort()


class Address:
    """Where the lab listens, and the token that its pages need."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind((host, port))
            self.socket.listen(BACKLOG)  # a browser that is faster than the server waits for it
        except OSError:
            self.socket.close()
            raise
        self.host = f"[{host}]" if ":" in host else host
        self.port = int(self.socket.getsockname()[1])
        self.token = secrets.token_urlsafe(TOKEN_BYTES)

    @property
    def url(self) -> str:
        """What a browser is to open."""
        return f"http://{self.host}:{self.port}/{self.token}/"

    @property
    def hosts(self) -> list[str]:
        """By which names a browser on this machine may know it."""
        return [f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")]


async def serve(address: Address, start: State = None, framed: bool = False) -> None:
    """Serve the lab until the task is cancelled; `start` is what its pages show at first."""
    pool = Pool()
    lab = Lab(address.token, pool, start, framed)
    config = uvicorn.Config(
        Guard(lab.app(), address.token, address.hosts),
        loop="asyncio",
        http="h11",
        ws="websockets-sansio",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        limit_concurrency=2 * MAX_CONNECTIONS,
    )
    server = Server(config)
    lab.abort = server.abort
    pool.start()
    try:
        await server.serve([address.socket])
    finally:
        address.socket.close()
        await pool.close()


class Running:
    """A lab that runs in a thread of its own, for notebooks and scripts."""

    def __init__(self, start: State = None, framed: bool = True) -> None:
        self.address = Address()
        self.loop = asyncio.new_event_loop()
        self.task = self.loop.create_task(serve(self.address, start, framed))
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        """Serve until it is closed."""
        try:
            self.loop.run_until_complete(self.task)
        except asyncio.CancelledError:
            pass
        finally:
            self.loop.close()

    def close(self) -> None:
        """End the server and its processes."""
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.task.cancel)
            self.thread.join()
