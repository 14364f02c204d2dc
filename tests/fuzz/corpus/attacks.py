"""Inputs that brought the program down, or deceived it, once."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator

import polars as pl

from tests.fuzz.corpus.http import CHUNKED, OK, PACKED
from tests.fuzz.corpus.run_files import CHAT, GOOD

RUN_FILES: dict[str, str] = {
    "many tokens": CHAT + "    max_tokens: 1000000000000000000\n",
    "long limit": GOOD.replace("items.jsonl", "{path: items.jsonl, limit: 1" + "0" * 30 + "}"),
    "large seed": GOOD + "seed: 1" + "0" * 30 + "\n",
    "no bool": GOOD + "keep_reasons: !!bool x20\n",
    "no timestamp": GOOD + "seed: !!timestamp x\n",
    "no float": GOOD + "seed: !!float x\n",
    "no int": GOOD + "seed: !!int x\n",
    "no binary": GOOD + "seed: !!binary x\n",
    "lone surrogate": CHAT + 'criteria: "\\uD800"\n',
    "prices in words": CHAT.replace("{input: 1, output: 1}", "words.json"),
    "prices of nothing": CHAT.replace("{input: 1, output: 1}", "nothing.json"),
}
PRICE_MAPS: dict[str, str] = {
    "words.json": '{"m": {"input_cost_per_token": "cheap", "output_cost_per_token": "dear"}}',
    "nothing.json": '{"m": {"input_cost_per_token": null, "output_cost_per_token": []}, "n": 7}',
}


def gzip_bomb() -> bytes:
    """A megabyte that unpacks to a gigabyte, in one row that never ends."""
    return gzip.compress(b'{"id": "a", "response": "') + gzip.compress(b"x" * 2**24) * 64


def damaged_parquet() -> Iterator[tuple[str, bytes]]:
    """A file with every part of it broken in turn."""
    written = io.BytesIO()
    pl.DataFrame({"id": ["a", "b"], "response": ["Hi", "Ho"]}).write_parquet(written)
    whole = written.getvalue()
    for at in range(0, len(whole), 31):
        yield f"at {at}", whole[:at] + b"\xff" + whole[at + 1 :]
    for end in range(4, len(whole), 97):
        yield f"cut at {end}", whole[:end]


SOURCES: dict[str, tuple[str, bytes]] = {
    "gzip bomb": ("items.jsonl.gz", gzip_bomb()),
    "many columns": ("items.csv", b"id,response," + b",".join(b"c%d" % n for n in range(200_000))),
    **{f"parquet {name}": ("items.parquet", content) for name, content in damaged_parquet()},
}

REFUSED: dict[str, bytes] = {
    "packed and cut short": OK + b"Content-Encoding: gzip\r\n\r\n" + PACKED[:-12],
    "two codings": OK + b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
}
"""Answers over HTTP that no careful reader takes."""

ENDLESS: dict[str, tuple[bytes, bytes]] = {
    "announcements": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "chunk extensions": (CHUNKED, b"1;" + b"x" * 60_000 + b"\r\ny\r\n"),
    "trailers": (CHUNKED + b"0\r\n", b"X: y\r\n"),
}

GROUPS: tuple[str, ...] = (
    "\x1b]0;title\x07",
    "\x1b]52;c;Y2xpcGJvYXJk\x07",
    "\x1b[2J\x1b[H",
    "\x9b2J",
    "line\rover",
    "=HYPERLINK(1)",
    "+cmd|x",
    "-cmd|x",
    "@sum",
    "\t=1",
)
"""Names of groups that a terminal, or a spreadsheet, would obey."""
