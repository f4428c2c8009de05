"""A Sphinx extension that generates pages: help of commands, solvers, pictures of the examples.

Before Sphinx reads the pages it writes to docs/generated/

    help_COMMAND.txt       the output of `separatrix COMMAND --help`
    tests/NAME.md          a page for each file of tests/ that docs/chapters.md names, with its source
    algorithms.inc         the registry as a table whose names link to the solvers
    parts.inc              the other files of solvers/ and its packages, in a line each
    solvers/NAME.md        a page for each file of solvers/ and its packages, with its source

and it gives sphinx-gallery the pictures that the scripts of examples/ write.
"""

import ast
import importlib
import os
import pkgutil
import re
import shutil
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
GENERATED = HERE / "generated"
OPTIONS = {"choose_regularization": ["--splits", "2"]}  # 5 take half a minute


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx what is done when."""
    app.connect("builder-inited", write_pages, priority=100)  # before autosummary looks for pages
    app.connect("autodoc-skip-member", not_ours)
    app.connect("build-finished", copy_players)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Any) -> None:
    """Write all generated pages; unchanged ones keep their date, so that Sphinx does not build them again."""
    pages = {**help_texts(), "algorithms.inc": algorithm_table(), **solver_pages(), **test_pages()}
    for name, text in pages.items():
        path = GENERATED / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in {*GENERATED.glob("help_*.txt"), *GENERATED.glob("solvers/*.md"), *GENERATED.glob("tests/*.md")}:
        if path.relative_to(GENERATED).as_posix() not in pages:
            path.unlink()


def help_texts() -> dict[str, str]:
    """The help of each command, at the width of a page."""
    from separatrix.cli.main import parser

    os.environ["COLUMNS"], width = "88", os.environ.get("COLUMNS", "100")
    whole = parser()
    commands = next(action.choices for action in whole._actions if isinstance(action.choices, dict))
    texts = {"help_separatrix.txt": whole.format_help()}
    texts |= {f"help_{name}.txt": command.format_help() for name, command in commands.items()}
    os.environ["COLUMNS"] = width
    return texts


def solver_module(algorithm: Any) -> str:
    """The name of the module that holds the solver of an algorithm of the registry."""
    solver = algorithm.solver
    while isinstance(solver, partial):
        solver = solver.func
    return solver.__module__.removeprefix("separatrix.solvers.")


def algorithm_table() -> str:
    """The registry as a table: name, rule and certificate of each algorithm, with links to its source."""
    from separatrix.estimators.registry import WRAPPERS, algorithms

    lines = ["| algorithm | rule | several classes | certificate |", "|---|---|---|---|"]
    for row in algorithms():
        estimator, name = row.estimator.__name__, f"[{row.name}](generated/solvers/{solver_module(row)}.md)"
        call = f"[`{row.call}`](generated/api/separatrix.{estimator}.rst)"
        rule = f"{plain(row.rule)}<br>*{row.source}*"
        lines.append(f"| {name}<br>{call} | {rule} | {row.several_classes} | {row.certificate} |")
    for way in WRAPPERS:
        estimator = way.estimator.__name__
        call = f"[`{way.call}`](generated/api/separatrix.{estimator}.rst)"
        lines.append(f"| {way.name}<br>{call} | {way.rule}<br>*{way.source}* | any classifier | {way.certificate} |")
    return "\n".join(lines) + "\n"


def plain(formula: str) -> str:
    """A formula with the special characters of Markdown escaped."""
    return "".join("\\" + letter if letter in "*_<|" else letter for letter in formula)


def solver_pages() -> dict[str, str]:
    """A page for each file of solvers/, and those that no row of the registry names, by their packages."""
    import separatrix.solvers
    from separatrix.estimators.registry import algorithms

    found = pkgutil.walk_packages(separatrix.solvers.__path__, "separatrix.solvers.")
    found = (module.name.removeprefix("separatrix.solvers.") for module in found if not module.ispkg)
    names = sorted(found, key=lambda name: name.rpartition("."))
    rows: dict[str, list[Any]] = {name: [] for name in names}
    for algorithm in algorithms():
        rows[solver_module(algorithm)].append(algorithm)
    pages = {f"solvers/{name}.md": solver_page(name, rows[name]) for name in names}
    others = list[str]()
    for package, own in groupby((name for name in names if not rows[name]), key=lambda name: name.rpartition(".")[0]):
        others += ["", f"### solvers/{package.replace('.', '/')}".rstrip("/"), "", summary(package), ""]
        others += [f"- [`{name}`](generated/solvers/{name}.md): {summary(name)}" for name in own]
    hidden = ["```{toctree}", ":hidden:", "", *(f"solvers/{name}" for name in names), "```"]
    return pages | {"parts.inc": "\n".join([*others, ""]), "solvers.md": "\n".join(["# Sources", "", *hidden, ""])}


def summary(name: str) -> str:
    """The first line of the docstring of a file or package of solvers/."""
    documentation = importlib.import_module(f"separatrix.solvers.{name}".rstrip(".")).__doc__ or ""
    return plain(documentation.strip().splitlines()[0])


def solver_page(name: str, algorithms: list[Any]) -> str:
    """Where a solver is used, and its source."""
    lines = [f"# {name}", "", summary(name), ""]
    for algorithm in algorithms:
        estimator = algorithm.estimator.__name__
        lines.append(
            f"- **{algorithm.name}** ([{estimator}](../api/separatrix.{estimator}.rst)): {plain(algorithm.rule)}"
        )
    source = f"../../../src/separatrix/solvers/{name.replace('.', '/')}.py"
    lines += [
        "",
        f"`src/separatrix/solvers/{name.replace('.', '/')}.py`:",
        "",
        f"```{{literalinclude}} {source}",
        ":language: python",
        "```",
    ]
    return "\n".join([*lines, ""])


def test_pages() -> dict[str, str]:
    """A page for each file of tests/ that the chapters link to, with its source."""
    chapters = (HERE / "chapters.md").read_text(encoding="utf-8")
    pages = {}
    for name in sorted(set(re.findall(r"\(generated/tests/(\S+?)\.md\)", chapters))):
        path = f"tests/{name.replace('.', '/')}.py"
        documentation = ast.get_docstring(ast.parse((HERE.parent / path).read_text(encoding="utf-8"))) or ""
        lines = [f"# {path}", "", plain(documentation.partition("\n\n")[0]), ""]
        lines += [f"```{{literalinclude}} ../../../{path}", ":language: python", "```", ""]
        pages[f"tests/{name}.md"] = "\n".join(lines)
    hidden = ["```{toctree}", ":hidden:", "", *(name.removesuffix(".md") for name in pages), "```"]
    return pages | {"tests.md": "\n".join(["# Tests", "", *hidden, ""])}


def not_ours(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Whether to leave out a member: what was inherited from others has its documentation there."""
    for way in ("fget", "func", "__func__"):
        member = getattr(member, way, member)
    module = getattr(member, "__module__", None) or ""
    return None if module.startswith("separatrix") and not name.startswith("_") else True


