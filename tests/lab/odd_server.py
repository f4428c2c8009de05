"""The lab's server as a process of its own, with answers that no method gives and less patience; for tests."""

import asyncio
import os
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvicorn
from starlette.responses import JSONResponse

TESTS = Path(__file__).parents[1]
PATIENCE = 60.0  # seconds; a machine may be busy


@contextmanager
def serving(folder, module="lab.odd_server"):
    """The address of a server whose working directory, home and temporary directory are empty folders."""
    places = {name: folder / name for name in ("home", "temporary", "here")}
    for place in places.values():
        place.mkdir()
    settings = os.environ | {"HOME": str(places["home"]), "TMPDIR": str(places["temporary"])}
    settings["PYTHONPATH"] = os.pathsep.join([*(path for path in sys.path if path), str(TESTS)])
    settings["PYTHONDONTWRITEBYTECODE"] = "1"
    with subprocess.Popen(
        [sys.executable, "-m", module], stdout=subprocess.PIPE, text=True, cwd=places["here"], env=settings
    ) as process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.terminate()


def watch(server):
    """Have the server tell its state at an address of its own."""
    labs, servers, pools = [], [], []

    class Guard(server.Guard):
        async def __call__(self, scope, receive, send):
            if scope["path"] != "/state":
                return await super().__call__(scope, receive, send)
            import resource  # which only POSIX has

            unit = 1 if sys.platform == "darwin" else 1024
            memory = unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            connections = len(servers[0].server_state.connections)
            free = [worker.process.pid for worker in pools[0].idle]
            state = {"sockets": labs[0].sockets, "connections": connections, "memory": memory, "free": free}
            answer = JSONResponse(state)
            return await answer(scope, receive, send)

    def remembered(kind, made):
        class Remembered(kind):
            def __init__(self, *arguments, **how):
                super().__init__(*arguments, **how)
                made.append(self)

        return Remembered

    server.Pool = remembered(server.Pool, pools)
    server.Guard, server.Lab, server.Server = Guard, remembered(server.Lab, labs), remembered(server.Server, servers)


def main():
    from separatrix.lab.serving import server, sessions, workers

    workers.MAIN = "lab.odd_answers"
    workers.MAX_CANCEL_SECONDS = 1.0
    sessions.MAX_SECONDS_UNREAD = 0.5
    server.MAX_SECONDS_SILENT = 1.0
    watch(server)
    uvicorn.Config = partial(uvicorn.Config, ws_ping_interval=None)  # which would drop a page that never reads, too
    address = server.Address()
    sys.stdout.write(address.url + "\n")
    sys.stdout.flush()
    asyncio.run(server.serve(address))


if __name__ == "__main__":
    main()
