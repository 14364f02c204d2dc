import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.judges import Prices, Rates
from adjudge.records import dollars, nano_dollars


def test_prices_are_quoted_per_million_tokens():
    prices = Prices.of(input="0.15", cached_input="0.075", output="0.60")
    cost = prices.cost(prompt_tokens=1000, cached_tokens=400, output_tokens=50)
    assert cost.input == 600 * 150 + 400 * 75
    assert cost.output == 50 * 600
    assert cost.total == cost.input + cost.output


def test_a_price_map_per_token_gives_the_same_prices():
    entry = {
        "input_cost_per_token": 1.5e-07,
        "output_cost_per_token": 6e-07,
        "cache_read_input_token_cost": 7.5e-08,
        "litellm_provider": "openai",
    }
    assert Prices.from_price_map(entry) == Prices.of(
        input="0.15", output="0.6", cached_input="0.075"
    )


def test_a_price_map_without_prices_is_refused():
    with pytest.raises(InputError, match="output_cost_per_token"):
        Prices.from_price_map({"input_cost_per_token": 1e-7})


def test_a_price_map_that_holds_words_is_one_clear_error():
    entry = {"input_cost_per_token": "cheap", "output_cost_per_token": 1e-6}
    with pytest.raises(InputError, match="input_cost_per_token is 'cheap'"):
        Prices.from_price_map(entry)


GPT = {
    "input_cost_per_token": 4e-06,
    "input_cost_per_token_above_272k_tokens": 8e-06,
    "input_cost_per_token_above_272k_tokens_priority": 1.6e-05,
    "input_cost_per_token_batches": 2e-06,
    "input_cost_per_token_flex": 2e-06,
    "input_cost_per_token_priority": 8e-06,
    "output_cost_per_token": 2e-05,
    "output_cost_per_token_above_272k_tokens": 3e-05,
    "output_cost_per_token_above_272k_tokens_priority": 6e-05,
    "output_cost_per_token_batches": 1e-05,
    "output_cost_per_token_flex": 1e-05,
    "output_cost_per_token_priority": 4e-05,
    "cache_read_input_token_cost": 4e-07,
    "cache_read_input_token_cost_above_272k_tokens": 8e-07,
    "cache_read_input_token_cost_priority": 8e-07,
    "cache_creation_input_token_cost": 5e-06,
    "cache_creation_input_token_cost_above_12hr": 1e-05,
    "cache_creation_input_token_cost_above_272k_tokens": 1e-05,
    "cache_creation_input_token_cost_above_272k_tokens_priority": 2e-05,
    "cache_creation_input_token_cost_priority": 1e-05,
    "search_context_cost_per_query": {"search_context_size_low": 0.01},
    "mode": "chat",
}
"""A model of a public price map; long, urgent and cached requests have prices of their own."""


@pytest.mark.parametrize(
    ("tokens", "tier", "expected"),
    [
        ({"prompt_tokens": 3000, "written_tokens": 2900}, "default", 18_900_000),
        ({"prompt_tokens": 3000, "written_tokens": 2900}, "priority", 37_800_000),
        ({"prompt_tokens": 3000, "cached_tokens": 3000}, "default", 1_200_000 + 4_000_000),
        ({"prompt_tokens": 272_000}, "default", 272_000 * 4_000 + 4_000_000),
        ({"prompt_tokens": 272_001}, "default", 272_001 * 8_000 + 6_000_000),
        ({"prompt_tokens": 272_001}, "priority", 272_001 * 16_000 + 12_000_000),
        # The map has no price of long flexible requests: that of long ones is the dearer guess.
        ({"prompt_tokens": 272_001}, "flex", 272_001 * 8_000 + 6_000_000),
        ({"prompt_tokens": 1000}, "flex", 1000 * 2_000 + 2_000_000),
    ],
)
def test_a_price_map_knows_cache_writes_long_context_and_service_tiers(tokens, tier, expected):
    cost = Prices.from_price_map(GPT).cost(**tokens, output_tokens=200, service_tier=tier)
    assert cost.total == expected


