"""Flags go before the environment, the environment before .env, .env before the file."""

from pathlib import Path

import pytest

from adjudge.records import nano_dollars

RUN = """\
items: items.jsonl
budget: 1
limits: {concurrency: 2}
judges:
  - {model: a, prices: {input: 1, output: 1}}
  - {model: b, prices: {input: 1, output: 1}, limits: {concurrency: 3, requests_per_minute: 9}}
"""


def test_the_order_is_file_env_file_environment_caller(load, tmp_path):
    assert load(RUN).budget == nano_dollars(1)
    (tmp_path / ".env").write_text("ADJUDGE_BUDGET=2\n")
    assert load(RUN).budget == nano_dollars(2)
    environment = {"ADJUDGE_BUDGET": "3"}
    assert load(RUN, environment=environment).budget == nano_dollars(3)
    read = load(RUN, environment=environment, overrides={"budget": 4})
    assert read.budget == nano_dollars(4)


@pytest.mark.parametrize(
    ("variable", "value", "field", "expected"),
    [
        ("ADJUDGE_NORM", "inf", "norm", float("inf")),
        ("ADJUDGE_CONFIDENCE", "0.8", "confidence", 0.8),
        ("ADJUDGE_SEED", "7", "seed", 7),
        ("ADJUDGE_STRATEGY", "uniform", "strategy_name", "uniform"),
        ("ADJUDGE_LIMIT", "10", "limit", 10),
        ("ADJUDGE_KEEP_REASONS", "false", "keep_reasons", False),
        ("ADJUDGE_ITEMS", "other.csv", "items_source", Path.cwd() / "other.csv"),
        ("ADJUDGE_LEDGER", "/tmp/l.db", "ledger", Path("/tmp/l.db")),
        ("ADJUDGE_OUTPUT", "r.html", "output", Path.cwd() / "r.html"),
        ("ADJUDGE_SEED", "", "seed", 0),
        ("ADJUDGE_UNRELATED", "1", "seed", 0),
    ],
)
def test_variables_override_the_file(load, variable, value, field, expected):
    assert getattr(load(RUN, environment={variable: value}), field) == expected


def test_overridden_limits_go_before_those_of_each_judge(load):
    own = load(RUN)
    assert [judge.limits.concurrency for judge in own.judges] == [2, 3]
    for given in (
        load(RUN, overrides={"limits.concurrency": 8}),
        load(RUN, environment={"ADJUDGE_MAX_CONCURRENCY": "8"}),
    ):
        assert [judge.limits.concurrency for judge in given.judges] == [8, 8]
        assert given.judges[1].limits.requests_per_minute == 9


@pytest.mark.parametrize(
    ("overrides", "field", "expected"),
    [
        ({"items.limit": 5}, "limit", 5),
        ({"items": "-"}, "items_source", "-"),
        ({"items": "x.csv"}, "items_source", Path.cwd() / "x.csv"),
        ({"strategy.kind": "cyclic"}, "strategy_name", "cyclic"),
        ({"budget": None}, "budget", nano_dollars(1)),
        ({"judges.0.weight": 4}, "weights", (4.0, 1.0)),
    ],
)
def test_callers_override_by_dotted_keys(load, overrides, field, expected):
    assert getattr(load(RUN, overrides=overrides), field) == expected


def test_an_override_keeps_what_stands_beside_it(load, tmp_path):
    read = load(RUN, overrides={"items.limit": 5})
    assert read.items_source == tmp_path / "items.jsonl"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {"environment": {"ADJUDGE_BUDGET": "lots"}},
            "ADJUDGE_BUDGET in the environment: budget: 'lots'; give an amount of money, as 12.50",
        ),
        (
            {"environment": {"ADJUDGE_BUDGT": "1"}},
            "ADJUDGE_BUDGT in the environment: it is not used; did you mean ADJUDGE_BUDGET?",
        ),
        (
            {"overrides": {"limits.concurrency": 0}},
            "as overridden: limits.concurrency: 0; give a number of 1 or more",
        ),
        (
            {"overrides": {"bugdet": 3}},
            "as overridden: bugdet: there is no such key; did you mean budget?",
        ),
    ],
)
def test_a_bad_override_names_what_gave_it(problems, options, expected):
    assert problems(RUN, **options) == [expected]


def test_a_budget_given_by_the_caller_is_enough(load):
    assert (
        load(RUN.replace("budget: 1\n", ""), overrides={"budget": "2.50"}).budget == 2_500_000_000
    )


def test_keys_in_an_env_file_reach_the_judges_and_never_replace_real_ones(load, tmp_path):
    (tmp_path / ".env").write_text("# keys\nexport MY_KEY='from the file'\nOTHER=file\n")
    environment = {"OTHER": "real"}
    load(RUN, environment=environment)
    assert environment == {"OTHER": "real", "MY_KEY": "from the file"}


def test_overrides_of_one_env_file_are_not_left_in_the_environment(load, tmp_path):
    (tmp_path / ".env").write_text("ADJUDGE_LEDGER=mine.db\n")
    environment: dict[str, str] = {}
    assert load(RUN, environment=environment).ledger == tmp_path / "mine.db"
    assert environment == {}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"A=1\nthis is nothing\n", ".env:2: this is not a variable; write it as NAME=value"),
        (b"A=1\nB=\xe9\n", ".env:2: this is not UTF-8; save the file as UTF-8"),
        (
            b"ADJUDGE_SEED=x\n",
            'ADJUDGE_SEED in .env: seed: "x"; give a whole number',
        ),
    ],
)
def test_what_is_wrong_with_an_env_file_is_said(problems, tmp_path, content, expected):
    (tmp_path / ".env").write_bytes(content)
    assert problems(RUN) == [expected]
