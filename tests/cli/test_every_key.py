"""Every key of a run file, set in every way: the documented order decides, or it is refused."""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from adjudge.cli.project import Project
from adjudge.config.environment import VARIABLES
from adjudge.config.known_keys import all_keys
from adjudge.config.mistakes import KeyPath
from adjudge.errors import ConfigError

KEYS = sorted(set(all_keys()), key=str)

CHAT = {"model": "a", "base_url": "http://x.invalid/v1", "key": None, "max_tokens": 60}
JUDGES: dict[str, dict[str, Any]] = {
    "chat": {**CHAT, "prices": {"input": 2, "output": 2}},
    "function": {"function": "judges_of_every_key:first", "price_per_call": 1},
    "simulated": {"kind": "simulated", "price_per_call": 1},
}
OF_FUNCTIONS = {"deterministic", "function", "version", "batch_size", "replicas", "num_gpus"}
OF_SIMULATED = {"price_per_call", "offset", "noise", "failure_rate", "seconds", "seed"}
STRATEGIES: dict[str, dict[str, Any]] = {
    "by_inverse_variance": {"kind": "uniform"},
    "gaussian": {"kind": "est_ivwe"},
    "reduced_pilot": {"kind": "est_ivwe"},
    "judge": {"kind": "single", "judge": "one"},
}

MAPPINGS = {
    "extra", "fields", "headers", "judges", "labels", "limits", "long_context", "patience",
    "prompt", "run", "service_tiers",
}  # fmt: skip
"""Keys whose value cannot be written as a text: these ways refuse them."""
VALUES: dict[str, tuple[object, object, object]] = {
    "address": ("local", "auto", "h.invalid:6379"),
    "as_of": ("2026-11-01", "2026-11-02", "2026-11-03"),
    "base_url": ("http://u.invalid/v1", "http://v.invalid/v1", "http://w.invalid/v1"),
    "by_inverse_variance": (False, True, False),
    "cached_input": (0.5, 0.7, 0.9),
    "confidence": (0.7, 0.8, 0.9),
    "criteria_file": ("one.txt", "two.txt", "three.txt"),
    "deterministic": (False, True, False),
    "failure_rate": (0.1, 0.2, 0.3),
    "file": ("one.json", "two.json", "three.json"),
    "free_failures": (False, True, False),
    "function": (
        "judges_of_every_key:first",
        "judges_of_every_key:second",
        "judges_of_every_key:third",
    ),
    "gaussian": (False, True, False),
    "guard": ("ask", "on", "off"),
    "high": (11, 12, 13),
    "items": ("one.csv", "two.csv", "three.csv"),
    "judge": ("one", "two", "three"),
    "judges": ("one", "two", "three"),
    "keep_reasons": (False, True, False),
    "label": (3, 6, 7),
    "key": ("ONE_KEY", "TWO_KEY", "THREE_KEY"),
    "key_header": ("x-one", "x-two", "x-three"),
    "kind": ("cyclic", "uniform", "panel"),
    "low": (-1, -2, -3),
    "on": ("ray", "here", "ray"),
    "path": ("one.csv", "two.csv", "three.csv"),
    "prices": ("one.json", "two.json", "three.json"),
    "random_sample": (False, True, False),
    "protocol": ("chat", "messages", "generate"),
    "questions": ("Is it right?", "Is it whole?", "Is it kind?"),
    "reduced_pilot": (False, True, False),
    "response_format": ("none", "json_schema", "json_object"),
    "scale": ("1..3", "1..4", "1..5"),
    "score_from": ("answer", "logprobs", "answer"),
    "spend": ("needed", "all", "needed"),
    "strategy": ("cyclic", "uniform", "panel"),
    "system_file": ("one.txt", "two.txt", "three.txt"),
    "target": ("panel", "unbiased", "reference"),
    "timeout": (30, 40, 50),
    "until": ("width < 3", "width < 4", "width < 5"),
    "user_file": ("one.txt", "two.txt", "three.txt"),
    "whole": (False, True, False),
}
"""Three values of a key, the neighbours different; a key that is not here takes numbers."""
NUMBERS = (3, 4, 5)
OPTIONS = {
    ("items", "path"): "items",
    ("items", "limit"): "limit",
    ("budget",): "budget",
    ("seed",): "seed",
    ("limits", "concurrency"): "max_concurrency",
}


ON_RAY = {"run": {"on": "ray"}}
NEEDED: dict[KeyPath, dict[str, object]] = {
    ("purse",): {"ledger": "postgresql://h.invalid/db"},
    ("run", "address"): ON_RAY,
    ("run", "wait"): ON_RAY,
    ("judges", 0, "replicas"): ON_RAY,
    ("judges", 0, "num_gpus"): ON_RAY,
}
"""What a key needs beside it."""


