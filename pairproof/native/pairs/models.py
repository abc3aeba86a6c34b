"""The models of paired comparisons that `pairproof` fits by maximum likelihood.

Log-linear Bradley-Terry models (Dras 2015, equations 1 and 2; R's prefmod): for a pair (j, k) of items in
covariate cell s the counts have expectations::

    log m(j preferred) = mu_jk,s + lambda_js - lambda_ks          (+ delta/2 if j is named first)
    log m(undecided)   = mu_jk,s + gamma
    log m(k preferred) = mu_jk,s - lambda_js + lambda_ks          (- delta/2)

    lambda_js = lambda_j + sum over terms t of the formula `by` of z_st lambda_jt,   lambda_reference = 0

The mu are nuisance parameters, which are profiled out.  log worth = 2 lambda.  gamma is reported as `tie`,
delta as `order`.

Bradley-Terry models in log-odds (Bradley and Terry 1952; R's BradleyTerry2) have the same likelihood, with
b = 2 lambda::

    logit P(i preferred to j) = b_i - b_j + delta * (1 if i is named first, -1 if j is, 0 on neutral ground)

In both, the ability of an item is a free parameter or a sum of item covariates, and may vary with subject
covariates; covariates of the comparison add to the log-odds of the item named first as delta does.  Ties
follow the model of Davidson (1970) or of Rao and Kupper (1967), count as half wins, or are
dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...data.comparisons import Comparisons
from ...data.options import hints_for_r
from ...errors import InputError
from ...fit.family import FAMILIES, FamilyName, Ties
from ...fit.fit import Fit
from ...fit.spec import ModelSpec
from .build import check_table
from .fit import fit


@hints_for_r
def fit_llbt(
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
) -> Fit:
    """Fit a log-linear Bradley-Terry model (LLBT) by maximum likelihood.

    Parameters
    ----------
    table : Comparisons
    ties : {"davidson", "rao-kupper", "half", "drop", "none"}, optional
        How ties are treated.  Default: "davidson" if the table has a tie category, else "none".  "none"
        keeps the tie category and holds its parameter at 0 (prefmod without `undec`).
    by : str
        Formula of the subject covariates with which the abilities vary, such as "judge", "judge + C(age)" or
        "a*b"; "tie:judge" and "order:judge" let the tie and order parameters vary.  A product with an item
        or an item covariate is of that one alone: "Paris:WOR" lets only Paris's ability vary with WOR,
        "LAT:ENG" only the effect of LAT with ENG.  `item(Paris)`, `item_term(LAT)` and `column(ENG)` say what
        a name is that could be more than one of these.
    reference : str, optional
        The item whose lambda is 0, or "sum": the lambdas sum to 0.  Default: the last item, as in prefmod.
    order_effect : bool
        Whether to estimate `order`, the log-odds in favour of the item named first.  Rows with 0 in a column
        `order` have no such effect (neutral ground).
    cells : str or sequence of str, optional
        Columns that divide the table for deviance and df further than the model's own covariates do; "row":
        each row is a cell.
    item_terms : sequence of str
        Item covariates whose sum is the ability, in place of free item parameters.
    separate : sequence of str
        Items that have an ability parameter of their own although `item_terms` are given, as in
        BradleyTerry2's `separate.ability`; it varies with `by`.  Items without a value of one of
        `item_terms` always have their own parameter, and a warning names them.
    comparison_terms : str or sequence of str
        Covariates of the comparison itself, each a formula of the table's columns: "length_difference",
        "C(position)", "length_difference*judge".  A parameter is the log-odds in favour of the item named
        first for one unit of its column, so that a numeric column belongs to the item named first, and has
        the other sign in a row whose items are exchanged.  No order effect stands beside them unless
        `order_effect` is asked for; without it a factor has a parameter for each of its levels.

    Returns
    -------
    Fit
        Its `params` are lambdas, each half a log-odds.

    Raises
    ------
    InputError, FormulaError, ItemError, AliasError
        The model cannot be fitted to this table; the message says why and what to do.
    ConvergenceError
        The solver did not meet its convergence criterion.

    References
    ----------
    Dras (2015), equations 1 and 2.  Dittrich, Hatzinger and Katzenbeisser (1998), Applied Statistics 47,
    511-525.  Davidson (1970), JASA 65, 317-328.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build(
    ...     ["A", "B", "C"], first=[0, 0, 1], second=[1, 2, 2], wins=[6, 8, 5], ties=[2, 1, 3], losses=[4, 3, 4]
    ... )
    >>> fit = pairproof.fit_llbt(table)
    >>> fit.params.round(3).to_dict()
    {'A': 0.454, 'B': 0.174, 'C': 0.0, 'tie': -0.866}
    """
    check_table(table, by)
    return fit(
        table,
        make_spec(
            "llbt", table, ties, by, reference, order_effect, cells, item_terms, separate, comparison_terms
        ),
    )


def make_spec(
    family: FamilyName,
    table: Comparisons,
    ties: Ties | None,
    by: str,
    reference: str | None,
    order_effect: bool,
    cells: str | Sequence[str] | None,
    item_terms: Sequence[str],
    separate: Sequence[str],
    comparison_terms: str | Sequence[str] = (),
) -> ModelSpec:
    """The specification of a model, with defaults filled in.

    Other parameters are those of :func:`pairproof.fit_llbt`.
    """
    if reference is not None and item_terms:
        raise InputError(
            f"reference={reference!r} beside item_terms={list(item_terms)}: abilities come from the item"
            " covariates, so no item's is 0; leave the reference out"
        )
    chosen: Ties = ties if ties is not None else ("davidson" if table.tie_category else "none")
    usual = FAMILIES[family].usual_reference(table.items)
    return ModelSpec(
        family=family,
        ties=chosen,
        by=by,
        reference="" if item_terms else reference or usual,
        order_effect=order_effect,
        cells=(cells,) if isinstance(cells, str) else tuple(cells or ()),
        item_terms=tuple(item_terms),
        separate=tuple(separate),
        comparison_terms=(comparison_terms,)
        if isinstance(comparison_terms, str)
        else tuple(comparison_terms),
    )
