"""How a budget is spent over a run: on learning the panel, on trials, and round by round."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.learning import Learned
from adjudge.core.panel.repeats import Repeats
from adjudge.core.problem import Evidence, Moments, Problem

_PROBE, _MOST_PROBE, _MOST_PROBE_WHEN_TIGHT = 0.01, 0.05, 0.02
"""Share of the budget that the first look at the panel takes: at least, and at most."""
_PANELS, _PANELS_WHEN_TIGHT = 2.5, 4.0
"""Calls of every judge that the first look pays, within these shares."""
_MOST_START, _MOST_START_WHEN_TIGHT = 0.16, 0.25
"""Share of the budget that learning may take before scoring begins."""
_COMPARED = 0.7
"""The same where judges deviate and must be picked: J over the root of all calls, times this."""
_SPARE = 0.3
"""Share of what one cheap call per item leaves that learning may take."""
_LOSS, _LOSS_WHEN_TIGHT = 0.15, 0.1
"""How much larger the mean squared error may become by items that learning left unasked."""
_CAREFUL_REPEATS, _CAREFUL_NOISE, _CAREFUL_NOISE_OF_YES_OR_NO = 8.0, 0.1, 0.25
"""Repeats below which the start does not trust what it sees of noise, and the share of the
variance of answers that it takes for noise instead."""
_ENOUGH_REPEATS, _SCARCE = 16, 1.2
"""Repeats of a judge after which the start makes no more, and the calls of every pair that the
budget must pay for it to go on making them."""
_MANY_ITEMS, _GROWTH_OF_REPEATS = 1000, 0.75
"""Items from which on more repeats are enough, and the power of their number by which."""
NEARLY = 0.98
"""Share of a goal that is as good as reached: the next item may not fit."""
_HEARING = 0.01
"""Share of the budget that judges who always gave the same answer may have to give another."""
_LONGEST_ROUND = 0.1
"""Share of the budget that is spent before the model is fitted again."""
_FEWEST_CALLS, _MOST_PAIRS = 2.5, 0.8
"""Calls per item from which on judges are to be picked, and the share of all pairs that the budget
must not pay."""
_TRIAL, _FEWEST_TRIALS = 0.1, 4
"""Share of a very large budget that tries out every pair, and the calls of each below which it does
not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How a budget is spent over the run."""

    budget: float
    """The whole of it."""
    tight: bool
    """Whether the budget hardly pays one cheap call per item."""
    probe: float
    """Share of the budget that the first look takes."""
    most: float
    """Share that learning may take before scoring begins."""
    spare: float
    """Share that learning may take of what one cheap call per item leaves."""
    calls_per_item: float
    """Of average price, that the budget pays."""
    judges_per_item: int
    """Judges that compare an item at the start."""
    repeat_every: int
    """Of so many such items, one is asked twice of each."""
    most_repeats: float
    """Repeats, of all judges, after which none is."""
    picky: bool
    """Whether items are shown to several judges, but not to all."""
    looks_ahead: bool = False
    """Whether the start asks whom the rounds will not."""

    @classmethod
    def of(cls, problem: Problem, budget: float) -> Course:
        """The course that suits the whole budget."""
        coverage = problem.cost_of_every_item
        tight = budget < 1.3 * coverage
        panel = problem.cost_of_every_pair / problem.items
        calls = budget / (problem.items * problem.average_cost)
        # What a repeat costs falls with the number of items, what it tells serves all of them.
        growth = max(problem.items / _MANY_ITEMS, 1.0) ** _GROWTH_OF_REPEATS
        if tight:
            probe = min(_PANELS_WHEN_TIGHT * panel / budget, _MOST_PROBE_WHEN_TIGHT)
        else:
            probe = max(_PROBE, min(_PANELS * panel / budget, _MOST_PROBE))
        return cls(
            budget=budget,
            tight=tight,
            probe=probe,
            most=_MOST_START_WHEN_TIGHT if tight else _MOST_START,
            spare=max(0.0, _SPARE * (1 - coverage / budget)),
            calls_per_item=calls,
            judges_per_item=min(problem.judges, 2 if tight else 3),
            repeat_every=5 if tight else 4,
            most_repeats=(
                _ENOUGH_REPEATS * growth * problem.judges
                if budget < _SCARCE * problem.cost_of_every_pair
                else math.inf
            ),
            picky=(
                calls >= _FEWEST_CALLS
                and budget < _MOST_PAIRS * problem.cost_of_every_pair
                and math.isfinite(problem.norm)
            ),
        )

    def picking(self, problem: Problem) -> Course:
        r"""The course once judges are known to deviate, where items are shown to some of them.

        Comparisons of n items tell :math:`J^2/2` covariances, which costs :math:`J^2/n` of the
        error, and calls of judges that would not have been picked :math:`n/K`; both are least for
        n in proportion to :math:`J\sqrt K`. Two judges leave more of an item to those picked later.
        Where most judges are asked of every item, some of them surely, those that are left to be
        picked can be compared on items that the others will answer too.
        """
        calls = self.calls_per_item * problem.items
        most = min(self.most, _COMPARED * problem.judges / math.sqrt(calls))
        return replace(
            self,
            most=most,
            judges_per_item=min(self.judges_per_item, 2),
            looks_ahead=self.calls_per_item > problem.judges / 2,
        )

    @property
    def hearing(self) -> float:
        """Money that judges in doubt may have had when they are heard again."""
        return _HEARING * self.budget

    def start(self, learned: Learned, probed: Moments) -> float:
        r"""Share of the budget after which scoring begins.

        Every call spent on comparing judges may leave an item unasked. That costs the ratio of the
        variances of an item never asked and asked once, as the start shows them so far; where
        money is left after one cheap call per item, it costs less. Few repeats happen to be equal:
        until there are some, answers are taken to be noisier than they look.
        """
        model = learned.model
        toward = model.covariance @ model.weights
        spread, noise = np.diag(model.covariance), learned.noise.by_judge
        repeats = float(Repeats.of(probed).freedom.sum())
        careful = _CAREFUL_NOISE_OF_YES_OR_NO if learned.noise.yes_or_no else _CAREFUL_NOISE
        presumed = _CAREFUL_REPEATS * careful * (spread + noise) + repeats * noise
        falls = toward**2 / (spread + np.maximum(noise, presumed / (_CAREFUL_REPEATS + repeats)))
        before = model.prior_variance
        ratio = before / max(before - float(falls.max()), 1e-9)
        loss = _LOSS_WHEN_TIGHT if self.tight else _LOSS
        share = loss / max(ratio - 1, 1e-3)
        return min(max(share, self.spare, self.probe), max(self.most, self.probe))

    def trials(self, evidence: Evidence, price: FloatArray) -> IntArray:
        """What is missing for every pair to have been tried, where the budget is large; (K, J).

        Rounds never come back to a pair that a few unlucky calls of its judge made look noisy.
        """
        wanted = int(_TRIAL * self.calls_per_item / price.shape[1])
        if wanted < _FEWEST_TRIALS:
            return np.zeros(price.shape, np.int64)
        return np.where(np.isfinite(price), np.maximum(wanted - evidence.calls, 0), 0)

    def round_ends(self, start: float) -> list[float]:
        """Shares of the budget at which rounds end: doubling, until a round is a tenth of it."""
        end, ends = min(max(self.probe, _PROBE), 0.5), [1.0]
        while (end := min(2 * end, end + _LONGEST_ROUND)) < NEARLY:
            ends.append(end)
        return [end for end in sorted(ends) if end > start * (1 + 1e-9)] or [1.0]
