"""The judge behind HTTP, asked over real connections."""

import asyncio
import socket
from dataclasses import replace

import orjson
import pytest

from adjudge.errors import InputError, JudgeUnavailableError
from adjudge.judges import ChatRequest, OpenAIJudge, OpenAISettings, Prices, Prompt
from adjudge.judges.fence import fenced
from adjudge.judges.providers import PROTOCOLS
from adjudge.records import Item, Lost, Reason, Refused, Verdict
from adjudge.testing.faults import Fault
from adjudge.testing.reply import Reply
from adjudge.testing.server import PracticeServer
from tests.live.support import KEY, KEY_VARIABLE, PRICES, SCALE, openai_judge

ITEM = Item(id="a", prompt="Greet me.", response="Hello!")


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES, slow=30) as running:
        yield running


def ask(judge, *, calls=1, between=lambda: None, salt=b"", item=ITEM):
    async def asking():
        await judge.open(salt=salt)
        try:
            outcomes = []
            for _ in range(calls):
                outcomes.append(await judge.score(item))
                between()
                for _ in range(5):  # turns in which the loop sees what became of its connections
                    await asyncio.sleep(0)
            return outcomes
        finally:
            await judge.close()

    return asyncio.run(asking())


REFUSED = {
    Fault.BAD_REQUEST: Reason.REJECTED,
    Fault.WRONG_KEY: Reason.DENIED,
    Fault.CONFLICT: Reason.DOWN,
    Fault.TOO_EARLY: Reason.DOWN,
    Fault.REDIRECT: Reason.DENIED,
}
PRESUMED = {
    Fault.TOO_MANY: Reason.BUSY,
    Fault.TOO_MANY_WAIT_SECONDS: Reason.BUSY,
    Fault.TOO_MANY_WAIT_DATE: Reason.BUSY,
    Fault.TOO_MANY_WAIT_FOR_EVER: Reason.BUSY,
    Fault.OVERLOADED: Reason.BUSY,
    Fault.OUT_OF_CREDIT: Reason.DENIED,
    Fault.SPEND_LIMIT: Reason.DENIED,
    Fault.ERROR_500: Reason.DOWN,
    Fault.ERROR_503: Reason.DOWN,
    Fault.WEB_PAGE: Reason.DOWN,
    Fault.BILLED_408: Reason.DOWN,
    Fault.BILLED_429: Reason.BUSY,
    Fault.BILLED_500: Reason.DOWN,
    Fault.BILLED_503: Reason.DOWN,
}
"""Failures that cost nothing where the provider is known for it."""
LOST = {
    Fault.BILLED_500_SAID: Reason.DOWN,
    Fault.ERROR_503_SILENT: Reason.DOWN,
    Fault.GATEWAY_TIMEOUT: Reason.TIMED_OUT,
    Fault.SLOW: Reason.TIMED_OUT,
    Fault.RESET_BEFORE_BODY: Reason.BROKEN_OFF,
    Fault.RESET_WITHIN_BODY: Reason.BROKEN_OFF,
}
NO_SCORE = {
    Fault.TRUNCATED_JSON: Reason.MALFORMED,
    Fault.INVALID_JSON: Reason.MALFORMED,
    Fault.WRONG_UTF8: Reason.MALFORMED,
    Fault.EMPTY_CHOICES: Reason.EMPTY,
    Fault.OUT_OF_RANGE: Reason.OUT_OF_RANGE,
    Fault.CONTRADICTION: Reason.CONTRADICTING,
    Fault.PROSE: Reason.UNREADABLE,
    Fault.DECLINED: Reason.DECLINED,
    Fault.CUT_SHORT: Reason.CUT_SHORT,
    Fault.GIANT: Reason.TOO_LONG,
}
SCORED = {
    Fault.RESET_AFTER_BODY,
    Fault.NO_USAGE,
    Fault.NEGATIVE_USAGE,
    Fault.ABSURD_USAGE,
    Fault.OVERRUN,
    Fault.REASONING_LEFT_OUT,
    Fault.CACHE_WRITE,
    Fault.LONG_CACHE_WRITE,
    Fault.CACHE_READ,
    Fault.THINKING,
    Fault.CHEAPER_TIER,
    Fault.DEARER_TIER,
}


@pytest.mark.parametrize("way", ["directly", "by proxy", "directly, failures being free"])
@pytest.mark.parametrize("fault", Fault)
def test_every_fault_is_told_apart(server, monkeypatch, fault, way):
    if way == "by proxy":
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "")
    server.schedule = lambda number: fault
    free = True if way.endswith("free") else None
    judge = openai_judge(server.url, timeout=0.5, connect_timeout=0.4, free_failures=free)
    (outcome,) = ask(judge)
    expected = {**REFUSED, **PRESUMED, **LOST, **NO_SCORE}.get(fault)
    refused = REFUSED.keys() | (PRESUMED if free else {}).keys()
    kind = Refused if fault in refused else Lost if fault in PRESUMED | LOST else Verdict
    assert isinstance(outcome, kind)
    assert getattr(outcome, "reason", None) is expected
    assert (fault in SCORED) == (getattr(outcome, "score", None) is not None)


