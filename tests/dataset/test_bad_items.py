"""Every way in which items can be wrong, and the exact sentence that says so."""

import gzip
import io
from pathlib import Path

import polars as pl
import pytest

from adjudge.dataset import items_of, read_items
from adjudge.errors import DatasetError, InputError


def problems(path: Path, content: bytes | str, **options: object) -> list[str]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DatasetError) as caught:
        read_items(path, **options)  # type: ignore[arg-type]
    return [problem.replace(f"{path.parent}/", "") for problem in caught.value.problems]


def cases(table: list[tuple[str, str | bytes, list[str]]]) -> list[object]:
    return [pytest.param(*case, id=name) for name, *case in table]


OBJECT = 'give an object, as {"id": "1", "response": "..."}'
EMPTY_RESPONSE = "the response is empty; write a text, such as (no answer), or leave the row out"

JSON_LINES = [
    ("nothing at all", "", ["items.jsonl: there are no items; give at least one row"]),
    ("blank lines only", "\n \n", ["items.jsonl: there are no items; give at least one row"]),
    (
        "a broken line",
        '{"response": "a"}\n{"response": "b"\n',
        ["items.jsonl, line 2: it is not JSON (column 17); fix it there"],
    ),
    (
        "an object over several lines",
        '{\n  "response": "a"\n}\n',
        [
            "items.jsonl, line 1: an object is not closed; write each object on a line "
            "of its own, or all of them as one list in [ ]"
        ],
    ),
    (
        "rows that are no objects",
        '{"response": "a"}\n"b"\n[1]\n3\nnull\ntrue\n',
        [
            f"items.jsonl, line 2: this is a text; {OBJECT}",
            f"items.jsonl, line 3: this is a list; {OBJECT}",
            f"items.jsonl, line 4: this is a number; {OBJECT}",
            f"items.jsonl, line 5: this is null; {OBJECT}",
            f"items.jsonl, line 6: this is true or false; {OBJECT}",
        ],
    ),
    (
        "an empty, a blank and a null response",
        '{"response": ""}\n{"response": " \\n"}\n\n{"response": null}\n',
        [f"items.jsonl, lines 1, 2 and 4: {EMPTY_RESPONSE}"],
    ),
    (
        "many empty responses",
        '{"response": ""}\n' * 1207,
        [f"items.jsonl, lines 1, 2, 3, 4, 5 and 1,202 more: {EMPTY_RESPONSE}"],
    ),
    (
        "one row without a response",
        '{"response": "a"}\n{"answer": "b", "id": 2}\n{"id": 3}\n',
        [
            "items.jsonl, lines 2 and 3: there is no response, but other rows have one; write one, "
            "such as (no answer), or leave the row out"
        ],
    ),
    (
        "an empty object",
        "{}\n",
        [
            "items.jsonl: no column holds the response: none is named response or output or "
            "actual_output; name the one that does, as items.fields: {response: answer}"
        ],
    ),
    (
        "two columns that mean the response",
        '{"response": "a", "output": "b"}\n',
        [
            'items.jsonl: the columns "response" and "output" can all mean the response; say which '
            "one does, as items.fields: {response: response}"
        ],
    ),
    (
        "two columns that mean the prompt",
        '{"instruction": "do", "input": "x", "output": "b"}\n',
        [
            'items.jsonl: the columns "input" and "instruction" can all mean the prompt; say which '
            "one does, as items.fields: {prompt: input}"
        ],
    ),
    (
        "the same id twice, as text and as number",
        '{"id": "7", "response": "a"}\n{"id": 8, "response": "a"}\n{"id": 7, "response": "b"}\n',
        ['items.jsonl, lines 1 and 3: the id "7" is given more than once; give each item its own'],
    ),
    (
        "ids in some rows only",
        '{"id": "a", "response": "a"}\n{"response": "b"}\n{"id": null, "response": "c"}\n',
        [
            "items.jsonl, lines 2 and 3: there is no id, but other rows have one; give every "
            "row an id, or none"
        ],
    ),
    (
        "a nested response",
        '{"response": [{"role": "assistant"}]}\n{"response": {"text": "a"}}\n',
        [
            "items.jsonl, line 1: the response is a list, not text; give text, or name another "
            "column in fields",
            "items.jsonl, line 2: the response is a dict, not text; give text, or name another "
            "column in fields",
        ],
    ),
    (
        "a nested group",
        '{"response": "a", "group": ["x"]}\n',
        [
            "items.jsonl, line 1: the group is a list, not text; give text, or name another "
            "column in fields"
        ],
    ),
    (
        "half a character",
        '{"response": "\\ud83d"}\n',
        ["items.jsonl, line 1: it is not JSON (column 15); fix it there"],
    ),
    (
        "a line in another encoding",
        b'{"response": "a"}\n{"response": "caf\xe9"}\n',
        [
            "items.jsonl, line 2: byte 18 is 0xE9, which is not UTF-8; save the file as UTF-8",
        ],
    ),
    (
        "UTF-16",
        '{"response": "a"}\n'.encode("utf-16"),
        ["items.jsonl: it is UTF-16; save it as UTF-8"],
    ),
    (
        "several problems at once",
        '{"id": 1, "response": ""}\nnope\n{"id": 1, "response": "b"}\n{"id": 1, "response": "c"}\n',
        [
            f"items.jsonl, line 1: {EMPTY_RESPONSE}",
            "items.jsonl, line 2: it is not JSON (column 1); fix it there",
            'items.jsonl, lines 3 and 4: the id "1" is given more than once; '
            "give each item its own",
        ],
    ),
]


