"""Learning the law: expectation-maximisation, and draws from what it leaves possible."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.panel.law import JITTER, LARGEST, Law, Sample, condition, log_likelihood

_STEPS = 25
"""Steps of expectation-maximisation, after which nothing moves that matters."""
_BURN_IN = 4
"""Burn-in, in draws: the sampler starts at the mode."""


def learn_law(sample: Sample, beliefs: Beliefs) -> Law:
    """The posterior mode, by expectation-maximisation.

    Which calls were made may depend on earlier answers: that does not change the likelihood.
    """
    law = Law.believed(len(sample.n), sample.groups, beliefs)
    if not sample.items:
        return law
    common = float((sample.n * sample.mean).sum() / sample.n.sum())
    mean = np.full_like(law.mean, common)
    law = replace(law, mean=mean, group_mean=np.full_like(law.group_mean, common))
    for _ in range(_STEPS):
        law = next_law(law, sample, beliefs)
    return law


def draw_laws(
    law: Law, sample: Sample, beliefs: Beliefs, number: int, *, apart: int, rng: np.random.Generator
) -> list[Law]:
    """Posterior draws: every `apart`-th step of a Gibbs sampler."""
    laws: list[Law] = []
    for step in range((_BURN_IN + number) * apart if number else 0):
        law = next_law(law, sample, beliefs, rng)
        if step >= _BURN_IN * apart and step % apart == apart - 1:
            laws.append(law)
    return laws


def next_law(
    law: Law, sample: Sample, beliefs: Beliefs, rng: np.random.Generator | None = None
) -> Law:
    """One step of expectation-maximisation; with a generator, one of a Gibbs sampler.

    The former takes what is most likely, the latter draws it: first the judges' means, given the
    variances, then the variances, given the means and every item's long-run answers.
    """
    return _next_variances(_next_means(law, sample, beliefs, rng), sample, beliefs, rng)


def _next_means(law: Law, sample: Sample, beliefs: Beliefs, rng: np.random.Generator | None) -> Law:
    r"""The judges' means by group and overall, and the variances of offsets and favours.

    The answers tell the means, whatever the items' own long-run answers are, to the inverse
    covariance :math:`A = \sum_k P_k - P_k C_k P_k` (generalised least squares).
    """
    judges = law.mean.size
    variance, residual = sample.variance(law), sample.residual(law)
    deviation, left = condition(law.covariance, residual, variance)
    precision = 1 / variance
    known = _information(sample, precision, left)
    told = (known @ law.group_mean[:, :, None])[:, :, 0]
    told += sample.by_group(precision * (residual - deviation))
    level = np.full((1, judges), law.mean.mean())
    if sample.groups == 1:
        prior = law.prior_of_means(of_groups=False)
        group_mean = _shrunk(known, told, level, prior, rng)
        mean, favour = group_mean[0], law.favour
    else:
        prior = law.prior_of_means(of_groups=True)
        group_mean = _shrunk(known, told, law.mean[None], prior, rng)
        inverse: FloatArray = np.linalg.inv(prior / sample.groups).astype(np.float64)
        told = (inverse @ group_mean.mean(axis=0))[None]
        prior = law.prior_of_means(of_groups=False)
        mean = _shrunk(inverse[None], told, level, prior, rng)[0]
        # Groups have levels of their own: of m only its contrasts matter.
        mean += group_mean.mean() - mean.mean()
        own = group_mean - mean
        own -= own.mean(axis=1, keepdims=True)
        trust = beliefs.favour_groups * (judges - 1)
        favour = _ratio((own**2).sum(), own.size - len(own), beliefs.favour, trust, rng)
    offset = ((mean - mean.mean()) ** 2).sum()
    return replace(
        law,
        # Means of answers lie on the scale.
        group_mean=np.clip(group_mean, 0.0, 1.0),
        mean=np.clip(mean, 0.0, 1.0),
        offset=_ratio(offset, judges - 1, beliefs.offset, beliefs.offset_judges, rng),
        favour=favour,
    )


def _information(sample: Sample, precision: FloatArray, left: FloatArray) -> FloatArray:
    """A, the inverse covariance to which answers tell the judges' means; shape (S, J, J)."""
    known = -sample.by_group(precision[:, None] * left * precision)
    return known + np.eye(len(precision)) * sample.by_group(precision)[:, :, None]


def log_evidence(law: Law, sample: Sample) -> float:
    r"""Log-likelihood of the answers, with the judges' offsets integrated out (Laplace).

    .. math:: \ell - \tfrac12 \log\det(I + A\Gamma) - \tfrac12 \sum_j (m_j - \bar m)^2 / \tau^2
    """
    variance = sample.variance(law)
    left = condition(law.covariance, sample.residual(law), variance)[1]
    known = _information(sample, 1 / variance, left).sum(axis=0)
    offsets = float(((law.mean - law.mean.mean()) ** 2).sum()) / law.offset
    size = np.linalg.slogdet(np.eye(len(known)) + known @ law.prior_of_means(of_groups=False))[1]
    return log_likelihood(law, sample) - 0.5 * (float(size) + offsets)


