"""A run's identity is its content: what was paid is used again, and only where it fits."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.evidence import Phase
from adjudge.core.strategies import Cyclic, EstIvwe, Uniform
from adjudge.errors import BudgetError, InputError, JudgeUnavailableError
from adjudge.judges import Prompt, SimulatedJudge
from adjudge.records import Item, nano_dollars
from adjudge.run import End, Plan, run
from adjudge.testing.server import PracticeServer
from tests.live.support import KEY, PRICES, SCALE, openai_judge, short_prompt, some_items

BUDGET = nano_dollars("0.002")


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES) as running:
        yield running


def plan_for(server, *, items=None, prompt=None, names=("ann", "bob"), **changes):
    judges = [openai_judge(server.url, name, prompt=prompt or short_prompt()) for name in names]
    return Plan(
        items=items or some_items(8), judges=judges, scale=SCALE, strategy=Uniform(), **changes
    )


def test_a_finished_run_is_not_paid_again(server, tmp_path):
    first = run(plan_for(server), tmp_path / "ledger.db", budget=BUDGET)
    bill = server.bill
    again = run(plan_for(server), tmp_path / "ledger.db", budget=BUDGET)
    # At most what the first left over, where it now fits.
    assert server.bill - bill <= BUDGET - first.balance.spent
    assert again.identity == first.identity
    assert again.evidence.calls.sum() >= first.evidence.calls.sum()


def test_a_raised_budget_buys_more_of_the_same(server, tmp_path):
    first = run(plan_for(server), tmp_path / "ledger.db", budget=BUDGET)
    second = run(plan_for(server), tmp_path / "ledger.db", budget=2 * BUDGET)
    assert (second.evidence.calls >= first.evidence.calls).all()
    assert BUDGET < second.balance.spent <= 2 * BUDGET
    assert server.bill == second.balance.spent


def test_a_lowered_budget_is_kept_and_one_below_what_is_spent_refused(server, tmp_path):
    plan, ledger = plan_for(server), tmp_path / "ledger.db"
    first = run(plan, ledger, budget=2 * BUDGET)
    spent, bill = first.balance.spent, server.bill
    before = ledger.read_bytes()
    with pytest.raises(BudgetError, match=r"below the .* already spent") as refused:
        run(plan, ledger, budget=spent - 1)
    assert refused.value.needed == spent
    assert ledger.read_bytes() == before
    lower = run(plan, ledger, budget=spent)
    assert (lower.balance.budget, lower.balance.spent) == (spent, spent)
    assert lower.end is End.BUDGET
    assert server.bill == bill
    assert run(plan, ledger, budget=3 * BUDGET).balance.spent > spent


@pytest.mark.parametrize(
    "change",
    [
        {"prompt": Prompt(scale=SCALE, system="", user="Mark this: {{ id }} {{ response }}")},
        {"items": [replace(item, response="Other text") for item in some_items(8)]},
        {"names": ("cas", "dan")},
    ],
    ids=["prompt", "items", "judges"],
)
def test_answers_to_another_question_are_never_used(server, tmp_path, change):
    first = run(plan_for(server), tmp_path / "ledger.db", budget=BUDGET)
    other = run(plan_for(server, **change), tmp_path / "ledger.db", budget=2 * BUDGET)
    assert other.identity != first.identity
    assert sum(judge.spent for judge in other.judges) == server.bill - first.balance.spent
    assert other.balance.spent == server.bill <= 2 * BUDGET


def test_what_did_not_change_is_kept_when_items_and_judges_are_added(server, tmp_path):
    first = run(plan_for(server), tmp_path / "ledger.db", budget=BUDGET)
    more = plan_for(server, items=some_items(12), names=("bob", "cas", "ann"))
    second = run(more, tmp_path / "ledger.db", budget=2 * BUDGET)
    kept = second.evidence.calls[:8][:, [2, 0]]
    assert (kept >= first.evidence.calls).all()
    assert server.bill == second.balance.spent


def test_a_column_that_no_prompt_names_does_not_matter(server, tmp_path):
    first = run(plan_for(server), tmp_path / "ledger.db", budget=BUDGET)
    items = [replace(item, metadata={"note": "new"}, group="x") for item in some_items(8)]
    again = run(plan_for(server, items=items), tmp_path / "ledger.db", budget=BUDGET)
    assert again.identity == first.identity


def test_no_key_and_no_text_reach_the_ledger_unless_asked_for(server, tmp_path):
    run(plan_for(server), tmp_path / "quiet.db", budget=BUDGET)
    run(plan_for(server, keep_texts=True), tmp_path / "telling.db", budget=BUDGET)
    quiet = b"".join(file.read_bytes() for file in tmp_path.glob("quiet.db*"))
    telling = b"".join(file.read_bytes() for file in tmp_path.glob("telling.db*"))
    assert KEY.encode() not in quiet + telling
    assert b"because" not in quiet
    assert b"because" in telling


def test_nothing_is_spent_before_every_check_is_passed(server, tmp_path):
    lacking = Prompt(scale=SCALE, user="{{ question }}")
    with pytest.raises(InputError, match="'question' is undefined"):
        run(plan_for(server, prompt=lacking), tmp_path / "a.db", budget=BUDGET)
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="'same' occurs 2 times"):
        plan_for(server, items=[Item(id="same", response="a"), Item(id="same", response="b")])
    with pytest.raises(InputError, match="ask the same in the same way"):
        Plan(
            items=some_items(2),
            judges=[openai_judge(server.url, name, model="m") for name in ("ann", "bob")],
            scale=SCALE,
            strategy=Uniform(),
        )
    strict = replace(plan_for(server), strategy=EstIvwe())
    with pytest.raises(BudgetError):
        run(strict, tmp_path / "b.db", budget=BUDGET)
    keyless = [openai_judge(server.url, key_variable="NO_SUCH_KEY")]
    with pytest.raises(InputError, match="NO_SUCH_KEY is not set"):
        run(replace(plan_for(server), judges=keyless), tmp_path / "k.db", budget=BUDGET)
    server.go_dead()
    with pytest.raises(JudgeUnavailableError, match="ann"):
        run(plan_for(server), tmp_path / "c.db", budget=BUDGET)
    assert server.requests == 0


def test_the_phases_of_a_strategy_are_kept_apart_across_a_resume(server, tmp_path):
    plan = replace(plan_for(server), strategy=EstIvwe(gaussian=True, reduced_pilot=True))
    first = run(plan, tmp_path / "ledger.db", budget=BUDGET)
    pilot = first.evidence.asked[Phase.PILOT]
    second = run(plan, tmp_path / "ledger.db", budget=2 * BUDGET)
    assert pilot.min() >= 2
    assert first.evidence.asked[Phase.MAIN].sum() > 0
    assert (second.evidence.asked[Phase.PILOT] >= pilot).all()
    assert server.bill == second.balance.spent


def test_a_budget_below_one_call_is_refused_with_one_that_does(server, tmp_path):
    with pytest.raises(BudgetError, match=r"\$0.000001 pays for no call") as refused:
        run(plan_for(server), tmp_path / "ledger.db", budget=1000)
    assert not list(tmp_path.iterdir())
    result = run(plan_for(server), tmp_path / "ledger.db", budget=int(refused.value.needed))
    assert result.answered.sum() >= 1


def test_money_that_only_cheap_judges_can_use_goes_to_them(tmp_path):
    plan = Plan(
        items=some_items(5),
        judges=[
            SimulatedJudge(name="dear", scale=SCALE, price=900),
            SimulatedJudge(name="cheap", scale=SCALE, price=10),
        ],
        scale=SCALE,
        strategy=Cyclic(),
    )
    result = run(plan, tmp_path / "ledger.db", budget=5000)
    assert result.balance.remaining < 5 * 10


def test_the_result_speaks_the_user_s_scale(server, tmp_path):
    server.answer = lambda model, prompt, number: '{"score": 7}'
    result = run(plan_for(server), tmp_path / "ledger.db", budget=BUDGET)
    assert np.allclose(result.scores, 7)
    interval = result.interval(0.9)
    assert np.allclose([interval.low, interval.high], 7)


class Looked:
    """A field that counts how often a template looks at it."""

    def __init__(self) -> None:
        self.times = 0

    @property
    def text(self) -> str:
        self.times += 1
        return "Hello!"

    def __str__(self) -> str:
        return "Hello!"


def test_each_prompt_is_rendered_once_in_a_run(server, tmp_path):
    """Quotes render what will be sent, also where the ledger is yet to be made."""
    fields = [Looked() for _ in range(4)]
    items = [Item(id=f"{k}", response="", metadata={"looked": one}) for k, one in enumerate(fields)]
    prompt = Prompt(scale=SCALE, system="", user='{{ looked.text | fenced("response") }}')
    for runs in (1, 2):
        plan = plan_for(server, items=items, prompt=prompt, names=("ann",))
        run(plan, tmp_path / "ledger.db", budget=BUDGET * runs)
        assert [one.times for one in fields] == [runs] * 4
