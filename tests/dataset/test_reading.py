import gzip
import io
import json
import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from adjudge.dataset import FIELDS, items_of, read_items
from adjudge.errors import DatasetError
from adjudge.records import Item

ROWS = [
    {"id": "a", "prompt": "Why?", "response": "Because.", "reference": "So.", "group": "x", "n": 1},
    {
        "id": "b",
        "prompt": "Why?",
        "response": 'It "is",\nso.',
        "reference": "",
        "group": "y",
        "n": 2,
    },
]
ITEMS = [
    Item(id="a", prompt="Why?", response="Because.", reference="So.", group="x"),
    Item(id="b", prompt="Why?", response='It "is",\nso.', reference=None, group="y"),
]


def written(folder: Path, name: str) -> Path:
    path, frame = folder / name, pl.DataFrame(ROWS)
    if name.endswith(".parquet"):
        frame.write_parquet(path)
    elif name.endswith(".json"):
        path.write_text(json.dumps(ROWS, indent=2))
    elif name.endswith((".csv", ".tsv")):
        frame.write_csv(path, separator="\t" if name.endswith(".tsv") else ",")
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(frame.write_ndjson().encode()))
    else:
        path.write_text(frame.write_ndjson())
    return path


FORMATS = ["i.jsonl", "i.ndjson", "I.JSONL", "i.json", "i.csv", "i.tsv", "i.parquet", "i.jsonl.gz"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_items(tmp_path, name):
    items = read_items(written(tmp_path, name))
    bare = [Item(**{f: getattr(item, f) for f in FIELDS}) for item in items]
    assert bare == ITEMS
    assert [str(item.metadata["n"]) for item in items] == ["1", "2"]


@pytest.mark.parametrize("name", ["i.jsonl", "i.json", "i.csv", "i.tsv", "i.parquet"])
def test_standard_input_is_told_by_its_beginning(tmp_path, name):
    content = written(tmp_path, name).read_bytes()
    assert [item.id for item in read_items("-", stdin=io.BytesIO(content))] == ["a", "b"]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (("input", "output", "target"), True),
        (("instruction", "actual_output", "expected_output"), True),
        (("user_input", "response", "expected"), True),
        (("prompt", "output", "reference"), True),
    ],
)
def test_the_usual_column_names_are_understood(columns, expected):
    (item,) = items_of([dict(zip(columns, ("p", "r", "good"), strict=True))])
    assert (item.prompt, item.response, item.reference) == ("p", "r", "good")
    assert not item.metadata


def test_a_mapping_goes_before_the_usual_names(tmp_path):
    path = tmp_path / "i.csv"
    path.write_text("key,question,answer,response,prompt\n1,q,a,kept,too\n")
    fields = {"id": "key", "prompt": "question", "response": "answer"}
    (item,) = read_items(path, fields=fields)
    assert (item.id, item.prompt, item.response) == ("1", "q", "a")
    assert item.metadata == {"response": "kept", "prompt": "too"}
    assert item.fields["response"] == "a"


def test_a_mapping_settles_which_of_two_columns_is_meant():
    row = {"instruction": "do", "input": "x", "output": "y"}
    (item,) = items_of([row], fields={"prompt": "instruction"})
    assert (item.prompt, item.metadata) == ("do", {"input": "x"})


def test_rows_without_ids_are_numbered_from_one(tmp_path):
    path = tmp_path / "i.jsonl"
    path.write_text('\n{"response": "a"}\n\n{"response": "b"}\n')
    assert [item.id for item in read_items(path)] == ["1", "2"]


def test_numbers_and_truth_values_become_text():
    rows = [
        {"id": 1, "response": 42},
        {"id": 2.5, "response": True},
        {"id": np.int64(3), "response": np.float64(0.5)},
    ]
    assert [(item.id, item.response) for item in items_of(rows)] == [
        ("1", "42"),
        ("2.5", "true"),
        ("3", "0.5"),
    ]


def test_missing_cells_are_left_out():
    rows = [{"response": "a", "prompt": None, "reference": float("nan"), "group": ""}]
    assert items_of(rows) == [Item(id="1", response="a")]


def test_nested_values_are_kept_as_metadata(tmp_path):
    path = tmp_path / "i.jsonl"
    path.write_text('{"response": "a", "tags": ["x", {"y": 1}], "empty": null}\n')
    (item,) = read_items(path)
    assert item.metadata == {"tags": ["x", {"y": 1}], "empty": None}


def test_rows_of_one_file_may_have_different_columns(tmp_path):
    path = tmp_path / "i.jsonl"
    path.write_text('{"response": "a", "group": "x"}\n{"output": "b"}\n')
    assert [(item.response, item.group) for item in read_items(path)] == [("a", "x"), ("b", None)]


@pytest.mark.parametrize("name", ["i.jsonl", "i.csv"])
def test_marks_and_line_ends_of_other_systems_are_read(tmp_path, name):
    path = written(tmp_path, name)
    content = path.read_bytes()
    # A line break within a quoted cell belongs to the text.
    plain = content.replace(b'"It ""is"",\nso."', b"It is").replace(b"\n", b"\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + plain)
    assert [item.id for item in read_items(path)] == ["a", "b"]


def test_semicolons_of_a_spreadsheet_are_read(tmp_path):
    path = tmp_path / "i.csv"
    path.write_text("id;response\n1;a, b\n")
    assert read_items(path) == [Item(id="1", response="a, b")]


def test_a_column_without_a_name_is_left_out(tmp_path):
    path = tmp_path / "i.csv"
    path.write_text(",id,response\n0,x,a\n1,y,b\n")
    assert read_items(path) == [Item(id="x", response="a"), Item(id="y", response="b")]


def test_a_cell_may_be_long(tmp_path):
    path = tmp_path / "i.csv"
    path.write_text("response\n" + "x" * 300_000 + "\n")
    assert len(read_items(path)[0].response) == 300_000


@pytest.mark.parametrize("name", FORMATS)
def test_a_limit_takes_the_first_items(tmp_path, name):
    assert [item.id for item in read_items(written(tmp_path, name), limit=1)] == ["a"]


def test_what_comes_after_the_limit_is_not_looked_at(tmp_path):
    path = tmp_path / "i.jsonl"
    path.write_text('{"response": "a"}\nnonsense\n')
    assert len(read_items(path, limit=1)) == 1


def test_items_and_mappings_may_be_mixed():
    own = Item(id="mine", response="a")
    assert items_of([own, {"id": "b", "response": "c"}]) == [own, Item(id="b", response="c")]


def test_rows_that_were_given_are_not_changed():
    row = {"id": "1", "response": "a", "note": "n"}
    items_of([row])
    assert row == {"id": "1", "response": "a", "note": "n"}


def test_errors_survive_the_way_between_processes():
    with pytest.raises(DatasetError) as caught:
        items_of([{"response": ""}, {"answer": ""}])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.problems) == (str(caught.value), caught.value.problems)
    assert len(again.problems) == 2


def test_a_hundred_thousand_rows_are_read(tmp_path):
    path = tmp_path / "i.jsonl"
    path.write_text("".join(f'{{"id": {k}, "response": "r{k}"}}\n' for k in range(100_000)))
    items = read_items(path)
    assert (len(items), items[-1].id, items[-1].response) == (100_000, "99999", "r99999")
