"""Whatever bytes a server sends, they are read or refused, in bounded memory."""

import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.http_reading import AnswerReader, UnreadableAnswerError
from adjudge.judges.transport import LONGEST_ANSWER, HttpAnswer
from tests.fuzz.corpus.http import ANSWERS, ENDLESS

PIECES = st.sampled_from(
    [
        *(
            b"HTTP/1.1 200 OK\r\n",
            b"HTTP/1.1 100 Continue\r\n\r\n",
            b"HTTP/1.0 ",
            b"\r\n",
            b"\r\n\r\n",
        ),
        *(
            b"Content-Length: 5",
            b"Content-Length: ",
            b"Transfer-Encoding: chunked",
            b"chunked, gzip",
        ),
        *(b"Content-Encoding: gzip", b"Connection: close", b"Keep-Alive: timeout=5", b"\n", b"\r"),
        *(b"5", b"0", b"fffff", b";x=y", b"hello", b": ", b" ", b"\x00", b"\xff", b"\x1f\x8b\x08"),
    ]
)


def read(message: bytes, pieces: int) -> HttpAnswer | None:
    reader = AnswerReader()
    try:
        for start in range(0, len(message), pieces):
            answer = reader.feed(message[start : start + pieces])
            if answer is not None:
                return answer
        return reader.end()
    except UnreadableAnswerError:
        return None


def assert_sound(answer: HttpAnswer | None) -> None:
    if answer is not None:
        assert 200 <= answer.status < 1000
        assert answer.body is None or len(answer.body) <= LONGEST_ANSWER


@given(message=st.lists(PIECES | st.binary(max_size=6), max_size=20).map(b"".join))
def test_any_bytes_are_an_answer_or_refused_and_pieces_do_not_matter(message):
    answer = read(message, len(message) or 1)
    assert_sound(answer)
    assert (read(message, 1) is None) == (answer is None)


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_of_the_corpus_is_read_or_refused(name):
    assert_sound(read(ANSWERS[name], 2**16))


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_takes_neither_memory_nor_time(name):
    assert_bounded(*ENDLESS[name])


def assert_bounded(begins: bytes, goes_on: bytes) -> None:
    """Of forty-eight megabytes no more is kept than three answers of the longest kind."""
    piece = goes_on * (2**16 // len(goes_on) + 1)
    reader = AnswerReader()
    answer = None
    began = time.process_time()
    tracemalloc.start()
    try:
        for number in range(768):
            if answer is None:
                answer = reader.feed(piece if number else begins + piece)
    except UnreadableAnswerError:
        answer = None
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert_sound(answer)
    assert most < 3 * LONGEST_ANSWER
    assert time.process_time() - began < 30
