"""Every prior and threshold of the panel model."""

from __future__ import annotations

from dataclasses import dataclass, replace

_SURE = 1e12
"""Prior weight that no data outweigh."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beliefs:
    """Priors and thresholds, on the scale 0 to 1; variances unless a unit is named."""

    # The law of the judges' long-run answers.
    spread: float = 1 / 16
    """Variance of a judge's long-run answers over items (standard deviation 0.25)."""
    agreement: float = 0.7
    """Correlation of two judges, as recorded panels of language models have it."""
    law_items: float = 0.5
    """Prior weight of spread and agreement, in items: any data outweigh it."""
    likeness_items: float = 12.0
    """Prior weight of equal correlations, in items."""
    spread_likeness_items: float = 4.0
    """Prior weight of equal variances, in items."""
    one_score: float = 0.3
    """Prior probability that judges differ only by offsets and noise."""
    offset: float = 0.0025
    """Variance of judges' offsets: about 5 % of the scale."""
    offset_judges: float = 1.0
    """Prior weight, in judges: offsets of 40 % of the scale occur."""
    favour: float = 0.001
    """Variance of judge-by-group effects: about 3 % of the scale."""
    favour_groups: float = 2.0
    """Prior weight, in groups."""

    fewest_group_items: float = 4.0
    """Items per group below which groups have no means of their own."""

    # The noise of single calls.
    noise: float = 0.01
    """Variance of one call: a standard deviation of a tenth of the scale."""
    noise_repeats: float = 2.0
    """Prior weight for the panel as a whole, in repeats."""
    noise_likeness_repeats: float = 4.0
    """Prior weight of equal noise of all judges, in repeats."""
    least_noise: float = 1e-5
    """Smallest noise variance: equal repeats do not prove that there is none."""
    yes_or_no: bool = False
    """Whether answers are binary: noise is m(1 - m) less the variance over items."""
    least_share_of_noise: float = 0.05
    """Smallest share of m(1 - m) that is noise: few items do not prove that there is none."""

    # Departures from a normal law.
    fewest: float = 20.0
    """Items seen by several judges, or repeats, needed to learn what items have of their own."""
    skewness: float = 0.3
    """Standard deviation of the skewness of scores."""
    farthest_level: float = 2.5
    """Standard deviations beyond which the expansion around a normal law is cut."""

    # Judges that tell nothing.
    constant_chance: float = 0.01
    """Significance level of the test for a constant judge."""
    constant_answers: float = 6.0
    """Equal answers below which it never is."""
    constant_pairs: float = 3.0
    """Prior weight of equal repetition rates, in pairs of answers."""
    slope: float = 0.25
    """Regression slope on the others' mean below which a judge does not follow them."""
    slope_errors: float = 3.0
    """Standard errors by which the slope must lie below."""

    # The course of a run.
    learning: float = 0.5
    """Share of the budget spent on comparing judges first, times J over the root of all calls."""
    most_learning: float = 0.08
    """That share at most, where the budget pays one cheap call per item."""
    spare_learning: float = 0.3
    """Share of what one cheap call per item leaves that comes to it."""
    curiosity: float = 0.5
    """Largest share of the items that are planned for drawn panels."""
    longest_round: float = 0.1
    """Longest round, as a share of the budget."""

    @property
    def agree_alike(self) -> bool:
        """Whether all pairs of judges have one correlation."""
        return self.likeness_items >= _SURE

    def that_judges_agree_alike(self, *, vary_alike: bool = True) -> Beliefs:
        """These, with one correlation for all pairs of judges, and one variance if they do."""
        spreads = _SURE if vary_alike else self.spread_likeness_items
        return replace(
            self, likeness_items=_SURE, spread_likeness_items=spreads, law_items=1 / _SURE
        )

    def that_judges_measure_one_score(self) -> Beliefs:
        """These, with no deviations but offsets."""
        alike = self.that_judges_agree_alike()
        return replace(
            alike, agreement=1 - 1e-9, law_items=_SURE, favour=1e-12, favour_groups=_SURE
        )

    def without_offsets(self) -> Beliefs:
        """These, with one mean for all judges."""
        return replace(self, offset=1 / _SURE, offset_judges=_SURE)


YES_OR_NO = replace(Beliefs(), yes_or_no=True, noise=0.1, skewness=0.0)
"""Of judges that only say yes or no."""

UNBIASED = replace(Beliefs().without_offsets(), one_score=1.0)
"""Of judges that measure one score without offsets, as in the paper."""
