"""Agreement of judges, panel and scores with people's labels, for reports."""

from __future__ import annotations

import math
from collections.abc import Sequence

from adjudge.core.panel import PanelEstimate
from adjudge.core.people import (
    Agreement,
    AlternativeTest,
    Concord,
    Figure,
    PeopleEstimate,
    RaterAgreement,
    Stage,
    agreement,
)
from adjudge.judges import Scale
from adjudge.report.content.people_values import (
    ConcordLine,
    FigureLine,
    PeopleCard,
    RatersLine,
)
from adjudge.report.numbers import count_text, digits_for
from adjudge.run import People, Result, Sampling

PANEL, ANCHORED = "the panel's own score", "scores on the people's scale"
_SAMPLING = {
    Sampling.DRAWN: "The labelled items were drawn at random by `adjudge label`, with known "
    "probabilities: intervals of means and differences are valid whatever the model gets wrong.",
    Sampling.PARTLY: "The labelled items are {labelled} of {drawn} that `adjudge label` drew at "
    "random; they are assumed to be a random part of these. If those left out are unlike them, "
    "means and differences may be off.",
    Sampling.RANDOM: "The labelled items are a random sample, as the run file says: intervals of "
    "means and differences are then valid whatever the model gets wrong.",
    Sampling.ASSUMED: "The labelled items are assumed to be a random sample of all items; nobody "
    "said so. If they were picked otherwise, means and differences may be off.",
    Sampling.ALL: "Every item is labelled.",
}
_STAGES = {
    Stage.NOTHING: "The labels do not show yet that people score unlike the panel.",
    Stage.LEVEL: "The labels fix how high people score; they show no more than that yet.",
    Stage.SLOPE: "The labels fix how high people score, and how much more they give where the "
    "panel gives more.",
    Stage.WEIGHTS: "The labels fix how high people score, how much more they give where the panel "
    "gives more, and which judges go with them.",
}


def found_agreement(result: Result) -> Agreement | None:
    """Agreement of judges, panel and scores with people; None if unknown."""
    known = isinstance(result.estimate, PanelEstimate) and result.scored.any()
    if result.people is None or not known:
        return None
    assert isinstance(result.estimate, PanelEstimate)
    return agreement(result.problem, result.evidence, result.estimate)


def people_card(result: Result, found: Agreement | None) -> PeopleCard | None:
    """Comparison of people's labels with the judges; None without labels."""
    people, estimate = result.people, result.estimate
    if people is None:
        return None
    width = people.scale.width
    anchor = estimate.anchor if isinstance(estimate, PeopleEstimate) else None
    sampling = people.sampling(result.problem.items)
    return PeopleCard(
        labelled=len({label.item for label in people.labels}),
        labels=len(people.labels),
        raters=people.raters,
        scale=people.scale.words,
        digits=digits_for(width),
        yes_or_no=people.scale.yes_or_no,
        anchored=anchor is not None,
        sampling=sampling.value,
        sampling_words=_SAMPLING[sampling].format(
            labelled=len({label.item for label in people.labels}), drawn=len(people.drawn)
        ),
        level=None if anchor is None else width * anchor.level,
        error=_known(None if anchor is None else width * anchor.residual),
        panel_error=_known(None if anchor is None else width * anchor.panel_residual),
        stage="" if anchor is None else _STAGES[anchor.stage],
        lines=() if found is None else _lines(result, found, width),
        raters_line=None if found is None or found.raters is None else _raters(found.raters, width),
    )


def target_words(people: People) -> str:
    """The meaning of a score on the people's scale."""
    items = len({label.item for label in people.labels})
    return f"what people would say, by their labels of {count_text(items, 'item')}"


def scale_sentence(card: PeopleCard | None, scale: Scale, judges: Scale) -> str | None:
    """Whose scale the scores are on; None without labels. `judges` is the judges' own scale."""
    if card is None:
        return None
    if not card.anchored:
        return "Scores are the panel's own; how far they agree with people is told beside them."
    items = count_text(card.labelled, "item")
    words = {
        "drawn": "drawn at random",
        "partly": "assumed to be a random part of those drawn",
        "random": "a random sample",
        "assumed": "assumed to be a random sample",
        "all": "all there are",
    }
    sample = f", {words[card.sampling]}"
    told = f"Scores are on the people's scale: what people would say, by labels of {items}{sample}."
    if (scale.low, scale.high) == (judges.low, judges.high):
        return told
    return f"{told} The panel's own are on the judges' scale, {judges.low:g} to {judges.high:g}."


def _lines(result: Result, found: Agreement, width: float) -> tuple[ConcordLine, ...]:
    names = [judge.name for judge in result.judges]
    judges: Sequence[tuple[str, str, Concord]] = [
        (name, "judge", one) for name, one in zip(names, found.judges, strict=True)
    ]
    whole = [(PANEL, "panel", found.panel)]
    if found.anchored is not None:
        whole.insert(0, (ANCHORED, "anchored", found.anchored))
    return tuple(_line(name, kind, one, width) for name, kind, one in (*whole, *judges))


def _line(name: str, kind: str, one: Concord, width: float) -> ConcordLine:
    pearson = figure_line(one.pearson)
    accuracy = figure_line(one.accuracy)
    return ConcordLine(
        name=name,
        kind=kind,
        items=one.items,
        agreement=pearson if accuracy is None else accuracy,
        bias=figure_line(one.bias, width),
        absolute_error=figure_line(one.absolute_error, width),
        pearson=pearson,
        spearman=figure_line(one.spearman),
        kappa=figure_line(one.kappa),
        accuracy=accuracy,
        true_positive_rate=figure_line(one.true_positive_rate),
        true_negative_rate=figure_line(one.true_negative_rate),
        stands_in=None if one.alternative is None else one.alternative.passes,
        stands_in_words="" if one.alternative is None else _alternative(one.alternative),
    )


def _alternative(test: AlternativeTest) -> str:
    better = round(test.winning_rate * test.raters)
    verdict = "could stand in for a person" if test.passes else "could not stand in for a person"
    return f"{verdict}: as good as {better} of {count_text(test.raters, 'rater')}"


def _raters(found: RaterAgreement, width: float) -> RatersLine:
    return RatersLine(
        raters=found.raters,
        items=found.items,
        absolute_error=figure_line(found.absolute_error, width),
        pearson=figure_line(found.pearson),
        kappa=figure_line(found.kappa),
    )


def figure_line(figure: Figure | None, width: float = 1.0) -> FigureLine | None:
    """The figure on the user's scale; None if unknown."""
    if figure is None or math.isnan(figure.value):
        return None
    if math.isnan(figure.low) or math.isnan(figure.high):
        return FigureLine(value=width * figure.value, low=None, high=None)
    return FigureLine(value=width * figure.value, low=width * figure.low, high=width * figure.high)


def _known(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
