"""A run's calls in a store, as the arrays that strategies use."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.evidence import Evidence, Moments, Phase
from adjudge.judges import Scale
from adjudge.records import Reason
from adjudge.run.identity import Numbers
from adjudge.store import Entries, State

PHASES = (Phase.PILOT, Phase.MAIN)
"""Stores contain indices into this list: never change the order."""
_OUR_OWN_DOING = (Reason.CRASHED, Reason.ABANDONED)
"""Reasons for lost calls that are not the judge's fault; they say nothing about its price."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """Everything bought so far."""

    evidence: Evidence
    """Scores mapped to [0, 1]."""
    following: IntArray
    """The next call's ordinal, for each phase and pair; shape (2, K, J)."""
    answered: IntArray
    """Calls answered; shape (K, J)."""
    requests: IntArray
    """Requests of these calls. Calls that share one pay for its prompt once; shape (K, J)."""
    scored: IntArray
    """Calls that gave a score; shape (K, J)."""
    lost: IntArray
    """Calls that the judge did not answer, charged at their worst case; shape (K, J)."""
    raised: IntArray
    """Calls that ended with an exception of a judge function; shape (K, J)."""
    spent: IntArray
    """Nano-dollars charged; shape (K, J)."""
    presumed: IntArray
    """Calls presumed billed, for whatever reason; shape (K, J)."""
    unstated: IntArray
    """Answers that did not state their cost, charged at their worst case; shape (K, J)."""
    paid_input: FloatArray
    """Nano-dollars charged for the input of answered calls; shape (J,)."""
    paid_output: FloatArray
    """Nano-dollars charged for the output of answered calls; shape (J,)."""

    @classmethod
    def of(cls, entries: Entries, numbers: Numbers, scale: Scale, most_output: IntArray) -> Seen:
        """Counts and moments of the run's own pairs; other entries are ignored."""
        item, judge, own = numbers.places(entries.item, entries.judge)
        shape = most_output.shape
        pair = item * shape[1] + judge
        state = entries.state[own]
        phase, score = entries.phase[own], scale.in_unit(entries.score[own])
        charged = entries.charged[own]
        # An answer that did not state its cost was charged the worst case.
        unknown = most_output[item, judge].astype(np.float64)
        output = entries.charged_output[own]
        silent = np.isnan(output) & (unknown > 0)  # with a price per call, the cost is known
        output = np.where(np.isnan(output), unknown, output)

        def count(where: BoolArray, weights: IntArray | FloatArray | None = None) -> FloatArray:
            chosen = None if weights is None else weights[where]
            flat = np.bincount(pair[where], chosen, minlength=shape[0] * shape[1])
            return flat.reshape(shape).astype(np.float64)

        answered = state == State.SETTLED
        presumed = state == State.PRESUMED
        scored = answered & ~np.isnan(score)
        fault = presumed & ~np.isin(entries.reason[own], _OUR_OWN_DOING)
        following = np.zeros((2, shape[0] * shape[1]), np.int64)
        np.maximum.at(following, (phase, pair), entries.ordinal[own] + 1)
        moments = {
            name: _moments(pair[here], score[here], shape)
            for number, name in enumerate(PHASES)
            for here in [scored & (phase == number)]
        }
        asked = {name: count(phase == n).astype(np.int64) for n, name in enumerate(PHASES)}
        return cls(
            evidence=Evidence(asked=MappingProxyType(asked), moments=MappingProxyType(moments)),
            following=following.reshape(2, *shape),
            answered=count(answered).astype(np.int64),
            requests=count(answered & (charged > output)).astype(np.int64),
            scored=count(scored).astype(np.int64),
            lost=count(fault).astype(np.int64),
            raised=count(presumed & (entries.reason[own] == Reason.RAISED)).astype(np.int64),
            spent=count(state >= 0, charged).astype(np.int64),
            presumed=count(presumed).astype(np.int64),
            unstated=count(answered & silent).astype(np.int64),
            paid_input=count(answered, charged - output).sum(axis=0),
            paid_output=count(answered, output).sum(axis=0),
        )


def _moments(pair: IntArray, score: FloatArray, shape: tuple[int, ...]) -> Moments:
    """Moments of the scores, bit by bit independent of the order in which they arrived."""
    order = np.lexsort((score, pair))
    pair, score = pair[order], score[order]
    size = shape[0] * shape[1]
    n = np.bincount(pair, minlength=size)
    mean = np.bincount(pair, score, minlength=size) / np.maximum(n, 1)
    m2 = np.bincount(pair, np.square(score - mean[pair]), minlength=size).astype(np.float64)
    return Moments(n=n.reshape(shape), mean=mean.reshape(shape), m2=m2.reshape(shape))
