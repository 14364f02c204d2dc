"""Public prices: the same to the nano-dollar as the list's own calculation."""

import subprocess
import sys
from collections import Counter
from datetime import UTC, date, datetime
from decimal import ROUND_CEILING, Decimal
from pathlib import Path

import pytest
from genai_prices import Usage, calc_price
from genai_prices.data import providers
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.judges.price_list import PROVIDERS, known_models, list_state, looked_up, source
from adjudge.judges.rates import BATCH, STANDARD
from adjudge.records import NANO
from tests.live.support import openai_judge, some_items

DAY = date(2026, 11, 18)
MOMENT = datetime(2026, 11, 18, tzinfo=UTC)
LISTED = {name: prices for name, prices in known_models(day=DAY) if prices is not None}
LENGTHS = (1, 31_999, 100_000, 100_001, 200_001, 272_000, 272_001, 999_999)
CONTEXTS = {
    STANDARD: {},
    BATCH: {"processing": "batch"},
    "flex": {"service_tier": "flex"},
    "priority": {"service_tier": "priority"},
    "fast": {"service_tier": "fast"},
}


def entry(name):
    prefix, _, model = name.partition("/")
    provider = next(one for one in providers if one.id == PROVIDERS[prefix])
    return provider, next(one for one in provider.models if one.id == model)


def by_the_list(name, tier, *, prompt, output, cached=0, written=0, hour=0):
    """What the list itself says, in nano-dollars: input and output."""
    provider, model = entry(name)
    usage = Usage(
        input_tokens=prompt,
        output_tokens=output,
        cache_read_tokens=cached,
        cache_write_tokens=written,
        cache_write_1h_tokens=hour,
    )
    found = model.calc_price(
        usage, provider, genai_request_timestamp=MOMENT, price_context=CONTEXTS[tier]
    )
    return found.input_price * NANO, found.output_price * NANO


def by_us(name, tier, *, prompt, output, cached=0, written=0, hour=0):
    return LISTED[name].cost(
        prompt_tokens=prompt,
        output_tokens=output,
        cached_tokens=cached,
        written_tokens=written,
        long_written_tokens=hour,
        service_tier=tier,
    )


def tiers_of(name):
    """The tiers that the list has a price of for this model."""
    named = [dict(variant.when) for variant in entry(name)[1].price_variants or ()]
    return [tier for tier, context in CONTEXTS.items() if not context or context in named]


def has_hour_price(name):
    return LISTED[name].rates[0].cache_write_hour is not None


def writes_on_top(name):
    """Whether the list has only what keeping tokens costs, on top of sending them."""
    _, model = entry(name)
    prices = model.get_prices(MOMENT)
    write, fresh = (
        getattr(one, "base", one) for one in (prices.cache_write_mtok, prices.input_mtok)
    )
    return write is not None and write < fresh


def assert_the_same(name, tier, **tokens):
    exact = by_the_list(name, tier, **tokens)
    ours = by_us(name, tier, **tokens)
    # Prices of a million tokens with more than nine decimals are rounded up themselves.
    slack = Decimal(tokens["prompt"] + tokens["output"]) / 1_000_000
    for part, listed in zip((ours.input, ours.output), exact, strict=True):
        if writes_on_top(name) and tokens.get("written"):
            assert part >= listed
        else:
            least, most = (one.to_integral_value(ROUND_CEILING) for one in (listed, listed + slack))
            assert least <= part <= most, (name, tier, tokens)


def test_every_listed_model_costs_what_the_list_calculates_at_every_length_and_tier():
    for name in LISTED:
        if entry(name)[1].get_prices(MOMENT).output_reasoning_mtok is not None:
            continue  # charged as if all of it were reasoning
        for tier in tiers_of(name):
            for length in LENGTHS:
                assert_the_same(
                    name,
                    tier,
                    prompt=length,
                    output=777,
                    cached=length // 3,
                    written=length // 4,
                    hour=length // 8 if has_hour_price(name) else 0,
                )


