"""Each provider's own library makes our call and reads our answer: the server speaks as they do."""

import asyncio
import importlib
import warnings

import orjson
import pytest

from adjudge.judges import Prices, Prompt
from adjudge.judges.providers import PROTOCOLS
from adjudge.records import Item, Verdict
from adjudge.testing.faults import Fault
from adjudge.testing.server import PracticeServer
from tests.live.support import KEY, SCALE, openai_judge

ITEM = Item(id="a", prompt="Greet me.", response="Hello!")
PROMPT = Prompt(scale=SCALE, system="Judge it.", user="Score this: {{ id }} {{ response }}")
MODEL = "some.model-1:0"
PRICES = Prices.of(input="0.15", cached_input="0.015", output="0.60")


def imported(name: str):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"{name} is not installed here")


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES) as running:
        running.heard = []
        whole = running.reply_in

        def noted(dialect, path, body, key):
            running.heard.append((orjson.loads(body), key.removeprefix("Bearer ")))
            return whole(dialect, path, body, key)

        running.reply_in = noted
        yield running


def ours(server: PracticeServer, protocol: str, **changes) -> Verdict:
    judge = openai_judge(
        server.url_of(protocol), MODEL, protocol=protocol, prompt=PROMPT, prices=PRICES, **changes
    )

    async def asking():
        await judge.open()
        try:
            return await judge.score(ITEM)
        finally:
            await judge.close()

    return asyncio.run(asking())


def texts() -> tuple[str, str]:
    system, user = PROMPT.messages(ITEM)
    return system["content"], user["content"]


def ask_openai(server, protocol="chat", **settings):
    openai = imported("openai")
    system, user = texts()
    with openai.OpenAI(api_key=KEY, base_url=server.url_of(protocol), max_retries=0) as client:
        answer = client.chat.completions.create(
            model=MODEL,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
            max_tokens=64,
            **settings,
        )
    usage = answer.usage
    return (
        answer.choices[0].message.content,
        usage.prompt_tokens,
        usage.prompt_tokens_details.cached_tokens,
        usage.prompt_tokens_details.cache_write_tokens,
        usage.completion_tokens,
    )


def ask_anthropic(server):
    anthropic = imported("anthropic")
    system, user = texts()
    client = anthropic.Anthropic(
        api_key=KEY, base_url=server.url_of("messages").removesuffix("/v1"), max_retries=0
    )
    with client:
        answer = client.messages.create(
            model=MODEL,
            system=system,
            messages=[{"role": "user", "content": user}],
            max_tokens=64,
            service_tier="standard_only",
        )
    usage = answer.usage
    cached, written = usage.cache_read_input_tokens, usage.cache_creation_input_tokens
    said = [block.text for block in answer.content if block.type == "text"]
    prompt = usage.input_tokens + cached + written
    return "".join(said), prompt, cached, written, usage.output_tokens


def ask_gemini(server):
    imported("google.genai")
    genai = importlib.import_module("google.genai")
    types = importlib.import_module("google.genai.types")
    system, user = texts()
    client = genai.Client(
        api_key=KEY,
        http_options=types.HttpOptions(
            base_url=server.url_of("generate").removesuffix("/v1beta"), api_version="v1beta"
        ),
    )
    config = types.GenerateContentConfig(
        system_instruction=system, max_output_tokens=64, service_tier="standard"
    )
    try:
        answer = client.models.generate_content(model=MODEL, contents=user, config=config)
    finally:
        client.close()
    usage = answer.usage_metadata
    output = usage.candidates_token_count + (usage.thoughts_token_count or 0)
    cached = usage.cached_content_token_count or 0
    return answer.text, usage.prompt_token_count, cached, 0, output


def ask_decisions(server):
    openai = imported("openai")
    system, user = texts()
    url = server.url_of("decisions")
    question = orjson.loads(
        openai_judge(url, protocol="decisions", prompt=PROMPT)._settings.request.body(ITEM)
    )["questions"][0]
    with openai.OpenAI(api_key=KEY, base_url=url, max_retries=0) as client:
        answer = client.decisions.create(
            model=MODEL,
            input=[{"role": "system", "content": system}, {"role": "user", "content": user}],
            questions=[question],
        )
    (one,) = answer.answers
    usage = answer.usage
    return (
        ", ".join(f"{level.label}: {level.probability:.3f}" for level in one.probabilities),
        usage.input_tokens,
        usage.input_tokens_details.cached_tokens,
        usage.input_tokens_details.cache_write_tokens,
        usage.output_tokens,
    )


def ask_typesafe(server):
    sdk = imported("typesafe_sdk")
    system, user = texts()
    url = server.url_of("systemone")
    questions = orjson.loads(
        openai_judge(url, protocol="systemone", prompt=PROMPT)._settings.request.body(ITEM)
    )["questions"]
    retry = sdk.RetryPolicy(max_retries=0)
    with sdk.TypeSafeClient(
        api_key=KEY, base_url=url.removesuffix("/v1"), model=MODEL, retry=retry
    ) as client:
        answer = client.system_one(
            [{"role": "system", "content": system}, {"role": "user", "content": user}], questions
        )
    (one,) = answer.scores.values()
    shares = [f"{int(place) + 1}: {share:.3f}" for place, share in one.probabilities.items()]
    return ", ".join(shares), answer.usage.input_tokens, 0, 0, answer.usage.output_tokens


