"""Runs on a real Ray cluster, with machines and processes that die; see docs/scale.md."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import yaml

from adjudge.core.evidence import Allocation
from adjudge.core.strategies import Uniform
from adjudge.judges import FunctionJudge, Limits, Replicas, Scale, function_at
from adjudge.records import Item, nano_dollars
from adjudge.run import Patience, Plan, Result, run, unavailable_judges
from adjudge.run.on_ray import OnRay
from adjudge.store import Address, PostgresAddress
from adjudge.testing.server import PracticeServer
from tests.live.books import rows
from tests.live.support import KEY, PRICES, openai_judge, short_prompt

try:
    import ray
    from ray.cluster_utils import Cluster
except ImportError:  # no wheel for this Python
    pytest.skip("Ray cannot be installed here", allow_module_level=True)

pytestmark = pytest.mark.xdist_group("ray")
SCALE = Scale(low=1, high=10)
SMALL: dict[str, Any] = {"object_store_memory": 80 * 2**20}
SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
NOTICING = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 200}
"""That a machine has died is noticed soon."""
PRICE = 1_000_000
ROOT = Path(__file__).parents[2]


class OnceEach(Uniform):
    """One call of every pair."""

    def next_batch(self, problem: Any, evidence: Any, remaining: float, rng: Any) -> Allocation:
        return Allocation(counts=np.maximum(1 - evidence.calls, 0))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster of a head and a machine with two GPUs, to which this process is connected."""
    os.environ |= SETTINGS
    made = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "include_dashboard": False,
            "_system_config": NOTICING,
            **SMALL,
        },
    )
    made.add_node(num_cpus=2, num_gpus=2, **SMALL)
    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()


def some_items(count: int, folder: Path) -> list[Item]:
    traces = MappingProxyType({"folder": str(folder)})
    return [Item(id=f"i{k}", response="good " * (k % 9), metadata=traces) for k in range(count)]


def function(name: str, **replicas: Any) -> FunctionJudge:
    path = f"tests.live.ray_judges:{name}"
    return FunctionJudge(
        name, function_at(path), scale=SCALE, price=PRICE, path=path, limits=Limits(concurrency=32),
        replicas=Replicas(**replicas),
    )  # fmt: skip


def plan_on(cluster: Cluster, items: list[Item], *judges: Any) -> Plan:
    return Plan(
        items=items, judges=judges, scale=SCALE, strategy=OnceEach(),
        patience=Patience(first_wait=0.01, longest_wait=0.05, pauses=2),
        place=OnRay(address=cluster.address, folder=ROOT),
    )  # fmt: skip


def run_on(cluster: Cluster, items: list[Item], *judges: Any, ledger: Address) -> Result:
    return run(plan_on(cluster, items, *judges), ledger, budget=nano_dollars(1))


def traces(folder: Path) -> list[tuple[str, str, list[str]]]:
    """Process, machine and items of every call of a function."""
    if not (folder / "calls").exists():
        return []
    lines = [line.split(" ") for line in (folder / "calls").read_text().splitlines()]
    return [(pid, node, names.split(",")) for pid, node, names in lines]


def test_functions_and_models_are_asked_on_the_cluster(cluster: Cluster, tmp_path: Path) -> None:
    items = some_items(120, tmp_path)
    with PracticeServer(prices=PRICES, answer=lambda model, prompt, number: "7") as server:
        model = openai_judge(server.url, "model", prompt=short_prompt(SCALE))
        reward = function("Reward", count=2, batch_size=8, num_gpus=1)
        result = run_on(cluster, items, reward, model, ledger=tmp_path / "ledger")
        assert server.bill > 0
        assert server.bill + 120 * PRICE == result.balance.spent
    assert result.scored.tolist() == [[1, 1]] * 120
    calls = traces(tmp_path)
    assert Counter(name for _, _, names in calls for name in names) == dict.fromkeys(
        (item.id for item in items), 1
    )
    assert len({pid for pid, _, _ in calls}) == 2
    assert 1 < max(len(names) for _, _, names in calls) <= 8
    logs = Path(cluster.head_node.get_session_dir_path())
    assert not [file for file in logs.rglob("*") if file.is_file() and KEY in _text(file)]


def _text(file: Path) -> str:
    return file.read_text(errors="replace")


