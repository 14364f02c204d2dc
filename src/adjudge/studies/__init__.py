"""The paper's experiments, on the public API."""

from adjudge.studies.checkpoint import Checkpoint
from adjudge.studies.consensus import FilterCounts
from adjudge.studies.costs import CostsStudy
from adjudge.studies.findings import findings
from adjudge.studies.outcome import Outcome
from adjudge.studies.recorded import DifferingStudy, RecordedStudy, recorded_studies
from adjudge.studies.recorded_file import RecordedFile
from adjudge.studies.runner import Finished, run_studies
from adjudge.studies.study import Setup, Study
from adjudge.studies.synthetic import SingleStudy, SyntheticStudy

__all__ = [
    "Checkpoint",
    "CostsStudy",
    "DifferingStudy",
    "FilterCounts",
    "Finished",
    "Outcome",
    "RecordedFile",
    "RecordedStudy",
    "Setup",
    "SingleStudy",
    "Study",
    "SyntheticStudy",
    "findings",
    "recorded_studies",
    "run_studies",
]
