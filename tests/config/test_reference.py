"""The documentation of run files is what the loader takes."""

import re
from pathlib import Path

import pytest

from adjudge.config.reference import reference
from adjudge.dataset import FIELDS

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "configuration.md"
TEXT = DOCUMENT.read_text()
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_every_key_is_documented_as_it_is():
    """If this fails: print the tables by `python -m adjudge.config.reference` and put them in."""
    _, _, documented = TEXT.partition("<!-- python -m adjudge.config.reference -->\n")
    assert documented.strip() == reference().strip()


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_load(load, tmp_path, example):
    (tmp_path / "my_judges.py").write_text("def exact_match(item):\n    return 'right'\n")
    if "judges:" not in example:
        example = f"{EXAMPLES[0]}{example}"
    assert load(example).judges


def test_the_column_names_are_documented():
    for field, names in FIELDS.items():
        (row,) = re.findall(rf"^\| {field} \| (.*) \|$", TEXT, re.MULTILINE)
        assert re.findall(r"`(\w+)`", row) == list(names)


def test_the_errors_shown_are_those_that_are_told(problems):
    shown = TEXT.partition("```text\n")[2].partition("```")[0].splitlines()
    content = """\
# Two
# lines
bugdet: 5
items: items.jsonl
budget: 5
judges:
  - model: mini
    prices: {input: 1, output: 2}
    max_tokens: many


  - {model: m, name: llama, base_url: "http://localhost:8000/v1", key: null}
"""
    assert problems(content) == shown
