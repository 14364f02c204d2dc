"""Run files made to crash or to exhaust their reader: one sentence each."""

import pytest

from adjudge.errors import InputError
from adjudge.run import dry_run

GOOD = """\
items: items.jsonl
budget: 5
judges:
  - {model: gpt, prices: {input: 1, output: 2}}
"""
TAG = "it has the tag tag:yaml.org,2002:{}; leave the tag out"
LONG = "1" + "0" * 5000
LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("keep_reasons: !!bool x20", f"keep_reasons: {TAG.format('bool')}"),
        ("title: !!timestamp x", f"title: {TAG.format('timestamp')}"),
        ("title: !!timestamp 2020-01-01", f"title: {TAG.format('timestamp')}"),
        ("seed: !!int x", f"seed: {TAG.format('int')}"),
        ("title: !!binary '###'", f"title: {TAG.format('binary')}"),
        (f"seed: {LONG}", "seed: the number is too long; give one that is shorter"),
        (
            'title: "\\ud800"',
            "title: it contains half of a character (a lone surrogate); write the whole character",
        ),
        (
            '"\\udc00": 1',
            "a key: it contains half of a character (a lone surrogate); write the whole character",
        ),
        ('ledger: "a\\0b"', "ledger: it contains a NUL character; remove it"),
        ("confidence: 1e400", "confidence: inf; give a number below 1"),
        ("norm: 1e300", "norm: 1e+300; give one from 1 to 100, or inf"),
        ("grace: 1e308", "grace: 1e+308; give a number of 86400 or less"),
        ("limits: {concurrency: 1000000000000000000000000000000}", "give a number of 1e+06 or"),
        ("patience: {attempts: 1000000000000000000000000000000}", "give a number of 1e+06 or"),
        ("scale: {low: -1e308, high: 1e308}", "scale.low: -1e+308; give a number of -1e+12"),
    ],
)
def test_values_that_nobody_can_use_are_refused(problems, lines, expected):
    assert expected in problems(f"{lines}\n{GOOD}")[0]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LAUGHS + GOOD, "run.yaml:1: it has aliases within aliases without end"),
        (f"title: {'[' * 5000}{']' * 5000}\n{GOOD}", "run.yaml:1: it is nested too deeply"),
        (
            "\n".join(" " * n + "a:" for n in range(600)) + "\n",
            "run.yaml:1: it is nested too deeply",
        ),
        (
            f"criteria: {'x' * 300_000}\n{GOOD}",
            "run.yaml: it has more than 256 kB; put long texts into files of their own",
        ),
    ],
    ids=["aliases", "lists", "mappings", "size"],
)
def test_files_that_nobody_can_read_are_refused(problems, content, expected):
    assert problems(content)[0].startswith(expected)


def test_of_thousands_of_mistakes_the_first_are_told(problems):
    told = problems("".join(f"key{n}: 1\n" for n in range(3000)) + GOOD)
    assert len(told) == 51
    assert told[-1] == "run.yaml: and 2,950 more mistakes"


def test_texts_are_read_from_files_of_reasonable_size(problems, tmp_path):
    (tmp_path / "endless.txt").write_bytes(b"x" * (2**20 + 1))
    assert problems(f"criteria_file: endless.txt\n{GOOD}") == [
        "run.yaml:1: criteria_file: endless.txt has more than 1 MB; name a file of text"
    ]


@pytest.mark.parametrize("key", ["max_tokens", "max_completion_tokens"])
@pytest.mark.parametrize("tokens", [10**18, 10**30])
def test_an_answer_longer_than_any_is_refused(problems, key, tokens):
    told = problems(GOOD.replace("prices", f"{key}: {tokens}, prices"))
    assert told == [
        f"run.yaml:4: judges[0].{key}: {tokens}; give a number of 1e+09 or less",
    ]


def test_a_call_too_dear_for_any_ledger_is_one_sentence(load, tmp_path):
    (tmp_path / "items.jsonl").write_text('{"response": "a"}\n')
    dear = GOOD.replace("output: 2", "output: 1000000000")
    read = load(dear.replace("{model", "{max_tokens: 1000000000, model"))
    with pytest.raises(InputError, match=r"price of gpt: one call could cost \$.*; lower max_tok"):
        dry_run(read.plan(read.read_items()))


def test_a_limit_beyond_all_numbers_takes_every_item(load, tmp_path):
    (tmp_path / "items.jsonl").write_text('{"response": "a"}\n{"response": "b"}\n')
    limited = GOOD.replace("items.jsonl", f"{{path: items.jsonl, limit: {10**30}}}")
    assert len(load(limited).read_items()) == 2


def test_variables_named_like_other_keys_are_refused_and_not_ignored(problems):
    assert problems(GOOD, environment={"ADJUDGE_GRACE": "1"}) == [
        "ADJUDGE_GRACE in the environment: it is not used; write grace into the run file, or add "
        "--set grace=..."
    ]
    told = problems(GOOD, environment={"ADJUDGE_ITEMS_LIMIT": "1"})
    assert told[0].endswith("did you mean ADJUDGE_LIMIT?")
