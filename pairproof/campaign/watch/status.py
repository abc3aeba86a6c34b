"""The status of a campaign: progress, convergence, scores; also annotators and systems if asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from ...data.options import one_of
from ...errors import InputError
from ...native.annotation.beta import FloatArray, IntArray
from ...native.annotation.methods import BETA, ScoreState, observe
from ...native.annotation.models.system_scores import SystemScores, system_scores
from ...native.annotation.quality.annotators import Agreement, agreement, spearman, standardised
from ..results.retraction import n_out
from ..storage.records import About, Judged, about, fields_of, ids_of, judged, state_of
from ..storage.store import Store, opened

#: How scores are brought to one scale before annotators or systems are compared.
Standardise = Literal["none", "z-scores"]


@dataclass(frozen=True, eq=False)
class Status:
    """The status of a campaign at one moment.

    Attributes
    ----------
    about : About
    ids : tuple of str
    state : ScoreState
    batches, hits, answered : int
        Batches opened, HITs in them, HITs with at least one judgment.
    judgments, scores, cannot_judge, annotators : int
    stability : float
        Spearman's rho between the scores with and without the last judged batch; nan if there is nothing to
        compare.
    shift : float
        Mean absolute change of the scores caused by the last judged batch; nan if there is nothing to
        compare.
    last : int or None
        The last batch with a judgment.
    agreement : Agreement or None
    names : tuple of str
        Names of the annotators, in the order of `agreement.rest`.
    systems : SystemScores or None
    taken_back : int
        Number of retracted judgments, which no other number includes.
    """

    about: About
    ids: tuple[str, ...]
    state: ScoreState
    batches: int
    hits: int
    answered: int
    judgments: int
    scores: int
    cannot_judge: int
    annotators: int
    stability: float
    shift: float
    last: int | None
    agreement: Agreement | None = None
    names: tuple[str, ...] = ()
    systems: SystemScores | None = None
    taken_back: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `easl status`; alpha and beta are null if the method has none, and `taken_back` is
        there only if judgments were retracted.
        """
        s, nothing = self.state, [None] * len(self.ids)
        a, b = (s.a.tolist(), s.b.tolist()) if self.about.method in BETA else (nothing, nothing)
        columns = (self.ids, s.score.tolist(), a, b, s.variance.tolist(), s.n.tolist())
        rows = [dict(zip(("id", "score", "alpha", "beta", "var", "n"), row)) for row in zip(*columns)]
        out = {"taken_back": self.taken_back} if self.taken_back else {}
        about = {"method": self.about.method, "batches": self.batches, "judgments": self.judgments}
        return {**about, **out, "scores": rows}


def status(
    path: str | Path,
    *,
    with_agreement: bool = False,
    systems: str | None = None,
    standardise: Standardise = "none",
) -> Status:
    """Read the status of a campaign.

    Parameters
    ----------
    path : path
    with_agreement : bool
        Also compute how well annotators agree.
    systems : str, optional
        Column of the items file that names each item's system; the systems' scores and clusters are then
        computed too.
    standardise : {"none", "z-scores"}
        Scale on which annotators and systems are compared; the items' own scores do not change.

    Raises
    ------
    InputError
    """
    one_of("standardise", standardise, get_args(Standardise))
    if standardise != "none" and not (with_agreement or systems):
        raise InputError("standardise applies to annotators and systems; ask for agreement or systems too")
    with opened(path, write=False) as store:
        a = about(store)

        def count(query: str) -> int:
            return int(store.db.execute(query).fetchone()[0] or 0)

        every = judged(store)
        last = max((b for b, _ in every.batches if b is not None), default=None)
        stability, shift = _convergence(store, a, every, last)
        found = Status(
            a,
            ids_of(store),
            state_of(store, a.method),
            count("SELECT COUNT(*) FROM batch"),
            count("SELECT COUNT(*) FROM hit"),
            count(
                "SELECT COUNT(*) FROM hit h WHERE EXISTS (SELECT 1 FROM judgment j WHERE j.batch = h.batch"
                " AND j.hit = h.number)"
            ),
            count("SELECT COUNT(*) FROM judgment"),
            count("SELECT COUNT(*) FROM score WHERE value IS NOT NULL"),
            count("SELECT COUNT(*) FROM score WHERE value IS NULL"),
            count("SELECT COUNT(DISTINCT worker) FROM judgment WHERE worker <> ''"),
            stability,
            shift,
            last,
            taken_back=n_out(store),
        )
        if not (with_agreement or systems):
            return found
        who, names, item, score = _flat(every, standardise)
        if with_agreement:
            known = who >= 0
            found = replace(found, agreement=agreement(who[known], item[known], score[known]), names=names)
        if systems:
            found = replace(found, systems=_systems(store, a, systems, item, score))
        return found


def _convergence(store: Store, a: About, every: Judged, last: int | None) -> tuple[float, float]:
    """Spearman's rho and mean absolute change between the scores with and without the last judged batch."""
    if last is None:
        return float("nan"), float("nan")
    earlier = every.upto(last - 1)
    before = observe(state_of(store, a.method, at_start=True), earlier.hits, earlier.scores, a.settings).score
    after = state_of(store, a.method).score
    both = ~(np.isnan(before) | np.isnan(after))
    if both.sum() < 2:
        return float("nan"), float("nan")
    return spearman(before[both], after[both]), float(np.mean(np.abs(after[both] - before[both])))


def _flat(every: Judged, standardise: Standardise) -> tuple[IntArray, tuple[str, ...], IntArray, FloatArray]:
    """The annotator (-1: not named), the annotators' names, and the item and value of every score."""
    names = tuple(sorted({w for w in every.workers if w}))
    place = {name: k for k, name in enumerate(names)}
    if not every.hits:
        raise InputError("this campaign has no judgments yet; annotators and systems cannot be compared")
    who = np.concatenate([np.full(len(h), place.get(w, -1)) for h, w in zip(every.hits, every.workers)])
    item, score = np.concatenate(every.hits), np.concatenate(every.scores)
    said = ~np.isnan(score)
    who, item, score = who[said], item[said], score[said]
    if standardise == "z-scores":
        if (who < 0).any():
            raise InputError(
                f"{int((who < 0).sum())} scores have no WorkerId, so they cannot be standardised by annotator"
            )
        score = standardised(who, score, names)
    return who, names, item, score


def _systems(store: Store, a: About, column: str, item: IntArray, score: FloatArray) -> SystemScores:
    """The systems' scores: means over a system's items of the means of each item's scores."""
    if column not in a.columns:
        raise InputError(
            f"{store.path}: items have no column {column!r}; they have"
            f" {', '.join(map(repr, a.columns)) or 'only id'}"
        )
    seen, at = np.unique(item, return_inverse=True)
    means = np.bincount(at, score) / np.bincount(at)
    fields = fields_of(store)
    k = a.columns.index(column)
    return system_scores([fields[int(i)][1][k] for i in seen], means)


def histogram(scores: Sequence[float] | FloatArray, bins: int = 10) -> tuple[IntArray, FloatArray]:
    """Counts and bin edges; the bins span 0 to 1 if all scores lie there, else the range of the scores."""
    values = np.asarray(scores, np.float64)
    values = values[~np.isnan(values)]
    inside = len(values) == 0 or (values.min() >= 0 and values.max() <= 1)
    counts, edges = np.histogram(values, bins, (0.0, 1.0) if inside else None)
    return counts.astype(np.int64), edges
