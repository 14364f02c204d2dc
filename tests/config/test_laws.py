"""Whatever stands in a run file, it is read or refused in sentences."""

import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.config import load_run_file, run_file_of
from adjudge.config.judge_sections import FunctionSection, ModelSection, SimulatedSection
from adjudge.config.run_section import RunSection
from adjudge.errors import ConfigError

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(
        ["-", "1..10", "panel", "inf", "${X}", "{{", "$5", "a:b", "http://h/v1", "1e9"]
    ),
)
KEYS = sorted(
    {"kind", "path", "low", "high", "labels", "input", "output", "per_call", "concurrency", "user"}
    | set(RunSection.model_fields)
    | set(ModelSection.model_fields)
    | set(FunctionSection.model_fields)
    | set(SimulatedSection.model_fields)
)
VALUES = st.recursive(
    SCALARS,
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), below, max_size=4)
    ),
    max_leaves=8,
)
GOOD = {
    "items": "items.jsonl",
    "budget": 5,
    "judges": [{"model": "m", "prices": {"input": 1, "output": 1}}],
}


@settings(max_examples=100)
@given(changes=st.dictionaries(st.sampled_from(list(RunSection.model_fields)), VALUES, max_size=4))
def test_any_value_of_any_key_is_read_or_refused_in_sentences(changes):
    read_or_refused({**GOOD, **changes})


@settings(max_examples=100)
@given(judge=st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5))
def test_any_judge_is_read_or_refused_in_sentences(judge):
    read_or_refused({**GOOD, "judges": [{"model": "m", **judge}, judge]})


def read_or_refused(values: dict[str, object]) -> None:
    told: tuple[str, ...] = ()
    try:
        read = run_file_of(values, name="run", folder=Path("/nowhere"), environment={})
    except ConfigError as error:
        read, told = None, error.problems
    assert (read is None) == bool(told)
    assert all(problem.startswith("run: ") and "; " in problem for problem in told)


@settings(max_examples=100)
@given(text=st.text(alphabet="ab:-[]{}#&*!|>'\"%@` \n\t<1.?,\\\x07é", max_size=40))
def test_any_text_is_read_or_refused_with_its_line(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.yaml"
        path.write_text(text, newline="")
        with pytest.raises(ConfigError) as caught:
            load_run_file(path, environment={})
    for problem in caught.value.problems:
        _, line, _ = problem.removeprefix(str(path)).split(":", 2)
        assert 1 <= int(line) <= text.count("\n") + text.count("\r") + 1


@given(values=st.dictionaries(st.text(max_size=5), VALUES, max_size=5))
def test_yaml_that_was_written_is_read_as_it_was(values):
    """The loader agrees with PyYAML on everything that PyYAML writes with quotes."""
    from adjudge.config.document import parsed

    text = yaml.safe_dump(values, default_style='"', allow_unicode=True)
    expected = yaml.safe_load(text)
    if expected:
        assert repr(parsed("f", text).values) == repr(keys_as_text(expected))


def keys_as_text(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): keys_as_text(entry) for key, entry in value.items()}
    return [keys_as_text(entry) for entry in value] if isinstance(value, list) else value
