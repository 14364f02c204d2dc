"""What `adjudge init` writes costs cents and tens of calls."""

import json
import re
import zlib
from pathlib import Path

import pytest
import yaml

from adjudge.config.sample import SampleProvider
from adjudge.judges import Prices
from adjudge.judges.providers import PROVIDERS
from adjudge.testing.server import PracticeServer
from tests.cli.conftest import Run

# The mark of a fence is another one in every ledger: answers must not depend on it.
RESPONSE = re.compile(r"<<< response (\w+)\n(.*)\n\1 >>>", re.DOTALL)


def chance(*parts: object) -> float:
    """A number from -1 to 1 that looks random."""
    return zlib.crc32(repr(parts).encode()) % 2001 / 1000 - 1


def differing(model: str, prompt: str, number: int) -> str:
    """Judges who differ by up to two points, and from call to call by one or two."""
    response = RESPONSE.search(prompt)
    assert response is not None
    worth = 5.5 + 3.5 * chance(response[2]) + 2 * chance(model, response[2])
    score = round(worth + 1.5 * chance(model, response[2], number))
    return json.dumps({"reason": "It is so. " * 8, "score": min(max(score, 1), 10)})


PRICES = {
    "gpt-4.1-nano": (0.10, 0.40),
    "gpt-4o-mini": (0.15, 0.60),
    "gpt-4.1": (2, 8),
    "haiku-5": (0.10, 0.50),
    "haiku-4": (1, 5),
    "nova-lite": (0.06, 0.24),
    "nova-pro": (0.80, 3.20),
    "flash-lite": (0.10, 0.40),
    "flash": (0.30, 2.50),
    "jev": (0.04, 0),
}
"""Dollars per million tokens, by a part of the model's name. Elsewhere than at their providers the
sample's models have no public price."""
RUNS = [
    *((provider, 1) for provider in SampleProvider),
    *((SampleProvider.OPENAI, seed) for seed in (2, 3)),
]


@pytest.mark.parametrize(("provider", "seed"), RUNS)
def test_the_first_run_costs_cents_and_tens_of_calls(
    adjudge: Run, tmp_path: Path, provider: SampleProvider, seed: int
) -> None:
    assert adjudge("init", "--provider", provider, cwd=tmp_path).returncode == 0
    judges = yaml.safe_load((tmp_path / "run.yaml").read_text())["judges"]
    protocol = PROVIDERS[provider].protocol.name
    prices = [
        next((value for name, value in PRICES.items() if name in judge["model"]), (0, 0))
        for judge in judges
    ]
    dearest = Prices.of(input=prices[-1][0], output=prices[-1][1])
    with PracticeServer(prices=dearest, answer=differing) as server:
        here = [f"--seed={seed}"]
        for j, (judge, (given, answered)) in enumerate(zip(judges, prices, strict=True)):
            values = {
                "base_url": server.url_of(protocol),
                "protocol": protocol,
                "key": "PRACTICE_KEY",
            }
            if "prices" not in judge:
                values |= {"prices.input": given, "prices.output": answered}
            here += [f"--set=judges.{j}.{key}={value}" for key, value in values.items()]
        env = {"PRACTICE_KEY": "sk-practice-0123456789"}
        done = adjudge("run", "--json", "--no-report", *here, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert 9 <= sum(judge["calls"] for judge in told["judges"]) < 100
    assert told["bill"]["spent"] <= told["bill"]["budget"] <= 0.10