def base_for(key: KeyPath) -> dict[str, Any]:
    """A sound run file in which the key has its place."""
    first = "chat"
    if key[:1] == ("judges",) and len(key) > 2:
        name = key[2]
        first = "function" if name in OF_FUNCTIONS else first
        first = "simulated" if name in OF_SIMULATED else first
    judges = [{**JUDGES[first], "name": "one"}]
    if key[-1] == "thinking_budget":
        judges[0]["protocol"] = "generate"
    judges += [{**JUDGES["simulated"], "name": name} for name in ("two", "three")]
    values: dict[str, Any] = {
        "items": {"path": "one.csv"},
        "budget": 1,
        "scale": {"low": 0, "high": 10},
        "judges": judges,
    }
    values |= NEEDED.get(key, {})
    if key[-1] in {"score_from", "questions"}:
        values["scale"]["whole"] = True
    if key[-1] == "questions":
        judges[0]["protocol"] = "decisions"
    if key[0] == "labels" and len(key) > 1:
        values["labels"] = {"path": "one.labels.csv"}
    if key[:2] == ("labels", "scale") and len(key) > 2:
        values["labels"]["scale"] = {"low": 0, "high": 10}
    if key[:1] == ("strategy",):
        values["strategy"] = dict(STRATEGIES.get(str(key[-1]), {"kind": "panel"}))
    of_prices = key[2:] if key[0] == "judges" else key
    if key[0] == "prices" or of_prices in {("prices",), ("prices", "file")}:
        del judges[0]["prices"]
    if key[0] == "prices" and key[1:] not in {(), ("file",)}:
        values["prices"] = {"input": 1, "output": 1}
    if of_prices == ("prices", "as_of"):
        judges[0] = {"name": "one", "model": "openai/gpt-4o-mini"}
        values.pop("prices", None)
    if "long_context" in of_prices:
        long = {"above": 1000, "input": 9, "output": 9}
        prices = values["prices"] if key[0] == "prices" else {"input": 2, "output": 2}
        prices = {**prices, "long_context": [long]}
        (values if key[0] == "prices" else judges[0])["prices"] = prices
    if key[-1] == "max_completion_tokens":
        del judges[0]["max_tokens"]
    return values


def written(values: dict[str, Any], key: KeyPath, value: object) -> dict[str, Any]:
    """The values with this one in them, as one would write it."""
    first, *rest = key
    if not rest:
        return {**values, str(first): value}
    if isinstance(rest[0], int):
        entries = list(values[str(first)])
        entries[rest[0]] = written(entries[rest[0]], tuple(rest[1:]), value) if rest[1:] else value
        return {**values, str(first): entries}
    return {**values, str(first): written(values.get(str(first)) or {}, tuple(rest), value)}


def seen(value: object) -> object:
    """Everything that a project holds, as plain values that can be compared."""
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, Sequence | set | frozenset):
        return [seen(held) for held in value]
    if callable(value) or type(value).__module__.startswith("jinja2"):
        return getattr(value, "__qualname__", None)
    held: Mapping[str, object] = getattr(value, "__dict__", {})
    if isinstance(value, Mapping):
        held = {str(key): part for key, part in value.items()}
    elif dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        held = {name: getattr(value, name) for name in names}
    return {name: seen(part) for name, part in held.items()} or str(value)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that the values name; it is the working folder too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in os.environ if name.startswith("ADJUDGE_")]:
        monkeypatch.delenv(name)
    for number, name in enumerate(("one", "two", "three")):
        rows = "".join(
            f"{row},r{row},{row},x{row},y{row},{row % 3},{row % 4}\n" for row in range(8 + number)
        )
        (tmp_path / f"{name}.csv").write_text(f"id,response,3,4,5,6,7\n{rows}")
        (tmp_path / f"{name}.labels.csv").write_text(f"item,label\n0,{number + 1}\n")
        (tmp_path / f"{name}.txt").write_text(f"{{{{ response }}}} {name}")
        price = f'"input_cost_per_token": {number + 1}e-6, "output_cost_per_token": 1e-6'
        (tmp_path / f"{name}.json").write_text(f'{{"a": {{{price}}}}}')
    functions = "\n".join(f"def {name}(item): return 1" for name in ("first", "second", "third"))
    (tmp_path / "judges_of_every_key.py").write_text(functions)
    return tmp_path


Setter = Callable[[KeyPath, object], Mapping[str, Any]]


