"""Whatever a template says, it is rendered, the same each time, or refused in a sentence."""

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.judges import Prompt, Scale
from adjudge.records import Item
from tests.fuzz.corpus.templates import TEMPLATES

ITEM = Item(id="a", response="Hi!", prompt="Greet.", metadata={"turns": [{"role": "u", "n": 1}]})
SCALE = Scale(low=1, high=10, whole=True)
PIECES = st.sampled_from(
    [
        *("{{ ", " }}", "{% ", " %}", "{# ", " #}", "response", "turns", "id", "missing", "x"),
        *("for x in ", "endfor", "if ", "endif", "set x = ", "macro x()", "endmacro", "x()"),
        *(" | ", "upper", "join", "random", "tojson", "map('upper')", "fenced('x')", "format(1)"),
        *(
            "(",
            ")",
            "[",
            "]",
            "'",
            '"',
            "1",
            "99999",
            "range(99999)",
            "*",
            "**",
            "~",
            "%",
            ".",
            ",",
        ),
        *(".__class__", ".items()", "[0]", "[::-1]", " is defined", " == ", " in ", "loop", "\n"),
    ]
)


def rendered(source: str) -> bytes | None:
    """The request of this template; None if it was refused, in a sentence."""
    try:
        prompt = Prompt(scale=SCALE, user=source)
        first, second = prompt.messages(ITEM, bytes(16)), prompt.messages(ITEM, bytes(16))
    except InputError as error:
        complaint = str(error)
    else:
        assert first == second
        assert len(prompt.json(ITEM, b"x" * 16)) == len(prompt.json(ITEM, bytes(16)))
        return prompt.json(ITEM)
    assert "; " in complaint
    return None


@given(source=st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=10))
def test_any_template_is_rendered_the_same_twice_or_refused(source):
    rendered(source)


@settings(max_examples=max(settings().max_examples // 4, 1))
@given(
    source=st.sampled_from(sorted(text for text in TEMPLATES.values() if len(text) < 300)),
    at=st.integers(0, 300),
    piece=PIECES,
)
def test_hostile_templates_with_a_piece_put_in_are_rendered_or_refused(source, at, piece):
    sent = rendered(source[:at] + piece + source[at:])
    assert sent is None or len(sent) < 10**8
