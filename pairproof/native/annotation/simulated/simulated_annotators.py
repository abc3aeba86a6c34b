"""Simulated truths and annotators: scores with noise, as large as makes annotators agree as far as is asked.

An annotator gives truth + error, cut to [0, 1].  The error's standard deviation is chosen so that annotators
agree as far as is asked (0.37 and 0.67 in Sakaguchi and Van Durme 2018).  `context` multiplies it inside a
HIT of several items: 1 is an annotator whose noise does not depend on what else is on the page; below 1 the
context helps.

Truths: `lexical`, log-normal frequencies as in figure 7 (log10 of the frequency over its largest value; the
corpus itself is not ours); `political`, two-humped with the standard deviation 0.331 of the gold labels
(which have no licence); `uniform`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ....data.options import one_of, whole_number
from ....errors import InputError
from ..beta import FloatArray
from ..quality.annotators import agreement

Truth = Literal["lexical", "political", "uniform"]
Noise = Literal["normal", "beta"]
#: Annotators whose agreement is measured: 10 in the paper.
ANNOTATORS = 10


def truth_of(kind: Truth, n_items: int, rng: np.random.Generator) -> FloatArray:
    """Invented true scores.

    Parameters
    ----------
    kind : {"lexical", "political", "uniform"}
        See the module.
    n_items : int
    rng : Generator
        Of numpy.

    Returns
    -------
    float[n_items]
        In [0, 1].

    Raises
    ------
    InputError
        Another kind.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.simulated_annotators import truth_of
    >>> float(truth_of("lexical", 3, np.random.default_rng(1)).max())
    1.0
    """
    one_of("truth", kind, get_args(Truth))
    if kind == "uniform":
        return rng.random(n_items)
    if kind == "political":
        # Beta(h, h) has variance 1 / (4 (2h + 1)): h = 0.64 for 0.331^2.
        return rng.beta(0.64, 0.64, n_items)
    # A word that is in the corpus at all has log10(frequency) >= 0.
    logs = np.maximum(rng.normal(3.0, 0.9, n_items), 0.0)
    scaled: FloatArray = logs / logs.max()
    return scaled


@dataclass(frozen=True, eq=False)
class Annotators:
    """A model of how annotators err.

    Attributes
    ----------
    sd : float
        Of a score given to one item alone, before it is cut to [0, 1].
    context : float
        Factor on `sd` in a HIT of two or more items.
    noise : {"normal", "beta"}
        beta: a beta distribution with the truth as mean and this standard deviation (as near as [0, 1]
        allows).

    Raises
    ------
    InputError
        Another noise, or a number that is negative or not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.simulated_annotators import Annotators
    >>> Annotators(sd=0.0).judge(np.array([0.2, 0.9]), per_hit=1, rng=np.random.default_rng(1))
    array([0.2, 0.9])
    """

    sd: float
    context: float = 1.0
    noise: Noise = "normal"

    def __post_init__(self) -> None:
        one_of("noise", self.noise, get_args(Noise))
        for name, value in (("sd", self.sd), ("context", self.context)):
            if not (np.isfinite(value) and value >= 0):
                raise InputError(f"{name}={value!r}; expected a finite number >= 0")

    def judge(self, truth: FloatArray, per_hit: int, rng: np.random.Generator) -> FloatArray:
        """Scores of items with these truths."""
        sd = self.sd * (self.context if per_hit > 1 else 1.0)
        if self.noise == "normal":
            scores: FloatArray = np.clip(truth + rng.normal(0.0, 1.0, truth.shape) * sd, 0.0, 1.0)
            return scores
        mean = np.clip(truth, 0.02, 0.98)
        precision = np.maximum(mean * (1 - mean) / max(sd * sd, 1e-12) - 1.0, 0.2)
        drawn: FloatArray = rng.beta(mean * precision, (1 - mean) * precision)
        return drawn


def sd_for_agreement(truth: FloatArray, target: float, noise: Noise = "normal", seed: int = 0) -> float:
    """The standard deviation at which 10 annotators' mean pairwise Spearman's rho is `target`.

    Sakaguchi and Van Durme (2018), footnote 17, have 0.37 and 0.67.

    Parameters
    ----------
    truth : float[n_items]
        In [0, 1].
    target : float
        In (0, 1).
    noise : {"normal", "beta"}
    seed : int
        >= 0.

    Raises
    ------
    InputError
        No standard deviation up to 5 gives it; a seed that is no integer or negative.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.simulated_annotators import sd_for_agreement
    >>> round(sd_for_agreement(np.linspace(0, 1, 50), 0.67), 2)
    0.22
    """
    least, most = 0.0, 5.0

    def agreed(sd: float) -> float:
        return mean_agreement(truth, Annotators(sd, 1.0, noise), seed)

    if not agreed(most) < target < 1.0:
        raise InputError(
            f"agreement {target}; expected a number between {agreed(most):.2f} and 1 for these truths"
        )
    for _ in range(24):
        middle = (least + most) / 2
        least, most = (middle, most) if agreed(middle) > target else (least, middle)
    return (least + most) / 2


def mean_agreement(truth: FloatArray, annotators: Annotators, seed: int = 0) -> float:
    """Mean pairwise Spearman's rho of 10 annotators who each score every item alone; mean of 3 such panels.

    Parameters
    ----------
    truth : float[n_items]
        In [0, 1].
    annotators : Annotators
    seed : int
        >= 0.

    Raises
    ------
    InputError
        A seed that is no integer or negative.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.simulated_annotators import Annotators, mean_agreement
    >>> round(mean_agreement(np.linspace(0, 1, 50), Annotators(sd=0.2)), 2)
    0.71
    """
    rng = np.random.default_rng([whole_number("seed", seed), 37])
    found = []
    for _ in range(3):
        scores = annotators.judge(np.tile(truth, (ANNOTATORS, 1)), 1, rng)
        who, item = (a.ravel() for a in np.indices(scores.shape))
        found.append(agreement(who, item, scores.ravel()).pairwise)
    return float(np.mean(found))
