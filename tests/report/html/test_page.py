import base64
import hashlib
import json
import math
import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser

import numpy as np
import pytest

from adjudge.core.strategies import Uniform
from adjudge.judges.price_list import looked_up
from adjudge.report.content import content_of
from adjudge.report.content.setup import setup_of
from adjudge.report.html import page
from adjudge.report.notebook import notebook_html
from adjudge.run import LedgerCall, Moment, Plan
from adjudge.store import State
from tests.live.support import openai_judge, some_items
from tests.report.runs import HOSTILE, NOW, plain_items, result_of

VOID = {"meta", "link", "input", "path", "circle", "rect", "polyline", "br"}


class Reader(HTMLParser):
    """Reads a page as a browser does: elements that are left open or cross are an error."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.scripts, self.words = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        elif self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture
def spoken(spoken_run):
    return spoken_run[0]


def content_for(result, items=None, **changes):
    items = items or plain_items(result.problem.items)
    return content_of(items, result, title="A title", now=NOW, **changes)


def small(**changes):
    mean = np.linspace(0.2, 0.8, 12)[:, None]
    return result_of(np.full((12, 2), 6), mean, m2=0.02, **changes)


def test_the_page_is_well_formed_and_needs_nothing_from_elsewhere(spoken):
    reader = Reader(page(spoken))
    for tag, attributes in reader.elements:
        assert "src" not in attributes, tag
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        if "href" in attributes:
            assert attributes["href"].startswith(("#", "data:"))
    assert "url(" not in page(spoken)
    assert "@import" not in page(spoken)


def test_no_script_but_ours_may_run(spoken):
    text = page(spoken)
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert "default-src 'none'" in text


def test_texts_of_items_and_judges_are_text_and_never_markup(spoken):
    text = page(spoken)
    assert HOSTILE not in text
    assert "<script>alert" not in text
    assert "<b>fair</b>" not in text
    reader = Reader(text)
    data = json.loads(reader.scripts[0])
    (item,) = [one for one in data["items"] if one["id"] == "q00-plain"]
    assert item["response"] == HOSTILE
    assert any("<b>fair</b>" in answer[4] for answer in item["answers"])


def test_names_that_look_like_markup_are_shown_as_they_are():
    evil = "</title><script>alert(1)</script>"
    items = [replace(item, id=f"{evil}{item.id}", group=evil) for item in plain_items(12)]
    result = small()
    judges = tuple(replace(judge, name=evil + judge.name) for judge in result.judges)
    off = replace(judges[0], switched_off=evil)
    content = content_for(replace(result, judges=(off, judges[1])), items)
    for text in (page(replace(content, title=evil)), notebook_html(content)):
        assert "<script>alert" not in text
    assert evil in Reader(page(content)).text


def test_without_javascript_the_summary_still_reads(spoken):
    text = Reader(page(spoken)).text
    for words in (
        spoken.title,
        spoken.headline,
        f"{spoken.bill.calls:,}",
        "passed width < 9 they are short",
        "flatterer always gives the same answer",
        "guarded · drop it",
        "a whole number from 1 (worst) to 10 (best)",
        "root mean square error",
        spoken.items[0].id,
    ):
        assert words in text


def test_pictures_are_drawn_as_svg_with_names(spoken):
    drawn = [a for tag, a in Reader(page(spoken)).elements if tag == "svg" and "aria-label" in a]
    assert len(drawn) == 4
    assert all(one["role"] == "img" for one in drawn)


def test_bars_of_groups_have_an_axis_and_a_legend(spoken):
    elements = Reader(page(spoken)).elements
    axes = [a for tag, a in elements if a.get("class") == "axis"]
    legends = [a for tag, a in elements if "bars-legend" in (a.get("class") or "")]
    assert (len(axes), len(legends)) == (2, 2)
    text = Reader(page(spoken)).text
    for words in (
        "mean score",
        "difference of the means",
        "90 % interval, these very items",
        "90 % interval, all items like these",
    ):
        assert words in text


def test_items_are_anchors_and_pictures_link_to_them(spoken):
    elements = Reader(page(spoken)).elements
    anchors = {a["id"] for tag, a in elements if a.get("id", "").startswith("item-")}
    links = {a["href"] for tag, a in elements if a.get("href", "").startswith("#item-")}
    assert anchors == {f"item-{item.id}" for item in spoken.items}
    assert links == {f"#{anchor}" for anchor in anchors}


def test_a_link_to_an_item_with_any_id_can_be_written():
    items = [replace(item, id=f"\ud800 </a>#%{item.id}") for item in plain_items(12)]
    text = page(content_for(small(), items))
    assert 'href="#item-%EF%BF%BD%20%3C/a%3E%23%25item-0"' in text


def test_a_strategy_without_a_panel_leaves_parts_out_with_a_word():
    content = content_for(small(strategy=Uniform()), plain_items(12, groups="ab"))
    text = Reader(page(content)).text
    assert "Intervals of groups and of differences need the panel strategy." in text
    assert "it comes with the panel strategy" in text
    assert "Independent votes" not in text


def test_before_the_first_call_there_is_a_page_too():
    content = content_for(result_of(np.zeros((12, 2), int), 0.0, end=None))
    text = Reader(page(content)).text
    assert "Nothing was asked yet." in text
    assert "no budget yet" in text


@pytest.mark.parametrize("judges", [1, 40])
def test_one_judge_or_very_many_are_drawn(judges):
    rng = np.random.default_rng(1)
    n = np.full((30, judges), 2)
    content = content_for(result_of(n, rng.uniform(0.2, 0.8, (30, 1)), m2=0.01))
    text = Reader(page(content)).text
    assert ("26 judges that cost least left out" in text) == (judges == 40)
    assert "judge-0" in text


def test_one_item_one_moment_and_equal_scores_are_drawn():
    moment = Moment(spent=5, calls=3, norm_error=0.5, mean_width=1.0)
    for count in (1, 3):
        result = result_of(np.full((count, 1), 3), 0.5, m2=0.0, norm=math.inf)
        text = page(content_for(result, history=[moment]))
        assert "nan" not in text.split("<script")[0].replace("nano", "")
        Reader(text)


def test_a_sample_says_that_it_is_one_and_the_page_stays_small(rng):
    result = result_of(np.full((5000, 2), 2), rng.uniform(0, 1, (5000, 1)), m2=0.01)
    long = "<&\u2028é" * 3000
    items = [
        replace(item, prompt=long, response=long, reference=long) for item in plain_items(5000)
    ]
    names = [f"judge-{j}" for j in range(2)]
    calls = (
        LedgerCall(
            call=number,
            item=item.id,
            judge=names[number % 2],
            state=State.SETTLED,
            reason=None,
            score=7.0,
            charged=100,
            reserved=200,
            prompt_tokens=1,
            cached_tokens=0,
            output_tokens=1,
            text=long,
            at=0,
        )
        for item in items
        for number in range(12)
    )
    text = page(content_for(result, items, calls=calls))
    assert "2,000 of 5,000 items are shown" in text
    assert len(text.encode()) < 5_000_000


def test_halves_of_characters_do_not_keep_a_page_from_being_written():
    items = [replace(item, response="\ud800 half") for item in plain_items(12)]
    text = page(content_for(small(), items))
    assert "\ufffd half" in text.encode().decode()


def test_the_same_content_gives_the_same_page(spoken):
    assert page(spoken) == page(spoken)


def test_the_page_has_prices_with_all_their_digits_and_who_says_so(spoken):
    prices = looked_up("anthropic/claude-sonnet-4-5", day=date(2026, 11, 18))
    judge = openai_judge("http://localhost/v1", "ann", prices=prices, service_tier="batch")
    setup = setup_of(
        Plan(items=some_items(1), judges=[judge], scale=judge.scale, strategy=Uniform())
    )
    text = Reader(page(replace(spoken, setup=setup))).text
    assert f"prices by {prices.origin.words}" in text
    assert "1M tokens written to the cache, tier batch $1.875" in text
    assert "1M tokens written to the cache for an hour $6.00" in text
