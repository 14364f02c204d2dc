"""Problems with the rows of one source, collected while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from adjudge.errors import DatasetError

_SENTENCES = 20
"""Maximum number of different problems listed."""
_LONGEST = 1000
"""Maximum length of a problem, which may quote the source."""
_ROWS = 5
"""Maximum number of rows named for one problem."""


@dataclass(slots=True)
class _Rows:
    first: list[int] = field(default_factory=list)
    count: int = 0

    def add(self, row: int) -> None:
        self.count += 1
        if self.count <= _ROWS:
            self.first.append(row)

    def words(self, unit: str) -> str:
        """For example `lines 3, 7 and 9`, or `rows 1, 2, 3, 4, 5 and 12 more`."""
        if self.count == 1:
            return f"{unit} {self.first[0]}"
        *named, last = [str(row) for row in self.first]
        if self.count > len(self.first):
            named, last = [*named, last], f"{self.count - len(self.first):,} more"
        return f"{unit}s {', '.join(named)} and {last}"


class Problems:
    """Problems of one source, each with the rows that have it."""

    def __init__(self, source: str, *, unit: str) -> None:
        self._source = source
        self._unit = unit
        """The word for a row: `line` or `row`."""
        self._rows: dict[str, _Rows] = {}
        self._untold = 0

    def note(self, sentence: str, *, row: int | None = None) -> None:
        """Add a problem of a row, or of the whole source if no row is given."""
        rows = self._rows.get(sentence)
        if rows is None:
            if len(self._rows) == _SENTENCES:
                self._untold += 1
                return
            rows = self._rows[sentence] = _Rows()
        if row is not None:
            rows.add(row)

    def __bool__(self) -> bool:
        return bool(self._rows)

    def raise_if_any(self) -> None:
        """Raise a DatasetError that lists all problems."""
        if not self._rows:
            return
        told = [
            self._source
            + (f", {rows.words(self._unit)}" if rows.count else "")
            + f": {_short(sentence)}"
            for sentence, rows in self._rows.items()
        ]
        if self._untold:
            told.append(f"{self._source}: and problems in {self._untold:,} more {self._unit}s")
        raise DatasetError(self._source, told)


def _short(sentence: str) -> str:
    if len(sentence) <= _LONGEST:
        return sentence
    return f"{sentence[: _LONGEST // 2]} … {sentence[-_LONGEST // 2 :]}"
