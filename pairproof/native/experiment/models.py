"""Every preference model through one door: fit on training comparisons, predict a pair, be judged on test
comparisons.

    model = fit_preference_model(train, "irt-gaussian")
    model.predict("bbn", "cmu")              Preference(tie=..., first=..., second=...)
    model.perplexity(test)                   Perplexity(value=...)

The models of Hopkins and May (2013), and the package's own by maximum likelihood beside them::

    uniform, adjusted-uniform, pairs, students-asymmetric, students-arithmetic, students-geometric
    baselines irt-gaussian, irt-categorical
    irt_* bradley-terry    ties dropped for the abilities; P(tie) = (alpha + ties)/(3 alpha + n) for every
    pair davidson         abilities and tie parameter by maximum likelihood rao-kupper       likewise, Rao and
    Kupper's ties llbt             the same likelihood as davidson on the lambda scale, hence the same
    predictions

What a model says of a system that the training set does not have: uniform and adjusted-uniform say of it what
they say of all; pairs and students have their prior, 1/3; the item-response models integrate over the prior
of its ability. Maximum likelihood has no prior: there, and for two systems whose difference has no finite
estimate (nothing connects them, or one always wins), the pooled rates are used, (alpha + ties)/(3 alpha + n)
for a tie and the rest halved; the notes say for how many pairs.  Where the table has no tie category, every
model's numbers are taken given that there is no tie, and the Gaussian model's radius is 0 unless stated.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...data.judgments import compared, only_compared, preference_counts
from ...data.options import one_of, whole_number
from ...errors import DataWarning, InputError
from ..irt.categorical import CategoricalModel, fit_irt_categorical
from ..irt.gaussian import fit_irt_gaussian
from ..irt.gaussian_model import GaussianModel
from ..irt.posterior import Posterior
from ..irt.sampling import Items
from . import baselines
from .perplexity import Perplexity, perplexity

if TYPE_CHECKING:
    from ...fit.fit import Fit

FloatArray = NDArray[np.float64]

ModelName = Literal[
    "uniform",
    "adjusted-uniform",
    "pairs",
    "students-asymmetric",
    "students-arithmetic",
    "students-geometric",
    "irt-gaussian",
    "irt-categorical",
    "bradley-terry",
    "davidson",
    "rao-kupper",
    "llbt",
]
MODELS: tuple[ModelName, ...] = get_args(ModelName)


class Preference(NamedTuple):
    """Probabilities of the three outcomes of one comparison."""

    tie: float
    first: float
    second: float


@dataclass(frozen=True)
class PreferenceOptions:
    """What may be chosen, for whichever models it concerns.

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
        Of the item-response models.
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
        for name, value, least in (
            ("chains", self.chains, 1),
            ("warmup", self.warmup, 0),
            ("draws", self.draws, 1),
        ):
            whole_number(name, value, least)


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
    notes : tuple of str
        What a reader must know of this fit.
    fitted : Posterior, CategoricalFit, Fit or None
        What is behind it.
    """

    name: ModelName
    items: tuple[str, ...]
    probabilities: FloatArray
    n_train: float
    notes: tuple[str, ...] = ()
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
        where = np.array([self._place(name) for name in test.items])
        q = self.probabilities[where[test.first], where[test.second]]
        counts = np.stack([test.ties, test.wins, test.losses], axis=1)
        met = compared(test)
        unseen = tuple(name for name, k, here in zip(test.items, where, met) if here and k == len(self.items))
        return perplexity(q.ravel(), counts.ravel(), unseen)

    def surprise(self, test: Comparisons) -> FloatArray:
        """float[n_rows]: -log2 of the probability given to each row of a table (times its counts); inf where
        it was 0.
        """
        where = np.array([self._place(name) for name in test.items])
        q = self.probabilities[where[test.first], where[test.second]]
        counts = np.stack([test.ties, test.wins, test.losses], axis=1)
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
        pairs = [
            {
                "first": a,
                "second": b,
                **dict(zip(("p_tie", "p_first", "p_second"), self.probabilities[i, j].tolist())),
            }
            for i, a in enumerate(self.items)
            for j, b in enumerate(self.items)
            if i != j
        ]
        return {
            "model": self.name,
            "items": list(self.items),
            "n_train": self.n_train,
            "notes": list(self.notes),
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
    """Fit a preference model.

    Parameters
    ----------
    train : Comparisons
        One track.  Items never compared in it count as not in the training set.
    model : str
        One of `MODELS`.
    options : PreferenceOptions
    seed : int
        Of the item-response models' samplers.
    warn : bool
        Let the samplers warn when their chains have not mixed; it stands in the notes in any case.

    Raises
    ------
    InputError
        Another model name, a seed that is no integer or negative, or a table the model cannot be fitted to.
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


