"""What a run tells of itself while it runs, in a line."""

from dataclasses import replace

from adjudge.cli.progress import counts
from adjudge.core.strategies import Panel
from adjudge.judges import SimulatedJudge
from adjudge.run import Plan, Progress
from tests.live.support import SCALE, some_items

PLAN = Plan(
    items=some_items(12),
    judges=[SimulatedJudge(name="judge", scale=SCALE, price=100)],
    scale=SCALE,
    strategy=Panel(),
)
PROGRESS = Progress(
    budget=1000,
    spent=100,
    reserved=0,
    calls=1,
    in_flight=2,
    without_score=0,
    refused=0,
    lost=0,
    rounds=1,
    predicted_error=3.0,
)


def test_an_error_is_told_once_there_are_scores_enough_to_know_it():
    assert counts(PROGRESS, PLAN) == "1 call, 2 in flight"
    unread = replace(PROGRESS, calls=41, without_score=2)
    assert "error" not in counts(unread, PLAN)
    assert counts(replace(PROGRESS, calls=42, without_score=2), PLAN).endswith("error 0.866")
    many = replace(PLAN, items=some_items(60))
    assert "error" not in counts(replace(PROGRESS, calls=59), many)
    assert "error" in counts(replace(PROGRESS, calls=60), many)
