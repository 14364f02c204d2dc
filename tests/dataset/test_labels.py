"""Files of labels: what is read from them, and every way in which they can be wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from adjudge.dataset import items_of, labels_of, read_items, read_labels
from adjudge.dataset.draws import Draw, read_draws
from adjudge.dataset.labels import joined_labels
from adjudge.errors import DatasetError
from adjudge.judges import Scale
from adjudge.records import Item, Label
from adjudge.run import label_reading

READING = label_reading(Scale(low=1, high=5, whole=True))
WORDS = "a whole number from 1 (worst) to 5 (best)"
REMEDY = "correct it, leave it empty, or say how people score, as labels: {scale: %s}"
IDS = ("q1", "q2", "q3")
ROWS: list[dict[str, Any]] = [
    {"item": "q1", "label": 4, "rater": "ann"},
    {"item": "q1", "label": 3, "rater": "bob"},
    {"item": "q2", "label": None, "rater": "ann"},
    {"item": "q3", "label": 5, "rater": "ann"},
]
READ = [
    Label(item="q1", value=4, rater="ann"),
    Label(item="q1", value=3, rater="bob"),
    Label(item="q3", value=5, rater="ann"),
]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows in the format that the ending of the path names."""
    frame = pl.DataFrame(rows)
    if path.suffix == ".csv":
        frame.write_csv(path)
    elif path.suffix == ".tsv":
        frame.write_csv(path, separator="\t")
    elif path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".json":
        path.write_bytes(orjson.dumps(rows))
    else:
        path.write_bytes(b"\n".join(orjson.dumps(row) for row in rows))
    return path


def problems(path: Path, text: str, **options: Any) -> list[str]:
    path.write_text(text)
    with pytest.raises(DatasetError) as caught:
        read_labels(path, reading=READING, items=IDS, **options)
    return [problem.replace(f"{path.parent}/", "") for problem in caught.value.problems]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_every_format_gives_the_same_labels_and_rows_without_one_are_left_out(
    tmp_path: Path, ending: str
) -> None:
    path = written(tmp_path / f"labels.{ending}", ROWS)
    assert read_labels(path, reading=READING, items=IDS) == READ


def test_python_values_are_read_by_the_same_rules() -> None:
    assert labels_of(ROWS, reading=READING, items=IDS) == READ
    assert labels_of(READ, reading=READING, items=IDS) == READ


@pytest.mark.parametrize("header", ["item_id,human,annotator", "id,human_score,rater"])
def test_columns_are_found_by_the_names_that_mean_them(tmp_path: Path, header: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"{header},comment\nq2,2,eve,hm\n")
    assert read_labels(path, reading=READING, items=IDS) == [Label(item="q2", value=2, rater="eve")]


def test_everything_wrong_is_told_at_once_with_its_rows(tmp_path: Path) -> None:
    text = (
        "item,label,rater\nq9,3,ann\nq1,7,ann\nq2,good,ann\nq3,2,ann\n,4,ann\nq3,3,ann\nq1,7,bob\n"
    )
    assert problems(tmp_path / "labels.csv", text) == [
        'labels.csv, line 2: there is no item "q9"; give the id of an item, or leave the row out',
        f'labels.csv, lines 3 and 8: the label "7" is not {WORDS}; {REMEDY % "1..7"}',
        f'labels.csv, line 4: the label "good" is not {WORDS}; '
        + REMEDY % "{labels: {poor: 0, fair: 1, good: 2}}",
        "labels.csv, line 6: no item is named; give its id in the column item",
        'labels.csv, lines 5 and 7: rater ann labels item "q3" both 2 and 3; leave one out, or '
        "name the raters in a column rater",
    ]


@pytest.mark.parametrize(
    ("label", "scale"),
    [
        ("yes", "{labels: {no: 0, yes: 1}}"),
        ("0.25", "0.0..1.0"),
        ("3,5", "1.0..5.0"),
        ("6", "1..7"),
        ("80", "0..100"),
        ("good", "{labels: {poor: 0, fair: 1, good: 2}}"),
    ],
)
def test_a_label_off_the_scale_comes_with_the_scale_that_it_may_be_on(
    label: str, scale: str
) -> None:
    with pytest.raises(DatasetError) as caught:
        labels_of([{"item": "q1", "label": label}], reading=READING, items=IDS)
    assert caught.value.problems[0].endswith(REMEDY % scale)


@pytest.mark.parametrize("label", ["N/A", "null", "-", "inf", "1e400", "-3", "[1]"])
def test_a_label_that_is_on_no_scale_is_to_be_mended_or_left_out(label: str) -> None:
    with pytest.raises(DatasetError, match="correct it, or leave it empty if nobody labelled"):
        labels_of([{"item": "q1", "label": label}], reading=READING, items=IDS)