Fitted = tuple[FloatArray, tuple[str, ...], Any]


def _baseline(of_counts: Callable[[FloatArray, PreferenceOptions], FloatArray]) -> Callable[..., Fitted]:
    def fitter(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
        # One more system without a comparison: what the formulas give for it is what they say of an unseen
        # one.
        counts = np.pad(preference_counts(table), ((0, 1), (0, 1), (0, 0)))
        return of_counts(counts, options), (), None

    return fitter


def _gaussian(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
    model = options.gaussian or GaussianModel(radius=GaussianModel().radius if table.tie_category else 0.0)
    posterior = fit_irt_gaussian(
        table,
        model=model,
        items=options.items,
        chains=options.chains,
        warmup=options.warmup,
        draws=options.draws,
        seed=seed,
        warn=warn,
    )
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
    fitted = fit_irt_categorical(
        table,
        model=options.categorical,
        items=options.items,
        chains=options.chains,
        warmup=options.warmup,
        draws=options.draws,
        seed=seed,
        warn=warn,
    )
    return fitted.preferences(options.average is not False), _sampled_notes(fitted.strength), fitted


def _sampled_notes(posterior: Posterior) -> tuple[str, ...]:
    return (*posterior.notes, *([f"not mixed: {posterior.mixing}"] if posterior.mixing else []))


def _likelihood(
    table: Comparisons, options: PreferenceOptions, fit: Callable[[Comparisons], Fit], fixed_tie: bool
) -> Fitted:
    """A maximum-likelihood model; pooled rates where it has no number."""
    baselines.check_alpha(options.alpha)
    n = len(table.items)
    tie = (
        (options.alpha + table.ties.sum()) / (3.0 * options.alpha + table.n_comparisons)
        if table.tie_category
        else 0.0
    )
    p = np.tile([tie, (1.0 - tie) / 2.0, (1.0 - tie) / 2.0], (n + 1, n + 1, 1))
    if fixed_tie and not (table.wins.any() or table.losses.any()):
        return (
            p,
            (
                (
                    "all training comparisons are ties, so no ability has an estimate: pooled rates for every"
                    " pair"
                ),
            ),
            None,
        )
    fitted = fit(
        table.as_independent()
    )  # the published models take the pairs of rankings as independent: no warning with each fit
    frame = fitted.probabilities()
    place = {name: k for k, name in enumerate(table.items)}
    i, j = (frame[side].map(place).to_numpy() for side in ("first", "second"))
    found = frame[["p_tie", "p_first", "p_second"]].to_numpy()
    if fixed_tie:
        found = np.stack(
            [np.full(len(found), tie), (1.0 - tie) * found[:, 1], (1.0 - tie) * found[:, 2]], axis=1
        )
    known = ~np.isnan(found).any(axis=1)
    p[i[known], j[known]] = found[known]
    notes = (
        []
        if known.all()
        else [
            f"{int((~known).sum()) // 2} of {len(known) // 2} pairs have no finite estimate: pooled rates for"
            " them"
        ]
    )
    if not fixed_tie and table.tie_category and not table.ties.any():
        notes.append("no tie in the training set, so the estimated probability of a tie is 0")
    return p, tuple(notes), fitted


def _bradley_terry(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
    from ..pairs.models import fit_bradley_terry

    return _likelihood(
        table, options, lambda t: fit_bradley_terry(t, ties="drop" if t.tie_category else "none"), True
    )


def _davidson(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
    from ..pairs.models import fit_bradley_terry

    return _likelihood(
        table, options, lambda t: fit_bradley_terry(t, ties="davidson" if t.tie_category else "none"), False
    )


def _rao_kupper(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
    from ..pairs.models import fit_bradley_terry

    return _likelihood(
        table, options, lambda t: fit_bradley_terry(t, ties="rao-kupper" if t.tie_category else "none"), False
    )


def _llbt(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
    from ..pairs.models import fit_llbt

    return _likelihood(
        table, options, lambda t: fit_llbt(t, ties="davidson" if t.tie_category else "none"), False
    )


_FITTERS: Mapping[ModelName, Callable[..., Fitted]] = {
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
    "bradley-terry": _bradley_terry,
    "davidson": _davidson,
    "rao-kupper": _rao_kupper,
    "llbt": _llbt,
}
