"""What brought the program down, or deceived it, once does so no more."""

import csv
import json
import tracemalloc

import pytest

from tests.fuzz.corpus.attacks import ENDLESS, GROUPS, PRICE_MAPS, REFUSED, RUN_FILES, SOURCES
from tests.fuzz.corpus.run_files import GOOD
from tests.fuzz.program import adjudge
from tests.fuzz.test_data import assert_read_or_refused
from tests.fuzz.test_http import assert_bounded, read
from tests.fuzz.test_run_files import assert_checked


@pytest.mark.parametrize("name", RUN_FILES)
def test_run_files_are_read_or_refused_in_sentences(name, tmp_path):
    for file, prices in PRICE_MAPS.items():
        (tmp_path / file).write_text(prices)
    assert_checked(RUN_FILES[name].encode(), tmp_path)


@pytest.mark.parametrize("name", SOURCES)
def test_sources_of_items_are_read_or_refused_in_bounded_memory(name, tmp_path):
    file, content = SOURCES[name]
    (tmp_path / file).write_bytes(content)
    tracemalloc.start()
    try:
        assert_read_or_refused(tmp_path / file)
        assert tracemalloc.get_traced_memory()[1] < 500 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", REFUSED)
def test_answers_that_no_careful_reader_takes_are_refused(name):
    assert read(REFUSED[name], 2**16) is None


@pytest.mark.parametrize("name", ENDLESS)
def test_answers_that_never_end_take_neither_memory_nor_time(name):
    assert_bounded(*ENDLESS[name])


def test_terminals_and_spreadsheets_obey_no_group(tmp_path):
    rows = [
        {"id": f"{name}{n}", "response": "Hi", "group": name} for n, name in enumerate(GROUPS * 2)
    ]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "run.yaml").write_text(GOOD)
    printed = "".join(
        "".join(adjudge(*words, folder=tmp_path)[1:])
        for words in (("check", "--offline"), ("plan",), ("run", "--yes"), ("status",))
    )
    assert all(character.isprintable() or character == "\n" for character in printed)
    assert adjudge("export", "items", "-o", "scores.csv", folder=tmp_path)[0] == 0
    with (tmp_path / "scores.csv").open(newline="") as written:
        cells = [cell for row in csv.DictReader(written) for cell in (row["id"], row["group"])]
    assert cells
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