def test_a_price_map_may_price_reasoning_and_requests_apart():
    entry = {
        "input_cost_per_token": 1e-6,
        "output_cost_per_token": 2e-6,
        "output_cost_per_reasoning_token": 5e-6,
        "input_cost_per_request": 0.005,
    }
    cost = Prices.from_price_map(entry).cost(prompt_tokens=10, output_tokens=10)
    assert (cost.input, cost.output) == (5_000_000 + 10_000, 50_000)


def test_prices_by_hand_say_the_same_as_the_map():
    by_hand = Prices.of(
        input=4,
        output=20,
        cached_input="0.4",
        cache_write=5,
        long_context=[
            Rates.of(input=8, output=30, cached_input="0.8", cache_write=10, above=272_000)
        ],
        service_tiers={"priority": 2},
    )
    looked_up = Prices.from_price_map(GPT)
    for tier in ("default", "priority"):
        for prompt in (1000, 300_000):
            tokens = {"prompt_tokens": prompt, "output_tokens": 9, "written_tokens": 99}
            assert by_hand.cost(**tokens, service_tier=tier) == looked_up.cost(
                **tokens, service_tier=tier
            )


def test_what_is_written_to_a_cache_costs_a_quarter_more_unless_said_otherwise():
    tokens = {"prompt_tokens": 100, "written_tokens": 80, "output_tokens": 0}
    assert Prices.of(input=4).cost(**tokens).total == 20 * 4000 + 80 * 5000
    assert Prices.of(input=4, cache_write=8).cost(**tokens).total == 20 * 4000 + 80 * 8000


TIERS = st.sampled_from(["default", "flex", "priority", "fast"])


@given(
    prompt=st.integers(1, 600_000),
    parts=st.tuples(st.integers(0, 600_000), st.integers(0, 600_000)),
    output=st.integers(0, 10_000),
    spare=st.integers(0, 1000),
    tiers=st.tuples(TIERS | st.sampled_from([None, "auto"]), TIERS),
)
def test_the_worst_case_covers_every_way_to_bill_the_same_tokens(
    prompt, parts, output, spare, tiers
):
    prices, (sent, served) = Prices.from_price_map(GPT), tiers
    most = prices.most(
        prompt_tokens=prompt + spare, output_tokens=output + spare, service_tier=sent
    )
    cost = prices.cost(
        prompt_tokens=prompt,
        cached_tokens=parts[0],
        written_tokens=parts[1],
        output_tokens=output,
        service_tier=served,
    )
    covered = cost.input <= most.input and cost.output <= most.output
    assert covered or prices.is_dearer(served, than=sent, prompt_tokens=prompt)


@pytest.mark.parametrize("multiple", ["dear", "-1", "nan", "inf"])
def test_a_service_tier_without_a_sensible_price_is_refused(multiple):
    with pytest.raises(InputError, match="priority"):
        Prices.of(input=1, service_tiers={"priority": multiple})


@pytest.mark.parametrize("amount", ["-1", "nan", "inf", "much", 1e30])
def test_an_impossible_amount_is_refused(amount):
    with pytest.raises(InputError):
        nano_dollars(amount)


def test_money_is_rounded_up_never_down():
    assert nano_dollars("0.0000000001") == 1
    assert Prices.of(input="0.0001").cost(prompt_tokens=1, output_tokens=0).total == 1


def test_money_is_read_by_people():
    assert [dollars(n) for n in (0, 150, 57_000, 12_340_000_000)] == [
        "$0.00",
        "$0.00000015",
        "$0.000057",
        "$12.34",
    ]


def test_a_cached_price_above_the_fresh_one_is_refused():
    with pytest.raises(InputError, match="cached"):
        Prices.of(input=1, cached_input=2)


@given(
    prompt=st.integers(0, 10**6),
    cached=st.integers(0, 10**6),
    output=st.integers(0, 10**5),
    more=st.integers(0, 10**5),
)
def test_more_tokens_never_cost_less(prompt, cached, output, more):
    prices = Prices.of(input="0.15", cached_input="0.01", output="0.6", per_call="0.001")
    few = prices.cost(prompt_tokens=prompt, cached_tokens=cached, output_tokens=output)
    many = prices.cost(prompt_tokens=prompt + more, output_tokens=output + more)
    assert few.input <= many.input
    assert few.output <= many.output
