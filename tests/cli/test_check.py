"""What `adjudge check` and the start of a run prove before money is spent."""

import json
import re
from collections.abc import Callable

import orjson
import pytest

from adjudge.testing.faults import Fault
from adjudge.testing.reply import Reply
from adjudge.testing.server import PracticeServer
from tests.cli.conftest import Run
from tests.cli.project import SECRET, ProjectFolder


@pytest.fixture
def small(project: ProjectFolder) -> ProjectFolder:
    project.write_items(3)
    project.write_run_file(budget=0.02, judges=[project.judge("small")])
    return project


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_report_or_ledger_that_cannot_be_written_is_told_before_anything_is_spent(
    adjudge: Run, small: ProjectFolder, command: str
) -> None:
    def refused(setting: str) -> str:
        done = adjudge(command, "--set", setting, cwd=small.path, env=small.env)
        assert done.returncode == 1
        assert "in order" not in done.stdout
        return done.stderr

    told = refused("output=nowhere/report.html")
    assert "nowhere/report.html: cannot be written (its folder is missing or read-only)" in told
    assert told.endswith("; run with --report FILE, or with --no-report\n")
    assert "is a folder" in refused("output=.")
    told = refused("ledger=nowhere/ledger.sqlite")
    assert "nowhere/ledger.sqlite: cannot be written" in told
    assert "--set ledger=FILE" in told
    assert small.server.bill == 0


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_model_that_is_not_there_is_told_before_anything_is_spent(
    adjudge: Run, small: ProjectFolder, command: str
) -> None:
    small.server.models = ("smaller", "large")
    done = adjudge(command, cwd=small.path, env=small.env)
    assert done.returncode == 1
    assert 'has no model "small"; the nearest that it lists: smaller' in done.stderr
    assert small.server.requests == 0


