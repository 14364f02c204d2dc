"""Families of instances by name; each makes random worlds of K items and J judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from adjudge.worlds import (
    panel_families,
    paper_families,
    stress_families,
    system_families,
    unbiased_families,
)
from adjudge.worlds.world import World

Family = Callable[[int, int, np.random.Generator], World]
"""Maps (items, judges, rng) to a world; its docstring describes the family."""

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "paper": paper_families.paper,
        "gaussian": paper_families.gaussian,
        "bad-is-expensive": paper_families.bad_is_expensive,
        "bad-is-cheap": paper_families.bad_is_cheap,
        "uniform-costs": paper_families.uniform_costs,
        "mult": unbiased_families.mult,
        "costs-30x": unbiased_families.costs_30x,
        "rating": unbiased_families.rating,
        "binary": unbiased_families.binary,
        "homoskedastic": unbiased_families.homoskedastic,
        "heavy-tailed": unbiased_families.heavy_tailed,
        "lengths": unbiased_families.lengths,
        "offsets": panel_families.offsets,
        "deviations": panel_families.deviations,
        "offsets-deviations": panel_families.offsets_deviations,
        "constant-judge": panel_families.constant_judge,
        "failing-judge": panel_families.failing_judge,
        "deterministic": stress_families.deterministic,
        "quiet": stress_families.quiet,
        "near-copies": stress_families.near_copies,
        "drift": stress_families.drift,
        "one-end": stress_families.one_end,
        "capped": stress_families.capped,
        "mixed-noise": stress_families.mixed_noise,
        "yes-no": stress_families.yes_no,
        "yes-no-sure": stress_families.yes_no_sure,
        "weak-judge": stress_families.weak_judge,
        "large-offsets": stress_families.large_offsets,
        "missing-pairs": stress_families.missing_pairs,
        "no-shared-items": stress_families.no_shared_items,
        "two-systems": system_families.two_systems,
        "five-systems": system_families.five_systems,
    }
)
"""Every family, the paper's first; score ranges differ, most are 0 to 1."""
