"""The judge behind HTTP, asked over real connections."""

import asyncio
from dataclasses import replace

import orjson
import pytest

from adjudge.errors import InputError, JudgeUnavailableError
from adjudge.judges import ChatRequest, ModelJudge, ModelSettings, Prices, Prompt
from adjudge.judges.fence import fenced
from adjudge.records import Reason, Refused, Verdict
from adjudge.testing.faults import Fault
from adjudge.testing.server import PracticeServer
from tests.judges.asking import ITEM, ask
from tests.live.support import KEY, KEY_VARIABLE, PRICES, SCALE, openai_judge


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES, slow=30) as running:
        yield running


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
    assert judge._terms.free_failures is free
    assert orjson.loads(judge._body(ITEM)).get("service_tier") == tier
    assert openai_judge("http://127.0.0.1:1/v1", free_failures=True)._terms.free_failures


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


def test_the_identity_is_the_one_that_ledgers_of_earlier_versions_hold():
    identity = openai_judge("http://127.0.0.1:1/v1").identity
    assert identity.startswith("('openai', 'http://127.0.0.1:1/v1', '(\\'judge\\', 64, None, ")


@pytest.mark.parametrize("way", ["directly", "by proxy"])
def test_a_large_prompt_is_sent_whole(server, monkeypatch, way):
    if way == "by proxy":
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "")
    large = replace(ITEM, response="x" * 3_000_000)

    async def asking(judge: ModelJudge):
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
    usual = ModelSettings(name="judge", request=request, prices=PRICES)
    assert usual.connect_timeout == 10
    assert replace(usual, timeout=4.0).connect_timeout == 2
    with pytest.raises(InputError, match="timeout must be the longer one"):
        replace(usual, timeout=4.0, connect_timeout=5.0)
