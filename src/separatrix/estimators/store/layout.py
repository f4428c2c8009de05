"""Trees of JSON in files: formatted for people, with a checksum."""

import hashlib
import json
from typing import Any, NoReturn

from separatrix.errors import FormatError
from separatrix.estimators.store.arrays import PLAIN_TYPES, UnfitError, shown

MAX_LINE_CHARACTERS = 110  # longer lines are broken
NUMBERS_PER_LINE = 6  # of a long array
DAMAGED = "Save the model again, or get the file from where it came from"


def seal(tree: dict[str, Any]) -> str:
    """SHA-256 of a tree, however its file is laid out."""
    text = json.dumps(tree, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def laid_out(tree: dict[str, Any]) -> bytes:
    """Strict JSON that people can read: one name a line, long lists broken into lines."""
    try:
        return (text_of(tree, "", ascii_only=False) + "\n").encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can stand for
        return (text_of(tree, "", ascii_only=True) + "\n").encode("ascii")


def text_of(tree: Any, margin: str, ascii_only: bool) -> str:
    """A tree as text that begins at a margin."""

    def plain(value: Any) -> str:
        return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)

    inner = margin + "  "
    if isinstance(tree, dict):
        parts = [f"{plain(name)}: {text_of(value, inner, ascii_only)}" for name, value in tree.items()]
        return enclosed("{}", parts, margin)
    if not isinstance(tree, list):
        return plain(tree)
    if not set(map(type, tree)) <= PLAIN_TYPES:
        return enclosed("[]", [text_of(each, inner, ascii_only) for each in tree], margin)
    text = plain(tree)
    if len(text) <= MAX_LINE_CHARACTERS:
        return text
    items = list(map(plain, tree)) if str in map(type, tree) else text[1:-1].split(", ")
    lines = [", ".join(items[k : k + NUMBERS_PER_LINE]) for k in range(0, len(items), NUMBERS_PER_LINE)]
    return enclosed("[]", lines, margin)


def enclosed(brackets: str, parts: list[str], margin: str) -> str:
    """Parts between brackets: on one line where there is room, else on a line each."""
    if sum(map(len, parts)) + 2 * len(parts) <= MAX_LINE_CHARACTERS and not any("\n" in part for part in parts):
        return brackets[0] + ", ".join(parts) + brackets[1]
    return f"{brackets[0]}\n{margin}  " + f",\n{margin}  ".join(parts) + f"\n{margin}{brackets[1]}"


def parsed(content: bytes, path: Any) -> Any:
    """The tree in a file; whatever is not strict JSON is refused."""
    if not content.strip():
        raise FormatError(f"{path}: the file is empty. {DAMAGED}.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
        advice = "it is UTF-16: save it as UTF-8 again" if wide else "it is not text"
        raise FormatError(f"{path}: no model file, as {advice}. {DAMAGED}.") from None
    try:
        return json.loads(text, object_pairs_hook=once_each, parse_constant=no_constant)
    except json.JSONDecodeError as problem:
        ended = problem.pos >= len(text.rstrip())
        what = "the file ends too early" if ended else f"no JSON: {problem.msg} in column {problem.colno}"
        raise FormatError.at(path, problem.lineno, f"{what}. {DAMAGED}.") from None
    except RecursionError:
        raise FormatError(f"{path}: lists or objects are nested too deeply for a model file. {DAMAGED}.") from None
    except ValueError as problem:  # also of a whole number with thousands of digits
        raise FormatError(f"{path}: {problem}. {DAMAGED}.") from None


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, no name of which comes twice."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise UnfitError(f"the name {shown(name)} stands twice")
        found[name] = value
    return found


def no_constant(word: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python reads and JSON does not have."""
    raise UnfitError(f"{word} is no number of JSON")
