"""Ending a run by gates: as soon as they hold, or are decided for sure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adjudge.gates.check import check_gate_of
from adjudge.gates.decide import Outcome, decide
from adjudge.gates.gate import Gate, parse_gate
from adjudge.records import Item
from adjudge.run import Enough, Interim, Plan, narrow_enough, worth_no_more
from adjudge.run.enough import SPEND_ALL

_FOR_LOOKS = 0.1
"""Share of the error rate that is spent on all looks during a run; the final decision has the
rest."""


def level_of_look(confidence: float, look: int) -> float:
    r"""The level at which a gate is decided at a look during the run, the first counted as 1.

    .. math:: 1 - \alpha_i,\qquad \alpha_i = \frac{0.1\,\alpha}{i (i + 1)}

    Summed over all looks, however many, the chance of a wrong decision is at most
    :math:`0.1\,\alpha`, by the union bound.
    """
    return 1 - _FOR_LOOKS * (1 - confidence) / (look * (look + 1))


def level_at_the_end(confidence: float) -> float:
    """The level of the last decision; with all looks before it the error is 1 - confidence."""
    return 1 - (1 - _FOR_LOOKS) * (1 - confidence)


def plan_until(
    plan: Plan, until: Sequence[str], *, require: Sequence[Gate] = (), spend_all: bool = False
) -> Plan:
    """The plan, which may end before its money is spent; gates that cannot be decided are refused.

    `until` are the texts of gates; see `enough_by`.
    """
    gates = [parse_gate(text, of="until") for text in until]
    for gate in (*gates, *require):
        check_gate_of(gate, plan)
    enough = enough_by(plan.items, until=gates, require=require, spend_all=spend_all)
    return replace(plan, enough=enough)


def enough_by(
    items: Sequence[Item],
    *,
    until: Sequence[Gate] = (),
    require: Sequence[Gate] = (),
    spend_all: bool = False,
) -> Enough | None:
    """When a run about these items may end before its money is spent; None for never.

    It may end once every gate of `until` holds; without these, once every gate of `require` is
    decided; and, unless all is to be spent, once every interval is narrow. Without any gate it may
    also end once twice the money would buy next to nothing.
    """
    if spend_all and not until:
        return None

    def enough(interim: Interim) -> str | None:
        if until:
            if _all(until, interim, items, {Outcome.PASSED}):
                return f"{_named(until)} holds" if len(until) == 1 else f"{_named(until)} hold"
        elif require and _all(require, interim, items, {Outcome.PASSED, Outcome.FAILED}):
            are = "is" if len(require) == 1 else "are"
            return f"{_named(require)} {are} decided ({SPEND_ALL})"
        if spend_all:
            return None
        return narrow_enough(interim) if until or require else worth_no_more(interim)

    return enough


def _all(
    gates: Sequence[Gate], interim: Interim, items: Sequence[Item], outcomes: set[Outcome]
) -> bool:
    level = level_of_look(interim.result.problem.confidence, interim.look)
    return all(
        decide(gate, interim.result, items, level=level).outcome in outcomes for gate in gates
    )


def _named(gates: Sequence[Gate]) -> str:
    return " and ".join(f"`{gate.text}`" for gate in gates)
