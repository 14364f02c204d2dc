"""Opens a source of rows and detects its format."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from io import BufferedReader, BytesIO, RawIOBase
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from adjudge.errors import DatasetError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

STANDARD_INPUT = "-"
_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_LONGEST_LINE = 64 * 2**20
"""Longest line; no judge could read a longer item."""
_UNPACKED_FREELY = 16 * 2**20
"""Bytes that may be decompressed at any expansion ratio."""
_MOST_UNPACKED = 200
"""Maximum expansion ratio of a gzip file; text usually has about 10."""


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
    """Its name in error messages."""
    format: Format
    lines: Iterator[bytes]
    """All lines, without a byte-order mark; not for Parquet."""
    stream: BinaryIO
    """The binary content; only for Parquet."""


@contextmanager
def opened(source: str | Path, stdin: BinaryIO | None) -> Iterator[Source]:
    """Open this path, or standard input for `-`."""
    if str(source) == STANDARD_INPUT:
        yield _sniffed("standard input", None, stdin or sys.stdin.buffer)
        return
    path = Path(source)
    name = str(source)
    kind = _BY_ENDING.get(Path(path.name.lower().removesuffix(".gz")).suffix)
    if kind is None:
        raise _refused(name, f"its suffix is not known; use {_listed()}")
    try:
        with path.open("rb") as file:
            if path.name.lower().endswith(".gz"):
                unpacked = cast(BinaryIO, BufferedReader(_Unpacked(name, file), 2**18))
                yield _sniffed(name, kind, unpacked, packed=True)
            else:
                yield _sniffed(name, kind, file)
    except FileNotFoundError:
        raise _refused(name, f"there is no such file; {_neighbours(path)}") from None
    except IsADirectoryError:
        raise _refused(name, "this is a folder; name a file in it") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise _refused(name, "it cannot be unpacked; compress it with gzip again") from None
    except OSError as error:
        raise _refused(name, f"it cannot be read ({error.strerror}); make it readable") from None


class _Unpacked(RawIOBase):
    """Decompresses a gzip file, and refuses decompression bombs."""

    def __init__(self, name: str, packed: BinaryIO) -> None:
        self._name = name
        self._packed = packed
        self._file = gzip.GzipFile(fileobj=packed)
        self._size = 0

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        """Decompress the next part."""
        number = self._file.readinto(buffer)
        self._size += number
        if self._size > max(_UNPACKED_FREELY, _MOST_UNPACKED * self._packed.tell()):
            raise _refused(
                self._name,
                f"it unpacks to more than {_MOST_UNPACKED} times its size; "
                "unpack it yourself if it is meant to",
            )
        return number


def _lines(name: str, stream: BinaryIO) -> Iterator[bytes]:
    """The lines of the stream; refuses overlong ones."""
    number = 0
    while line := stream.readline(_LONGEST_LINE + 1):
        number += 1
        if len(line) > _LONGEST_LINE:
            raise _refused(
                name,
                f"line {number} has more than {_LONGEST_LINE // 2**20} MB; "
                "write each item on a line of its own",
            )
        yield line


def _sniffed(name: str, kind: Format | None, stream: BinaryIO, *, packed: bool = False) -> Source:
    """The source, its format detected from the first line if the name does not determine it."""
    if kind is Format.PARQUET and not packed:
        return Source(name=name, format=kind, lines=iter(()), stream=stream)
    lines = _lines(name, stream)
    blank = 0
    first = next(lines, b"")
    if first.startswith(_UTF_16):
        raise _refused(name, "it is UTF-16; save it as UTF-8")
    first = first.removeprefix(_BOM)
    while first.isspace():
        blank += 1
        first = next(lines, b"")
    if kind is None or kind in {Format.JSON, Format.JSON_LINES}:
        kind = _told_by(first, kind)
    lines = chain(repeat(b"\n", blank), [first] if first else [], lines)
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
