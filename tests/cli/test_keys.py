"""Keys appear nowhere: not in the ledger, the report, the exports or on the terminal."""

import base64
import json

from tests.cli.conftest import Run
from tests.cli.project import SECRET, ProjectFolder

TENANT = "tenant-5f2c99aa"
LOGIN = "someone77:password77"
CODED = base64.b64encode(LOGIN.encode()).decode()


def telling(model: str, prompt: str, number: int) -> str:
    """An endpoint that repeats everything it was sent, in several forms."""
    sent = f"POST /{TENANT}/v1 Authorization: Bearer {SECRET} X-Login: Basic {CODED}"
    forms = [sent, LOGIN, sent.upper(), sent[::-1], base64.b64encode(sent.encode()).decode()]
    return json.dumps({"reason": " ".join(forms), "score": 1 + (len(prompt) + number) % 9})


def test_an_endpoint_that_repeats_keys_brings_them_nowhere(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.server.answer = telling
    judge = project.judge(
        "large",
        base_url=project.server.url.replace("/v1", "/${TENANT}/v1"),
        headers={"X-Login": "Basic ${LOGIN}"},
        max_tokens=600,
    )
    project.write_run_file(judges=[judge], budget=0.1)
    env = project.env | {"TENANT": TENANT, "LOGIN": CODED}
    commands = (
        ["run", "--json"],
        ["report", "--json"],
        ["export", "calls", "-o", "calls.csv"],
    )
    told = ""
    for command in commands:
        done = adjudge(*command, cwd=project.path, env=env)
        assert done.returncode == 0, done.stderr
        told += done.stdout + done.stderr
    assert "[secret]" in (project.path / "calls.csv").read_text()
    told += "".join(file.read_bytes().decode("latin-1") for file in project.path.iterdir())
    parts = (SECRET, TENANT, CODED.rstrip("="), *LOGIN.split(":"))
    for part in parts:
        hidden = base64.b64encode(b"  " + part.encode()).decode()[4:-4]
        for form in (part, part[::-1], hidden):
            assert form.lower() not in told.lower()
