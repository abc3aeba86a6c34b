"""Bradley-Terry models in all their forms (Bradley and Terry 1952; Turner and Firth 2012; R's BradleyTerry2).

    P(i preferred to j in contest r) = F(a_i - a_j + delta order_r + z_r'c + offset_r)

F is the logistic, normal or Cauchy distribution.  The ability a_i is a free parameter, a sum x_i'b of item
covariates, or such a sum with a random effect, x_i'b + u_i, u_i ~ N(0, sigma^2).  In log-odds the logit is
the log-linear model of :func:`pairproof.fit_llbt` with b = 2 lambda::

    logit P(i preferred to j) = b_i - b_j + delta * (1 if i is named first, -1 if j is, 0 on neutral ground)

Ties follow the model of Davidson (1970), shifted and scaled where asked (R's GenDavidson), or that of Rao and
Kupper (1967), count as half wins, or are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from ....data.comparisons import Comparisons
from ....data.options import hints_for_r
from ....errors import InputError, RankingWarning, warn_the_caller
from ....fit.estimates.covariance import DenseCovariance
from ....fit.estimates.fit_record import ContestPart, FitWarning, Outcomes, Stopping
from ....fit.estimates.identification import constraint_of
from ....fit.estimates.specification import ContestSpec, LinkName, Ties
from ....fit.fit import Fit
from ..counts.build import check_table
from ..counts.llbt import fit as plain_fit, fit_llbt, make_spec
from ..counts.named import about_fractions, about_own_abilities, about_ties, ranking_warning
from .specified import ContestRows, Options, Prepared, asked, contest_rows, prepared

if TYPE_CHECKING:
    from .estimates import Solved


def fit_contests(ready: Prepared) -> Fit:
    """Fit a prepared model.
    Returns Fit: by the engine of plain models where there is neither link, offset, reduced bias, general ties
    nor random effect, else with a part of contests, and of random effects."""
    fitted: Fit
    if ready.spec.is_plain and not ready.spec.no_abilities:
        fitted = plain_fit(ready.table, ready.spec)
    else:
        for ranked in ranking_warning(ready.table):
            warn_the_caller(str(ranked), RankingWarning)
        fitted = fit_spec(ready.table, ready.spec)
    return replace(fitted, warnings=(*ready.warnings, *fitted.warnings)) if ready.warnings else fitted


def fit_spec(table: Comparisons, spec: ContestSpec) -> Fit:
    """Fit a specification whose columns are in the table."""
    rows = contest_rows(table, spec)
    if spec.random:
        from .mixed import fit_mixed_contests

        return fit_mixed_contests(rows, warnings_of(rows))
    from .estimates import solved

    return _fixed(rows, solved(rows))


def _fixed(rows: ContestRows, found: Solved) -> Fit:
    from .estimates import RULE, LinkOutcomes, referred, shared, tabulate

    spec = rows.spec
    terms = (*rows.terms, *found.more)
    n_more = len(found.more)
    numbers = referred(rows, found.theta, found.covariance, found.null_space, found.more)
    rank = len(found.theta) - found.null_space.shape[1] + found.n_infinite
    outcomes: Outcomes = LinkOutcomes(spec.link) if spec.law is None else spec.law
    expected = None
    if found.expected is not None:
        expected = DenseCovariance(rows.spread(rows.spread(found.expected, n_more).T, n_more))
    return Fit(
        **shared(rows, numbers, tabulate(rows, found.fitted, rank)),
        terms=terms,
        outcome_model=spec.ties if rows.has_ties else "binary",
        constraint=constraint_of(spec, terms, numbers.null_space, rows.table),
        llf=found.llf,
        stopping=Stopping(RULE, True, found.steps, found.decrement),
        warnings=(*warnings_of(rows), *found.warnings),
        n_infinite=found.n_infinite,
        contests=ContestPart(outcomes, found.penalised, expected),
    )


def warnings_of(rows: ContestRows) -> tuple[FitWarning, ...]:
    """Warnings about the data: ranked pairs, comparison terms, ties, items without a covariate."""
    data, spec = rows.data, rows.spec
    of_data = (*about_fractions(data, spec), *about_ties(data, spec), *about_own_abilities(data, spec))
    return (*ranking_warning(data), *rows.warnings, *of_data)


@hints_for_r
def fit_bradley_terry(
    table: Comparisons,
    *,
    ties: Ties | None = None,
    by: str = "",
    reference: str | None = None,
    order_effect: bool = False,
    cells: str | Sequence[str] | None = None,
    item_terms: Sequence[str] = (),
    separate: Sequence[str] = (),
    comparison_terms: str | Sequence[str] = (),
    formula: str = "",
    random: str | Sequence[str] = (),
    link: LinkName = "logit",
    offset: str | ArrayLike | None = None,
    weights: str | ArrayLike | None = None,
    subset: ArrayLike | None = None,
    reduce_bias: Literal["mean", "median", "jeffreys"] | None = None,
    method: Literal["laplace", "quadrature", "pql"] | None = None,
    tie_shift: bool = False,
    tie_scale: bool = False,
    rows: Any = None,
) -> Fit:
    """Fit a Bradley-Terry model.

    Other parameters are those of :func:`pairproof.fit_llbt`.

    Parameters
    ----------
    reference : str, optional
        The item whose ability is 0, or "sum".  Default: the first item, as in BradleyTerry2.
    formula : str
        What the ability of one item in one comparison is made of, in place of `item_terms` and `comparison_terms`:
        item covariates ("log(SVL) * sex"), `item` for free abilities, columns of the table, columns given for both
        sides (`home_first` and `home_second` are `home`), `offset(z)` and "(1 | item)".  It is worked out for the
        item named first and for the other, and the difference taken, as BradleyTerry2 does.  An item without a value
        of one of its item covariates has an ability of its own in place of all of them.
    random : str or sequence of str
        Random effects: "item" adds a normal error to the ability of every item, "item:judge" one to each judge's
        ability of every item.  The same as "(1 | item)" in the formula.
    link : {"logit", "probit", "cauchit"}
    offset : str or float[n_rows], optional
        A column, or numbers, added in favour of the item named first.
    weights : str or float[n_rows], optional
        A column, or numbers >= 0, by which the counts of each row are multiplied.
    subset : bool[n_rows] or sequence of int, optional
        Rows to use: a mask, or positions from 0, each at most once.
    reduce_bias : {"mean", "median", "jeffreys"}, optional
        Estimates with reduced bias, which are finite also where contests are separated: of the mean (Firth 1993), of
        the median (Kenne Pagui, Salvan and Sartori 2017), or penalised by Jeffreys' prior (for the logit the same as
        the mean's).
    method : {"laplace", "quadrature", "pql"}, optional
        With random effects: Laplace's approximation of the likelihood, quadrature where effects fall into sets of at
        most 5 (a judge's), or BradleyTerry2's penalised quasi-likelihood, which is badly biased for single wins and
        losses.  Default: quadrature for the effects of judges on at most 4 items, else Laplace.
    tie_shift, tie_scale : bool
        Whether Davidson's ties are most probable elsewhere than between equals, by who is named first, and whether
        they grow rarer at another rate (R's GenDavidson).
    rows : source of :func:`pairproof.count`, or :func:`pairproof.rows`, optional
        The rows that the table was counted from, where they are too many to hold: `comparison_terms` are then columns of
        numbers that they have and the table has not.  Each Newton step is one pass over them, and the title says how many
        there were.  Such a fit has estimates, standard errors, contrasts, ranks, llf and `clustered(COLUMN, rows=rows)`.

    Returns
    -------
    Fit
        Its `params` are log-odds: exp(A - B) are the odds that A is preferred to B.  With another link, an offset,
        reduced bias or general ties it has `contests`, with random effects `random_effects` too.

    Raises
    ------
    InputError, FormulaError, ItemError, AliasError, ConvergenceError
        As in :func:`pairproof.fit_llbt`.
    NotEstimableError
        There is no such estimate; the message says why.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39, 324-345.  Turner and Firth (2012), Journal of Statistical
    Software 48(9).

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build(
    ...     ["A", "B", "C"], first=[0, 0, 1], second=[1, 2, 2], wins=[6, 8, 5], ties=[2, 1, 3], losses=[4, 3, 4]
    ... )
    >>> fit = pairproof.fit_bradley_terry(table, ties="drop")
    >>> fit.params.round(3).to_dict()
    {'A': 0.0, 'B': -0.518, 'C': -0.862}
    """
    check_table(table, by, formula)
    options = Options(
        formula, random, link, offset, weights, subset, reduce_bias, method, tie_shift, tie_scale
    )
    plain = (ties, by, reference, order_effect, cells, item_terms, separate, comparison_terms)
    if rows is not None:
        return _through(table, options, plain, rows)
    spec = None if asked(options) else make_spec("bradley-terry", table, *plain)
    if spec is None or spec.general_ties:
        return fit_contests(prepared(table, options, *plain))
    return plain_fit(table, spec)


def _through(table: Comparisons, options: Options, plain: tuple[Any, ...], rows: Any) -> Fit:
    """Comparison terms of rows that are gone through; of plain models."""
    from ..rows.through_rows import fit_through

    spec = make_spec("bradley-terry", table, *plain)
    if asked(options) or spec.general_ties or spec.cells:
        raise InputError(
            "rows= with a formula, random effects, another link, an offset, weights, a subset, reduced bias, cells or general"
            " ties is not offered; leave these out, or count by the covariate in classes, by=[...], and fit that table"
        )
    return fit_through(table, spec, rows)


#: The function that fits each family of models.
FITTERS: Mapping[str, Callable[..., Fit]] = {"llbt": fit_llbt, "bradley-terry": fit_bradley_terry}
