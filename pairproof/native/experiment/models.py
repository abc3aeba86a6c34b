"""Preference models with one interface: fitted on training comparisons, they predict a pair and have a
perplexity on test comparisons::

    model = fit_preference_model(train, "irt-gaussian")
    model.predict("bbn", "cmu")              Preference(tie=..., first=..., second=...)
    model.perplexity(test)                   Perplexity(value=...)

The models of Hopkins and May (2013), and the package's own by maximum likelihood beside them::

    uniform, adjusted-uniform, pairs, students-asymmetric,
    students-arithmetic, students-geometric                  the paper's baselines (`baselines`)
    irt-gaussian, irt-categorical                            `pairproof.native.irt`
    bradley-terry    ties dropped for the abilities; P(tie) = (alpha + ties)/(3 alpha + n) for every pair
    davidson         abilities and tie parameter by maximum likelihood
    rao-kupper       likewise, Rao and Kupper's ties
    llbt             the same likelihood as davidson on the lambda scale, hence the same predictions

What a model says of a system that the training set does not have: uniform and adjusted-uniform say of it what
they say of all; pairs and students have their prior, 1/3; the item-response models integrate over the prior
of its ability.  Maximum likelihood has no prior: there, and for two systems whose difference has no finite
estimate (nothing connects them, or one always wins), the pooled rates are used, (alpha + ties)/(3 alpha + n)
for a tie and the rest halved; the notes say for how many pairs.  Where the table has no tie category, every
model's numbers are taken given that there is no tie, and the Gaussian model's radius is 0 unless stated.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...data.judgments import compared, only_compared, preference_counts
from ...data.options import one_of, whole_number
from ...errors import DataWarning, InputError
from ...fit.spec import Ties
from ..irt.categorical import CategoricalModel, fit_irt_categorical
from ..irt.gaussian import fit_irt_gaussian
from ..irt.gaussian_model import GaussianModel
from ..irt.note import Note
from ..irt.posterior import Posterior
from ..irt.sampling import Items
from . import baselines
from .perplexity import Perplexity, perplexity

if TYPE_CHECKING:
    from ...fit.fit import Fit

FloatArray = NDArray[np.float64]

Baseline = Literal["uniform", "adjusted-uniform", "pairs"]
Students = Literal["students-asymmetric", "students-arithmetic", "students-geometric"]
ModelName = Literal[
    Baseline, Students, "irt-gaussian", "irt-categorical", "bradley-terry", "davidson", "rao-kupper", "llbt"
]
MODELS: tuple[ModelName, ...] = get_args(ModelName)


class Preference(NamedTuple):
    """Probabilities of the three outcomes of one comparison."""

    tie: float
    first: float
    second: float


@dataclass(frozen=True)
class PreferenceOptions:
    """Options of preference models; each says which models it is for.

    Attributes
    ----------
    alpha : float
        Prior strength of a category in the baselines and in pooled rates.
    raw_geometric : bool
        students-geometric without renormalisation.
    gaussian : GaussianModel or None
        None: the paper's constants, radius 0 where there is no tie category.
    categorical : CategoricalModel
    items : {"shared", "fresh"} or None
        None: shared where there is a source column.
    average : bool or None
        Predictions of the item-response models averaged over the draws (True) or from posterior means
        (False); None: means for the Gaussian ("given the parameter estimates"), average for the categorical.
    chains, warmup, draws : int
        Numbers of chains, of iterations thrown away and of iterations kept, for the item-response models.
    """

    alpha: float = baselines.ALPHA
    raw_geometric: bool = False
    gaussian: GaussianModel | None = None
    categorical: CategoricalModel = CategoricalModel()
    items: Items | None = None
    average: bool | None = None
    chains: int = 4
    warmup: int = 100
    draws: int = 250

    def __post_init__(self) -> None:
        """Raises InputError for chains, warmup or draws that are no integers or too small, before an
        experiment starts.
        """
        whole_number("chains", self.chains, 1)
        whole_number("warmup", self.warmup, 0)
        whole_number("draws", self.draws, 1)


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceModel:
    """A fitted preference model.

    Attributes
    ----------
    name : str
    items : tuple of str
        Systems of the training set.
    probabilities : float[n_items + 1, n_items + 1, 3]
        Tie, first, second; the last row and column are a system that was not in the training set.
    n_train : float
    notes : tuple of Note
        What a reader must know of this fit.
    fitted : Posterior, CategoricalFit, Fit or None
        What is behind it.
    """

    name: ModelName
    items: tuple[str, ...]
    probabilities: FloatArray
    n_train: float
    notes: tuple[Note, ...] = ()
    fitted: Any = None

    def predict(self, s1: str, s2: str) -> Preference:
        """Probabilities for a new comparison of s1 (named first) and s2.

        A system that was not in the training set gets the model's prior (see the module), with a DataWarning.

        Raises
        ------
        InputError
            A system against itself.
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
        """Perplexity on test comparisons; systems that were not in the training set are named in the
        result.
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
        """float[n_rows]: -log2 of the probability given to each row of a table (times its counts); inf where
        it was 0.
        """
        q, counts = self._forecast(test)
        with np.errstate(divide="ignore"):
            bits = -np.log2(q)
        return np.asarray(np.where(counts > 0, counts * np.where(counts > 0, bits, 0.0), 0.0).sum(axis=1))

    def advantage(self) -> FloatArray:
        """float[n_items, n_items]: P(row preferred) - P(column preferred), what a heat map shows; 0 on the
        diagonal.
        """
        n = len(self.items)
        out = self.probabilities[:n, :n, 1] - self.probabilities[:n, :n, 2]
        return np.asarray(out - np.diag(np.diag(out)))

    def to_dict(self) -> dict[str, Any]:
        """A JSON object: model, items, notes and probabilities of every ordered pair."""
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
    """Fit a preference model, one of Hopkins and May (2013) or of the package's own.

    Parameters
    ----------
    train : Comparisons
        One track.  Items never compared in it count as not in the training set.
    model : str
        One of `MODELS`.
    options : PreferenceOptions
    seed : int
        Seed of the item-response models' samplers.
    warn : bool
        Whether the samplers warn when their chains have not mixed; the notes say it in any case.

    Returns
    -------
    PreferenceModel

    Raises
    ------
    InputError
        Another model name, a seed that is no integer or negative, or a table the model cannot be fitted to.

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
    table = only_compared(train)
    p, notes, fitted = _FITTERS[model](table, options, seed, warn)
    if not train.tie_category:
        p = given_no_tie(p)
    return PreferenceModel(model, table.items, p, table.n_comparisons, notes, fitted)


