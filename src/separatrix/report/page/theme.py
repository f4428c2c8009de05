"""The light and dark colours of a page.

Text has a contrast (WCAG 2.2, 2023) of at least 4.5 to every background; lines and points of at least 3. Figures are
drawn in the colours of `style`, which are replaced by these variables, so that one figure serves both themes and print.
"""

from separatrix.report.charts import style

TONES = {  # light, also on paper, and dark
    "paper": ("#ffffff", "#14171b"),
    "raised": ("#f5f6f4", "#1d2126"),
    "ink": ("#1b1e22", "#e7e8e4"),
    "soft": ("#565d66", "#a9afb7"),
    "faint": ("#7f858d", "#80868f"),
    "rule": ("#dcdfdc", "#343a42"),
    "accent": ("#0b5c99", "#7dbdf2"),
    "tint": ("#e8f1f8", "#1b2c3a"),
    "good": ("#0a6b4c", "#62cfa6"),
    "warn": ("#9a4300", "#f0a56c"),
    "c1": ("#0072b2", "#4ba6e8"),
    "c2": ("#d55e00", "#f2813a"),
    "c3": ("#008a64", "#2cc295"),
    "c4": ("#b8548b", "#dc8fb9"),
    "c5": ("#a97500", "#e6ad2f"),
    "c6": ("#2f8fc9", "#86cdf5"),
    "c7": ("#757575", "#a3a3a3"),
}
LIGHT, DARK = ({name: tones[dark] for name, tones in TONES.items()} for dark in (0, 1))

VARIABLES = {
    **{tone.lower(): f"c{number + 1}" for number, tone in enumerate(style.COLOURS)},
    style.INK.lower(): "ink",
    style.FAINT.lower(): "faint",
    style.RULE.lower(): "rule",
    "#ffffff": "paper",
}


def declarations(theme: dict[str, str]) -> str:
    """A theme as declarations of CSS variables.

    >>> declarations({"ink": "#000000"})
    '--ink: #000000;'
    """
    return " ".join(f"--{name}: {tone};" for name, tone in theme.items())