class Ways:
    """A run file with a key set in several ways at once, the weakest first."""

    names = ("file", ".env", "environment", "--set", "option")

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, key: KeyPath) -> None:
        self.folder, self.patch, self.key = folder, monkeypatch, key

    def variable(self) -> str:
        """The variable that sets the key, or the one that would."""
        name = next((name for name, path in VARIABLES.items() if path == self.key), None)
        return name or "ADJUDGE_" + "_".join(str(part) for part in self.key).upper()

    def read(self, **given: object) -> object:
        """What the project holds if the key is set so, by the names of the ways."""
        values = base_for(self.key)
        if "file" in given:
            values = written(values, self.key, given["file"])
        (self.folder / "run.yaml").write_text(yaml.safe_dump(values))
        beside = self.folder / ".env"
        beside.unlink(missing_ok=True)
        self.patch.delenv(self.variable(), raising=False)
        if ".env" in given:
            beside.write_text(f"{self.variable()}={text(given['.env'])}\n")
        if "environment" in given:
            self.patch.setenv(self.variable(), text(given["environment"]))
        dots = ".".join(str(part) for part in self.key)
        settings = [f"{dots}={text(given['--set'])}"] if "--set" in given else []
        option = {OPTIONS[self.key]: given["option"]} if "option" in given else {}
        project = Project.read(
            self.folder / "run.yaml",
            settings=settings,
            **option,  # type: ignore[arg-type]
        )
        return seen(dataclasses.replace(project, overrides=()))


def text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def values_of(key: KeyPath) -> tuple[object, object, object]:
    name = str(key[-1])
    if key[:1] == ("judges",) and name == "kind":
        return ("openai", "model", "openai")
    if key in {("labels",), ("labels", "path")}:
        return ("one.labels.csv", "two.labels.csv", "three.labels.csv")
    return VALUES.get(name, NUMBERS)


def is_mapping(key: KeyPath) -> bool:
    return key[-1] in MAPPINGS and key[-2:] not in {("fields", "prompt"), ("labels",)}


@pytest.mark.parametrize("key", KEYS, ids=lambda key: ".".join(str(part) for part in key))
def test_every_key_is_found_by_every_way_in_the_documented_order_or_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, key: KeyPath
) -> None:
    ways = Ways(folder, monkeypatch, key)
    refusing = set() if ways.variable() in VARIABLES else {".env", "environment"}
    if is_mapping(key):
        refusing.add("--set")
    for way in refusing:
        with pytest.raises(ConfigError):
            ways.read(**{way: 3})
    working = [way for way in Ways.names if way not in refusing]
    if key not in OPTIONS:
        working.remove("option")
    if is_mapping(key):
        return
    weak, strong, last = values_of(key)
    expected = [ways.read(file=value) for value in (weak, strong, last)]
    if key[-1] != "kind" or key[0] == "strategy":
        assert expected[0] != expected[1] != expected[2], "the plan does not show this key"
    for way in working[1:]:
        assert ways.read(**{way: strong}) == expected[1], way
    for weaker, stronger in pairwise(working):
        assert ways.read(**{weaker: weak, stronger: strong}) == expected[1], stronger
        assert ways.read(**{weaker: strong, stronger: last}) == expected[2], stronger


def test_a_key_that_is_not_there_is_refused_with_the_nearest_name(folder: Path) -> None:
    (folder / "run.yaml").write_text(yaml.safe_dump(base_for(("budget",))))

    def refused(*settings: str) -> str:
        with pytest.raises(ConfigError) as caught:
            Project.read(folder / "run.yaml", settings=settings)
        return str(caught.value)

    assert refused("bugdet=3") == "--set: bugdet: there is no such key; did you mean budget?"
    assert "did you mean concurrency?" in refused("limits.concurency=3")
    assert "judges[0].wieght: there is no such key; did you mean weight?" in refused(
        "judges.0.wieght=3"
    )
    assert refused("judges.7.weight=3") == (
        "--set: judges[7].weight: there is no entry 7; name one of 3 by its number, from 0, "
        "as judges.0.weight"
    )
    assert "there is no entry one" in refused("judges.one.weight=3")
    assert "give keys and values below it" in refused("limits=3")


def test_what_is_nearest_to_a_call_goes_before_what_is_general(folder: Path) -> None:
    (folder / "run.yaml").write_text(yaml.safe_dump(base_for(("budget",))))

    def concurrency(*settings: str, **options: Any) -> list[int]:
        project = Project.read(folder / "run.yaml", settings=settings, **options)
        return [judge.limits.concurrency for judge in project.plan.judges]

    assert concurrency("limits.concurrency=5", "judges[1].limits.concurrency=2") == [5, 2, 5]
    assert concurrency("judges.1.limits.concurrency=2", max_concurrency=7) == [7, 7, 7]
    (folder / ".env").write_text("ADJUDGE_MAX_CONCURRENCY=5\n")
    assert concurrency("judges.1.limits.concurrency=2") == [5, 2, 5]


def test_a_judge_written_as_its_model_keeps_it_when_another_key_is_set(folder: Path) -> None:
    values = base_for(("budget",)) | {"judges": ["gpt-a", "gpt-b"], "prices": {"per_call": 1}}
    (folder / "run.yaml").write_text(yaml.safe_dump(values))
    project = Project.read(folder / "run.yaml", settings=["judges.1.weight=3"])
    assert [judge.name for judge in project.plan.judges] == ["gpt-a", "gpt-b"]
    assert project.file.weights == (1.0, 3.0)