@pytest.mark.parametrize(
    ("url", "free", "tier"),
    [
        (None, True, "default"),
        ("https://eu.api.openai.com/v1", True, "default"),
        ("https://acme.openai.azure.com/openai/v1", True, None),
        ("https://openrouter.ai/api/v1", True, None),
        ("https://api.anthropic.com/v1", True, None),
        ("https://generativelanguage.googleapis.com/v1beta/openai", True, None),
        ("https://api.openai.com.evil.example/v1", False, None),
        ("https://myapi.openai.com.example/v1", False, None),
        ("https://fakeopenrouter.ai/v1", False, None),
        ("http://127.0.0.1:1/v1", False, None),
    ],
)
def test_only_known_hosts_fail_for_free_and_only_openai_is_told_a_service_tier(url, free, tier):
    judge = openai_judge(url or "https://api.openai.com/v1")
    assert judge._free_failures is free
    assert orjson.loads(judge._body(ITEM)).get("service_tier") == tier
    assert openai_judge("http://127.0.0.1:1/v1", free_failures=True)._free_failures


def test_a_service_tier_of_one_s_own_is_sent_and_needs_a_price(server):
    priced = Prices.of(input="0.15", output="0.60", service_tiers={"priority": 2})
    server.prices = priced
    (outcome,) = ask(openai_judge(server.url, prices=priced, service_tier="priority"))
    assert outcome.cost.total == server.bill
    assert outcome.surcharge == ""
    with pytest.raises(InputError, match="priority has no price"):
        openai_judge(server.url, service_tier="priority")


def test_the_wait_that_was_asked_for_is_told(server):
    server.wait = 7
    for fault in (Fault.TOO_MANY_WAIT_SECONDS, Fault.TOO_MANY_WAIT_DATE):
        server.schedule = lambda number, fault=fault: fault
        assert ask(openai_judge(server.url))[0].retry_after == 7


def test_the_price_is_that_of_the_server_s_own_bill(server):
    outcomes = ask(openai_judge(server.url), calls=3)
    assert sum(outcome.cost.total for outcome in outcomes) == server.bill


def test_a_dead_endpoint_costs_nothing(server):
    judge = openai_judge(server.url)
    outcomes = ask(judge, calls=2, between=server.go_dead)
    assert isinstance(outcomes[0], Verdict)
    assert outcomes[1].reason is Reason.DOWN
    server.listen()
    assert isinstance(ask(judge)[0], Verdict)


def test_an_endpoint_that_cannot_be_reached_is_one_clear_error_at_the_start():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        judge = openai_judge(f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
        with pytest.raises(JudgeUnavailableError, match="cannot be reached"):
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


def test_a_missing_key_is_one_clear_error_that_names_the_variable():
    judge = openai_judge("http://127.0.0.1:1/v1", key_variable="NO_SUCH_KEY")
    with pytest.raises(InputError, match="NO_SUCH_KEY is not set"):
        ask(judge)


def test_prices_and_prompts_can_be_looked_at_without_the_key():
    judge = openai_judge("http://127.0.0.1:1/v1", key_variable="NO_SUCH_KEY")
    assert judge.quote(ITEM).most.total > 0
    assert "Hello!" in judge.preview(ITEM)
    assert judge.identity == openai_judge("http://127.0.0.1:1/v1").identity


def test_a_judge_without_prices_is_refused():
    with pytest.raises(InputError, match="prices of judge"):
        openai_judge("http://127.0.0.1:1/v1", prices=None)


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://host/v1", "http:///v1"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(InputError, match="base_url"):
        openai_judge(url)


def test_a_free_endpoint_without_a_key_can_be_asked(server):
    judge = openai_judge(server.url, key_variable=None, prices=Prices.of())
    assert ask(judge)[0].cost.total == 0


def test_the_key_is_shown_nowhere(server):
    server.schedule = lambda number: Fault.WRONG_KEY
    judge = openai_judge(server.url, headers={"X-Other": "another-secret"})
    (refused,) = ask(judge)
    seen = " ".join([repr(refused), judge.identity, repr(judge._settings), judge.preview(ITEM)])
    assert "[secret]" in refused.detail
    assert KEY not in seen
    assert "another-secret" not in seen


def test_a_login_in_the_address_is_refused_without_repeating_it():
    with pytest.raises(InputError) as error:
        openai_judge("http://someone:password9@127.0.0.1:1/v1")
    assert "password9" not in str(error.value)


def test_a_query_is_kept_for_requests_and_stays_out_of_identity_and_errors(server):
    assert isinstance(ask(openai_judge(f"{server.url}/?api-version=1"))[0], Verdict)
    server.go_dead()
    judge = openai_judge(f"{server.url}?api-key=hidden77")
    with pytest.raises(JudgeUnavailableError) as error:
        ask(judge)
    assert "hidden77" not in str(error.value)
    assert "hidden77" not in judge.identity


def test_the_key_goes_into_the_header_that_is_named(server):
    seen = []
    server.reply_to, answer = (
        lambda body, key: (seen.append(key), answer(body, key))[1],
        server.reply_to,
    )
    ask(openai_judge(server.url))
    ask(openai_judge(server.url, key_header="api-key"))
    assert seen == [f"Bearer {KEY}", ""]


def test_what_shapes_answers_is_in_the_identity_and_nothing_else():
    def identity(**changes):
        return openai_judge("http://127.0.0.1:1/v1", **changes).identity

    same = [
        identity(),
        identity(timeout=9.0),
        identity(prices=Prices.of(input=9)),
        identity(name="x", model="judge"),
    ]
    assert len(set(same)) == 1
    assert identity(model="other") != same[0]
    assert identity(max_tokens=65) != same[0]
    assert openai_judge("http://127.0.0.1:2/v1").identity != same[0]


@pytest.mark.parametrize("way", ["directly", "by proxy"])
def test_a_large_prompt_is_sent_whole(server, monkeypatch, way):
    if way == "by proxy":
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "")
    large = replace(ITEM, response="x" * 3_000_000)

    async def asking(judge: OpenAIJudge):
        await judge.open()
        try:
            return await judge.score(large)
        finally:
            await judge.close()

    verdict = asyncio.run(asking(openai_judge(server.url)))
    assert verdict.prompt_tokens > 700_000


