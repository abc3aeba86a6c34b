"""Plackett and Luce's model of rankings, with ties, partial rankings and item covariates.

    P(ranking) = product over its stages s of f(C_s) / sum over admissible S of f(S),
    f(S) = delta_|S| (product of the worths of S)^(1/|S|),    delta_1 = 1

C_s is the group of items chosen at stage s from those that are left, S any set of these of 1 or of a number of items
that can tie (Luce 1959; Plackett 1975; ties by Turner, van Etten, Firth and Kosmidis 2020, Computational Statistics
35, 1027-1057).  The parameters are log worths, which are log-odds of two items, and the logs of the prevalences delta.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Union

import numpy as np

from ...data.options import hints_for_r, one_of
from ...data.respondents.respondents import Respondents
from ...errors import InputError
from ...fit.estimates.covariance import DenseCovariance
from ...fit.estimates.specification import AnswerSpec, Term
from ...fit.fit import Fit
from ...numerics.arrays import FloatArray
from .answer_fits import Fitted, finished, item_model, item_statistics
from .pattern_models import check_reference, check_table, ranks_of
from .patterns.answer_likelihood import Prior
from .patterns.ranking_patterns import fit_plackett_luce as fit_ranks
from .possible_answers import Possible

#: Standard deviation of each log worth, or their means and covariance.
PriorLike = Union[float, tuple[Sequence[float], Sequence[Sequence[float]]]]


@hints_for_r
def fit_plackett_luce(
    table: Respondents,
    *,
    by: str = "",
    item_terms: Sequence[str] = (),
    separate: Sequence[str] = (),
    reference: str | None = None,
    tie_orders: Sequence[int] | None = None,
    pseudo: float = 0.0,
    prior: PriorLike | None = None,
    errors: Literal["maximised", "rankings"] = "maximised",
) -> Fit:
    """Fit Plackett and Luce's model of rankings by maximum likelihood.

    The other natural model of a ranking is :func:`pairproof.fit_pattern`.  The two agree for two items, and with more
    only where all worths are equal; they are not nested.  Here a ranking is made from the top by choices whose odds
    depend on the two items alone, so that leaving an item out of all rankings changes no other worth; there the
    top and the bottom are treated alike, so that reversing all rankings changes the signs.

    Parameters
    ----------
    table : Respondents
        Rankings, or ratings, which are taken as rankings with ties.  Items below all others were there to be chosen;
        those not presented were not.
    by : str
        Formula of the subject covariates with which log worths vary, as in :func:`pairproof.fit_llbt`:
        "sex" for all of them, "A:sex" for one item, "x:sex" for one item covariate.
    item_terms : sequence of str
        Item covariates whose sum is the log worth, in place of free parameters.
    separate : sequence of str
        Items with a parameter of their own although `item_terms` are given.
    reference : str, optional
        The item whose log worth is 0, or "sum".  Default: the first item, as in PlackettLuce.
    tie_orders : sequence of int, optional
        Numbers of items that can tie.  Default: those observed, which makes the same estimates.
    pseudo : float
        Wins and losses of every item against a hypothetical one of free worth, added to the data: estimates then
        exist for any rankings, and are shrunken.  Default 0; R's PlackettLuce has 0.5.
    prior : float, or (float[J], float[J, J]), optional
        Standard deviation of a normal prior of each log worth around 0, or means and covariance.
    errors : {"maximised", "rankings"}
        Standard errors of the information of what was maximised, or of the rankings without `pseudo` at the estimates
        that it has moved, as R's PlackettLuce has them.

    Returns
    -------
    Fit
        Its `params` are log-odds; `tie2`, `tie3` are log prevalences of ties.

    Raises
    ------
    InputError, FormulaError, ItemError, AliasError
        The model cannot be fitted to this table.
    NotEstimableError
        The rankings do not connect all items, or parameters are infinite; they are named.
    ConvergenceError
        No maximum was reached.

    References
    ----------
    Turner, van Etten, Firth and Kosmidis (2020), Computational Statistics 35, 1027-1057.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
    >>> pairproof.fit_plackett_luce(table).params.round(4).to_dict()
    {'A': 0.0, 'B': -0.266, 'C': -0.697}
    """
    check_table(table, by)
    one_of("errors", errors, ("maximised", "rankings"))
    if errors == "rankings" and prior is not None:
        raise InputError(
            "errors='rankings' leaves pseudo-rankings out; with a prior, errors are of what was maximised"
        )
    spec = plackett_luce_spec(table, by, item_terms, separate, reference, tie_orders, pseudo, prior)
    spec, chosen = replace(spec, errors_of_rankings=errors == "rankings" and pseudo > 0), spec.reference
    # Fitted against an item, or, with a prior, none; another constraint is a change of reference.
    against = table.items[0] if chosen == "sum" else chosen
    fit = finished(fitted_plackett_luce(table, replace(spec, reference=against), prior))
    if spec.errors_of_rankings:
        fit = replace(fit, covariance=DenseCovariance(data_covariance(fit)))
    return fit if item_terms or (prior is None and chosen == against) else fit.with_reference(chosen)


def data_covariance(fit: Fit) -> FloatArray:
    """By the information of the rankings alone, at the fit's estimates."""
    at = fit.likelihood
    covariance = np.linalg.pinv(at.point.information_of(fit.numbers.observed), hermitian=True)
    return np.asarray(at.outward @ covariance @ at.outward.T)


