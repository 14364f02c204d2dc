"""Whatever a source holds, it is read or refused in sentences."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.dataset import items_of, read_items
from adjudge.errors import DatasetError
from adjudge.records import Item

TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(str.strip)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"id": TEXT, "response": TEXT}, optional={"prompt": TEXT, "group": TEXT, "other": TEXT}
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda row: row["id"],
)


def read(content: bytes) -> tuple[list[Item], tuple[str, ...]]:
    try:
        return read_items("-", stdin=io.BytesIO(content)), ()
    except DatasetError as error:
        return [], error.problems


@given(
    content=st.binary(max_size=60)
    | st.text(alphabet='ab,;"\r\n\t{}[]: responseid', max_size=60).map(str.encode)
)
def test_any_bytes_are_read_or_refused_in_sentences(content):
    items, told = read(content)
    assert bool(items) != bool(told)
    assert all(": " in problem and "; " in problem for problem in told)
    assert all(item.response.strip() for item in items)
    assert len({item.id for item in items}) == len(items)


@given(rows=ROWS)
def test_json_lines_keep_every_text(rows):
    content = "".join(json.dumps(row) + "\n" for row in rows)
    assert read_items("-", stdin=io.BytesIO(content.encode())) == items_of(rows)


@given(rows=ROWS)
def test_tables_keep_every_text(rows):
    columns = ["id", "response", "prompt", "group"]
    written = io.StringIO(newline="")
    writer = csv.DictWriter(written, columns, quoting=csv.QUOTE_ALL, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    expected = items_of([{name: row.get(name) for name in columns} for row in rows])
    assert read_items("-", stdin=io.BytesIO(written.getvalue().encode())) == expected


@given(
    rows=st.lists(
        st.dictionaries(st.text(max_size=3), st.none() | st.integers() | TEXT, max_size=3),
        max_size=3,
    )
)
def test_any_mappings_are_read_or_refused_in_sentences(rows):
    with pytest.raises(DatasetError) as caught:
        items_of([*rows, {"response": ""}])
    assert caught.value.problems
