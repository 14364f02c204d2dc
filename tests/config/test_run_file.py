"""What a good run file becomes."""

import io
import json
import math
from pathlib import Path

import pytest

from adjudge.config import run_file_of
from adjudge.core.panel.learning import Target
from adjudge.core.strategies import Cyclic, EstIvwe, Panel, RobinHood, SingleJudge, Uniform
from adjudge.errors import ConfigError
from adjudge.judges import FunctionJudge, Limits, ModelJudge, Prices, Rates, Scale, SimulatedJudge
from adjudge.records import Item, nano_dollars
from adjudge.run import Patience, run

ITEMS = [Item(id="1", prompt="Why?", response="Because.")]
JUDGE = "judges: [{model: gpt-4o-mini, prices: {input: 0.15, output: 0.60}}]\n"
LEAST = f"items: items.jsonl\nbudget: 5\n{JUDGE}"


def settings(judge: object) -> object:
    assert isinstance(judge, ModelJudge)
    return judge._settings


def test_three_keys_are_enough(load, tmp_path):
    read = load(LEAST)
    assert read.items_source == tmp_path / "items.jsonl"
    assert read.budget == nano_dollars(5)
    assert [judge.name for judge in read.judges] == ["gpt-4o-mini"]
    assert read.ledger == tmp_path / "run.ledger.sqlite"
    assert read.output == tmp_path / "run.report.html"
    assert (read.title, read.seed, read.norm, read.confidence) == ("run", 0, 2.0, 0.95)
    assert read.scale == Scale(low=1, high=10, whole=True)


def test_everything_reaches_the_plan(load):
    read = load(
        """
        items: items.jsonl
        budget: 5
        norm: inf
        confidence: 0.9
        scale: {low: 0, high: 1}
        keep_reasons: false
        ask_again: 3
        grace: 1.5
        patience: {first_wait: 1, attempts: 2}
        strategy: uniform
        judges:
          - {kind: simulated, name: a, price_per_call: 0.001, weight: 2}
          - {kind: simulated, name: b, price_per_call: 0.002, noise: 0.3}
        """
    )
    plan = read.plan(ITEMS)
    assert plan.items == ITEMS
    assert plan.scale == Scale(low=0, high=1)
    assert (plan.norm, plan.confidence) == (math.inf, 0.9)
    assert plan.weights == (2.0, 1.0)
    assert (plan.keep_texts, plan.ask_again, plan.grace) == (False, 3, 1.5)
    assert plan.patience == Patience(first_wait=1, attempts=2)
    assert plan.strategy == Uniform()
    first, second = plan.judges
    assert isinstance(first, SimulatedJudge)
    assert isinstance(second, SimulatedJudge)
    assert (first.price, first.noise, second.noise) == (1_000_000, 0.1, 0.3)


def test_a_plan_of_a_run_file_runs(load, tmp_path):
    (tmp_path / "items.jsonl").write_text("".join(f'{{"response": "r{k}"}}\n' for k in range(8)))
    read = load(
        """
        items: items.jsonl
        budget: 0.1
        judges:
          - {kind: simulated, name: a, price_per_call: 0.001}
          - {kind: simulated, name: b, price_per_call: 0.002}
        """
    )
    result = run(read.plan(read.read_items()), read.ledger, budget=read.budget, seed=read.seed)
    assert result.estimate.score.shape == (8,)
    assert 0 < result.balance.spent <= read.budget


def test_no_key_is_needed_to_build_a_plan(load):
    plan = load(LEAST).plan(ITEMS)
    assert plan.judges[0].quote(ITEMS[0]).most.total > 0


def test_what_a_chat_judge_is_told_reaches_it(load):
    read = load(
        """
        items: items.jsonl
        budget: 5
        limits: {concurrency: 4, requests_per_minute: 100}
        judges:
          - model: served-name
            name: mine
            base_url: "https://${HOST}/v1?version=2"
            key: ${MY_KEY}
            key_header: api-key
            prices:
              {input: 1, cached_input: 0.5, cache_write: 3, output: 2, per_call: 0.01,
               long_context: [{above: 200000, input: 2, output: 3}], service_tiers: {flex: 0.5}}
            service_tier: flex
            free_failures: true
            max_completion_tokens: 77
            temperature: 0.5
            response_format: json_schema
            limits: {concurrency: 9, tokens_per_minute: 2e5}
            timeout: 33
            connect_timeout: 3
            headers: {X-Team: "team ${TEAM}"}
            extra: {seed: 1}
        """,
        environment={"HOST": "example.org", "TEAM": "blue"},
    )
    told = settings(read.judges[0])
    assert told.name == "mine"
    assert told.base_url == "https://example.org/v1?version=2"
    assert (told.key_variable, told.key_header) == ("MY_KEY", "api-key")
    assert told.prices == Prices.of(
        input=1,
        cached_input="0.5",
        cache_write=3,
        output=2,
        per_call="0.01",
        long_context=[Rates.of(above=200_000, input=2, output=3)],
        service_tiers={"flex": "0.5"},
    )
    assert told.request.service_tier == "flex"
    assert told.free_failures is True
    assert told.headers == {"X-Team": "team blue"}
    assert (told.timeout, told.connect_timeout) == (33, 3)
    assert told.limits == Limits(concurrency=9, requests_per_minute=100, tokens_per_minute=200_000)
    body = json.loads(told.request.body(ITEMS[0]))
    assert (body["model"], body["max_completion_tokens"]) == ("served-name", 77)
    assert (body["temperature"], body["seed"]) == (0.5, 1)
    assert body["response_format"]["type"] == "json_schema"


