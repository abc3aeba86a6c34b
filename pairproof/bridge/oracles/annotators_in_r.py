"""What base R says of annotators: one factor by factanal and by optim, agreement, repeats and degraded items.

The arithmetic is R's own wherever R has it: ``factanal``, ``aov``, ``scale``, ``cor``, ``wilcox.test``,
``qchisq``; Krippendorff's alpha is added up over all pairs of scores, which no formula by sums of squares is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..packages.asking import Floats, RAnswer, ask, asks, program, reals
from ..process.policy import BackendLike

FACTANAL = program(__package__, "annotators/factanal")

MARGINAL = program(__package__, "annotators/marginal")


@dataclass(frozen=True, eq=False)
class OneFactor(RAnswer):
    """Annotators by one factor.  mean, loading, noise, correlation float[annotators]."""

    mean: Floats
    loading: Floats
    noise: Floats
    correlation: Floats
    loglik: float


@asks()
def factanal(scores: Floats, *, backend: BackendLike = None) -> OneFactor:
    """R's ``factanal(scores, 1)`` in the units of scores float[items, annotators]."""
    return OneFactor.read(ask(backend, "stats::factanal", FACTANAL, {"M": reals(scores)}))


@asks()
def one_factor_with_gaps(
    y: Floats, item: Sequence[int], annotator: Sequence[int], *, backend: BackendLike = None
) -> OneFactor:
    """The same of y, item, annotator [n] with gaps: ``nlminb`` by item, good to 5 digits or so."""
    arguments: dict[str, Any] = {"y": reals(y), **_codes(item=item, annotator=annotator)}
    return OneFactor.read(ask(backend, "stats::nlminb, one factor", MARGINAL, arguments))


AGREEMENT = program(__package__, "annotators/agreement")


@dataclass(frozen=True, eq=False)
class RAgreement(RAnswer):
    """How far annotators agree.  `rest` float[annotators]; z float[n]."""

    alpha: float
    rest: Floats
    pairwise: float
    icc_one: float
    icc_two: float
    z: Floats


@asks()
def agreement(
    y: Floats, item: Sequence[int], annotator: Sequence[int], *, backend: BackendLike = None
) -> RAgreement:
    """Alpha over all pairs of scores, ``cor(method = "spearman")``, ICCs by ``aov``, ``scale`` by annotator.
    y float[n]; item, annotator int[n].
    """
    arguments: dict[str, Any] = {"y": reals(y), **_codes(item=item, annotator=annotator)}
    return RAgreement.read(ask(backend, "base R, agreement", AGREEMENT, arguments))


REPEATS = """
d <- first - again
s <- as.numeric(tapply(d, annotator, function(x) sqrt(mean(x^2) / 2)))
n <- as.numeric(table(annotator))
list(sd = s, low = s * sqrt(n / stats::qchisq((1 + level) / 2, n)), high = s * sqrt(n / stats::qchisq((1 - level) / 2, n)))
"""
DEGRADED = program(__package__, "annotators/degraded")


@dataclass(frozen=True, eq=False)
class RWithin(RAnswer):
    """Standard deviations within annotators, from repeats.  sd, low, high float[annotators]."""

    sd: Floats
    low: Floats
    high: Floats


@asks()
def repeats(
    first: Floats,
    again: Floats,
    annotator: Sequence[int],
    level: float = 0.95,
    *,
    backend: BackendLike = None,
) -> RWithin:
    """sqrt(mean d^2 / 2) by annotator, with limits by ``qchisq``.  `first`, again float[n]; annotator int[n]."""
    arguments: dict[str, Any] = {
        "first": reals(first),
        "again": reals(again),
        **_codes(annotator=annotator),
        "level": level,
    }
    return RWithin.read(ask(backend, "base R, repeats", REPEATS, arguments))


@dataclass(frozen=True, eq=False)
class RSignedRank(RAnswer):
    """One-sided p-values of degraded items.  p float[annotators]."""

    p: Floats


@asks()
def signed_rank(
    original: Floats, degraded: Floats, annotator: Sequence[int], *, backend: BackendLike = None
) -> RSignedRank:
    """R's ``stats::wilcox.test(original, degraded, paired = TRUE, alternative = "greater")`` by annotator.
    original, degraded float[n]; annotator int[n].

    ``exact`` is given as R up to 4.5 chooses it itself: R 4.6 is exact with ties and zeros too.
    """
    arguments: dict[str, Any] = {
        "original": reals(original),
        "degraded": reals(degraded),
        **_codes(annotator=annotator),
    }
    return RSignedRank.read(ask(backend, "stats::wilcox.test", DEGRADED, arguments))


TWO_WAY = """
d <- data.frame(y = y, system = factor(system))
fit <- stats::lm(y ~ 0 + system, data = d)
V <- sandwich::vcovCL(fit, cluster = cbind(source, annotator), type = "HC0", cadjust = TRUE, multi0 = FALSE)
list(mean = unname(stats::coef(fit)), vcov = unname(as.matrix(V)))
"""


@dataclass(frozen=True, eq=False)
class RMeans(RAnswer):
    """Plain means of systems.  mean float[systems]; vcov float[systems, systems]."""

    mean: Floats
    vcov: Floats


@asks("sandwich")
def means_two_way(
    y: Floats,
    system: Sequence[int],
    source: Sequence[int],
    annotator: Sequence[int],
    *,
    backend: BackendLike = None,
) -> RMeans:
    """R's ``sandwich::vcovCL(lm(y ~ 0 + system), cbind(source, annotator), "HC0", cadjust = TRUE)``.  y
    float[n]; system, source, annotator int[n].
    """
    arguments: dict[str, Any] = {"y": reals(y), **_codes(system=system, source=source, annotator=annotator)}
    label = "sandwich::vcovCL, means of systems"
    return RMeans.read(ask(backend, label, TWO_WAY, arguments, ("sandwich",)))


def _codes(**columns: Sequence[int]) -> dict[str, Any]:
    """Codes from 0 as R's from 1."""
    return {name: np.asarray(codes, np.int64) + 1 for name, codes in columns.items()}