@pytest.mark.parametrize(("content", "expected"), cases(JSON_LINES))
def test_what_is_wrong_with_json_lines_is_said(tmp_path, content, expected):
    assert problems(tmp_path / "items.jsonl", content) == expected


DELIMITED = [
    ("a header only", "id,response\n", ["items.csv: there are no items; give at least one row"]),
    (
        "ragged rows",
        "id,response\n1,a\n2,b,c\n3\n4,d,e\n",
        [
            "items.csv, lines 3 and 5: there are 3 cells where the header has 2; put text that "
            "holds separators or line breaks in double quotes",
            "items.csv, line 4: there are 1 cells where the header has 2; put text that "
            "holds separators or line breaks in double quotes",
        ],
    ),
    (
        "a quote that does not end",
        'id,response\n1,a\n2,"b\n3,c\n',
        ["items.csv, line 3: a quoted cell is not closed; double each quote inside a quoted cell"],
    ),
    (
        "a quote within a quoted cell",
        'id,response\n1,"a "b" c"\n2,\n',
        [
            "items.csv, line 2: ',' expected after '\"'; double each quote inside a quoted cell",
            f"items.csv, line 3: {EMPTY_RESPONSE}",
        ],
    ),
    (
        "a column twice",
        "id,response,response\n1,a,b\n",
        ['items.csv: the column "response" occurs twice; rename one of them'],
    ),
    (
        "no response column",
        "id,question,answer\n1,a,b\n2,c,d\n",
        [
            "items.csv: no column holds the response: none is named response or output or "
            "actual_output; name the one that does, as items.fields: {response: answer} (the "
            "columns are id, question, answer)"
        ],
    ),
    (
        "a cell in another encoding",
        b"id,response\n1,caf\xe9\n",
        ["items.csv, line 2: byte 6 is 0xE9, which is not UTF-8; save the file as UTF-8"],
    ),
    (
        "an empty response after a cell of two lines",
        'id,response\n1,"a\nb"\n2,\n',
        [f"items.csv, line 4: {EMPTY_RESPONSE}"],
    ),
    (
        "no id in one row",
        "id,response\n1,a\n,b\n",
        [
            "items.csv, line 3: there is no id, but other rows have one; "
            "give every row an id, or none"
        ],
    ),
]


@pytest.mark.parametrize(("content", "expected"), cases(DELIMITED))
def test_what_is_wrong_with_a_table_is_said(tmp_path, content, expected):
    assert problems(tmp_path / "items.csv", content) == expected


MAPPINGS = [
    (
        {"response": "anser"},
        [
            'items.csv: there is no column "anser", which items.fields.response names; '
            'did you mean "answer"?'
        ],
    ),
    (
        {"response": "answer", "group": "system"},
        [
            'items.csv: there is no column "system", which items.fields.group names; '
            "the columns are key, question, answer"
        ],
    ),
    (
        {"respons": "answer"},
        ['items.csv: "respons" in fields is not a field of an item; did you mean response?'],
    ),
    (
        {"response": "answer", "score": "key"},
        [
            'items.csv: "score" in fields is not a field of an item; '
            "items have id, prompt, response, reference, group, label"
        ],
    ),
]


