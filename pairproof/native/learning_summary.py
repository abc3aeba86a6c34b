"""What the results of :mod:`pairproof.native.learning_curve` say: mean curves, who is best, how many judgments are enough.

The mean of a model at a size is that of its tracks' means over trials.  With v_t the variance over the n trials of track
t its standard error is sqrt(sum_t v_t / n) / T: of these T tracks, taken as they are, over the choice of training sets.
Differences between models are taken trial by trial, on the same training sets, which is much sharper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .posterior import check_level

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """Attributes
    ----------
    track, model : str
    train_size : int
        As asked; `n_train` is what there was.
    trial : int
        From 1.
    perplexity : float
        inf if the model gave probability 0 to something that happened.
    n_train, test_size : int
    impossible : int
        Test comparisons with probability 0.
    unseen : int
        Systems of the test set that were not in the sample.
    notes : tuple of str
    """

    track: str
    model: str
    train_size: int
    trial: int
    perplexity: float
    n_train: int
    test_size: int
    impossible: int = 0
    unseen: int = 0
    notes: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.track, self.model, self.train_size, self.trial

    def to_dict(self) -> dict[str, Any]:
        """The JSON row; an infinite perplexity is null, and `impossible` says why."""
        return {"track": self.track, "model": self.model, "train_size": self.train_size, "trial": self.trial,
                "perplexity": self.perplexity if np.isfinite(self.perplexity) else None, "n_train": self.n_train,
                "test_size": self.test_size, "impossible": self.impossible, "unseen": self.unseen, "notes": list(self.notes)}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Result:
        value = entry["perplexity"]
        return cls(entry["track"], entry["model"], entry["train_size"], entry["trial"], float("inf") if value is None else value,
                   entry["n_train"], entry["test_size"], entry["impossible"], entry["unseen"], tuple(entry["notes"]))


@dataclass(frozen=True)
class Mean:
    """Attributes
    ----------
    model : str
    train_size : int
    mean : float
        inf if one of the perplexities is.
    se, low, high : float
        Over the choice of training sets; nan with one trial, or where the mean is infinite.
    n : int
        Perplexities averaged.
    n_infinite : int
    """

    model: str
    train_size: int
    mean: float
    se: float
    low: float
    high: float
    n: int
    n_infinite: int


@dataclass(frozen=True)
class Best:
    """Attributes
    ----------
    train_size : int
    model : str
        The smallest mean perplexity.
    level_with : tuple of str
        Models whose mean difference from it is within its interval.
    """

    train_size: int
    model: str
    level_with: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """Attributes
    ----------
    mean : float
        Of the differences in perplexity, first minus second; inf or nan if a perplexity is infinite.
    se, low, high : float
        Over the choice of training sets; nan with one trial, or where the mean is not finite.
    """

    mean: float
    se: float
    low: float
    high: float


def means(results: Sequence[Result], level: float = 0.95) -> list[Mean]:
    """Mean perplexities with t intervals, models in the order in which they first appear, then by size."""
    check_level(level)
    out = []
    for model in _models(results):
        for size in _sizes(results):
            grid = _grid(results, model, size)
            if not grid:
                continue
            mean, se, df = _mean_and_se(grid.values())
            half = _t_quantile(df, level) * se
            values = np.concatenate(list(grid.values()))
            out.append(Mean(model, size, mean, se, mean - half, mean + half, len(values), int(np.isinf(values).sum())))
    return out


def best_by_size(results: Sequence[Result], level: float = 0.95) -> list[Best]:
    """Who has the smallest mean perplexity at each size, and who is not told from it, trial by trial."""
    check_level(level)
    table = {(m.model, m.train_size): m for m in means(results, level)}
    out = []
    for size in _sizes(results):
        here = [m for (_, k), m in table.items() if k == size and np.isfinite(m.mean)]
        if not here:
            continue
        top = min(here, key=lambda m: m.mean)
        gaps = {m.model: difference(_of(results, m.model, size), _of(results, top.model, size), level) for m in here if m.model != top.model}
        out.append(Best(size, top.model, tuple(name for name, gap in gaps.items() if not (gap.low if np.isfinite(gap.low) else gap.mean) > 0)))
    return out


def difference(first: Sequence[Result], second: Sequence[Result], level: float = 0.95) -> Difference:
    """Mean difference of two models, or of one model trained on two kinds of data, track by track and trial by trial.

    Parameters
    ----------
    first, second : sequence of Result
        Of one model and one size each, for the same tracks and trials.
    level : float

    Raises
    ------
    InputError
        Results of more than one model or size, or of other tracks and trials on the two sides.
    """
    check_level(level)
    sides = [{(r.track, r.trial): r.perplexity for r in side} for side in (first, second)]
    for side, found in zip((first, second), sides):
        if len(found) != len(side):
            raise InputError(f"{len(side)} results for {len(found)} trials of tracks; expected those of one model at one size")
    if set(sides[0]) != set(sides[1]):
        only = sorted(set(sides[0]) ^ set(sides[1]))[:3]
        raise InputError(f"{len(sides[0])} and {len(sides[1])} results that are not of the same tracks and trials; one side alone has {only}")
    tracks: dict[str, list[float]] = {}
    for key, value in sides[0].items():
        tracks.setdefault(key[0], []).append(value - sides[1][key])
    mean, se, df = _mean_and_se(np.array(values) for values in tracks.values())
    half = _t_quantile(df, level) * se
    return Difference(mean, se, mean - half, mean + half)


def _of(results: Sequence[Result], model: str, size: int) -> list[Result]:
    return [r for r in results if r.model == model and r.train_size == size]


def judgments_enough(results: Sequence[Result], within: float = 0.01) -> dict[str, int | None]:
    """For each model the smallest size from which on its mean perplexity stays within a share of that at the largest size.

    Parameters
    ----------
    results : sequence of Result
    within : float
        0.01: within 1 %.

    Returns
    -------
    dict of model to size
        None where the largest size's mean is infinite.
    """
    if not within > 0:
        raise InputError(f"within={within}; expected a share > 0, for example 0.01")
    out: dict[str, int | None] = {}
    for model in _models(results):
        curve = [m for m in means(results) if m.model == model]
        last = curve[-1].mean
        enough: int | None = None
        for point in reversed(curve):
            if not point.mean <= last * (1 + within):
                break
            enough = point.train_size
        out[model] = enough if np.isfinite(last) else None
    return out


def _models(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(r.model for r in results))


def _sizes(results: Sequence[Result]) -> list[int]:
    return sorted({r.train_size for r in results})


def _grid(results: Sequence[Result], model: str, size: int) -> dict[str, FloatArray]:
    """Perplexities over trials of each track."""
    grid: dict[str, list[tuple[int, float]]] = {}
    for r in results:
        if r.model == model and r.train_size == size:
            grid.setdefault(r.track, []).append((r.trial, r.perplexity))
    return {track: np.array([p for _, p in sorted(values)]) for track, values in grid.items()}


def _mean_and_se(tracks: Iterable[FloatArray]) -> tuple[float, float, int]:
    """Mean of the tracks' means, its standard error and degrees of freedom."""
    values = list(tracks)
    mean = float(np.mean([v.mean() for v in values])) if values else float("nan")
    if not np.isfinite(mean) or min((len(v) for v in values), default=0) < 2:
        return mean, float("nan"), 0
    return mean, float(np.sqrt(sum(v.var(ddof=1) / len(v) for v in values)) / len(values)), sum(len(v) - 1 for v in values)


def _t_quantile(df: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2)) if df > 0 else float("nan")
