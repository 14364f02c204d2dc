"""A gate that cannot be decided is refused before there is anything to decide it by."""

import pytest

from adjudge.errors import InputError
from adjudge.gates import check_gate, parse_gate
from adjudge.judges import Scale
from adjudge.records import Item

SCALE = Scale(low=1, high=5)
ITEMS = [
    Item(id=f"{group}{n}", response="r", group=group, metadata={"part": n})
    for group in ("new", "old")
    for n in range(3)
]


@pytest.mark.parametrize(
    "text",
    [
        "mean > 1",
        "mean(group=new) >= 5",
        "mean(group=new) - mean(group=old) > -4",
        "score(item=new1) < 3",
        "mean(part=1) > 2",
        "width < 4",
        "spent < 100000",
    ],
)
def test_what_these_items_can_decide_is_let_through(text: str) -> None:
    check_gate(parse_gate(text), ITEMS, SCALE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mean(group=z) > 3", "no item has group=z; there are group = new, old"),
        ("score(item=new7) > 3", "no item has item=new7; there are item = new0"),
        ("mean(language=en) > 3", "no item has a field 'language' at all"),
        ("mean(grp=new) > 0", "no item has a field 'grp' at all; there are group, id, part, prom"),
        ("mean(group=new) > mean(part=1)", "item 'new1' is on both sides"),
        ("mean > 5.5", "mean cannot be 5.5; give a bound from 1 to 5"),
        ("mean(group=new) < 0", "mean(group=new) cannot be 0; give a bound from 1 to 5"),
        ("mean(group=new) - mean(group=old) > 4.5", "cannot be 4.5; give a bound from -4 to 4"),
        ("width < 9", "width cannot be 9; give a bound from 0 to 4"),
        ("spent < -1", "spent cannot be -1; give a bound from 0 to inf"),
    ],
)
def test_what_they_cannot_decide_is_refused(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        check_gate(parse_gate(text), ITEMS, SCALE)
    assert expected in str(caught.value)


def test_items_without_groups_are_said_to_have_none() -> None:
    ungrouped = [Item(id=str(n), response="r") for n in range(3)]
    with pytest.raises(InputError, match="no item has a field 'group' at all"):
        check_gate(parse_gate("mean(group=a) > 3"), ungrouped, SCALE)
