"""The sections of a page, and what the pages of all tasks have: key figures and the data."""

from typing import Any, NamedTuple

from separatrix.report.page.tables import columns, preparation


class Parts(NamedTuple):
    """What differs between the pages of the tasks: key figures, and sections with their names in the navigation."""

    keys: str
    sections: list[tuple[str, str]]  # the word of the link, empty for none, and the section


def section(name: str, heading: str, content: str) -> str:
    """A section with its heading; both are HTML."""
    return f'<section id="{name}">\n  <h2>{heading}</h2>\n  {content}\n</section>'


def key_figures(*figures: tuple[str, str, str]) -> str:
    """The key figures at the top of a page, each with its name and a note."""
    return "".join(
        f'<div><dt>{name}</dt><dd>{figure}</dd><dd class="note">{note}</dd></div>' for name, figure, note in figures
    )


def data_section(study: Any, first: str) -> str:
    """The data, and what was done to them."""
    content = f"{first}\n  {preparation(study)}\n  {columns(study)}"
    return section("data", "The data, and what was done to them", content)
