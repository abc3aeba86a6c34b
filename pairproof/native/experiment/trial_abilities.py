"""How much abilities change from one random training set to the next (Hopkins and May 2013, section 8 and
Figure 6).

For each trial the item-response model is fitted on k of a track's training comparisons, the very samples of
:mod:`pairproof.native.experiment.run`.  With a_st the posterior mean of system s in trial t, the systems that
all samples have in common averaging 0 in each::

    mean_s = sum_t a_st / T          sd_s = sqrt( sum_t (a_st - mean_s)^2 / (T - 1) )

and the whole is then moved so that the means average 0.  The paper's error bars are one sd_s.  They say how
much the choice of k comparisons matters, not how well the ability is known: samples of one track overlap, and
a posterior interval from all of its comparisons is another thing
(:func:`pairproof.native.irt.gaussian.fit_irt_gaussian`).  The preference model is the mean of the trials'
models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.judgments import compared
from ...errors import InputError
from ..irt.note import Note
from .models import PreferenceModel
from .run import Design, fit_sample, training_sample
from .splits import Split

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class TrialAbilities:
    """The abilities of a track's systems in every trial of an experiment.

    items: systems that are compared in the training set.  size, n_train: training comparisons asked for, and
    how many there were.  trials float[n_trials, n_items]: posterior means, centred; nan where the sample has
    no comparison of the system.  p_better float[n_items, n_items]: P(ability of row > ability of column)
    within a trial, mean over the trials that have both; nan where none has.  model: the mean of the trials'
    probabilities.
    """

    items: tuple[str, ...]
    size: int
    n_train: int
    trials: FloatArray
    p_better: FloatArray
    model: PreferenceModel
    notes: tuple[str, ...] = ()

    @property
    def n_seen(self) -> NDArray[np.int64]:
        """int[n_items]: trials whose sample has the system."""
        return np.asarray((~np.isnan(self.trials)).sum(axis=0))

    @property
    def mean(self) -> FloatArray:
        """float[n_items]: over the trials that have the system; nan where none has."""
        return _known_mean(self.trials)

    @property
    def sd(self) -> FloatArray:
        """float[n_items]: over the trials; nan with fewer than two."""
        n = self.n_seen
        squares = np.nansum((self.trials - self.mean) ** 2, axis=0)
        return np.asarray(np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan))

    @property
    def ranking(self) -> tuple[str, ...]:
        """Systems by mean, best first; those that no sample has come last."""
        order = np.argsort(-np.where(np.isnan(self.mean), -np.inf, self.mean), kind="stable")
        return tuple(self.items[k] for k in order)

    def difference(self, first: str, second: str) -> tuple[float, float]:
        """Mean and standard deviation over the trials of first minus second, trial by trial."""
        for name in (first, second):
            if name not in self.items:
                raise InputError(f"no system {name!r}; there are {', '.join(self.items)}")
        gap = self.trials[:, self.items.index(first)] - self.trials[:, self.items.index(second)]
        gap = gap[~np.isnan(gap)]
        mean = float(gap.mean()) if len(gap) else float("nan")
        return mean, float(gap.std(ddof=1)) if len(gap) > 1 else float("nan")

    def bands(self, n: int) -> tuple[tuple[str, ...], ...]:
        """The ranking cut into n groups where neighbours' means are farthest apart."""
        ranking = [s for s in self.ranking if not np.isnan(self.mean[self.items.index(s)])]
        if not 1 <= n <= len(ranking):
            raise InputError(f"{n} bands of {len(ranking)} systems; expected 1 to {len(ranking)}")
        values = np.array([self.mean[self.items.index(s)] for s in ranking])
        cuts = sorted((np.argsort(values[1:] - values[:-1], kind="stable")[: n - 1] + 1).tolist())
        return tuple(tuple(ranking[a:b]) for a, b in zip([0, *cuts], [*cuts, len(ranking)]))

    def to_dict(self) -> dict[str, Any]:
        """The abilities as a JSON object, with null for missing numbers."""

        def number(x: float) -> float | None:
            return float(x) if np.isfinite(x) else None

        return {
            "train_size": self.size,
            "n_train": self.n_train,
            "trials": len(self.trials),
            "notes": list(self.notes),
            "ranking": list(self.ranking),
            "systems": [
                {"item": name, "mean": number(m), "sd": number(s), "trials": int(n)}
                for name, m, s, n in zip(self.items, self.mean, self.sd, self.n_seen)
            ],
        }

    def __repr__(self) -> str:
        return (
            f"<TrialAbilities: {len(self.items)} systems, {len(self.trials)} trials of"
            f" {self.n_train} comparisons>"
        )


def trial_abilities(split: Split, track: str, size: int, design: Design) -> TrialAbilities:
    """Fit irt-gaussian in every trial of a design, on its samples of one size.

    track: names the samples, as in :func:`pairproof.native.experiment.run.run`.  size: training comparisons,
    >= 1.  design: its trials, seed and options; sizes and models do not matter here.
    """
    if size < 1:
        raise InputError(f"abilities at {size} training comparisons; expected at least 1")
    items = tuple(name for name, met in zip(split.train.items, compared(split.train)) if met)
    if not items:
        raise InputError(f"track {track}: the training set has no comparison")
    samples = [
        training_sample(split, track, trial, size, design.seed) for trial in range(1, design.trials + 1)
    ]
    fits = [
        fit_sample(sample, track, trial, size, "irt-gaussian", design)
        for trial, sample in enumerate(samples, 1)
    ]
    trials = np.full((len(fits), len(items)), np.nan)
    better = np.full((len(fits), len(items), len(items)), np.nan)
    mean = np.zeros((len(items) + 1, len(items) + 1, 3))
    for row, p, fit in zip(trials, better, fits):
        known = np.array([k for k, name in enumerate(items) if name in fit.items])
        own = np.array([fit.items.index(items[k]) for k in known])
        row[known] = fit.fitted.mean[own]
        p[np.ix_(known, known)] = fit.fitted.p_better[np.ix_(own, own)]
        where = np.array(
            [fit.items.index(name) if name in fit.items else len(fit.items) for name in (*items, "")]
        )
        mean += fit.probabilities[np.ix_(where, where)] / len(fits)
    lacking = np.isnan(trials).sum(axis=0)
    notes = []
    if lacking.any():
        notes.append(
            "not compared in every sample, so its mean is over fewer: "
            + ", ".join(f"{name} ({int(n)} of {len(fits)})" for name, n in zip(items, lacking) if n)
        )
        if (lacking > 0).all():
            notes.append("no system is compared in every sample, so each trial is centred on its own systems")
    averaged = Note("mean-of-trials", f"mean of {len(fits)} trials")
    model = PreferenceModel("irt-gaussian", items, mean, float(samples[0].n_rows), (averaged,))
    return TrialAbilities(
        items, size, samples[0].n_rows, centred(trials), _known_mean(better), model, tuple(notes)
    )


def centred(trials: FloatArray) -> FloatArray:
    """Abilities of each trial, shifted so that the systems that all trials have average 0; then all are shifted
    alike so that the systems' means average 0.
    """
    common = ~np.isnan(trials).any(axis=0)
    level = trials[:, common].mean(axis=1) if common.any() else _known_mean(trials.T)
    moved = trials - level[:, None]
    return np.asarray(moved - np.nanmean(_known_mean(moved)))


def _known_mean(values: FloatArray) -> FloatArray:
    """Mean over the first axis of the values that are not nan; nan if all are."""
    n = (~np.isnan(values)).sum(axis=0)
    return np.asarray(np.where(n > 0, np.nansum(values, axis=0) / np.maximum(n, 1), np.nan))