def test_a_judge_may_be_a_function_beside_the_run_file(load, tmp_path):
    (tmp_path / "lengths_for_a_test.py").write_text("def judge(item):\n    return 7\n")
    read = load(
        "items: i\nbudget: 5\njudges:\n"
        "  - {function: 'lengths_for_a_test:judge', price_per_call: 0.0001}\n"
    )
    (judge,) = read.judges
    assert isinstance(judge, FunctionJudge)
    assert judge.name == "lengths_for_a_test:judge"
    assert judge.quote(ITEMS[0]).most.total == 100_000


@pytest.mark.parametrize(
    ("written", "scale"),
    [
        ("1..10", Scale(low=1, high=10, whole=True)),
        ("-1 .. 1", Scale(low=-1, high=1, whole=True)),
        ("0.0..1.0", Scale(low=0, high=1)),
        ("{low: 0, high: 100}", Scale(low=0, high=100)),
        ("{labels: {no: 0, yes: 1}}", Scale.of_labels({"no": 0, "yes": 1})),
        ("{labels: {1: 0, true: 1}}", Scale.of_labels({"1": 0, "true": 1})),
    ],
)
def test_scales_are_written_as_people_write_them(load, written, scale):
    assert load(f"scale: {written}\n{LEAST}").scale == scale


@pytest.mark.parametrize(
    ("written", "strategy"),
    [
        ("panel", Panel()),
        ("{kind: panel, target: unbiased}", Panel(target=Target.UNBIASED)),
        ("{target: unbiased}", Panel(target=Target.UNBIASED)),
        ("uniform", Uniform()),
        ("uniform-ivw", Uniform(by_inverse_variance=True)),
        ("cyclic", Cyclic()),
        ("{kind: single, judge: gpt-4o-mini}", SingleJudge(judge=0)),
        ("{kind: robin-hood, judge: gpt-4o-mini}", RobinHood(judge=0)),
        ("est_ivwe", EstIvwe()),
        ("est-ivwe-gaussian", EstIvwe(gaussian=True)),
        ("{kind: est_ivwe, reduced_pilot: true}", EstIvwe(reduced_pilot=True)),
    ],
)
def test_strategies_are_chosen_by_name(load, written, strategy):
    read = load(f"strategy: {written}\n{LEAST}").strategy
    if isinstance(strategy, Panel):
        assert isinstance(read, Panel)
        assert read.target == strategy.target
    else:
        assert read == strategy


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("items.csv", ("items.csv", {}, None)),
        ("{path: a/b.csv, limit: 3}", ("a/b.csv", {}, 3)),
        ("{path: x.csv, fields: {response: answer}}", ("x.csv", {"response": "answer"}, None)),
    ],
)
def test_items_are_named_beside_the_run_file(load, tmp_path, written, expected):
    read = load(LEAST.replace("items.jsonl", written))
    path, *rest = expected
    assert read.items_source == tmp_path / path
    assert [read.fields, read.limit] == rest


@pytest.mark.parametrize("dash", ['"-"', "{path: '-'}"])
def test_a_dash_is_standard_input(load, dash):
    read = load(LEAST.replace("items.jsonl", dash))
    assert read.items_source == "-"
    assert read.read_items(stdin=io.BytesIO(b'{"response": "a"}')) == [Item(id="1", response="a")]


def test_templates_and_criteria_are_read_from_files_beside_the_run_file(load, tmp_path):
    (tmp_path / "user.txt").write_text("By {{ criteria }}: {{ response }}")
    (tmp_path / "criteria.txt").write_text("wit")
    read = load(
        f"prompt: {{system: '', user_file: user.txt}}\ncriteria_file: criteria.txt\n{LEAST}"
    )
    assert read.judges[0].preview(ITEMS[0]) == "[user]\nBy wit: Because."


