"""Data made to crash or to exhaust its reader: one sentence each."""

import gzip
import io
from pathlib import Path

import polars as pl
import pytest

from adjudge.dataset import read_items
from adjudge.errors import DatasetError


def problem(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(DatasetError) as caught:
        read_items(path)
    assert len(caught.value.problems) == 1
    return caught.value.problems[0].replace(f"{path.parent}/", "")


@pytest.mark.parametrize("name", ["i.jsonl.gz", "i.csv.gz", "i.json.gz", "i.parquet.gz"])
def test_a_packed_file_that_unpacks_out_of_proportion_is_refused(tmp_path: Path, name: str) -> None:
    bomb = gzip.compress(b"[" + b"x" * 2**20, 9) + gzip.compress(b"x" * 2**20, 9) * 40
    assert problem(tmp_path / name, bomb) == (
        f"{name}: it unpacks to more than 200 times its size; unpack it yourself if it is meant to"
    )


def test_text_that_packs_well_is_read(tmp_path: Path) -> None:
    rows = b"".join(b'{"response": "the same words again %d"}\n' % n for n in range(20_000))
    path = tmp_path / "i.jsonl.gz"
    path.write_bytes(gzip.compress(rows))
    assert len(read_items(path)) == 20_000


def test_a_packed_file_that_ends_too_soon_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(b'{"response": "a"}\n' * 1000)
    told = problem(tmp_path / "i.jsonl.gz", whole[:-20])
    assert told == "i.jsonl.gz: it cannot be unpacked; compress it with gzip again"


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    told = problem(tmp_path / "i.jsonl", b'{"response": "' + b"x" * (64 * 2**20) + b'"}\n')
    assert told == "i.jsonl: line 1 has more than 64 MB; write each item on a line of its own"


def test_a_table_of_200_000_columns_is_one_short_sentence(tmp_path: Path) -> None:
    names = [f"c{n}" for n in range(200_000)]
    row = ",".join("1" for _ in names)
    told = problem(tmp_path / "i.csv", f"{','.join(names)}\n{row}\n".encode())
    assert told == (
        "i.csv: there are 200,000 columns; give at most 10,000, and check the character that "
        "separates cells"
    )


def test_many_columns_are_not_all_listed(tmp_path: Path) -> None:
    names = ",".join(f"c{n}" for n in range(3000))
    told = problem(tmp_path / "i.csv", f"{names}\n{names}\n".encode())
    assert told.endswith("c18, c19 and 2,980 more)")


def test_a_problem_quotes_only_so_much_of_the_file(tmp_path: Path) -> None:
    row = b'{"id": "' + b"x" * 100_000 + b'", "response": "r"}\n'
    told = problem(tmp_path / "i.jsonl", row * 2)
    assert len(told) < 1100
    assert told.endswith("is given more than once; give each item its own")


def test_damaged_parquet_is_one_sentence_whatever_becomes_of_its_reader(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = io.BytesIO()
    frame = pl.DataFrame({"response": [f"r{n}" for n in range(300)], "pair": [[1, 2]] * 300})
    frame.write_parquet(file, compression="uncompressed")
    whole = file.getvalue()
    # Where lists begin, one bit each: with another number of them the library panics.
    lists = b"\xaa" * 16
    assert lists in whole
    for content in (whole[:100], whole.replace(lists, lists[1:] + b"\xae", 1)):
        told = problem(tmp_path / "i.parquet", content)
        assert told.startswith("i.parquet: it is not a valid Parquet file (")
        assert told.endswith("); write it again")
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""