def test_prompts_are_fenced_by_the_salt_of_the_run(server):
    sent = []
    server.reply_to, answer = (
        lambda body, key: (sent.append(body), answer(body, key))[1],
        server.reply_to,
    )
    judge = openai_judge(server.url, prompt=Prompt(scale=SCALE))
    quote = judge.quote(ITEM)
    salts = [bytes(16), bytes(16), bytes(range(16))]
    for salt in salts:
        ask(judge, salt=salt)
        assert judge.quote(ITEM) == quote
    first, resumed, another = (
        orjson.loads(body)["messages"][1]["content"].encode() for body in sent
    )
    assert first == resumed
    assert another != first
    for text, salt in zip((first, another), (salts[0], salts[2]), strict=True):
        assert fenced("Hello!", "response", salt=salt).encode() in text


def test_a_prompt_that_became_longer_than_the_one_quoted_is_not_sent(server):
    turns = ["Hello!"]
    growing = replace(ITEM, metadata={"turns": turns})
    prompt = Prompt(scale=SCALE, system="", user="{{ turns | join }} {{ response }}")
    judge = openai_judge(server.url, prompt=prompt)
    judge.quote(growing)
    turns.append("More than was paid for.")
    (outcome,) = ask(judge, item=growing, salt=bytes(16))
    assert isinstance(outcome, Refused)
    assert outcome.reason is Reason.REJECTED
    assert "longer" in outcome.detail
    assert server.requests == 0
    turns.clear()
    assert isinstance(ask(judge, item=replace(growing))[0], Verdict)


def test_a_proxy_that_the_environment_names_is_used(server, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    monkeypatch.setenv("no_proxy", "")
    (verdict,) = ask(openai_judge("http://judge.invalid/v1", key_variable=KEY_VARIABLE))
    assert isinstance(verdict, Verdict)


def test_an_encrypted_endpoint_is_asked_if_its_certificate_is_trusted(certificate, monkeypatch):
    context, file = certificate
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with PracticeServer(prices=PRICES, tls=context) as server:
        outcomes = ask(openai_judge(server.url), calls=3)
    assert all(isinstance(outcome, Verdict) for outcome in outcomes)


def test_an_endpoint_with_a_certificate_that_nobody_trusts_is_refused(certificate):
    context, _ = certificate
    with PracticeServer(prices=PRICES, tls=context) as server:
        with pytest.raises(JudgeUnavailableError, match="certificate"):
            ask(openai_judge(server.url))
        assert server.requests == 0


def test_a_short_timeout_leaves_a_connection_half_of_it():
    request = ChatRequest(model="m", prompt=Prompt(scale=SCALE))
    usual = OpenAISettings(name="judge", request=request, prices=PRICES)
    assert usual.connect_timeout == 10
    assert replace(usual, timeout=4.0).connect_timeout == 2
    with pytest.raises(InputError, match="timeout must be the longer one"):
        replace(usual, timeout=4.0, connect_timeout=5.0)
