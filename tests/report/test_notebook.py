import numpy as np
import pytest

from adjudge.report.content import content_of
from adjudge.report.notebook import notebook_html
from adjudge.report.numbers import money_text
from tests.report.html.test_page import Reader
from tests.report.runs import NOW, plain_items, result_of


@pytest.fixture
def spoken(spoken_run):
    return spoken_run[0]


def test_a_notebook_shows_finding_bill_groups_and_judges(spoken):
    text = Reader(notebook_html(spoken)).text
    assert spoken.headline in text
    cost = money_text(spoken.bill.spent)
    assert f"{spoken.bill.calls} calls to 3 judges cost {cost} of $0.0200." in text
    assert "flatterer always gives the same answer" in text
    assert text.index("tuned") < text.rindex("small") < text.rindex("flatterer")
    assert "drop it" in text


def test_a_notebook_shows_the_judges_that_cost_most_and_counts_the_others():
    rng = np.random.default_rng(1)
    result = result_of(np.full((30, 20), 2), rng.uniform(0.2, 0.8, (30, 1)), m2=0.01)
    content = content_of(plain_items(30), result, title="t", now=NOW)
    text = Reader(notebook_html(content)).text
    assert "judge-0 60" in text
    assert "judge-19" not in text
    assert "and 8 judges more" in text


def test_a_notebook_fragment_brings_no_style_or_script(spoken):
    tags = {tag for tag, _ in Reader(notebook_html(spoken)).elements}
    assert not tags & {"style", "script", "html", "body", "link"}
