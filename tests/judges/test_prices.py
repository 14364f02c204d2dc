import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.judges import Prices
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
