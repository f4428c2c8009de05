"""A page of its own that plays a recorded run: one file with the scripts, the styles and the frames, for any browser.

The scripts of the lab's page import each other by names that an import map resolves; here it maps them to data URLs,
so that the page needs neither a server nor the network.
"""

import json
import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from separatrix.data.table import shortened
from separatrix.errors import OptionError
from separatrix.lab.question import Question
from separatrix.lab.recording import recorded

THEMES = ("light", "dark", "")
START = "player.js"
IMPORTED = re.compile(r"""(?:from|import)\s*\(?\s*["']lab/([\w-]+\.js)["']""")
PLACE = re.compile(r"\[\[(\w+)\]\]")
NONCE = "player"


def replay(question: Question, theme: Any = "") -> dict[str, Any]:
    """The page that plays the fit of a question."""
    if theme is not None and theme not in THEMES:
        raise OptionError(f"'theme' must be light or dark. Got {shortened(theme)}.")
    answers = list(recorded(question))
    view = {"view": list(question.view)} if question.view else {}
    recording = {
        "title": question.call,
        "data": question.points.to_message(),
        "begin": answers[0],
        "frames": [frame for answer in answers if answer["kind"] == "frames" for frame in answer["frames"]],
        "result": answers[-1],
        **view,
    }
    return {"kind": "page", "html": page(recording, theme or "")}


def page(recording: dict[str, Any], theme: str = "") -> str:
    """The HTML of a recording."""
    parts = {
        "title": escape(str(recording["title"])),
        "theme": theme,
        "nonce": NONCE,
        "style": "\n".join(text_of(name) for name in ("style.css", "panel.css")),
        "imports": import_map(),
        "recording": in_script(recording),
    }
    return PLACE.sub(lambda found: parts[found[1]], text_of("player.html"))


@cache
def import_map() -> str:
    """Where each script is, as JSON: in a data URL."""
    urls = {f"lab/{name}": "data:text/javascript;charset=utf-8," + quote(text_of(name)) for name in scripts()}
    return json.dumps({"imports": urls})


def scripts() -> list[str]:
    """The script that starts the player, and all that it imports, directly or not.

    >>> {"player.js", "stage.js", "timeline.js"} <= set(scripts()), "socket.js" in scripts()
    (True, False)
    """
    found, pending = [], [START]
    while pending:
        name = pending.pop()
        if name not in found:
            found.append(name)
            pending += IMPORTED.findall(text_of(name))
    return sorted(found)


def in_script(value: Any) -> str:
    """A value as JSON that ends no script element."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def text_of(name: str) -> str:
    """The text of a file of the page."""
    return files("separatrix.lab").joinpath("page", name).read_text(encoding="utf-8")