@pytest.mark.parametrize(("fields", "expected"), MAPPINGS)
def test_a_mapping_to_what_is_not_there_is_refused(tmp_path, fields, expected):
    content = "key,question,answer\n1,a,b\n"
    assert problems(tmp_path / "items.csv", content, fields=fields) == expected


def test_a_broken_parquet_file_is_refused(tmp_path):
    (sentence,) = problems(tmp_path / "items.parquet", b"PAR1 and then nothing of the kind")
    assert sentence.startswith("items.parquet: it is not a valid Parquet file (")
    assert sentence.endswith("); write it again")


def test_rows_of_a_parquet_file_are_counted_from_one(tmp_path):
    path = tmp_path / "items.parquet"
    pl.DataFrame({"id": ["a", "b", "b"], "response": ["x", None, "y"]}).write_parquet(path)
    assert problems(path, path.read_bytes()) == [f"items.parquet, row 2: {EMPTY_RESPONSE}"]


def test_a_broken_list_says_where(tmp_path):
    assert problems(tmp_path / "items.json", '[{"response": "a"},\n {"response": }]') == [
        "items.json: it is not JSON (line 2, column 15); fix it there"
    ]


def test_a_list_of_other_things_is_refused_by_row(tmp_path):
    assert problems(tmp_path / "items.json", '[{"response": "a"}, "b"]') == [
        'items.json, row 2: this is a text; give an object, as {"id": "1", "response": "..."}'
    ]


def test_a_damaged_archive_is_refused(tmp_path):
    whole = gzip.compress(b'{"response": "a"}\n' * 1000)
    expected = ["items.jsonl.gz: it cannot be unpacked; compress it with gzip again"]
    assert problems(tmp_path / "items.jsonl.gz", whole[:40]) == expected
    assert problems(tmp_path / "items.jsonl.gz", b"not packed") == expected


def test_a_name_that_says_nothing_is_refused(tmp_path):
    assert problems(tmp_path / "items.xlsx", b"") == [
        "items.xlsx: its suffix is not known; use .jsonl, .ndjson, .json, .csv, .tsv or .parquet"
    ]


def test_a_missing_file_names_its_neighbours(tmp_path):
    (tmp_path / "item.jsonl").write_text("")
    with pytest.raises(DatasetError) as caught:
        read_items(tmp_path / "items.jsonl")
    assert str(caught.value) == (
        f"{tmp_path}/items.jsonl: there is no such file; its folder has item.jsonl"
    )


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "items.csv").mkdir()
    with pytest.raises(DatasetError, match=r"items.csv: this is a folder; name a file in it"):
        read_items(tmp_path / "items.csv")


def test_a_limit_below_one_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"limit: 0; take at least one item"):
        read_items(tmp_path / "items.csv", limit=0)


def test_problems_of_standard_input_are_named_so():
    with pytest.raises(DatasetError, match=r"^standard input, line 1: the response is empty"):
        read_items("-", stdin=io.BytesIO(b'{"response": ""}'))


def test_no_more_problems_are_listed_than_people_read(tmp_path):
    lines = "".join(f'{{"id": "{k // 2}", "response": "a"}}\n' for k in range(100))
    told = problems(tmp_path / "items.jsonl", lines)
    assert len(told) == 21
    assert told[-1] == "items.jsonl: and problems in 60 more lines"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (["a"], "items, row 2: this is a list; give a mapping or an Item"),
        ({1: "a"}, "items, row 2: a key is not text; use text as the name of every field"),
        ({"response": "\ud83d"}, "items, row 2: the response holds half a character (a lone "
         "surrogate); repair the text"),
        ({"response": b"a"}, "items, row 2: the response is a bytes, not text; give text, or "
         "name another column in fields"),
    ],
)  # fmt: skip
def test_python_values_that_are_no_items_are_refused(row, expected):
    with pytest.raises(DatasetError) as caught:
        items_of([{"response": "fine"}, row])
    assert caught.value.problems == (expected,)
