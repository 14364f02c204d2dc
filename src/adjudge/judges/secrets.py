"""Removal of secrets from everything that is kept or shown."""

from __future__ import annotations

import base64
import binascii
import os
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

import orjson

from adjudge.errors import InputError

HIDDEN = "[secret]"
_HIDDEN = HIDDEN.encode()
_SHORTEST = 6
"""Minimum length of a secret: shorter strings occur in ordinary words."""
_SCHEME = re.compile(r"\A[A-Za-z][\w-]*\s+(?=\S)")
"""The scheme before the credentials in a header, such as `Bearer ` or `Basic `."""
_ASSIGNED = re.compile(r'=\s*"?([^\s",;=][^\s",;]*)')
"""The values in `session=abc; user="x"`."""
_FORMATTING = "\xad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_INVISIBLE = (
    *(chr(code) for code in range(32) if chr(code) not in "\t\n\r"),
    "\x7f",
    *(character.encode().decode("latin-1") for character in _FORMATTING),
)
"""Characters that a terminal does not show: a key split by them still looks whole."""
_CODED = re.compile(
    # Each alternative begins with a literal character, which `re` finds quickly. Repetitions are
    # bounded, so the time is linear for every text.
    "|".join(
        [
            r"%(?:25){0,8}([0-9a-f]{2})",
            r"\\\\{0,14}(?:(?:u00|x)([0-9a-f]{2})|u(?:200[b-f]|2060|feff))?",
            r"&#x0{0,4}([0-9a-f]{2});",
            r"&#0{0,4}([0-9]{2,3});",
            *map(re.escape, _INVISIBLE),
        ]
    )
)
"""Encoded characters (percent-encoded, escaped as in JSON, or HTML), and invisible ones."""
_DECIMAL = 4
"""The group of `_CODED` for decimal numbers; the others are hexadecimal."""
_UNMARKED = bytes(set(range(256)) - {ord(mark[0]) for mark in ("%", "\\", "&", *_INVISIBLE)})
"""Bytes that begin no alternative of `_CODED`."""
_MOST_CODED = 2**17
"""Maximum number of encoded characters, above any honest answer's; millions would take seconds."""
_PROTOCOL_NAME = re.compile(r"[a-z_]+")


def key_from_environment(judge: str, variable: str) -> str:
    """The key in this environment variable."""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise InputError(
            f"key of {judge}",
            f"the environment variable {variable} is not set",
            "set it, name another one, or say that this judge needs no key",
        )
    if not key.isascii() or not key.isprintable():
        raise InputError(
            f"key of {judge}",
            f"the environment variable {variable} holds characters that no key has",
            "copy the key again",
        )
    return key


@dataclass(frozen=True, slots=True, eq=False)
class Secrets:
    """Texts that must never be kept or shown, in every form in which an endpoint may repeat them.

    Found in any letter case: whole and in parts (`Bearer X`: X too; `user:password`: both), in
    base64 at any alignment, in hexadecimal, reversed, and each of these percent-encoded or escaped.
    A text is searched in lower case, with one character per byte of its UTF-8, because `in` is
    fastest on such strings.
    """

    _forms: tuple[str, ...] = field(repr=False)
    """All forms, as written."""
    _plain: tuple[str, ...] = field(repr=False)
    """All forms, with encoded characters decoded."""
    _quoted: tuple[str, ...] = field(repr=False)
    """The decoded forms that contain a quotation mark."""

    @classmethod
    def of(cls, values: Iterable[str]) -> Secrets:
        """The secrets in these values; strings of fewer than 6 characters are ignored."""
        forms: set[str] = set()
        for value in values:
            for part in _parts(value):
                if len(part) >= _SHORTEST:
                    forms.update(_forms_of(part))
        plain = _smallest({_CODED.sub(_character, form) for form in forms})
        return cls(_smallest(forms), plain, tuple(form for form in plain if '"' in form))

    def clean(self, text: str) -> str:
        """The text with each secret replaced."""
        raw = text.encode("utf-8", "surrogatepass")
        return self._cut(raw).decode("utf-8", "surrogatepass") if self._are_in(raw) else text

    def brief(self, text: str, *, longest: int = 200) -> str:
        """The text with each secret replaced, on one line, shortened."""
        line = " ".join(self.clean(text).split())
        return line if len(line) <= longest else line[: longest - 1] + "…"

    def clean_body(self, body: bytes) -> bytes:
        """The body of an answer with each secret replaced; in JSON, in its strings only."""
        if not self._are_in(body):
            return body
        try:
            whole = [orjson.loads(body)]
            self._clean_within(whole)
            return orjson.dumps(whole[0])
        except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # not JSON, or nested too deeply
            return self._cut(body)

    def _are_in(self, raw: bytes) -> bool:
        lower = raw.lower()
        low = lower.decode("latin-1")
        for form in self._forms:  # runs twice per call; faster than any()
            if form in low:
                return True
        # The most common escape of JSON within JSON is removed quickly.
        lower = lower.replace(b'\\"', b'"')
        coded = len(lower.translate(None, _UNMARKED))
        if not coded and not self._quoted:
            return False
        if coded > _MOST_CODED:
            return True
        plain = _CODED.sub(_character, lower.decode("latin-1"))
        return any(form in plain for form in self._plain)

    def _cut(self, raw: bytes) -> bytes:
        lower = raw.lower()
        if len(lower.translate(None, _UNMARKED)) > _MOST_CODED:
            return _HIDDEN
        low = lower.decode("latin-1")
        kept, end = [], 0
        for start, stop in sorted(self._spans(low)):
            if start >= end:
                kept += [raw[end:start], _HIDDEN]
            end = max(end, stop)
        kept.append(raw[end:])
        return b"".join(kept)

    def _spans(self, low: str) -> Iterator[tuple[int, int]]:
        for form in self._forms:
            for start in _places(form, low):
                yield _before_backslashes(low, start), start + len(form)
        plain, origins = _decoded(low)
        for form in self._plain:
            for start in _places(form, plain):
                last = origins[start + len(form) - 1]
                coded = _CODED.match(low, last)
                stop = last + 1 if coded is None else coded.end()
                yield _before_backslashes(low, origins[start]), stop

    def _clean_within(self, container: list[object]) -> None:
        """Clean every string in it, and every key that is not the protocol's, in place."""
        waiting: list[list[object] | dict[str, object]] = [container]
        while waiting:
            inner = waiting.pop()
            values = list(inner.values()) if isinstance(inner, dict) else inner
            waiting += [value for value in values if isinstance(value, (dict, list))]
            cleaned = [self.clean(value) if isinstance(value, str) else value for value in values]
            if isinstance(inner, dict):
                names = [self._name(name) for name in inner]
                inner.clear()
                inner.update(zip(names, cleaned, strict=True))
            else:
                inner[:] = cleaned

    def _name(self, name: str) -> str:
        return name if _PROTOCOL_NAME.fullmatch(name) else self.clean(name)


