"""Score items with judges for a budget, from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

from adjudge.config import RunFile, run_file_of
from adjudge.core.strategies import Strategy
from adjudge.errors import InputError
from adjudge.evaluation.evaluation import Evaluation
from adjudge.evaluation.items import Items, read
from adjudge.evaluation.judge_specs import JudgeSpec, JudgeSpecs
from adjudge.evaluation.labels import GivenLabels, Labels
from adjudge.evaluation.running import Outcome, run_anywhere, run_here
from adjudge.gates import plan_until
from adjudge.judges import Scale
from adjudge.records import Item
from adjudge.run import People, Plan, Watcher, identity_of, label_reading
from adjudge.run.frozen_prices import listed_prices_of
from adjudge.store import Address, ledger_address, there_is_none

_FOLDER = Path(".adjudge")
"""The default folder for ledgers."""


def evaluate(
    items: Items,
    judges: Sequence[JudgeSpec],
    *,
    budget: float | str,
    ledger: str | Path | None = None,
    price_per_call: float | str | None = None,
    scale: Scale | str | Mapping[str, object] | None = None,
    strategy: Strategy | str | Mapping[str, object] | None = None,
    labels: Labels | None = None,
    watch: Watcher | None = None,
    **settings: object,
) -> Evaluation:
    """Score the items within the budget in dollars; works in scripts and in notebooks.

    Items are mappings, `Item`s, a polars or pandas data frame, or the path of a file.

    A judge is a mapping as in a run file (`{"model": "openai/gpt-4o-mini"}`), a function of an
    item, alone or with its settings (`{"function": my_function, "price_per_call": 0.001}`), or an
    object with the methods of `adjudge.judges.Judge`. `price_per_call` is the price of functions
    without their own. A budget cannot limit free calls, so a function given alone without any price
    counts as $0.001 per call.

    `scale` is an `adjudge.Scale` or a value as in a run file. `strategy` is an object with the
    methods of `adjudge.core.strategies.Strategy` or a value as in a run file. `labels` are people's
    labels of some items: a mapping of ids to labels, rows or a data frame with `item`, `label` and
    optionally `rater`, the path of a file, or a value as in a run file. They are added to those in
    the items' column `label`, and put the scores on the people's scale. `settings` are any other
    keys of a run file, such as `criteria="..."`, `confidence=0.9` or `seed=1`.

    Every paid answer is kept in the ledger. The same call again finds them there and spends
    nothing, a larger budget buys more, and a budget below the money already spent returns the
    scores so far. By default the ledger is in the folder `.adjudge`, with one file for each set of
    items, judges and scale. `watch` is called with the progress.
    """
    asked = _Asked(scale=scale, strategy=strategy, labels=GivenLabels.of(labels), settings=settings)
    specs = JudgeSpecs.of(judges, price_per_call)
    job = _Job.of(items, specs, budget, ledger, asked)
    return job.evaluation(
        run_anywhere(job.plan, job.ledger, budget=job.file.budget, seed=job.file.seed, watch=watch)
    )


async def evaluate_async(
    items: Items,
    judges: Sequence[JudgeSpec],
    *,
    budget: float | str,
    ledger: str | Path | None = None,
    price_per_call: float | str | None = None,
    scale: Scale | str | Mapping[str, object] | None = None,
    strategy: Strategy | str | Mapping[str, object] | None = None,
    labels: Labels | None = None,
    watch: Watcher | None = None,
    **settings: object,
) -> Evaluation:
    """Like `evaluate`, for a caller with an event loop."""
    asked = _Asked(scale=scale, strategy=strategy, labels=GivenLabels.of(labels), settings=settings)
    specs = JudgeSpecs.of(judges, price_per_call)
    job = _Job.of(items, specs, budget, ledger, asked)
    return job.evaluation(
        await run_here(
            job.plan, job.ledger, budget=job.file.budget, seed=job.file.seed, watch=watch
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The caller's other arguments, as objects or as values of a run file."""

    scale: Scale | str | Mapping[str, object] | None
    strategy: Strategy | str | Mapping[str, object] | None
    labels: GivenLabels
    settings: Mapping[str, object]

    def words(self) -> dict[str, object]:
        """The arguments as keys of a run file, without a strategy object."""
        words = dict(self.settings)
        if self.scale is not None:
            words["scale"] = _scale_words(self.scale)
        if self.strategy is not None and not _is_strategy(self.strategy):
            words["strategy"] = self.strategy
        if self.labels.words is not None:
            words["labels"] = self.labels.words
        return words

    def applied_to(self, file: RunFile) -> RunFile:
        """The run file with the strategy object, which a file cannot hold."""
        if isinstance(self.scale, Scale) and file.scale != self.scale:
            raise InputError("scale", f"{self.scale}", "make labels with Scale.of_labels({...})")
        if not _is_strategy(self.strategy):
            return file
        return replace(
            file,
            strategy=self.strategy,
            strategy_name=type(self.strategy).__name__,
            labels=replace(file.labels, count=False),
        )

    def people(self, file: RunFile, items: Sequence[Item]) -> People | None:
        """People's labels of these items from the caller; None if there are none."""
        return file.labels.people(items, some=False, imported=False, rows=self.labels.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """What to run, and where to keep the ledger."""

    file: RunFile
    plan: Plan
    ledger: Address
    remarks: tuple[str, ...]

    @classmethod
    def of(
        cls,
        items: Items,
        specs: JudgeSpecs,
        budget: float | str,
        ledger: str | Path | None,
        asked: _Asked,
    ) -> _Job:
        """The checked job; nothing is opened or spent."""
        words: dict[str, object] = {
            **asked.words(),
            "items": "-",
            "budget": budget,
            "judges": specs.sections(),
        }
        file = _file(words, specs, asked)
        found = read(items, label_reading(file.labels.scale))
        plan = _plan(file, found, asked)
        path = _own_ledger(plan) if ledger is None else ledger_address(ledger)
        if any(listed_prices_of(judge) for judge in plan.judges) and not there_is_none(path):
            # The ledger may hold the prices of its first run.
            words["ledger"] = str(path.resolve() if isinstance(path, Path) else path)
            file = _file(words, specs, asked)
            plan = _plan(file, found, asked)
        return cls(file=file, plan=plan, ledger=path, remarks=specs.remarks)

    def evaluation(self, outcome: Outcome) -> Evaluation:
        """The result for the caller."""
        return Evaluation(
            items=self.plan.items,
            plan=self.plan,
            result=outcome.result,
            ledger=self.ledger,
            strategy=self.file.strategy_name,
            remarks=(*outcome.remarks, *self.remarks),
        )


def _file(words: Mapping[str, object], specs: JudgeSpecs, asked: _Asked) -> RunFile:
    file = asked.applied_to(run_file_of(words, name="evaluate", folder=Path.cwd()))
    return replace(file, judges=specs.ready(file.judges, file.scale))


def _plan(file: RunFile, items: Sequence[Item], asked: _Asked) -> Plan:
    plan = file.plan(items, asked.people(file, items))
    return plan_until(plan, file.until, spend_all=file.spend_all)


def _scale_words(scale: Scale | str | Mapping[str, object]) -> object:
    if not isinstance(scale, Scale):
        return scale
    if scale.labels:
        return {"labels": dict(scale.labels)}
    return {"low": scale.low, "high": scale.high, "whole": scale.whole}


def _is_strategy(strategy: object) -> TypeGuard[Strategy]:
    return hasattr(strategy, "next_batch") and hasattr(strategy, "estimate")


def _own_ledger(plan: Plan) -> Path:
    """The default ledger of these items, judges and scale, in a folder that git ignores."""
    try:
        _FOLDER.mkdir(exist_ok=True)
        (_FOLDER / ".gitignore").write_text("*\n")
    except OSError as error:
        raise InputError(
            "ledger",
            f"the folder {_FOLDER.resolve()} cannot be written ({error.strerror})",
            'name a file, as ledger="scores.sqlite"',
        ) from error
    return _FOLDER / f"{identity_of(plan)[:16]}.ledger.sqlite"
