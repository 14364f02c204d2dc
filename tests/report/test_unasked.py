"""An item that no judge scored has no score, wherever it is told of."""

import json

import numpy as np

from adjudge.core.strategies import Uniform
from adjudge.report.content import content_json, content_of
from adjudge.report.frames import items_frame
from adjudge.report.html import page
from tests.report.runs import NOW, plain_items, result_of


def partly_asked(**changes):
    n = np.full((60, 2), 3)
    n[:20] = 0
    mean = np.random.default_rng(4).uniform(0.3, 0.7, (60, 1)) + np.zeros((60, 2))
    return result_of(n, mean, m2=0.01, **changes)


def test_frames_have_no_score_for_items_never_asked_and_say_which_they_are():
    for strategy in (None, Uniform()):
        frame = items_frame(plain_items(60), partly_asked(strategy=strategy))
        assert frame["asked"].to_list() == [False] * 20 + [True] * 40
        assert frame["score"][:20].is_null().all()
        assert frame["standard_error"][:20].is_null().all()
        assert frame["score"][20:].is_not_null().all()
        widths = frame["high"] - frame["low"]
        assert widths[:20].min() > widths[20:].max()


def test_a_result_has_no_score_for_items_never_asked_and_says_which_they_are():
    result = partly_asked()
    assert np.isnan(result.scores[:20]).all()
    assert np.isfinite(result.scores[20:]).all()
    assert result.asked.tolist() == [False] * 20 + [True] * 40
    assert np.isfinite(result.filled_scores).all(), "the others predict them"


def test_the_page_has_no_score_for_items_never_asked():
    content = content_of(plain_items(60), partly_asked(), title="t", now=NOW)
    assert [line.score is None for line in content.items] == [False] * 40 + [True] * 20
    assert len(content.spots) == 40
    items = json.loads(json.dumps(content_json(content), allow_nan=False))["items"]
    assert items[-1]["score"] is None
    assert items[-1]["asked"] is False
    text = page(content)
    assert '"scoreText":"never asked"' in text
    assert "20 of 60 items have no score from any judge" in text
