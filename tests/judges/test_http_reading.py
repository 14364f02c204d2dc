import gzip
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.http_reading import AnswerReader, UnreadableAnswerError
from adjudge.judges.transport import LONGEST_ANSWER

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


@pytest.mark.parametrize(
    "message",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: \xb2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 \xb2\xb2\xb2\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"0" * 5000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx",
        b"x" * 70_000,
    ],
)
def test_what_is_no_answer_is_refused(message):
    with pytest.raises(UnreadableAnswerError):
        read([message])


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more",
    ],
)
def test_a_connection_is_not_used_again_where_that_is_not_safe(head):
    answer, reader = read([head])
    assert answer.body == b"hello"
    assert not reader.reusable


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
    assert len(read([head + bomb])[0].body) <= LONGEST_ANSWER


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