@pytest.mark.parametrize("budget", [0, "0.000001"])
@pytest.mark.parametrize("command", ["check", "run"])
def test_a_budget_below_one_call_is_one_error_in_dollars_and_opens_nothing(
    adjudge: Run, small: ProjectFolder, command: str, budget: object
) -> None:
    small.write_run_file(budget=budget, judges=[small.judge("small")])
    small.server.go_dead()
    done = adjudge(command, "--offline" if command == "check" else "--quiet", cwd=small.path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    named = re.fullmatch(
        r"adjudge: budget: \$0\.0\d* pays for no call; the cheapest, of small, may cost "
        r"\$0\.00\d+; give \$(0\.00\d+) or more",
        line,
    )
    assert named is not None, line
    assert not list(small.path.glob("*ledger*"))
    small.write_run_file(budget=named[1], judges=[small.judge("small")])
    assert adjudge("check", "--offline", cwd=small.path).returncode == 0


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize("gaussian", [False, True])
def test_a_budget_that_the_strategy_refuses_is_one_error_in_dollars_and_opens_nothing(
    adjudge: Run, small: ProjectFolder, command: str, gaussian: bool
) -> None:
    settings = {
        "judges": [small.judge("small")],
        "strategy": {"kind": "est_ivwe", "gaussian": gaussian},
    }
    small.write_run_file(budget=0.02, **settings)
    small.server.go_dead()
    done = adjudge(command, "--offline" if command == "check" else "--quiet", cwd=small.path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    named = re.fullmatch(
        r"adjudge: budget: \$0\.02 is too small for the theorem's pilot; it needs at least "
        r"\$([\d.]+), or reduced_pilot, which gives up the guarantee",
        line,
    )
    assert named is not None, line
    assert not list(small.path.glob("*ledger*"))
    small.write_run_file(budget=named[1], **settings)
    assert adjudge("check", "--offline", cwd=small.path).returncode == 0


def test_a_condition_about_items_that_are_not_there_is_told_by_check(
    adjudge: Run, small: ProjectFolder
) -> None:
    done = adjudge("check", "--set", "until=mean(group=z) > 2", cwd=small.path, env=small.env)
    assert done.returncode == 1
    assert "mean(group=z) > 2" in one_line(done.stderr)
    assert "in order" not in done.stdout


def test_a_budget_that_is_used_up_shows_what_it_bought(adjudge: Run, small: ProjectFolder) -> None:
    assert adjudge("run", cwd=small.path, env=small.env).returncode == 0
    spent = json.loads(adjudge("status", "--json", cwd=small.path).stdout)["spent"]
    small.write_run_file(budget=f"{spent:.9f}", judges=[small.judge("small")])
    again = adjudge("run", cwd=small.path, env=small.env)
    assert again.returncode == 0, again.stderr


def test_a_budget_that_went_to_other_prompts_is_told_by_check(
    adjudge: Run, small: ProjectFolder
) -> None:
    assert adjudge("run", cwd=small.path, env=small.env).returncode == 0
    small.write_run_file(budget=0, criteria="Another one.", judges=[small.judge("small")])
    done = adjudge("check", cwd=small.path, env=small.env)
    assert done.returncode == 1
    assert "spent or reserved for other items or judges" in one_line(done.stderr)


def test_a_probe_shows_one_answer_with_score_price_and_time(
    adjudge: Run, small: ProjectFolder
) -> None:
    done = adjudge("check", "--probe", cwd=small.path, env=small.env)
    assert done.returncode == 0, done.stderr
    told = one_line(done.stdout)
    price = rf"\${small.server.bill / 1e9:.6f}".rstrip("0")
    pattern = rf'small answered with \d+ \({price}, \d+\.\d\d s\): {{"reason": "small saw'
    assert re.search(pattern, told), told


def refusing(status: int, message: str) -> Callable[[PracticeServer], None]:
    body = orjson.dumps({"error": {"message": message}})

    def change(server: PracticeServer) -> None:
        reply = Reply(body=body, billed=None, status=status)
        server.reply_to = lambda _body, _key: reply  # type: ignore[method-assign]

    return change


def failing(fault: Fault) -> Callable[[PracticeServer], None]:
    def change(server: PracticeServer) -> None:
        server.schedule = lambda number: fault

    return change


def cut_off(server: PracticeServer) -> None:
    whole = server.reply_to

    def replied(body: bytes, key: str) -> Reply:
        said = orjson.loads(whole(body, key).body)
        said["choices"][0] |= {"finish_reason": "length", "message": {"content": "Let me think"}}
        return Reply(body=orjson.dumps(said), billed=None)

    server.reply_to = replied  # type: ignore[method-assign]


NO_SCORE = [
    (
        refusing(404, "The model `small` does not exist or you do not have access to it."),
        "HTTP 404: The model `small` does not exist",
        "check the model's name and that your key may use it",
    ),
    (
        refusing(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        "Use 'max_completion_tokens' instead.",
        "set max_completion_tokens instead of max_tokens for this judge",
    ),
    (
        refusing(400, "response_format of type json_object is not supported by this model"),
        "json_object is not supported by this model",
        "set response_format: none for this judge",
    ),
    (cut_off, '"Let me think"', "raise max_tokens"),
    (failing(Fault.PROSE), '"What a lovely text.', "it was asked for JSON"),
    (failing(Fault.WEB_PAGE), "a web page came back", "check base_url"),
]


@pytest.mark.parametrize(("fault", "said", "change"), NO_SCORE)
def test_a_probe_without_a_score_shows_the_provider_s_words_and_what_to_change(
    adjudge: Run,
    small: ProjectFolder,
    fault: Callable[[PracticeServer], None],
    said: str,
    change: str,
) -> None:
    small.write_run_file(budget=0.02, judges=[small.judge("small")], keep_reasons=False)
    fault(small.server)
    done = adjudge("check", "--probe", "--json", cwd=small.path, env=small.env)
    assert done.returncode == 1
    probe = json.loads(done.stdout)["probes"]["small"]
    assert (probe["score"], probe["item"]) == (None, "old-0")
    assert said.strip('"') in (probe["detail"] or probe["answer"])
    assert change in probe["remedy"]
    words = one_line(adjudge("check", "--probe", cwd=small.path, env=small.env).stdout)
    assert "small gave no score (" in words
    assert said in words
    assert f"What to change: {change}" in words
    assert SECRET not in words + done.stdout


def test_the_provider_s_words_are_in_status_report_and_export_for_a_few_items_too(
    adjudge: Run, small: ProjectFolder
) -> None:
    words = "Unsupported parameter: use 'max_completion_tokens' instead"
    few = {"path": "items.jsonl", "limit": 3}  # ten refused calls would end the judge
    small.write_run_file(budget=0.02, judges=[small.judge("small")], strategy=None, items=few)
    refusing(400, words)(small.server)
    done = adjudge("run", "--quiet", cwd=small.path, env=small.env)
    assert done.returncode == 1
    assert f"small, in its last call without a score: HTTP 400: {words}." in one_line(done.stdout)
    status = one_line(adjudge("status", cwd=small.path).stdout)
    told = f"HTTP 400: {words}. What to change: set max_completion_tokens instead of max_tokens"
    assert f"small, last call without a score: {told}" in status
    (judge,) = json.loads(adjudge("status", "--json", cwd=small.path).stdout)["judges"]
    assert told in judge["complaint"]
    (card,) = json.loads(adjudge("report", "--json", cwd=small.path).stdout)["judges"]
    assert told in card["complaint"]
    exported = adjudge("export", "calls", "--format", "jsonl", cwd=small.path)
    rows = [json.loads(line) for line in exported.stdout.splitlines()]
    assert f"HTTP 400: {words}" in {row["detail"] for row in rows}
