"""Fill the marked blocks of README.md, CONTRIBUTING.md and docs/api.md from their sources.

A block stands between two comments, each on a line of its own, and all between them is generated:

    <!-- begin: registry -->                                        the table of algorithms
    <!-- begin: estimators -->                                      the estimators of the API, for Sphinx
    <!-- begin: code src/separatrix/solvers/online/perceptron.py:sweep --> one function, class or constant of a file,
                                                                    or one method: `Class.method`
    <!-- begin: code examples/perceptrons.py:* -->                  a whole file
    <!-- end -->

`python tools/documents.py` rewrites the documents; with `--check` it only says which blocks differ.
"""

import argparse
import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/api.md")
BEGIN = re.compile(r"^<!-- begin: (?P<name>.*?) -->$")
END = "<!-- end -->"
FENCE = "```"


class DocumentError(Exception):
    """A document or the source of one of its blocks is missing or cannot be understood."""


def defined_names(statement: ast.stmt) -> set[str]:
    """Names that a top-level statement defines."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}


def find(body: list[ast.stmt], name: str) -> ast.stmt:
    """Statement among these that defines a name; `Class.method` looks inside of the class."""
    first, _, inner = name.partition(".")
    for statement in body:
        if first in defined_names(statement):
            return find(statement.body, inner) if inner and isinstance(statement, ast.ClassDef) else statement
    raise DocumentError(f"no {first!r} there")


def definition(source: str, name: str) -> str:
    r"""Source lines of a function, class or method, with its decorators, or of a constant.

    >>> print(definition("import math\nLIMIT = 3\n\n@cached\ndef f():\n    return LIMIT\n", "f"))
    @cached
    def f():
        return LIMIT
    """
    statement = find(ast.parse(source).body, name)
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return textwrap.dedent("\n".join(source.splitlines()[first - 1 : statement.end_lineno]))


def code(reference: str, root: Path) -> str:
    """Fenced source of `path:name`, or of a whole file for `path:*`."""
    path, _, name = reference.rpartition(":")
    if not path or not (root / path).is_file():
        raise DocumentError("no such file; write it as 'code path/from/the/root.py:name'")
    source = (root / path).read_text(encoding="utf-8")
    text = source.rstrip("\n") if name == "*" else definition(source, name)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = FENCE if longest < len(FENCE) else "`" * (longest + 1)
    return f"{fence}python\n{text}\n{fence}"


def registry() -> str:
    """Table of algorithms, made from the registry of estimators."""
    from separatrix.report.text import algorithm_table

    return algorithm_table().strip("\n")


def estimators() -> str:
    """List of the estimators of the registry, each with a page of the API."""
    from separatrix.estimators.registry import estimator_classes

    names = "\n".join(f"   {each.__name__}" for each in estimator_classes())
    directive = ".. currentmodule:: separatrix\n\n.. autosummary::\n   :toctree: generated/api"
    return f"{FENCE}{{eval-rst}}\n{directive}\n\n{names}\n{FENCE}"


def render(name: str, root: Path = ROOT) -> str:
    """Text that belongs into the block of this name."""
    kind, _, argument = name.partition(" ")
    try:
        if name == "registry":
            return registry()
        if name == "estimators":
            return estimators()
        if kind == "code":
            return code(argument.strip(), root)
        raise DocumentError("unknown kind of block; there are 'registry', 'estimators' and 'code path:name'")
    except (DocumentError, ImportError, SyntaxError) as error:
        raise DocumentError(f"block '{name}': {error}") from error


def fill(text: str, root: Path = ROOT) -> tuple[str, list[str]]:
    """Fill every block of a document; return the new text and the names of the blocks that were different."""
    lines: list[str] = []
    differing: list[str] = []
    rest = iter(text.splitlines())
    for line in rest:
        lines.append(line)
        begin = BEGIN.match(line)
        if begin is None:
            continue
        name = begin["name"]
        old = body(rest, name)
        new = render(name, root).splitlines()
        if old != new:
            differing.append(name)
        lines += [*new, END]
    return "\n".join(lines) + "\n", differing


def body(rest: Iterator[str], name: str) -> list[str]:
    """Lines of an open block up to its end, which is taken too."""
    taken: list[str] = []
    for line in rest:
        if line == END:
            return taken
        if BEGIN.match(line):
            break
        taken.append(line)
    raise DocumentError(f"block '{name}': its '{END}' is missing")


def update(path: Path, *, write: bool, root: Path = ROOT) -> list[str]:
    """Names of the blocks of one document that differ from their sources; `write` puts them right."""
    if not path.is_file():
        raise DocumentError("the document is missing")
    new, differing = fill(path.read_text(encoding="utf-8"), root)
    if write and differing:
        path.write_text(new, encoding="utf-8")
    return differing


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Rewrite or check all documents; 1 if a block differs or cannot be made."""
    parser = argparse.ArgumentParser(description="Fill the generated blocks of the documents.")
    parser.add_argument("--check", action="store_true", help="change nothing, list the blocks that differ")
    check = parser.parse_args(arguments).check
    failed = False
    for document in DOCUMENTS:
        try:
            differing = update(root / document, write=not check, root=root)
        except DocumentError as error:
            failed = True
            print(f"{document}: {error}")
            continue
        failed = failed or (check and bool(differing))
        for name in differing:
            print(f"{document}: block '{name}' {'differs from its source' if check else 'rewritten'}")
    if failed and check:
        print("Run `make readme` and look at what changed.")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
