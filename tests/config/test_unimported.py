"""A function that is read from its file is the one that importing would give."""

import sys
from pathlib import Path

import pytest

from adjudge.config.unimported import module_file, unimported
from adjudge.errors import InputError
from adjudge.judges import FunctionJudge, Scale, function_at

SCALE = Scale(low=1, high=10)
MODULE = '''\
"""A module."""
import asyncio  # noqa
import os.path
import os.path as places
import numpy as np
from re import findall


def helper(x):
    return x


def plain(item, *, weight):
    """Its words."""

    def inner(y):
        return y + len(item.response)  # a comment

    return inner(3)
# after it


def leaning(item):
    return helper(2)


def given(item, *, weight=3):
    return weight


async def waits(item):
    await asyncio.sleep(0)
    return 3


def with_libraries(item):
    return np.clip(len(os.path.join(item.response)), 1, 5)


def with_a_part(item):
    return findall("a", item.response)


def with_an_alias(item):
    return places.join(item.response)


again = 3
if again:
    def chosen(item):
        return 1


def twice(item):
    return 1


def twice(item):
    return 2


@asyncio.coroutine if False else helper
def decorated(item):
    return 1
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"judges_of_{abs(hash(tmp_path))}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("raise RuntimeError\n")
    (tmp_path / "package" / "inner.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


@pytest.mark.parametrize("name", ["plain", "helper", "waits", "with_libraries"])
def test_the_identity_is_that_of_the_imported_function(
    module: str, tmp_path: Path, name: str
) -> None:
    path = f"{module}:{name}"
    read = FunctionJudge("j", unimported(path, tmp_path), scale=SCALE, price=1).identity
    assert module not in sys.modules
    assert read == FunctionJudge("j", function_at(path), scale=SCALE, price=1).identity


@pytest.mark.parametrize(
    "name",
    [
        "again",
        "chosen",
        "twice",
        "decorated",
        "asyncio",
        "absent",
        "leaning",
        "given",
        "with_a_part",
        "with_an_alias",
    ],
)
def test_what_only_running_the_module_tells_is_refused(
    module: str, tmp_path: Path, name: str
) -> None:
    with pytest.raises(InputError, match="cannot be identified without importing it"):
        unimported(f"{module}:{name}", tmp_path)
    assert module not in sys.modules


def test_a_module_within_a_package_is_found_without_running_the_package(
    module: str, tmp_path: Path
) -> None:
    assert module_file("package.inner", tmp_path) == tmp_path / "package" / "inner.py"
    assert unimported("package.inner:plain", tmp_path).__module__ == "package.inner"
    assert module_file("package.absent", tmp_path) is None
    assert module_file("nowhere.at.all", tmp_path) is None
