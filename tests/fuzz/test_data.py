"""Whatever a source of items holds, it is read, or refused in sentences, in bounded memory."""

import tracemalloc
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.dataset import read_items
from adjudge.errors import DatasetError
from tests.fuzz.corpus.data import SOURCES, parquet

MOST_MEMORY = 500 * 2**20


def assert_read_or_refused(path: object, **options: object) -> None:
    items, problems = [], ()
    try:
        items = read_items(path, **options)  # type: ignore[arg-type]
    except DatasetError as error:
        problems = error.problems
    assert bool(items) != bool(problems)
    assert all("; " in problem for problem in problems)
    assert all(item.response.strip() for item in items)


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_of_the_corpus_is_read_or_refused(name, tmp_path):
    file, content = SOURCES[name]
    (tmp_path / file).write_bytes(content)
    tracemalloc.start()
    try:
        assert_read_or_refused(tmp_path / file)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()


@given(
    base=st.sampled_from(sorted(content for _, content in SOURCES.values() if len(content) < 9999)),
    at=st.integers(0, 400),
    piece=st.binary(max_size=8) | st.sampled_from([b'"', b"\n", b",", b"{", b"\x00", b"\\u0000"]),
    length=st.integers(0, 20),
)
def test_damaged_sources_are_read_or_refused(base, at, piece, length):
    if not base.startswith(parquet()[:4]):
        assert_read_or_refused("-", stdin=BytesIO(base[:at] + piece + base[at + length :]))
