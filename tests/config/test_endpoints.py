"""Which endpoint a judge of a run file asks, with which key."""

import pytest

from adjudge.judges import ModelJudge
from adjudge.records import Item

LEAST = """
items: items.jsonl
budget: 5
judges: [{model: gpt-4o-mini, prices: {input: 0.15, output: 0.60}}]
"""


def settings(judge: object) -> object:
    assert isinstance(judge, ModelJudge)
    return judge._settings


@pytest.mark.parametrize(
    ("judge", "model"),
    [
        ("model: openai/gpt-4o-mini", "gpt-4o-mini"),
        ("model: gpt-4o-mini", "gpt-4o-mini"),
        (
            "model: openai/gpt-oss-20b, base_url: http://localhost/v1, key: null",
            "openai/gpt-oss-20b",
        ),
    ],
)
def test_the_provider_is_taken_off_the_model_at_openai_only(load, judge, model):
    read = load(f"items: i\nbudget: 5\njudges: [{{{judge}, prices: {{input: 1, output: 1}}}}]\n")
    assert settings(read.judges[0]).request.model == model


def test_the_key_of_openai_goes_to_openai_only(load):
    assert settings(load(LEAST).judges[0]).key_variable == "OPENAI_API_KEY"
    local = LEAST.replace("{model", "{base_url: http://localhost/v1, key: null, model")
    assert settings(load(local).judges[0]).key_variable is None


IN_THE_PATH = """
    items: items.jsonl
    budget: 5
    judges:
      - model: m
        base_url: "{address}"
        key: null
        prices: {{input: 1, output: 2}}
        headers: {{X-Team: "team ${{TEAM}}", X-Open: in the file}}
"""
VARIABLES = {"TEAM": "blue-team", "TOKEN": "tok-5f2c99aa", "HOST": "example.org"}


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://example.org/${TOKEN}/v1", "https://example.org/${TOKEN}/v1"),
        ("https://${HOST}/bot${TOKEN}/v1/", "https://example.org/bot${TOKEN}/v1"),
        ("https://${HOST}/v1?key=${TOKEN}", "https://example.org/v1"),
        ("${WHOLE}", "https://example.org:81/${WHOLE}/v1"),
        ("https://example.org/v1", "https://example.org/v1"),
    ],
)
def test_what_variables_add_to_an_address_is_a_secret_but_for_its_host(load, address, shown):
    environment = VARIABLES | {"WHOLE": "https://example.org:81/tok-5f2c99aa/v1?a=tok-5f2c99aa"}
    (judge,) = load(IN_THE_PATH.format(address=address), environment=environment).judges
    told = settings(judge)
    assert repr(shown) in judge.identity
    assert "tok-5f2c99aa" not in judge.identity + repr(told)
    assert ("tok-5f2c99aa" in told.secrets) == ("TOKEN" in address or "WHOLE" in address)
    assert {"blue-team", "team blue-team"} <= set(told.secrets)
    assert "in the file" not in told.secrets


def test_another_key_in_the_path_is_the_same_judge_and_another_host_is_not(load):
    def identity(**changes):
        content = IN_THE_PATH.format(address="https://${HOST}/${TOKEN}/v1")
        return load(content, environment=VARIABLES | changes).judges[0].identity

    assert identity(TOKEN="tok-rotated") == identity()
    assert identity(HOST="example.com") != identity()


@pytest.mark.parametrize("kind", ["model", "openai"])
def test_a_judge_may_say_its_kind_by_either_name_and_is_the_same_judge(load, kind):
    (said,) = load(LEAST.replace("{model", f"{{kind: {kind}, model")).judges
    (unsaid,) = load(LEAST).judges
    assert said.identity == unsaid.identity


@pytest.mark.parametrize("model", ["openai/gpt-6-luna, protocol: decisions", "typesafe/jev-1.14.0"])
def test_a_judge_that_decides_is_not_asked_to_write_json(load, model):
    (judge,) = load(
        f"items: items.csv\nbudget: 1\nscale: 1..5\njudges: [{{model: {model}}}]"
    ).judges
    shown = judge.preview(Item(id="a", prompt="Hi?", response="Hello."))
    assert "JSON" not in shown
    assert "Score it on this scale: a whole number from 1 (worst) to 5 (best)." in shown
