"""Perplexity of predicted preferences on held-out comparisons (Hopkins and May 2013, section 4).

    perplexity(Q | D) = 2 ** ( - (1/|D|) sum over <s1, s2, pi> in D of log2 Q(pi | s1, s2) )

Pairs are taken in the order of the data.  A perfect forecast has perplexity 1, the uniform one 3.  If Q gave
probability 0 to the outcome of a test comparison, the perplexity is infinite; `impossible` counts such
comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError

FloatArray = NDArray[np.float64]

#: A distribution's three numbers may miss 1 by rounding; the raw geometric reconstruction sums to less and
#: says so.
SUM_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Perplexity:
    """The perplexity of a model on test comparisons.

    value: >= 1 for distributions; inf if an outcome with probability 0 occurred.  n: test comparisons (sum of
    weights).  impossible: test comparisons whose outcome had probability 0.  finite: perplexity of the other
    ones; equals `value` if no outcome had probability 0.  unseen: systems of the test set that the training
    set did not have.
    """

    value: float
    n: float
    impossible: float = 0.0
    finite: float = float("nan")
    unseen: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        text = f"perplexity {self.value:.4f} on {self.n:g} comparisons"
        if self.impossible:
            text += f" ({self.impossible:g} of them were given probability 0; {self.finite:.4f} on the rest)"
        if self.unseen:
            text += f"; not in the training set: {', '.join(self.unseen)}"
        return text


def perplexity(q: FloatArray, weight: FloatArray | None = None, unseen: tuple[str, ...] = ()) -> Perplexity:
    """Perplexity from the probabilities that a model gave to the observed outcomes.

    q float[n]: each in [0, 1].  weight float[n]: number of comparisons each stands for; default 1.  unseen:
    `Perplexity.unseen` of the result.
    """
    q = np.asarray(q, float)
    w = np.ones(len(q)) if weight is None else np.asarray(weight, float)
    q, w = q[w > 0], w[w > 0]
    if not len(q):
        raise InputError("perplexity: no test comparison")
    if not (np.isfinite(q).all() and (q >= 0).all() and (q <= 1 + SUM_TOLERANCE).all()):
        raise InputError(f"perplexity: probabilities from {q.min()} to {q.max()}; expected numbers in [0, 1]")
    possible = q > 0
    n, lost = float(w.sum()), float(w[~possible].sum())
    kept = float(w[possible].sum())
    # fsum: the sum of many equal logarithms keeps its last digits.
    finite = 2.0 ** (-fsum(w[possible] * np.log2(q[possible])) / kept) if kept else float("nan")
    return Perplexity(float("inf") if lost else finite, n, lost, finite, unseen)
