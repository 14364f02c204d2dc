from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from adjudge.worlds.grouped import blocks, mean_and_m2


@given(calls=st.lists(st.integers(1, 30), max_size=40), size=st.integers(1, 50))
def test_blocks_hold_every_pair_once_and_no_more_scores_than_they_may(
    calls: list[int], size: int
) -> None:
    number = np.array(calls, dtype=np.int64)
    found = list(blocks(number, size=size))
    assert [pair for block in found for pair in range(block.start, block.stop)] == list(
        range(number.size)
    )
    for block in found:
        assert number[block].sum() <= size or block.stop - block.start == 1


def test_moments_of_scores_in_a_row_are_those_of_each_pair() -> None:
    rng = np.random.default_rng(71)
    calls = np.array([1, 5, 2, 40])
    scores = [1e6 + rng.random(number) for number in calls]
    mean, m2 = mean_and_m2(np.concatenate(scores), calls)
    np.testing.assert_allclose(mean, [row.mean() for row in scores], rtol=1e-14)
    np.testing.assert_allclose(m2, [row.var() * row.size for row in scores], rtol=1e-8)
