"""The Gaussian item-response model of Hopkins and May (2013, section 7).

    mu_s ~ N(0, s0^2)                     ability of system s
    q_i  ~ N(mu_a(i), sa^2)               quality of item i, written by system a(i)
    o    = q + N(0, so^2)                 what a judge sees of an option, fresh noise each time
    outcome  0 if |o1 - o2| < d,  1 if o1 - o2 >= d,  2 if o2 - o1 >= d

All sigmas are standard deviations; s0 = 1, sa = 0.5, so = 1, d = 0.4 (the paper's footnote 13).  For new
items, with tau^2 = 2 (sa^2 + so^2) and m = mu_1 - mu_2,

    P(1) = Phi((m - d) / tau),   P(2) = Phi((-m - d) / tau),   P(0) = the rest.

The paper does not say what an item is.  "shared": one item for each (system, source segment), in as many
comparisons as it appears in.  "fresh": a new item for each option of each comparison, which is the same model
without q, with noise of variance tau^2 on the difference.  A ranking of five systems enters as ten
comparisons, taken as independent given the items.

The likelihood does not change when all mu and q are moved together, so the mean of the abilities is exactly
N(0, s0^2 / S) whatever the data: only differences are learnt, and what is reported is mu minus its mean.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.judgments import TIE, compared, judgments
from ...data.options import one_of, whole_number
from ...errors import InputError
from .gaussian_model import FloatArray, GaussianModel, Items, choose_items, item_codes, oriented
from .posterior import Posterior

Sampler = Literal["gibbs", "collapsed"]

#: Comparisons from which on chains run in threads of their own.
THREADS_FROM = 5000


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
        Gibbs augments the data; collapsed (fresh items only) samples the abilities alone, at a cost that does
        not grow with the number of comparisons.  Default: gibbs for shared items, collapsed for fresh ones.
    chains, warmup, draws : int
        Chains, iterations thrown away in each, iterations kept in each.  The paper ran one chain of 200 with
        50.
    seed : int
        The same numbers, bit for bit, for the same seed and version of numpy, whatever `workers` is.
    workers : int, optional
        Threads.  Default: one a chain, at most the number of processors; one in all for fewer than 5000
        comparisons, where threads only wait for each other.
    warn : bool
        Warn (MixingWarning) when R-hat or an effective sample size of a centred ability is not good enough.

    Raises
    ------
    InputError
        Shared items without a source column or with a row without a source; ties beside radius 0; chains,
        warmup, draws, seed or workers that are no integers or too small; counts that are not whole (Gibbs).
    """
    chosen = choose_items(table, items)
    method: Sampler = sampler or ("gibbs" if chosen == "shared" else "collapsed")
    one_of("sampler", method, get_args(Sampler))
    if method == "collapsed" and chosen == "shared":
        raise InputError(
            "sampler='collapsed' integrates each comparison's items out, which shared items do not allow; use"
            " sampler='gibbs', or items='fresh'"
        )
    check_run(chains, warmup, draws, seed, workers)
    sampled = _sample(table, model, chosen, method, chains, warmup, draws, seed, workers)
    result = Posterior(
        table.items,
        sampled,
        "ability",
        method,
        warmup,
        seed,
        {**asdict(model), "items": chosen},
        notes_on_items(table, items, chosen),
    )
    if warn:
        result.warn_if_not_mixed()
    return result


def _sample(
    table: Comparisons,
    model: GaussianModel,
    items: Items,
    method: Sampler,
    chains: int,
    warmup: int,
    draws: int,
    seed: int,
    workers: int | None,
) -> FloatArray:
    if method == "collapsed":
        from .gaussian_collapsed import sample_collapsed

        return sample_collapsed(table, model, chains, warmup, draws, seed)
    from .gaussian_gibbs import FreshChain, run_chains, shared_chain

    data = oriented(table, model)
    if workers is None and len(data.up) < THREADS_FROM:
        workers = 1
    if items == "fresh":
        return run_chains(lambda rng: FreshChain(data, model, rng), chains, warmup, draws, seed, workers)
    author, segment, item = item_codes(table, data.up, data.down, data.row)
    return run_chains(shared_chain(data, author, segment, item, model), chains, warmup, draws, seed, workers)


def check_run(chains: int, warmup: int, draws: int, seed: int, workers: int | None) -> None:
    """Raises InputError unless all are integers, 1 or more (warm-up and seed 0 or more)."""
    for name, value, least in (
        ("chains", chains, 1),
        ("warmup", warmup, 0),
        ("draws", draws, 1),
        ("seed", seed, 0),
    ):
        whole_number(name, value, least)
    if workers is not None:
        whole_number("workers", workers, 1)


def notes_on_items(table: Comparisons, asked: Items | None, items: Items) -> tuple[str, ...]:
    notes = []
    if asked is None:
        notes.append(
            "items: one for each (system, source segment), shared over comparisons"
            if items == "shared"
            else "items: a new one for each option of each comparison, since there is no source column"
        )
    unseen = [name for name, seen in zip(table.items, compared(table)) if not seen]
    if unseen:
        notes.append(f"never compared, so only the prior speaks: {', '.join(unseen)}")
    return tuple(notes)
