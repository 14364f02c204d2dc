"""The page as a reader meets it: opened in a real browser, clicked, typed into, printed."""

from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest

from adjudge.report.content import content_of
from adjudge.report.html import page
from tests.report.html.browser import Browser, chromium
from tests.report.runs import HOSTILE, NOW, plain_items, result_of

PROGRAM = chromium()
pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium to open pages with"),
    pytest.mark.xdist_group("the browser"),
]

ROWS = "[...document.querySelectorAll('.items tbody tr.line')]"
SCORES = f"{ROWS}.map(row => Number(row.querySelector('.c-score').textContent))"
NAMES = f"{ROWS}.map(row => row.querySelector('.open').textContent)"
SORTED_BY = (
    "[...document.querySelectorAll('.items th[aria-sort]')]"
    ".map(head => [head.dataset.key, head.getAttribute('aria-sort')])"
)


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with Browser(PROGRAM, tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture(scope="module")
def spoken(spoken_run, tmp_path_factory):
    content, _ = spoken_run
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(page(content), encoding="utf-8")
    return content, file


@pytest.fixture
def browser(window, spoken):
    """The report of a real run, freshly opened."""
    window.resize(1200)
    window.prefer("light")
    window.open(spoken[1])
    yield window
    complaints = window.said(
        "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"
    )
    assert not complaints
    assert not window.said("Page.javascriptDialogOpening")
    asked_for = {
        event["params"]["request"]["url"] for event in window.said("Network.requestWillBeSent")
    }
    assert {url.partition(":")[0] for url in asked_for} <= {"file", "data"}
    assert {url for url in asked_for if url.startswith("file")} == {spoken[1].as_uri()}


def test_items_come_with_the_highest_score_first(browser, spoken):
    assert browser.run(NAMES) == [item.id for item in spoken[0].items]
    assert browser.run(SORTED_BY) == [["score", "descending"]]


def test_a_click_on_a_heading_sorts_by_it_and_a_second_turns_the_order(browser):
    browser.click(".items th[data-key=score] button")
    assert browser.run(SCORES) == sorted(browser.run(SCORES))
    assert browser.run(SORTED_BY) == [["score", "ascending"]]
    browser.click(".items th[data-key=id] button")
    assert browser.run(NAMES) == sorted(browser.run(NAMES))
    assert browser.run(SORTED_BY) == [["id", "ascending"]]
    browser.click(".items th[data-key=id] button")
    assert browser.run(NAMES) == sorted(browser.run(NAMES), reverse=True)
    assert browser.run(SORTED_BY) == [["id", "descending"]]


@pytest.mark.parametrize("key", ["group", "width", "calls", "spent"])
def test_every_column_sorts(browser, key):
    before = browser.run(NAMES)
    browser.click(f".items th[data-key={key}] button")
    assert browser.run(SORTED_BY) in ([[key, "descending"]], [[key, "ascending"]])
    assert sorted(browser.run(NAMES)) == sorted(before)


def test_typing_filters_by_id_text_and_reason(browser):
    browser.click("#filter")
    browser.type("Q03-")
    assert sorted(browser.run(NAMES)) == ["q03-plain", "q03-tuned"]
    assert browser.run("document.getElementById('count').textContent") == "2 of 40 items"
    browser.type("no such thing")
    assert browser.run(NAMES) == []
    assert browser.run("document.querySelector('.nothing').textContent") == "No item matches."
    browser.run("document.getElementById('filter').value = ''")
    browser.type("question 7?")
    assert sorted(browser.run(NAMES)) == ["q07-plain", "q07-tuned"]
    browser.run("document.getElementById('filter').value = ''")
    browser.type("on q09-tuned: <b>fair")
    assert browser.run(NAMES) == ["q09-tuned"]


def test_a_group_can_be_chosen(browser):
    browser.run(
        "const choice = document.getElementById('group'); choice.value = 'tuned';"
        "choice.dispatchEvent(new Event('change'))"
    )
    assert len(browser.run(NAMES)) == 20
    assert all(name.endswith("-tuned") for name in browser.run(NAMES))


def test_a_click_opens_what_was_asked_and_what_judges_said(browser, spoken):
    item = next(item for item in spoken[0].items if any(a.judge == "small" for a in item.answers))
    place = spoken[0].items.index(item) + 1
    row = f".items tbody tr.line:nth-child({place})"
    browser.click(f"{row} .c-calls")
    assert browser.run("document.querySelectorAll('.detail').length") == 1
    said = browser.run("document.querySelector('.detail').innerText")
    assert item.prompt in said
    assert item.response in said
    assert f"small on {item.id}: <b>fair</b>." in said
    assert browser.run("document.querySelectorAll('.said b').length") == 0
    browser.click(f"{row} .open")
    assert browser.run("document.querySelectorAll('.detail').length") == 0


def follow(browser, item):
    """Go to the item by its link, within the page."""
    browser.run(
        "new Promise((done) => { addEventListener('hashchange', () => done(), {once: true});"
        f"location.hash = {f'#item-{item}'!r}; }})"
    )


def test_an_open_item_has_every_answer_of_every_judge(browser, spoken):
    judges = {item: {answer.judge for answer in item.answers} for item in spoken[0].items}
    item = max(judges, key=lambda one: len(judges[one]))
    assert len(judges[item]) > 1
    follow(browser, item.id)
    heads = browser.run(
        "[...document.querySelectorAll('.detail h5')].map((head) => head.innerText.split(/\\s+/))"
    )
    told = {name: sum(a.times for a in item.answers if a.judge == name) for name in judges[item]}
    assert {name: int(number) for name, number, *_ in heads} == told
    assert sum(told.values()) == item.calls


def link_to(file, item):
    return f"{file.as_uri()}#item-{item}"


def test_a_link_to_an_item_opens_it(window, spoken):
    window.resize(1200)
    window.open_address(link_to(spoken[1], "q07-plain"))
    assert window.run("document.querySelector('tr.opened .open').textContent") == "q07-plain"
    top = window.run("document.querySelector('tr.opened').getBoundingClientRect().top")
    assert 0 < top < 200
    link = window.run("document.querySelector('.detail .link').href")
    assert link == link_to(spoken[1], "q07-plain")


def test_a_link_opens_an_item_that_is_filtered_away(browser):
    browser.click("#filter")
    browser.type("q03-plain")
    assert len(browser.run(NAMES)) == 1
    follow(browser, "q11-tuned")
    assert browser.run("document.querySelector('tr.opened .open').textContent") == "q11-tuned"


def test_a_link_to_an_item_that_is_not_on_the_page_says_so(window, spoken):
    window.open_address(link_to(spoken[1], "no%20such"))
    assert window.run("document.getElementById('absent').innerText") == (
        "The item no such is not on this page."
    )


def test_a_link_opens_one_of_thousands_with_an_unusual_id(window, tmp_path, rng):
    result = result_of(np.full((1500, 1), 2), rng.uniform(0, 1, (1500, 1)), m2=0.01)
    items = [replace(item, id=f"{item.id} ü/<&>") for item in plain_items(1500)]
    low = items[int(result.scores.argmin())].id
    file = tmp_path / "many.html"
    content = content_of(items, result, title="Many", now=NOW)
    file.write_text(page(content), encoding="utf-8")
    window.open_address(link_to(file, quote(low)))
    assert window.run("document.querySelector('tr.opened .open').textContent") == low


def test_an_open_item_stays_open_when_the_order_turns(browser):
    browser.click(".items tbody tr.line .open")
    name = browser.run("document.querySelector('tr.opened .open').textContent")
    browser.click(".items th[data-key=score] button")
    assert browser.run("document.querySelector('tr.opened .open').textContent") == name
    assert browser.run("document.querySelectorAll('.detail').length") == 1


def test_the_keyboard_does_what_the_mouse_does(browser):
    browser.run("document.querySelector('.items tbody .open').focus()")
    browser.press("Enter", 13)
    assert browser.run("document.activeElement.getAttribute('aria-expanded')") == "true"
    browser.run("document.querySelector('.items th[data-key=calls] button').focus()")
    browser.press("Enter", 13)
    assert browser.run(SORTED_BY) == [["calls", "descending"]]
    browser.press("/", 191)
    assert browser.run("document.activeElement.id") == "filter"


def test_a_text_that_is_a_script_is_shown_and_does_not_run(browser):
    browser.click("#filter")
    browser.type("q00-plain")
    browser.click(".items tbody .open")
    shown = browser.run("[...document.querySelectorAll('.detail .said')].map(s => s.textContent)")
    assert HOSTILE in shown
    assert browser.run("document.scripts.length") == 2
    assert browser.run("document.querySelectorAll('.items script').length") == 0


def test_not_even_markup_that_reached_the_page_could_run_a_script(window, spoken, tmp_path):
    hurt = tmp_path / "hurt.html"
    text = spoken[1].read_text(encoding="utf-8")
    hurt.write_text(text.replace("<main>", "<main><script>window.hurt = true</script>"), "utf-8")
    window.open(hurt)
    assert window.run("window.hurt === undefined")
    assert window.said("Log.entryAdded")


BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def test_the_page_is_dark_for_those_who_prefer_it_and_a_button_turns_it(browser, tmp_path):
    light = browser.run(BACKGROUND)
    browser.screenshot(tmp_path / "light.png")
    browser.prefer("dark")
    dark = browser.run(BACKGROUND)
    browser.screenshot(tmp_path / "dark.png")
    assert light == "rgb(251, 250, 248)"
    assert dark == "rgb(19, 21, 24)"
    browser.click("#theme")
    assert browser.run(BACKGROUND) == light
    browser.click("#theme")
    assert browser.run(BACKGROUND) == dark
    browser.run("localStorage.clear()")
    assert (tmp_path / "light.png").stat().st_size > 50_000
    assert (tmp_path / "dark.png").read_bytes() != (tmp_path / "light.png").read_bytes()


CONTRASTS = """
(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).map((v) => v / 255)
      .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (colour.startsWith("rgb(")) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = {};
  let texts = 0;
  for (const e of document.querySelectorAll("main *, .foot")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !e.checkVisibility() || e.closest("svg")) continue;
    texts += 1;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor[`${e.tagName}.${e.className}: ${e.textContent.slice(0, 30)}`] = ratio;
  }
  return [texts, poor];
})()
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(browser, scheme):
    browser.prefer(scheme)
    browser.click(".items tbody .open")
    texts, poor = browser.run(CONTRASTS)
    assert texts > 300
    assert poor == {}


@pytest.mark.parametrize("width", [400, 700, 1000, 1600])
def test_no_window_is_too_narrow(browser, tmp_path, width):
    browser.resize(width)
    browser.click(".items tbody .open")
    assert browser.run("document.documentElement.scrollWidth") == width
    assert browser.run("document.querySelector('.items .c-id').offsetWidth") > 110
    browser.screenshot(tmp_path / "narrow.png")
    assert (tmp_path / "narrow.png").stat().st_size > 50_000


VISIBLE = """
(selector) => [...document.querySelectorAll(selector)].filter((one) => {
  const { left, right, width, height } = one.getBoundingClientRect();
  return width > 0 && height > 0 && left >= 0 && right <= innerWidth && one.checkVisibility();
}).length
"""


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_has_the_whole_menu_and_the_honest_column(browser, spoken, width):
    browser.resize(width, 800)
    assert browser.run("document.documentElement.scrollWidth") == width
    content = spoken[0]
    rows = len(content.groups) + len(content.differences)
    counts = {
        ".bar nav a": 6,
        "#groups td.beyond": rows,
        "#groups td.ends": rows,
        "#groups td .range": rows,
        "#groups .axis": 2,
        ".items tbody .ends": len(content.items),
    }
    seen = {selector: browser.run(f"({VISIBLE})({selector!r})") for selector in counts}
    assert seen == counts
    labels = browser.run(
        "[...document.querySelectorAll('#groups td.beyond')]"
        ".map((cell) => getComputedStyle(cell, '::before').content)"
    )
    assert set(labels) == {'"for items like these"'}


def test_the_page_prints(browser, tmp_path):
    browser.prefer("dark")
    browser.printed(tmp_path / "report.pdf")
    printed = (tmp_path / "report.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    assert 2 <= printed.count(b"/Type /Page\n") <= 12


def test_thousands_of_items_are_shown_little_by_little(window, tmp_path, rng):
    result = result_of(np.full((3000, 2), 2), rng.uniform(0, 1, (3000, 1)), m2=0.01)
    file = tmp_path / "many.html"
    content = content_of(plain_items(3000), result, title="Many", now=NOW)
    file.write_text(page(content), encoding="utf-8")
    window.open(file)
    assert window.run(f"{ROWS}.length") == 100
    assert window.run("document.getElementById('count').textContent") == "2,000 items"
    more = window.run(
        f"""new Promise((done) => {{
          new MutationObserver(() => done({ROWS}.length))
            .observe(document.querySelector('.items tbody'), {{ childList: true }});
          scrollTo(0, document.body.scrollHeight);
        }})"""
    )
    assert more == 200
    window.click("#filter")
    window.type("item-123")
    assert all(name.startswith("item-123") for name in window.run(NAMES))