@given(data=st.data(), prompt=st.integers(1, 2_000_000), output=st.integers(0, 200_000))
def test_cache_reads_and_writes_of_both_kinds_cost_what_the_list_calculates(data, prompt, output):
    name = data.draw(st.sampled_from(sorted(LISTED)))
    tier = data.draw(st.sampled_from(tiers_of(name)))
    cached = data.draw(st.integers(0, prompt))
    written = data.draw(st.integers(0, prompt - cached))
    hour = data.draw(st.integers(0, written)) if has_hour_price(name) else 0
    if entry(name)[1].get_prices(MOMENT).output_reasoning_mtok is None:
        assert_the_same(
            name, tier, prompt=prompt, output=output, cached=cached, written=written, hour=hour
        )


@given(data=st.data(), prompt=st.integers(1, 2_000_000), output=st.integers(0, 200_000))
def test_the_worst_case_of_a_listed_model_covers_every_way_to_bill_it(data, prompt, output):
    name = data.draw(st.sampled_from(sorted(LISTED)))
    cached = data.draw(st.integers(0, prompt))
    written = data.draw(st.integers(0, prompt - cached))
    hour = data.draw(st.integers(0, written)) if has_hour_price(name) else 0
    sent = data.draw(st.sampled_from([None, *tiers_of(name)]))
    most = LISTED[name].most(
        prompt_tokens=prompt, output_tokens=output, service_tier=sent, long_cache=hour > 0
    )
    for billed in tiers_of(name) if sent is None else {STANDARD, sent}:
        cost = by_us(
            name, billed, prompt=prompt, output=output, cached=cached, written=written, hour=hour
        )
        assert cost.input <= most.input
        assert cost.output <= most.output


