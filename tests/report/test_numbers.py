import math

import pytest

from adjudge.report.numbers import (
    count_text,
    digits_for,
    error_name,
    listed,
    money_text,
    range_text,
    round_money_text,
    score_text,
    share_text,
)


@pytest.mark.parametrize(("width", "digits"), [(1, 3), (4, 2), (9, 2), (100, 1), (1e4, 0)])
def test_a_scale_is_shown_with_decimals_that_tell_its_scores_apart(width, digits):
    assert digits_for(width) == digits


@pytest.mark.parametrize(
    ("nano", "text"),
    [
        (0, "$0"),
        (1, "$0.000000001"),
        (370_000, "$0.000370"),
        (392_000_000, "$0.392"),
        (999_999_999, "$1.000"),
        (12_340_000_000, "$12.34"),
        (1_234_000_000_000, "$1,234.00"),
        (None, "–"),
        (math.nan, "–"),
    ],
)
def test_money_has_the_digits_that_count(nano, text):
    assert money_text(nano) == text


def test_round_amounts_lose_their_zeros():
    assert [round_money_text(nano) for nano in (20_000_000, 5_000_000_000, 10**12)] == [
        "$0.02",
        "$5",
        "$1,000",
    ]


def test_a_negative_score_has_a_minus_and_none_is_minus_zero():
    assert score_text(-0.52, 2, signed=True) == "−0.52"
    assert score_text(0.52, 2, signed=True) == "+0.52"
    assert score_text(-0.001, 2, signed=True) == "0.00"
    assert score_text(None, 2) == score_text(math.nan, 2) == "–"
    assert range_text(-0.1, 0.25, 2) == "−0.10 to 0.25"


def test_small_shares_are_not_shown_as_nothing():
    assert [share_text(s) for s in (0, 0.0004, 0.004, 0.038, 0.05, 0.1234, 1)] == [
        "0 %",
        "<0.1 %",
        "0.4 %",
        "3.8 %",
        "5 %",
        "12 %",
        "100 %",
    ]


def test_counts_and_lists_read_as_sentences():
    assert count_text(1, "call") == "1 call"
    assert count_text(1204, "call") == "1,204 calls"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdef")) == "a, b, c and 3 more"


def test_errors_are_called_by_their_norm():
    assert [error_name(p) for p in (1.0, 2.0, math.inf, 3.0)] == [
        "mean absolute error",
        "root mean square error",
        "largest error",
        "3-mean error",
    ]