def _parts(value: str) -> Iterator[str]:
    """The value, and its parts that are secrets themselves."""
    value = value.strip()
    credentials = _SCHEME.sub("", value, count=1)
    for text in {value, unquote(value), credentials, *_ASSIGNED.findall(value)}:
        yield text
        yield from text.split(":", 1)
        yield from _login(text)


def _login(text: str) -> Iterator[str]:
    """User and password, if the text is their base64."""
    try:
        padded = text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
        login = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return
    if ":" in login and login.isprintable():
        yield login
        yield from login.split(":", 1)


def _forms_of(secret: str) -> Iterator[str]:
    raw = secret.encode("utf-8", "surrogatepass")
    backwards = secret[::-1].encode("utf-8", "surrogatepass")
    for form in (raw, backwards, raw.hex().encode()):
        yield form.lower().decode("latin-1")
    for shift in range(3):
        # Characters that depend on the bytes around the secret are left out.
        coded = base64.b64encode(bytes(shift) + raw).decode()
        core = coded[-(-shift * 8 // 6) : (shift + len(raw)) * 8 // 6]
        yield core.lower()
        yield core.replace("+", "-").replace("/", "_").lower()


def _smallest(forms: set[str]) -> tuple[str, ...]:
    """The forms that contain no other form; the others are found through these."""
    kept: list[str] = []
    for form in sorted(forms, key=len):
        if len(form) >= _SHORTEST and not any(other in form for other in kept):
            kept.append(form)
    return tuple(kept)


def _character(match: re.Match[str]) -> str:
    """The decoded character; empty for an invisible one."""
    if match.lastindex is None:
        return ""
    code = int(match[match.lastindex], 10 if match.lastindex == _DECIMAL else 16)
    character = chr(code).lower() if code < 128 else chr(code)
    return "" if code > 255 or character in _INVISIBLE else character


def _decoded(low: str) -> tuple[str, array[int]]:
    """The text with encoded characters decoded, and the index in `low` of each character."""
    plain, origins, done = [], array("L"), 0
    for match in _CODED.finditer(low):
        start, end = match.span()
        plain.append(low[done:start])
        origins.extend(range(done, start))
        character = _character(match)
        if character:
            plain.append(character)
            origins.append(start)
        done = end
    plain.append(low[done:])
    origins.extend(range(done, len(low)))
    return "".join(plain), origins


def _places(form: str, text: str) -> Iterator[int]:
    start = text.find(form)
    while start >= 0:
        yield start
        start = text.find(form, start + len(form))


def _before_backslashes(low: str, start: int) -> int:
    """Index of the backslashes before `start`: if kept, one would escape the mask."""
    while start and low[start - 1] == "\\":
        start -= 1
    return start
