"""Whatever a run file says, the program reads it or refuses it in sentences."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.corpus.run_files import CHAT, GOOD, RUN_FILES
from tests.fuzz.program import adjudge

FEW = settings(max_examples=max(settings().max_examples // 5, 1))
VALUES = st.sampled_from(
    [
        *("", "~", "[]", "{}", "-1", "0", "1e400", ".nan", "1" + "0" * 30, "0x10", "1_0", "no"),
        *("2001-01-01", "'\x07'", '"\\x1b[2J"', "&a 1", "*a", "${HOME}"),
    ]
)
LINES = st.sampled_from((GOOD + CHAT).splitlines())
KEYS = st.sampled_from(
    ["items", "budget", "scale", "seed", "prompt", "limits", "strategy", "confidence", "judges"]
)


def assert_checked(content: bytes, folder: Path) -> None:
    """Read by the command that spends nothing and asks nobody."""
    (folder / "items.jsonl").write_text('{"id": "a", "response": "Hi"}\n')
    (folder / "run.yaml").write_bytes(content)
    code, _, complaint = adjudge("check", "--offline", folder=folder)
    assert code in {0, 1}
    assert code == 0 or complaint.strip()


@pytest.mark.parametrize("name", RUN_FILES)
def test_every_run_file_of_the_corpus_is_read_or_refused(name, tmp_path):
    assert_checked(RUN_FILES[name], tmp_path)


@FEW
@given(lines=st.lists(LINES | st.builds("{}: {}".format, KEYS, VALUES), max_size=10))
def test_any_lines_are_read_or_refused(lines):
    with tempfile.TemporaryDirectory() as folder:
        assert_checked("\n".join(lines).encode(errors="replace"), Path(folder))


@FEW
@given(key=KEYS, value=VALUES, base=st.sampled_from([GOOD, CHAT]))
def test_a_good_file_with_one_line_more_is_read_or_refused(key, value, base):
    with tempfile.TemporaryDirectory() as folder:
        assert_checked(f"{base}{key}: {value}\n".encode(), Path(folder))
