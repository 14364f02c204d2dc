"""The people of the demonstration: stricter than its judges, and with deviations of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge.cli.demo.topics import Answered

LABELS = 20
_STRICTER, _VIEW = 0.12, 0.05
"""People's mean distance below the truth, and its standard deviation; fractions of the scale."""


def people_say(answers: Sequence[Answered]) -> dict[str, int]:
    """One person's labels of some answers, picked at random; the same each time."""
    rng = np.random.default_rng(54)
    chosen = np.sort(rng.choice(len(answers), LABELS, replace=False))
    said = {}
    for k in chosen.tolist():
        seen = answers[k].quality - _STRICTER + _VIEW * rng.standard_normal()
        said[answers[k].item.id] = int(np.clip(round(1 + 9 * seen), 1, 10))
    return said