def test_a_cache_write_costs_a_quarter_more_and_one_for_an_hour_twice_as_much():
    prices = looked_up("anthropic/claude-sonnet-4-5", day=DAY)
    fresh = prices.cost(prompt_tokens=1000, output_tokens=0).total
    written = prices.cost(prompt_tokens=1000, written_tokens=1000, output_tokens=0).total
    hour = prices.cost(
        prompt_tokens=1000, written_tokens=1000, long_written_tokens=1000, output_tokens=0
    ).total
    assert (written, hour) == (fresh * 5 // 4, 2 * fresh)


@pytest.mark.parametrize(
    ("tier", "dollars"), [(STANDARD, "0.0189"), ("priority", "0.0378"), (BATCH, "0.00945")]
)
def test_a_prompt_that_is_nearly_all_written_to_the_cache_costs_what_is_billed(tier, dollars):
    tokens = {"prompt_tokens": 3000, "written_tokens": 2900, "output_tokens": 200}
    cost = looked_up("openai/gpt-5.6", day=DAY).cost(**tokens, service_tier=tier)
    assert cost.total == Decimal(dollars) * NANO


def test_the_list_covers_nearly_every_model_that_judges_text():
    usable, refused = Counter(), Counter()
    for name, prices in known_models(day=DAY):
        (refused if prices is None else usable)[name.partition("/")[0]] += 1
    for prefix, least in {
        "openai": 90, "anthropic": 25, "gemini": 50, "bedrock": 100, "openrouter": 700,
        "typesafe": 2, "openai-decisions": 1,
    }.items():  # fmt: skip
        assert usable[prefix] >= least
    # Embeddings, speech, and models that are free.
    for name, prices in known_models(day=DAY):
        if prices is None:
            listed = entry(name)[1].get_prices(MOMENT)
            assert listed.input_mtok is None or listed.output_mtok is None


def test_other_names_of_a_service_tier_have_the_same_price_in_the_list():
    for name in LISTED:
        _, model = entry(name)
        named = {tuple(variant.when.items()) for variant in model.price_variants or ()}
        if (("service_tier", "fast"),) in named:
            fast, priority = (
                model.get_prices(MOMENT, CONTEXTS[one]) for one in ("fast", "priority")
            )
            assert fast == priority
        assert model.get_prices(MOMENT, {"service_tier": "default"}) == model.get_prices(MOMENT)


def test_a_price_is_that_of_the_day():
    name = "gemini/gemini-3.6-flash"  # its price is announced to rise
    now, then = (looked_up(name, day=day) for day in (DAY, date(2027, 1, 1)))
    assert now != then
    usage = Usage(input_tokens=1000, output_tokens=1000)
    listed = calc_price(
        usage,
        "gemini-3.6-flash",
        provider_id="google",
        genai_request_timestamp=datetime(2027, 1, 1, tzinfo=UTC),
    )
    assert then.cost(prompt_tokens=1000, output_tokens=1000).total == listed.total_price * NANO


@pytest.mark.parametrize(
    ("unknown", "near"),
    [
        ("openai/gpt-4o-minx", "openai/gpt-4o-mini"),
        ("openai/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("bedrock/anthropic.claude-sonet-4-5", "bedrock/"),
        ("openrouter/openai/gpt-4o-minni", "openrouter/openai/gpt-4o-mini"),
    ],
)
def test_an_unknown_model_is_refused_with_the_nearest_names(unknown, near):
    with pytest.raises(InputError, match=f"no price of {unknown}; did you mean {near}"):
        looked_up(unknown, day=DAY)


@pytest.mark.parametrize("name", ["openai/text-embedding-3-small", "gemini/gemma-3"])
def test_a_model_without_a_price_for_text_in_and_out_is_refused(name):
    with pytest.raises(InputError, match="not one for tokens of text"):
        looked_up(name, day=DAY)


def test_a_name_that_the_list_takes_for_another_says_so():
    origin = looked_up("openai/gpt-4o-mini-2024-07-18", day=DAY).origin
    assert origin is not None
    assert origin.words.endswith("as openai/gpt-4o-mini, prices of 2026-11-18")


def test_the_list_says_how_old_it_is():
    state = list_state(DAY)
    assert state.source.startswith("genai-prices ")
    assert date(2026, 10, 1) <= state.newest <= DAY


def test_who_types_prices_does_not_wait_for_the_list():
    code = (
        "import sys; from adjudge.config import load_run_file; import adjudge.judges;"
        " sys.exit('genai_prices' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("prefix", ["openai/", ""])
def test_a_name_without_end_is_refused_at_once(prefix):
    with pytest.raises(InputError) as caught:
        looked_up(prefix + "gpt-4o-mini" * 100_000, day=DAY)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("name", ["", "/", "openai", "openai/", "openrouter/", "/gpt-4o"])
def test_a_name_that_is_none_has_no_price(name):
    with pytest.raises(InputError, match="has no price of"):
        looked_up(name, day=DAY)


def test_a_judge_tells_the_source_of_its_price_and_the_tiers_that_it_may_use():
    prices = looked_up("openai/gpt-5.6", day=DAY)
    judge = openai_judge("http://localhost/v1", prices=prices, service_tier="flex")
    told = judge.describe(some_items(1)[0])
    assert ("prices by", prices.origin.words) in told.settings
    named = [price.of for price in told.prices]
    assert "1M output tokens, tier flex, above 272,000" in named
    assert not any("priority" in of or "batch" in of for of in named)


def test_the_documents_count_what_this_version_of_the_list_has():
    text = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text()
    every = sum(1 for _ in known_models(day=DAY))
    assert f"{len(LISTED):,} models with a price for text of the {every:,} that {source()}" in text
    assert f"(version {source().split()[1]}: {list_state(DAY).newest})" in text
    assert f"({len(LISTED):,} models, " in (Path(__file__).parents[2] / "CHANGELOG.md").read_text()
