from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.gates import Gate, Kind, Quantity, parse_gate


def mean(**where: str) -> Quantity:
    return Quantity(kind=Kind.MEAN, where=tuple(where.items()))


def gate(first: Quantity, comparison: str, bound: float, *, minus: Quantity | None = None) -> Gate:
    return Gate(
        text="",
        first=first,
        second=minus,
        above=comparison.startswith(">"),
        bound=bound,
        strict="=" not in comparison,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mean > 7", gate(mean(), ">", 7)),
        ("mean(group=a)>=7.5", gate(mean(group="a"), ">=", 7.5)),
        ("7 < mean(group=a)", gate(mean(group="a"), ">", 7)),
        ("-1.5 >= mean", gate(mean(), "<=", -1.5)),
        (
            "mean(group=a) - mean(group=b) > 0",
            gate(mean(group="a"), ">", 0, minus=mean(group="b")),
        ),
        ("mean(group=a) > mean(group=b)", gate(mean(group="a"), ">", 0, minus=mean(group="b"))),
        (
            "mean(group=gpt-4o-mini, lang='en, de') < 1e1",
            gate(mean(group="gpt-4o-mini", lang="en, de"), "<", 10),
        ),
        ('mean(group="a (new) > b") < 3', gate(mean(group="a (new) > b"), "<", 3)),
        ("score(item=q1)>=0", gate(Quantity(kind=Kind.SCORE, where=(("item", "q1"),)), ">=", 0)),
        ("width < 0.1", gate(Quantity(kind=Kind.WIDTH), "<", 0.1)),
        ("spent <= 3", gate(Quantity(kind=Kind.SPENT), "<=", 3)),
    ],
)
def test_a_gate_is_read_as_it_is_meant(text: str, expected: Gate) -> None:
    assert parse_gate(text) == replace(expected, text=text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mean", "it has no comparison"),
        ("", "it has no comparison"),
        ("mean == 3", "it has no comparison"),
        ("median > 3", "'median' is none of mean, score, width, spent, agreement, bias"),
        ("> 3", "one side is empty: none of mean, score, width, spent, agreement, bias"),
        ("mean(group) > 3", "'group' is no condition as group=a"),
        ("mean(group=a > 3", "'(group=a' cannot be read"),
        ("score > 3", "a score needs exactly one item, as score(item=q1)"),
        ("score(group=a) > 3", "a score needs exactly one item, as score(item=q1)"),
        ("width(group=a) < 3", "width takes no conditions"),
        ("width - spent < 3", "only means and scores have differences"),
        ("mean(group=a) > mean(group=a)", "mean(group=a) is compared with itself"),
        ("mean - 1 > 3", "'1' is none of mean, score, width, spent, agreement, bias"),
        ("mean(a=b) mean(c=d) > 0", "'mean(c=d)' cannot be read"),
        ("width > 5", "a width is required to be below a number"),
        ("5 < width", "a width is required to be below a number"),
        ("mean => 3", "'=>' is no comparison, '>=' is"),
        ("mean(group=a) =< 3", "'=<' is no comparison, '<=' is"),
        ("mean > nan", "nan is not a valid bound"),
        ("1 > 0", "it compares one quantity, or the difference of two, with a number"),
        (
            "mean(g=a) - mean(g=b) > mean(g=c)",
            "it compares one quantity, or the difference of two, with a number",
        ),
    ],
)
def test_a_gate_that_cannot_be_read_says_why_and_how_to_write_one(text: str, found: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_gate(text)
    assert str(caught.value) == (
        f"require {text!r}: {found}; write it as `mean(group=a) - mean(group=b) > 0` or "
        "`width < 0.1`"
    )


@given(st.text())
def test_any_text_is_a_gate_or_an_error_of_ours(text: str) -> None:
    try:
        gate = parse_gate(text)
    except InputError:
        return
    assert gate.text == text.strip()


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["<", "<=", ">", ">="]))
def test_a_gate_and_its_mirror_image_say_the_same(bound: float, comparison: str) -> None:
    mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[comparison]
    one = parse_gate(f"mean {comparison} {bound!r}")
    other = parse_gate(f"{bound!r} {mirrored} mean")
    for value in (bound, bound - 1, bound + 1, 0.0):
        assert one.holds(value) == other.holds(value)
