"""A console of rich on which nothing in the data can control the terminal."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from separatrix.cli.streams import visible


class Terminal(Console):
    """A console that shows text as it is: no markup, no emoji codes, control characters escaped."""

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def show(self, text: str = "", style: str = "", **how: Any) -> None:
        """Write a text of one line or several."""
        self.print(Text(visible(text), style=style), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Escape what is written, but not the control codes of rich itself."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)
