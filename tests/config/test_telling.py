"""All mistakes are told at once, in the order of the file, and no secret is ever told."""

import pickle
from pathlib import Path

import pytest

from adjudge.config import load_run_file
from adjudge.errors import ConfigError, InputError
from adjudge.judges.price_list import source

SECRET = "sk-proj-Zm9vYmFyYmF6cXV4"


def test_every_mistake_is_told_at_once_in_the_order_of_the_file(problems):
    content = """\
items: {path: items.jsonl, limt: 3}
bugdet: 5
scale: 1-10
prompt: {user_file: nowhere.txt}
judges:
  - model: a
    prices: {input: 1, output: 1}
    max_tokens: none
  - model: b
    key: lower case
    headers: {X: "${NOWHERE}"}
    extra: {n: 3}
  - model: c
    prices: {input: 1}
  - kind: functional
norm: 0
"""
    advice = (
        "put the key into the environment, or into .env beside the run file, "
        "and name the variable, as key: OPENAI_API_KEY"
    )
    assert problems(content) == [
        "run.yaml:1: budget: it is missing; say how many dollars may be spent, as budget: 5.00",
        "run.yaml:1: items.limt: there is no such key; did you mean limit?",
        "run.yaml:2: bugdet: there is no such key; did you mean budget?",
        "run.yaml:3: scale: 1-10; write it as 1..10, or as low and high",
        "run.yaml:4: prompt.user_file: nowhere.txt: No such file or directory; name a file of text",
        'run.yaml:8: judges[0].max_tokens: "none"; give a whole number',
        f"run.yaml:9: judges[1].model: {source()} has no price of openai/b; give prices in dollars "
        "per million tokens, as {input: 0.15, output: 0.60}",
        "run.yaml:10: judges[1].key: this is not the name of a variable (it is not shown here); "
        f"{advice}",
        "run.yaml:11: judges[1].headers.X: the environment variable NOWHERE is not set; set it, "
        "or write it into .env beside the run file",
        "run.yaml:12: judges[1].extra: holds n; use the judge's own settings, as "
        "answers_per_request for n",
        "run.yaml:14: judges[2].prices: output is missing; give both input and output",
        'run.yaml:15: judges[3].kind: "functional" is no judge; did you mean function?',
        "run.yaml:16: norm: 0; give a number of 1 or more",
    ]


WHERE_KEYS_GO = [
    "key: {secret}",
    "api_key: {secret}",
    "apikey: {secret}",
    "secret: {secret}",
    "kee: {secret}",
    "headers: {{Authorization: Bearer {secret}}}",
    "headers: [{secret}]",
    "base_url: 'http://host/v1?key={secret}'",
    "base_url: 'http://me:{secret}@host/v1'",
    "timeout: *{secret}",
    "timeout: [{secret}",
    "? [{secret}]\n    : 1",
    "name: x\n    name: {secret}",
]
ANYWHERE = [
    "headers: {{X-Anything: '{secret}'}}",
    "extra: {{deep: [{{down: '{secret}'}}]}}",
    "max_tokens: {secret}",
    "temperature: {secret}",
    "response_format: {secret}",
    "weight: [{secret}]",
    "limits: {secret}",
    "prompt: {{user: '{{{{ {secret} '}}",
    "kind: {secret}",
]


@pytest.mark.parametrize(
    ("secret", "place"),
    [
        *((SECRET, place) for place in WHERE_KEYS_GO + ANYWHERE),
        *(("Zm9vYmFyYmF6cXV4", place) for place in WHERE_KEYS_GO),
    ],
)
def test_a_key_is_never_repeated(problems, place, secret):
    line = place.format(secret=secret)
    content = (
        "items: items.jsonl\nbudget: 5\njudges:\n  - model: m\n"
        f"    prices: {{input: 1, output: 1}}\n    {line}\n"
    )
    assert not any(secret in problem for problem in problems(content))


def test_values_of_variables_are_never_repeated(problems):
    content = (
        "items: i\nbudget: 5\njudges:\n"
        '  - {model: m, base_url: "${WHERE}", key: null, headers: {X: "${TOKEN}"}, '
        "prices: {input: 1, output: 1}}\n"
    )
    environment = {"WHERE": f"ftp://{SECRET}", "TOKEN": f"{SECRET}\n"}
    told = problems(content, environment=environment)
    assert len(told) == 2
    assert not any(SECRET in problem for problem in told)


def test_a_missing_file_suggests_its_neighbours(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load_run_file(tmp_path / "run.yaml")
    assert str(caught.value) == (
        f"{tmp_path}/run.yaml: there is no such file; adjudge init writes one to begin with"
    )
    (tmp_path / "run.yml").write_text("")
    with pytest.raises(ConfigError, match=r"there is no such file; did you mean run.yml\?$"):
        load_run_file(tmp_path / "run.yaml")


def test_a_folder_is_no_run_file(tmp_path):
    with pytest.raises(ConfigError, match=r": this is a folder; name the run file in it$"):
        load_run_file(tmp_path)


def test_aliases_that_multiply_are_refused(problems):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    (told,) = problems("\n".join(lines))
    assert told.endswith("it has aliases within aliases without end; write the values out")


def test_deep_nesting_is_refused(problems):
    told = problems("items: " + "[" * 1000 + "]" * 1000)
    assert told == ["run.yaml:1: it is nested too deeply; make it flatter"]


def test_the_error_is_an_input_error_that_crosses_processes():
    error = ConfigError("run.yaml", ["run.yaml:1: a: b; c", "run.yaml:2: d: e; f"])
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, InputError)
    assert str(again) == "run.yaml:1: a: b; c\nrun.yaml:2: d: e; f"
    assert (again.source, again.problems) == (error.source, error.problems)


def test_the_file_is_named_as_it_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("run.yaml").write_text("budget: 5\n")
    with pytest.raises(ConfigError, match=r"^run.yaml:1: items"):
        load_run_file("run.yaml", environment={})
