import orjson
import pytest

from adjudge.errors import InputError
from adjudge.judges import ChatRequest, Prices, Prompt, Rates, ResponseFormat, Scale
from adjudge.records import Item

SCALE = Scale(low=1, high=5, whole=True)
PROMPT = Prompt(scale=SCALE)
ITEM = Item(id="a", response='Grüß Gott 👋 \n\t"quoted"')


def body(**settings):
    return orjson.loads(ChatRequest(model="m", prompt=PROMPT, **settings).body(ITEM))


def test_what_is_not_set_is_not_sent():
    assert set(body()) == {"model", "messages", "max_tokens", "response_format"}
    assert body()["max_tokens"] == 512


def test_what_is_set_is_sent():
    sent = body(max_completion_tokens=99, temperature=0.5, extra={"seed": 3})
    assert sent["max_completion_tokens"] == 99
    assert "max_tokens" not in sent
    assert sent["temperature"] == 0.5
    assert sent["seed"] == 3


def test_the_schema_lists_the_scores_where_they_are_few():
    schema = body(response_format=ResponseFormat.JSON_SCHEMA)["response_format"]["json_schema"]
    assert schema["schema"]["properties"]["score"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    assert "response_format" not in body(response_format=ResponseFormat.NONE)


def test_the_worst_case_is_that_of_the_service_tier_and_the_length():
    prices = Prices.of(
        input=4,
        output=20,
        long_context=[Rates.of(input=8, output=30, above=272_000)],
        service_tiers={"priority": 2, "flex": "0.5"},
    )

    def most(length, tier):
        request = ChatRequest(model="m", prompt=PROMPT, max_tokens=100, service_tier=tier)
        cost = request.quote(length, prices).most
        return cost.input // length, cost.output // 100

    assert most(1000, "default") == (5000, 20_000)
    assert most(1000, "flex") == (5000, 20_000)  # it may be served as any other
    assert most(1000, "priority") == (10_000, 40_000)
    assert most(1000, None) == (10_000, 40_000)
    assert most(300_000, "default") == (10_000, 30_000)
    assert most(300_000, None) == (20_000, 60_000)


def test_the_service_tier_is_sent_and_does_not_change_whose_answers_they_are():
    assert body(service_tier="flex")["service_tier"] == "flex"
    plain = ChatRequest(model="m", prompt=PROMPT)
    assert plain.identity == ChatRequest(model="m", prompt=PROMPT, service_tier="flex").identity


@pytest.mark.parametrize(
    "field",
    [
        "service_tier",
        "web_search_options",
        "models",
        "n",
        "max_tokens",
        "stream",
        "messages",
        "best_of",
    ],
)
def test_nothing_that_would_make_the_worst_case_untrue_is_let_in(field):
    with pytest.raises(InputError, match=field):
        ChatRequest(model="m", prompt=PROMPT, extra={field: 2})


@pytest.mark.parametrize(
    "settings",
    [{"max_tokens": 1, "max_completion_tokens": 1}, {"max_tokens": -1}, {"extra": {"x": object()}}],
)
def test_settings_that_cannot_be_used_are_refused(settings):
    with pytest.raises(InputError):
        ChatRequest(model="m", prompt=PROMPT, **settings)


def test_the_worst_case_takes_every_byte_for_a_token():
    request = ChatRequest(model="m", prompt=PROMPT, max_tokens=100)
    sent = request.body(ITEM)
    quote = request.quote(len(sent), Prices.of(input=1, output=2))
    assert quote.most.input == len(sent) * 1250  # each of them might be written to a cache
    assert quote.most.output == 100 * 2000
    assert quote.likely.total < quote.most.total


def test_every_setting_that_shapes_an_answer_is_part_of_the_identity():
    def identity(**settings):
        return ChatRequest(model="m", prompt=PROMPT, **settings).identity

    different = {
        identity(),
        identity(temperature=0.0),
        identity(max_tokens=5),
        identity(extra={"seed": 1}),
        identity(response_format=ResponseFormat.NONE),
        identity(response_format={"type": "json_object"}),
        identity(response_format={"type": "json_object", "schema": {"type": "object"}}),
    }
    assert len(different) == 7
    assert identity(extra={"a": 1, "b": 2}) == identity(extra={"b": 2, "a": 1})


def test_a_response_format_given_whole_is_sent_as_it_is():
    whole = {"type": "json_object", "schema": {"type": "object", "required": ["score"]}}
    assert body(response_format=whole)["response_format"] == whole
    for wrong in ({}, {"schema": object()}):
        with pytest.raises(InputError, match="response_format"):
            body(response_format=wrong)