def given_no_tie(p: FloatArray) -> FloatArray:
    """Probabilities given that there is no tie, for instruments that do not offer one."""
    out = p.copy()
    out[..., 0] = 0.0
    return np.asarray(out / out.sum(axis=-1, keepdims=True))


#: Probabilities, notes, and what is behind them.
Fitted = tuple[FloatArray, tuple[Note, ...], Any]
Fitter = Callable[[Comparisons, PreferenceOptions, int, bool], Fitted]


def _baseline(of_counts: Callable[[FloatArray, PreferenceOptions], FloatArray]) -> Fitter:
    def fitter(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
        # One more system, without a comparison: the formulas give for it what they say of an unseen one.
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
        # The level's posterior mean is 0, so centred means are the means.
        mu = np.append(posterior.mean, 0.0)
        p = model.preferences(mu[:, None] - mu[None, :], _prior_variance(len(mu), model))
    return p, _sampled_notes(posterior), posterior


def _prior_variance(n: int, model: GaussianModel) -> FloatArray:
    """float[n, n]: variance of each gap for want of data: s0^2 for every unseen system in it (the last
    one).
    """
    unseen = np.arange(n) == n - 1
    return np.asarray(model.sd_ability**2 * np.add.outer(unseen.astype(float), unseen.astype(float)))


def _average_gaussian(posterior: Posterior, model: GaussianModel) -> FloatArray:
    """Predictions averaged over the draws, some at a time."""
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
    """A model fitted by maximum likelihood, with pooled rates where it has no number; with `pooled_tie` it has
    ability parameters only, and P(tie) is the pooled rate for every pair.
    """

    def fitter(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
        baselines.check_alpha(options.alpha)
        n, tie = len(table.items), _pooled_tie(table, options.alpha)
        p = np.tile([tie, (1.0 - tie) / 2.0, (1.0 - tie) / 2.0], (n + 1, n + 1, 1))
        if pooled_tie and not (table.wins.any() or table.losses.any()):
            note = "all training comparisons are ties, so no ability has an estimate: pooled rates for every pair"
            return p, (Note("all-ties", note),), None
        # The published models take the pairs of rankings as independent, so no fit warns of it.
        fitted = fit(table.as_independent())
        frame = fitted.probabilities()
        place = {name: k for k, name in enumerate(table.items)}
        i, j = (frame[side].map(place).to_numpy() for side in ("first", "second"))
        found = frame[["p_tie", "p_first", "p_second"]].to_numpy()
        if pooled_tie:
            found = np.column_stack([np.full(len(found), tie), (1.0 - tie) * found[:, 1:]])
        known = ~np.isnan(found).any(axis=1)
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


def _pooled_tie(table: Comparisons, alpha: float) -> float:
    if not table.tie_category:
        return 0.0
    return float((alpha + table.ties.sum()) / (3.0 * alpha + table.n_comparisons))


def _fit(family: Literal["bradley-terry", "llbt"], ties: Ties) -> Callable[[Comparisons], Fit]:
    def fit(table: Comparisons) -> Fit:
        from ..pairs.models import fit_bradley_terry, fit_llbt

        fitter = fit_llbt if family == "llbt" else fit_bradley_terry
        return fitter(table, ties=ties if table.tie_category else "none")

    return fit


_FITTERS: Mapping[ModelName, Fitter] = {
    "uniform": _baseline(lambda counts, _: baselines.uniform(len(counts))),
    "adjusted-uniform": _baseline(lambda counts, _: baselines.adjusted_uniform(counts)),
    "pairs": _baseline(lambda counts, o: baselines.independent_pairs(counts, o.alpha)),
    "students-asymmetric": _baseline(
        lambda counts, o: baselines.independent_students(counts, "asymmetric", o.alpha)
    ),
    "students-arithmetic": _baseline(
        lambda counts, o: baselines.independent_students(counts, "arithmetic", o.alpha)
    ),
    "students-geometric": _baseline(
        lambda counts, o: baselines.independent_students(counts, "geometric", o.alpha, raw=o.raw_geometric)
    ),
    "irt-gaussian": _gaussian,
    "irt-categorical": _categorical,
    "bradley-terry": _likelihood(_fit("bradley-terry", "drop"), pooled_tie=True),
    "davidson": _likelihood(_fit("bradley-terry", "davidson")),
    "rao-kupper": _likelihood(_fit("bradley-terry", "rao-kupper")),
    "llbt": _likelihood(_fit("llbt", "davidson")),
}
