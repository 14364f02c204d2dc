import pytest
from matplotlib.text import Text

from adjudge.core.forecasts import Forecast
from adjudge.errors import InputError
from adjudge.report.plan_figure import draw_plan, plan_figure
from tests.report.runs import SCALE

FORECASTS = [
    Forecast(budget=budget * 1e9, calls=int(100 * budget), mean_width=0.3 / budget, norm_error=1.0)
    for budget in (4.0, 1.0, 2.0)
]


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def test_widths_are_drawn_on_the_users_scale_against_the_logarithm_of_money():
    figure = plan_figure(FORECASTS, scale=SCALE, spent=1_500_000_000)
    (place,) = figure.axes
    assert place.get_xscale() == "log"
    assert place.lines[0].get_ydata() == pytest.approx([2.7, 1.35, 0.675])
    assert {"2.70", "1.35", "$1.50 spent"} <= set(texts(figure))


def test_before_the_first_call_nothing_is_marked_as_spent():
    assert not any("spent" in text for text in texts(plan_figure(FORECASTS, scale=SCALE)))


def test_budgets_are_labelled_as_people_write_them():
    figure = plan_figure(FORECASTS, scale=SCALE)
    figure.draw_without_rendering()
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == ["$1", "$2", "$4"]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_plan_gives_the_same_file(tmp_path, ending):
    for name in ("a", "b"):
        draw_plan(FORECASTS, tmp_path / f"{name}.{ending}", scale=SCALE, spent=10**9)
    first = (tmp_path / f"a.{ending}").read_bytes()
    assert first == (tmp_path / f"b.{ending}").read_bytes()
    assert len(first) > 1000


def test_one_budget_is_drawn(tmp_path):
    draw_plan(FORECASTS[:1], tmp_path / "one.png", scale=SCALE)
    assert (tmp_path / "one.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("name", "forecasts", "words"),
    [
        ("plan.gif", FORECASTS, "must end in .png or .svg or .pdf"),
        ("plan.png", [], "name one or more"),
        ("missing/plan.png", FORECASTS, "cannot be written"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(tmp_path, name, forecasts, words):
    with pytest.raises(InputError, match=words):
        draw_plan(forecasts, tmp_path / name, scale=SCALE)
