import base64
import json
import random
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.secrets import HIDDEN, Secrets

KEY = "sk-Proj/4f+9Zq_77-abcdefXYZ"
LOGIN = "someone:pass/word+77"
SECRETS = Secrets.of([f"Bearer {KEY}", f"Basic {base64.b64encode(LOGIN.encode()).decode()}"])


def percent(text, share, rng):
    return "".join(f"%{ord(c):02X}" if rng.random() < share else c for c in text)


def escaped(text, share, rng, backslashes="\\"):
    return "".join(f"{backslashes}u{ord(c):04x}" if rng.random() < share else c for c in text)


def base64_of(before, text, after, *, urlsafe=False, padded=True):
    encode = base64.urlsafe_b64encode if urlsafe else base64.b64encode
    coded = encode(f"{before}{text}{after}".encode()).decode()
    return coded if padded else coded.rstrip("=")


FORMS = {
    "whole": lambda rng: KEY,
    "with its scheme": lambda rng: f"Bearer {KEY}",
    "in capitals": lambda rng: KEY.upper(),
    "in small letters": lambda rng: KEY.lower(),
    "reversed": lambda rng: KEY[::-1],
    "hexadecimal": lambda rng: KEY.encode().hex().upper(),
    "percent-encoded where needed": lambda rng: urllib.parse.quote(KEY, safe=""),
    "percent-encoded here and there": lambda rng: percent(KEY, 0.5, rng),
    "percent-encoded throughout": lambda rng: percent(KEY, 1, rng).lower(),
    "percent-encoded twice": lambda rng: percent(KEY, 1, rng).replace("%", "%25"),
    "escaped here and there": lambda rng: escaped(KEY, 0.5, rng),
    "escaped twice": lambda rng: escaped(KEY, 1, rng, "\\\\\\"),
    "with escaped slashes": lambda rng: KEY.replace("/", "\\/"),
    "as HTML": lambda rng: KEY.replace("/", "&#x2F;").replace("+", "&#43;"),
    "with zero bytes": lambda rng: "\0".join(KEY),
    "with invisible characters": lambda rng: "\u200b".join(KEY),
    "base64": lambda rng: base64_of("", KEY, ""),
    "base64 without padding": lambda rng: base64_of("", KEY, "", padded=False),
    "base64 for addresses": lambda rng: base64_of("", KEY, "", urlsafe=True),
    "base64, second alignment": lambda rng: base64_of("x", KEY, "xyz"),
    "base64, third alignment": lambda rng: base64_of("ab", KEY, "\r\n"),
    "base64, percent-encoded": lambda rng: percent(base64_of("", KEY, ""), 0.3, rng),
    "the login": lambda rng: LOGIN,
    "the password": lambda rng: "pass/word+77",
    "the user": lambda rng: "SomeOne",
    "the login in base64": lambda rng: base64_of("", LOGIN, ""),
    "the password in base64": lambda rng: base64_of("pw=", "pass/word+77", ";"),
    "the login, percent-encoded": lambda rng: urllib.parse.quote(LOGIN, safe=""),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "around", [("", ""), ("You sent: ", "."), ("{'x': '\\n", "'}"), ("%", "%")]
)
def test_a_secret_is_removed_in_every_form(form, around):
    said = FORMS[form](random.Random(form))
    before, after = around
    cleaned = SECRETS.clean(f"{before}{said}{after}")
    assert HIDDEN in cleaned
    assert said not in cleaned
    assert not left_over(said, cleaned.replace(HIDDEN, " "))


def left_over(said, cleaned):
    """Pieces of eight characters of it that can still be read."""
    return [said[at : at + 8] for at in range(len(said) - 7) if said[at : at + 8] in cleaned]


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_removed_from_json_before_it_is_parsed(form):
    said = FORMS[form](random.Random(form))
    inner = json.dumps({"reason": said, "score": 7})
    body = json.dumps({"choices": [{"message": {"content": inner}}], said: [1, said], "n": 5})
    cleaned = SECRETS.clean_body(body.encode())
    parsed = json.loads(cleaned)
    content = parsed["choices"][0]["message"]["content"]
    assert json.loads(content)["score"] == 7
    assert HIDDEN in content
    assert not left_over(said, cleaned.decode().replace(HIDDEN, " "))
    assert parsed["n"] == 5


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_is_around_a_secret_stays(before, after):
    plain = Secrets.of([KEY])
    assert plain.clean(before) == before
    cleaned = plain.clean(f"{before} {KEY} {after}")
    assert cleaned == f"{before} {HIDDEN} {after}"


@given(st.binary(max_size=300))
def test_any_bytes_can_be_cleaned(body):
    plain = Secrets.of([KEY])
    assert KEY.encode() not in plain.clean_body(body + KEY.encode() + body)


@pytest.mark.parametrize("short", ["", "a", "12345", "Bearer 12345", "bob:pw"])
def test_ordinary_words_are_not_taken_for_secrets(short):
    text = "Bearer of 12345 good news, bob: a basic abc."
    assert Secrets.of([short]).clean(text) == text


def test_numbers_and_names_of_the_protocol_stay():
    """A secret that is a number, or a word of the protocol, does not make an answer unreadable."""
    body = b'{"choices":[{"message":{"content":"choices 123456"}}],"created":1234567}'
    cleaned = json.loads(Secrets.of(["123456", "choices", "message"]).clean_body(body))
    assert cleaned["created"] == 1234567
    assert cleaned["choices"][0]["message"]["content"] == f"{HIDDEN} {HIDDEN}"


def test_a_backslash_before_a_secret_does_not_break_json():
    inner = '{"reason": "\\nkey-123456", "score": 3}'
    assert json.loads(Secrets.of(["nkey-123456"]).clean(inner))["score"] == 3


def test_secrets_are_removed_before_a_text_is_cut():
    said = "x" * 190 + KEY
    assert Secrets.of([KEY]).brief(said) == "x" * 190 + HIDDEN


def test_nothing_shows_what_the_secrets_are():
    assert repr(SECRETS) == "Secrets()"


@pytest.mark.parametrize(
    "repeated", ["%41", "%25", "\\", "\\u00", "&#x", "\0", "\u200b", KEY[:-1], KEY[::-1]]
)
def test_no_text_takes_long(repeated):
    """8 MB of each: what takes more than linear time would not end within the hour."""
    length = len(repeated.encode())
    cleaned = SECRETS.clean(repeated * (8 * 2**20 // length) + f" {KEY}")
    assert KEY not in cleaned


def test_json_that_is_nested_deeply_is_cleaned_all_the_same():
    body = b"[" * 900 + json.dumps(KEY).encode() + b"]" * 900
    assert KEY.encode() not in SECRETS.clean_body(body)
