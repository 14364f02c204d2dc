r"""People as one more column of the panel.

With :math:`\mu_{kh} = a + \beta^\top \mu_k + \varepsilon_k` the long-run answers of judges and
people are jointly normal, and the target is :math:`\pi = e_h`:

.. math:: \Sigma_h = \begin{pmatrix} \Sigma & \Sigma\beta \\ \beta^\top\Sigma &
          \beta^\top\Sigma\beta + s^2 \end{pmatrix}

A panel with one more judge, which cannot be asked, therefore gives scores, plans and forecasts on
the people's scale.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import FloatArray
from adjudge.core.evidence import Evidence, Moments, Phase
from adjudge.core.forecasts import believed_panel
from adjudge.core.labels import Labels
from adjudge.core.panel.guard import Guard, Guarding
from adjudge.core.panel.law import Law
from adjudge.core.panel.learning import Learned, Target, learn
from adjudge.core.panel.model import Answers, PanelModel, in_blocks
from adjudge.core.people.calibration import Calibration, Labelled, calibrate
from adjudge.core.problem import Problem
from adjudge.core.requests import Requests
from adjudge.errors import InputError

Kind = TypeVar("Kind", np.float64, np.int64, np.bool_)


def is_anchored(problem: Problem, target: Target) -> bool:
    """Whether scores are on the people's scale: it is the target, and there are labels."""
    return (
        target is Target.REFERENCE and problem.labels is not None and problem.labels.item.size > 0
    )


def labels_of(problem: Problem) -> Labels:
    """The labels; an InputError if there are none."""
    if problem.labels is None or not problem.labels.item.size:
        raise InputError("labels", "there are none", "give the labels of some items")
    return problem.labels


