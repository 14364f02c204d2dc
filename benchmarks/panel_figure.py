"""A figure of the table printed by `benchmarks.panel`."""

import argparse
from collections.abc import Callable
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.panel_bars import Cell, cells_of

COLOURS = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#0072b2", "#cc79a7", "#999933")


def main() -> None:
    """Draw the error relative to the judge oracle's by calls per item, for p = 2."""
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    choice = parser.parse_args()
    rows: dict[str, list[Cell]] = {}
    for cell in cells_of(choice.table.read_text()):
        if cell.norm == "2" and not cell.family:
            rows.setdefault(cell.name, []).append(cell)
    ratios: dict[str, Callable[[Cell], float]] = {
        "panel": lambda cell: cell.ratio,
        "uniform": lambda cell: cell.uniform,
        "cyclic": lambda cell: cell.cyclic,
    }
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True)
    for panel, (title, ratio) in zip(axes, ratios.items(), strict=True):
        for (name, cells), colour in zip(rows.items(), COLOURS, strict=False):
            calls = [cell.calls for cell in cells]
            errors = [ratio(cell) for cell in cells]
            panel.plot(calls, errors, marker="o", markersize=4, color=colour, label=name)
        panel.axhline(1, color="grey", linewidth=1, linestyle="--")
        panel.set(xscale="log", yscale="log", title=title, xlabel="average-price calls per item")
        panel.set_xticks([1, 2, 3, 5, 10, 20], ["1", "2", "3", "5", "10", "20"])
        panel.set_yticks([0.5, 0.7, 1, 1.5, 2, 2.5], ["0.5", "0.7", "1", "1.5", "2", "2.5"])
        panel.minorticks_off()
        panel.grid(alpha=0.3)
    axes[0].set_ylabel("error / judge oracle's (p = 2)")
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False
    )
    figure.suptitle(
        "How near each strategy comes to an oracle that knows the judges (1,000 recorded items)"
    )
    figure.savefig(choice.output, dpi=110)


if __name__ == "__main__":
    main()
