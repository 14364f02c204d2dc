"""Who is so slow that the others go on."""

import pytest

from adjudge.run.stragglers import Beat, is_straggler, longest_wait


def beat(typical=None, silent=0.0, *, local=False):
    return Beat(typical=typical, silent=silent, local=local)


def test_a_judge_a_hundred_times_slower_is_a_straggler_and_the_fast_one_is_not():
    beats = [beat(0.5), beat(50.0)]
    assert [is_straggler(beats, j) for j in (0, 1)] == [False, True]


def test_a_judge_that_reasons_at_length_is_waited_for():
    assert not is_straggler([beat(0.6), beat(25.0)], 1)


@pytest.mark.parametrize(("silent", "expected"), [(20.0, False), (30.0, True)])
def test_a_judge_that_never_answered_is_a_straggler_once_it_was_silent_long_enough(
    silent, expected
):
    assert is_straggler([beat(0.5), beat(None, silent)], 1) is expected


def test_a_judge_that_was_fast_and_hangs_now_is_a_straggler():
    assert is_straggler([beat(0.5), beat(0.5, silent=26.0)], 1)


def test_nobody_is_left_behind_by_judges_that_have_not_answered():
    assert longest_wait([beat(), beat(None, 1e6)], 1) is None
    assert not is_straggler([beat(), beat(None, 1e6)], 1)


def test_two_slow_judges_do_not_excuse_each_other():
    beats = [beat(0.01), beat(2.0), beat(2.0)]
    assert [is_straggler(beats, j) for j in (0, 1, 2)] == [False, True, True]


def test_moments_that_nobody_notices_make_no_straggler():
    assert not is_straggler([beat(0.000_1), beat(0.1)], 1)


def test_a_model_is_not_left_behind_by_a_function():
    assert not is_straggler([beat(0.000_1, local=True), beat(None, 10.0)], 1)
    assert not is_straggler([beat(0.000_1, local=True), beat(5.0)], 1)
    assert is_straggler([beat(0.000_1, local=True), beat(0.1), beat(10.0)], 2)
