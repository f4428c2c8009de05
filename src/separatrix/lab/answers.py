"""Answers to the messages of the page."""

from collections.abc import Iterator
from typing import Any

from separatrix.version import __version__


def answers(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Answer a message of the page."""
    if message["do"] == "hello":
        yield {"kind": "menu", "methods": [], "toys": [], "lessons": [], "limits": {}, "version": __version__}
