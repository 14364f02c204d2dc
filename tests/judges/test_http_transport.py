"""Our own HTTP, against servers that do what servers do."""

import gzip
import socket
import threading

import pytest
import uvloop
from yarl import URL

from adjudge.judges.transport import BrokenOffError, NotSentError
from tests.judges.wire import HELLO, Server, always, exchanges, once


@pytest.fixture(params=["asyncio", "uvloop"])
def loop(request):
    return None if request.param == "asyncio" else uvloop.new_event_loop


def test_one_connection_carries_many_requests(loop):
    with Server(always(HELLO)) as server:
        answers = exchanges(server, 5, loop=loop)
    assert [answer.body for answer in answers] == [b"hello"] * 5
    assert server.connections == 1
    head, body = server.requests[0]
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:")
    assert b"Authorization: Bearer x" in head
    assert body == b"{}"


@pytest.mark.parametrize(
    "pieces",
    [
        [b"HTTP/1.1 100 Continue\r\n\r\n", HELLO],
        [b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + HELLO],
        [
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n",
            b"3\r\nllo\r\n0\r\n\r\n",
        ],
        [HELLO[:3], HELLO[3:20], HELLO[20:-1], HELLO[-1:]],
        [
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
            % len(gzip.compress(b"hello", mtime=0)),
            gzip.compress(b"hello", mtime=0),
        ],
    ],
    ids=["continue", "early hints", "chunks", "pieces", "gzip"],
)
def test_whatever_form_an_answer_has_the_connection_is_used_again(pieces, loop):
    with Server(always(*pieces)) as server:
        answers = exchanges(server, 3, loop=loop)
    assert [(answer.status, answer.body) for answer in answers] == [(200, b"hello")] * 3
    assert server.connections == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.0 200 OK\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"5\r\nhello\r\n0\r\n\r\n",
        HELLO + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong",
    ],
    ids=["close", "1.0", "1.0 until its end", "until its end", "two lengths", "one too many"],
)
def test_a_connection_that_cannot_be_trusted_is_used_once(answer, loop):
    with Server(once(answer)) as server:
        answers = exchanges(server, 3, loop=loop)
    assert [answer.body for answer in answers] == [b"hello"] * 3
    assert server.connections == 3


@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
def test_nothing_is_written_into_a_connection_that_the_server_has_closed(loop, reset):
    # Each server thread ends after its answer; the loop is not given a turn to notice.
    with Server(once(HELLO, reset=reset)) as server:

        def until_closed():
            for thread in server._ended:
                thread.join(10)

        answers = exchanges(server, 20, between=until_closed, loop=loop)
    assert [answer.body for answer in answers] == [b"hello"] * 20
    assert len(server.requests) == server.connections == 20


def test_an_idle_connection_is_given_up_before_the_server_says_it_will(loop):
    brief = b"HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1, max=9\r\nContent-Length: 5\r\n\r\nhello"
    with Server(always(brief)) as server:
        exchanges(server, 3, loop=loop)
    assert server.connections == 3


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000,
    ],
)
@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
def test_what_may_have_been_done_is_never_said_not_to_be(answer, reset, loop):
    with Server(once(answer, reset=reset)) as server, pytest.raises(BrokenOffError):
        exchanges(server, loop=loop)
    assert len(server.requests) == 1


def test_an_answer_that_drips_is_given_up_after_the_whole_time(loop):
    enough = threading.Event()

    def drip(server, connection):
        server.read(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        while not enough.wait(0.01):
            connection.sendall(b"y")

    with Server(drip) as server:
        try:
            with pytest.raises(TimeoutError):
                exchanges(server, timeout=0.3, loop=loop)
        finally:
            enough.set()


def test_an_answer_to_half_a_request_ends_the_connection(loop):
    def too_large(server, connection):
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 413 .\r\nContent-Length: 2\r\n\r\nno")
        while connection.recv(2**20):
            continue

    with Server(too_large) as server:
        answers = exchanges(server, 2, body=b"x" * 20_000_000, loop=loop)
    assert [answer.status for answer in answers] == [413, 413]
    assert server.connections == 2


def test_a_host_that_nobody_can_reach_has_seen_nothing(loop):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        unreachable = Server(always(HELLO))
        for host in ("127.0.0.1", "no-such-host.invalid", "x" * 70 + ".invalid"):
            unreachable.url = URL.build(scheme="http", host=host, port=unused.getsockname()[1])
            with pytest.raises(NotSentError):
                exchanges(unreachable, loop=loop)
        unreachable._listener.close()


def test_a_host_without_tls_is_not_asked_over_tls(loop):
    with Server(always(HELLO)) as server:
        server.url = server.url.with_scheme("https")
        with pytest.raises(NotSentError):
            exchanges(server, loop=loop)
    assert server.requests == []


def test_addresses_of_the_sixth_version_are_addresses(loop):
    try:
        server = Server(always(HELLO), family=socket.AF_INET6)
    except OSError:
        pytest.skip("no IPv6 here")
    with server:
        assert exchanges(server, loop=loop)[0].body == b"hello"
    assert b"Host: [::1]:" in server.requests[0][0]
