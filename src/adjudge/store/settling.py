"""What settlements do to the purse: pure arithmetic on rows."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.records import Cost, Money
from adjudge.store.checksum import storable, text_sum
from adjudge.store.entries import State
from adjudge.store.purse import Purse
from adjudge.store.rows import Row
from adjudge.store.store import Settlement

LARGEST_DEBT = 2**62
"""More debt than a column holds is a debt like any other that no budget can bear."""


def charged_rows(
    purse: Purse, before: Sequence[Row], settlements: Sequence[Settlement]
) -> tuple[Purse, list[Row]]:
    """The purse and the rows after these calls have ended, with what they claim still owed.

    Each is charged at most its reservation; what it claims above that is a debt, for `pay_debts`.
    """
    spent, reserved, debt = purse.spent, purse.reserved, purse.debt
    after = []
    for row, ended in zip(before, settlements, strict=True):
        amount = row.reserved
        if row.state == State.RESERVED:
            reserved -= amount
        else:  # others took it for lost and charged it
            spent -= row.charged
        if ended.state is State.REFUSED:
            charged = excess = 0
        else:
            claimed = amount if ended.cost is None else ended.cost.total
            charged = min(claimed, amount)
            excess = min(claimed - charged, LARGEST_DEBT - debt)
        spent += charged
        debt += excess
        after.append(_ended(row, ended, charged, excess))
    return purse._replace(spent=spent, reserved=reserved, debt=debt), after


def pay_debts(purse: Purse, rows: Sequence[Row]) -> tuple[Purse, list[Row]]:
    """The purse and the rows after what is free has paid what they owe, the first ones first."""
    free, paid = purse.free, 0
    after = []
    for row in rows:
        owed = row.excess or 0
        part = min(owed, free - paid)
        paid += part
        after.append(
            row._replace(charged=row.charged + part, excess=owed - part or None) if part else row
        )
    return purse._replace(spent=purse.spent + paid, debt=purse.debt - paid), after


def _ended(row: Row, ended: Settlement, charged: Money, excess: Money) -> Row:
    return Row(
        row.id,
        row.sum,
        row.item,
        row.judge,
        row.phase,
        None if ended.state is State.REFUSED else row.ordinal,
        ended.state.value,
        None if ended.reason is None else ended.reason.value,
        charged,
        _output(ended.cost, charged + excess),
        ended.score,
        row.rest,
        row.owner,
        row.reserved,
        excess or None,
        ended.prompt_tokens,
        ended.cached_tokens,
        ended.written_tokens,
        ended.output_tokens,
        row.at,
        None if ended.text is None else text_sum(storable(ended.text)),
        None if ended.detail is None else storable(ended.detail),
    )


def _output(cost: Cost | None, claimed: Money) -> Money | None:
    return None if cost is None else min(cost.output, claimed)
