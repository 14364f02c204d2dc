"""Answers are mutated at random: what our reader believes, another reads the same."""

import gzip
import http.client
import io
import random
import zlib

import pytest

from adjudge.judges.http_reading import AnswerReader, UnreadableAnswerError
from adjudge.judges.transport import HttpAnswer
from tests.judges.hostile_answers import CHUNKED, LENGTH, OK, READ, REFUSED, USED_ONCE, packed

SEEDS = [
    OK + LENGTH + b"\r\nhello",
    OK + b"Content-Type: application/json\r\nX-Id: 7\r\n" + LENGTH + b"\r\nhello",
    CHUNKED + b"3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
    packed(gzip.compress(b"hello" * 9, mtime=0)),
    b"HTTP/1.1 100 Continue\r\n\r\n" + OK + LENGTH + b"\r\nhello",
    *READ.values(),
    *USED_ONCE.values(),
    *(answer for answer in REFUSED.values() if len(answer) < 400),
]
PIECES = [
    b"\r\n", b"\n", b"\r", b" ", b"\t", b":", b",", b";", b"\0", b"0", b"5", b"-1", b"0x5", b"\xb2",
    b"Content-Length: 5\r\n", b"Content-Length: 6\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: identity\r\n", b"Connection: close\r\n", b"5\r\nhello\r\n", b"0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n",
]  # fmt: skip


def mutated(chance: random.Random) -> bytes:
    """One of the seeds, with a few bytes changed, cut out, doubled or put in."""
    message = bytearray(chance.choice(SEEDS))
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(message) + 1)
        end = min(place + chance.randint(1, 8), len(message))
        change = chance.randrange(5)
        if change == 0:
            message[place:place] = chance.choice(PIECES)
        elif change == 1:
            del message[place:end]
        elif change == 2:
            message[place:place] = message[place:end]
        elif change == 3:
            message[place:end] = chance.choice(PIECES)
        elif place < len(message):
            message[place] = chance.randrange(256)
    return bytes(message)


def ours(message: bytes, chance: random.Random) -> tuple[HttpAnswer | None, bool]:
    reader = AnswerReader()
    begin = 0
    while begin < len(message):
        end = begin + chance.randint(1, len(message))
        answer = reader.feed(message[begin:end])
        if answer is not None:
            # What came after it in the same piece is seen too, and what comes later is not.
            return answer, reader.reusable and end >= len(message)
        begin = end
    return reader.end(), False


class _Socket:
    def __init__(self, message: bytes) -> None:
        self._message = message

    def makefile(self, *_: object) -> io.BufferedReader:
        return io.BufferedReader(io.BytesIO(self._message))  # type: ignore[arg-type]


def theirs(message: bytes) -> tuple[int, bytes]:
    """As Python's own client reads it."""
    response = http.client.HTTPResponse(_Socket(message))  # type: ignore[arg-type]
    response.begin()
    body = response.read()
    coding = (response.getheader("Content-Encoding") or "").lower()
    if coding in {"gzip", "x-gzip"}:
        body = gzip.decompress(body)
    elif coding == "deflate":
        body = zlib.decompress(body)
    return response.status, body


@pytest.mark.parametrize("seed", range(4))
def test_what_is_believed_is_read_the_same_by_another(seed):
    chance = random.Random(seed)
    believed = 0
    for _ in range(2500):
        message = mutated(chance)
        try:
            answer, reusable = ours(message, chance)
        except UnreadableAnswerError:
            continue
        if answer is None or not reusable:
            continue  # not believed, or the connection is not used again
        status, body = theirs(message)
        if status < 200:
            continue  # announced, which it does not read past
        believed += 1
        assert (status, body) == (answer.status, answer.body), message
    assert believed > 40
