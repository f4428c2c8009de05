"""`separatrix lab`: a page in the browser on which classifiers learn points that are drawn or read from a file."""

import argparse
import asyncio
from typing import Any

from separatrix.cli.options import add_reading, checked_number, column, columns_of, dialect_of
from separatrix.cli.streams import flush, write_answer, write_note
from separatrix.data.files.reading import read_columns
from separatrix.data.prepare.columns import Columns
from separatrix.data.table import find_column
from separatrix.errors import FormatError, OptionError

NAME = "lab"
SUMMARY = "draw points in the browser, and watch classifiers learn them"
DESCRIPTION = (
    "Open a page in the browser on which points are drawn or a file is dropped, and on which the classifiers learn "
    "them step by step, stop, and prove why. With FILE it begins with the two columns that tell its classes apart "
    "best; of more than 5,000 rows a sample is drawn, the same each time. The page is served on this machine only, to "
    "whoever knows the address that is printed; it loads nothing from elsewhere, and nothing is written to disk. "
    "Ctrl-C ends it."
)
EXAMPLES = """examples:
  separatrix lab
  separatrix lab patients.csv --target disease
  separatrix lab --port 8000 --no-browser"""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
MAX_PORT = 65535
METHODS = ("perceptron, online", "linear SVM")  # that a table of a file is shown to
MISSING = 'The lab needs starlette, uvicorn and websockets, which are not installed. Use: pip install "separatrix[lab]"'

port = checked_number(int, lambda number: 0 <= number <= MAX_PORT, f"port, a whole number from 0 to {MAX_PORT}")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="a table to begin with (default: a set of points)")
    parser.add_argument(
        "-t", "--target", metavar="COLUMN", help="the column with the classes (default: one that looks like classes)"
    )
    add_reading(parser, target=False)
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
    start = None if arguments.file is None else start_of(arguments)
    address = Address("127.0.0.1" if arguments.host == "localhost" else arguments.host, arguments.port)
    write_answer(f"The lab is at {address.url}\nCtrl-C ends it.")
    flush()
    if not arguments.no_browser:
        import webbrowser

        webbrowser.open(address.url)
    asyncio.run(serve(address, start))
    return 0


def need_server() -> None:
    """Raise an ImportError that says how to install what serves the page, where it is missing."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError as missing:
        raise ImportError(MISSING) from missing


def start_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the page shows at first: two columns of a file, and two methods."""
    from separatrix.lab.upload import Upload, points_of_columns, suggested_pair, suggested_target

    apart = columns_of(arguments)
    left_out = (*apart["drop"], *apart["carry"])
    block = read_columns(arguments.file, None, dialect_of(arguments), labelled=False, drop=left_out)
    if not isinstance(block.X, Columns):
        raise FormatError(f"{block.name}: this is LIBSVM text, whose columns have no names: convert it to CSV.")
    upload = Upload(block.X, block.name, tuple(block.notes))
    if arguments.target is None:
        target = suggested_target(upload)
    else:
        target = block.X.names[find_column(block.X.names, column(arguments.target))]
    points = points_of_columns(upload, *suggested_pair(upload, target), target)
    write_note(f"separatrix: {points['text']}")
    return {"data": points["data"], "slots": [{"method": name, "options": {}} for name in METHODS], "seed": 0}
