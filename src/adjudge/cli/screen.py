"""The only way to print: control sequences in the text are shown, not obeyed."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from adjudge.report.printable import printable


class Screen(Console):
    """A console for texts of others: judges, items, files. Brackets in them are no markup."""

    def __init__(self, *, err: bool = False) -> None:
        super().__init__(file=sys.stderr if err else None, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of what is to be shown; only rich's own may control the terminal."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)


def say(text: object, *, err: bool = False) -> None:
    """Print a line on standard output or standard error."""
    print(printable(str(text)), file=sys.stderr if err else sys.stdout)
