"""Groups are compared pair by pair where most of their items answer the same prompts."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.runs import result_of

from adjudge.core.arrays import IntArray
from adjudge.core.panel import PanelEstimate
from adjudge.core.people import Comparison, difference, paired_difference
from adjudge.core.people.comparison import pairs_by_prompt
from adjudge.errors import InputError

ITEMS = 40
A, B = np.arange(0, ITEMS, 2), np.arange(1, ITEMS, 2)


def estimate(*, unasked: list[int] | None = None) -> PanelEstimate:
    """Two groups in turn; prompts are hard or easy for both."""
    rng = np.random.default_rng(3)
    quality = np.repeat(rng.uniform(0.3, 0.7, ITEMS // 2), 2) + rng.normal(0, 0.03, ITEMS)
    n = np.full((ITEMS, 2), 3)
    n[unasked or []] = 0
    mean = quality[:, None] + rng.normal(0, 0.02, (ITEMS, 2))
    found = result_of(n, np.clip(mean, 0, 1), m2=2 * 0.02**2).estimate
    assert isinstance(found, PanelEstimate)
    return found


def prompts(*, shared: int = ITEMS // 2) -> list[str]:
    """So many prompts that both groups answer; the others are answered by one."""
    return [f"prompt {k // 2}" if k // 2 < shared else f"own {k}" for k in range(ITEMS)]


def test_groups_that_answer_the_same_prompts_are_compared_pair_by_pair() -> None:
    one = estimate()
    found = Comparison.of(one, B, A, prompts=prompts())
    assert (found.pairs, found.left_out) == (20, 0)
    assert found.here == paired_difference(one, B, A)
    assert found.beyond == paired_difference(one, B, A, population=True)


def test_groups_with_few_common_prompts_are_compared_as_wholes() -> None:
    one = estimate()
    found = Comparison.of(one, B, A, prompts=prompts(shared=9))
    assert (found.pairs, found.left_out) == (0, 0)
    assert found.here == difference(one, B, A)
    assert found.beyond == difference(one, B, A, population=True)


def test_half_of_the_smaller_group_in_pairs_is_enough_and_the_others_are_counted() -> None:
    one = estimate()
    found = Comparison.of(one, A, B, prompts=prompts(shared=10))
    assert (found.pairs, found.left_out) == (10, 20)
    assert found.here == paired_difference(one, A[:10], B[:10])


def test_only_pairs_with_two_scores_count_as_pairs() -> None:
    one = estimate(unasked=[1, 3, 4])
    found = Comparison.of(one, A, B, prompts=prompts())
    assert (found.pairs, found.left_out) == (17, 3)
    few = estimate(unasked=[*range(0, 22, 2), *range(23, ITEMS, 2)])
    assert Comparison.of(few, A, B, prompts=prompts()).pairs == 0


def test_a_mask_over_all_items_names_a_group_as_well_as_indices_do() -> None:
    one, mask = estimate(), np.arange(ITEMS) % 2 == 0
    found = Comparison.of(one, mask, ~mask, prompts=prompts())
    assert found.here == Comparison.of(one, A, B, prompts=prompts()).here


def test_two_single_items_are_compared_as_such_and_tell_nothing_of_others() -> None:
    found = Comparison.of(estimate(), [0], [1], prompts=prompts())
    assert found.pairs == 0
    assert found.beyond is None


def test_an_item_in_both_groups_is_refused() -> None:
    with pytest.raises(InputError, match="item 2 is in `first` too"):
        Comparison.of(estimate(), [0, 2], [1, 2], prompts=prompts())


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({}, [[0, 2, 4, 6], [1, 3, 5, 7]]), ({2: "prompt 0", 4: " ", 5: " "}, [[6], [7]])],
)
def test_prompts_that_a_group_answers_twice_or_that_are_empty_pair_with_nothing(
    changed: dict[int, str], expected: list[list[int]]
) -> None:
    asked = [changed.get(k, f"prompt {k // 2}") for k in range(8)]
    sides: list[IntArray] = [np.arange(0, 8, 2), np.arange(1, 8, 2)]
    assert [side.tolist() for side in pairs_by_prompt(asked, *sides)] == expected
