"""The live run: real judges, a budget that cannot be exceeded, nothing paid is lost."""

from adjudge.run.dry_run import DryRun, JudgePrice, Preview, dry_run
from adjudge.run.live import Watcher, judge_items
from adjudge.run.plan import Patience, Plan
from adjudge.run.process import run
from adjudge.run.result import End, JudgeSummary, Result
from adjudge.run.stop import Stop, stopping_on_signals

__all__ = [
    "DryRun",
    "End",
    "JudgePrice",
    "JudgeSummary",
    "Patience",
    "Plan",
    "Preview",
    "Result",
    "Stop",
    "Watcher",
    "dry_run",
    "judge_items",
    "run",
    "stopping_on_signals",
]
