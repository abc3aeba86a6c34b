"""How each preference model is fitted, and its probabilities computed, from a table of comparisons.

A fitter returns the probabilities of tie, first and second for every ordered pair of systems and for a
further system that is not in the training set (module `models`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...data.judgments import preference_counts
from ...fit.predictions import sets_of_items
from ...fit.spec import Ties
from ..irt.categorical import fit_irt_categorical
from ..irt.gaussian import fit_irt_gaussian
from ..irt.gaussian_model import GaussianModel
from ..irt.note import Note
from ..irt.posterior import Posterior
from . import baselines
from .options import ModelName, PreferenceOptions

if TYPE_CHECKING:
    from ...fit.fit import Fit

FloatArray = NDArray[np.float64]

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

    With `pooled_tie` the model has ability parameters only, and P(tie) is the pooled rate for every pair.
    """

    def fitter(table: Comparisons, options: PreferenceOptions, seed: int, warn: bool) -> Fitted:
        baselines.check_alpha(options.alpha)
        n, tie = len(table.items), _pooled_tie(table, options.alpha)
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


def _pooled_tie(table: Comparisons, alpha: float) -> float:
    if not table.tie_category:
        return 0.0
    return float((alpha + table.ties.sum()) / (3.0 * alpha + table.n_comparisons))


def _fit(family: Literal["bradley-terry", "llbt"], ties: Ties) -> Callable[[Comparisons], Fit]:
    def fit(table: Comparisons) -> Fit:
        from ..contests.bradley_terry import fit_bradley_terry
        from ..pairs.models import fit_llbt

        treated: Ties = ties if table.tie_category else "none"
        return fit_llbt(table, ties=treated) if family == "llbt" else fit_bradley_terry(table, ties=treated)

    return fit


#: The fitter of each model.
FITTERS: Mapping[ModelName, Fitter] = {
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
