"""Points of many runs as curves: means, quantiles, paired ratios and starting budgets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.simulate.summary import paired_ratio
from adjudge.studies.points import Limit, LowerBound, Unit

LOW, HIGH = 0.1, 0.9
"""The quantiles of the band."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """The errors of one strategy at one norm, for every budget it accepts in all runs."""

    panel: str
    norm: float
    strategy: str
    budget: FloatArray
    """Ascending; shape (B,)."""
    errors: FloatArray
    """One row per budget, one column per run; shape (B, runs)."""
    begins: float
    """The smallest budget accepted in every run."""

    @property
    def mean(self) -> FloatArray:
        """Mean error over the runs; shape (B,)."""
        mean: FloatArray = self.errors.mean(axis=1)
        return mean

    @property
    def low(self) -> FloatArray:
        """The 10 % quantile; shape (B,)."""
        quantile: FloatArray = np.quantile(self.errors, LOW, axis=1)
        return quantile

    @property
    def high(self) -> FloatArray:
        """The 90 % quantile; shape (B,)."""
        quantile: FloatArray = np.quantile(self.errors, HIGH, axis=1)
        return quantile


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratio:
    """One curve's mean error divided by another's in the same runs, at shared budgets."""

    budget: FloatArray
    """Ascending; shape (B,)."""
    value: FloatArray
    """Shape (B,)."""
    error: FloatArray
    """Standard error; nan with a single run; shape (B,)."""

    @property
    def below(self) -> FloatArray:
        """Standard errors by which the ratio is below 1; negative if it is above; shape (B,)."""
        gap = 1 - self.value
        varies = self.error > 0
        # Zero error means that all runs agree. A single run (nan) proves nothing.
        certain = np.where((self.error == 0) & (gap != 0), np.sign(gap) * math.inf, 0.0)
        return np.where(varies, gap / np.where(varies, self.error, 1), certain)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curves:
    """All curves of a study, with their reference values."""

    curves: tuple[Curve, ...]
    bounds: tuple[LowerBound, ...]
    limits: tuple[Limit, ...]
    runs: int

    @classmethod
    def of(cls, units: Iterable[Unit]) -> Curves:
        """The curves of finished runs, in whatever order they finished."""
        units = sorted(units, key=lambda unit: unit.run)
        errors: dict[tuple[str, float, str], dict[float, list[float]]] = {}
        begins: dict[tuple[str, float, str], float] = {}
        for unit in units:
            for start in unit.starts:
                key = (start.panel, start.norm, start.strategy)
                begins[key] = max(begins.get(key, 0.0), start.budget)
                errors.setdefault(key, {})
            for point in unit.points:
                key = (point.panel, point.norm, point.strategy)
                errors[key].setdefault(point.budget, []).append(point.error)
        curves = []
        for key, by_budget in errors.items():
            # Means over different subsets of runs would compare different instances.
            full = sorted(b for b, values in by_budget.items() if len(values) == len(units))
            curves.append(
                Curve(
                    panel=key[0],
                    norm=key[1],
                    strategy=key[2],
                    budget=np.array(full),
                    errors=np.array([by_budget[b] for b in full]).reshape(len(full), len(units)),
                    begins=begins[key],
                )
            )
        return cls(
            curves=tuple(curves),
            bounds=tuple(bound for unit in units for bound in unit.bounds),
            limits=tuple(limit for unit in units for limit in unit.limits),
            runs=len(units),
        )

    def curve(self, panel: str, norm: float, strategy: str) -> Curve | None:
        """The curve, or None if the strategy was not in the study or accepted no budget."""
        for curve in self.curves:
            if (curve.panel, curve.norm, curve.strategy) == (panel, norm, strategy):
                return curve if curve.budget.size else None
        return None

    def begins(self, panel: str, norm: float, strategy: str) -> float:
        """The smallest budget that a strategy accepts in every run; nan if unknown."""
        own = [
            curve.begins
            for curve in self.curves
            if (curve.panel, curve.norm, curve.strategy) == (panel, norm, strategy)
        ]
        return own[0] if own else math.nan

    def bound(self, panel: str, norm: float, kind: str) -> Sequence[LowerBound]:
        """The bound of this kind, once per run."""
        return [
            bound
            for bound in self.bounds
            if (bound.panel, bound.norm, bound.kind) == (panel, norm, kind)
        ]

    def limit(self, panel: str, norm: float, strategy: str) -> float:
        """Mean over runs of the asymptotic error; nan if not computed."""
        found = [
            limit.error
            for limit in self.limits
            if (limit.panel, limit.norm, limit.strategy) == (panel, norm, strategy)
        ]
        return float(np.mean(found)) if found else math.nan


def ratio(curve: Curve, reference: Curve) -> Ratio:
    """The ratio of mean errors in paired runs, at the shared budgets."""
    shared, own, other = np.intersect1d(curve.budget, reference.budget, return_indices=True)
    pairs = [
        paired_ratio(curve.errors[i], reference.errors[j]) for i, j in zip(own, other, strict=True)
    ]
    return Ratio(
        budget=shared,
        value=np.array([value for value, _ in pairs]),
        error=np.array([error for _, error in pairs]),
    )
