"""`separatrix lab`: a page in the browser on which classifiers learn points that are drawn or read from a file."""

import argparse
import asyncio

from separatrix.cli.options import checked_number
from separatrix.cli.streams import flush, write_answer
from separatrix.errors import OptionError

NAME = "lab"
SUMMARY = "draw points in the browser, and watch classifiers learn them"
DESCRIPTION = (
    "Open a page in the browser on which points are drawn or a file is dropped, and on which the classifiers learn "
    "them step by step, stop, and prove why. The page is served on this machine only, to whoever knows the "
    "address that is printed; it loads nothing from elsewhere, and nothing is written to disk. Ctrl-C ends it."
)
EXAMPLES = """examples:
  separatrix lab
  separatrix lab --port 8000 --no-browser"""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
MAX_PORT = 65535
MISSING = 'The lab needs starlette, uvicorn and websockets, which are not installed. Use: pip install "separatrix[lab]"'

port = checked_number(int, lambda number: 0 <= number <= MAX_PORT, f"port, a whole number from 0 to {MAX_PORT}")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--port", type=port, default=0, help="to serve at (default: 0, any that is free)")
    parser.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="this machine: 127.0.0.1 or ::1")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(arguments: argparse.Namespace) -> int:
    """Serve until the process is interrupted."""
    need_server()
    from separatrix.lab.serving.server import Address, serve

    if arguments.host not in LOOPBACK:
        raise OptionError(
            f"--host {arguments.host}: the lab is for this machine alone, and listens at 127.0.0.1 or ::1. "
            "To use it from another machine, forward the port: ssh -L 8000:127.0.0.1:8000 HOST."
        )
    address = Address("127.0.0.1" if arguments.host == "localhost" else arguments.host, arguments.port)
    write_answer(f"The lab is at {address.url}\nCtrl-C ends it.")
    flush()
    if not arguments.no_browser:
        import webbrowser

        webbrowser.open(address.url)
    asyncio.run(serve(address))
    return 0


def need_server() -> None:
    """Raise an ImportError that says how to install what serves the page, where it is missing."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError as missing:
        raise ImportError(MISSING) from missing
