"""The judges of a run file together, and the strategy that asks them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.config.build_judges import JudgeMaker, judge_name
from adjudge.config.judge_sections import JudgeSection
from adjudge.config.mistakes import KeyPath, Mistakes
from adjudge.core.strategies import Strategy
from adjudge.judges import Judge


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadPanel:
    """The judges, their weights, and the strategy."""

    judges: tuple[Judge, ...]
    weights: tuple[float, ...]
    strategy: Strategy


def read_panel(sections: Sequence[tuple[int, JudgeSection]], maker: JudgeMaker) -> ReadPanel | None:
    """The panel of these judges, each with its index in the file; None if something is wrong."""
    mistakes, names = maker.mistakes, [judge_name(section) for _, section in sections]
    made = [maker.judge(section, ("judges", number)) for number, section in sections]
    judges = tuple(judge for judge in made if judge is not None)
    _check_names(sections, names, mistakes)
    if len(judges) < len(sections) or mistakes.about(("judges",)):
        return None
    _check_different(judges, mistakes)
    weights = tuple(section.weight for _, section in sections)
    if not any(weights):
        mistakes.note(("judges",), "every weight is 0; let at least one judge count")
    strategy = mistakes.attempt(
        ("strategy",), lambda: maker.run.strategy.strategy(names), keys=["judge"]
    )
    if strategy is None or mistakes.about(("judges",)):
        return None
    return ReadPanel(judges=judges, weights=weights, strategy=strategy)


def _check_names(
    sections: Sequence[tuple[int, JudgeSection]], names: Sequence[str], mistakes: Mistakes
) -> None:
    often = Counter(names)
    for (number, section), name in zip(sections, names, strict=True):
        if often[name] > 1:
            path: KeyPath = ("judges", number)
            mistakes.note(
                path if section.name is None else (*path, "name"),
                f"{often[name]} judges are called {name}; give each a name of its own",
            )


def _check_different(judges: Sequence[Judge], mistakes: Mistakes) -> None:
    """Refuse the same judge under two names: the ledger could not separate their answers."""
    first: dict[str, str] = {}
    for number, judge in enumerate(judges):
        other = first.setdefault(judge.identity, judge.name)
        if other != judge.name:
            mistakes.note(
                ("judges", number),
                f"{judge.name} asks the same in the same way as {other}; leave one out: "
                "repeated calls are the strategy's to decide",
            )
