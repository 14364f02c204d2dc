"""Prices that nobody typed, and what goes before them."""

import json
from datetime import date

import pytest

from adjudge.config.listed_prices import name_in_list
from adjudge.judges import ModelJudge, Prices
from adjudge.judges.price_list import looked_up, source

DAY = date(2026, 11, 18)
LUNA = "openai/gpt-5.6-luna"  # cheaper since 2026-07-30


def prices_of(load, judge, *, above="", today=DAY):
    content = f"items: items.jsonl\nbudget: 5\n{above}judges: [{judge}]\n"
    (made,) = load(content, today=today).judges
    assert isinstance(made, ModelJudge)
    return made.prices


@pytest.mark.parametrize("judge", ["openai/gpt-4o-mini", "{model: gpt-4o-mini}"])
def test_a_model_alone_has_its_public_price(load, judge):
    prices = prices_of(load, judge)
    assert prices == looked_up("openai/gpt-4o-mini", day=DAY)
    assert prices.cost(prompt_tokens=1000, output_tokens=100).total == 1000 * 150 + 100 * 600
    assert prices.origin is not None
    assert prices.origin.words == f"{source()}, prices of 2026-11-18"


def test_decisions_of_a_model_have_prices_of_their_own(load):
    prices = prices_of(load, "{model: openai/gpt-6-luna, protocol: decisions}")
    # Cached or not, input costs the same, and answers are free.
    tokens = {"prompt_tokens": 1000, "cached_tokens": 900, "output_tokens": 50}
    assert prices.cost(**tokens).total == 1000 * 100
    assert prices_of(load, "openai/gpt-6-luna").cost(**tokens).total < 1000 * 100
    assert prices_of(load, "typesafe/jev-1.14.0").cost(**tokens).total == 1000 * 42


def test_the_price_is_that_of_the_day_of_the_run(load):
    before, after = (prices_of(load, LUNA, today=date(2026, 7, day)) for day in (29, 30))
    assert (before.rates[0].input, after.rates[0].input) == (10**9, 2 * 10**8)


@pytest.mark.parametrize("place", ["judge", "run"])
def test_a_day_can_be_asked_for_by_a_judge_and_by_the_run(load, place):
    if place == "judge":
        prices = prices_of(load, f"{{model: {LUNA}, prices: {{as_of: 2026-07-29}}}}")
    else:
        prices = prices_of(load, LUNA, above="prices: {as_of: 2026-07-29}\n")
    assert prices == looked_up(LUNA, day=date(2026, 7, 29))


def test_prices_that_were_typed_go_before_public_ones(load):
    own = prices_of(load, "{model: gpt-4o-mini, prices: {input: 1, output: 2}}")
    of_run = prices_of(load, "gpt-4o-mini", above="prices: {input: 1, output: 2}\n")
    assert own == of_run == Prices.of(input=1, output=2)
    assert own.origin is not None
    assert own.origin.words == "run file"


def test_a_price_map_goes_before_public_prices(load, tmp_path):
    entry = {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}
    (tmp_path / "ours.json").write_text(json.dumps({"gpt-4o-mini": entry}))
    prices = prices_of(load, "openai/gpt-4o-mini", above="prices: ours.json\n")
    assert prices == Prices.of(input=1, output=2)
    assert prices.origin is not None
    assert prices.origin.words == "ours.json"


@pytest.mark.parametrize(
    ("model", "base_url", "name"),
    [
        ("gpt-4o-mini", None, "openai/gpt-4o-mini"),
        ("openai/gpt-4o-mini", None, "openai/gpt-4o-mini"),
        ("anthropic/claude-sonnet-4-5", None, "anthropic/claude-sonnet-4-5"),
        ("gemini/gemini-2.5-pro", None, "gemini/gemini-2.5-pro"),
        ("bedrock/amazon.nova-lite-v1:0", None, "bedrock/amazon.nova-lite-v1:0"),
        ("openrouter/openai/gpt-4o", None, "openrouter/openai/gpt-4o"),
        ("openai/gpt-4o", "https://openrouter.ai/api/v1", "openrouter/openai/gpt-4o"),
        ("openai/gpt-4o", "https://api.openai.com/v1", "openai/gpt-4o"),
        (
            "amazon.nova-lite-v1:0",
            "https://bedrock-runtime.eu-west-1.amazonaws.com",
            "bedrock/amazon.nova-lite-v1:0",
        ),
    ],
)
def test_a_model_at_its_providers_own_host_is_known_to_the_list(model, base_url, name):
    assert name_in_list(model, base_url) == name
    looked_up(name, day=DAY)


@pytest.mark.parametrize(
    ("model", "base_url"),
    [
        ("openai/gpt-4o-mini", "http://localhost:8000/v1"),
        ("gpt-4o-mini", "https://eu.api.openai.com/v1"),  # dearer: the data stay in a region
        ("gpt-4o-mini", "https://ours.openai.azure.com/openai/v1"),  # its names are its customers'
        ("gpt-4o-mini", "https://api.openai.com.elsewhere.example/v1"),
        ("mistral/large", None),
    ],
)
def test_no_public_price_is_taken_for_any_other_host(model, base_url):
    assert name_in_list(model, base_url) is None


def test_openrouter_by_its_address_has_its_public_price(load):
    judge = "{model: openai/gpt-4o-mini, base_url: 'https://openrouter.ai/api/v1', key: X_KEY}"
    assert prices_of(load, judge) == looked_up("openrouter/openai/gpt-4o-mini", day=DAY)


def test_writes_for_an_hour_can_be_priced_by_hand_and_by_a_map(load, tmp_path):
    typed = "{model: m, prices: {input: 3, output: 15, cache_write: 3.75, cache_write_hour: 6}}"
    entry = {
        "input_cost_per_token": 3e-6,
        "output_cost_per_token": 15e-6,
        "cache_creation_input_token_cost": 3.75e-6,
        "cache_creation_input_token_cost_above_1hr": 6e-6,
    }
    (tmp_path / "ours.json").write_text(json.dumps({"m": entry}))
    by_hand, by_map = prices_of(load, typed), prices_of(load, "{model: m, prices: ours.json}")
    assert by_hand == by_map
    for long_cache, price in ((True, 6000), (False, 3750)):
        most = by_hand.most(
            prompt_tokens=1000, output_tokens=0, service_tier=None, long_cache=long_cache
        )
        assert most.input == 1000 * price
