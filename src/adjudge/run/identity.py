"""Identity of an answer: the content of judge, prompt and item."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import orjson

from adjudge.core.arrays import BoolArray, IntArray
from adjudge.judges import Judge
from adjudge.records import Item
from adjudge.run.plan import Plan
from adjudge.store import EmptyView, Store, View

Key = tuple[str, bytes]
"""A readable name, and a fingerprint of the content."""
Numbering = Callable[[Sequence[Key]], IntArray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Numbers:
    """The numbers under which a store knows the items and judges of a run."""

    items: tuple[IntArray, ...]
    """The items' numbers as each judge reads them; J arrays of shape (K,)."""
    judges: IntArray
    """Shape (J,)."""
    identity: str
    """A fingerprint of the whole run."""

    @classmethod
    def of(cls, plan: Plan, store: Store) -> Numbers:
        """The numbers in this store; adds items and judges that it does not know yet."""
        return cls._of(plan, store.numbers_of_items, store.numbers_of_judges)

    @classmethod
    def found(cls, plan: Plan, view: View) -> Numbers:
        """The numbers in this ledger; UNKNOWN for items and judges that it does not hold."""
        return cls._of(plan, view.find_items, view.find_judges)

    @classmethod
    def _of(cls, plan: Plan, number_items: Numbering, number_judges: Numbering) -> Numbers:
        judges = [judge_key(judge) for judge in plan.judges]
        whole = hashlib.blake2b(digest_size=16)
        by_reads: dict[frozenset[str] | None, IntArray] = {}
        for judge, (_, fingerprint) in zip(plan.judges, judges, strict=True):
            whole.update(fingerprint)
            if judge.reads not in by_reads:
                keys = item_keys(plan.items, judge.reads)
                whole.update(b"".join(key for _, key in keys))
                by_reads[judge.reads] = number_items(keys)
        return cls(
            items=tuple(by_reads[judge.reads] for judge in plan.judges),
            judges=number_judges(judges),
            identity=whole.hexdigest(),
        )

    def places(self, item: IntArray, judge: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """Rows and columns of the pairs that belong to the run, and the mask of these pairs."""
        row = np.full(item.size, -1)
        column = np.full(item.size, -1)
        for j, (own_number, items) in enumerate(zip(self.judges, self.items, strict=True)):
            here = np.flatnonzero(judge == own_number)
            order = np.argsort(items)
            place = np.searchsorted(items, item[here], sorter=order)
            found = order[np.minimum(place, items.size - 1)]
            known = items[found] == item[here]
            row[here[known]], column[here[known]] = found[known], j
        own: BoolArray = row >= 0
        return row[own], column[own], own


def identity_of(plan: Plan) -> str:
    """A fingerprint of the plan's items, prompts, judges and scale."""
    return Numbers.found(plan, EmptyView()).identity


def judge_key(judge: Judge) -> Key:
    """The judge's name and the fingerprint of its identity; neither holds a secret."""
    return judge.name, _fingerprint(judge.identity.encode())


def item_keys(items: Sequence[Item], reads: frozenset[str] | None) -> list[Key]:
    """Each item's id, and a fingerprint of the id and the fields that a judge reads."""
    keys = []
    for item in items:
        fields = item.fields
        if reads is not None:
            fields = {name: fields[name] for name in reads if name in fields}
        content = orjson.dumps(
            [item.id, fields], default=str, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
        )
        keys.append((item.id, _fingerprint(content)))
    return keys


def _fingerprint(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()
