"""Opening what holds the items, and telling by its beginning what it is."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

from adjudge.errors import DatasetError

STANDARD_INPUT = "-"
_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Format(Enum):
    """How rows are written."""

    JSON_LINES = "JSON lines"
    JSON = "JSON"
    DELIMITED = "CSV"
    TABBED = "TSV"
    PARQUET = "Parquet"


_BY_ENDING = {
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".json": Format.JSON,
    ".csv": Format.DELIMITED,
    ".tsv": Format.TABBED,
    ".parquet": Format.PARQUET,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An open source of rows."""

    name: str
    """As problems call it."""
    format: Format
    lines: Iterator[bytes]
    """What it holds, from the beginning, without a byte-order mark; not for Parquet."""
    stream: BinaryIO
    """The same as one file; for Parquet only."""


@contextmanager
def opened(source: str | Path, stdin: BinaryIO | None) -> Iterator[Source]:
    """The source that this path, or `-` for standard input, names."""
    if str(source) == STANDARD_INPUT:
        yield _sniffed("standard input", None, stdin or sys.stdin.buffer)
        return
    path = Path(source)
    name = str(source)
    kind = _BY_ENDING.get(Path(path.name.lower().removesuffix(".gz")).suffix)
    if kind is None:
        raise _refused(name, f"its name does not say what it is; end it in {_listed()}")
    try:
        with path.open("rb") as file:
            if path.name.lower().endswith(".gz"):
                with gzip.open(file) as unpacked:
                    yield _sniffed(name, kind, cast(BinaryIO, unpacked))
            else:
                yield _sniffed(name, kind, file)
    except FileNotFoundError:
        raise _refused(name, f"there is no such file; {_neighbours(path)}") from None
    except IsADirectoryError:
        raise _refused(name, "this is a folder; name a file in it") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise _refused(name, "it cannot be unpacked; pack it with gzip again") from None
    except OSError as error:
        raise _refused(name, f"it cannot be read ({error.strerror}); make it readable") from None


def _sniffed(name: str, kind: Format | None, stream: BinaryIO) -> Source:
    """The source, told by its first line where its name does not tell enough."""
    if kind is Format.PARQUET:
        return Source(name=name, format=kind, lines=iter(()), stream=stream)
    before: list[bytes] = []
    first = stream.readline()
    if first.startswith(_UTF_16):
        raise _refused(name, "it is UTF-16; save it as UTF-8")
    first = first.removeprefix(_BOM)
    while first and not first.strip():
        before.append(first)
        first = stream.readline()
    if kind is None or kind in {Format.JSON, Format.JSON_LINES}:
        kind = _told_by(first, kind)
    lines = chain(before, [first] if first else [], stream)
    if kind is Format.PARQUET:
        stream = BytesIO(b"".join(lines))
    return Source(name=name, format=kind, lines=lines, stream=stream)


def _told_by(first: bytes, kind: Format | None) -> Format:
    start = first.lstrip()
    if start.startswith(b"["):
        return Format.JSON
    if start.startswith(b"{") or kind is not None:
        return Format.JSON_LINES
    if start.startswith(b"PAR1"):
        return Format.PARQUET
    return Format.TABBED if b"\t" in start and b"," not in start else Format.DELIMITED


def _refused(name: str, sentence: str) -> DatasetError:
    return DatasetError(name, [f"{name}: {sentence}"])


def _listed() -> str:
    *most, last = _BY_ENDING
    return f"{', '.join(most)} or {last}"


def _neighbours(path: Path) -> str:
    try:
        others = sorted(
            other.name for other in path.parent.iterdir() if other.suffix.lower() in _BY_ENDING
        )
    except OSError:
        return f"there is no folder {path.parent} either"
    return f"its folder has {', '.join(others[:5])}" if others else "its folder has no data files"
