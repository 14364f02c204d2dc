"""Simulations over many strategies, budgets, norms and runs."""

from adjudge.simulate.contenders import CONTENDERS, Contender, Options
from adjudge.simulate.grid import (
    Budget,
    FamilySource,
    Grid,
    RecordedSource,
    Result,
    Row,
    Source,
    WithConstantJudge,
    simulate,
    stream,
)
from adjudge.simulate.parallel import in_parallel
from adjudge.simulate.play import Outcome, play
from adjudge.simulate.summary import Summary, paired_ratio, summarise

__all__ = [
    "CONTENDERS",
    "Budget",
    "Contender",
    "FamilySource",
    "Grid",
    "Options",
    "Outcome",
    "RecordedSource",
    "Result",
    "Row",
    "Source",
    "Summary",
    "WithConstantJudge",
    "in_parallel",
    "paired_ratio",
    "play",
    "simulate",
    "stream",
    "summarise",
]
