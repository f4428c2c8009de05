"""Figures as compact inline SVG, with text as text and in the colours of the page, light or dark.

The style that all points of a group share moves to the group, coordinates have one decimal, and fonts are left to the
page. Identifiers begin with the name of the figure, so that a page can hold many.
"""

import re
import warnings
from html import escape
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

from separatrix.report.charts import style
from separatrix.report.page.theme import VARIABLES

SETTINGS: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "separatrix", "savefig.transparent": True}
DECIMAL = re.compile(r"-?\d+\.\d+")
COLOUR = re.compile(r"#[0-9a-f]{6}\b")
FONT = re.compile(r"font(?:-size)?: (?:\w+ )*([\d.]+)px[^;]*")
HREF, URL = re.compile(r"^(#)([\w-]+)"), re.compile(r"(url\(#)([\w-]+)")
DEFAULT_STYLES = ("stroke-linejoin: miter", "font-family", "stroke-miterlimit")
NO_ROTATION = re.compile(r"rotate\(-0 [^)]*\)")


def blank(width: float, height: float) -> Any:
    """Empty axes of a size in inches, for a picture in a page.

    >>> blank(4, 3).figure.get_size_inches().tolist()
    [4.0, 3.0]
    """
    with style.styled():
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        with rc_context({"axes.formatter.use_mathtext": False}):  # text that a page can set in its own font
            return figure.add_subplot()


def inline_svg(ax: Any, name: str, title: str, description: str = "") -> str:
    """Write the figure of the axes as inline SVG for a page of HTML.

    Parameters
    ----------
    ax : matplotlib Axes
        The axes whose figure is written.
    name : str
        A word, different for each figure of a page.
    title, description : str
        The accessible name and description.

    Returns
    -------
    str
        An svg element; equal figures give equal bytes.

    Examples
    --------
    >>> from separatrix.report import inline_svg
    >>> from separatrix.report.page.svg import blank
    >>> ax = blank(3, 2)
    >>> line = ax.plot([0, 1], [0, 1], color="#0072B2")
    >>> text = inline_svg(ax, "line", "A line")
    >>> text[:42], "var(--c1)" in text, "#0072b2" in text
    ('<svg viewBox="0 0 216 144" role="img" aria', True, False)
    """
    root = drawn(ax.figure)
    box = root.get("viewBox", "")
    for parent in root.iter():
        for child in list(parent):
            unseen = local(child) == "path" and child.get("style", "").strip() in ("fill: none", "opacity: 0")
            if unseen or local(child) in ("metadata", "style"):
                parent.remove(child)
    rename(root, name)
    for element in root.iter():
        rewrite(element)
    for group in root.iter("g"):
        share_style(group)
    for _ in range(3):
        unwrap(root)
    body = "".join(ElementTree.tostring(child, encoding="unicode") for child in root)
    title, description = (escape(style.short(words, 800)) for words in (title, description))
    words = f'<title id="{name}-t">{title}</title><desc id="{name}-d">{description}</desc>'
    size = DECIMAL.sub(lambda found: f"{float(found[0]):g}", box)
    return f'<svg viewBox="{size}" role="img" aria-labelledby="{name}-t {name}-d">{words}{body}</svg>'


def drawn(figure: Any) -> ElementTree.Element:
    """Parse the SVG that matplotlib writes."""
    from matplotlib import rc_context

    written = BytesIO()
    with style.styled(), rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the page has fonts that the figure has not
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    return ElementTree.fromstring(written.getvalue())


def local(element: ElementTree.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def rename(root: ElementTree.Element, name: str) -> None:
    """Shorten the identifiers that are referred to, and remove the others."""
    short: dict[str, str] = {}

    def shorter(found: re.Match[str]) -> str:
        return found[1] + short.setdefault(found[2], f"{name}{len(short)}")

    for element in root.iter():
        for key, value in element.attrib.items():
            reference = HREF if key.endswith("href") else URL
            element.set(key, reference.sub(shorter, value))
    for element in root.iter():
        own = element.attrib.pop("id", None)
        if own in short:
            element.set("id", short[own])


def rewrite(element: ElementTree.Element) -> None:
    """Drop namespaces, round coordinates, replace colours by CSS variables, and leave fonts to the page."""
    element.tag = local(element)
    element.text = element.text if element.tag in ("text", "tspan") else None
    element.tail = None
    attributes = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    element.attrib.clear()
    for key, value in attributes.items():
        shorter = rewritten(key, value)
        at_origin = element.tag == "text" and key in ("x", "y") and "transform" in attributes and shorter == "0"
        if shorter and not at_origin:
            element.set(key, shorter)


def rewritten(key: str, value: str) -> str:
    """The shortened value of an attribute."""
    if key in ("d", "x", "y", "transform", "points", "width", "height"):
        rounded = DECIMAL.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), NO_ROTATION.sub("", value))
        return re.sub(r"\s+", " ", rounded).strip()
    if key in ("style", "fill", "stroke"):
        value = COLOUR.sub(lambda found: f"var(--{VARIABLES[found[0]]})" if found[0] in VARIABLES else found[0], value)
    if key == "style":
        value = FONT.sub(r"font-size: calc(\1px * var(--zoom, 1))", value)
        parts = filter(None, map(str.strip, value.split(";")))
        value = ";".join(part for part in parts if not part.startswith(DEFAULT_STYLES)).replace(": ", ":")
    return value


def share_style(group: ElementTree.Element) -> None:
    """Move the style that all points of a group share to the group."""
    uses = [child for child in group if child.tag == "use"]
    if 1 < len(uses) == len(group) and len({use.get("style") for use in uses}) == 1:
        group.set("style", ";".join(filter(None, [group.get("style"), uses[0].get("style")])))
        for use in uses:
            use.attrib.pop("style", None)


def unwrap(root: ElementTree.Element) -> None:
    """Replace groups without attributes by their children."""
    for parent in root.iter():
        for place in reversed(range(len(parent))):
            child = parent[place]
            if child.tag == "g" and not child.attrib:
                parent[place : place + 1] = list(child)