def plackett_luce_spec(
    table: Respondents,
    by: str = "",
    item_terms: Sequence[str] = (),
    separate: Sequence[str] = (),
    reference: str | None = None,
    tie_orders: Sequence[int] | None = None,
    pseudo: float = 0.0,
    prior: PriorLike | None = None,
) -> AnswerSpec:
    """The specification, with defaults filled in; parameters and errors as for :func:`fit_plackett_luce`."""
    _check(table, by, item_terms, reference, pseudo, prior)
    return AnswerSpec(
        family="plackett-luce",
        by=by,
        reference="" if item_terms else reference or table.items[0],
        item_terms=tuple(item_terms),
        separate=tuple(separate),
        asked=table.kind,
        tie_orders=_orders(table)
        if tie_orders is None
        else tuple(sorted({int(d) for d in tie_orders} - {1})),
        pseudo=float(pseudo),
        prior=_in_words(prior),
    )


def fitted_plackett_luce(table: Respondents, spec: AnswerSpec, prior: PriorLike | None = None) -> Fitted:
    """The arrays of :func:`fit_plackett_luce` for a specification; parameters and errors as there."""
    model = item_model(table, spec, level_is_free=prior is not None)
    n_items, seen = len(table.items), spec.tie_orders
    found = fit_ranks(
        ranks_of(table),
        model.terms,
        model.group,
        table.weights,
        orders=seen,
        pseudo=spec.pseudo,
        prior=None if prior is None else _prior(prior, n_items, len(seen)),
    )
    ties = [Term(f"tie{d}", "tie" if d == 2 else "tie-of") for d in seen]
    possible = Possible("luce", n_items, orders=seen)
    statistics = [*item_statistics(table.items), *(t.name for t in ties)]
    return Fitted(table, spec, model, found, ties, statistics, possible)


def _check(
    table: Respondents,
    by: str,
    item_terms: Sequence[str],
    reference: str | None,
    pseudo: float,
    prior: PriorLike | None,
) -> None:
    if table.kind == "comparisons":
        raise InputError(
            f"{table.source}: the answers are comparisons, which need not be transitive; Plackett and Luce's model is of"
            " rankings. fit_pattern takes them, or fit_bradley_terry(table.to_comparisons())"
        )
    table.once  # refuses answers at several times
    check_reference(table, reference, item_terms, "log worths come from the item covariates")
    if prior is not None and (by or item_terms or pseudo):
        raise InputError("prior is for free log worths alone: without by, item_terms and pseudo")


def _orders(table: Respondents) -> tuple[int, ...]:
    """Numbers of items that are tied in some ranking of positive weight, items below all others not counted."""
    ranks = table.ranks[:, 0][table.weights > 0]
    sizes = {
        int(n) for k in range(1, int(ranks.max(initial=0)) + 1) for n in np.unique((ranks == k).sum(axis=1))
    }
    return tuple(sorted(sizes - {0, 1}))


def _in_words(prior: PriorLike | None) -> str:
    if prior is None:
        return ""
    return "a normal prior" if isinstance(prior, tuple) else f"prior N(0, {float(prior):g}^2) of log worths"


def _prior(prior: PriorLike, n_items: int, n_ties: int) -> Prior:
    """Of the log worths; the prevalences of ties have none."""
    if isinstance(prior, tuple):
        mean, matrix = (np.asarray(part, dtype=float) for part in prior)
    else:
        sd = float(prior)
        mean, matrix = np.zeros(n_items), np.eye(n_items) * sd**2
    if mean.shape != (n_items,) or matrix.shape != (n_items, n_items):
        raise InputError(
            f"prior: means of shape {mean.shape} and a covariance of shape {matrix.shape}; expected {n_items} and"
            f" {n_items} x {n_items}, or one standard deviation"
        )
    if not np.isfinite(matrix).all() or np.linalg.eigvalsh((matrix + matrix.T) / 2.0).min() <= 0:
        raise InputError(
            "prior: the covariance is not positive definite (a standard deviation must be above 0)"
        )
    return Prior(
        np.concatenate([mean, np.zeros(n_ties)]), np.pad(np.linalg.inv(matrix), ((0, n_ties), (0, n_ties)))
    )
