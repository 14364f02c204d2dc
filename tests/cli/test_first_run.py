"""What `adjudge init` writes costs cents and tens of calls."""

import json
import re
import zlib
from pathlib import Path

import pytest

from adjudge.judges import Prices
from adjudge.testing.server import PracticeServer
from tests.cli.conftest import Run

# The mark of a fence is another one in every ledger: answers must not depend on it.
RESPONSE = re.compile(r"<<< response (\w+)\n(.*)\n\1 >>>", re.DOTALL)
GPT_4_1 = Prices.of(input=2, output=8)
"""The dearest of the sample's judges; all are billed like it."""


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


@pytest.mark.parametrize("kind", [(), ("--local",)], ids=["openai", "local"])
def test_the_first_run_costs_cents_and_tens_of_calls(
    adjudge: Run, tmp_path: Path, kind: tuple[str, ...]
) -> None:
    assert adjudge("init", *kind, cwd=tmp_path).returncode == 0
    judges = range(2 if kind else 3)
    with PracticeServer(prices=GPT_4_1, answer=differing) as server:
        here = [f"--set=judges.{j}.base_url={server.url}" for j in judges]
        # Elsewhere than at OpenAI the sample's models have no public price.
        prices = ("0.10", "0.40"), ("0.15", "0.60"), ("2", "8")
        keys = [] if kind else [
            f"--set=judges.{j}.{key}"
            for j in judges
            for key in (
                "key=PRACTICE_KEY", f"prices.input={prices[j][0]}", f"prices.output={prices[j][1]}"
            )
        ]  # fmt: skip
        env = {"PRACTICE_KEY": "sk-practice-0123456789"}
        done = adjudge("run", "--json", *here, *keys, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
        assert 12 <= server.requests < 200
    bill = json.loads(done.stdout)["bill"]
    assert bill["spent"] <= bill["budget"] <= 0.20
    told = json.loads(adjudge("status", "--json", *here, *keys, cwd=tmp_path, env=env).stdout)
    assert told["end"] in {"enough", "budget"}
    assert told["mean_width"] < 2 or told["end"] == "budget"
