"""How far annotators of a panel agree, and the noise at which they agree as far as is asked.

Agreement is the mean of Spearman's rho over pairs of ten annotators who each score every item alone: 0.37
(verbs) and 0.67 (political statements) in Sakaguchi and Van Durme (2018), footnotes 17 and 20. Shifts by
session, different noises and careless answers lower it as noise does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....data.options import whole_number
from ....errors import InputError
from ..beta import FloatArray
from ..quality.annotators import ranks
from .simulated_panel import Panel, PanelAtWork

#: Annotators whose agreement is measured: 10 in the paper.
ANNOTATORS = 10
#: Panels that are drawn; where annotators differ, more of them.
PANELS, PANELS_THAT_DIFFER = 3, 30
#: Noise that is tried; halvings of the range.
MOST, HALVINGS = 5.0, 24


def mean_agreement(truth: FloatArray, panel: Panel, seed: int = 0) -> float:
    """Mean pairwise Spearman's rho of 10 annotators who each score every item alone, over several panels.

    truth float[n_items]: in [0, 1].  Returns float: in [-1, 1]; nan if no two of them use more than one
    value.
    """
    errors = np.random.default_rng([whole_number("seed", seed), 37])
    people = np.random.default_rng([seed, 38])
    ten = replace(panel, people=ANNOTATORS)
    panels = PANELS if panel.are_alike else PANELS_THAT_DIFFER
    found = []
    for _ in range(panels):
        scores = PanelAtWork(ten, truth, people, errors).all_alone()
        place = np.stack([ranks(row) for row in scores])
        place = place[np.ptp(place, axis=1) > 0]  # somebody who gives everything one score has no rank order
        if len(place) > 1:
            rho = np.corrcoef(place)
            found.append(float(rho[np.triu_indices(len(rho), 1)].mean()))
    return float(np.mean(found)) if found else float("nan")


def sd_for_agreement(truth: FloatArray, target: float, panel: Panel, seed: int = 0) -> float:
    """The noise at which 10 annotators of this panel agree as far as `target`.

    truth float[n_items]: in [0, 1].  target: mean pairwise Spearman's rho, in (0, 1).  panel: its own `sd`
    has no part in it.
    """

    def agreed(sd: float) -> float:
        return mean_agreement(truth, replace(panel, sd=sd), seed)

    least, most = 0.0, MOST
    low, high = agreed(most), agreed(least)
    if not low < target < min(high, 1.0):
        differ = (
            "" if panel.are_alike else " and these differences between annotators (smaller ones allow more)"
        )
        raise InputError(
            f"agreement {target}; expected a number between {low:.2f} and {high:.2f} for these truths{differ}"
        )
    for _ in range(HALVINGS):
        middle = (least + most) / 2
        least, most = (middle, most) if agreed(middle) > target else (least, middle)
    return (least + most) / 2
