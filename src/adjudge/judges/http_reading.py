"""Reading HTTP/1.1 answers as their bytes arrive."""

from __future__ import annotations

import re
import zlib

from adjudge.judges.transport import LONGEST_ANSWER, HttpAnswer

_LONGEST_HEAD = 64 * 2**10
_LONGEST_CHUNK_LINE = 4 * 2**10
_STATUS_LINE = re.compile(r"HTTP/1\.([01]) ([1-9][0-9]{2})(?: |$)")
_LENGTH = re.compile(r"[0-9]{1,18}")
_KEEP_ALIVE = re.compile(r"\btimeout=([0-9]{1,9})\b")
_CHUNK_LENGTH = re.compile(rb"[0-9A-Fa-f]{1,15}")


class UnreadableAnswerError(Exception):
    """The bytes are not an HTTP answer."""


class AnswerReader:
    """Takes the bytes of one answer, in whatever pieces they come.

    Where an answer is ambiguous about its length it is refused, or its connection is not used
    again: a byte too many would be read as the beginning of the next answer.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._position = 0
        """Up to here the buffer has been read."""
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
        return bool(self._buffer)

    @property
    def keep_alive(self) -> float | None:
        """Seconds that the server says it keeps an idle connection; None if it does not say."""
        said = (self._headers or {}).get("keep-alive")
        match = None if said is None else _KEEP_ALIVE.search(said)
        return None if match is None else float(match[1])

    def feed(self, data: bytes) -> HttpAnswer | None:
        """The answer, once it is complete."""
        self._buffer += data
        if self._headers is None and not self._read_head():
            return None
        if self._chunked:
            return self._read_chunks()
        held = len(self._buffer) - self._position
        if max(held, self._length or 0) > LONGEST_ANSWER:
            return self._too_long()
        if self._length is None or held < self._length:
            return None
        if held > self._length:
            self.reusable = False  # more than was announced: not to be trusted again
        return self._answer(bytes(self._buffer[self._position : self._position + self._length]))

    def end(self) -> HttpAnswer | None:
        """The answer, if it is one that the end of the connection completes."""
        if self._headers is None or self._length is not None or self._chunked:
            return None
        return self._answer(bytes(self._buffer[self._position :]))

    def _read_head(self) -> bool:
        while self._headers is None:
            end = self._buffer.find(b"\r\n\r\n", self._position)
            if (len(self._buffer) if end < 0 else end) - self._position > _LONGEST_HEAD:
                raise UnreadableAnswerError("the head of the answer does not end")
            if end < 0:
                return False
            head = self._buffer[self._position : end].decode("latin-1")
            self._position = end + 4
            first, *lines = head.split("\r\n")
            status = _STATUS_LINE.match(first)
            if status is None:
                raise UnreadableAnswerError("the answer is not HTTP/1.1")
            self._status = int(status[2])
            if self._status >= 200:  # those below only announce the real one
                self._take_headers(lines, modern=status[1] == "1")
        return True

    def _take_headers(self, lines: list[str], *, modern: bool) -> None:
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            name, value = name.strip().lower(), value.strip()
            if name == "content-length" and headers.get(name, value) != value:
                raise UnreadableAnswerError("the answer has two lengths")
            headers[name] = value
        self._headers = headers
        self.reusable = modern and "close" not in headers.get("connection", "").lower()
        coding, length = headers.get("transfer-encoding"), headers.get("content-length")
        if coding is not None:
            if coding.lower() != "chunked":
                raise UnreadableAnswerError("the answer comes in a coding that was not asked for")
            self._chunked = True
            self.reusable = self.reusable and length is None  # which of them others would believe
        elif self._status in {204, 304}:
            self._length = 0
        elif length is not None:
            if not _LENGTH.fullmatch(length):
                raise UnreadableAnswerError("the length of the answer is no number")
            self._length = int(length)
        else:
            self.reusable = False

    def _read_chunks(self) -> HttpAnswer | None:
        while (end := self._buffer.find(b"\r\n", self._position)) >= 0:
            line = bytes(self._buffer[self._position : end])
            size = _CHUNK_LENGTH.fullmatch(line.partition(b";")[0].strip(b" \t"))
            if size is None:
                raise UnreadableAnswerError("a chunk has no length")
            length, start = int(size[0], 16), end + 2
            if length == 0:
                return self._last_chunk(start)
            if len(self._body) + length > LONGEST_ANSWER:
                return self._too_long()
            if len(self._buffer) < start + length + 2:
                return None
            if self._buffer[start + length : start + length + 2] != b"\r\n":
                raise UnreadableAnswerError("a chunk is longer than it says")
            self._body += self._buffer[start : start + length]
            self._position = start + length + 2
        if len(self._buffer) - self._position > _LONGEST_CHUNK_LINE:
            raise UnreadableAnswerError("the length of a chunk does not end")
        return None

    def _last_chunk(self, start: int) -> HttpAnswer | None:
        rest = self._buffer[start:]
        if b"\r\n" not in rest:
            return None
        # Trailers are rare; where there are any, the connection is not used again.
        self.reusable = self.reusable and rest == b"\r\n"
        return self._answer(bytes(self._body))

    def _answer(self, body: bytes) -> HttpAnswer:
        headers = self._headers or {}
        if headers.get("content-encoding", "").lower() in {"gzip", "x-gzip", "deflate"}:
            unpacker = zlib.decompressobj(47)
            try:
                body = unpacker.decompress(body, LONGEST_ANSWER)
            except zlib.error as error:
                raise UnreadableAnswerError("the answer cannot be unpacked") from error
        return HttpAnswer(status=self._status, headers=headers, body=body)

    def _too_long(self) -> HttpAnswer:
        self.reusable = False
        return HttpAnswer(status=self._status, headers=self._headers or {}, body=None)
