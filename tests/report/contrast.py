"""The contrast of two colours (WCAG 2.2, 2023).

    L = 0.2126 R + 0.7152 G + 0.0722 B   of linear light,     contrast = (L_lighter + 0.05) / (L_darker + 0.05)

Text needs 4.5, lines and points 3.
"""

from separatrix.report.charts import style

ON = ("paper", "raised", "tint")
TEXT = ("ink", "soft", "accent", "good", "warn")
MARKS = ("faint", *(f"c{number + 1}" for number in range(len(style.COLOURS))))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21.

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

    >>> mixed("#ff0000", "#ffffff", 0.2)
    '#ffcccc'
    """
    pairs = [(int(tone[place : place + 2], 16), int(on[place : place + 2], 16)) for place in (1, 3, 5)]
    return "#" + "".join(f"{round(below + part * (above - below)):02x}" for above, below in pairs)
