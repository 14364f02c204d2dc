import asyncio

import numpy as np

from adjudge.judges import Scale, SimulatedJudge
from adjudge.records import Item


def scores(judge, item, calls):
    async def ask():
        return [(await judge.score(item)).score for _ in range(calls)]

    return asyncio.run(ask())


def test_its_scores_scatter_around_truth_and_offset():
    judge = SimulatedJudge(
        name="s", scale=Scale(low=0, high=10), price=1, noise=0.05, offset=0.1, seed=3
    )
    seen = np.array(scores(judge, Item(id="a", response="", metadata={"truth": 0.5}), 400))
    assert abs(seen.mean() - 6) < 4 * 0.5 / 20
    assert abs(seen.std() - 0.5) < 4 * 0.5 / np.sqrt(800)


def test_the_same_call_always_gets_the_same_answer():
    def fresh():
        return SimulatedJudge(name="s", scale=Scale(low=1, high=5, whole=True), price=1)

    item = Item(id="a", response="")
    assert scores(fresh(), item, 20) == scores(fresh(), item, 20)


def test_it_fails_as_often_as_it_is_told():
    judge = SimulatedJudge(name="s", scale=Scale(low=0, high=1), price=1, failure_rate=0.4)
    missing = scores(judge, Item(id="a", response=""), 500).count(None)
    assert abs(missing - 200) < 4 * np.sqrt(500 * 0.4 * 0.6)


def test_it_keeps_to_labels():
    scale = Scale.of_labels({"bad": 0, "good": 1})
    judge = SimulatedJudge(name="s", scale=scale, price=1, noise=0.5)
    assert set(scores(judge, Item(id="a", response=""), 50)) == {0.0, 1.0}
