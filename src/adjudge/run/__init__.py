"""The live run: real judges, a hard budget, and a ledger that keeps every paid answer."""

from adjudge.run.afford import check_budget
from adjudge.run.availability import unavailable_judges
from adjudge.run.dry_run import DryRun, JudgePrice, Preview, dry_run
from adjudge.run.enough import Enough, Interim, narrow_enough, worth_no_more
from adjudge.run.identity import identity_of
from adjudge.run.label_reading import label_reading
from adjudge.run.live import judge_items
from adjudge.run.people import People, Sampling
from adjudge.run.plan import Patience, Plan
from adjudge.run.probed import Probe
from adjudge.run.process import probe, run, work
from adjudge.run.progress import Progress, Watcher
from adjudge.run.result import Complaint, End, JudgeSummary, Result
from adjudge.run.standing import (
    LedgerCall,
    Moment,
    Surroundings,
    history,
    ledger_calls,
    standing,
    surroundings,
)
from adjudge.run.stop import Stop, stopping_on_signals

__all__ = [
    "Complaint",
    "DryRun",
    "End",
    "Enough",
    "Interim",
    "JudgePrice",
    "JudgeSummary",
    "LedgerCall",
    "Moment",
    "Patience",
    "People",
    "Plan",
    "Preview",
    "Probe",
    "Progress",
    "Result",
    "Sampling",
    "Stop",
    "Surroundings",
    "Watcher",
    "check_budget",
    "dry_run",
    "history",
    "identity_of",
    "judge_items",
    "label_reading",
    "ledger_calls",
    "narrow_enough",
    "probe",
    "run",
    "standing",
    "stopping_on_signals",
    "surroundings",
    "unavailable_judges",
    "work",
    "worth_no_more",
]
