"""The exit codes, and how gates decide them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import typer

from adjudge.gates import (
    Decision,
    Gate,
    Outcome,
    check_gate_of,
    decide,
    level_at_the_end,
    parse_gate,
)
from adjudge.records import Item
from adjudge.run import Plan, Result


class Exit(IntEnum):
    """Exit codes that scripts can rely on."""

    DONE = 0
    ERROR = 1
    USAGE = 2
    GATE_FAILED = 3
    GATE_INCONCLUSIVE = 4
    INTERRUPTED = 130
    """Exit code of shells for Ctrl-C (128 + SIGINT)."""


def parse_gates(texts: Sequence[str] | None) -> list[Gate]:
    """The gates, parsed before anything is spent."""
    return [parse_gate(text) for text in texts or ()]


def check_gates(gates: Sequence[Gate], plan: Plan) -> None:
    """Refuse gates that these items cannot decide, before anything is spent."""
    for gate in gates:
        check_gate_of(gate, plan)


def decide_gates(gates: Sequence[Gate], result: Result, items: Sequence[Item]) -> list[Decision]:
    """The decision on each gate; the same from every command.

    Looks during a run may have used up their part of the error rate.
    """
    level = level_at_the_end(result.problem.confidence)
    return [decide(gate, result, items, level=level) for gate in gates]


def end_by(decisions: Sequence[Decision], otherwise: Exit = Exit.DONE) -> None:
    """End the program with the gates' exit code; a failed gate outranks an inconclusive one.

    After an interruption, an inconclusive gate says nothing about the budget and does not count.
    """
    outcomes = {decision.outcome for decision in decisions}
    code = otherwise
    if Outcome.FAILED in outcomes:
        code = Exit.GATE_FAILED
    elif Outcome.INCONCLUSIVE in outcomes and otherwise is not Exit.INTERRUPTED:
        code = Exit.GATE_INCONCLUSIVE
    raise typer.Exit(code)
