"""Checks that a gate can be decided, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.strategies import Panel
from adjudge.errors import InputError
from adjudge.gates.gate import ANCHORED, PANEL, WITH_PEOPLE, Gate, Kind, Quantity
from adjudge.judges import Scale
from adjudge.records import Item
from adjudge.run import Plan


def check_gate_of(gate: Gate, plan: Plan) -> None:
    """Refuse a gate that this plan cannot decide."""
    check_gate(gate, plan.items, plan.score_scale)
    if gate.first.kind in WITH_PEOPLE:
        _check_people(gate, plan)


def check_gate(gate: Gate, items: Sequence[Item], scale: Scale) -> None:
    """Refuse a gate about items that do not exist, or with a bound that no value can reach."""
    if gate.first.kind in {Kind.MEAN, Kind.SCORE}:
        sides(gate, items)
    lowest, highest = _range(gate, scale)
    if not lowest <= gate.bound <= highest and not (gate.within and 0 <= gate.bound <= highest):
        raise InputError(
            f"gate {gate.text!r}",
            f"{gate.measured} cannot be {gate.bound:g}",
            f"give a bound from {lowest:g} to {highest:g}",
        )


def _check_people(gate: Gate, plan: Plan) -> None:
    who = gate.first.who
    if plan.people is None:
        raise InputError(
            f"gate {gate.text!r}", "nobody has labelled an item", "give labels, as labels: file.csv"
        )
    if not isinstance(plan.strategy, Panel):
        raise InputError(
            f"gate {gate.text!r}", "this strategy does not estimate it", "use the panel strategy"
        )
    known = [PANEL, ANCHORED, *(judge.name for judge in plan.judges)]
    if who not in known:
        raise InputError(
            f"gate {gate.text!r}", f"there is no {who!r}", f"name one of {', '.join(known)}"
        )


def sides(gate: Gate, items: Sequence[Item]) -> tuple[BoolArray, BoolArray | None]:
    """The items of the first quantity, and those of the second or None; each of shape (K,)."""
    first = _chosen(gate, gate.first, items)
    if gate.second is None:
        return first, None
    second = _chosen(gate, gate.second, items)
    if (first & second).any():
        both = items[int(np.flatnonzero(first & second)[0])].id
        raise InputError(
            f"gate {gate.text!r}",
            f"item {both!r} is on both sides",
            "compare items that do not overlap",
        )
    return first, second


def _range(gate: Gate, scale: Scale) -> tuple[float, float]:
    """The smallest and largest possible value of the measured quantity."""
    if gate.first.kind is Kind.SPENT:
        return 0.0, np.inf
    if gate.first.kind is Kind.WIDTH:
        return 0.0, scale.width
    if gate.first.kind is Kind.AGREEMENT:
        return -1.0, 1.0
    if gate.first.kind is Kind.BIAS:
        return -scale.width, scale.width
    return (scale.low, scale.high) if gate.second is None else (-scale.width, scale.width)


def _chosen(gate: Gate, quantity: Quantity, items: Sequence[Item]) -> BoolArray:
    """The items of the quantity; shape (K,)."""
    chosen: BoolArray = np.ones(len(items), bool)
    for field, value in quantity.where:
        name = "id" if field == "item" else field
        held = [item.fields.get(name) for item in items]
        chosen &= np.array([one is not None and str(one) == value for one in held], bool)
        if not chosen.any():
            known = sorted({str(one) for one in held if one is not None})
            if not known:
                names = sorted({name for item in items for name in item.fields})
                raise InputError(
                    f"gate {gate.text!r}",
                    f"no item has a field {field!r} at all",
                    f"there are {_some(names)}",
                )
            raise InputError(
                f"gate {gate.text!r}",
                f"no item has {field}={value}",
                f"there are {field} = {_some(known)}",
            )
    return chosen


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