def _shrunk(
    known: FloatArray,
    told: FloatArray,
    toward: FloatArray,
    prior: FloatArray,
    rng: np.random.Generator | None,
) -> FloatArray:
    r"""Posterior means, or draws, of the judges' means; shape (S, J).

    .. math:: \theta = m + \Gamma (I + A\Gamma)^{-1} (A\hat\theta - A m)
    """
    system = np.eye(len(prior)) + known @ prior
    left = np.linalg.solve(np.swapaxes(system, 1, 2), np.broadcast_to(prior, system.shape))
    left = (left + np.swapaxes(left, 1, 2)) / 2
    missed = told - (known @ toward[:, :, None])[:, :, 0]
    found: FloatArray = toward + (left @ missed[:, :, None])[:, :, 0]
    if rng is None:
        return found
    drawn = _root(left) @ rng.standard_normal((*found.shape, 1))
    return found + drawn[:, :, 0]


def _next_variances(
    law: Law, sample: Sample, beliefs: Beliefs, rng: np.random.Generator | None
) -> Law:
    r"""The covariance of the long-run answers, and the judges' noise.

    Sums of squares over degrees of freedom, drawn to what is believed by so many more degrees of
    freedom :math:`\nu`:

    .. math:: \Sigma = \frac{\nu S_0 + \sum_k (\mu_k - \theta)(\mu_k - \theta)^\top + C_k}{\nu + K},
              \qquad \beta_j = \frac{\nu b_0 + \sum_k M_{2,kj}/f_{kj}
              + n_{kj}/f_{kj}\,((\bar y_{kj} - \mu_{kj})^2 + C_{k,jj})}{\nu + \sum_k n_{kj}}

    with :math:`S_0` the nearest covariance of judges that agree alike and :math:`b_0` the noise of
    the panel as a whole.

    Where judges need not agree alike, :math:`\beta_j` has only the repeats: the terms with
    :math:`M_{2,kj}` over :math:`\nu + \sum_k (n_{kj} - 1)`.
    """
    variance, residual = sample.variance(law), sample.residual(law)
    if rng is None:
        deviation, left = condition(law.covariance, residual, variance)
    else:
        deviation = _drawn_deviations(law.covariance, residual, variance, rng)
        left = np.zeros((*law.covariance.shape, 1))
    judges = len(deviation)
    # What parts judges from their mean, and how far it is known.
    apart = np.eye(judges) - 1 / judges
    own = deviation - deviation.mean(axis=0)
    shared = left.mean(axis=0)
    shared_own = shared - shared.mean(axis=0)
    spread = np.einsum("jjk->jk", left) - shared - shared_own
    precision = sample.weight / variance
    factor = _factor(
        (precision * (own * (residual - deviation + own) - shared_own)).sum(),
        (precision * (own**2 + spread)).sum(),
        rng,
    )
    scale = np.full((judges, judges), 1 / judges) + factor * apart
    deviation = scale @ deviation
    scatter = (deviation * sample.weight) @ deviation.T
    misfit = (residual - deviation) ** 2
    if rng is None:
        scatter += scale @ np.tensordot(left, sample.weight, axes=1) @ scale
        misfit += shared.mean(axis=0) + 2 * factor * shared_own + factor**2 * spread
    seen = (sample.n > 0) @ sample.weight
    items = float(sample.weight.sum())
    law = replace(law, covariance=_next_covariance(scatter, seen, items, beliefs, rng))
    if beliefs.yes_or_no:
        noise = _noise_of_yes_or_no(law, beliefs)
    else:
        squares, freedom = sample.squares, np.maximum(sample.n - 1, 0)
        # Judges that may deviate in any way explain every misfit: only repeats tell their noise.
        if beliefs.agree_alike:
            squares, freedom = squares + sample.n / sample.factor * misfit, sample.n
        # What has no noise tells nothing of that of the others.
        counted = sample.weight * ~sample.noiseless[:, None]
        squares, freedom = (squares * counted).sum(axis=1), (freedom * counted).sum(axis=1)
        noise = _next_noise(squares, freedom, beliefs, rng)
    return replace(law, noise=np.where(sample.noiseless, beliefs.least_noise, noise))


def _factor(told: float, known: float, rng: np.random.Generator | None) -> float:
    r"""Scale factor of the deviations (parameter expansion).

    The answers give it a normal law, :math:`\bar y - \theta = \bar d + \alpha (d - \bar d) + e`.
    Without it a fit that once took judges to differ would need very many steps to find that they
    do not (Liu, Rubin and Wu 1998; Gelman 2006). Its prior N(1, 1) keeps it finite where no
    answer tells it.
    """
    told, known = told + 1, known + 1
    return told / known + (0.0 if rng is None else rng.standard_normal() / math.sqrt(known))


