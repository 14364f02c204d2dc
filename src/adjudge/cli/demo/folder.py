"""The folder of the demonstration: an ordinary run file and ordinary items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson
import yaml

from adjudge.cli.demo.panel import MODELS
from adjudge.cli.demo.people import people_say
from adjudge.cli.demo.topics import Answered
from adjudge.errors import InputError

RUN_FILE = "run.yaml"
_ITEMS, _LABELS = "items.jsonl", "labels.csv"
_BUDGET = 0.40

_HEAD = """\
# Made by `adjudge demo`. Four judges of different price and quality, on ports of this machine;
# they answer only while the demonstration runs. People labelled 20 answers, picked at random.
"""


def ports_in(folder: Path) -> dict[str, int]:
    """The ports of an earlier demonstration, which its judges must use again."""
    path = folder / RUN_FILE
    if not path.exists():
        return {}
    try:
        judges = yaml.safe_load(path.read_text(encoding="utf-8"))["judges"]
        return {
            judge["model"]: int(judge["base_url"].split(":")[2].split("/")[0]) for judge in judges
        }
    except (OSError, ValueError, LookupError, TypeError, yaml.YAMLError) as error:
        raise InputError(
            str(path), "was not made by the demonstration", "choose another folder"
        ) from error


def write_folder(folder: Path, urls: Mapping[str, str], answers: Sequence[Answered]) -> None:
    """Write run file, items and labels, unless they exist."""
    if (folder / RUN_FILE).exists():
        return
    run_file = {
        "title": "Four systems answer sixteen questions",
        "items": _ITEMS,
        "budget": _BUDGET,
        "scale": {"low": 1, "high": 10, "whole": True},
        "confidence": 0.9,
        "keep_reasons": True,
        "labels": {"path": _LABELS, "random_sample": True},
        "judges": [
            {
                "model": name,
                "base_url": urls[name],
                "key": None,
                "prices": {"input": model.input, "output": model.output},
                "max_tokens": 100,
            }
            for name, model in MODELS.items()
        ],
    }
    lines = [
        orjson.dumps(
            {
                "id": answer.item.id,
                "prompt": answer.item.prompt,
                "response": answer.item.response,
                "group": answer.item.group,
            }
        )
        for answer in answers
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _ITEMS).write_bytes(b"\n".join(lines) + b"\n")
        labels = "".join(f"{item},{label}\n" for item, label in people_say(answers).items())
        (folder / _LABELS).write_text(f"item,label\n{labels}", encoding="utf-8")
        text = _HEAD + yaml.safe_dump(run_file, sort_keys=False)
        (folder / RUN_FILE).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            str(folder), f"cannot be written ({error.strerror})", "choose another folder"
        ) from error
