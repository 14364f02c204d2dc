"""Score items with judges for a budget, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, cast

from adjudge.config import RunFile, run_file_of
from adjudge.dataset import items_of, read_items
from adjudge.errors import InputError
from adjudge.evaluation.evaluation import Evaluation
from adjudge.evaluation.running import run_anywhere, run_here
from adjudge.gates import plan_until
from adjudge.judges import FunctionJudge, Judge, Scale, SimulatedJudge
from adjudge.judges.function import JudgeFunction
from adjudge.records import Item
from adjudge.run import Plan, Watcher, identity_of

Items: TypeAlias = str | Path | Iterable[Item | Mapping[str, object]]
"""A file of items, or items, or mappings with their fields."""
JudgeSpec: TypeAlias = Judge | Mapping[str, object]
"""A judge, or the settings of one as a run file has them."""

_FOLDER = Path(".adjudge")
"""Where ledgers are kept unless another place is named."""


def evaluate(
    items: Items,
    judges: Sequence[JudgeSpec],
    *,
    budget: float | str,
    ledger: str | Path | None = None,
    watch: Watcher | None = None,
    **settings: object,
) -> Evaluation:
    """Score the items within the budget in dollars; works in scripts and in notebooks.

    Judges are given as a run file has them (`{"model": "openai/gpt-4o-mini", "prices": {...}}`), as
    a function with its price (`{"function": my_function, "price_per_call": 0.001}`), or as objects
    with the methods of `adjudge.judges.Judge`. `settings` are any other keys of a run file, as
    `scale="1..5"`, `criteria="..."`, `confidence=0.9` or `seed=1`.

    Everything paid is kept in the ledger: the same call again finds it there and spends nothing,
    with a larger budget it buys more. Without a name the ledger is in the folder `.adjudge`, one
    for each set of items, judges and scale. `watch` hears of the progress.
    """
    job = _Job.of(items, judges, budget, ledger, settings)
    result = run_anywhere(
        job.plan, job.ledger, budget=job.file.budget, seed=job.file.seed, watch=watch
    )
    return Evaluation(items=job.plan.items, plan=job.plan, result=result, ledger=job.ledger)


async def evaluate_async(
    items: Items,
    judges: Sequence[JudgeSpec],
    *,
    budget: float | str,
    ledger: str | Path | None = None,
    watch: Watcher | None = None,
    **settings: object,
) -> Evaluation:
    """As `evaluate`, for a caller with an event loop."""
    job = _Job.of(items, judges, budget, ledger, settings)
    result = await run_here(
        job.plan, job.ledger, budget=job.file.budget, seed=job.file.seed, watch=watch
    )
    return Evaluation(items=job.plan.items, plan=job.plan, result=result, ledger=job.ledger)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """What is to be run, and where it is kept."""

    file: RunFile
    plan: Plan
    ledger: Path

    @classmethod
    def of(
        cls,
        items: Items,
        judges: Sequence[JudgeSpec],
        budget: float | str,
        ledger: str | Path | None,
        settings: Mapping[str, object],
    ) -> _Job:
        """Everything checked; nothing opened or spent."""
        file = _run_file(judges, budget, settings)
        read = read_items(items) if isinstance(items, str | Path) else items_of(items)
        plan = plan_until(file.plan(read), file.until, spend_all=file.spend_all)
        return cls(
            file=file, plan=plan, ledger=_own_ledger(plan) if ledger is None else Path(ledger)
        )


def _run_file(
    judges: Sequence[JudgeSpec], budget: float | str, settings: Mapping[str, object]
) -> RunFile:
    described = [_is_described(judge) for judge in judges]
    places = [
        dict(judge) if known and isinstance(judge, Mapping) else _place_of(judge)
        for judge, known in zip(judges, described, strict=True)
    ]
    values = {**settings, "items": "-", "budget": budget, "judges": places}
    file = run_file_of(values, name="evaluate", folder=Path.cwd())
    ready = tuple(
        made if known else _ready(judge, made, file.scale)
        for judge, known, made in zip(judges, described, file.judges, strict=True)
    )
    return replace(file, judges=ready)


def _is_described(judge: JudgeSpec) -> bool:
    """Whether a run file could say this."""
    return isinstance(judge, Mapping) and not callable(judge.get("function"))


def _place_of(judge: JudgeSpec) -> dict[str, object]:
    """Settings that stand for a judge of which a run file could not tell."""
    if isinstance(judge, Mapping):
        given = {key: value for key, value in judge.items() if key != "function"}
        return {"kind": "simulated", "name": _function_name(judge), **given}
    return {"kind": "simulated", "name": judge.name, "price_per_call": 1}


def _ready(judge: JudgeSpec, place: Judge, scale: Scale) -> Judge:
    """The judge itself, or the one that asks its function."""
    if not isinstance(judge, Mapping):
        return judge
    assert isinstance(place, SimulatedJudge)
    function = cast("JudgeFunction", judge["function"])
    return FunctionJudge(place.name, function, scale=scale, price=place.price, limits=place.limits)


def _function_name(judge: Mapping[str, object]) -> str:
    return str(judge.get("name") or getattr(judge["function"], "__name__", "function"))


def _own_ledger(plan: Plan) -> Path:
    """The ledger of these items, judges and scale, in a folder that version control ignores."""
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