def _drawn_deviations(
    covariance: FloatArray, residual: FloatArray, variance: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Deviations drawn from their law given the answers; (J, K).

    A draw that knows nothing of the answers, moved by what its own answers miss (Matheron's rule).
    """
    free = _root(covariance) @ rng.standard_normal(residual.shape)
    asked = np.isfinite(variance)
    noise = np.sqrt(np.where(asked, variance, 0.0)) * rng.standard_normal(residual.shape)
    missed = np.where(asked, residual - free - noise, 0.0)
    return free + condition(covariance, missed, variance)[0]


def _next_covariance(
    scatter: FloatArray,
    seen: FloatArray,
    items: float,
    beliefs: Beliefs,
    rng: np.random.Generator | None,
) -> FloatArray:
    """Σ, shrunk to equal correlations; shape (J, J)."""
    judges = len(scatter)
    scale = scatter + beliefs.likeness_items * _alike(scatter, seen, items, beliefs)
    freedom = items + beliefs.likeness_items
    if rng is None or freedom > 1e9:
        return scale / freedom
    # An inverse Wishart law, by Bartlett's triangle.
    degrees = max(freedom, judges + 2.0)
    triangle = np.tril(rng.standard_normal((judges, judges)), -1)
    triangle[np.diag_indices(judges)] = np.sqrt(rng.chisquare(degrees - np.arange(judges)))
    root = np.linalg.solve(triangle, _root(scale).T)
    root *= np.minimum(1, np.sqrt(LARGEST / (root**2).sum(axis=0)))
    return root.T @ root


def _alike(scatter: FloatArray, seen: FloatArray, items: float, beliefs: Beliefs) -> FloatArray:
    """The covariance in which all judges agree alike and vary nearly alike; shape (J, J).

    Long-run answers of items that a judge was not asked about say nothing of its variance: they
    are guesses, from that variance.
    """
    judges = len(scatter)
    own = np.diag(scatter) * seen / max(items, JITTER)
    usual = (float(own.mean()) + beliefs.law_items * beliefs.spread) / (
        float(seen.mean()) + beliefs.law_items
    )
    trust = beliefs.spread_likeness_items
    root = np.sqrt(np.clip((own + trust * usual) / (seen + trust), JITTER, LARGEST))
    ratio = scatter / np.outer(root, root)
    between = float(ratio.sum() - np.trace(ratio)) / max(judges * (judges - 1), 1)
    trust = beliefs.law_items
    agreement = (between + trust * beliefs.agreement) / (float(np.trace(ratio)) / judges + trust)
    agreement = min(max(agreement, 0.0), 1 - 1e-9)
    alike: FloatArray = np.outer(root, root) * (agreement + (1 - agreement) * np.eye(judges))
    return alike


def _next_noise(
    squares: FloatArray, freedom: FloatArray, beliefs: Beliefs, rng: np.random.Generator | None
) -> FloatArray:
    """β, shrunk to the noise of the panel as a whole; shape (J,)."""
    panel = _ratio(float(squares.sum()), float(freedom.sum()), beliefs.noise, beliefs.noise_repeats)
    trust = beliefs.noise_likeness_repeats
    noise = (trust * panel + squares) / (trust + freedom)
    if rng is not None:
        noise = noise * (trust + freedom) / rng.chisquare(trust + freedom)
    return np.clip(noise, beliefs.least_noise, LARGEST)


def _noise_of_yes_or_no(law: Law, beliefs: Beliefs) -> FloatArray:
    """What is not spread over items of the variance m(1 - m) of yes and no; shape (J,)."""
    answers = law.mean * (1 - law.mean)
    least = np.maximum(beliefs.least_share_of_noise * answers, beliefs.least_noise)
    return np.maximum(answers - np.diag(law.covariance), least)


def _ratio(
    squares: float,
    freedom: float,
    belief: float,
    trust: float,
    rng: np.random.Generator | None = None,
) -> float:
    """Posterior mean, or a draw, of a variance (scaled inverse chi-square)."""
    if trust + freedom <= 0:
        return belief
    found = (trust * belief + squares) / (trust + freedom)
    if rng is not None:
        found *= (trust + freedom) / float(rng.chisquare(trust + freedom))
    return min(found, LARGEST)


def _root(covariance: FloatArray) -> FloatArray:
    """A square root, also of a matrix that is singular; shapes (..., J, J)."""
    values, vectors = np.linalg.eigh(covariance)
    scaled = vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    # The symmetric one: the signs of eigenvectors are arbitrary, and draws must not be.
    root: FloatArray = scaled @ np.swapaxes(vectors, -1, -2)
    return root
