"""Reading HTTP/1.1 answers as their bytes arrive."""

from __future__ import annotations

import zlib

from adjudge.judges.transport import LONGEST_ANSWER, HttpAnswer

_LONGEST_HEAD = 64 * 2**10


class UnreadableAnswerError(Exception):
    """The bytes are not an HTTP answer."""


class AnswerReader:
    """Takes the bytes of one answer, in whatever pieces they come."""

    def __init__(self) -> None:
        self._buffer = b""
        self._status = 0
        self._headers: dict[str, str] | None = None
        self._length: int | None = None
        """Bytes of the body; None while chunks, or the end of the connection, tell."""
        self._chunked = False
        self._body = bytearray()
        self.reusable = False
        """Whether the connection can carry another request after this answer."""

    @property
    def begun(self) -> bool:
        """Whether anything has come yet."""
        return bool(self._buffer) or self._headers is not None

    def feed(self, data: bytes) -> HttpAnswer | None:
        """The answer, once it is complete."""
        self._buffer = self._buffer + data if self._buffer else data
        if self._headers is None and not self._read_head():
            return None
        if self._length is not None:
            if len(self._buffer) < self._length:
                return self._too_long() if self._length > LONGEST_ANSWER else None
            if len(self._buffer) > self._length:
                self.reusable = False  # more than was announced: not to be trusted again
            return self._answer(self._buffer[: self._length])
        if self._chunked:
            return self._read_chunks()
        return self._too_long() if len(self._buffer) > LONGEST_ANSWER else None

    def end(self) -> HttpAnswer | None:
        """The answer, if it is one that the end of the connection completes."""
        if self._headers is None or self._length is not None or self._chunked:
            return None
        return self._answer(self._buffer)

    def _read_head(self) -> bool:
        while self._headers is None:
            head, separator, rest = self._buffer.partition(b"\r\n\r\n")
            if not separator:
                if len(self._buffer) > _LONGEST_HEAD:
                    raise UnreadableAnswerError("the head of the answer does not end")
                return False
            self._buffer = rest
            first, *lines = head.decode("latin-1").split("\r\n")
            version, _, rest_of_first = first.partition(" ")
            if version not in {"HTTP/1.1", "HTTP/1.0"} or not rest_of_first[:3].isdigit():
                raise UnreadableAnswerError("the answer is not HTTP/1.1")
            self._status = int(rest_of_first[:3])
            if self._status >= 200:  # those below only announce the real one
                self._take_headers(version, lines)
        return True

    def _take_headers(self, version: str, lines: list[str]) -> None:
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        self._headers = headers
        connection = headers.get("connection", "").lower()
        self.reusable = version == "HTTP/1.1" and "close" not in connection
        if "chunked" in headers.get("transfer-encoding", "").lower():
            self._chunked = True
        elif self._status in {204, 304}:
            self._length = 0
        elif (length := headers.get("content-length")) is not None:
            if not length.isdigit():
                raise UnreadableAnswerError("the length of the answer is no number")
            self._length = int(length)
        else:
            self.reusable = False

    def _read_chunks(self) -> HttpAnswer | None:
        while True:
            line, separator, rest = self._buffer.partition(b"\r\n")
            if not separator:
                return None
            try:
                size = int(line.partition(b";")[0], 16)
            except ValueError as error:
                raise UnreadableAnswerError("a chunk has no length") from error
            if len(self._body) + size > LONGEST_ANSWER:
                return self._too_long()
            if size == 0:
                if b"\r\n" not in rest:
                    return None
                # Trailers are rare; where there are any, the connection is not used again.
                self.reusable = self.reusable and rest == b"\r\n"
                return self._answer(bytes(self._body))
            if len(rest) < size + 2:
                return None
            self._body += rest[:size]
            self._buffer = rest[size + 2 :]

    def _answer(self, body: bytes) -> HttpAnswer:
        headers = self._headers or {}
        if headers.get("content-encoding", "identity") in {"gzip", "deflate"}:
            unpacker = zlib.decompressobj(47)
            try:
                body = unpacker.decompress(body, LONGEST_ANSWER)
            except zlib.error as error:
                raise UnreadableAnswerError("the answer cannot be unpacked") from error
        return HttpAnswer(status=self._status, headers=headers, body=body)

    def _too_long(self) -> HttpAnswer:
        self.reusable = False
        return HttpAnswer(status=self._status, headers=self._headers or {}, body=None)
