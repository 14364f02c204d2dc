"""`adjudge status`: the progress of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from adjudge.cli.options import (
    RUN_FILE,
    ImportOption,
    ItemsOption,
    JsonOption,
    LimitOption,
    RunFileOption,
    SetOption,
)
from adjudge.cli.project import Project
from adjudge.cli.purse import show_purse
from adjudge.cli.screen import Screen
from adjudge.records import NANO, dollars
from adjudge.report.content import error_of_an_item
from adjudge.report.numbers import count_text
from adjudge.run import Result, Surroundings, standing, surroundings
from adjudge.store import Note, NoteKind


def status_command(
    *,
    config: RunFileOption = RUN_FILE,
    items: ItemsOption = None,
    limit: LimitOption = None,
    settings: SetOption = None,
    imports: ImportOption = False,
    purse: Annotated[
        bool, typer.Option("--purse", help="Show who spent what of the run's shared purse.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the progress of a run, also while it is running; no call is made.

    Example:
        adjudge status -c run.yaml

    """
    project = Project.read(config, items=items, limit=limit, settings=settings, imports=imports)
    if purse:
        show_purse(project.file.ledger, as_json=as_json)
        return
    # In this order: a process notes its end before it leaves the list of processes at work.
    around = surroundings(project.plan, project.file.ledger)
    result = standing(project.plan, project.file.ledger)
    if as_json:
        typer.echo(json.dumps(_plain(result, around)))
        return
    console = Screen()
    balance = result.balance
    if not balance.spent and not balance.reserved and not result.notes:
        console.print("Nothing was asked yet.")
        return
    console.print(
        f"{dollars(balance.spent)} of {dollars(balance.budget)} spent"
        + (
            f", {dollars(balance.reserved)} reserved for calls under way"
            if balance.reserved
            else ""
        )
        + f"; {count_text(int(result.answered.sum()), 'call')} answered."
    )
    for sentence in sentences(result, around):
        console.print(Text(sentence))
    console.print(_table(result))
    for judge in result.judges:
        for number, sentence in enumerate(judge.troubles):
            off = judge.switched_off is not None and number == 0
            about = " is switched off:" if off else ", last call without a score:"
            console.print(Text(f"{judge.name}{about} {sentence}"))
    for note in _worth_telling(result, around)[-5:]:
        moment = datetime.fromtimestamp(note.at).astimezone()
        who = f"{note.judge}: " if note.judge else ""
        console.print(Text(f"{moment:%Y-%m-%d %H:%M}  {who}{note.words}"))


def _worth_telling(result: Result, around: Surroundings) -> list[Note]:
    """The notes worth showing.

    Leaves out kept prices, repeated notes, judges with other settings that were switched off, and
    judges that are off now, which are shown elsewhere.
    """
    off = {(judge.name, judge.switched_off) for judge in result.judges}
    told: list[Note] = []
    for note in result.notes:
        if note.kind is NoteKind.PRICED:
            continue
        if note.kind is NoteKind.SWITCHED_OFF and (
            note.judge_number not in around.judges or (note.judge, note.text) in off
        ):
            continue
        before = told[-1] if told else None
        ends = note.kind is NoteKind.ENDED and before is not None and before.kind is NoteKind.ENDED
        if ends and before is not None and before.call == note.call:
            told.pop()
        told.append(note)
    return told


def _table(result: Result) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("judge")
    for title in ("answered", "with a score", "lost", "refused", "spent"):
        table.add_column(title, justify="right")
    for judge in result.judges:
        table.add_row(
            Text(judge.name),
            f"{judge.answered:,}",
            f"{judge.scored:,}",
            f"{judge.presumed:,}",
            f"{sum(judge.refusals.values()):,}",
            dollars(judge.spent),
        )
    return table


def sentences(result: Result, around: Surroundings) -> Iterator[str]:
    """The processes at work, how the last run ended, and paid calls that do not count."""
    at_work = around.at_work
    if at_work.processes:
        who = count_text(at_work.processes, "process is", "processes are")
        yield f"Now {who} at work, with {count_text(at_work.calls, 'call')} under way."
    if at_work.abandoned:
        yield (
            f"{count_text(at_work.abandoned, 'call was', 'calls were')} under way in a process "
            "that died; the next run presumes them billed."
        )
    if result.balance.debt:
        yield (
            f"Judges billed {dollars(result.balance.debt)} more than the budget allows: no call is "
            "made until it is raised by that much."
        )
    if result.end is not None:
        last = "The last run that ended" if at_work.processes else "It ended"
        yield f"{last}: {result.end_reason}."
    elif not result.begun:
        yield _not_begun(result)
    elif not at_work.processes:
        yield (
            "The last run did not come to its end: it was killed, or is only just starting. "
            "`adjudge run` goes on from here."
        )
    if around.not_counted:
        yield (
            f"Not counted here: {count_text(around.not_counted, 'paid call')} for "
            f"{dollars(around.not_counted_cost)}, about other items, prompts or judges than the "
            "run file has now."
        )
    if result.people is not None:
        labels = count_text(len(result.people.labels), "label")
        scale = "the people's scale" if result.anchored else "the judges' scale"
        yield f"{labels} by people: scores are on {scale}."


def _not_begun(result: Result) -> str:
    answered = int(result.answered.sum())
    if not answered:
        return "No run has begun with this run file as it is now."
    earlier = any(note.kind is NoteKind.BEGUN for note in result.notes)
    source = "a run with other items or judges, or a probe" if earlier else "a probe"
    counts = count_text(answered, "answer counts", "answers count")
    return f"No run has begun with this run file as it is now; {counts} already, from {source}."


def _plain(result: Result, around: Surroundings) -> dict[str, object]:
    balance = result.balance
    return {
        "budget": balance.budget / NANO,
        "spent": balance.spent / NANO,
        "reserved": balance.reserved / NANO,
        "begun": result.begun,
        "at_work": {"processes": around.at_work.processes, "calls": around.at_work.calls},
        "abandoned": around.at_work.abandoned,
        "not_counted": {
            "calls": around.not_counted,
            "spent": around.not_counted_cost / NANO,
        },
        "end": None if result.end is None else result.end.name.lower(),
        "calls": int(result.answered.sum()),
        "error": error_of_an_item(
            result.scale.width * result.estimate.norm_error(),
            items=result.problem.items,
            norm=result.problem.norm,
        ),
        "mean_width": float(result.interval().width.mean()),
        "labels": 0 if result.people is None else len(result.people.labels),
        "target": "people" if result.anchored else "panel",
        "judges": [
            {
                "name": judge.name,
                "answered": judge.answered,
                "scored": judge.scored,
                "presumed": judge.presumed,
                "refused": sum(judge.refusals.values()),
                "spent": judge.spent / NANO,
                "switched_off": judge.switched_off,
                "complaint": None if judge.complaint is None else judge.complaint.sentences,
            }
            for judge in result.judges
        ],
    }
