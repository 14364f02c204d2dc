"""An incremental reader of HTTP/1.1 answers."""

from __future__ import annotations

import re
import zlib

from adjudge.judges.transport import LONGEST_ANSWER, HttpAnswer

_LONGEST_HEAD = 64 * 2**10
"""Maximum bytes of all heads of one answer, 1xx included; the same limit holds for trailers."""
_MOST_FIELDS = 256
_LONGEST_CHUNK_LINE = 4 * 2**10
_MOST_FRAMING = LONGEST_ANSWER
"""Maximum bytes of all lines around the chunks of one answer."""
_STATUS_LINE = re.compile(r"HTTP/1\.([01]) ([1-9][0-9]{2})(?: |$)")
_FIELD = re.compile(r"\r\n([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n]*)")
_LENGTH = re.compile(r"[0-9]{1,18}")
_KEEP_ALIVE = re.compile(r"\btimeout=([0-9]{1,9})\b")
_CHUNK_LENGTH = re.compile(rb"[0-9A-Fa-f]{1,15}")
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})


class UnreadableAnswerError(Exception):
    """The bytes are not a valid HTTP answer."""


class AnswerReader:
    """Takes the bytes of one answer, in pieces of any size.

    If the length of an answer is ambiguous, the answer is refused or its connection is not reused:
    an extra byte would be read as the start of the next answer. Whatever is sent, memory is bounded
    by the longest answer, and time is linear in the number of bytes.
    """

    __slots__ = (
        "_body", "_buffer", "_chunked", "_framing", "_headers", "_length", "_position", "_searched",
        "_status", "_trailing", "_tunnel", "begun", "reusable",
    )  # fmt: skip

    def __init__(self, *, tunnel: bool = False) -> None:
        self._tunnel = tunnel
        """Whether this answers a CONNECT request: on success it has no body."""
        self._buffer = bytearray()
        self._position = 0
        """End of the part of the buffer that was read; that part is dropped after each piece."""
        self._searched = 0
        """End of the part that was searched for the end of the current line or head."""
        self._status = 0
        self._headers: dict[str, str] | None = None
        self._length: int | None = None
        """Bytes of the body; None if chunks or the end of the connection determine it."""
        self._chunked = False
        self._trailing = False
        """Whether the last chunk has arrived."""
        self._framing = 0
        """Bytes so far of the heads, then of lines around chunks, then of trailers."""
        self._body = bytearray()
        self.begun = False
        """Whether any byte has arrived."""
        self.reusable = False
        """Whether the connection can carry another request after this answer."""

    @property
    def keep_alive(self) -> float | None:
        """Seconds that the server keeps an idle connection; None if it does not say."""
        said = (self._headers or {}).get("keep-alive")
        match = None if said is None else _KEEP_ALIVE.search(said)
        return None if match is None else float(match[1])

    @property
    def held(self) -> int:
        """Number of bytes held in memory."""
        return len(self._buffer) + len(self._body)

    def feed(self, data: bytes) -> HttpAnswer | None:
        """The answer, once it is complete."""
        self.begun = True
        self._buffer += data
        if self._headers is None:
            self._read_head()
        if self._headers is None:
            answer = None
        else:
            answer = self._read_chunks() if self._chunked else self._read_plain()
        if answer is None:
            del self._buffer[: self._position]
            self._searched = max(self._searched - self._position, 0)
            self._position = 0
        return answer

    def end(self) -> HttpAnswer | None:
        """The answer, if the end of the connection completes it."""
        if self._trailing:
            return self._answer(bytes(self._body))
        if self._headers is None or self._length is not None or self._chunked:
            return None
        return self._answer(bytes(self._buffer))

    def _read_head(self) -> None:
        while self._headers is None:
            end = self._found(b"\r\n\r\n")
            read = (len(self._buffer) if end < 0 else end) - self._position
            if self._framing + read > _LONGEST_HEAD:
                raise UnreadableAnswerError("the headers of the answer are too long")
            if end < 0:
                return
            head = self._buffer[self._position : end].decode("latin-1")
            self._position = end + 4
            self._framing += read + 4
            status = _STATUS_LINE.match(head.partition("\r\n")[0])
            if status is None:
                raise UnreadableAnswerError("the answer is not HTTP/1.1")
            self._status = int(status[2])
            if self._status == 101:
                raise UnreadableAnswerError("the answer is in another protocol")
            if self._status >= 200:  # a 1xx answer precedes the final one
                self._headers = _fields(head)
                self._frame(self._headers, modern=status[1] == "1")

    def _frame(self, headers: dict[str, str], *, modern: bool) -> None:
        """Determine where the body ends and whether the connection can be reused."""
        if self._tunnel and self._status < 300:
            self._length, self.reusable = 0, True
            return
        options = headers.get("connection")
        closes = options is not None and "close" in _listed(options)
        self.reusable = modern and not closes
        coding, length = headers.get("transfer-encoding"), headers.get("content-length")
        if coding is not None:
            if coding.lower() != "chunked":
                raise UnreadableAnswerError("the answer has a transfer coding other than chunked")
            self._chunked = True
            self._framing = 0
            self.reusable = self.reusable and length is None  # both given: request-smuggling risk
        elif self._status in {204, 304}:
            self._length = 0
        elif length is not None:
            self._length = _content_length(length)
        else:
            self.reusable = False

    def _read_plain(self) -> HttpAnswer | None:
        held = len(self._buffer) - self._position
        if max(held, self._length or 0) > LONGEST_ANSWER:
            return self._too_long()
        if self._length is None or held < self._length:
            return None
        if held > self._length:
            self.reusable = False  # more bytes than announced
        return self._answer(bytes(self._buffer[self._position : self._position + self._length]))

    def _read_chunks(self) -> HttpAnswer | None:
        while not self._trailing and (end := self._line_end(_LONGEST_CHUNK_LINE)) >= 0:
            line = bytes(self._buffer[self._position : end])
            size = _CHUNK_LENGTH.fullmatch(line.partition(b";")[0].strip(b" \t"))
            if size is None:
                raise UnreadableAnswerError("a chunk has no length")
            if b"\n" in line or b"\r" in line:  # other readers end the line here
                raise UnreadableAnswerError("a chunk's extension has a bare line end")
            length, start = int(size[0], 16), end + 2
            if len(self._body) + length > LONGEST_ANSWER:
                return self._too_long()
            if length and len(self._buffer) < start + length + 2:
                return None
            self._framing += len(line) + 4
            if self._framing > _MOST_FRAMING:
                raise UnreadableAnswerError("the lines around the chunks are too long in total")
            self._position = start
            if length == 0:
                self._trailing = True
                self._framing = 0
            else:
                self._take_chunk(start + length)
        return self._read_trailers() if self._trailing else None

    def _take_chunk(self, end: int) -> None:
        if self._buffer[end : end + 2] != b"\r\n":
            raise UnreadableAnswerError("a chunk is longer than it says")
        self._body += self._buffer[self._position : end]
        self._position = end + 2

    def _read_trailers(self) -> HttpAnswer | None:
        while (end := self._line_end(_LONGEST_HEAD)) >= 0:
            line, self._position = end - self._position, end + 2
            if line == 0:
                if len(self._buffer) > self._position:
                    self.reusable = False  # more bytes than announced
                return self._answer(bytes(self._body))
            self.reusable = False  # no known endpoint sends trailers
            self._framing += line + 2
            if self._framing > _LONGEST_HEAD:
                raise UnreadableAnswerError("the trailers of the answer are too long")
        return None

    def _line_end(self, longest: int) -> int:
        """Index of the end of the current line; -1 if it has not arrived yet."""
        end = self._found(b"\r\n")
        if (len(self._buffer) if end < 0 else end) - self._position > longest:
            raise UnreadableAnswerError("a line around the chunks is too long")
        return end

    def _found(self, mark: bytes) -> int:
        """Index of the mark, or -1; nothing is searched twice."""
        end = self._buffer.find(mark, max(self._position, self._searched - len(mark) + 1))
        self._searched = len(self._buffer) if end < 0 else 0
        return end

    def _answer(self, body: bytes) -> HttpAnswer:
        headers = self._headers or {}
        coding = headers.get("content-encoding")
        unpacked = body if coding is None else unpack(body, coding)
        return HttpAnswer(status=self._status, headers=headers, body=unpacked)

    def _too_long(self) -> HttpAnswer:
        self.reusable = False
        return HttpAnswer(status=self._status, headers=self._headers or {}, body=None)


