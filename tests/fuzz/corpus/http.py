"""Answers of servers, as bytes, that are odd or hostile; each is read or refused."""

from __future__ import annotations

import gzip

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
PACKED = gzip.compress(b"hello" * 1000, mtime=0)

ANSWERS: dict[str, bytes] = {
    "plain": OK + b"Content-Length: 5\r\n\r\nhello",
    "chunked": CHUNKED + b"3;note=x\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
    "announced": b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 5\r\n\r\nhello",
    "packed": OK + b"Content-Encoding: gzip\r\n\r\n" + PACKED,
    "not HTTP": b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
    "no status": b"HTTP/1.1 \r\n\r\n",
    "negative length": OK + b"Content-Length: -5\r\n\r\n",
    "two lengths": OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "endless head": OK + b"X: y\r\n" * 200_000,
    "endless line": OK + b"X: " + b"y" * 10**6,
    "endless chunk line": CHUNKED + b"5" * 10**6,
    "negative chunk": CHUNKED + b"-5\r\nhello\r\n",
    "enormous chunk": CHUNKED + b"fffffffffffffff\r\n",
    "chunk longer than it says": CHUNKED + b"3\r\nhello\r\n0\r\n\r\n",
    "packed bomb": OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(2 * 10**7)),
    "packed wrongly": OK + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
}

ENDLESS: dict[str, tuple[bytes, bytes]] = {
    "head": (OK, b"X: y\r\n"),
    "line": (OK + b"X: ", b"y"),
    "chunk line": (CHUNKED, b"5"),
    "body": (OK + b"\r\n", b"y"),
    "chunks": (CHUNKED, b"ff\r\n" + b"x" * 255 + b"\r\n"),
}
"""What an answer begins with, and what follows for ever."""
