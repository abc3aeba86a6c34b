"""Which method comes nearest to the truth when annotators differ, with and without correcting their shifts.

Every method of Sakaguchi and Van Durme (2018) gets the same number of judgments from the same kind of panel
(:mod:`pairproof.native.annotation.simulated.simulated_panel`). A *corrected* score (+) is the item's prediction in the
mixed model item + session + annotator, fitted to the judgments that the method has collected; the method
chooses its items by its own raw scores. The grid crosses truth, context and shift, and :func:`turning` says
between which shifts one method passes another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....data.options import one_of, whole_number
from ....errors import ConvergenceError, InputError, NotEstimableError
from ..allocation import next_hits
from ..beta import FloatArray
from ..methods import METHODS, Method, observe, start
from ..models.mixed_model import mixed_model
from ..quality.annotators import spearman
from .simulated_panel import SESSION, Judged, Panel, PanelAtWork

#: Methods with a corrected score beside the raw one; ra has no judgments of its own scale to correct.
CORRECTED = ("da", "random", "easl")


@dataclass(frozen=True, eq=False)
class PanelRun:
    """Spearman's rho with the truth, raw and corrected.

    Attributes
    ----------
    methods : tuple of str
        "da", "da+", ...: a method, and with + its corrected scores.
    after : tuple of int
        Judgments an item.
    rho : float[methods, after, replicates]

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.panel_simulation import PanelRun
    >>> PanelRun(("da",), (4,), np.full((1, 1, 2), 0.8)).mean("da")
    array([0.8])
    """

    methods: tuple[str, ...]
    after: tuple[int, ...]
    rho: FloatArray

    def mean(self, method: str) -> FloatArray:
        """float[after]: mean over replicates.

        Raises
        ------
        InputError
            A method that was not run.
        """
        one_of("method", method, self.methods)
        found: FloatArray = self.rho[self.methods.index(method)].mean(axis=1)
        return found

    def standard_error(self, method: str) -> FloatArray:
        """float[after]: of the mean over replicates; nan with one.

        Raises
        ------
        InputError
            A method that was not run.
        """
        one_of("method", method, self.methods)
        rho = self.rho[self.methods.index(method)]
        if rho.shape[1] < 2:
            return np.full(len(rho), np.nan)
        found: FloatArray = rho.std(axis=1, ddof=1) / np.sqrt(rho.shape[1])
        return found


def run_panel(
    truth: FloatArray,
    panel: Panel,
    methods: Sequence[Method] = ("da", "random", "easl", "ra"),
    after: Sequence[int] = (4, 10),
    replicates: int = 12,
    per_hit: int = SESSION,
    seed: int = 0,
) -> PanelRun:
    """Run every method with panels drawn anew for each replicate.

    Parameters
    ----------
    truth : float[n_items]
        In [0, 1], not all the same.
    panel : Panel
    methods : sequence of str
        Of "da", "random", "easl", "ra", "trueskill".
    after : sequence of int
        Judgments an item at which the scores are compared with the truth, rising.
    replicates : int
        >= 1.
    per_hit : int
        Items of a HIT, 2 or more; da shows one at a time.
    seed : int
        >= 0.

    Returns
    -------
    PanelRun

    Raises
    ------
    InputError
        A value out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.annotation.simulated.panel_simulation import run_panel
    >>> from pairproof.native.annotation.simulated.simulated_panel import Panel
    >>> found = run_panel(np.linspace(0, 1, 40), Panel(sd=0.1, shift=0.3), ("da",), after=(4,), replicates=2)
    >>> found.methods, bool(found.mean("da+")[0] > found.mean("da")[0])
    (('da', 'da+'), True)
    """
    stops = tuple(whole_number("after", a, 1) for a in after)
    if not stops or list(stops) != sorted(set(stops)):
        raise InputError(f"after={stops}; expected rising numbers of judgments an item")
    whole_number("replicates", replicates, 1)
    whole_number("seed", seed, 0)
    true = np.asarray(truth, np.float64)
    if not 2 <= whole_number("per_hit", per_hit, 2) <= len(true) // 2:
        raise InputError(f"per_hit={per_hit} with {len(true)} items; expected 2 to {len(true) // 2}")
    if np.ptp(true) == 0:
        raise InputError("truth: all items are the same; expected some that differ")
    names: list[str] = []
    for method in methods:
        one_of("method", method, METHODS)
        names += [method, f"{method}+"] if method in CORRECTED else [method]
    rho = np.full((len(names), len(stops), replicates), np.nan)
    for r in range(replicates):
        row = 0
        for method in methods:
            # The same people for every method; what they do and are shown is drawn for each.
            people = np.random.default_rng([seed, r])
            work = PanelAtWork(panel, true, people)
            work.rng = np.random.default_rng([seed, r, METHODS.index(method)])
            raw, corrected = _one(work, method, stops, per_hit, true)
            rho[row, :, r] = raw
            row += 1
            if method in CORRECTED:
                rho[row, :, r] = corrected
                row += 1
    return PanelRun(tuple(names), stops, rho)


def _one(
    work: PanelAtWork, method: Method, stops: Sequence[int], per_hit: int, truth: FloatArray
) -> tuple[list[float], list[float]]:
    state = start(method, len(truth))
    batches: list[Judged] = []
    raw, corrected = [], []
    hits_a_batch = -(-len(truth) // per_hit)
    for t in range(stops[-1]):
        size, count = (1, hits_a_batch * per_hit) if method == "da" else (per_hit, hits_a_batch)
        hits = next_hits(state, state.n, size, count, work.rng, first=t == 0)
        judged = work.judge(hits)
        batches.append(judged)
        state = observe(state, list(hits), list(judged.score.reshape(hits.shape)))
        if t + 1 in stops:
            seen = state.n > 0
            raw.append(spearman(state.score[seen], truth[seen]))
            corrected.append(_corrected(batches, truth) if method in CORRECTED else np.nan)
    return raw, corrected


def _corrected(batches: Sequence[Judged], truth: FloatArray) -> float:
    """Spearman's rho of the predictions of item + session + annotator."""
    item, annotator, session, score = (
        np.concatenate([getattr(b, name) for b in batches])
        for name in ("item", "annotator", "session", "score")
    )
    seen = np.unique(item)
    people = np.unique(annotator, return_inverse=True)[1].ravel()
    try:
        fit = mixed_model(score, [np.searchsorted(seen, item), session, people])
    except (NotEstimableError, ConvergenceError):
        return float("nan")
    return spearman(fit.predictions[0], truth[seen])


def turning(
    shifts: Sequence[float], first: Sequence[float], second: Sequence[float]
) -> tuple[float, float] | None:
    """Between which shifts the first method passes the second.

    Parameters
    ----------
    shifts : sequence of float
        Rising.
    first, second : sequence of float
        Spearman's rho of the two methods at each shift.

    Returns
    -------
    (float, float) or None
        The last shift at which the first is behind and the next one; (0, 0) if it is ahead from the first on;
        None if it is behind at the last.

    Raises
    ------
    InputError
        Unequal lengths.

    Examples
    --------
    >>> from pairproof.native.annotation.simulated.panel_simulation import turning
    >>> turning([0.0, 0.1, 0.2, 0.3], first=[0.69, 0.71, 0.72, 0.67], second=[0.81, 0.77, 0.70, 0.61])
    (0.1, 0.2)
    """
    if not len(shifts) == len(first) == len(second):
        raise InputError(
            f"{len(shifts)} shifts, {len(first)} and {len(second)} values; expected as many of each"
        )
    behind = [k for k in range(len(shifts)) if first[k] <= second[k]]
    if not behind:
        return 0.0, 0.0
    last = behind[-1]
    return None if last == len(shifts) - 1 else (float(shifts[last]), float(shifts[last + 1]))
