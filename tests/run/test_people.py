"""What people said, as strategies see it: on the scale 0 to 1, with probabilities of labelling."""

import numpy as np
import pytest

from adjudge.core.panel import Target
from adjudge.core.strategies import Panel, Uniform
from adjudge.dataset.draws import Draw
from adjudge.judges import Scale, SimulatedJudge
from adjudge.records import Item, Label
from adjudge.run import People, Plan, Sampling, identity_of

ITEMS = [Item(id=f"q{k}", response="x") for k in range(4)]
FIVE = Scale(low=1, high=5, whole=True)
TEN = Scale(low=1, high=10, whole=True)


def people(*labels: tuple[str, float], **changes: object) -> People:
    found = tuple(Label(item=item, value=value) for item, value in labels)
    return People(labels=found, scale=FIVE, **changes)  # type: ignore[arg-type]


def draw(*items: str, **probability: float) -> Draw:
    return Draw(at="today", items=items, probability=probability)


def plan(said: People | None, strategy: Panel | Uniform) -> Plan:
    judges = [SimulatedJudge(name="one", scale=TEN, price=1)]
    return Plan(items=ITEMS, judges=judges, scale=TEN, strategy=strategy, people=said)


def test_labels_are_mapped_to_the_unit_scale_and_raters_are_told_apart() -> None:
    labels = (
        Label(item="q2", value=1, rater="ann"),
        Label(item="q2", value=5, rater="bob"),
        Label(item="q0", value=4, rater="bob"),
    )
    found = People(labels=labels, scale=FIVE).of_items(ITEMS)
    assert found.item.tolist() == [2, 2, 0]
    assert found.value.tolist() == [0, 1, 0.75]
    assert found.rater.tolist() == [0, 1, 1]
    assert found.inclusion is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (people(("q0", 3)), Sampling.ASSUMED),
        (people(("q0", 3), random=True), Sampling.RANDOM),
        (people(("q0", 3), draws=(draw("q0", q0=0.5),)), Sampling.DRAWN),
        (people(("q0", 3), ("q1", 3), draws=(draw("q0", q0=0.5),)), Sampling.ASSUMED),
        (people(("q0", 3), draws=(draw("q0", "q1", q0=0.5, q1=0.5),)), Sampling.PARTLY),
        (people(("q0", 3), ("q1", 3), ("q2", 3), ("q3", 3)), Sampling.ALL),
    ],
)
def test_how_the_labelled_items_were_chosen_is_known_said_or_assumed(
    said: People, expected: Sampling
) -> None:
    assert said.sampling(len(ITEMS)) is expected


def test_probabilities_of_draws_add_up_to_those_of_being_labelled_at_all() -> None:
    draws = (draw("q0", q0=0.5, q1=0.2, q2=0.2), draw("q1", q1=0.5, q2=0.4))
    inclusion = people(("q0", 3), ("q1", 2), draws=draws).of_items(ITEMS).inclusion
    assert inclusion == pytest.approx([0.5, 0.6, 0.52, 0.0])


def test_a_draw_of_which_no_label_came_back_does_not_count() -> None:
    draws = (draw("q0", q0=0.5, q1=0.2), draw("q3", q0=0.9, q3=0.9))
    inclusion = people(("q0", 3), draws=draws).of_items(ITEMS).inclusion
    assert inclusion == pytest.approx([0.5, 0.2, 0.0, 0.0])


def test_labels_that_did_not_come_back_make_the_others_no_surer() -> None:
    everything = draw("q0", "q1", "q2", "q3", q0=1.0, q1=1.0, q2=1.0, q3=1.0)
    said = people(("q0", 3), ("q2", 4), draws=(everything,))
    assert said.of_items(ITEMS).inclusion == pytest.approx([0.5] * 4)
    assert said.sampling(len(ITEMS)) is Sampling.PARTLY


def test_labels_from_elsewhere_stand_for_a_random_sample_beside_draws() -> None:
    said = people(("q0", 3), ("q3", 2), draws=(draw("q0", q0=0.5, q1=0.2),))
    inclusion = said.of_items(ITEMS).inclusion
    assert inclusion == pytest.approx(1 - 0.75 * np.array([0.5, 0.8, 1, 1]))


def test_scores_are_on_the_scale_of_people_only_if_they_are_theirs() -> None:
    said = people(("q0", 3))
    assert plan(said, Panel(target=Target.REFERENCE)).score_scale == FIVE
    assert plan(said, Panel()).score_scale == TEN
    assert plan(said, Uniform()).score_scale == TEN
    assert plan(None, Panel(target=Target.REFERENCE)).score_scale == TEN


def test_people_are_asked_for_in_vain_only_without_a_label() -> None:
    assert plan(None, Panel(target=Target.REFERENCE)).lacks_labels
    assert not plan(people(("q0", 3)), Panel(target=Target.REFERENCE)).lacks_labels
    assert not plan(None, Panel()).lacks_labels
    assert not plan(None, Uniform()).lacks_labels


def test_labels_are_no_part_of_what_is_asked() -> None:
    assert identity_of(plan(people(("q0", 3)), Panel())) == identity_of(plan(None, Panel()))