def example_arguments(gallery_conf: Any, script_vars: Any) -> list[str]:
    """What a script of the gallery is called with."""
    return OPTIONS.get(Path(script_vars["src_file"]).stem, [])


def written_pictures(block: Any, block_vars: Any, gallery_conf: Any) -> str:
    """Move the pictures that a script has written into the gallery, so that none is left beside it."""
    stem, folder = Path(block_vars["src_file"]).stem, EXAMPLES / "pictures"
    images, text = [], ""
    for path in sorted(folder.glob(f"{stem}.*")):
        if path.suffix == ".html":
            player = HERE / "gallery" / "players" / f"{stem}_player.html"
            player.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(path, player)
            text = PLAYER.format(name=player.name)
            continue
        place = Path(next(block_vars["image_path_iterator"])).with_suffix(path.suffix)
        shutil.move(path, place)
        images.append(place)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
    if text:  # where a run can be played, a moving picture is too much
        images = [image for image in images if image.suffix != ".gif"]
    return "".join(described(image, EXAMPLES / f"{stem}.py", gallery_conf["src_dir"]) for image in images) + text


def described(image: Path, script: Path, source_folder: str) -> str:
    """A picture with its alternative text, in a box that scrolls where the page is narrow."""
    from sphinx_gallery.scrapers import figure_rst

    lines = figure_rst([str(image)], source_folder, alternative_text(image, script)).splitlines()
    return "\n.. container:: picture\n\n" + "\n".join(f"    {line}" for line in lines) + "\n\n"


def alternative_text(image: Path, script: Path) -> str:
    """What a picture says of itself, or else the sentence below the title of its script."""
    from PIL import Image

    with Image.open(image) as opened:
        own = opened.info.get("Description")
    documentation = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "\n\n\n"
    return own or " ".join(documentation.split("\n\n")[1].split())


PLAYER = """
.. raw:: html

    <iframe class="player" src="players/{name}" title="The run, with buttons" loading="lazy"></iframe>

"""


def copy_players(app: Any, exception: Exception | None) -> None:
    """Put the pages that play a run beside the page that shows them."""
    source = HERE / "gallery" / "players"
    if exception is None and source.is_dir() and app.builder.name == "html":
        shutil.copytree(source, Path(app.outdir) / "gallery" / "players", dirs_exist_ok=True)
