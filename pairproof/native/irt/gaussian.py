"""The Gaussian item-response model of Hopkins and May (2013, section 7).

    mu_s ~ N(0, s0^2)                     ability of system s
    q_i  ~ N(mu_a(i), sa^2)               quality of item i, written by system a(i)
    o    = q + N(0, so^2)                 what a judge sees of an option, fresh noise each time
    outcome  0 if |o1 - o2| < d,  1 if o1 - o2 >= d,  2 if o2 - o1 >= d

All sigmas are standard deviations; s0 = 1, sa = 0.5, so = 1, d = 0.4 (the paper's footnote 13).  For new
items, with tau^2 = 2 (sa^2 + so^2) and m = mu_1 - mu_2,

    P(1) = Phi((m - d) / tau),   P(2) = Phi((-m - d) / tau),   P(0) = the rest.

What an item is has two answers (:mod:`pairproof.native.irt.sampling`).  Fresh items, a new one for each
option of each comparison, make the same model without q, with noise of variance tau^2 on the difference.  A
ranking of five systems enters as ten comparisons, taken as independent given the items.

The likelihood does not change when all mu and q are moved together, so the mean of the abilities is exactly
N(0, s0^2 / S) whatever the data: only differences are learnt, and what is reported is mu minus its mean.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal, get_args

from ...data.comparisons import Comparisons
from ...data.options import one_of
from ...errors import InputError
from .gaussian_model import FloatArray, GaussianModel, oriented
from .posterior import Posterior
from .sampling import Items, Run, choose_items, item_codes

Sampler = Literal["gibbs", "collapsed"]


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
    """Sample the posterior of the systems' abilities in the Gaussian item-response model.

    With abilities mu ~ N(0, s0^2), item qualities q ~ N(mu, sa^2) and what a judge sees o ~ N(q, so^2), two
    options tie if they look less than d apart (Hopkins and May 2013, section 7).

    Parameters
    ----------
    table : Comparisons
        One track; counts must be whole.
    model : GaussianModel
        The constants s0, sa, so and d.
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

    Returns
    -------
    Posterior
        Draws, float[chains, draws, n_systems], with means, intervals, ranks and diagnostics.

    Raises
    ------
    InputError
        Shared items without a source column or with a row without a source; ties beside radius 0; chains,
        warmup, draws, seed or workers that are no integers or too small; counts that are not whole (Gibbs).

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.read({"first": ["A", "B", "A"], "second": ["B", "C", "C"], "wins": [14, 12, 17],
    ...                         "ties": [4, 3, 1], "losses": [2, 5, 2]})
    >>> posterior = pairproof.fit_irt_gaussian(table, draws=2000, seed=1)
    >>> posterior.ranking, (posterior.p_best > 0.9).tolist()
    (('A', 'B', 'C'), [True, False, False])
    """
    chosen = choose_items(table, items)
    method: Sampler = sampler or ("gibbs" if chosen == "shared" else "collapsed")
    one_of("sampler", method, get_args(Sampler))
    if method == "collapsed" and chosen == "shared":
        raise InputError(
            "sampler='collapsed' integrates each comparison's items out, which shared items do not allow; use"
            " sampler='gibbs', or items='fresh'"
        )
    run = Run(chains, warmup, draws, seed, workers)
    result = run.posterior(
        table, _sample(table, model, chosen, method, run), asdict(model), items, chosen, "ability", method
    )
    if warn:
        result.warn_if_not_mixed()
    return result


def _sample(table: Comparisons, model: GaussianModel, items: Items, method: Sampler, run: Run) -> FloatArray:
    if method == "collapsed":
        from .gaussian_collapsed import sample_collapsed

        return sample_collapsed(table, model, run)
    from .gaussian_gibbs import FreshChain, shared_chain

    data = oriented(table, model)
    if items == "fresh":
        return run.sample(lambda rng: FreshChain(data, model, rng), len(data.up))
    author, segment, item = item_codes(table, data.up, data.down, data.row)
    return run.sample(shared_chain(data, author, segment, item, model), len(data.up))
