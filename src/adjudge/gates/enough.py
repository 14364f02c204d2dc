"""Ends a run by gates: as soon as they hold or are decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adjudge.gates.check import check_gate_of
from adjudge.gates.decide import Outcome, decide
from adjudge.gates.gate import Gate, Kind, parse_gate
from adjudge.records import Item
from adjudge.run import Enough, Interim, Plan, narrow_enough, worth_no_more
from adjudge.run.enough import SPEND_ALL

_FOR_LOOKS = 0.1
"""Share of the error rate for all looks during a run; the final decision gets the rest."""


def level_of_look(confidence: float, look: int) -> float:
    r"""The confidence level of a gate's interval at look i during the run, counted from 1.

    .. math:: 1 - \alpha_i,\qquad \alpha_i = \frac{0.1\,\alpha}{i (i + 1)}

    By the union bound, the probability of a wrong decision at any look is at most
    :math:`0.1\,\alpha`.
    """
    return 1 - _FOR_LOOKS * (1 - confidence) / (look * (look + 1))


def level_at_the_end(confidence: float) -> float:
    """The level of the final decision; it and all looks have a total error of 1 - confidence."""
    return 1 - (1 - _FOR_LOOKS) * (1 - confidence)


def plan_until(
    plan: Plan, until: Sequence[str], *, require: Sequence[Gate] = (), spend_all: bool = False
) -> Plan:
    """The plan with the rule for an early end; refuses gates that cannot be decided.

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
    """The rule for ending a run on these items before its money is spent; None for never.

    The run may end once every gate of `until` holds; without `until`, once every gate of `require`
    is decided. Unless `spend_all`, it may also end once every interval is narrow or, without gates,
    once doubling the spend would hardly help. A required limit of the spend is no reason to end: it
    holds from the beginning.
    """
    if spend_all and not until:
        return None
    require = [gate for gate in require if gate.first.kind is not Kind.SPENT]

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
