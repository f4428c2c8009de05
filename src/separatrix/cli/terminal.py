"""Tables and bars of rich, in which nothing that the data hold can steer the terminal."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from separatrix.cli.streams import visible


class Terminal(Console):
    """A console that shows what it is given as it is: no markup, no emoji codes, controls escaped.

    Parameters
    ----------
    stderr : bool
        Write to the standard error.
    """

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def show(self, text: str = "", style: str = "", **how: Any) -> None:
        """Write a text of one line or several."""
        self.print(Text(visible(text), style=style), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Escape what is written, but not the codes that rich itself steers the terminal with."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)
