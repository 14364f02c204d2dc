"""Results to report on: a real run with judges that speak, and results made of arrays."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.core.evidence import Evidence, Moments, Phase
from adjudge.core.problem import Problem
from adjudge.core.strategies import Panel, Strategy
from adjudge.judges import FunctionJudge, Scale
from adjudge.records import Item, Money
from adjudge.report.content import GateLine, ReportContent, content_of, shown_items
from adjudge.run import End, JudgeSummary, Plan, Result, history, ledger_calls, run
from adjudge.store import Balance

NOW = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
SCALE = Scale(low=1, high=10, whole=True)
HOSTILE = "<script>alert(1)</script><!-- </textarea>\u2028 ]]> & \" ' {{ 7 * 7 }}"
"""A text that would do harm wherever it is not escaped."""
PRICES: dict[str, Money] = {"large": 400_000, "small": 50_000, "flatterer": 20_000}


@dataclass
class Speaker:
    """A judge function that gives the item's quality with its own noise, and its reason."""

    name: str
    noise: float
    lost: float = 0.0
    """Chance of an answer without a score."""
    said: Counter[str] = field(default_factory=Counter)

    def __call__(self, item: Item) -> str:
        self.said[item.id] += 1
        key = zlib.crc32(f"{self.name}{item.id}".encode())
        rng = np.random.default_rng([key, self.said[item.id]])
        if self.name == "flatterer":
            return '{"reason": "Wonderful.", "score": 9}'
        if rng.random() < self.lost:
            return "I would rather not say."
        quality = float(str(item.metadata["quality"]))
        score = int(np.clip(round(quality + self.noise * rng.standard_normal()), 1, 10))
        return f'{{"reason": "{self.name} on {item.id}: <b>fair</b>.", "score": {score}}}'


def answers(prompts: int = 20) -> list[Item]:
    """Two systems' answers to the same prompts; the second system's are better by a point."""
    found = [
        Item(
            id=f"q{number:02}-{group}",
            prompt=f"Question {number}?",
            response=f"Answer {number} of {group}.",
            group=group,
            metadata=MappingProxyType({"quality": 3.5 + number % 5 + better}),
        )
        for number in range(prompts)
        for group, better in (("plain", 0.0), ("tuned", 1.0))
    ]
    return [replace(found[0], response=HOSTILE), *found[1:]]


def spoken_plan(strategy: Strategy | None = None, **changes: Any) -> Plan:
    """Three judges on these answers: a good dear one, a noisy cheap one, one that flatters."""
    speakers = [Speaker("large", 0.4), Speaker("small", 1.2, lost=0.1), Speaker("flatterer", 0)]
    settings: dict[str, Any] = {
        "items": answers(),
        "judges": [
            FunctionJudge(one.name, one, scale=SCALE, price=PRICES[one.name]) for one in speakers
        ],
        "scale": SCALE,
        "strategy": strategy or Panel(),
        "confidence": 0.9,
        "keep_texts": True,
    }
    return Plan(**{**settings, **changes})


def spoken_content(
    ledger: Path, *, plan: Plan | None = None, budget: Money = 20_000_000
) -> tuple[ReportContent, Result]:
    """A real run through a ledger, and its report."""
    plan = plan or spoken_plan()
    result = run(plan, ledger, budget=budget, seed=1)
    content = content_of(
        plan.items,
        result,
        title="Plain against tuned",
        now=NOW,
        history=history(plan, ledger),
        calls=ledger_calls(plan, ledger, items=shown_items(plan.items, result)),
        plan=plan,
        gates=[GateLine(text="width < 9", outcome="passed", sentence="they are short")],
    )
    return content, result


def result_of(
    n: npt.ArrayLike,
    mean: npt.ArrayLike,
    *,
    m2: npt.ArrayLike = 0.0,
    strategy: Strategy | None = None,
    norm: float = 2.0,
    scale: Scale = SCALE,
    **changes: Any,
) -> Result:
    """The result of so many scores with these means on the scale 0 to 1; arrays of shape (K, J)."""
    counts = np.asarray(n, np.int64)
    shape = counts.shape
    moments = Moments(
        n=counts,
        mean=np.broadcast_to(np.asarray(mean, float), shape) * (counts > 0),
        m2=np.broadcast_to(np.asarray(m2, float), shape) * (counts > 1),
    )
    problem = Problem.of(
        [1e6 * 2.0**-j for j in range(shape[1])], items=shape[0], confidence=0.9, norm=norm
    )
    nothing = np.zeros(shape, np.int64)
    evidence = Evidence(
        asked=MappingProxyType({Phase.PILOT: nothing, Phase.MAIN: counts}),
        moments=MappingProxyType({Phase.PILOT: Moments.none(*shape), Phase.MAIN: moments}),
    )
    spent = (counts * problem.price_per_call).astype(np.int64)
    whole = int(spent.sum())
    fields: dict[str, Any] = {
        "end": End.DONE,
        "estimate": (strategy or Panel()).estimate(problem, evidence),
        "evidence": evidence,
        "problem": problem,
        "scale": scale,
        "judge_scale": scale,
        "balance": Balance(budget=2 * whole, spent=whole, reserved=0),
        "answered": counts,
        "scored": counts,
        "spent": spent,
        "judges": tuple(
            judge_summary(j, scored=int(counts[:, j].sum()), spent=int(spent[:, j].sum()))
            for j in range(shape[1])
        ),
        "presumed": (),
        "overcharged": (),
        "notes": (),
        "rounds": 1,
        "identity": "0123456789abcdef" * 2,
    }
    return Result(**{**fields, **changes})


def judge_summary(j: int, **changes: Any) -> JudgeSummary:
    scored = changes.get("scored", 0)
    fields: dict[str, Any] = {
        "name": f"judge-{j}",
        "answered": scored,
        "scored": scored,
        "presumed": 0,
        "spent": 0,
        "switched_off": None,
        "rejected_items": (),
        "refusals": {},
    }
    return JudgeSummary(**{**fields, **changes})


def plain_items(count: int, *, groups: Sequence[str] = "") -> list[Item]:
    """Items, in groups of these names in turn; every round of them answers one prompt."""
    size = max(len(groups), 1)
    return [
        Item(
            id=f"item-{k}",
            prompt=f"prompt {k // size}",
            response="An answer.",
            group=groups[k % size] if groups else None,
        )
        for k in range(count)
    ]
