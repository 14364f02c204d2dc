"""Keys, logins and addresses from the environment stay out of whatever a judge says or keeps."""

import asyncio
import base64
import dataclasses
import json
import logging
import traceback

import pytest

from adjudge.errors import InputError, JudgeUnavailableError
from adjudge.records import Item, Lost, Reason, Refused, Verdict
from tests.judges.wire import Server, once
from tests.live.support import KEY, openai_judge

ITEM = Item(id="a", prompt="Greet me.", response="Hello!")
TOKEN = "tenant-5f2c99aa"
LOGIN = "someone77:pass:word#77"
ENCODED_LOGIN = LOGIN.replace("#", "%23")
PARTS = (KEY, KEY[:12], TOKEN, LOGIN, "someone77", "pass:word#77")
CODED = [base64.b64encode(part.encode()).decode().rstrip("=")[:-1] for part in PARTS]


def completion(content, status="200 OK"):
    """An answer with this content, which may be a text or parts of one."""
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    body = json.dumps({"choices": [{"message": {"content": content}}], "usage": usage}).encode()
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status.encode(), len(body), body)


def models_then(answer):
    """The request for models is taken, the others are answered so, given head and body."""

    def play(server, connection):
        while server.read(connection) is not None:
            head, _ = server.requests[-1]
            get = head.startswith(b"GET")
            connection.sendall(completion("") if get else answer(head.decode()))

    return play


def outcome(judge):
    async def asking():
        await judge.open()
        try:
            return await judge.score(ITEM)
        finally:
            await judge.close()

    return asyncio.run(asking())


def judge_at(server, **changes):
    host = server.url.origin()
    return openai_judge(
        f"{host}/{TOKEN}/v1",
        shown_url=f"{host}/${{TOKEN}}/v1",
        secrets=[TOKEN],
        **changes,
    )


def whole_story(error):
    """Everything that a traceback or a debugger shows of an error, and of those before it."""
    told, found = "", error
    while found is not None:
        told += str(found) + repr(found)
        found = found.__cause__ or found.__context__
    return told + "".join(traceback.format_exception(error))


def nowhere_in(text):
    return not any(part.lower() in text.lower() for part in (*PARTS, *CODED))


def request_repeated(head):
    coded = base64.b64encode(head.encode()).decode()
    return f"{head} {head[::-1]} {coded} {head.upper()}"


REPLIES = {
    "a score": lambda said: completion(json.dumps({"reason": said, "score": 7})),
    "no score": completion,
    "parts": lambda said: completion([{"text": said[at : at + 3]} for at in range(0, 2000, 3)]),
    "an error": lambda said: completion(said, "400 Bad Request"),
    "a plain error": lambda said: (
        b"HTTP/1.1 500 .\r\nContent-Length: %d\r\n\r\n%b" % (len(said), said.encode())
    ),
    "an error cut within the key": lambda said: REPLIES["a plain error"](" " * 385 + KEY),
}


@pytest.mark.parametrize("reply", REPLIES)
def test_an_endpoint_that_repeats_the_request_brings_no_secret_in(reply):
    with Server(models_then(lambda head: REPLIES[reply](request_repeated(head)))) as server:
        ended = outcome(judge_at(server))
    assert "[secret]" in repr(ended)
    assert nowhere_in(repr(ended))


def test_a_score_is_read_from_what_may_be_kept():
    """The reason holds the key, and the score survives its removal."""
    with Server(models_then(lambda head: REPLIES["a score"](f"sent {KEY}"))) as server:
        ended = outcome(judge_at(server))
    assert (ended.score, ended.text) == (7, '{"reason": "sent [secret]", "score": 7}')


@pytest.mark.parametrize("kind", [Verdict, Refused, Lost])
def test_every_text_of_an_outcome_is_one_that_is_cleaned(kind):
    texts = {field.name for field in dataclasses.fields(kind) if "str" in str(field.type)}
    assert texts == ({"text", "surcharge", "note"} if kind is Verdict else {"detail"})


def proxied(monkeypatch, url, login=ENCODED_LOGIN):
    monkeypatch.setenv("http_proxy", f"http://{login}@{url.host}:{url.port}")
    monkeypatch.setenv("https_proxy", f"http://{login}@{url.host}:{url.port}")
    monkeypatch.setenv("no_proxy", "")


def test_a_proxy_gets_its_login_and_the_whole_address(monkeypatch):
    with Server(models_then(lambda head: completion("7"))) as server:
        proxied(monkeypatch, server.url)
        ended = outcome(openai_judge("http://judge.invalid:81/v1"))
    assert ended.score == 7
    head = server.requests[-1][0].decode()
    assert head.startswith("POST http://judge.invalid:81/v1/chat/completions HTTP/1.1\r\n")
    coded = base64.b64encode(LOGIN.encode()).decode()
    assert f"\r\nProxy-Authorization: Basic {coded}\r\n" in head
    assert "\r\nHost: judge.invalid:81\r\n" in head


