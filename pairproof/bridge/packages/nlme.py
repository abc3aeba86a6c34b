"""R's nlme: scores by item and annotator, both random and crossed, with a residual variance for each annotator.

nlme nests random effects; crossed ones are one block of identities within a single group. It stops by its own
rules, and its variances carry 6 to 7 digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..process.policy import BackendLike
from .asking import Floats, RAnswer, asks, program, sent

LME = program(__package__, "r/nlme_lme")


@dataclass(frozen=True, eq=False)
class NoiseByAnnotator(RAnswer):
    """Scores of items by annotators who are not equally precise.

    noise float[annotators]: residual standard deviations.  item, annotator float[items], float[annotators]:
    best linear unbiased predictions.
    """

    mean: float
    se: float
    item_sd: float
    annotator_sd: float
    noise: Floats
    item: Floats
    annotator: Floats
    loglik: float


@asks("nlme")
def lme(
    y: Sequence[float] | Floats,
    item: Sequence[int],
    annotator: Sequence[int],
    method: str = "REML",
    *,
    backend: BackendLike = None,
) -> NoiseByAnnotator:
    """R's ``nlme::lme(y ~ 1, random = crossed, weights = varIdent(form = ~ 1 | annotator), method)``.

    Parameters
    ----------
    y : float[n]
    item, annotator : int[n]
        From 0; every number up to the largest occurs.
    method : {"REML", "ML"}
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    NoiseByAnnotator

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> lme(y, item, annotator).noise  # doctest: +SKIP
    """
    codes = {"item": np.asarray(item, np.int64) + 1, "annotator": np.asarray(annotator, np.int64) + 1}
    return NoiseByAnnotator.ask(backend, "nlme::lme", LME, sent(backend, "y item annotator method", **codes))
