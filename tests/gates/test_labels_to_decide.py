"""A gate that labels would decide asks for labels, and for no more than there are items."""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.report.runs import plain_items, result_of

from adjudge.core.panel import Target
from adjudge.core.strategies import Panel
from adjudge.gates import Decision, Outcome, decide, parse_gate
from adjudge.judges import Scale
from adjudge.records import Label
from adjudge.run import People

FIVE = Scale(low=1, high=5)
ITEMS = plain_items(40, groups="ab")
WORTH = np.random.default_rng(7).uniform(0.2, 0.8, 40)
SAID = FIVE.from_unit(np.clip(WORTH + 0.2 * np.random.default_rng(8).standard_normal(40), 0, 1))


def decided(gate: str, *, labels: int) -> Decision:
    """The decision after three calls of each judge about every item, and so many labels."""
    seen = result_of(np.full((40, 2), 3), np.stack([WORTH, WORTH], axis=1), m2=0.004)
    given = [Label(item=ITEMS[k].id, value=float(SAID[k])) for k in range(labels)]
    people = People(labels=tuple(given), scale=FIVE)
    problem = replace(seen.problem, labels=people.of_items(ITEMS))
    estimate = Panel(target=Target.REFERENCE).estimate(problem, seen.evidence)
    found = replace(seen, problem=problem, estimate=estimate, people=people, scale=FIVE)
    return decide(parse_gate(gate), found, ITEMS)


def test_an_open_claim_on_the_peoples_scale_asks_for_labels_that_then_decide_it() -> None:
    claim = f"mean > {SAID.mean() - 0.5}"
    decision = decided(claim, labels=10)
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert decision.more is None
    assert "$" not in decision.sentence
    advice = re.search(r"; about (\d+) more labels would decide$", decision.sentence)
    assert advice is not None, decision.sentence
    assert int(advice[1]) < 30
    assert decided(claim, labels=10 + int(advice[1])).outcome is Outcome.PASSED


@pytest.mark.parametrize("claim", ["mean > {}", "mean(group=a) - mean(group=b) > {}"])
def test_labels_of_all_items_decide_the_closest_claim(claim: str) -> None:
    figure = decided(claim.format(0), labels=10).figure
    assert figure is not None
    sentence = decided(claim.format(figure.value), labels=10).sentence
    assert "about 30 more labels would decide" in sentence


def test_an_item_without_a_label_needs_its_own() -> None:
    figure = decided("score(item=item-39) > 0", labels=10).figure
    assert figure is not None
    sentence = decided(f"score(item=item-39) > {figure.value - 0.01}", labels=10).sentence
    assert sentence.endswith("; labels of these items would help")


def test_agreement_asks_for_no_more_labels_than_there_are_items() -> None:
    figure = decided("agreement(panel) > 0", labels=10).figure
    assert figure is not None
    near, far = 0.9 * figure.value, 0.5 * figure.low + 0.5 * figure.value
    told = decided(f"agreement(panel) > {near}", labels=10).sentence
    assert "; labels of these items cannot decide it: about" in told
    assert told.endswith("more are needed, and 30 items have none")
    assert decided(f"agreement(panel) > {far}", labels=10).sentence.endswith(
        "more labels would decide"
    )
