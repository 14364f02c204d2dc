from hypothesis import given
from hypothesis import strategies as st

from adjudge.report.html.drawings import short_name
from adjudge.report.html.ticks import money_ticks, score_ticks


def labels(ticks):
    return [tick.label for tick in ticks]


def test_scores_are_marked_at_round_numbers():
    assert labels(score_ticks(1, 10)) == ["2", "4", "6", "8", "10"]
    assert labels(score_ticks(0, 1)) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert labels(score_ticks(-0.02, 0.03)) == ["−0.02", "−0.01", "0.00", "0.01", "0.02", "0.03"]
    assert labels(score_ticks(7.3, 7.3)) == ["7.3"]


def test_money_is_marked_at_round_amounts():
    assert labels(money_ticks(8_000_000, 160_000_000)) == ["$0.01", "$0.02", "$0.05", "$0.1"]
    assert (
        labels(money_ticks(10**6, 10**12))
        == ["$0.001", "$0.01", "$0.1", "$1", "$10", "$100", "$1,000"][::2]
    )


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_lie_within_their_axis_and_are_few(low, width):
    high = low + width
    ticks = score_ticks(low, high)
    assert len(ticks) <= 8
    slack = 1e-6 * (abs(low) + width)
    assert all(low - slack <= tick.value <= high + slack for tick in ticks)


@given(st.integers(1, 10**15), st.integers(1, 10**15))
def test_money_ticks_lie_within_their_axis_and_are_few(one, other):
    low, high = sorted((one, other))
    ticks = money_ticks(low, high)
    assert len(ticks) <= 6
    assert all(low <= tick.value <= high for tick in ticks)


def test_long_names_keep_both_ends():
    assert short_name("a" * 10) == "a" * 10
    assert short_name("vendor/some-very-long-model-name-mini", 15) == "vendor/…me-mini"
    assert len(short_name("x" * 100, 22)) == 22
    assert short_name("") == "–"
