from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.text import Text

from adjudge.errors import InputError
from adjudge.report.figures import draw, save
from adjudge.report.figures.style import STYLES

Array = npt.NDArray[np.float64]
X = np.array([1e2, 1e3, 1e4])


@dataclass(frozen=True, kw_only=True)
class ALine:
    key: str = "oracle"
    label: str = "Oracle"
    x: Array = field(default_factory=lambda: X)
    y: Array = field(default_factory=lambda: 1 / np.sqrt(X))
    low: Array = field(default_factory=lambda: 0.9 / np.sqrt(X))
    high: Array = field(default_factory=lambda: 1.1 / np.sqrt(X))
    begins: float | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class APanel:
    lines: tuple[ALine, ...]
    title: str = "A panel"
    x_label: str = "Budget"
    y_label: str = "ℓ2 error"
    floor: float | None = None


@dataclass(frozen=True, kw_only=True)
class APicture:
    rows: tuple[tuple[APanel, ...], ...]
    heights: tuple[float, ...]
    name: str = "picture"
    title: str = "A title"
    caption: str = "What bands are"


def picture(*lines: ALine, columns: int = 1, floor: float | None = None) -> APicture:
    return APicture(rows=((APanel(lines=lines, floor=floor),) * columns,), heights=(1.0,))


def test_axes_are_logarithmic_and_one_legend_names_every_line() -> None:
    other = ALine(key="uniform", label="Uniform", y=3 / np.sqrt(X))
    figure = draw(picture(ALine(), other, columns=3))
    assert len(figure.axes) == 3
    for place in figure.axes:
        assert (place.get_xscale(), place.get_yscale()) == ("log", "log")
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["Oracle", "Uniform"]


def test_every_text_is_large_enough_to_read() -> None:
    late = ALine(key="uniform", label="Uniform", begins=2e3, note="from 2,000")
    figure = draw(picture(ALine(), late))
    texts = [text for text in figure.findobj(Text) if text.get_text()]
    assert min(text.get_fontsize() for text in texts) >= 9


def test_the_beginning_of_a_late_line_is_marked_with_its_budget() -> None:
    late = ALine(begins=2e3, note="from 2,000")
    (place,) = draw(picture(late)).axes
    assert [text.get_text() for text in place.texts] == ["from 2,000"]


def test_lines_that_begin_together_share_one_mark() -> None:
    lines = [ALine(key=key, begins=2e3, note="from 2,000") for key in ("oracle", "uniform")]
    (place,) = draw(picture(*lines)).axes
    assert len(place.texts) == 1


def test_an_error_of_zero_is_left_out_of_the_line_and_breaks_nothing(tmp_path: Path) -> None:
    zero = ALine(y=np.array([1.0, 0.0, 0.1]), low=np.zeros(3), high=np.array([2.0, 0.0, 0.2]))
    save(draw(picture(zero)), tmp_path, "zero")
    nothing = ALine(y=np.zeros(3), low=np.zeros(3), high=np.zeros(3))
    save(draw(picture(nothing)), tmp_path, "nothing")


def test_a_floor_ends_the_axis_below() -> None:
    (place,) = draw(picture(ALine(), floor=0.02)).axes
    assert place.get_ylim()[0] == 0.02


def test_png_and_pdf_are_written_and_the_same_picture_gives_the_same_bytes(
    tmp_path: Path,
) -> None:
    first = save(draw(picture(ALine())), tmp_path / "a", "x")
    second = save(draw(picture(ALine())), tmp_path / "b", "x")
    assert [path.name for path in first] == ["x.png", "x.pdf"]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert first[0].read_bytes().startswith(b"\x89PNG")
    assert first[1].read_bytes().startswith(b"%PDF")


def test_a_directory_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        save(draw(picture(ALine())), tmp_path / "file", "x")


def test_no_two_lines_of_a_figure_look_alike() -> None:
    strategies = [
        STYLES[key] for key in STYLES if not key.startswith(("bound", "bad", "uniform-c"))
    ]
    assert len({style.colour for style in strategies}) == len(strategies)
    assert len({style.marker for style in strategies}) == len(strategies)
    structures = [STYLES[key] for key in ("bad-is-expensive", "bad-is-cheap", "uniform-costs")]
    assert len({style.colour for style in structures}) == len({s.marker for s in structures}) == 3