def test_a_machine_that_dies_costs_its_calls_under_way_and_nothing_else(
    cluster: Cluster, tmp_path: Path, postgres: str
) -> None:
    doomed = cluster.add_node(num_cpus=1, num_gpus=1, **SMALL)
    cluster.wait_for_nodes()
    (tmp_path / "hold").write_text(doomed.node_id)

    def kill_it() -> None:
        while not lost_on(doomed.node_id):
            time.sleep(0.01)
        cluster.remove_node(doomed, allow_graceful=False)

    def lost_on(machine: str) -> list[str]:
        return [name for _, node, names in traces(tmp_path) for name in names if node == machine]

    killer = threading.Thread(target=kill_it)
    killer.start()
    reward = function("Reward", count=3, batch_size=4, num_gpus=1)
    items = some_items(60, tmp_path)
    ledger = PostgresAddress.of(postgres)
    result = run_on(cluster, items, reward, ledger=ledger)
    killer.join()
    lost = lost_on(doomed.node_id)
    assert 1 <= len(lost) <= 4
    assert result.judges[0].presumed == len(lost)
    assert result.judges[0].scored == 60 - len(lost)
    made = Counter(name for _, _, names in traces(tmp_path) for name in names)
    assert set(made.values()) == {1}  # nothing was handed out twice
    _, (_, spent, reserved) = rows(ledger)
    assert (spent, reserved) == (60 * PRICE, 0)


def test_a_function_that_takes_its_process_with_it_is_switched_off(
    cluster: Cluster, tmp_path: Path
) -> None:
    items = some_items(9, tmp_path)
    result = run_on(cluster, items, function("Dying"), ledger=tmp_path / "ledger")
    assert result.judges[0].presumed == len(traces(tmp_path)) == 3
    assert "died" in (result.judges[0].switched_off or "")


def test_a_batch_that_goes_wrong_is_paid_and_has_no_scores(
    cluster: Cluster, tmp_path: Path
) -> None:
    judge = function("Mistaken", batch_size=1)
    result = run_on(cluster, some_items(23, tmp_path), judge, ledger=tmp_path / "ledger")
    assert result.judges[0].presumed == 6
    assert result.balance.spent == 23 * PRICE
    assert judge.failures is not None
    assert judge.failures.count == 6
    assert "no answer for those that end in 0" in judge.failures.first


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (lambda: function("Unloadable"), "Unloadable() raised OSError: weights not found"),
        (lambda: function("Reward", num_gpus=3), "1 with 3 GPUs each, and the cluster has 2"),
        (lambda: openai_judge("http://127.0.0.1:9", key_variable="NOT_THERE"), "NOT_THERE"),
    ],
)
def test_what_is_wrong_is_told_before_the_first_call(
    cluster: Cluster, tmp_path: Path, judge: Any, said: str
) -> None:
    plan = plan_on(cluster, some_items(3, tmp_path), judge())
    (complaint,) = unavailable_judges(plan)
    assert said in complaint


def test_code_that_is_not_the_same_everywhere_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    judge = function("Reward")
    judge._function = lambda items: [1.0]  # as if this machine had another version of the module
    plan = plan_on(cluster, some_items(3, tmp_path), judge)
    (complaint,) = unavailable_judges(plan)
    assert "is not the same on a machine of the Ray cluster" in complaint


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_on_ray_that_is_stopped_or_killed_leaves_sound_books(
    cluster: Cluster, tmp_path: Path, how: signal.Signals
) -> None:
    (tmp_path / "hold").touch()
    items = "".join(
        f'{{"id": "i{k}", "response": "x", "folder": "{tmp_path}"}}\n' for k in range(9)
    )
    (tmp_path / "items.jsonl").write_text(items)
    judge = {"function": "tests.live.ray_judges:Reward", "price_per_call": 0.01, "batch_size": 4}
    values = {
        "items": "items.jsonl", "budget": 1, "scale": "1.0..10.0", "strategy": "uniform",
        "grace": 0, "judges": [judge], "run": {"on": "ray", "address": cluster.address},
    }  # fmt: skip
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(values))
    with subprocess.Popen(
        [sys.executable, "-m", "adjudge", "run", "-y", "-q", "-c", tmp_path / "run.yaml"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    ) as process:  # fmt: skip
        while not traces(tmp_path):
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    replica = int(traces(tmp_path)[0][0])
    while Path(f"/proc/{replica}").exists():  # Ray ends it with its owner
        time.sleep(0.01)
    entries, (_, spent, reserved) = rows(tmp_path / "run.ledger.sqlite")
    stopped = how is signal.SIGTERM
    assert process.returncode == (130 if stopped else -signal.SIGKILL), (out, err)
    assert "SIGTERM" not in err  # of Ray's stack trace
    assert len(entries) == len(traces(tmp_path)) == 1
    assert (spent, reserved) == ((10_000_000, 0) if stopped else (0, 10_000_000))
