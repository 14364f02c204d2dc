"""The table that `benchmarks.panel` printed, as a picture."""

import argparse
from pathlib import Path

from matplotlib.figure import Figure

COLOURS = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#d55e00", "#0072b2", "#cc79a7", "#999933")
COLUMNS = {"panel": 4, "uniform": 6, "cyclic": 7}


def table(text: str) -> dict[tuple[str, str], list[tuple[float, list[str]]]]:
    """Rows by set and norm: calls per item, and all cells."""
    found: dict[tuple[str, str], list[tuple[float, list[str]]]] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 13 and "±" in line:
            found.setdefault((cells[1], cells[2]), []).append((float(cells[3]), cells))
    return found


def main() -> None:
    """Draw error over the judge oracle's against calls per item, for p = 2."""
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    choice = parser.parse_args()
    rows = {
        name: points
        for (name, norm), points in table(choice.table.read_text()).items()
        if norm == "2"
    }
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True)
    for panel, (title, column) in zip(axes, COLUMNS.items(), strict=True):
        for (name, points), colour in zip(rows.items(), COLOURS, strict=False):
            calls = [point[0] for point in points]
            ratio = [float(point[1][column].split()[0]) for point in points]
            panel.plot(calls, ratio, marker="o", markersize=4, color=colour, label=name)
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
