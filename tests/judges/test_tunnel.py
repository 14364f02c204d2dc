"""An encrypted endpoint behind a proxy: a real tunnel, a real certificate."""

import socket
import threading

import pytest
import uvloop

from adjudge.judges.http_transport import HttpTransport
from adjudge.judges.transport import NotSentError, Proxy
from adjudge.testing.server import PracticeServer
from tests.judges.wire import HEADERS, Server, exchanges
from tests.live.support import PRICES


def carry(source, target):
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)


def tunnel(answer):
    """A proxy that answers so and then carries bytes to and fro."""

    def play(server, connection):
        server.read(connection)
        host, _, port = server.requests[-1][0].split()[1].decode().partition(":")
        with socket.create_connection((host, int(port))) as beyond:
            connection.sendall(answer)
            back = threading.Thread(target=carry, args=(beyond, connection), daemon=True)
            back.start()
            carry(connection, beyond)
            back.join(10)

    return play


def asked_through(proxy, endpoint, *, loop=None, count=1):
    def way(url, timeout):
        login = Proxy(url=url.origin(), login="user:password")
        return HttpTransport(
            endpoint, HEADERS, proxy=login, timeout=timeout, connect_timeout=timeout
        )

    return exchanges(proxy, count, way=way, loop=loop)


@pytest.fixture
def endpoint(certificate, monkeypatch):
    context, file = certificate
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with PracticeServer(prices=PRICES, tls=context) as server:
        yield server


def url_of(server, proxy):
    return proxy.url.with_scheme("https").with_port(int(server.url.split(":")[2].split("/")[0]))


@pytest.mark.parametrize("loop", [None, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.0 200 Established\r\nContent-Length: 9\r\n\r\n"],
)
def test_a_tunnel_is_opened_once_and_used_again(endpoint, loop, answer):
    with Server(tunnel(answer)) as proxy:
        answers = asked_through(proxy, url_of(endpoint, proxy), loop=loop, count=3)
    assert [answer.status for answer in answers] == [400] * 3  # no chat completion was asked for
    assert endpoint.requests == 0
    ((head, _),) = proxy.requests
    port = url_of(endpoint, proxy).port
    assert head.decode().split("\r\n") == [
        f"CONNECT 127.0.0.1:{port} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==",
    ]


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 407 .\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nX",
        b"SSH-2.0\r\n\r\n",
        b"HTTP/1.1 102 .\r\n\r\n" * 10_000,
    ],
    ids=["denied", "speaks first", "broken off", "garbage", "endless"],
)
def test_without_a_tunnel_nothing_is_sent(endpoint, answer):
    def play(server, connection):
        server.read(connection)
        connection.sendall(answer)

    with Server(play) as proxy, pytest.raises(NotSentError):
        asked_through(proxy, url_of(endpoint, proxy))


def test_a_tunnel_to_somebody_else_is_refused(certificate):
    context, _ = certificate
    with (
        PracticeServer(prices=PRICES, tls=context) as server,
        Server(tunnel(b"HTTP/1.1 200 OK\r\n\r\n")) as proxy,
        pytest.raises(NotSentError, match="certificate"),
    ):
        asked_through(proxy, url_of(server, proxy))
    assert server.requests == 0
