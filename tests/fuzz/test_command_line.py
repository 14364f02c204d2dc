"""Whatever words the program is given, it ends with a code of its own and no traceback."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.corpus.run_files import GOOD
from tests.fuzz.program import adjudge

COMMANDS = st.sampled_from(["init", "check", "plan", "run", "status", "report", "export"])
OPTIONS = st.sampled_from(
    [
        *("--config", "-c", "--items", "--limit", "--set", "-m", "--json", "--offline", "--budget"),
        *("--width", "--dry-run", "--max-concurrency", "--no-report", "--quiet", "--require"),
        *("--seed", "--yes", "--output", "-o", "--format", "--force", "--schema", "--nothing"),
    ]
)
WORDS = st.sampled_from(
    [
        *("", "-", "--", "0", "-1", "1e400", "nan", "9" * 30, "run.yaml", "items.jsonl", "nowhere"),
        *("budget=1", "budget=", "=", "a.b.c=1", "judges=[]", "budget={", "budget=\x1b[2J", "\x00"),
        *("mean > 5", "mean(group=a) > ", "response=id", "items", "calls", "csv", "\ud800"),
    ]
)


@settings(max_examples=max(settings().max_examples // 3, 1))
@given(command=COMMANDS, words=st.lists(OPTIONS | WORDS, max_size=5))
def test_any_words_end_with_a_code_and_without_a_traceback(command, words):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run.yaml").write_text(GOOD)
        (folder / "items.jsonl").write_text('{"id": "a", "response": "Hi", "group": "a"}\n')
        adjudge(command, *words, folder=folder)
