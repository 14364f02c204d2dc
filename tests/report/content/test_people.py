"""What a report says of people: who agrees with them, and how labelled items were chosen."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.evidence import Evidence
from adjudge.core.panel import Target
from adjudge.core.strategies import Panel
from adjudge.dataset.draws import Draw
from adjudge.judges import Scale
from adjudge.records import Label
from adjudge.report.content import ReportContent, content_json, content_of
from adjudge.report.frames import items_frame, judges_frame
from adjudge.report.html import page
from adjudge.run import People, Result
from tests.report.runs import NOW, plain_items, result_of

ITEMS = plain_items(40, groups="ab")
TRUTH = np.random.default_rng(7).uniform(0.2, 0.8, 40)
FIVE = Scale(low=1, high=5)


def result(
    *, labels: int, target: Target = Target.REFERENCE, scale: Scale = FIVE, random: bool = False
) -> Result:
    """Two judges, one of them against people, and people who give a point less of five."""
    rng = np.random.default_rng(3)
    means = np.stack([TRUTH, 1 - TRUTH], axis=1) + 0.02 * rng.standard_normal((40, 2))
    seen = result_of(np.full((40, 2), 3), np.clip(means, 0, 1), m2=0.004)
    values = scale.from_unit(np.clip(TRUTH - 0.2, 0, 1))
    people = People(
        labels=tuple(
            Label(item=ITEMS[k].id, value=float(values[k])) for k in range(0, 2 * labels, 2)
        ),
        scale=scale,
        random=random,
    )
    problem = replace(seen.problem, labels=people.of_items(ITEMS))
    evidence: Evidence = seen.evidence
    estimate = Panel(target=target).estimate(problem, evidence)
    anchored = target is Target.REFERENCE
    return replace(
        seen,
        problem=problem,
        estimate=estimate,
        people=people,
        scale=scale if anchored else seen.scale,
    )


def content(found: Result) -> ReportContent:
    return content_of(ITEMS, found, title="People", now=NOW)


@pytest.fixture(scope="module")
def anchored() -> Result:
    return result(labels=16)


def test_the_card_has_the_panel_the_scores_and_every_judge(anchored: Result) -> None:
    card = content(anchored).people
    assert card is not None
    assert (card.labelled, card.raters, card.sampling) == (16, 1, "assumed")
    lines = {line.kind: line for line in card.lines}
    assert [line.kind for line in card.lines] == ["anchored", "panel", "judge", "judge"]
    first, second = card.lines[2:]
    assert first.pearson is not None
    assert second.pearson is not None
    assert first.pearson.value > 0.9
    assert second.pearson.value < -0.9
    # Judge 0 is a fifth of the scale above people: 0.8 of four points.
    assert first.bias is not None
    assert first.bias.value == pytest.approx(0.8, abs=0.1)
    assert lines["anchored"].bias is not None
    assert abs(lines["anchored"].bias.value) < 0.3


def test_scores_and_groups_are_on_the_scale_of_people_with_the_panel_beside(
    anchored: Result,
) -> None:
    told = content(anchored)
    assert (told.scale.low, told.scale.high) == (1, 5)
    assert told.asked.target == "what people would say, by their labels of 16 items"
    assert all(1 <= line.score <= 5 for line in told.items if line.score is not None)
    labelled = [line for line in told.items if line.label is not None]
    assert len(labelled) == 16
    for line in labelled:
        assert line.score == pytest.approx(line.label)
        assert line.panel_score is not None
    for group in told.groups:
        assert group.panel_mean is not None
    assert sum(group.labelled or 0 for group in told.groups) == 16


def test_a_group_without_labels_says_that_those_of_others_are_lent(anchored: Result) -> None:
    told = content(anchored)
    lent = [group.name for group in told.groups if group.lent]
    assert lent == ["b"]
    assert any("b has fewer than two labels" in notice.text for notice in told.notices)


def test_a_judge_that_goes_against_people_is_to_be_dropped(anchored: Result) -> None:
    with_people, against = content(anchored).judges
    assert with_people.advice.counsel.value == "keep"
    assert "tells more of what people say. It agrees with people to" in with_people.advice.reason
    assert against.advice.counsel.value == "drop it"
    assert against.advice.reason.startswith("It goes against people (−")


def test_that_the_sample_is_assumed_is_a_caution_and_said_otherwise_if_it_is_known(
    anchored: Result,
) -> None:
    assumed = "assumed to be a random sample"
    told = content(anchored)
    assert assumed in str(told.whose_scale)
    assert str(told.whose_scale).endswith("own are on the judges' scale, 1 to 10.")
    assert any(assumed in notice.text for notice in told.notices)
    known = content(result(labels=16, random=True))
    assert known.people is not None
    assert known.people.sampling == "random"
    assert not any(assumed in notice.text for notice in known.notices)


def test_labels_that_were_drawn_and_did_not_come_back_are_told(anchored: Result) -> None:
    assert anchored.people is not None
    drawn = tuple(item.id for item in ITEMS)
    draw = Draw(at="today", items=drawn, probability=dict.fromkeys(drawn, 1.0))
    found = replace(anchored, people=replace(anchored.people, draws=(draw,)))
    told = content(found)
    assert told.people is not None
    assert told.people.sampling == "partly"
    assert any("are 16 of 40 that `adjudge label` drew" in one.text for one in told.notices)
    assert "assumed to be a random part of those drawn" in str(told.whose_scale)


def test_that_no_label_came_though_they_are_asked_for_is_told() -> None:
    plain = result_of([[3, 3]] * 40, np.stack([TRUTH, TRUTH], axis=1), m2=0.004)
    told = content(replace(plain, lacks_labels=True))
    (notice,) = [one for one in told.notices if "no item has a label" in one.text]
    assert notice.weight.value == "caution"
    assert "`adjudge label -n 20` draws them" in notice.text
    assert notice.text in [one["text"] for one in content_json(told)["notices"]]
    assert not any("no item has a label" in one.text for one in content(plain).notices)


def test_with_the_panel_as_target_the_scores_are_its_own_and_agreement_is_told() -> None:
    found = result(labels=16, target=Target.PANEL)
    told = content(found)
    assert told.people is not None
    assert not told.people.anchored
    assert [line.kind for line in told.people.lines] == ["panel", "judge", "judge"]
    assert (told.scale.low, told.scale.high) == (1, 10)
    assert "how far they agree with people" in str(told.whose_scale)
    assert "panel_score" not in items_frame(ITEMS, found).columns


def test_page_json_and_exports_say_whose_scale_it_is(anchored: Result) -> None:
    told = content(anchored)
    html = page(told)
    assert 'id="people"' in html
    assert "on the people&#39;s scale" in html
    assert content_json(told)["people"]["lines"][0]["kind"] == "anchored"
    frame = items_frame(ITEMS, anchored)
    assert set(frame["target"]) == {"people"}
    assert frame["panel_score"].is_between(1, 10).all()
    assert judges_frame(anchored)["people_pearson"].to_list()[1] < -0.9


def test_without_labels_nothing_of_this_is_there() -> None:
    plain = result_of([[3, 3]] * 40, np.stack([TRUTH, TRUTH], axis=1), m2=0.004)
    told = content_of(ITEMS, plain, title="Plain", now=NOW)
    assert (told.people, told.whose_scale) == (None, None)
    assert 'id="people"' not in page(told)
    assert not {"target", "label", "panel_score"} & set(items_frame(ITEMS, plain).columns)


def test_labels_alone_before_the_first_call_make_a_sound_report() -> None:
    seen = result_of(np.zeros((40, 2)), 0.0, end=None)
    people = People(labels=tuple(Label(item=ITEMS[k].id, value=3.0) for k in (1, 4, 9)), scale=FIVE)
    problem = replace(seen.problem, labels=people.of_items(ITEMS))
    estimate = Panel(target=Target.REFERENCE).estimate(problem, seen.evidence)
    found = replace(seen, problem=problem, estimate=estimate, people=people, scale=FIVE)
    told = content(found)
    assert told.headline == "Nothing was asked yet."
    assert told.people is not None
    assert (told.people.labelled, told.people.lines) == (3, ())
    assert 'id="people"' in page(told)
    assert found.asked.sum() == 3


def test_several_raters_are_compared_with_each_other_and_with_the_judges() -> None:
    found = result(labels=16)
    assert found.people is not None
    raters = tuple(
        replace(label, rater=name, value=min(max(label.value + shift, 1), 5))
        for label in found.people.labels
        for name, shift in (("ann", 0.3), ("bob", -0.3), ("cid", 0.1))
    )
    people = replace(found.people, labels=raters)
    problem = replace(found.problem, labels=people.of_items(ITEMS))
    estimate = Panel(target=Target.REFERENCE).estimate(problem, found.evidence)
    told = content(replace(found, problem=problem, estimate=estimate, people=people))
    card = told.people
    assert card is not None
    assert (card.raters, card.labels, card.labelled) == (3, 48, 16)
    assert card.raters_line is not None
    assert card.raters_line.pearson is not None
    assert card.raters_line.pearson.value > 0.5
    assert "people among themselves" in page(told)
    assert all(line.stands_in is not None for line in card.lines if line.kind == "judge")
