"""Scores of items corrected for annotators and their sessions, from what a method has collected so far.

A corrected score is the item's prediction in the mixed model item + session + annotator, fitted to all
judgments (:mod:`pairproof.native.annotation.models.mixed_model`): shifts of annotators and of sessions are
taken out, and items that were judged rarely are drawn towards the mean. The method chooses its items by its
own raw scores. RA and TrueSkill use the order within a HIT alone, so there is nothing to correct.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....errors import ConvergenceError, NotEstimableError
from ..beta import FloatArray
from ..models.mixed_model import mixed_model
from .simulated_panel import Judged

#: Methods with a corrected score beside the raw one.
CORRECTED = ("da", "random", "easl")
#: Judgments an item from which on the noise can be told from the items.
FEWEST = 2


def corrected_scores(batches: Sequence[Judged], n_items: int) -> FloatArray | None:
    """Predictions of items in the mixed model item + session + annotator.

    batches: all judgments so far.  Returns float[n_items] or None: distance of each item from the mean; nan
    for an item that was not judged. None if the model cannot be fitted to these judgments.
    """
    item, annotator, session, score = (
        np.concatenate([getattr(b, name) for b in batches])
        for name in ("item", "annotator", "session", "score")
    )
    seen, codes = np.unique(item, return_inverse=True)
    effects = [codes.ravel(), np.unique(session, return_inverse=True)[1].ravel()]
    people = np.unique(annotator, return_inverse=True)[1].ravel()
    if people.max() > 0:
        effects.append(people)
    try:
        fit = mixed_model(score, effects)
    except (NotEstimableError, ConvergenceError):
        return None
    found = np.full(n_items, np.nan)
    found[seen] = fit.predictions[0]
    return found