PROXY_ANSWERS = {
    "denied": b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
    "malformed": b"HTTP/1.1 200 OK\r\nContent-Length : x\r\n\r\n",
    "garbage": b"no HTTP\r\n\r\n",
    "closed": b"",
}


@pytest.mark.parametrize("login", [LOGIN, ENCODED_LOGIN], ids=["raw", "encoded"])
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("answer", PROXY_ANSWERS)
def test_the_login_of_a_proxy_is_in_no_error(monkeypatch, caplog, scheme, login, answer):
    caplog.set_level(logging.DEBUG)
    with Server(once(PROXY_ANSWERS[answer])) as server:
        proxied(monkeypatch, server.url, login)
        judge = openai_judge(
            f"{scheme}://judge.invalid/{TOKEN}/v1",
            shown_url=f"{scheme}://judge.invalid/${{TOKEN}}/v1",
            secrets=[TOKEN],
        )
        with pytest.raises(JudgeUnavailableError) as caught:
            outcome(judge)
    assert f"{scheme}://judge.invalid/${{TOKEN}}/v1 " in str(caught.value)
    assert nowhere_in(whole_story(caught.value) + caplog.text)


def test_a_proxy_that_repeats_its_login_brings_no_secret_in(monkeypatch):
    with Server(models_then(completion)) as server:
        proxied(monkeypatch, server.url)
        ended = outcome(openai_judge("http://judge.invalid/v1"))
    assert "[secret]" in ended.text
    assert nowhere_in(ended.text)


@pytest.mark.parametrize("named", ["socks5://someone77:pw@host:1", "http://h:x"])
def test_a_proxy_that_cannot_be_used_is_one_clear_error(monkeypatch, named):
    monkeypatch.setenv("http_proxy", named)
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(InputError, match="no address of an HTTP proxy") as caught:
        outcome(openai_judge("http://judge.invalid/v1"))
    assert "someone77" not in whole_story(caught.value)


def test_an_unreachable_address_is_told_without_what_variables_add():
    with Server(lambda server, connection: None) as server:
        pass
    judge = judge_at(server)
    with pytest.raises(JudgeUnavailableError, match=r"/\$\{TOKEN\}/v1 cannot be reached") as caught:
        outcome(judge)
    assert nowhere_in(whole_story(caught.value))
    assert nowhere_in(judge.identity + repr(judge._settings) + repr(judge))


def test_a_connection_that_breaks_is_told_without_secrets():
    with Server(models_then(lambda head: b"")) as server:
        server._plays = (models_then(lambda head: completion(head)[:-9].replace(b"200", b"20x")),)
        ended = outcome(judge_at(server))
    assert ended.reason is Reason.BROKEN_OFF
    assert nowhere_in(repr(ended))


FRAMING = [
    "Content-Length", "transfer-encoding", "Connection", "HOST", "Expect", "Upgrade", "TE",
    "Trailer", "Accept-Encoding", "Keep-Alive", "Proxy-Authorization", "Content-Encoding",
]  # fmt: skip


@pytest.mark.parametrize("name", FRAMING)
def test_headers_cannot_set_what_frames_a_message(name):
    with pytest.raises(InputError, match=f"headers of judge: {name} is set by adjudge itself"):
        openai_judge("http://127.0.0.1:1/v1", headers={name: "1"})
    with pytest.raises(InputError, match=f"key_header of judge: {name} is set by adjudge"):
        openai_judge("http://127.0.0.1:1/v1", key_header=name)


@pytest.mark.parametrize(
    "headers",
    [{"X": "a\r\nContent-Length: 0"}, {"X\r\nY": "a"}, {"X Y": "a"}, {"X": "é"}, {"": "x"}],
)
def test_a_header_that_is_none_is_refused_without_repeating_it(headers):
    with pytest.raises(InputError, match="headers of judge: ") as caught:
        openai_judge("http://127.0.0.1:1/v1", headers=headers)
    assert "Content" not in str(caught.value)


def test_the_header_of_the_key_is_given_once():
    with pytest.raises(InputError, match="Authorization is the header of the key too"):
        openai_judge("http://127.0.0.1:1/v1", headers={"authorization": "Basic abc"})


def test_a_header_in_other_letters_takes_the_place_of_ours():
    with Server(models_then(lambda head: completion("7"))) as server:
        outcome(judge_at(server, headers={"accept": "x/y"}))
    head = server.requests[-1][0].decode().lower()
    assert head.count("\r\naccept:") == 1
    assert "\r\naccept: x/y\r\n" in head
