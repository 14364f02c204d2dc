"""The tutorials, carried out: `python -m tests.tutorial` writes what they print into them."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import shlex
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from adjudge.judges import Prices
from adjudge.testing.server import PracticeServer
from tests.cli.starter import Starter

_DOCS = Path(__file__).resolve().parents[1] / "docs"
TUTORIALS = (_DOCS / "tutorial.md", _DOCS / "labels.md")
ENDPOINT = "https://llm.example.com/v1"
_BLOCK = re.compile(
    r"^(?:<!-- (?P<file>\S+) -->\n)?```(?P<kind>yaml|console)\n(?P<text>.*?)^```$"
    r"|^<!-- people fill in (?P<sheet>\S+) -->$",
    re.MULTILINE | re.DOTALL,
)
_RESPONSE = re.compile(r"<<< response (\w+)\n(.*)\n\1 >>>", re.DOTALL)


def answer(model: str, prompt: str, number: int) -> str:
    """Longer answers are better; the small model is generous and less steady."""
    found = _RESPONSE.search(prompt)
    words = len(found[2].split()) if found else 10
    chance = zlib.crc32(f"{model}{number}{words}".encode()) % 5 - 2
    score = 2 + words / 8 + (1 + 0.5 * chance if model == "small-model" else 0.2 * chance)
    return json.dumps(
        {"reason": f"It has {words} words.", "score": int(min(max(round(score), 1), 10))}
    )


def _write_answers(folder: Path) -> None:
    """Answers of two bots to the same questions, those of the second mostly longer."""
    rows = []
    for number in range(24):
        for bot, words in (("current", 6 + 7 * number % 30), ("candidate", 20 + 11 * number % 34)):
            text = " ".join(f"word{n}" for n in range(words))
            question = f"Question {number}?"
            row = {"id": f"{bot}-{number}", "prompt": question, "response": text, "group": bot}
            rows.append(json.dumps(row))
    (folder / "answers.jsonl").write_text("\n".join(rows))


def _fill_in(sheet: Path) -> None:
    """People like long answers too, give two points less, and have views of their own."""
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        words = len(row["response"].split())
        view = zlib.crc32(row["item"].encode()) % 3 - 1
        row["label"] = str(int(min(max(round(words / 8 + 0.5 * view), 1), 10)))
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what it prints, and where both stand in the document."""

    command: str
    shown: str
    """What the document shows."""
    printed: str
    """What the program printed."""


def steps(document: str) -> Iterator[tuple[re.Match[str], list[Step]]]:
    """Every session of the document, carried out in one folder, one after the other."""
    with (
        tempfile.TemporaryDirectory() as folder,
        PracticeServer(prices=Prices.of(input=2, output=8), answer=answer) as server,
        Starter.ready() as starter,
    ):
        place = Path(folder)
        _write_answers(place)
        env = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1", "LLM_KEY": "sk-of-the-tutorial"}
        for block in _BLOCK.finditer(document):
            if block["sheet"]:
                _fill_in(place / block["sheet"])
            elif block["file"]:
                text = block["text"].replace(ENDPOINT, server.url)
                (place / block["file"]).write_text(text)
            elif block["kind"] == "console":
                done = []
                for command, shown in _commands(block["text"]):
                    if command.startswith("cd "):
                        place = place / command[3:]
                        printed = ""
                    else:
                        printed = _printed(starter, command, place, env)
                        printed = printed.replace(server.url, ENDPOINT)
                    done.append(Step(command, shown, printed))
                yield block, done


def _commands(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def _printed(starter: Starter, command: str, place: Path, env: Mapping[str, str]) -> str:
    words = shlex.split(command)
    assert words[0] == "adjudge", command
    target = None
    if ">" in words:
        target = place / words[words.index(">") + 1]
        words = words[: words.index(">")]
    done = starter.run(words[1:], cwd=place, env=os.environ | env, stdin=None)
    assert done.returncode in {0, 3, 4}, f"{command}: {done.stderr}"
    if target is not None:
        target.write_text(done.stdout)
        return ""
    return "".join(line.rstrip() + "\n" for line in done.stdout.strip("\n").splitlines())


def rewritten(document: str) -> str:
    """The document with what the program prints now."""
    written, end = [], 0
    for block, done in steps(document):
        session = "".join(f"$ {step.command}\n{step.printed}" for step in done)
        written += [document[end : block.start("text")], session]
        end = block.end("text")
    return "".join([*written, document[end:]])


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        for tutorial in TUTORIALS:
            tutorial.write_text(rewritten(tutorial.read_text()))
