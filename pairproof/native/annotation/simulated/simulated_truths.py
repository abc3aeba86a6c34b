"""True scores to simulate with.

lexical
    Log-normal frequencies as in figure 7 of Sakaguchi and Van Durme (2018): log10 of the frequency over its
    largest value; the corpus itself is not ours.
political
    Two-humped, with the standard deviation 0.331 of the gold labels (which have no licence).
uniform
    Between 0 and 1.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ....data.options import one_of
from ..beta import FloatArray

Truth = Literal["lexical", "political", "uniform"]
TRUTHS: tuple[Truth, ...] = get_args(Truth)


def truth_of(kind: Truth, n_items: int, rng: np.random.Generator) -> FloatArray:
    """Invented true scores.

    kind: see the module.  rng: of numpy.  Returns float[n_items]: in [0, 1].
    """
    one_of("truth", kind, TRUTHS)
    if kind == "uniform":
        return rng.random(n_items)
    if kind == "political":
        # Beta(h, h) has variance 1 / (4 (2h + 1)): h = 0.64 for 0.331^2.
        return rng.beta(0.64, 0.64, n_items)
    # A word that is in the corpus at all has log10(frequency) >= 0.
    logs = np.maximum(rng.normal(3.0, 0.9, n_items), 0.0)
    scaled: FloatArray = logs / logs.max()
    return scaled
