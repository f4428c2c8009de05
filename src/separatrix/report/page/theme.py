"""The light and dark colours of a page, and their contrast (WCAG 2.2, 2023).

    L = 0.2126 R + 0.7152 G + 0.0722 B   of linear light,     contrast = (L_lighter + 0.05) / (L_darker + 0.05)

Text has a contrast of at least 4.5 to every background; lines and points of at least 3. Figures are drawn in the
colours of `style`, which are replaced by these variables, so that one figure serves both themes and print.
"""

from separatrix.report.charts import style

LIGHT = {
    "paper": "#ffffff",
    "raised": "#f5f6f4",
    "ink": "#1b1e22",
    "soft": "#565d66",
    "faint": "#7f858d",
    "rule": "#dcdfdc",
    "accent": "#0b5c99",
    "tint": "#e8f1f8",
    "good": "#0a6b4c",
    "warn": "#9a4300",
    "c1": "#0072b2",
    "c2": "#d55e00",
    "c3": "#008a64",
    "c4": "#b8548b",
    "c5": "#a97500",
    "c6": "#2f8fc9",
    "c7": "#757575",
}
DARK = {
    "paper": "#14171b",
    "raised": "#1d2126",
    "ink": "#e7e8e4",
    "soft": "#a9afb7",
    "faint": "#80868f",
    "rule": "#343a42",
    "accent": "#7dbdf2",
    "tint": "#1b2c3a",
    "good": "#62cfa6",
    "warn": "#f0a56c",
    "c1": "#4ba6e8",
    "c2": "#f2813a",
    "c3": "#2cc295",
    "c4": "#dc8fb9",
    "c5": "#e6ad2f",
    "c6": "#86cdf5",
    "c7": "#a3a3a3",
}
ON = ("paper", "raised", "tint")
TEXT = ("ink", "soft", "accent", "good", "warn")
MARKS = ("faint", *(f"c{number + 1}" for number in range(len(style.COLOURS))))

VARIABLES = {
    **{tone.lower(): f"c{number + 1}" for number, tone in enumerate(style.COLOURS)},
    style.INK.lower(): "ink",
    style.FAINT.lower(): "faint",
    style.RULE.lower(): "rule",
    "#ffffff": "paper",
}


def declarations(theme: dict[str, str]) -> str:
    """A theme as declarations of CSS variables.

    Examples
    --------
    >>> declarations({"ink": "#000000"})
    '--ink: #000000;'
    """
    return " ".join(f"--{name}: {tone};" for name, tone in theme.items())


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21.

    Examples
    --------
    >>> round(contrast("#000000", "#ffffff"), 9)
    21.0
    """
    darker, lighter = sorted(luminance(tone) for tone in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(tone: str) -> float:
    """The relative luminance of a colour, from 0 to 1."""
    parts = [int(tone[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def mixed(tone: str, on: str, part: float) -> str:
    """A colour over another with the opacity `part`.

    Examples
    --------
    >>> mixed("#ff0000", "#ffffff", 0.2)
    '#ffcccc'
    """
    pairs = [(int(tone[place : place + 2], 16), int(on[place : place + 2], 16)) for place in (1, 3, 5)]
    return "#" + "".join(f"{round(below + part * (above - below)):02x}" for above, below in pairs)
