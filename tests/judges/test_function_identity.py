"""A function's identity: the same in every process, and another when its answers may be."""

import functools
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge.judges import FunctionJudge, Scale
from adjudge.judges.function_identity import FunctionIdentity, function_identity

SCALE = Scale(low=0, high=1)


def made(code: str, **values: object) -> Any:
    """The function `judge` of a module with this code, whose source is not on disk."""
    names: dict[str, Any] = {"__name__": "users_module", **values}
    exec(code, names)
    return names["judge"]


def identity(code: str, **values: object) -> FunctionIdentity:
    return function_identity(made(code, **values))


CALLING = "def helper(x):\n    return {}\ndef judge(item):\n    return helper(item)\n"


def test_a_changed_helper_makes_another_judge() -> None:
    assert identity(CALLING.format("1")).digest == identity(CALLING.format("1")).digest
    assert identity(CALLING.format("1")).digest != identity(CALLING.format("2")).digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.5, 0.6),
        ("be strict", "be kind"),
        ([1, 2], [1, 3]),
        ({"a": 1}, {"a": 2}),
        ({1, 2}, {1, 3}),
        ((1, (2, 3)), (1, (2, 4))),
        (np.arange(3), np.arange(1, 4)),
        (Path("a"), Path("b")),
        (functools.partial(round, ndigits=1), functools.partial(round, ndigits=2)),
        (lambda x: 1, lambda x: 2),
    ],
)
def test_a_changed_constant_makes_another_judge(one: object, other: object) -> None:
    code = "def judge(item):\n    return CONSTANT\n"
    first, second = identity(code, CONSTANT=one), identity(code, CONSTANT=other)
    assert first.digest != second.digest
    assert first == identity(code, CONSTANT=one)
    assert first.unseen == ()


def test_what_a_closure_and_the_defaults_hold_counts() -> None:
    def above(limit: float) -> Any:
        return lambda item, low=0.0: float(len(item.response) > limit) + low

    assert function_identity(above(3)).digest == function_identity(above(3)).digest
    assert function_identity(above(3)).digest != function_identity(above(4)).digest
    code = "def judge(item, limit={}, *, low={}):\n    return limit + low\n"
    assert identity(code.format(1, 1)).digest != identity(code.format(2, 1)).digest
    assert identity(code.format(1, 1)).digest != identity(code.format(1, 2)).digest


def test_the_order_of_a_mapping_does_not_count() -> None:
    code = "def judge(item):\n    return RUBRIC\n"
    assert identity(code, RUBRIC={"a": 1, "b": 2}) == identity(code, RUBRIC={"b": 2, "a": 1})


class Judge:
    factor = 2

    def __init__(self, weight: float) -> None:
        self.weight = weight
        self.asked = 0

    def __call__(self, item: object) -> float:
        self.asked += 1
        return self.weight * self.factor

    def method(self, item: object) -> float:
        return self(item)


@pytest.mark.parametrize("of", [lambda judge: judge, lambda judge: judge.method])
def test_the_state_of_an_object_counts_but_not_what_its_calls_change(of: Any) -> None:
    judge = Judge(0.3)
    before = function_identity(of(judge))
    judge(None)
    assert function_identity(of(judge)) == before
    assert before.unseen == ("it.asked, which its calls change",)
    assert function_identity(of(Judge(0.4))).digest != before.digest


SEEN: list[object] = []
COUNT = 0


def remember(item: object) -> None:
    global COUNT  # noqa: PLW0603
    COUNT += 1
    SEEN.append(item)


def remembering(item: object) -> float:
    remember(item)
    return 0.1 * len(SEEN)


def test_what_calls_change_is_named_and_does_not_make_another_judge() -> None:
    before = function_identity(remembering)
    remembering("a")
    assert function_identity(remembering) == before
    assert before.unseen == ("COUNT, which its calls change", "SEEN, which its calls change")


class Client:
    """Stands for a library's object: its module is one of Python's own."""


Client.__module__ = "http.client"


def test_what_cannot_be_compared_is_named_unless_a_version_is_given() -> None:
    code = "def judge(item):\n    import own_tools\n    return client.ask(item, lock)\n"
    function = made(code, client=Client(), lock=threading.Lock())
    unseen = ("client, of http.client.Client", "own_tools, imported when it is called")
    assert function_identity(function).unseen == unseen
    judge = FunctionJudge("f", function, scale=SCALE, price=1)
    assert judge.unseen == unseen
    versioned = FunctionJudge("f", function, scale=SCALE, price=1, version="2")
    assert versioned.unseen == ()
    assert versioned.identity != judge.identity


def test_nothing_of_the_user_is_run() -> None:
    class Trap:
        def __repr__(self) -> str:
            raise AssertionError("run")

        __hash__ = __eq__ = __iter__ = __len__ = __getattr__ = __repr__  # type: ignore[assignment]

    class Listed(list):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            raise AssertionError("run")

    code = "def judge(item):\n    return trap, listed\n"
    assert identity(code, trap=Trap(), listed=Listed([1])).digest


def test_large_deep_and_circular_values_end() -> None:
    circle: list[object] = []
    circle.append(circle)
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    code = "def judge(item):\n    return value\n"
    assert identity(code, value=circle).unseen == ()
    for value in (deep, list(range(300_000))):
        assert identity(code, value=value).unseen == ("all of value, which is too much to compare",)
    chain = "def judge(item):\n    return f0(item)\n" + "".join(
        f'def f{n}(item):\n    return f{n + 1}(item)  # it\'s "quoted" \\\\\n' for n in range(40)
    )
    assert identity(chain, f40=1).digest != identity(chain, f40=2).digest


MODULE = """
import re
from dataclasses import dataclass, field
from enum import Enum

import helpers

class Mood(Enum):
    GOOD = 1

@dataclass(frozen=True, slots=True)
class Settings:
    words: frozenset = frozenset({"a", "b", "c", "d"})
    mood: Mood = Mood.GOOD
    more: dict = field(default_factory=lambda: {"x": {"p", "q", "r"}})

SETTINGS = Settings()
PATTERN = re.compile("x+")

def judge(item):
    return helpers.score(item, {"u", "v", "w"}) + len(SETTINGS.words) + len(PATTERN.findall("x"))
"""


def test_every_process_finds_the_same_identity_and_sees_a_changed_module(tmp_path: Path) -> None:
    (tmp_path / "judging.py").write_text(MODULE)
    helpers = tmp_path / "helpers.py"
    asking = (
        "from adjudge.judges.function_identity import function_identity\n"
        "import judging; print(function_identity(judging.judge))"
    )

    def told(seed: str) -> str:
        env = os.environ | {
            "PYTHONHASHSEED": seed,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        }
        done = subprocess.run(
            [sys.executable, "-c", asking], capture_output=True, text=True, check=True, env=env
        )
        return done.stdout

    helpers.write_text("LOW = 1\ndef score(item, words):\n    return LOW\n")
    first = told("1")
    assert "unseen=()" in first
    assert told("2") == first
    helpers.write_text("LOW = 2\ndef score(item, words):\n    return LOW\n")
    assert told("1") != first
