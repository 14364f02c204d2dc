"""What endpoints may send instead of an answer, by name: HTTP by the byte."""

import gzip
import zlib

OK = b"HTTP/1.1 200 OK\r\n"
LENGTH = b"Content-Length: 5\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def packed(body: bytes, coding: bytes = b"gzip") -> bytes:
    """An answer that says it is packed."""
    head = b"Content-Encoding: %b\r\nContent-Length: %d\r\n\r\n" % (coding, len(body))
    return OK + head + body


REFUSED = {
    "ssh": b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
    "http 2": b"HTTP/2 200\r\n\r\n",
    "no status": b"HTTP/1.1 abc\r\n\r\n",
    "status of superscripts": b"HTTP/1.1 \xb2\xb2\xb2\r\n\r\n",
    "status of four digits": b"HTTP/1.1 2000 OK\r\n\r\n",
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
    "negative length": OK + b"Content-Length: -5\r\n\r\n",
    "length with a sign": OK + b"Content-Length: +1\r\n\r\n",
    "length of superscripts": OK + b"Content-Length: \xb2\r\n\r\n",
    "length of 5000 digits": OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
    "no length given": OK + b"Content-Length:\r\n\r\nhello",
    "two lengths": OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nhello",
    "two lengths in one line": OK + b"Content-Length: 5, 6\r\n\r\nhello!",
    "two lengths, one empty": OK + LENGTH + b"Content-Length:\r\n\r\nhello",
    "coding not asked for": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "coding twice": OK + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n5\r\nhello\r\n0\r\n\r\n",
    "coding hidden by a later one": (
        OK + b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ),
    "folded header": OK + b"Content-Length: 5\r\n 0\r\n\r\nhello",
    "folded coding": OK + LENGTH + b"X: y\r\n\tTransfer-Encoding: chunked\r\n\r\nhello",
    "space before the colon": OK + b"Content-Length : 5\r\n\r\nhello",
    "no colon": OK + LENGTH + b"Hello there\r\n\r\nhello",
    "no name": OK + LENGTH + b": x\r\n\r\nhello",
    "bare line feed": OK + LENGTH + b"X: y\nContent-Length: 9\r\n\r\nhello",
    "bare carriage return": OK + LENGTH + b"X: y\rContent-Length: 9\r\n\r\nhello",
    "zero byte": OK + LENGTH + b"X: \0\r\n\r\nhello",
    "300 headers": OK + LENGTH + b"X: y\r\n" * 300 + b"\r\nhello",
    "chunk of negative length": CHUNKED + b"-5\r\nhello\r\n",
    "chunk of prefixed length": CHUNKED + b"0x5\r\nhello\r\n",
    "chunk longer than it says": CHUNKED + b"3\r\nhello\r\n",
    "chunk without a length": CHUNKED + b"zz\r\n",
    "chunk length without end": CHUNKED + b"0" * 5000,
    "extension of 5000 bytes": CHUNKED + b"5;" + b"x" * 5000 + b"\r\nhello\r\n0\r\n\r\n",
    "line feed in an extension": CHUNKED + b"5;a\nhello\r\n0\r\n\r\n" + b"\r\n" * 5,
    "carriage return in an extension": CHUNKED + b"5;a\r b\r\nhello\r\n0\r\n\r\n",
    "not packed": packed(b"xx"),
    "gzip broken off": packed(gzip.compress(b"hello" * 100, mtime=0)[:-9]),
    "gzip without its checksum": packed(gzip.compress(b"hello", mtime=0)[:-8]),
    "gzip with a wrong checksum": packed(gzip.compress(b"hello", mtime=0)[:-8] + b"\0" * 8),
    "gzip with something behind": packed(gzip.compress(b"hello", mtime=0) + b"more"),
    "deflate broken off": packed(zlib.compress(b"hello" * 100)[:-4], b"deflate"),
    "head of 70000 bytes": b"x" * 70_000,
}
"""No answers: whoever reads them stops."""

ENDLESS = {
    "1xx": (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
    "1xx with headers": (b"", b"HTTP/1.1 103 .\r\nLink: " + b"x" * 5000 + b"\r\n\r\n"),
    "headers": (OK, b"X: y\r\n"),
    "header": (OK + b"X: ", b"y"),
    "status line": (b"HTTP/1.1 200 ", b"O"),
    "chunk extensions": (CHUNKED, b"1;" + b"x" * 4000 + b"\r\ny\r\n"),
    "chunk extension": (CHUNKED + b"1;", b"x"),
    "chunk length": (CHUNKED, b"0"),
    "trailers": (CHUNKED + b"1\r\ny\r\n0\r\n", b"X: y\r\n"),
    "trailer": (CHUNKED + b"1\r\ny\r\n0\r\nX: ", b"y"),
}
"""A beginning and what follows it without end; nobody keeps it, or reads all of it."""

USED_ONCE = {
    "close": OK + b"Connection: close\r\n" + LENGTH + b"\r\nhello",
    "close in a list": OK + b"Connection: x, Close\r\n" + LENGTH + b"\r\nhello",
    "close said first": OK + b"Connection: close\r\nConnection: x\r\n" + LENGTH + b"\r\nhello",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\n" + LENGTH + b"\r\nhello",
    "length and chunks": (
        OK + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ),
    "more than was announced": OK + LENGTH + b"\r\nhello and more",
    "one answer too many": OK + LENGTH + b"\r\nhello" + OK + LENGTH + b"\r\nwrong",
    "one too many after chunks": CHUNKED + b"5\r\nhello\r\n0\r\n\r\n" + OK + LENGTH + b"\r\nwrong",
    "trailers": CHUNKED + b"5\r\nhello\r\n0\r\nX: y\r\n\r\n",
}
"""Answers that say hello, after which their connection cannot be trusted."""

READ = {
    "equal lengths": OK + LENGTH + LENGTH + b"\r\nhello",
    "equal lengths in one line": OK + b"Content-Length: 5, 5\r\n\r\nhello",
    "not quite close": OK + b"Connection: not-closed\r\n" + LENGTH + b"\r\nhello",
    "value without space": OK + b"Content-Length:5\r\n\r\nhello",
    "value with spaces": OK + b"Content-Length: \t 5 \t\r\n\r\nhello",
    "no reason": b"HTTP/1.1 200\r\n" + LENGTH + b"\r\nhello",
    "extensions": CHUNKED + b'2;a;b="c"\r\nhe\r\n3 ;d\r\nllo\r\n000;e\r\n\r\n',
    "packed": packed(gzip.compress(b"hello", mtime=0)),
    "deflated": packed(zlib.compress(b"hello"), b"Deflate"),
}
"""Odd, and right: they say hello, and their connection can be used again."""
