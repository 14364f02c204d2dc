"""The command line: each command reads, calls one library function, and prints.

This file imports almost nothing, so that the version and the help appear at once. `program.py` has
the program itself, and imports only the command that was named.
"""

from __future__ import annotations

import os
import sys

from adjudge.cli.ending import carried_out, exit_code
from adjudge.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

COMMANDS = {
    "init": "adjudge.cli.init:init_command",
    "check": "adjudge.cli.check:check_command",
    "plan": "adjudge.cli.plan:plan_command",
    "run": "adjudge.cli.run:run_command",
    "work": "adjudge.cli.work:work_command",
    "status": "adjudge.cli.status:status_command",
    "report": "adjudge.cli.report:report_command",
    "label": "adjudge.cli.label:label_command",
    "export": "adjudge.cli.export:export_command",
    "demo": "adjudge.cli.demo:demo_command",
    "prices": "adjudge.cli.prices:prices_command",
    "simulate": "adjudge.cli.simulate:simulate_command",
    "ledger": "adjudge.cli.ledger:app",
    "reproduce": "adjudge.cli.reproduce:app",
}
"""Every command, in the order of the help, and where to import it from."""

SUMMARIES = {
    "init": "Write a commented run file and sample items.",
    "check": "Check the run file, every item and prompt, the budget, keys, endpoints and models.",
    "plan": "Show what budgets would buy with the run file's strategy, given the calls made so"
    " far.",
    "run": "Score the items within the budget; continue where an earlier run stopped.",
    "work": "Make calls of a run that another machine plans, until it ends.",
    "status": "Show the progress of a run, also while it is running; no call is made.",
    "report": "Write the results as one HTML file; no call is made.",
    "label": "Draw the items most worth labelling by people, and import their labels.",
    "export": "Write items with scores and intervals, calls with costs, or judges; nothing is"
    " spent.",
    "demo": "Score 64 answers with four simulated judges, over real HTTP and for simulated"
    " dollars.",
    "prices": "Show the public prices used for judges without prices of their own.",
    "simulate": "Compare strategies on instances whose true scores are known.",
    "ledger": "Check, repair, copy and share the ledger, which holds every call.",
    "reproduce": "Redo the paper's experiments: figures, data points, and findings in words.",
}
"""The first line of each command's help, so that the overview need not import the command."""

ABOUT = "Spend a fixed budget of LLM-judge calls where it buys the most accuracy."

_USAGE = 2
_HELP = f"""\
Usage: adjudge COMMAND [OPTIONS] [ARGUMENTS]

{ABOUT}

Commands:
{{commands}}

Options:
  --version             Print the version.
  --install-completion  Let the shell complete commands and options.
  --show-completion     Print what --install-completion would install.
  --help                Print this; after a command, what the command takes.
"""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the program and end the process; an error prints one sentence, never a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(exit_code(lambda: _answered(given)))


def _answered(given: Sequence[str]) -> int:
    if given == ["--version"]:
        print(f"adjudge {__version__}")
        return 0
    if given == ["--help"] or not (given or "_ADJUDGE_COMPLETE" in os.environ):
        print(help_text(), end="")
        return 0 if given else _USAGE
    return carried_out(given)


def help_text() -> str:
    """The text that `adjudge --help` prints."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {SUMMARIES.get(name, '')}".rstrip() for name in COMMANDS]
    return _HELP.format(commands="\n".join(lines))
