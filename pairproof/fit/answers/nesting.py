"""The likelihood-ratio test of two models of whole answers.

One model lies inside another if every vector of natural parameters that it can take, over all groups of persons, the
other can take too; both are linear in their free parameters, so that column spaces decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import ComparisonError
from .. import inference
from ..fit import Fit
from .numbers import OF_ITEM, AnswerNumbers
from .spec import AnswerSpec

FloatArray = NDArray[np.float64]


def likelihood_ratio(
    fit: Fit, numbers: AnswerNumbers, other: Fit, others: AnswerNumbers
) -> inference.LikelihoodRatio:
    """See :meth:`pairproof.fit.answers.fit.AnswerFit.compare`."""
    _refuse_no_likelihood(fit)
    _refuse_no_likelihood(other)
    if fit.data_digest != other.data_digest:
        raise ComparisonError(
            f"the fits are of different answers: {fit.title}, {numbers.n_persons:.10g} persons, against"
            f" {other.title}, {others.n_persons:.10g}"
        )
    small, large = (
        ((other, others), (fit, numbers)) if fit.rank >= other.rank else ((fit, numbers), (other, others))
    )
    smaller, larger = small[0], large[0]
    if _kind(smaller) != _kind(larger) or not nested(small[1], large[1]):
        raise ComparisonError(
            f"the models are not nested: {smaller.title} is not a special case of {larger.title}; compare AIC"
            + (
                ""
                if _kind(smaller) == _kind(larger) or smaller.model != larger.model
                else " only of models that both model the gaps, or neither"
            )
        )
    df = larger.rank - smaller.rank
    if not df:
        raise ComparisonError(
            f"both models fit {larger.rank} parameters to these data; there is nothing to test"
        )
    statistic = 2.0 * (larger.llf - smaller.llf)
    p = inference.chi_square_p(statistic, df)
    return inference.LikelihoodRatio(statistic, df, p, larger.title, smaller.title)


def _refuse_no_likelihood(fit: Fit) -> None:
    classes = isinstance(fit.spec, AnswerSpec) and fit.spec.classes > 1
    if classes or fit.quasi_likelihood:
        why = (
            "with latent classes; fit.test_classes() tests their number by a bootstrap"
            if classes
            else "because its estimate does not maximise the likelihood"
        )
        raise ComparisonError(f"{fit.title}: a likelihood ratio has no chi-square distribution, {why}")


def _kind(fit: Fit) -> tuple[object, ...]:
    """What two models must share for their likelihoods to be of the same event."""
    spec = fit.spec
    assert isinstance(spec, AnswerSpec)
    return spec.family, bool(spec.alpha), fit.outcome_model


def nested(smaller: AnswerNumbers, larger: AnswerNumbers, tolerance: float = 1e-9) -> bool:
    """Whether every natural parameter that one model can take the other can take too.

    smaller, larger: of the same rows.  tolerance: what is left of a column of length 1 that the others
    determine; rounding leaves 1e-15.
    """
    names = list(dict.fromkeys([*larger.statistics, *smaller.statistics]))
    here = (smaller.row >= 0) & (larger.row >= 0)
    groups = np.stack([smaller.group[smaller.row[here]], larger.group[larger.row[here]]], axis=1)
    pairs = np.unique(groups, axis=0)
    mine = np.concatenate([_under(names, smaller, int(s)) for s, _ in pairs])
    theirs = np.concatenate([_under(names, larger, int(t)) for _, t in pairs])
    length = np.linalg.norm(theirs, axis=0)
    unit = theirs / np.where(length > 0, length, 1.0)
    found, *_ = np.linalg.lstsq(unit, mine, rcond=None)
    left = np.linalg.norm(mine - unit @ found, axis=0)
    return bool((left <= tolerance * np.maximum(np.linalg.norm(mine, axis=0), 1e-300)).all())


def _under(names: Sequence[str], numbers: AnswerNumbers, group: int) -> FloatArray:
    """The map of a group with a row for each of the names; 0 for what the model does not have."""
    out = np.zeros((len(names), numbers.maps[group].shape[1]))
    place = {name: k for k, name in enumerate(names)}
    out[[place[name] for name in numbers.statistics]] = numbers.maps[group]
    # Where natural parameters are those of items, their level says nothing.
    items = np.array([name.startswith(OF_ITEM) for name in names])
    if items.any():
        out[items] -= out[items].mean(axis=0)
    return out