def unpack(body: bytes, coding: str) -> bytes | None:
    """The decompressed body; None if it is longer than any answer."""
    if not body or coding.lower() not in _PACKED:
        return body
    unpacker = zlib.decompressobj(47)
    try:
        unpacked = unpacker.decompress(body, LONGEST_ANSWER + 1)
    except zlib.error as error:
        raise UnreadableAnswerError("the answer cannot be decompressed") from error
    if len(unpacked) > LONGEST_ANSWER:
        return None
    if not unpacker.eof:
        raise UnreadableAnswerError("the compressed answer is incomplete")
    if unpacker.unused_data:
        raise UnreadableAnswerError("more data follow the compressed answer")
    return unpacked


def _fields(head: str) -> dict[str, str]:
    """The header fields by lower-case name; values of a repeated field are joined."""
    found, lines = _FIELD.findall(head), head.count("\r\n")
    if lines > _MOST_FIELDS:
        raise UnreadableAnswerError("the answer has too many headers")
    # The pattern does not match folded lines, lines without a colon, or a space before the colon.
    if not len(found) == lines == head.count("\r") == head.count("\n") or "\0" in head:
        raise UnreadableAnswerError("a header of the answer is malformed")
    fields: dict[str, str] = {}
    for written, padded in found:
        name, value = written.lower(), padded.rstrip(" \t")
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields


def _listed(value: str) -> list[str]:
    return [part.strip(" \t") for part in value.lower().split(",")]


def _content_length(value: str) -> int:
    if not _LENGTH.fullmatch(value):
        lengths = set(_listed(value))
        value = lengths.pop()
        if lengths:
            raise UnreadableAnswerError("the answer has two lengths")
        if not _LENGTH.fullmatch(value):
            raise UnreadableAnswerError("the Content-Length of the answer is not a number")
    return int(value)
