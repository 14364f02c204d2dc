import numpy as np
import pytest
from tests.live.support import SCALE, openai_judge, short_prompt, some_items

from adjudge.core.strategies import Uniform
from adjudge.errors import InputError
from adjudge.judges import FunctionJudge, Scale, SimulatedJudge
from adjudge.run import Patience, Plan, dry_run
from adjudge.run.quotes import Quotes


def simulated(name="s", **changes):
    return SimulatedJudge(name=name, scale=SCALE, price=100, **changes)


def plan_of(judges, **changes):
    settings = {"items": some_items(3), "scale": SCALE, "strategy": Uniform()}
    return Plan(judges=judges, **{**settings, **changes})


@pytest.mark.parametrize(
    "make",
    [
        lambda: plan_of([]),
        lambda: plan_of([simulated()], items=[]),
        lambda: plan_of([simulated(), simulated()]),
        lambda: plan_of([simulated()], ask_again=-1),
        lambda: plan_of([simulated()], weights=[1, 2]),
        lambda: Patience(first_wait=0),
        lambda: Patience(attempts=0),
    ],
)
def test_a_plan_that_cannot_work_is_refused(make):
    with pytest.raises(InputError):
        make()


def test_a_dry_run_shows_prompts_and_prices_and_calls_nobody():
    called = []
    free = FunctionJudge("f", called.append, scale=SCALE, price=7)
    chat = openai_judge("http://127.0.0.1:1/v1", "chat")
    preview = dry_run(plan_of([free, chat]), items=2)
    assert not called
    assert [(p.judge, p.item) for p in preview.previews] == [
        ("f", "item-0"),
        ("f", "item-1"),
        ("chat", "item-0"),
        ("chat", "item-1"),
    ]
    assert "Score this: item-1" in preview.previews[3].text
    assert preview.prices[0].most == preview.prices[0].likely == 21
    assert preview.prices[1].cheapest <= preview.prices[1].dearest < preview.prices[1].most
    assert preview.most == 21 + preview.prices[1].most


def test_quotes_are_made_for_every_pair():
    quotes = Quotes.of(plan_of([simulated(), openai_judge("http://127.0.0.1:1/v1", "chat")]))
    assert quotes.most.shape == (3, 2)
    assert (quotes.most[:, 0] == 100).all()
    assert (np.diff(quotes.most[:, 1]) > 0).all()


def test_a_judge_that_is_free_is_refused_because_no_budget_would_end_it():
    free = SimulatedJudge(name="free", scale=SCALE, price=0)
    with pytest.raises(InputError, match="price of free"):
        Quotes.of(plan_of([simulated(), free]))


def test_a_judge_on_another_scale_than_the_run_is_refused():
    other = Scale(low=0, high=100)
    for judge in (
        FunctionJudge("far", lambda item: 50, scale=other, price=7),
        SimulatedJudge(name="far", scale=other, price=7),
        openai_judge("http://localhost:1/v1", "far", prompt=short_prompt(other)),
    ):
        with pytest.raises(InputError, match="'far' scores from 0 to 100, the run from 1 to"):
            plan_of([simulated(), judge])
