"""Reads Parquet in a separate process, because a damaged file can crash the reader.

Polars reports most damage as an error, some as a panic with a long backtrace, and some as a
failed allocation that ends the process.
"""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from typing import BinaryIO

import polars as pl

_UNSOUND = 3
"""Exit code of a reader that wrote the reason to standard output."""


class UnsoundParquetError(Exception):
    """The file is not valid Parquet; the message is a short reason."""


def read_parquet(stream: BinaryIO, limit: int | None) -> pl.DataFrame:
    """The first rows of the file, or all of them."""
    # -P: do not import modules from the working folder.
    command = [sys.executable, "-P", "-m", "adjudge.dataset.parquet", str(limit or 0)]
    content = None if _is_file(stream) else stream.read()
    done = subprocess.run(
        command,
        input=content,
        stdin=None if content is not None else stream,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode == 0:
        return pl.read_ipc(BytesIO(done.stdout))
    reason = done.stdout.decode(errors="replace") if done.returncode == _UNSOUND else ""
    raise UnsoundParquetError(reason or "its reader crashed")


def _is_file(stream: BinaryIO) -> bool:
    try:
        stream.fileno()
    except OSError:
        return False
    return True


def _main(limit: int) -> None:
    """Read from standard input, and write the table to standard output."""
    source = sys.stdin.buffer if sys.stdin.seekable() else BytesIO(sys.stdin.buffer.read())
    try:
        frame = pl.read_parquet(source, n_rows=limit or None)
        content = BytesIO()
        frame.write_ipc(content)
    except Exception as error:
        words = str(error).splitlines()[0] if str(error) else type(error).__name__
        sys.stdout.write(words[:200])
        sys.exit(_UNSOUND)
    sys.stdout.buffer.write(content.getbuffer())


if __name__ == "__main__":
    _main(int(sys.argv[1]))
