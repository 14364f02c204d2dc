"""Numbers as text: scores, money, shares and counts."""

from __future__ import annotations

import math

from adjudge.records import NANO, Money

UNKNOWN = "–"
"""Shown in place of an unknown number."""


def digits_for(width: float) -> int:
    """Decimals for scores on a scale of this width: 3 for 0..1, 2 for 1..10."""
    return min(max(math.ceil(2.4 - math.log10(width)), 0), 9)


def score_text(value: float | None, digits: int, *, signed: bool = False) -> str:
    """The score with `digits` decimals, and a real minus sign."""
    if value is None or math.isnan(value):
        return UNKNOWN
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    if float(text) == 0:
        text = f"{0:.{digits}f}"
    return text.replace("-", "−")


def label_text(value: float | None) -> str:
    """The label without trailing zeros; empty if there is none."""
    return "" if value is None else f"{value:.3g}".replace("-", "−")


def range_text(low: float | None, high: float | None, digits: int) -> str:
    """`6.12 to 7.48`."""
    if low is None or high is None:
        return UNKNOWN
    return f"{score_text(low, digits)} to {score_text(high, digits)}"


def money_text(amount: Money | float | None) -> str:
    """Nano-dollars with about three significant digits: `$12.34`, `$0.392`, `$0.00037`, `$0`."""
    if amount is None or math.isnan(amount):
        return UNKNOWN
    value = amount / NANO
    if value == 0:
        return "$0"
    if value >= 1:
        return f"${value:,.2f}"
    return f"${value:.{min(2 - math.floor(math.log10(value)), 9)}f}"


def round_money_text(amount: Money | float) -> str:
    """The same without trailing zeros: `$0.02`, `$5`, `$1,000`."""
    text = money_text(amount)
    return text.rstrip("0").rstrip(".") if "." in text else text


def share_text(share: float | None) -> str:
    """`12 %`, `0.4 %`, `<0.1 %`."""
    if share is None or math.isnan(share):
        return UNKNOWN
    percent = 100 * share
    if 0 < percent < 0.1:
        return "<0.1 %"
    if percent < 9.95 and not math.isclose(percent, round(percent), abs_tol=0.05):
        return f"{percent:.1f} %"
    return f"{percent:.0f} %"


def count_text(number: int, one: str, many: str | None = None) -> str:
    """`1 call`, `1,204 calls`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(names: list[str], *, most: int = 4) -> str:
    """`a, b and c`; `a, b, c and 12 more`."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1:,} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def norm_name(norm: float) -> str:
    """1, 2, 1.5, inf."""
    return "inf" if norm == math.inf else f"{norm:g}"


def error_name(norm: float) -> str:
    """The name of the error per item in this norm."""
    names = {1.0: "mean absolute error", 2.0: "root mean square error", math.inf: "largest error"}
    return names.get(norm, f"{norm_name(norm)}-mean error")
