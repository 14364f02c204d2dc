"""Sources of items that are odd or hostile; each is read, or refused in sentences."""

from __future__ import annotations

import gzip
import io

import polars as pl

ROW = b'{"id": "a", "response": "Hi"}\n'


def parquet() -> bytes:
    written = io.BytesIO()
    pl.DataFrame({"id": ["a", "b"], "response": ["Hi", "Ho"]}).write_parquet(written)
    return written.getvalue()


SOURCES: dict[str, tuple[str, bytes]] = {
    "rows": ("items.jsonl", ROW),
    "empty": ("items.jsonl", b""),
    "nulls": ("items.jsonl", b"\x00" * 1000),
    "no UTF-8": ("items.jsonl", b'{"id": "a", "response": "\xff\xfe"}\n'),
    "lone surrogate": ("items.jsonl", b'{"id": "a", "response": "\\ud800"}\n'),
    "deep": ("items.jsonl", b'{"id": "a", "response": "Hi", "x": ' + b"[" * 100_000 + b"\n"),
    "deep JSON": ("items.json", b"[" * 100_000),
    "large number": ("items.jsonl", b'{"id": "a", "response": "Hi", "x": 1' + b"0" * 5000 + b"}\n"),
    "not a number": ("items.jsonl", b'{"id": "a", "response": NaN}\n'),
    "key given twice": ("items.jsonl", b'{"id": "a", "response": "Hi", "response": "Ho"}\n'),
    "no gzip": ("items.jsonl.gz", b"\x1f\x8b\x08\x00rest"),
    "gzip cut short": ("items.jsonl.gz", gzip.compress(ROW * 1000)[:-20]),
    "unclosed quotation": ("items.csv", b'id,response\na,"Hi\n' * 1000),
    "null in a table": ("items.csv", b"id,response\na,\x00\n"),
    "parquet": ("items.parquet", parquet()),
    "no parquet": ("items.parquet", b"PAR1" + b"\x00" * 100 + b"PAR1"),
}