def test_a_judge_may_have_a_prompt_of_its_own(load):
    read = load(
        """
        items: items.jsonl
        budget: 5
        criteria: truth
        prompt: {system: "", user: "{{ criteria }}? {{ response }}"}
        judges:
          - {model: a, prices: {input: 1, output: 1}}
          - {model: b, prices: {input: 1, output: 1}, criteria: wit}
          - {model: c, prices: {input: 1, output: 1}, prompt: {user: "!{{ response }}"}}
        """
    )
    assert [judge.preview(ITEMS[0]) for judge in read.judges] == [
        "[user]\ntruth? Because.",
        "[user]\nwit? Because.",
        "[user]\n!Because.",
    ]


PRICE_MAP = {
    "gpt-4o-mini": {"input_cost_per_token": 1.5e-7, "output_cost_per_token": 6e-7},
    "sample_spec": {"note": "no model"},
}


@pytest.mark.parametrize(
    "content",
    [
        "prices: prices.json\nitems: i\nbudget: 5\njudges: [gpt-4o-mini]\n",
        "prices: {file: prices.json}\nitems: i\nbudget: 5\njudges: [{model: openai/gpt-4o-mini}]\n",
        "items: i\nbudget: 5\njudges: [{model: gpt-4o-mini, prices: prices.json}]\n",
    ],
)
def test_prices_are_looked_up_in_a_map(load, tmp_path, content):
    (tmp_path / "prices.json").write_text(json.dumps(PRICE_MAP))
    assert settings(load(content).judges[0]).prices == Prices.of(input="0.15", output="0.6")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (
            "gpt-4o-mono",
            "run.yaml:4: judges[0].prices: prices.json has no price of gpt-4o-mono; "
            "did you mean gpt-4o-mini? Else give input and output for this judge, or as_of with a "
            "day for the public price",
        ),
        (
            "sample_spec",
            "run.yaml:4: judges[0].prices: has note; "
            "it needs input_cost_per_token and output_cost_per_token",
        ),
    ],
)
def test_a_model_without_a_price_in_the_map_is_refused(problems, tmp_path, model, expected):
    (tmp_path / "prices.json").write_text(json.dumps(PRICE_MAP))
    content = f"prices: prices.json\nitems: i\nbudget: 5\njudges: [{{model: {model}}}]\n"
    assert problems(content) == [expected]


def test_yaml_means_what_people_mean(load):
    read = load(f"title: no\nbudget: 1e1\nseed: 1_000\nitems: &x 2024-01-01\noutput: *x\n{JUDGE}")
    assert read.title == "no"
    assert read.budget == nano_dollars(10)
    assert read.seed == 1000
    assert isinstance(read.items_source, Path)
    assert read.items_source.name == "2024-01-01"
    assert read.output.name == "2024-01-01"


def test_judges_may_share_keys_by_merging(load):
    read = load(
        """
        items: i
        budget: 5
        judges:
          - &first {model: a, prices: {input: 1, output: 1}, max_tokens: 50}
          - {<<: *first, model: b}
        """
    )
    second = settings(read.judges[1]).request
    assert (second.model, second.max_tokens) == ("b", 50)


def test_a_dollar_sign_may_stand_before_the_budget(load):
    assert load(LEAST.replace("budget: 5", "budget: $0.10")).budget == 100_000_000


def test_python_values_are_read_by_the_same_rules(tmp_path):
    judge = {"kind": "simulated", "price_per_call": 0.001}
    values = {"items": "-", "budget": 5.0, "scale": "1..5", "judges": [judge]}
    environment = {"ADJUDGE_BUDGET": "7"}
    read = run_file_of(values, name="here", folder=tmp_path, environment=environment)
    assert read.budget == nano_dollars(5)
    assert read.scale == Scale(low=1, high=5, whole=True)
    with pytest.raises(ConfigError) as caught:
        run_file_of({**values, "scale": 5, "norms": 2}, name="here", folder=tmp_path)
    assert caught.value.problems == (
        "here: scale: 5; write it as 1..10, or as low and high",
        "here: norms: there is no such key; did you mean norm?",
    )


def test_a_response_format_may_be_given_whole(load):
    form = "{type: json_object, schema: {type: object}}"
    judge = f"{{model: a, prices: {{per_call: 1}}, response_format: {form}}}"
    read = load(f"items: items.jsonl\nbudget: 1\njudges:\n  - {judge}\n")
    body = json.loads(settings(read.judges[0]).request.body(ITEMS[0]))
    assert body["response_format"] == {"type": "json_object", "schema": {"type": "object"}}