def test_columns_are_found_whatever_their_case() -> None:
    found = labels_of([{"Item ": "q1", "LABEL": 3, "Rater": "ann"}], reading=READING, items=IDS)
    assert found == [Label(item="q1", value=3, rater="ann")]


def test_an_id_that_is_almost_right_is_told_with_the_right_one(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item,label\nquestion-11,3\n")
    with pytest.raises(DatasetError, match=r'did you mean "question-1"\?'):
        read_labels(path, reading=READING, items=["question-1", "other"])


def test_a_file_without_the_columns_is_refused_by_what_it_lacks(tmp_path: Path) -> None:
    assert problems(tmp_path / "labels.csv", "item,mark\nq1,3\n") == [
        "labels.csv, line 2: no column holds the label: none is named label or human or "
        "human_score; the columns are item, mark"
    ]


def test_equal_labels_of_one_rater_count_once(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item,label\nq1,3\nq1,3.0\n")
    assert read_labels(path, reading=READING, items=IDS) == [Label(item="q1", value=3)]


def test_labels_of_items_beyond_a_limit_are_left_out_where_that_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item,label\nq1,3\nq9,2\n")
    found = read_labels(path, reading=READING, items=IDS, strangers=True)
    assert [label.item for label in found] == ["q1"]


def test_the_apostrophe_by_which_spreadsheets_know_text_is_no_part_of_an_id(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("item,label\n'=1+1,3\n")
    found = read_labels(path, reading=READING, items=["=1+1"])
    assert found == [Label(item="=1+1", value=3)]


def test_two_sources_that_contradict_are_refused_with_both_names() -> None:
    with pytest.raises(DatasetError) as caught:
        joined_labels(
            [("items", [Label(item="q1", value=3)]), ("labels.csv", [Label(item="q1", value=4)])]
        )
    assert list(caught.value.problems) == [
        'labels.csv: item "q1" is labelled 4 here and 3 in items; correct one of them, or name the '
        "raters"
    ]


@pytest.mark.parametrize(
    ("scale", "given", "value"),
    [
        (Scale(low=0, high=1), "0.25", 0.25),
        (Scale(low=0, high=1), "0,25", 0.25),
        (Scale(low=0, high=1, whole=True), "Yes", 1.0),
        (Scale(low=0, high=1, whole=True), False, 0.0),
        (Scale.of_labels({"poor": 0, "good": 2}), " GOOD ", 2.0),
        (Scale.of_labels({"poor": 0, "fair": 1, "good": 2}), 1, 1.0),
        (Scale(low=1, high=5, whole=True), "2.5", None),
        (Scale(low=1, high=5, whole=True), True, None),
        (Scale(low=1, high=5), "nan", None),
    ],
)
def test_a_label_is_a_number_or_a_word_of_its_scale(
    scale: Scale, given: object, value: float | None
) -> None:
    assert label_reading(scale).parse(given) == value


def test_a_column_of_the_items_holds_labels_that_no_prompt_can_name(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id,response,human\na,x,4\nb,y,\n")
    first, second = read_items(path, labels=READING)
    assert (first.label, second.label) == (4, None)
    assert "human" not in first.fields
    assert "label" not in first.fields


def test_labels_off_the_scale_are_told_with_the_other_problems_of_the_items(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id,response,label\na,x,9\nb,,3\n")
    with pytest.raises(DatasetError) as caught:
        read_items(path, labels=READING)
    told = "\n".join(caught.value.problems)
    assert f'line 2: the label "9" is not {WORDS}' in told
    assert "line 3: the response is empty" in told


def test_a_column_of_that_name_is_metadata_where_the_user_says_so(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id,response,label\na,x,spam\n")
    (item,) = read_items(path, labels=READING, fields={"label": ""})
    assert (item.label, item.metadata["label"]) == (None, "spam")
    assert read_items(path)[0].metadata["label"] == "spam"


def test_an_item_made_in_python_has_its_label_checked() -> None:
    with pytest.raises(DatasetError, match=r'row 1: the label "9\.0" is not'):
        items_of([Item(id="a", response="x", label=9.0)], labels=READING)


def test_draws_are_read_as_they_were_written_and_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.draws.jsonl"
    draw = Draw(at="2026-11-18", items=("q1",), probability={"q1": 0.5, "q2": 0.25})
    assert read_draws(path) == ()
    path.write_bytes(draw.line * 2)
    assert read_draws(path) == (draw, draw)
    path.write_bytes(draw.line + b'{"items": ["q1"], "probability": {}}\n')
    with pytest.raises(DatasetError, match="line 2: this is not a draw written by"):
        read_draws(path)
