"""Fits to a table with pseudo-comparisons: a prior in the form of results that nobody observed.

Two kinds.  "ghost": every item has n wins and n losses against an item of no name, whose ability is estimated too (R's
PlackettLuce, npseudo).  "pairs": every pair of items, also one never compared, has n wins each way (n = 1/2 is a Jeffreys
prior of each pair taken alone).  Both make every two items comparable and every estimate finite, and both pull the items
together, by more the fewer the real comparisons are.

What is maximised is no likelihood of the data: the fit is a quasi-likelihood, without AIC comparisons, likelihood ratios
or goodness of fit, and its standard errors count the pseudo-comparisons as data.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ....data.columns import Column, Factor
from ....data.comparisons import Comparisons
from ....data.options import one_of
from ....errors import InputError, TooLargeError
from ....fit.estimates.fit_record import FitWarning
from ....fit.fit import Fit
from .predict import rows_of

if TYPE_CHECKING:
    import pandas as pd


#: Name of the item against which every item has pseudo-results.
GHOST = "(ghost)"
MOST_PAIRS = 2_000_000
#: Options of a fit that would say something of comparisons nobody made.
REFUSED = ("by", "random", "subset", "weights", "offset", "reduce_bias")


def fit_with_pseudo_comparisons(
    table: Comparisons, n: float = 0.5, kind: Literal["ghost", "pairs"] = "ghost", **options: Any
) -> Fit:
    """Fit a Bradley-Terry model to a table with pseudo-comparisons, a prior that keeps all estimates finite.

    Parameters
    ----------
    table : Comparisons
    n : float
        Pseudo-wins each way, > 0.
    kind : {"ghost", "pairs"}
        Of each item against an item `(ghost)`, which is added (R's PlackettLuce, npseudo = n), or of each pair of items.
    **options : object
        Of :func:`pairproof.fit_bradley_terry`, except by, random, subset, weights, offset and reduce_bias.

    Returns
    -------
    Fit
        Its title and a warning say what was added, and `quasi_likelihood` is True.  ``extras["shrinkage"]`` is a
        DataFrame of the items' abilities without and with pseudo-comparisons, ``extras["llf_of_data"]`` the
        log-likelihood of the real comparisons alone at these estimates (lower than the greatest one).

    Raises
    ------
    InputError
        n is not a finite number > 0, another kind, an option that is refused, or an item named (ghost).
    TooLargeError
        More than two million pairs.

    References
    ----------
    Turner, van Etten, Firth and Kosmidis (2020), Computational Statistics 35, 1027-1057, section 2.3.

    Examples
    --------
    A always won; by maximum likelihood it is infinitely better.

    >>> import pairproof
    >>> table = pairproof.Comparisons.build("ABC", [0, 0, 1], [1, 2, 2], [5, 5, 3], None, [0, 0, 2])
    >>> fit = pairproof.fit_with_pseudo_comparisons(table)
    >>> fit.params[["A", "B", "C"]].round(4).to_dict()
    {'A': 0.0, 'B': -2.996, 'C': -3.3437}
    >>> fit.title
    'Bradley-Terry, with pseudo-comparisons (0.5 won and lost by each item against a ghost)'
    """
    import pairproof

    one_of("kind", kind, ("ghost", "pairs"))
    if isinstance(n, bool) or not np.isfinite(n) or n <= 0:
        raise InputError(f"n={n}: expected a finite number of pseudo-wins each way, > 0")
    for name in REFUSED:
        if name in options:
            raise InputError(
                f"{name} beside pseudo-comparisons, which have no judge, weight or subset; leave it out, or see"
                " reduce_bias='mean' of fit_bradley_terry for finite estimates"
            )
    data = with_pseudo_rows(table, n, kind)
    fitted = pairproof.fit_bradley_terry(data, **options)
    words = _words(n, kind)
    fitted = replace(fitted, spec=replace(fitted.spec, pseudo_comparisons=words), quasi_likelihood=True)
    plain = pairproof.fit_bradley_terry(table, **options)
    shrunk = _shrinkage(plain, fitted)
    llf = _llf(fitted, table.n_rows)
    added = float((data.wins + data.losses)[table.n_rows :].sum())
    return replace(
        fitted,
        warnings=(_warning(words, added, table, shrunk, llf), *fitted.warnings),
        extras={**fitted.extras, "shrinkage": shrunk, "llf_of_data": llf},
    )


def with_pseudo_rows(table: Comparisons, n: float, kind: str) -> Comparisons:
    """The table with rows of pseudo-comparisons after its own.
    Returns Comparisons: its numeric columns are 0 in the rows added, its factors have no level there."""
    k = len(table.items)
    items, item_data = table.items, dict(table.item_data)
    if kind == "ghost":
        if GHOST in items:
            raise InputError(f"an item is named {GHOST!r} already; rename it")
        items = (*items, GHOST)
        first, second = np.arange(k), np.full(k, k)
        item_data = {name: _longer(column, 1) for name, column in item_data.items()}
    else:
        if k * (k - 1) // 2 > MOST_PAIRS:
            raise TooLargeError(
                f"pseudo-comparisons of {k * (k - 1) // 2:,} pairs (limit {MOST_PAIRS:,}); use kind='ghost'"
            )
        first, second = np.triu_indices(k, 1)
    m = len(first)
    columns: dict[str, Column] = {name: _longer(column, m, 0.0) for name, column in table.columns.items()}
    if "order" not in columns:
        columns["order"] = np.concatenate([np.ones(table.n_rows), np.zeros(m)])
    each = np.full(m, float(n))
    return Comparisons.build(
        items,
        np.concatenate([table.first, first]),
        np.concatenate([table.second, second]),
        np.concatenate([table.wins, each]),
        np.concatenate([table.ties, np.zeros(m)]) if table.tie_category else None,
        np.concatenate([table.losses, each]),
        columns=columns,
        item_data=item_data,
        source=table.source,
        ranked_together=table.ranked_together,
    )


def _longer(column: Column, m: int, value: float = np.nan) -> Column:
    if not isinstance(column, Factor):
        return np.asarray(np.concatenate([column, np.full(m, value)]))
    if set(column.levels) <= {"0", "1"} and "0" in column.levels and value == 0.0:  # `order` read as text
        return Factor(np.concatenate([column.codes, np.full(m, column.levels.index("0"))]), column.levels)
    return Factor(np.concatenate([column.codes, np.full(m, -1)]), column.levels)


def _words(n: float, kind: str) -> str:
    whom = "by each item against a ghost" if kind == "ghost" else "by each item against each other"
    return f"with pseudo-comparisons ({n:g} won and lost {whom})"


def _shrinkage(plain: Fit, fitted: Fit) -> pd.DataFrame:
    """item, without, with: abilities about the mean of the real items; inf and nan where there is none."""
    import pandas as pd

    from ....fit.estimates.predictions import ability_functions

    n = len(plain.items)
    with_pseudo = (ability_functions(fitted, {}) @ fitted.beta)[:n]
    functions = ability_functions(plain, {})
    without = functions @ plain.beta
    centred = functions - functions.mean(axis=0)
    known = plain.vanishes(centred @ plain.null_space)
    if not known.all():
        contrast = functions - functions[0]
        known = plain.vanishes(contrast @ plain.null_space)
        without = np.where(known, without - without[0], np.nan)
        with_pseudo = with_pseudo - with_pseudo[0]
    else:
        without, with_pseudo = without - without.mean(), with_pseudo - with_pseudo.mean()
    return pd.DataFrame({"item": list(plain.items), "without": without, "with": with_pseudo})


def _llf(fitted: Fit, n_rows: int) -> float:
    """Log-likelihood of the real comparisons."""
    rows = rows_of(fitted)
    counts, p = rows.counts[:n_rows], rows.probabilities[:n_rows]
    seen = counts > 0
    return float(counts[seen] @ np.log(p[seen]))


def _warning(words: str, added: float, table: Comparisons, shrunk: pd.DataFrame, llf: float) -> FitWarning:
    without, with_pseudo = shrunk["without"].to_numpy(float), shrunk["with"].to_numpy(float)
    if np.isnan(without).any():
        lost = [i for i, v in zip(table.items, without) if np.isnan(v)]
        shrinks = f"{', '.join(lost[:8])} had no finite estimate against {table.items[0]}"
    else:
        ratio = float(with_pseudo @ without) / max(float(without @ without), 1e-300)
        shrinks = f"abilities shrink to {100.0 * ratio:.1f} % about their mean"
    text = (
        f"fitted {words}: {added:g} pseudo-comparisons beside {table.n_comparisons:g} real ones; {shrinks}. A prior, not data:"
        " standard errors count them, deviance and degrees of freedom are of both together, AIC and likelihood ratios"
        f" compare nothing; the real comparisons alone have log-likelihood {llf:.6g} here"
    )
    return FitWarning("pseudo-comparisons", text)
