"""Reading a file of recorded scores into arrays; each error is one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.errors import InputError

_COLUMNS = ("item", "judge", "score")
_CHOICES = ("axis", "dataset")
_EXPORTED = {"call", "state", "reason"}
"""Columns that identify `adjudge export calls`, where a call may lack a score."""
_ROW = "row in the file"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreTable:
    """One row for each distinct score of a pair; N rows."""

    item: IntArray
    """Index into the item names; shape (N,)."""
    judge: IntArray
    """Index into the judge names; shape (N,)."""
    score: FloatArray
    """Mapped to [0, 1]; shape (N,)."""
    times: IntArray
    """How often the pair was given this score; shape (N,)."""
    item_names: tuple[str, ...]
    judge_names: tuple[str, ...]
    scale: tuple[float, float]
    """The recorded scale, which was mapped to [0, 1]."""
    left_out: int
    """Exported calls that gave no score."""


def read_scores(
    path: Path,
    *,
    axis: str | None,
    dataset: str | None,
    judges: Sequence[str] | None,
    score_range: tuple[float, float] | None,
) -> ScoreTable:
    """The scores of one axis of one data set; items and judges in the order of the file.

    The output of `adjudge export calls` is accepted.
    """
    frame = _read(path)
    for column in _COLUMNS:
        if column not in frame.columns:
            raise InputError(
                column,
                f"no such column in {path.name}, which has {', '.join(frame.columns)}",
                f"recorded scores need the columns {', '.join(_COLUMNS)}",
            )
    if frame.is_empty():
        raise _no_rows(path)
    frame = frame.with_row_index(_ROW, offset=1)
    chosen = {"axis": axis, "dataset": dataset}
    for column in _CHOICES:
        frame = _only(frame, column, chosen[column])
    frame, left_out = _with_scores(frame, path, judges)
    frame = frame.select(
        pl.col("item", "judge").cast(pl.String), _as_numbers(frame, path).alias("score")
    )
    if judges is not None:
        frame = _of_judges(frame, judges)
    counted = frame.group_by(_COLUMNS, maintain_order=True).len("times")
    item_names = counted["item"].unique(maintain_order=True)
    judge_names = (
        counted["judge"].unique(maintain_order=True) if judges is None else pl.Series(judges)
    )
    scale = _checked_scale(score_range or _noted_scale(path, chosen) or _seen_scale(counted))
    score = counted["score"].to_numpy()
    low, high = scale
    outside = (score < low) | (score > high)
    if outside.any():
        raise InputError(
            "score",
            f"{score[outside][0]:g} in {path.name}",
            f"every score must lie in the range {low:g} to {high:g}",
        )
    return ScoreTable(
        item=_index(counted["item"], item_names),
        judge=_index(counted["judge"], judge_names),
        score=(score - low) / (high - low),
        times=counted["times"].cast(pl.Int64).to_numpy(),
        item_names=tuple(item_names),
        judge_names=tuple(judge_names),
        scale=scale,
        left_out=left_out,
    )


def _read(path: Path) -> pl.DataFrame:
    if not path.is_file():
        raise InputError("path", f"{path} is not a file", "give a file of recorded scores")
    name = path.name.removesuffix(".gz")
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".parquet": pl.read_parquet,
        # Read as text, so that an item named 007 keeps its zeros.
        ".csv": lambda file: pl.read_csv(file, infer_schema=False),
        ".jsonl": lambda file: pl.read_ndjson(file, infer_schema_length=None),
    }
    reader = readers.get(Path(name).suffix)
    if reader is None:
        raise InputError("path", f"{path.name}", f"give one of {', '.join(readers)}")
    if path.stat().st_size == 0:
        raise _no_rows(path)
    try:
        return reader(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(path.name, f"cannot be read ({reason})", "give a valid file") from error


def _only(frame: pl.DataFrame, column: str, wanted: str | None) -> pl.DataFrame:
    """The rows of one axis or data set; if none is named, the file may have only one."""
    if column not in frame.columns:
        if wanted is None:
            return frame
        raise InputError(column, f"{wanted}", f"the file has no column {column}; leave it out")
    known = sorted(str(name) for name in frame[column].unique().drop_nulls())
    if wanted is None:
        if len(known) > 1:
            raise InputError(column, "not chosen", f"the file has several: {', '.join(known)}")
        return frame
    if wanted not in known:
        raise InputError(column, f"no {wanted}", f"the file has {', '.join(known)}")
    return frame.filter(pl.col(column).cast(pl.String) == wanted)


def _with_scores(
    frame: pl.DataFrame, path: Path, judges: Sequence[str] | None
) -> tuple[pl.DataFrame, int]:
    """The rows with a score, and how many were dropped; only exported calls may lack one."""
    if not set(frame.columns) >= _EXPORTED:
        return frame, 0
    silent = frame.filter(pl.col("score").is_null())
    if silent.height == frame.height:
        raise InputError(
            path.name, "no call has a score", "export the calls of judges that gave some"
        )
    if judges is not None:
        silent = silent.filter(pl.col("judge").cast(pl.String).is_in(list(judges)))
    return frame.filter(pl.col("score").is_not_null()), silent.height


def _as_numbers(frame: pl.DataFrame, path: Path) -> pl.Series:
    """The scores as floats; refuses a missing item, judge or score."""
    for column in ("item", "judge"):
        empty = frame.filter(pl.col(column).is_null())
        if not empty.is_empty():
            row = empty[_ROW][0]
            raise InputError(column, f"empty in row {row} of {path.name}", "every row needs one")
    if frame["score"].dtype.is_nested():
        raise InputError("score", f"a list in {path.name}", "every score must be a number")
    score = frame["score"].cast(pl.Float64, strict=False)
    wrong = frame.filter(~score.is_finite().fill_null(value=False))
    if not wrong.is_empty():
        given, row = wrong["score"][0], wrong[_ROW][0]
        found = "empty" if given is None else f"{given}"
        raise InputError(
            "score", f"{found} in row {row} of {path.name}", "every score must be a number"
        )
    return score


def _of_judges(frame: pl.DataFrame, judges: Sequence[str]) -> pl.DataFrame:
    known = frame["judge"].unique(maintain_order=True).to_list()
    if not judges:
        raise InputError("judges", "none", "name at least one")
    if len(set(judges)) < len(judges):
        raise InputError("judges", f"{', '.join(judges)}", "name each judge once")
    for name in judges:
        if name not in known:
            raise InputError("judges", f"no judge {name}", f"there are {', '.join(known)}")
    return frame.filter(pl.col("judge").is_in(list(judges)))


def _noted_scale(path: Path, chosen: dict[str, str | None]) -> tuple[float, float] | None:
    """Lo and hi from the items file beside the scores, if there is one."""
    name = path.name.removesuffix(".gz")
    notes = path.with_name(f"{Path(name).stem}.items.csv.gz")
    if not notes.is_file():
        return None
    items = _read(notes)
    if not {"lo", "hi"} <= set(items.columns):
        return None
    for column, wanted in chosen.items():
        if wanted is not None and column in items.columns:
            items = items.filter(pl.col(column).cast(pl.String) == wanted)
    numbers = pl.col("lo", "hi").cast(pl.Float64, strict=False)
    scales = items.select(numbers).drop_nulls().unique().rows()
    if len(scales) != 1:
        raise InputError(
            "score_range", f"{len(scales)} scales in {notes.name}", "say which one holds"
        )
    low, high = scales[0]
    return low, high


def _seen_scale(counted: pl.DataFrame) -> tuple[float, float]:
    score = counted["score"].to_numpy()
    low, high = float(score.min()), float(score.max())
    if low == high:
        raise InputError("score", f"always {low:g}", "give the score_range of the scale")
    return low, high


def _checked_scale(scale: tuple[float, float]) -> tuple[float, float]:
    low, high = scale
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError("score_range", f"{low} to {high}", "low must be below high, both finite")
    return float(low), float(high)


def _index(names: pl.Series, known: pl.Series) -> IntArray:
    """The index of each name among the known, distinct ones."""
    return names.cast(pl.Enum(known)).to_physical().cast(pl.Int64).to_numpy().astype(np.int64)


def _no_rows(path: Path) -> InputError:
    return InputError(path.name, "no rows", "record at least one score")
