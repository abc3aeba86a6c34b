"""Preference models: fitted to training comparisons, they predict the outcome of a comparison of two systems.

    model = fit_preference_model(train, "irt-gaussian")
    model.predict("bbn", "cmu")              Preference(tie=..., first=..., second=...)
    model.perplexity(test)                   Perplexity(value=...)

The models of Hopkins and May (2013), and models fitted by maximum likelihood::

    uniform, adjusted-uniform, pairs, students-*    the paper's baselines (module `baselines`)
    irt-gaussian, irt-categorical                   the paper's item-response models (`pairproof.native.irt`)
    bradley-terry    ties dropped for the abilities; P(tie) = (alpha + ties)/(3 alpha + n) for every pair
    davidson         abilities and tie parameter by maximum likelihood
    rao-kupper       likewise, with the ties of Rao and Kupper
    llbt             the likelihood of davidson on the lambda scale, with the same predictions

For a system that is not in the training set, uniform and adjusted-uniform predict as for every other system;
pairs and students predict from their prior, 1/3 each; the item-response models integrate over the prior of
its ability.  Models fitted by maximum likelihood have no prior.  For such a system, and for two systems whose
difference has no finite estimate (not connected, or one always wins), they use pooled rates: (alpha +
ties)/(3 alpha + n) for a tie, and half of the rest for either preference; the notes say for how many pairs.

If the table has no tie category, the probabilities of every model are conditional on there being no tie, and
the radius of the Gaussian model is 0 unless it is stated.

Perplexity of predicted preferences on held-out comparisons (Hopkins and May 2013, section 4).

    perplexity(Q | D) = 2 ** ( - (1/|D|) sum over <s1, s2, pi> in D of log2 Q(pi | s1, s2) )

Pairs are taken in the order of the data.  A perfect forecast has perplexity 1, the uniform one 3.  If Q gave
probability 0 to the outcome of a test comparison, the perplexity is infinite; `impossible` counts such
comparisons.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import permutations
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...data.judgments import compared
from ...data.options import one_of, whole_number
from ...data.tracks import check_one_track
from ...errors import DataWarning, InputError
from ..irt.note import Note
from .fitters import FITTERS
from .options import MODELS, ModelName, PreferenceOptions

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


__all__ = [
    "MODELS",
    "ModelName",
    "Preference",
    "PreferenceModel",
    "PreferenceOptions",
    "fit_preference_model",
    "given_no_tie",
]


class Preference(NamedTuple):
    """Probabilities of the three outcomes of one comparison, which sum to 1.

    tie, `first`, second: probabilities that neither is preferred, the first system is, or the second is.
    """

    tie: float
    first: float
    second: float


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceModel:
    """A fitted preference model.

    name: one of `MODELS`.  items: systems of the training set.  probabilities float[n_items + 1, n_items + 1,
    3]: probabilities of tie, first and second.  The last row and column are for a system that was not in the
    training set.  n_train: number of training comparisons.  notes: remarks about this fit that matter for its
    interpretation.  fitted: the fit from which the probabilities were computed; None for the baselines.
    """

    name: ModelName
    items: tuple[str, ...]
    probabilities: FloatArray
    n_train: float
    notes: tuple[Note, ...] = ()
    fitted: Any = None

    def predict(self, s1: str, s2: str) -> Preference:
        """Probabilities of the outcomes of a new comparison.

        For a system that was not in the training set the prior of the model is used, with a DataWarning.

        s1, s2: the systems; s1 is named first.
        """
        if s1 == s2:
            raise InputError(f"{s1!r} against itself is no comparison; name two systems")
        unseen = [s for s in (s1, s2) if s not in self.items]
        if unseen:
            warnings.warn(
                f"{self.name}: {', '.join(map(repr, unseen))} not in the training set; the prior predicts",
                DataWarning,
                stacklevel=2,
            )
        return Preference(*self.probabilities[self._place(s1), self._place(s2)].tolist())

    def _place(self, system: str) -> int:
        return self.items.index(system) if system in self.items else len(self.items)

    def perplexity(self, test: Comparisons) -> Perplexity:
        """Perplexity on test comparisons.

        Returns Perplexity: its `unseen` names the systems that were not in the training set.
        """
        q, counts = self._forecast(test)
        met = zip(test.items, compared(test))
        unseen = tuple(name for name, is_met in met if is_met and name not in self.items)
        return perplexity(q.ravel(), counts.ravel(), unseen)

    def _forecast(self, test: Comparisons) -> tuple[FloatArray, FloatArray]:
        """float[n_rows, 3] each: the probabilities of tie, first and second, and their counts."""
        where = np.array([self._place(name) for name in test.items])
        counts = np.stack([test.ties, test.wins, test.losses], axis=1)
        return self.probabilities[where[test.first], where[test.second]], counts

    def surprise(self, test: Comparisons) -> FloatArray:
        """-log2 of the probabilities of the outcomes in each row of a table, times their counts.

        Returns float[n_rows]: in bits; inf if an outcome that occurred had probability 0.
        """
        q, counts = self._forecast(test)
        with np.errstate(divide="ignore"):
            bits = -np.log2(q)
        return np.asarray(np.where(counts > 0, counts * np.where(counts > 0, bits, 0.0), 0.0).sum(axis=1))

    def advantage(self) -> FloatArray:
        """P(row preferred) - P(column preferred) for every pair of systems, as in a heat map.

        Returns float[n_items, n_items]: in [-1, 1]; 0 on the diagonal.
        """
        n = len(self.items)
        out = self.probabilities[:n, :n, 1] - self.probabilities[:n, :n, 2]
        return np.asarray(out - np.diag(np.diag(out)))

    def to_dict(self) -> dict[str, Any]:
        """The model as a JSON object, with the probabilities of every ordered pair."""
        names = ("p_tie", "p_first", "p_second")
        pairs = [
            {"first": a, "second": b, **dict(zip(names, self.probabilities[i, j].tolist()))}
            for (i, a), (j, b) in permutations(enumerate(self.items), 2)
        ]
        return {
            "model": self.name,
            "items": list(self.items),
            "n_train": self.n_train,
            "notes": list(map(str, self.notes)),
            "probabilities": pairs,
        }

    def __repr__(self) -> str:
        return (
            f"<PreferenceModel {self.name}: {len(self.items)} systems, {self.n_train:g} training comparisons>"
        )


def fit_preference_model(
    train: Comparisons,
    model: ModelName,
    *,
    options: PreferenceOptions = PreferenceOptions(),
    seed: int = 0,
    warn: bool = True,
) -> PreferenceModel:
    """Fit a preference model of Hopkins and May (2013), or one by maximum likelihood.

    Parameters
    ----------
    train : Comparisons
        Comparisons of one track.  Items that are never compared in it count as not in the training set.
    model : str
        One of `MODELS`.
    options : PreferenceOptions
    seed : int
        Seed of the item-response models' samplers, >= 0.
    warn : bool
        Whether the samplers warn if their chains have not mixed; the notes always say it.

    Returns
    -------
    PreferenceModel

    Raises
    ------
    InputError
        An unknown model, a seed that is not an integer >= 0, or a table to which the model cannot be fitted.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build("ab", [0, 0, 1], [1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0])
    >>> model = pairproof.fit_preference_model(table, "pairs")
    >>> [round(p, 3) for p in model.predict("a", "b")]
    [0.333, 0.5, 0.167]
    """
    one_of("model", model, MODELS)
    whole_number("seed", seed)
    check_one_track(train)
    table = train.only_compared()
    p, notes, fitted = FITTERS[model](table, options, seed, warn)
    if not train.tie_category:
        p = given_no_tie(p)
    return PreferenceModel(model, table.items, p, table.n_comparisons, notes, fitted)


def given_no_tie(p: FloatArray) -> FloatArray:
    """Probabilities conditional on there being no tie, for judges who cannot answer "no preference".

    p: probabilities of tie, first and second.  Returns float[..., 3]: 0 for a tie; the other two sum to 1.
    """
    out = p.copy()
    out[..., 0] = 0.0
    return np.asarray(out / out.sum(axis=-1, keepdims=True))
