"""Runs on Ray where there is none: what needs no cluster, and what is said without one."""

import asyncio
import pickle
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType

import pytest
import yaml

from adjudge.config.load import load_run_file
from adjudge.errors import ConfigError
from adjudge.records import Item
from adjudge.run.on_ray.packing import packed

JUDGE = {"function": "my_judges_on_ray:Reward", "price_per_call": 0.001}
MODEL = {"model": "m", "base_url": "http://h.invalid/v1", "key": "K", "prices": {"per_call": 1}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my_judges_on_ray.py").write_text(
        "class Reward:\n    def __call__(self, items): return [1.0 for _ in items]\n"
    )
    (tmp_path / "items.jsonl").write_text('{"id": "a", "response": "x"}\n')
    return tmp_path


def run_file(folder: Path, judge: dict[str, object], **values: object) -> Path:
    path = folder / "run.yaml"
    known = {"items": "items.jsonl", "budget": 1, "scale": "0.0..1.0", "judges": [judge]}
    path.write_text(yaml.safe_dump(known | values))
    return path


@pytest.mark.parametrize(
    ("judge", "place", "said"),
    [
        ({"replicas": 0}, {"on": "ray"}, "replicas: 0; give a number of 1 or more"),
        ({"num_gpus": 1.5}, {"on": "ray"}, "above 1 it must be a whole number"),
        ({"replicas": 4}, {"on": "here"}, "Ray holds replicas; add run: {on: ray}"),
        ({}, {"on": "ray", "address": "ray://h:1"}, "not ray://"),
        ({}, {"address": "auto"}, "add on: ray"),
        ({}, {"on": "rya"}, "ray"),
    ],
)
def test_what_a_run_file_says_wrong_of_ray_is_told(
    folder: Path, judge: dict[str, object], place: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        load_run_file(run_file(folder, JUDGE | judge, run=place))
    assert said in str(refused.value)


def test_values_of_variables_do_not_travel(folder: Path) -> None:
    judge = MODEL | {"headers": {"x-team": "${TEAM_SECRET}"}}
    path = run_file(folder, judge, run={"on": "ray"})
    with pytest.raises(ConfigError, match="are not sent to a Ray cluster") as refused:
        load_run_file(path, environment={"TEAM_SECRET": "hush-hush"})
    assert "hush-hush" not in str(refused.value)


def test_batches_of_all_replicas_are_under_way_unless_told_otherwise(folder: Path) -> None:
    judge = JUDGE | {"replicas": 4, "batch_size": 16}
    (own,) = load_run_file(run_file(folder, judge, run={"on": "ray"})).judges
    assert own.limits.concurrency == 2 * 4 * 16
    limited = judge | {"limits": {"concurrency": 5}}
    (own,) = load_run_file(run_file(folder, limited, run={"on": "ray"})).judges
    assert own.limits.concurrency == 5


def test_a_class_with_a_batch_size_is_asked_here_too(folder: Path) -> None:
    (judge,) = load_run_file(run_file(folder, JUDGE | {"batch_size": 8})).judges

    async def asked() -> object:
        await judge.open()
        return await judge.score(Item(id="a", response="x"))

    assert asyncio.run(asked()).score == 1.0


def test_models_and_items_are_the_same_where_they_are_unpacked(folder: Path) -> None:
    (judge,) = load_run_file(run_file(folder, MODEL, criteria="Be strict.")).judges
    assert pickle.loads(packed(judge)).identity == judge.identity
    item = Item(id="a", response="x", metadata=MappingProxyType({"k": [1]}))
    assert pickle.loads(packed(item)) == item


def test_a_run_on_ray_without_ray_is_one_sentence(folder: Path) -> None:
    path = run_file(folder, JUDGE | {"batch_size": 8}, run={"on": "ray"})
    (folder / "ray.py").write_text("raise ImportError('no Ray here')")
    program = [sys.executable, "-m", "adjudge"]
    for command in (["check"], ["run", "-y"]):
        done = subprocess.run(
            [*program, *command, "-c", path], capture_output=True, text=True, check=False,
            cwd=folder,
        )  # fmt: skip
        assert done.returncode == 1
        assert "pip install 'adjudge[ray]'" in done.stderr
        assert "Traceback" not in done.stderr
    status = [*program, "status", "--import", "-c", path]
    done = subprocess.run(status, capture_output=True, text=True, check=False, cwd=folder)
    assert "Ray" not in done.stderr
