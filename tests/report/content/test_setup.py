"""A report tells how judges were asked, and no secret."""

import json
from dataclasses import dataclass, replace
from types import MappingProxyType

import pytest

from adjudge.core.strategies import Panel, SingleJudge
from adjudge.judges import ChatRequest, ModelJudge, ModelSettings, Prices, Prompt, SimulatedJudge
from adjudge.records import NANO
from adjudge.report.content import content_json, content_of
from adjudge.report.content.setup import setup_of
from adjudge.report.html import page
from adjudge.run import Plan, standing
from tests.live.support import KEY, KEY_VARIABLE, SCALE, openai_judge, some_items
from tests.report.runs import NOW, spoken_plan

SECRETS = ["header-secret-1", "query-secret-2", "path-secret-3", "extra-secret-4", KEY]


def chat_judge(name, **changes):
    request = ChatRequest(
        model=f"{name}-2026-03",
        prompt=Prompt(scale=SCALE, criteria=changes.pop("criteria", "Is it <b>kind</b>?")),
        max_tokens=77,
        temperature=0.5,
        extra={"seed": 11, "api_key": SECRETS[3], "metadata": {"token": SECRETS[3]}},
    )
    return ModelJudge(
        ModelSettings(
            name=name,
            request=request,
            prices=Prices.of(input=2.5, output=10, cached_input=1.25, per_call="0.001"),
            base_url=f"https://host.example/{SECRETS[2]}/v1?sig={SECRETS[1]}",
            key_variable=KEY_VARIABLE,
            headers=MappingProxyType({"X-Pass": SECRETS[0]}),
            **changes,
        )
    )


def plan_of(*judges, **changes):
    return Plan(items=some_items(3), judges=judges, scale=SCALE, strategy=Panel(), **changes)


@pytest.fixture(scope="module")
def plan():
    return plan_of(chat_judge("ann"), chat_judge("bob"), weights=(3, 1))


@pytest.fixture(scope="module")
def content(plan):
    return content_of(plan.items, standing(plan, None), title="t", now=NOW, plan=plan)


def test_it_has_criteria_prompts_models_settings_and_prices(plan):
    setup = setup_of(plan)
    ann, bob = setup.judges
    assert (ann.name, ann.kind, ann.weight, bob.weight) == ("ann", "chat model", 0.75, 0.25)
    assert dict(ann.settings) == {
        "model": "ann-2026-03",
        "endpoint": "https://host.example",
        "longest answer": "77 tokens",
        "temperature": "0.5",
        "response format": "json_object",
        "service tier": "not sent",
        "seed": "11",
        "api_key": "(not shown)",
        "metadata": "(not shown)",
        "calls at a time": "32",
    }
    assert [(price.of, price.amount / NANO) for price in ann.prices] == [
        ("1M input tokens", 2.5),
        ("1M cached input tokens", 1.25),
        ("1M tokens written to the cache", 3.125),
        ("1M output tokens", 10.0),
        ("one call", 0.001),
    ]
    (prompt,) = setup.prompts
    assert (prompt.judges, prompt.criteria) == (("ann", "bob"), "Is it <b>kind</b>?")
    assert [message.role for message in prompt.messages] == ["system", "user"]
    assert "careful and impartial" in prompt.messages[0].text
    assert "Greet me." in prompt.messages[1].text
    assert "{{ criteria }}" in prompt.templates[1].text


def test_it_tells_the_seed_and_the_options_of_the_strategy(plan):
    assert "Random choices begin with the seed 7." in setup_of(plan, run_seed=7).settings
    panel = replace(plan, strategy=Panel())
    assert "Options of the strategy: target = panel, guard = ask." in setup_of(panel).settings
    single = replace(plan, strategy=SingleJudge(judge=1))
    assert "Options of the strategy: judge = bob." in setup_of(single).settings


def test_no_secret_gets_into_page_or_json(content):
    shown = page(content), json.dumps(content_json(content))
    for secret in SECRETS:
        assert not any(secret in text for text in shown), secret
    for text in shown:
        assert "ann-2026-03" in text
        assert KEY_VARIABLE not in text
        assert "X-Pass" not in text


def test_judges_with_other_criteria_have_a_prompt_of_their_own():
    plan = plan_of(chat_judge("ann"), chat_judge("bob", criteria="Is it true?"))
    assert [(p.judges, p.criteria) for p in setup_of(plan).prompts] == [
        (("ann",), "Is it <b>kind</b>?"),
        (("bob",), "Is it true?"),
    ]


def test_functions_and_simulated_judges_are_named_with_their_price():
    large, *_ = setup_of(spoken_plan()).judges
    assert (large.kind, large.prices[0].amount) == ("Python function", 400_000)
    assert dict(large.settings)["function"] == "tests.report.runs:Speaker"
    (noisy,) = setup_of(plan_of(SimulatedJudge(name="n", scale=SCALE, price=9, noise=0.2))).judges
    assert (noisy.kind, dict(noisy.settings)["noise"]) == ("simulated", "0.2")


@dataclass
class Own:
    """A judge of somebody who has never heard of descriptions."""

    judge: ModelJudge

    def __getattr__(self, name):
        if name == "describe":
            raise AttributeError(name)
        return getattr(self.judge, name)


def test_a_judge_that_does_not_describe_itself_shows_its_preview():
    setup = setup_of(plan_of(Own(openai_judge("http://127.0.0.1:9/v1", "own"))))
    assert setup.judges[0].kind == "Own"
    assert "Score this: item-0" in setup.prompts[0].messages[0].text
