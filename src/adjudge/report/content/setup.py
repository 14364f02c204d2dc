"""How judges were asked: criteria, prompts, models, settings and prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.judges import Describes, Description, Judge, Message, Price
from adjudge.records import Item
from adjudge.report.content.texts import cut, cut_name
from adjudge.report.numbers import count_text
from adjudge.run import Plan

_LONGEST = 20_000
"""Most bytes of a page for one text."""
_MOST_PROMPTS = 8
"""Most different prompts shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSetup:
    """One judge: its model, settings and prices."""

    name: str
    kind: str
    weight: float
    """The judge's share in the panel's score."""
    settings: tuple[tuple[str, str], ...]
    """Name and value of each setting."""
    prices: tuple[Price, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptShown:
    """A prompt, and the judges that get it."""

    judges: tuple[str, ...]
    criteria: str
    """The judges' criteria; empty if unknown."""
    templates: tuple[Message, ...]
    messages: tuple[Message, ...]
    """The messages that are sent about one item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How the judges were asked."""

    settings: tuple[str, ...] = ()
    """Settings of the whole run, one sentence each."""
    judges: tuple[JudgeSetup, ...] = ()
    item: str = ""
    """The item in the prompts shown."""
    prompts: tuple[PromptShown, ...] = ()
    prompts_left_out: int = 0


def setup_of(plan: Plan | None, *, run_seed: int | None = None) -> Setup:
    """All that is known of how a plan asks its judges; empty without a plan."""
    if plan is None:
        return Setup()
    item = plan.items[0]
    described = [(judge, _description(judge, item)) for judge in plan.judges]
    weights = plan.weights or [1.0] * len(described)
    prompts = _prompts(described)
    return Setup(
        settings=_run_settings(plan, run_seed),
        judges=tuple(
            JudgeSetup(
                name=judge.name,
                kind=found.kind,
                weight=weight / sum(weights),
                settings=tuple((name, cut(text, _LONGEST)) for name, text in found.settings),
                prices=found.prices,
            )
            for (judge, found), weight in zip(described, weights, strict=True)
        ),
        item=cut_name(item.id),
        prompts=prompts[:_MOST_PROMPTS],
        prompts_left_out=max(len(prompts) - _MOST_PROMPTS, 0),
    )


def _description(judge: Judge, item: Item) -> Description:
    if isinstance(judge, Describes):
        return judge.describe(item)
    return Description(
        kind=type(judge).__name__, messages=(Message("preview", judge.preview(item)),)
    )


def _prompts(described: Sequence[tuple[Judge, Description]]) -> tuple[PromptShown, ...]:
    """Each different prompt once, with the judges that get it."""
    told: dict[tuple[object, ...], list[str]] = {}
    for judge, found in described:
        if found.messages:
            key = found.criteria, found.templates, found.messages
            told.setdefault(key, []).append(judge.name)
    first = {judge.name: found for judge, found in described}
    return tuple(
        PromptShown(
            judges=tuple(names),
            criteria=cut(first[names[0]].criteria, _LONGEST),
            templates=_cut(first[names[0]].templates),
            messages=_cut(first[names[0]].messages),
        )
        for names in told.values()
    )


def _cut(messages: Sequence[Message]) -> tuple[Message, ...]:
    return tuple(Message(one.role, cut(one.text, _LONGEST)) for one in messages)


def _run_settings(plan: Plan, seed: int | None) -> tuple[str, ...]:
    again = (
        f"is followed by at most {count_text(plan.ask_again, 'other')} about the same item."
        if plan.ask_again
        else "is not asked for again."
    )
    kept = "is kept" if plan.keep_texts else "is not kept"
    drawn = () if seed is None else (f"Random choices begin with the seed {seed}.",)
    return (
        *_strategy_options(plan),
        *drawn,
        f"An answer without a score {again}",
        f"What judges write {kept}.",
    )


def _strategy_options(plan: Plan) -> tuple[str, ...]:
    strategy = plan.strategy
    # A user's own strategy need not be a dataclass. Class variables are not options.
    slots = getattr(strategy, "__dataclass_fields__", {}).values()
    given = {
        one.name: getattr(strategy, one.name) for one in slots if "ClassVar" not in str(one.type)
    }
    if isinstance(given.get("judge"), int):
        given["judge"] = plan.judges[given["judge"]].name
    told = ", ".join(f"{name} = {value}" for name, value in given.items())
    return (f"Options of the strategy: {told}.",) if told else ()
