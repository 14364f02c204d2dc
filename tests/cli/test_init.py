"""What `adjudge init --provider` writes is accepted by `check`, and asks that provider."""

import json
from pathlib import Path

import pytest
import yaml

from adjudge.config.sample import SampleProvider
from adjudge.judges import Prices
from adjudge.judges.providers import PROVIDERS
from adjudge.testing.server import PracticeServer
from tests.cli.conftest import Run

KEY = "sk-practice-0123456789"


@pytest.mark.parametrize("provider", SampleProvider)
def test_check_accepts_what_init_writes_for_a_provider(
    adjudge: Run, tmp_path: Path, provider: SampleProvider
) -> None:
    assert adjudge("init", "--provider", provider, cwd=tmp_path).returncode == 0
    judges = yaml.safe_load((tmp_path / "run.yaml").read_text())["judges"]
    trusted = json.loads(adjudge("check", "--trust", "--json", cwd=tmp_path).stdout)
    assert {one["address"] for one in trusted["destinations"]} <= {
        judge.get("base_url", PROVIDERS[provider].base_url) for judge in judges
    }
    named = {name for one in trusted["destinations"] for name in one["variables"]}
    assert named == {PROVIDERS[provider].key} - {None}
    protocol = PROVIDERS[provider].protocol.name
    with PracticeServer(prices=Prices.of(input=1, output=1)) as server:
        server.models = tuple(judge["model"] for judge in judges)
        here = [
            f"--set=judges.{j}.{key}={value}"
            for j in range(len(judges))
            for key, value in (
                ("base_url", server.url_of(protocol)),
                ("protocol", protocol),
                ("key", "PRACTICE_KEY"),
            )
        ]
        # The list knows prices at the provider's own address only.
        here += [
            f"--set=judges.{j}.prices.{key}=1"
            for j, judge in enumerate(judges)
            if "prices" not in judge
            for key in ("input", "output")
        ]
        env = {"PRACTICE_KEY": KEY}
        done = adjudge("check", "--probe", *here, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Everything is in order." in done.stdout
    assert server.bill > 0
    assert KEY not in done.stdout + done.stderr


def test_a_key_that_is_not_set_is_told_by_its_name(adjudge: Run, tmp_path: Path) -> None:
    assert adjudge("init", "--provider", "anthropic", cwd=tmp_path).returncode == 0
    done = adjudge("check", cwd=tmp_path, env={"ANTHROPIC_API_KEY": ""})
    assert done.returncode == 1
    assert "ANTHROPIC_API_KEY is not set" in done.stderr


def test_a_provider_that_is_not_on_this_machine_is_not_silently_replaced_by_a_local_one(
    adjudge: Run, tmp_path: Path
) -> None:
    done = adjudge("init", "--provider", "anthropic", "--local", cwd=tmp_path)
    assert done.returncode == 1
    assert "not both" in done.stderr
    assert not (tmp_path / "run.yaml").exists()
