"""Preference models: fitted to training comparisons, they predict the outcome of a comparison of two systems.

    model = fit_preference_model(train, "irt-gaussian");  model.predict("bbn", "cmu");  model.perplexity(test)

Of Hopkins and May (2013, sections 5 to 7): irt-gaussian, irt-categorical (`pairproof.native.competitions.irt`), and from
counts n_p(s1, s2) of outcome p (0 tie, 1 first, 2 second; both orders pooled), n_p(s) summed over s2, hat(0,
1, 2) = (0, 2, 1)::

    uniform            Q = 1/3
    adjusted-uniform   Q(0) = |C0| / |C|,  Q(1) = Q(2) = (1 - Q(0)) / 2         not smoothed, as in the paper
    pairs              Q(p | s1, s2) = (alpha + n_p(s1, s2)) / (3 alpha + n(s1, s2))
    students-*         of u_p(s) = (alpha + n_p(s)) / (3 alpha + n(s)):  asymmetric  u_p(s1) (ordered pairs),
                       arithmetic  (u_p(s1) + u_hat(p)(s2)) / 2,  geometric  sqrt(u_p(s1) u_hat(p)(s2))

Geometric numbers are renormalised (raw is an option), as they must be in the paper's results.  By maximum
likelihood::

    bradley-terry    ties dropped for the abilities; P(tie) = (alpha + ties)/(3 alpha + n) for every pair
    davidson, rao-kupper, llbt    abilities and tie parameter; llbt predicts as davidson

A new system: uniform ones predict as ever, pairs and students 1/3 each, item-response models integrate over
its prior. Likelihood has no prior: for it, and for pairs without a finite estimate, pooled rates: (alpha +
ties)/(3 alpha + n) for a tie, half of the rest for either preference; notes say for how many pairs.  Without
a tie category all probabilities are given no tie, and the Gaussian radius is 0 unless stated.  Perplexity
(section 4) = 2 ** (- mean of log2 Q(outcome)).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations
from math import fsum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from ....data.comparisons import Comparisons
from ....data.judgments import HAT, check_one_track, compared, preference_counts
from ....data.options import one_of, whole_number
from ....errors import DataWarning, InputError
from ....fit.estimates.predictions import sets_of_items
from ....fit.estimates.specification import Ties
from ....numerics.arrays import FloatArray
from ..irt.categorical_irt import CategoricalModel, fit_irt_categorical
from ..irt.gaussian_gibbs import GaussianModel
from ..irt.gaussian_irt import fit_irt_gaussian
from ..irt.posterior import Items, Note, Posterior

if TYPE_CHECKING:
    from ....fit.fit import Fit


Reconstruction = Literal["asymmetric", "arithmetic", "geometric"]

#: Strength of the symmetric Dirichlet prior, per category (the paper's footnote 13), so 3 alpha in the
#: denominator.
ALPHA = 1.0


def uniform(n_items: int) -> FloatArray:
    """float[n_items, n_items, 3]: 1/3 everywhere."""
    return np.full((n_items, n_items, 3), 1.0 / 3.0)


def adjusted_uniform(counts: FloatArray) -> FloatArray:
    """The observed rate of ties, the rest divided evenly.
    counts float[n_items, n_items, 3]: from :func:`pairproof.data.judgments.preference_counts`.  Returns
    float[n_items, n_items, 3]: not smoothed: without a tie in the training set a tie has probability 0."""
    total = counts.sum()
    if total <= 0:
        raise InputError("adjusted uniform: no training comparison, so the rate of ties has no estimate")
    tie = counts[:, :, 0].sum() / total
    return np.asarray(np.broadcast_to([tie, (1.0 - tie) / 2.0, (1.0 - tie) / 2.0], counts.shape).copy())


def independent_pairs(counts: FloatArray, alpha: float = ALPHA) -> FloatArray:
    """float[n_items, n_items, 3]: each pair by itself; a pair never compared has 1/3."""
    check_alpha(alpha)
    return np.asarray((alpha + counts) / (3.0 * alpha + counts.sum(axis=-1, keepdims=True)))


def universal_ability(counts: FloatArray, alpha: float = ALPHA) -> FloatArray:
    """u_p(s), float[n_items, 3]: outcomes of a system against all others; 1/3 for a system never compared."""
    check_alpha(alpha)
    n = counts.sum(axis=1)
    return np.asarray((alpha + n) / (3.0 * alpha + n.sum(axis=-1, keepdims=True)))


def independent_students(
    counts: FloatArray, reconstruction: Reconstruction, alpha: float = ALPHA, *, raw: bool = False
) -> FloatArray:
    """A preference model put together from universal abilities.
    counts float[n_items, n_items, 3].  alpha: > 0, per category.  raw: geometric only: leave the square roots
    as they are, summing to less than 1.  Returns float[n_items, n_items, 3]."""
    one_of("reconstruction", reconstruction, get_args(Reconstruction))
    if raw and reconstruction != "geometric":
        raise InputError(
            f"raw=True is for the geometric reconstruction; the {reconstruction} one sums to 1 as it is"
        )
    u = universal_ability(counts, alpha)
    own, other = u[:, None, :], u[:, HAT][None, :, :]
    if reconstruction == "asymmetric":
        return np.asarray(np.broadcast_to(own, counts.shape).copy())
    if reconstruction == "arithmetic":
        return np.asarray((own + other) / 2.0)
    root = np.sqrt(own * other)
    return np.asarray(root if raw else root / root.sum(axis=-1, keepdims=True))


def check_alpha(alpha: float) -> None:
    if not (np.isfinite(alpha) and alpha > 0):
        raise InputError(
            f"alpha={alpha}; the strength of the prior must be finite and > 0 (without it an outcome that was"
            " not seen would be impossible)"
        )


Baseline = Literal["uniform", "adjusted-uniform", "pairs"]
Students = Literal["students-asymmetric", "students-arithmetic", "students-geometric"]
ModelName = Literal[
    Baseline, Students, "irt-gaussian", "irt-categorical", "bradley-terry", "davidson", "rao-kupper", "llbt"
]
MODELS: tuple[ModelName, ...] = get_args(ModelName)


@dataclass(frozen=True)
class PreferenceOptions:
    """Options of the preference models.
    alpha: prior count of each outcome, > 0, in the baselines and in pooled rates.  raw_geometric: whether
    students-geometric is left without renormalisation.  None: those of the paper, with radius 0 if there is
    no tie category.  items: whether the latent quality of a system's output for a segment is one value for
    all its comparisons (shared) or drawn again for each (fresh), in the item-response models.  None: shared
    if there is a source column.  average: whether the item-response models' predictions are averaged over the
    posterior draws (True) or made from posterior means (False).  None: means for irt-gaussian ("given the
    parameter estimates" in the paper), averages for irt-categorical.  chains, warmup, draws: numbers of
    chains, of discarded iterations and of kept iterations of the item-response models; at least 1, 0 and
    1."""

    alpha: float = ALPHA
    raw_geometric: bool = False
    gaussian: GaussianModel | None = None
    categorical: CategoricalModel = CategoricalModel()
    items: Items | None = None
    average: bool | None = None
    chains: int = 4
    warmup: int = 100
    draws: int = 250

    def __post_init__(self) -> None:
        """Check the numbers, so that an experiment with wrong ones does not start."""
        whole_number("chains", self.chains, 1)
        whole_number("warmup", self.warmup, 0)
        whole_number("draws", self.draws, 1)


#: Probabilities, notes, and the fit from which they were computed.
Fitted = tuple[FloatArray, tuple[Note, ...], Any]
Fitter = Callable[[Comparisons, PreferenceOptions, int, bool], Fitted]


def _baseline(of_counts: Callable[[FloatArray, PreferenceOptions], FloatArray]) -> Fitter:
    def fitter(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
        # A further system without any comparison, for which the formulas give the prediction for unseen ones.
        counts = np.pad(preference_counts(table), ((0, 1), (0, 1), (0, 0)))
        return of_counts(counts, options), (), None

    return fitter


def _sampling(options: PreferenceOptions) -> dict[str, Any]:
    return {name: getattr(options, name) for name in ("items", "chains", "warmup", "draws")}


def _gaussian(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
    model = options.gaussian or GaussianModel(radius=GaussianModel().radius if table.tie_category else 0.0)
    posterior = fit_irt_gaussian(table, model=model, seed=seed, warn=warn, **_sampling(options))
    if options.average:
        p = _average_gaussian(posterior, model)
    else:
        # The posterior mean of the common level is 0, so the centred means are the posterior means.
        mu = np.append(posterior.mean, 0.0)
        p = model.preferences(mu[:, None] - mu[None, :], _prior_variance(len(mu), model))
    return p, _sampled_notes(posterior), posterior


def _prior_variance(n: int, model: GaussianModel) -> FloatArray:
    """float[n, n]: prior variance of each difference of abilities, s0^2 for each unseen system (the last)."""
    unseen = np.arange(n) == n - 1
    return np.asarray(model.sd_ability**2 * np.add.outer(unseen.astype(float), unseen.astype(float)))


def _average_gaussian(posterior: Posterior, model: GaussianModel) -> FloatArray:
    """Predictions averaged over the posterior draws, in parts that fit in memory."""
    draws = posterior.draws.reshape(-1, len(posterior.items))
    n = draws.shape[1] + 1
    extra = _prior_variance(n, model)
    total = np.zeros((n, n, 3))
    for part in np.array_split(draws, max(1, len(draws) * n * n // 2_000_000)):
        mu = np.pad(part, ((0, 0), (0, 1)))
        total += model.preferences(mu[:, :, None] - mu[:, None, :], extra).sum(axis=0)
    return total / len(draws)


def _categorical(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
    fitted = fit_irt_categorical(table, model=options.categorical, seed=seed, warn=warn, **_sampling(options))
    return fitted.preferences(options.average is not False), _sampled_notes(fitted.strength), fitted


def _sampled_notes(posterior: Posterior) -> tuple[Note, ...]:
    mixing = posterior.mixing
    return (*posterior.notes, *([Note("not-mixed", f"not mixed: {mixing}")] if mixing else []))


def _likelihood(fit: Callable[[Comparisons], Fit], pooled_tie: bool = False) -> Fitter:
    """A model fitted by maximum likelihood, with pooled rates where it has no finite estimate.
    With `pooled_tie` the model has ability parameters only, and P(tie) is the pooled rate for every pair."""

    def fitter(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
        check_alpha(options.alpha)
        n, alpha, tie = len(table.items), options.alpha, 0.0
        if table.tie_category:
            tie = float((alpha + table.ties.sum()) / (3.0 * alpha + table.n_comparisons))
        p = np.tile([tie, (1.0 - tie) / 2.0, (1.0 - tie) / 2.0], (n + 1, n + 1, 1))
        if pooled_tie and not (table.wins.any() or table.losses.any()):
            note = "all training comparisons are ties, so no ability has an estimate: pooled rates for every pair"
            return p, (Note("all-ties", note),), None
        # The published models take the pairs of a ranking as independent, so no fit warns of it.
        fitted = fit(table.as_independent())
        frame = fitted.probabilities()
        place = {name: k for k, name in enumerate(table.items)}
        i, j = (frame[side].map(place).to_numpy() for side in ("first", "second"))
        found = frame[["p_tie", "p_first", "p_second"]].to_numpy()
        if pooled_tie:
            found = np.column_stack([np.full(len(found), tie), (1.0 - tie) * found[:, 1:]])
        # Between sets of items that differ infinitely the model's 0 and 1 are limits, not estimates.
        of = sets_of_items(fitted, {}).of
        known = ~np.isnan(found).any(axis=1) & (of[i] == of[j])
        p[i[known], j[known]] = found[known]
        notes = []
        if not known.all():
            unknown, pairs = int((~known).sum()) // 2, len(known) // 2
            text = f"{unknown} of {pairs} pairs have no finite estimate: pooled rates for them"
            notes.append(Note("no-finite-estimate", text))
        if not pooled_tie and table.tie_category and not table.ties.any():
            text = "no tie in the training set, so the estimated probability of a tie is 0"
            notes.append(Note("no-tie", text))
        return p, tuple(notes), fitted

    return fitter


def _fit(family: Literal["bradley-terry", "llbt"], ties: Ties) -> Callable[[Comparisons], Fit]:
    def fit(table: Comparisons) -> Fit:
        from ...comparisons.contests.bradley_terry import fit_bradley_terry
        from ...comparisons.counts.llbt import fit_llbt

        treated: Ties = ties if table.tie_category else "none"
        return fit_llbt(table, ties=treated) if family == "llbt" else fit_bradley_terry(table, ties=treated)

    return fit


#: The fitter of each model.
FITTERS: Mapping[ModelName, Fitter] = {
    "uniform": _baseline(lambda counts, _: uniform(len(counts))),
    "adjusted-uniform": _baseline(lambda counts, _: adjusted_uniform(counts)),
    "pairs": _baseline(lambda counts, o: independent_pairs(counts, o.alpha)),
    "students-asymmetric": _baseline(lambda counts, o: independent_students(counts, "asymmetric", o.alpha)),
    "students-arithmetic": _baseline(lambda counts, o: independent_students(counts, "arithmetic", o.alpha)),
    "students-geometric": _baseline(
        lambda counts, o: independent_students(counts, "geometric", o.alpha, raw=o.raw_geometric)
    ),
    "irt-gaussian": _gaussian,
    "irt-categorical": _categorical,
    "bradley-terry": _likelihood(_fit("bradley-terry", "drop"), pooled_tie=True),
    "davidson": _likelihood(_fit("bradley-terry", "davidson")),
    "rao-kupper": _likelihood(_fit("bradley-terry", "rao-kupper")),
    "llbt": _likelihood(_fit("llbt", "davidson")),
}


#: A distribution's three numbers may miss 1 by rounding; the raw geometric reconstruction sums to less and
#: says so.
SUM_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Perplexity:
    """The perplexity of a model on test comparisons.
    value: >= 1 for distributions; inf if an outcome with probability 0 occurred.  impossible: test
    comparisons whose outcome had probability 0.  finite: perplexity of the other ones; equals `value` if no
    outcome had probability 0.  unseen: systems of the test set that the training set did not have."""

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
    q float[n]: each in [0, 1].  weight float[n]: number of comparisons each stands for; default 1."""
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


class Preference(NamedTuple):
    """Probabilities of the three outcomes of one comparison, which sum to 1.
    tie, `first`, second: probabilities that neither is preferred, the first system is, or the second is."""

    tie: float
    first: float
    second: float


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceModel:
    """A fitted preference model.
    probabilities float[n_items + 1, n_items + 1, 3]: probabilities of tie, first and second.  The last row
    and column are for a system that was not in the training set.  notes: remarks about this fit that matter
    for its interpretation.  fitted: the fit from which the probabilities were computed; None for the
    baselines."""

    name: ModelName
    items: tuple[str, ...]
    probabilities: FloatArray
    n_train: float
    notes: tuple[Note, ...] = ()
    fitted: Any = None

    def predict(self, s1: str, s2: str) -> Preference:
        """Probabilities of the outcomes of a new comparison.
        For a system that was not in the training set the prior of the model is used, with a DataWarning."""
        if s1 == s2:
            raise InputError(f"{s1!r} against itself is not a comparison; name two systems")
        unseen = [s for s in (s1, s2) if s not in self.items]
        if unseen:
            said = f"{self.name}: {', '.join(map(repr, unseen))} not in the training set; the prior predicts"
            warnings.warn(said, DataWarning, stacklevel=2)
        return Preference(*self.probabilities[self.place(s1), self.place(s2)].tolist())

    def place(self, system: str) -> int:
        """Where a system stands among the probabilities: last of all if it was not in the training set."""
        return self.items.index(system) if system in self.items else len(self.items)

    def perplexity(self, test: Comparisons) -> Perplexity:
        """Perplexity on test comparisons.
        Returns Perplexity: its `unseen` names the systems that were not in the training set."""
        q, counts = self._forecast(test)
        met = zip(test.items, compared(test))
        unseen = tuple(name for name, is_met in met if is_met and name not in self.items)
        return perplexity(q.ravel(), counts.ravel(), unseen)

    def _forecast(self, test: Comparisons) -> tuple[FloatArray, FloatArray]:
        """float[n_rows, 3] each: the probabilities of tie, first and second, and their counts."""
        where = np.array([self.place(name) for name in test.items])
        counts = np.stack([test.ties, test.wins, test.losses], axis=1)
        return self.probabilities[where[test.first], where[test.second]], counts

    def surprise(self, test: Comparisons) -> FloatArray:
        """-log2 of the probabilities of the outcomes in each row of a table, times their counts.
        Returns float[n_rows]: in bits; inf if an outcome that occurred had probability 0."""
        q, counts = self._forecast(test)
        with np.errstate(divide="ignore"):
            bits = -np.log2(q)
        return np.asarray(np.where(counts > 0, counts * np.where(counts > 0, bits, 0.0), 0.0).sum(axis=1))

    def advantage(self) -> FloatArray:
        """P(row preferred) - P(column preferred) for every pair of systems, as in a heat map.
        Returns float[n_items, n_items]: in [-1, 1]; 0 on the diagonal."""
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
        about = {"model": self.name, "items": list(self.items), "n_train": self.n_train}
        return {**about, "notes": list(map(str, self.notes)), "probabilities": pairs}

    def __repr__(self) -> str:
        n = f"{len(self.items)} systems, {self.n_train:g} training comparisons"
        return f"<PreferenceModel {self.name}: {n}>"


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
        Comparisons of one track.  Items that are never compared in it count as absent from the training set.
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
        # Conditional on there being no tie, for judges who cannot answer "no preference".
        p = np.where([False, True, True], p, 0.0)
        p = p / p.sum(axis=-1, keepdims=True)
    return PreferenceModel(model, table.items, p, table.n_comparisons, notes, fitted)
