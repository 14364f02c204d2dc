import gzip
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.http_reading import AnswerReader, UnreadableAnswerError
from adjudge.judges.transport import LONGEST_ANSWER
from tests.judges.hostile_answers import ENDLESS, READ, REFUSED, USED_ONCE

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: x\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;note=x\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
)
ANNOUNCED = b"HTTP/1.1 100 Continue\r\n\r\n" + PLAIN
PACKED = gzip.compress(b"hello", mtime=0)
ZIPPED = (
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(PACKED)
    + PACKED
)


def read(pieces):
    reader = AnswerReader()
    for piece in pieces:
        answer = reader.feed(piece)
        if answer is not None:
            return answer, reader
    return reader.end(), reader


@pytest.mark.parametrize("message", [PLAIN, CHUNKED, ANNOUNCED, ZIPPED])
@given(data=st.data())
def test_an_answer_is_the_same_in_whatever_pieces_it_comes(message, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(message)), max_size=12)))
    edges = [0, *cuts, len(message)]
    pieces = [message[a:b] for a, b in pairwise(edges)]
    answer, reader = read(pieces)
    assert (answer.status, answer.body) == (200, b"hello")
    assert reader.reusable


def test_an_answer_without_a_length_ends_with_its_connection():
    answer, reader = read([b"HTTP/1.1 200 OK\r\n\r\nhel", b"lo"])
    assert answer.body == b"hello"
    assert not reader.reusable


@pytest.mark.parametrize("cut", range(1, len(PLAIN)))
def test_an_answer_that_ends_early_is_none(cut):
    assert read([PLAIN[:cut]])[0] is None


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_answer_is_refused(name):
    with pytest.raises(UnreadableAnswerError):
        read([REFUSED[name]])


@pytest.mark.parametrize("name", USED_ONCE)
def test_a_connection_is_not_used_again_where_that_is_not_safe(name):
    answer, reader = read([USED_ONCE[name]])
    assert answer.body == b"hello"
    assert not reader.reusable


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("size", [1, 10_000])
def test_what_is_odd_and_right_is_read(name, size):
    message = READ[name]
    answer, reader = read([message[at : at + size] for at in range(0, len(message), size)])
    assert answer.body == b"hello"
    assert reader.reusable


def test_repeated_headers_are_one_list():
    answer, _ = read([PLAIN.replace(b"Content-Type: x", b"A: 1\r\nB: x\r\na:2\r\nA: 3")])
    assert answer.headers["a"] == "1, 2, 3"


def most_held(name, *, pieces, size):
    """Bytes that are kept at most of what does not end, and bytes read before it is refused."""
    beginning, repeated = ENDLESS[name]
    reader = AnswerReader()
    endless = repeated * (2 * size // len(repeated) + 2)
    read, held = 0, 0
    try:
        reader.feed(beginning)
        for _ in range(pieces):
            at = read % len(repeated)
            assert reader.feed(endless[at : at + size]) is None
            read, held = read + size, max(held, reader.held)
    except UnreadableAnswerError:
        return held, read
    return held, None


@pytest.mark.parametrize("name", ENDLESS)
def test_what_does_not_end_is_refused_and_not_kept(name):
    held, read = most_held(name, pieces=256, size=2**18)  # 64 MB
    assert read <= 9 * 2**20
    assert held <= 2**18


@pytest.mark.parametrize("name", ENDLESS)
def test_what_does_not_end_byte_by_byte_is_not_kept(name):
    held, _ = most_held(name, pieces=2**17, size=1)
    assert held <= 2**16 + 2**10


@pytest.mark.parametrize("end", [b"", b"X: y", b"X: y\r\n"])
def test_an_answer_is_complete_with_its_last_chunk(end):
    answer, _ = read([CHUNKED.removesuffix(b"\r\n") + end])
    assert answer.body == b"hello"


def test_no_more_is_kept_than_any_answer_has():
    huge = b"x" * (LONGEST_ANSWER + 1)
    length = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\nx" % len(huge)
    chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\nx" % len(huge)
    for message in (length, chunk, b"HTTP/1.1 200 OK\r\n\r\n" + huge):
        answer, reader = read([message])
        assert answer.body is None
        assert not reader.reusable
    bomb = gzip.compress(b"x" * (LONGEST_ANSWER * 3))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    assert read([head + bomb])[0].body is None


def test_a_million_tiny_chunks_take_no_longer_than_their_bytes():
    reader = AnswerReader()
    reader.feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = b"1\r\nx\r\n" * 100_000
    for _ in range(10):
        assert reader.feed(piece) is None
    assert len(reader.feed(b"0\r\n\r\n").body) == 1_000_000


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(b"timeout=5, max=100", 5), (b"max=3", None), (b"timeout=soon", None)],
)
def test_how_long_a_server_keeps_a_connection_is_read(header, seconds):
    _, reader = read([PLAIN.replace(b"Content-Type: x", b"Keep-Alive: " + header)])
    assert reader.keep_alive == seconds