ASK = {
    "decisions": ask_decisions,
    "systemone": ask_typesafe,
    "chat": lambda server: ask_openai(server, service_tier="default"),
    "azure": lambda server: ask_openai(server, "azure"),
    "messages": ask_anthropic,
    "generate": ask_gemini,
}


@pytest.mark.parametrize("fault", [None, Fault.THINKING, Fault.CACHE_READ, Fault.CACHE_WRITE])
@pytest.mark.parametrize("protocol", ASK)
def test_the_provider_s_library_reads_the_same_answer(server, protocol, fault):
    server.schedule = lambda number: fault
    server.answer = lambda model, prompt, number: '{"score": 7}'
    text, prompt, cached, written, output = ASK[protocol](server)
    verdict = ours(server, protocol, service_tier="default" if protocol == "chat" else None)
    theirs, own = server.heard
    assert theirs[1] == own[1] == KEY
    mean = 7 / 2 + (55 - 7) * 0.5 / 9
    assert verdict.score == pytest.approx(mean if protocol in {"decisions", "systemone"} else 7)
    assert (verdict.text, verdict.output_tokens) == (text, output)
    # Tokens of a prompt are counted by the bytes of a request, which differ by spaces.
    assert abs(verdict.prompt_tokens - prompt) <= 20
    assert (verdict.cached_tokens > 0, verdict.written_tokens > 0) == (cached > 0, written > 0)


@pytest.mark.parametrize("protocol", ASK)
def test_the_provider_s_library_sends_the_same_request(server, protocol):
    ASK[protocol](server)
    ours(server, protocol, service_tier="default" if protocol == "chat" else None)
    (theirs, _), (own, _) = server.heard
    assert _plain(own) == _plain(theirs)


@pytest.mark.parametrize(
    ("protocol", "fault", "error"),
    [
        ("chat", Fault.TOO_MANY, "RateLimitError"),
        ("chat", Fault.WRONG_KEY, "AuthenticationError"),
        ("messages", Fault.TOO_MANY, "RateLimitError"),
        ("messages", Fault.SPEND_LIMIT, "RateLimitError"),
        ("messages", Fault.OVERLOADED, "OverloadedError"),
        ("messages", Fault.WRONG_KEY, "AuthenticationError"),
        ("generate", Fault.TOO_MANY_WAIT_SECONDS, "ClientError"),
        ("generate", Fault.OVERLOADED, "ServerError"),
    ],
)
def test_the_provider_s_library_knows_the_refusal(server, protocol, fault, error):
    imported({"chat": "openai", "messages": "anthropic", "generate": "google.genai"}[protocol])
    server.schedule = lambda number: fault
    with pytest.raises(Exception, match=r".") as raised:
        ASK[protocol](server)
    assert error in {kind.__name__ for kind in type(raised.value).__mro__}


def several_from_openai(server):
    openai = imported("openai")
    system, user = texts()
    with openai.OpenAI(api_key=KEY, base_url=server.url, max_retries=0) as client:
        answer = client.chat.completions.create(
            model=MODEL,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
            max_tokens=64,
            n=3,
        )
    return [choice.message.content for choice in answer.choices], answer.usage.completion_tokens


def several_from_gemini(server):
    imported("google.genai")
    genai = importlib.import_module("google.genai")
    types = importlib.import_module("google.genai.types")
    system, user = texts()
    base = server.url_of("generate").removesuffix("/v1beta")
    options = types.HttpOptions(base_url=base, api_version="v1beta")
    config = types.GenerateContentConfig(
        system_instruction=system, max_output_tokens=64, service_tier="standard", candidate_count=3
    )
    client = genai.Client(api_key=KEY, http_options=options)
    try:
        answer = client.models.generate_content(model=MODEL, contents=user, config=config)
    finally:
        client.close()
    said = [one.content.parts[0].text for one in answer.candidates]
    return said, answer.usage_metadata.candidates_token_count


@pytest.mark.parametrize(
    ("protocol", "ask"), [("chat", several_from_openai), ("generate", several_from_gemini)]
)
def test_several_answers_to_one_request_are_asked_for_and_read_alike(server, protocol, ask):
    server.answer = lambda model, prompt, number: f'{{"score": {1 + number % 3}}}'
    texts_of_theirs, tokens = ask(server)
    judge = openai_judge(
        server.url_of(protocol), MODEL, protocol=protocol, prompt=PROMPT, prices=PRICES
    )

    async def asking():
        await judge.open()
        try:
            return await judge.score_several(ITEM, 3)
        finally:
            await judge.close()

    verdicts = asyncio.run(asking())
    (theirs, _), (own, _) = server.heard
    assert _plain(own) == _plain(theirs)
    assert [one.text for one in verdicts] == texts_of_theirs
    assert sum(one.output_tokens for one in verdicts) == tokens
    assert [one.score for one in verdicts] == [1, 2, 3]


def test_every_protocol_with_a_library_is_tried():
    assert set(ASK) == set(PROTOCOLS) - {"converse", "openrouter"}


def _plain(value: object) -> object:
    """Without the one difference that means nothing: a role that is the default."""
    if isinstance(value, dict):
        kept = {key: _plain(part) for key, part in value.items()}
        if kept.get("role") == "user" and "parts" in kept:
            kept.pop("role")
        return kept
    return [_plain(part) for part in value] if isinstance(value, list) else value
