"""The only way to print: terminal control sequences in the text are made harmless."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from adjudge.report.printable import printable


class Screen(Console):
    """A console for untrusted text from judges, items and files; brackets are not markup."""

    def __init__(self, *, err: bool = False) -> None:
        super().__init__(file=sys.stderr if err else None, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments to show; only rich's own may contain control sequences."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)


def say(text: object, *, err: bool = False) -> None:
    """Print a line on standard output or standard error."""
    print(printable(str(text)), file=sys.stderr if err else sys.stdout)
