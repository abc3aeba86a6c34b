"""The Gaussian item-response model of Hopkins and May (2013, section 7).

    mu_s ~ N(0, s0^2)                     ability of system s
    q_i  ~ N(mu_a(i), sa^2)               quality of item i, written by system a(i)
    o    = q + N(0, so^2)                 what a judge sees of an option, fresh noise each time
    outcome  0 if |o1 - o2| < d,  1 if o1 - o2 >= d,  2 if o2 - o1 >= d

All sigmas are standard deviations; s0 = 1, sa = 0.5, so = 1, d = 0.4 (the paper's footnote 13).  For new items, with
tau^2 = 2 (sa^2 + so^2) and m = mu_1 - mu_2,

    P(1) = Phi((m - d) / tau),   P(2) = Phi((-m - d) / tau),   P(0) = the rest.

The paper does not say what an item is.  "shared": one item for each (system, source segment), in as many comparisons
as it appears in.  "fresh": a new item for each option of each comparison, which is the same model without q, with
noise of variance tau^2 on the difference.  A ranking of five systems enters as ten comparisons, taken as independent
given the items.

The likelihood does not change when all mu and q are moved together, so the mean of the abilities is exactly
N(0, s0^2 / S) whatever the data: only differences are learnt, and what is reported is mu minus its mean.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..comparisons import Comparisons
from ..columns import Factor
from ..errors import InputError
from ..spec import one_of, whole_number
from .judgments import TIE, compared, judgments
from .posterior import Posterior

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Items = Literal["shared", "fresh"]
Sampler = Literal["gibbs", "collapsed"]

#: Comparisons from which on chains run in threads of their own.
THREADS_FROM = 5000


@dataclass(frozen=True)
class GaussianModel:
    """The known constants.

    Attributes
    ----------
    sd_ability : float
        s0 > 0.
    sd_quality : float
        sa > 0.
    sd_noise : float
        so > 0.
    radius : float
        d >= 0; with 0 there are no ties.
    """

    sd_ability: float = 1.0
    sd_quality: float = 0.5
    sd_noise: float = 1.0
    radius: float = 0.4

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (np.isfinite(value) and (value > 0 or (name == "radius" and value == 0))):
                raise InputError(f"{name}={value}; expected a finite number {'>= 0' if name == 'radius' else '> 0'}")

    @property
    def tau(self) -> float:
        """Standard deviation of o1 - o2 given the abilities, for new items."""
        return float(np.sqrt(2.0 * (self.sd_quality**2 + self.sd_noise**2)))

    def preferences(self, gap: FloatArray, extra_variance: float | FloatArray = 0.0) -> FloatArray:
        """P(tie), P(first), P(second) for new items.

        Parameters
        ----------
        gap : float[...]
            Ability of the first minus ability of the second.
        extra_variance : float or float[...]
            Of the gap itself: s0^2 for each system that is only known by the prior.

        Returns
        -------
        float[..., 3]
            Each row sums to 1.
        """
        from scipy.special import ndtr

        sd = np.sqrt(self.tau**2 + np.asarray(extra_variance, float))
        m, d = np.asarray(gap, float), self.radius
        first, second = ndtr((m - d) / sd), ndtr((-m - d) / sd)
        # Both terms from the side where they are small, so that nothing cancels far out.
        away = np.abs(m)
        tie = ndtr((d - away) / sd) - ndtr((-d - away) / sd)
        return np.stack([tie, first, second], axis=-1)


def fit_irt_gaussian(
    table: Comparisons,
    *,
    model: GaussianModel = GaussianModel(),
    items: Items | None = None,
    sampler: Sampler | None = None,
    chains: int = 4,
    warmup: int = 200,
    draws: int = 1000,
    seed: int = 0,
    workers: int | None = None,
    warn: bool = True,
) -> Posterior:
    """Sample the abilities' posterior.

    Parameters
    ----------
    table : Comparisons
        One track; counts must be whole.
    model : GaussianModel
    items : {"shared", "fresh"}, optional
        Default: shared where the table has a `source` column, else fresh (the posterior's notes say which).
    sampler : {"gibbs", "collapsed"}, optional
        Gibbs augments the data; collapsed (fresh items only) samples the abilities alone, at a cost that does not grow
        with the number of comparisons.  Default: gibbs for shared items, collapsed for fresh ones.
    chains, warmup, draws : int
        Chains, iterations thrown away in each, iterations kept in each.  The paper ran one chain of 200 with 50.
    seed : int
        The same numbers, bit for bit, for the same seed and version of numpy, whatever `workers` is.
    workers : int, optional
        Threads.  Default: one a chain, at most the number of processors; one in all for fewer than 5000 comparisons, where
        threads only wait for each other.
    warn : bool
        Warn (MixingWarning) when R-hat or an effective sample size of a centred ability is not good enough.

    Raises
    ------
    InputError
        Shared items without a source column or with a row without a source; ties beside radius 0; chains, warmup, draws, seed or
        workers that are no integers or too small; counts that are not whole (Gibbs).
    """
    chosen = choose_items(table, items)
    method: Sampler = sampler or ("gibbs" if chosen == "shared" else "collapsed")
    one_of("sampler", method, get_args(Sampler))
    if method == "collapsed" and chosen == "shared":
        raise InputError("sampler='collapsed' integrates each comparison's items out, which shared items do not allow; use "
                         "sampler='gibbs', or items='fresh'")
    check_run(chains, warmup, draws, seed, workers)
    sampled = _sample(table, model, chosen, method, chains, warmup, draws, seed, workers)
    result = Posterior(table.items, sampled, "ability", method, warmup, seed,
                       {**asdict(model), "items": chosen}, notes_on_items(table, items, chosen))
    if warn:
        result.warn_if_not_mixed()
    return result


def _sample(table: Comparisons, model: GaussianModel, items: Items, method: Sampler, chains: int, warmup: int, draws: int,
            seed: int, workers: int | None) -> FloatArray:
    if method == "collapsed":
        from .collapsed_gaussian import sample_collapsed

        return sample_collapsed(table, model, chains, warmup, draws, seed)
    from .gibbs_gaussian import FreshChain, run_chains, shared_chain

    data = oriented(table, model)
    if workers is None and len(data.up) < THREADS_FROM:
        workers = 1
    if items == "fresh":
        return run_chains(lambda rng: FreshChain(data, model, rng), chains, warmup, draws, seed, workers)
    author, segment, item = item_codes(table, data.up, data.down, data.row)
    return run_chains(shared_chain(data, author, segment, item, model), chains, warmup, draws, seed, workers)


@dataclass(frozen=True, eq=False)
class Oriented:
    """Judgments turned so that the preferred system stands first, the ties after all others.

    Attributes
    ----------
    n_systems, n_decided : int
        Judgments 0..n_decided-1 have a preference, the rest are ties.
    up, down : int[n]
        Systems; `up` was preferred (in a tie: was named first).
    row : int[n]
        The table's row.
    """

    n_systems: int
    n_decided: int
    up: IntArray
    down: IntArray
    row: IntArray


def oriented(table: Comparisons, model: GaussianModel) -> Oriented:
    """Raises InputError for ties beside radius 0."""
    single = judgments(table)
    if model.radius == 0 and (single.outcome == TIE).any():
        raise InputError(f"{table.source}: {int((single.outcome == TIE).sum())} ties, but radius=0 makes a tie impossible; use a radius > 0, "
                         "or drop the ties (table.without_ties())")
    order = np.argsort(single.outcome == TIE, kind="stable")
    turned = single.outcome[order] == 2
    first, second = single.first[order], single.second[order]
    return Oriented(len(table.items), int((single.outcome != TIE).sum()), np.where(turned, second, first), np.where(turned, first, second),
                    single.row[order])


def item_codes(table: Comparisons, first: IntArray, second: IntArray, row: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Shared items of judgments.

    Parameters
    ----------
    table : Comparisons
        With a column `source` without gaps (see :func:`choose_items`).
    first, second, row : int[n]
        Systems, and the table's row.

    Returns
    -------
    author, segment : int[n_items]
        Items of a segment stand together.
    item : int[2 n]
        Of `first`, then of `second`.
    """
    source = table.columns["source"]
    assert isinstance(source, Factor)  # choose_items has refused anything else
    n, segment = len(table.items), source.codes[row]
    found, codes = np.unique(np.concatenate([segment, segment]) * n + np.concatenate([first, second]), return_inverse=True)
    return found % n, found // n, np.ravel(codes)


def choose_items(table: Comparisons, items: Items | None) -> Items:
    """What an item is, checked against the table."""
    source = table.columns.get("source")
    if items is None:
        items = "shared" if isinstance(source, Factor) else "fresh"
    one_of("items", items, get_args(Items))
    if items == "shared":
        if not isinstance(source, Factor):
            raise InputError(f"{table.source}: shared items are (system, source segment), but there is no column 'source'; name it "
                             "(columns={'source': ...}) or use items='fresh'")
        if (source.codes < 0).any():
            raise InputError(f"{table.source}, row {int(np.flatnonzero(source.codes < 0)[0]) + 1}: no source segment; every row needs one for "
                             "shared items, or use items='fresh'")
    return items


def check_run(chains: int, warmup: int, draws: int, seed: int, workers: int | None) -> None:
    """Raises InputError unless all are integers, 1 or more (warm-up and seed 0 or more)."""
    for name, value, least in (("chains", chains, 1), ("warmup", warmup, 0), ("draws", draws, 1), ("seed", seed, 0)):
        whole_number(name, value, least)
    if workers is not None:
        whole_number("workers", workers, 1)


def notes_on_items(table: Comparisons, asked: Items | None, items: Items) -> tuple[str, ...]:
    notes = []
    if asked is None:
        notes.append("items: one for each (system, source segment), shared over comparisons" if items == "shared" else
                     "items: a new one for each option of each comparison, since there is no source column")
    unseen = [name for name, seen in zip(table.items, compared(table)) if not seen]
    if unseen:
        notes.append(f"never compared, so only the prior speaks: {', '.join(unseen)}")
    return tuple(notes)
