import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.report.content.texts import CUT, cut, largest_fit, size_in_page, words_of
from adjudge.report.html.embed import escaped_json


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ('{"reason": "Clear.", "score": 7}', "Clear."),
        ('```json\n{"reasoning": "Clear.", "score": 7}\n```', "Clear."),
        ('<think>hm {"reason": "no"}</think> {"explanation": "Yes.", "score": 1}', "Yes."),
        ('{"score": 7}', '{"score": 7}'),
        ('{"reason": 3, "score": 7}', '{"reason": 3, "score": 7}'),
        ("Score: 7, because } of { this", "Score: 7, because } of { this"),
        ("", ""),
    ],
)
def test_a_judges_reason_is_found_in_what_it_wrote(answer, words):
    assert words_of(answer) == words


@given(st.text(max_size=60))
def test_no_text_takes_more_of_a_page_than_was_reckoned(text):
    written = escaped_json(text).encode("utf-8", "surrogatepass")
    assert len(written) - 2 <= size_in_page(text)


@given(st.text(max_size=200), st.integers(20, 100))
def test_a_cut_text_fits_and_is_a_beginning(text, longest):
    short = cut(text, longest)
    assert short == text or size_in_page(short) <= longest
    assert text.startswith(short.removesuffix(CUT))
    if size_in_page(text) <= longest:
        assert short == text


def test_room_that_short_texts_leave_is_given_to_long_ones():
    texts = ["x" * 10, "x" * 10, "x" * 1000, "x" * 1000]
    assert largest_fit(texts, 220) == 100
    assert largest_fit(texts, 10_000) == 1000
    assert largest_fit([], 100) == 0


@given(st.lists(st.text(max_size=50), min_size=1, max_size=20), st.integers(1, 400))
def test_texts_cut_to_the_largest_fit_fill_no_more_than_the_room(texts, room):
    longest = largest_fit(texts, room)
    assert sum(min(size_in_page(text), longest) for text in texts) <= room


def test_json_within_a_page_cannot_end_its_element_and_says_the_same():
    text = "</script><!-- ]]> & \u2028\u2029 'é"
    written = escaped_json({"text": text})
    assert not set(written) & set("<>&\u2028\u2029")
    assert json.loads(written) == {"text": text}
