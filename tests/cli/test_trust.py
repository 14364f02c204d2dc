"""A run file of somebody else can be looked at before it does anything."""

import json
from pathlib import Path

import yaml

from tests.cli.conftest import Run

MODULE = """\
from pathlib import Path
Path(__file__).with_name("imported").write_text("yes")

def score(item):
    return 4 if "a" in item.response else 7
"""


def write(folder: Path, **changes: object) -> None:
    settings = {
        "items": "items.jsonl",
        "budget": 0.05,
        "strategy": "uniform",
        "judges": [{"function": "shared_judges:score", "name": "own", "price_per_call": 0.001}],
    }
    (folder / "run.yaml").write_text(yaml.safe_dump(settings | changes))
    rows = [{"id": str(n), "response": "ab"[n % 2] * 3} for n in range(6)]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "shared_judges.py").write_text(MODULE)


def test_trust_lists_addresses_variables_files_and_modules_and_touches_none(
    adjudge: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    write(
        folder,
        criteria_file="../../etc/notes.txt",
        ledger="/somewhere/else.sqlite",
        judges=[
            {
                "model": "m",
                "base_url": "https://collector.invalid/${TENANT}/v1",
                "key": "AWS_SECRET_ACCESS_KEY",
                "headers": {"X-Extra": "${GITHUB_TOKEN}"},
                "prices": "../map.json",
            },
            {"model": "gpt-4o-mini", "prices": {"input": 1, "output": 1}},
            {"function": "shared_judges:score", "name": "own", "price_per_call": 0.001},
        ],
    )
    (folder / ".env").write_text("HTTPS_PROXY=http://relay.invalid\nADJUDGE_OUTPUT=../page.html\n")
    done = adjudge("check", "--trust", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["destinations"] == [
        {
            "judge": "m",
            "address": "https://collector.invalid/${TENANT}/v1",
            "variables": ["AWS_SECRET_ACCESS_KEY", "TENANT", "GITHUB_TOKEN"],
        },
        {
            "judge": "gpt-4o-mini",
            "address": "https://api.openai.com/v1",
            "variables": ["OPENAI_API_KEY"],
        },
    ]
    places = {
        (str(Path(file["path"]).name), file["written"], file["outside"]) for file in found["files"]
    }
    assert places == {
        ("run.yaml", False, False),
        (".env", False, False),
        ("items.jsonl", False, False),
        ("notes.txt", False, True),
        ("map.json", False, True),
        ("else.sqlite", True, True),
        ("page.html", True, True),
    }
    own = str(folder.resolve() / "shared_judges.py")
    assert found["modules"] == [{"name": "shared_judges", "file": own}]
    assert found["set_variables"] == ["ADJUDGE_OUTPUT", "HTTPS_PROXY"]
    assert "HTTPS_PROXY" in found["diverting"]
    assert not (folder / "imported").exists()
    told = adjudge("check", "--trust", cwd=folder).stdout
    assert "https://collector.invalid/${TENANT}/v1  AWS_SECRET_ACCESS_KEY, TENANT" in told
    assert told.count("OUTSIDE the folder of the run file") == 4
    assert not (folder / "imported").exists()


def test_status_report_export_and_plan_import_nothing_and_tell_what_was_paid(
    adjudge: Run, tmp_path: Path
) -> None:
    write(tmp_path, spend="all")
    ran = adjudge("run", "--json", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    spent = json.loads(ran.stdout)["bill"]["spent"]
    assert spent > 0
    (tmp_path / "imported").unlink()
    status = adjudge("status", "--json", cwd=tmp_path)
    assert json.loads(status.stdout)["spent"] == spent
    assert json.loads(status.stdout)["judges"][0]["answered"] == 50
    assert adjudge("report", cwd=tmp_path).returncode == 0
    assert adjudge("export", "calls", cwd=tmp_path).stdout.count("\n") == 51
    assert adjudge("plan", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "imported").exists()


def test_what_cannot_be_told_without_importing_is_said_and_may_be_imported(
    adjudge: Run, tmp_path: Path
) -> None:
    write(tmp_path)
    made = MODULE + "\nimport functools\nscore = functools.partial(score)\n"
    (tmp_path / "shared_judges.py").write_text(made)
    refused = adjudge("status", cwd=tmp_path)
    assert refused.returncode == 1
    assert refused.stderr == (
        "adjudge: run.yaml:4: judges[0].function: score is no plain function of shared_judges.py, "
        "so shared_judges:score cannot be identified without importing it; make it "
        "self-contained, or add --import if you trust the module\n"
    )
    assert not (tmp_path / "imported").exists()
    assert adjudge("status", "--import", cwd=tmp_path).returncode == 0
    assert (tmp_path / "imported").exists()
