"""The document of the method tells the beliefs that the program has."""

from dataclasses import fields

from adjudge.core.panel.beliefs import Beliefs
from tests.beliefs_table import DOCUMENT, table, written


def test_every_belief_is_documented_as_it_is() -> None:
    document = DOCUMENT.read_text()
    assert written(document) == document, "run: python -m tests.beliefs_table"


def test_the_table_leaves_no_belief_out() -> None:
    shown = table()
    assert all(f"| `{field.name}` |" in shown for field in fields(Beliefs))
