"""Servers that mean harm, over real connections, asked directly and as a proxy."""

import asyncio
import socket
import threading
import tracemalloc

import pytest

from adjudge.judges.http_connection import Connection
from adjudge.judges.transport import BrokenOffError, NotSentError
from tests.judges.hostile_answers import ENDLESS, READ, USED_ONCE, packed
from tests.judges.wire import HELLO, Server, always, by_proxy, directly, exchanges, once

WAYS = pytest.mark.parametrize("way", [directly, by_proxy])
BROKEN = (BrokenOffError, TimeoutError)
"""Both are presumed billed."""


def endless(name, *, most):
    """Sends what does not end, up to so many bytes."""
    beginning, repeated = ENDLESS[name]
    piece = repeated * (2**16 // len(repeated) + 1)

    def play(server, connection):
        server.read(connection)
        connection.sendall(beginning)
        for _ in range(most // len(piece)):
            connection.sendall(piece)
        server.sent_all = True

    return play


@pytest.mark.parametrize("name", ENDLESS)
def test_what_does_not_end_is_given_up_before_it_fills_the_memory(name):
    with Server(endless(name, most=64 * 2**20)) as server:
        with pytest.raises(BrokenOffError):
            exchanges(server)
        assert not hasattr(server, "sent_all")


@WAYS
@pytest.mark.parametrize("name", ["1xx", "chunk extensions", "chunk extension", "trailers"])
def test_what_does_not_end_is_not_kept(name, way):
    with Server(endless(name, most=6 * 2**20)) as server:
        tracemalloc.start()
        try:
            with pytest.raises(BROKEN):
                exchanges(server, way=way)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 3 * 2**20


@WAYS
@pytest.mark.parametrize("cut", [9, 4, 1])
def test_a_packed_answer_that_is_broken_off_is_no_answer(way, cut):
    whole = READ["packed"].partition(b"\r\n\r\n")[2]
    with Server(always(packed(whole[:-cut]))) as server, pytest.raises(BrokenOffError):
        exchanges(server, way=way)


@WAYS
def test_a_packed_answer_without_a_byte_is_an_empty_one(way):
    with Server(always(packed(b""))) as server:
        assert exchanges(server, way=way)[0].body == b""


@WAYS
def test_repeated_headers_are_one_list(way):
    answer = HELLO.replace(b"\r\n\r\n", b"\r\nX: 1\r\nx: 2\r\n\r\n")
    with Server(always(answer)) as server:
        assert exchanges(server, way=way)[0].headers["x"] == "1, 2"


@pytest.mark.parametrize("name", USED_ONCE)
def test_a_connection_that_cannot_be_trusted_is_used_once(name):
    with Server(once(USED_ONCE[name])) as server:
        answers = exchanges(server, 2)
    assert [answer.body for answer in answers] == [b"hello"] * 2
    assert server.connections == 2


@WAYS
def test_an_answer_that_nobody_asked_for_never_counts(way):
    """It is in the socket, and the event loop has had no turn to see it."""
    unasked, sent = threading.Event(), threading.Event()

    def one_too_many(server, connection):
        server.read(connection)
        connection.sendall(HELLO)
        unasked.wait(10)
        connection.sendall(HELLO.replace(b"hello", b"wrong"))
        sent.set()
        while server.read(connection) is not None:
            continue

    def meanwhile():
        unasked.set()
        assert sent.wait(10)

    with Server(one_too_many, always(HELLO)) as server:
        answers = exchanges(server, 2, way=way, between=meanwhile)
    assert [answer.body for answer in answers] == [b"hello"] * 2
    assert server.connections == 2


def test_an_endpoint_that_speaks_first_is_not_asked():
    """Whether the event loop has read what it said, or not yet."""

    async def ask(turns):
        ours, theirs = socket.socketpair()
        with theirs:
            theirs.sendall(HELLO)
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: Connection(set()), sock=ours
            )
            try:
                for _ in range(turns):
                    await asyncio.sleep(0)
                if connection.quiet():
                    await connection.exchange(b"request", 1.0)
            finally:
                connection.abort()
                await asyncio.sleep(0)
            raise NotSentError("it was not quiet")

    for turns in range(4):
        with pytest.raises(NotSentError):
            asyncio.run(ask(turns))
