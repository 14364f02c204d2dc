"""The figure in `docs/method.md`: a fit, a plan and intervals for one simulated panel.

`python -m benchmarks.method_figure` draws it again.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from adjudge.core.arrays import FloatArray
from adjudge.core.evidence import Allocation, Evidence, Moments
from adjudge.core.panel import Learned, learn
from adjudge.core.panel.paths import Limits, build_paths, merging_order
from adjudge.core.panel.summary import panel_estimate
from adjudge.core.problem import Problem
from adjudge.core.requests import Requests

OUTPUT = Path(__file__).parents[1] / "docs" / "method.png"
ITEMS = 60
PRICE = np.array([1.0, 2.0, 3.0])
MEAN = np.array([0.62, 0.50, 0.52])
DEVIATION = np.array([0.09, 0.07, 0.08])
NOISE = np.array([0.09, 0.06, 0.02])
SPREAD = 0.18
COLOURS = ("#e69f00", "#56b4e9", "#0072b2")
NAMES = ("cheap judge", "middle judge", "dear judge")
BUDGET = 380.0


def main() -> None:
    """Simulate one panel, and draw its fit, its plan and its intervals."""
    rng = np.random.default_rng(5)
    covariance = SPREAD**2 + np.diag(DEVIATION**2)
    answers = rng.multivariate_normal(MEAN, covariance, size=ITEMS)
    problem = Problem.of(PRICE, items=ITEMS, confidence=0.9)
    evidence = _seen(problem, answers, rng)
    learned = learn(problem, evidence, rng=np.random.default_rng(1))
    figure = Figure(figsize=(12.5, 4.2), layout="constrained")
    fit, plan, intervals = figure.subplots(1, 3)
    _draw_fit(fit, evidence.pooled, learned, covariance)
    _draw_plan(plan, problem, evidence, learned)
    _draw_intervals(intervals, problem, evidence, learned, answers.mean(axis=1))
    figure.savefig(OUTPUT, dpi=110)


def _seen(problem: Problem, answers: FloatArray, rng: np.random.Generator) -> Evidence:
    """Evidence in which every item has one judge, some two or three, and some repeats."""
    counts = np.zeros(answers.shape, np.int64)
    counts[:, 0] = 1
    counts[:24, 1] = 1
    counts[::4, 0] = 2
    counts[:12, 2] = 1
    noise = NOISE / np.sqrt(np.maximum(counts, 1)) * rng.standard_normal(counts.shape)
    squares = NOISE**2 * np.where(counts > 1, rng.chisquare(1, counts.shape), 0.0)
    scores = Moments(n=counts, mean=np.where(counts > 0, answers + noise, 0.0), m2=squares)
    return Evidence.none(problem).plus(Allocation(counts=counts), scores)


def _draw_fit(axes: Axes, seen: Moments, learned: Learned, truth: FloatArray) -> None:
    both = (seen.n[:, 0] > 0) & (seen.n[:, 1] > 0)
    for law in learned.laws[::2]:
        axes.plot(*_ellipse(law.mean[:2], law.covariance[:2, :2]), color="#bbbbbb", linewidth=0.7)
    axes.plot(*_ellipse(learned.law.mean[:2], learned.law.covariance[:2, :2]), color="black")
    axes.plot(*_ellipse(MEAN[:2], truth[:2, :2]), color="#d55e00", linestyle="--")
    axes.scatter(seen.mean[both, 0], seen.mean[both, 1], s=14, color="black", zorder=3)
    axes.set(
        title="1. The fit", xlabel="cheap judge's answer", ylabel="middle judge's answer",
        xlim=(0, 1.15), ylim=(0, 1.15),
    )  # fmt: skip
    axes.legend(
        [Line2D([], [], color=c, linestyle=s) for c, s in _LINES],
        ["posterior draws", "their mean", "truth"], frameon=False, loc="upper left",
    )  # fmt: skip


_LINES = (("#bbbbbb", "-"), ("black", "-"), ("#d55e00", "--"))


def _ellipse(mean: FloatArray, covariance: FloatArray) -> FloatArray:
    """The 80 % contour of a bivariate normal distribution; shape (2, points)."""
    turn = np.linspace(0, 2 * math.pi, 100)
    radius = math.sqrt(-2 * math.log(0.2))
    root = np.linalg.cholesky(covariance + 1e-12 * np.eye(2))
    ellipse: FloatArray = mean[:, None] + radius * root @ np.array([np.cos(turn), np.sin(turn)])
    return ellipse


def _draw_plan(axes: Axes, problem: Problem, evidence: Evidence, learned: Learned) -> None:
    price, limits = Requests.of_one_call(problem.price), Limits(money=40.0)
    steps = build_paths([learned.model], evidence.pooled.n, price, norm=2.0, limits=limits)
    rates = merging_order(steps, 2.0)
    order = np.argsort(-rates, kind="stable")
    cost, judge = steps.cost[order], steps.judge[order]
    end = np.cumsum(cost)
    shown = end < 1.5 * BUDGET
    for j, (colour, name) in enumerate(zip(COLOURS, NAMES, strict=True)):
        own = shown & (judge == j)
        left, height = (end - cost)[own], 1000 * rates[order][own]
        axes.bar(left, height, cost[own], align="edge", color=colour, label=name)
    axes.axvline(BUDGET, ymax=0.7, color="black", linestyle=":")
    axes.text(BUDGET, axes.get_ylim()[1] * 0.6, " budget", va="top")
    axes.set(
        title="2. The plan: all items' next steps, merged", xlabel="money spent",
        ylabel="fall of the variance per price (x 1000)",
    )  # fmt: skip
    axes.legend(frameon=False)


def _draw_intervals(
    axes: Axes, problem: Problem, evidence: Evidence, learned: Learned, truth: FloatArray
) -> None:
    estimate = panel_estimate(problem, evidence, learned)
    interval = estimate.interval()
    judges = np.count_nonzero(evidence.pooled.n, axis=1)
    order = np.concatenate([np.flatnonzero(judges == number)[:10] for number in (1, 2, 3)])
    place = np.arange(order.size)
    axes.vlines(place, interval.low[order], interval.high[order], color="#999999", linewidth=2)
    axes.scatter(place, estimate.score[order], s=12, color="black", zorder=3, label="score")
    axes.scatter(place, truth[order], s=22, marker="x", color="#d55e00", zorder=3, label="truth")
    axes.set(title="3. The intervals (90 %)", ylabel="what the panel would say")
    axes.set_xticks([4.5, 14.5, 24.5], ["1 judge seen", "2 judges", "3 judges"])
    axes.legend(frameon=False)


if __name__ == "__main__":
    main()
