"""What is found out about an endpoint before the first call, for nothing."""

import socket

import pytest

from adjudge.errors import JudgeUnavailableError
from adjudge.judges.providers import PROTOCOLS
from adjudge.records import Verdict
from adjudge.testing.reply import Reply
from adjudge.testing.server import PracticeServer
from tests.judges.asking import ask
from tests.live.support import PRICES, openai_judge


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES) as running:
        yield running


def test_an_endpoint_that_cannot_be_reached_is_one_clear_error_at_the_start():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        judge = openai_judge(f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
        with pytest.raises(JudgeUnavailableError, match=r"cannot be reached .*check base_url"):
            ask(judge)


def test_a_model_that_the_endpoint_does_not_list_is_one_clear_error_with_the_nearest(server):
    server.models = ("small-2", "small-2-mini", "voice", "pictures")
    with pytest.raises(JudgeUnavailableError) as refused:
        ask(openai_judge(server.url, model="smal-2"))
    problem = 'has no model "smal-2"; the nearest that it lists: small-2, small-2-mini'
    assert str(refused.value) == f"judge: {server.url} {problem}"
    with pytest.raises(JudgeUnavailableError, match="it lists pictures, small-2, small-2-mini and"):
        ask(openai_judge(server.url, model="zzz"))
    assert server.requests == 0


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.keys() - {"converse"}))
def test_a_model_that_is_not_listed_is_found_out_in_every_protocol_that_lists(server, protocol):
    server.models = ("small-2", "voice")
    url = server.url_of(protocol)
    with pytest.raises(JudgeUnavailableError, match=r'has no model "smal-2".*small-2'):
        ask(openai_judge(url, model="smal-2", protocol=protocol))
    assert isinstance(ask(openai_judge(url, model="small-2", protocol=protocol))[0], Verdict)


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.keys() - {"converse"}))
def test_a_wrong_key_is_found_out_before_the_first_call(server, protocol):
    server.refuses_keys = True
    with pytest.raises(JudgeUnavailableError, match="does not accept the key"):
        ask(openai_judge(server.url_of(protocol), protocol=protocol))
    assert server.requests == 0


def test_where_no_models_are_listed_any_answer_shows_that_the_endpoint_can_be_reached(server):
    server.refuses_keys = True
    judge = openai_judge(server.url_of("converse"), protocol="converse")
    assert isinstance(ask(judge)[0], Verdict)
    server.go_dead()
    with pytest.raises(JudgeUnavailableError, match="cannot be reached"):
        ask(judge)


@pytest.mark.parametrize(
    ("models", "model"),
    [
        (("small", "large"), "small"),
        (("Small",), "small"),
        (("small:latest",), "small"),
        (("models/small",), "small"),
        (("maker/small",), "maker/small:nitro"),
        (("maker/*",), "maker/small"),
        ((), "small"),
    ],
)
def test_a_model_is_found_by_every_name_that_endpoints_take_for_it(server, models, model):
    server.models = models
    assert isinstance(ask(openai_judge(server.url, model=model))[0], Verdict)


def test_another_tag_of_a_local_model_is_not_the_model(server):
    server.models = ("llama:3b",)
    with pytest.raises(JudgeUnavailableError, match="llama:3b"):
        ask(openai_judge(server.url, model="llama:1b"))


def test_a_list_that_leaves_a_model_out_is_believed_less_than_the_model_itself(server):
    listed = server.reply_about_models

    def without_aliases(path):
        server.models = ("small-20260101", "small") if "/models/" in path else ("small-20260101",)
        return listed(path)

    server.reply_about_models = without_aliases
    assert isinstance(ask(openai_judge(server.url, model="small"))[0], Verdict)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, b"not found"), (404, b"<html>not found"), (405, b""), (501, b""), (500, b"oh"),
        (200, b"not JSON"), (200, b"[]"), (200, b"{}"), (200, b'{"data": [{"name": "other"}]}'),
        (200, b'{"data": ["other"]}'), (200, b'{"data": [{"id": "other"}], "has_more": true}'),
    ],
)  # fmt: skip
def test_an_endpoint_without_a_readable_list_of_models_is_asked(server, status, body):
    server.reply_about_models = lambda path: Reply(body=body, billed=None, status=status)
    assert isinstance(ask(openai_judge(server.url))[0], Verdict)


def test_a_login_page_is_no_endpoint(server):
    server.login_page = True
    with pytest.raises(JudgeUnavailableError, match=r"a web page, .*; check base_url"):
        ask(openai_judge(server.url))
    assert server.requests == 0
