"""Families of instances, by name: each makes a random world of K items and J judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from adjudge.worlds import panel_families, paper_families, unbiased_families
from adjudge.worlds.world import World

Family = Callable[[int, int, np.random.Generator], World]
"""(items, judges, rng) to a world; the docstring says what kind."""

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
    }
)
"""Every family, the paper's first. All scores lie in [0, 1], but those of `gaussian`."""
