"""A file of recorded scores: its axes, and a mapping of column names."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from adjudge.errors import InputError
from adjudge.worlds import RecordedScores

COLUMNS = ("item", "judge", "score", "axis", "dataset")
"""The columns of recorded scores; the first three are required."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFile:
    """A file of recorded scores, and which of them to read."""

    path: Path
    columns: Mapping[str, str]
    """Our column names mapped to the file's, where they differ."""
    axes: tuple[str, ...] = ()
    """Empty means all axes of the file."""
    dataset: str | None = None
    judges: tuple[str, ...] = ()
    """Empty means all judges that scored an axis."""
    score_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for name in self.columns:
            if name not in COLUMNS:
                raise InputError("map", name, f"name one of {', '.join(COLUMNS)}")

    @property
    def name(self) -> str:
        """The file's name without its suffixes."""
        return Path(self.path.name.removesuffix(".gz")).stem

    def digest(self) -> str:
        """A hash of the content, so that a changed file is a new experiment."""
        if not self.path.is_file():
            raise InputError("path", f"{self.path} is not a file", "give a file of recorded scores")
        with self.path.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()[:16]

    def read(self) -> dict[str, RecordedScores]:
        """The scores by axis name; a file without axes has one, named as the file."""
        self.digest()
        with self._renamed() as path:
            try:
                return {axis or self.name: self._scores(path, axis) for axis in self._axes(path)}
            except InputError as error:
                # Name the user's file, not the temporary copy.
                found = error.found.replace(path.name, self.path.name)
                raise InputError(error.field, found, error.expected) from error

    def _scores(self, path: Path, axis: str | None) -> RecordedScores:
        return RecordedScores.read(
            path,
            axis=axis,
            dataset=self.dataset,
            judges=self.judges or None,
            score_range=self.score_range,
        )

    def _axes(self, path: Path) -> tuple[str | None, ...]:
        """The axes to read, in the order of the file."""
        if self.axes:
            return self.axes
        frame = _table(path)
        if frame is None or "axis" not in frame.columns:
            return (None,)
        if self.dataset is not None and "dataset" in frame.columns:
            frame = frame.filter(pl.col("dataset").cast(pl.String) == self.dataset)
        names = frame["axis"].drop_nulls().cast(pl.String).unique(maintain_order=True).to_list()
        return tuple(names) or (None,)

    @contextmanager
    def _renamed(self) -> Iterator[Path]:
        """The file, or a temporary copy with our column names."""
        frame = _table(self.path) if self.columns else None
        if frame is None:
            yield self.path
            return
        for ours, theirs in self.columns.items():
            if theirs not in frame.columns:
                raise InputError(
                    "map",
                    f"{ours}={theirs}, but {self.path.name} has no column {theirs}",
                    f"it has {', '.join(frame.columns)}",
                )
        # A mapped column replaces one that already has our name.
        frame = frame.drop(
            [ours for ours, theirs in self.columns.items() if ours != theirs and ours in frame],
        ).rename({theirs: ours for ours, theirs in self.columns.items()})
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / f"{self.name}.parquet"
            frame.write_parquet(copy)
            notes = self.path.with_name(f"{self.name}.items.csv.gz")
            if notes.is_file():
                shutil.copy(notes, copy.with_name(notes.name))
            yield copy


def _table(path: Path) -> pl.DataFrame | None:
    """The file as a table; None if unreadable, which reading the scores will report."""
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".parquet": pl.read_parquet,
        ".csv": lambda file: pl.read_csv(file, infer_schema=False),
        ".jsonl": lambda file: pl.read_ndjson(file, infer_schema_length=None),
    }
    reader = readers.get(Path(path.name.removesuffix(".gz")).suffix)
    if reader is None or path.stat().st_size == 0:
        return None
    try:
        return reader(path)
    except (pl.exceptions.PolarsError, OSError):
        return None
