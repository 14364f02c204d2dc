"""The people of the demonstration: stricter than its judges, and with views of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge.cli.demo.topics import Answered

LABELS = 20
_STRICTER, _VIEW = 0.12, 0.05
"""In parts of the scale: how far people are below the truth, and how far they scatter around it."""


def people_say(answers: Sequence[Answered]) -> dict[str, int]:
    """A person's label of each of some answers, picked at random; the same each time."""
    rng = np.random.default_rng(54)
    chosen = np.sort(rng.choice(len(answers), LABELS, replace=False))
    said = {}
    for k in chosen.tolist():
        seen = answers[k].quality - _STRICTER + _VIEW * rng.standard_normal()
        said[answers[k].item.id] = int(np.clip(round(1 + 9 * seen), 1, 10))
    return said