def _labels_or_none(problem: Problem) -> Labels:
    """The labels, empty if there are none."""
    if problem.labels is not None:
        return problem.labels
    return Labels.of(
        np.empty(0, np.int64), np.empty(0), items=problem.items, scale=problem.score_range
    )


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predicted labels, on the scale 0 to 1."""

    label: FloatArray
    """Expected mean label; shape (K,)."""
    variance: FloatArray
    """Predictive variance of the mean label; shape (K,)."""
    gain: FloatArray
    """Derivative of `label` by each judge's mean; shape (K, J)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Anchored:
    """The fitted panel and the regression of people on it."""

    learned: Learned
    """Fitted to all but constant judges: the labels, not the guard, decide on the others."""
    calibration: Calibration

    def predictions(self) -> Predictions:
        """Predicted labels of all items, without using an item's own label as evidence."""
        found, scores, model = self.calibration, self.learned.scores, self.learned.model

        def of_block(rows: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
            answers = model.part(rows).answers(scores.n[rows], scores.mean[rows])
            toward = np.einsum("ijk,j->ik", answers.left, found.slopes)
            likely = expected(answers)
            return (
                found.predicted(likely),
                found.slopes @ toward + found.residual + found.doubt_of(likely),
                (toward * answers.precision).T,
            )

        parts = in_blocks(model.items, of_block)
        return Predictions(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def learn_people(
    problem: Problem,
    evidence: Evidence,
    *,
    draws: int = 32,
    rng: np.random.Generator | None = None,
    learned: Learned | None = None,
) -> Anchored:
    """Fit the panel to calls and people to labels, on the scale 0 to 1.

    `learned` is an existing fit to the calls that leaves out only constant judges.
    """
    if not evidence.pooled.n.any():
        learned = believed_panel(problem, evidence)
    elif learned is None:
        learned = learn(problem, evidence, guarding=Guarding.ASK, draws=draws, rng=rng)
    model = learned.model
    return Anchored(
        learned=learned,
        calibration=_calibration(_labels_or_none(problem), learned, model, problem.weights),
    )


def people_column(
    problem: Problem, evidence: Evidence, *, draws: int, rng: np.random.Generator
) -> Learned:
    """The panel with people in its last column; each draw of the law has its own draw of (a, β).

    The items' own labels are ignored. A plan that skipped labelled items would make them
    unrepresentative: their prediction errors would not apply to the other items.
    """
    anchored = learn_people(problem, evidence, draws=draws, rng=rng)
    learned, labels = anchored.learned, _labels_or_none(problem)
    laws = []
    for law in learned.laws:
        model = learned.under(law)
        found = _calibration(labels, learned, model, problem.weights)
        drawn = rng.multivariate_normal(
            np.concatenate([[found.level], found.slopes]), found.doubt, method="eigh"
        )
        laws.append(
            _with_column(
                law,
                replace(found, level=float(drawn[0]), slopes=np.maximum(drawn[1:], 0.0)),
                labels,
            )
        )
    law = _with_column(learned.law, anchored.calibration, labels)
    items, judges = learned.scores.n.shape
    off = np.append(learned.guard.off, False)
    return replace(
        learned,
        model=PanelModel(
            mean=law.group_mean,
            group=learned.model.group,
            covariance=law.covariance,
            noise=_beside(learned.model.noise, law.noise[-1]),
            weights=np.broadcast_to(np.arange(judges + 1) == judges, (items, judges + 1)).astype(
                np.float64
            ),
            hardness=np.ones(items),
        ),
        law=law,
        laws=tuple(laws),
        factors=replace(learned.factors, of_pairs=_beside(learned.factors.of_pairs, 1.0)),
        scores=_with_nothing(learned.scores),
        guard=Guard(constant=off, astray=np.zeros(judges + 1, bool), off=off),
        target=Target.REFERENCE,
    )


def with_people(problem: Problem, evidence: Evidence) -> tuple[Problem, Evidence]:
    """The problem and the evidence with a last column for people, which cannot be asked.

    Scores are on the scale of the labels.
    """
    labels = labels_of(problem)
    price = problem.price_per_call
    dearest = price.max(axis=1, keepdims=True)
    requests, noiseless = problem.requests, problem.noiseless
    if requests is not None:
        requests = Requests(
            first=_beside(requests.first, np.inf),
            again=_beside(requests.again, np.inf),
            together=np.append(requests.together, 1),
        )
    one_more = replace(
        problem,
        price_per_call=np.concatenate([price, dearest], axis=1),
        weights=np.append(np.zeros(problem.judges), 1.0),
        mask=_beside(problem.mask, False),
        exists=_beside(problem.exists, True),
        score_range=labels.scale,
        yes_or_no=False,
        requests=requests,
        noiseless=None if noiseless is None else np.append(noiseless, False),
        labels=None,
    )
    low, ratio = problem.score_range[0], labels.width / problem.score_width
    return one_more, Evidence(
        asked=MappingProxyType(
            {phase: _beside(asked, 0) for phase, asked in evidence.asked.items()}
        ),
        moments=MappingProxyType(
            {
                phase: _with_nothing(
                    Moments(
                        n=evidence.moments[phase].n,
                        mean=labels.scale[0] + ratio * (evidence.moments[phase].mean - low),
                        m2=ratio**2 * evidence.moments[phase].m2,
                    )
                )
                for phase in Phase
            }
        ),
    )


def _calibration(
    labels: Labels, learned: Learned, model: PanelModel, weights: FloatArray
) -> Calibration:
    """The calibration of people on this panel."""
    items = labels.labelled
    own, scores = model.part(items), learned.scores
    answers = own.answers(scores.n[items], scores.mean[items])
    n = labels.n[items]
    return calibrate(
        Labelled(
            label=labels.unit(labels.mean[items]),
            noise=labels.noise / labels.width**2 / n,
            answers=expected(answers),
            left=answers.left,
        ),
        np.where(learned.follow, weights, 0.0) / weights[learned.follow].sum(),
        np.clip(model.mean.mean(axis=0), 0.0, 1.0),
    )


def expected(answers: Answers) -> FloatArray:
    """Posterior means of the judges' long-run answers, clipped to the scale; shape (K, J)."""
    # After very few calls the fitted means may be far off the scale.
    model = answers.model
    found: FloatArray = np.clip(answers.deviation.T + model.mean[model.group], 0.0, 1.0)
    return found


def _with_column(law: Law, found: Calibration, labels: Labels) -> Law:
    """The joint law of judges and people."""
    slopes = found.slopes
    toward = law.covariance @ slopes
    own = float(slopes @ toward) + found.residual
    covariance = np.block([[law.covariance, toward[:, None]], [toward[None], np.array([[own]])]])
    group_mean = np.concatenate([law.group_mean, found.predicted(law.group_mean)[:, None]], axis=1)
    return replace(
        law,
        group_mean=group_mean,
        mean=np.append(law.mean, found.predicted(law.mean)),
        covariance=covariance,
        noise=np.append(law.noise, max(labels.noise / labels.width**2, 1e-5)),
    )


def _with_nothing(moments: Moments) -> Moments:
    """The moments with an empty last column."""
    return Moments(
        n=_beside(moments.n, 0), mean=_beside(moments.mean, 0.0), m2=_beside(moments.m2, 0.0)
    )


def _beside(array: npt.NDArray[Kind], value: float) -> npt.NDArray[Kind]:
    """The array (K, J) with a last column of this value."""
    column: npt.NDArray[Kind] = np.full((len(array), 1), value, array.dtype)
    return np.concatenate([array, column], axis=1)
