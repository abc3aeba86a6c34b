"""Pattern models: the probability of a person's whole answer.

    log P(y | s) = sum over pairs y_jk (lambda_js - lambda_ks) + gamma (number of ties)
                   + sum over pairs of comparisons theta_ab y_a y_b - log Z

over all answers that were possible: all combinations of comparisons, the J! rankings, or the weak orders of a
rating scale (Dittrich, Hatzinger and Katzenbeisser 1998, Applied Statistics 47, 511-525; Hatzinger and Dittrich 2012,
Journal of Statistical Software 48(10); R's prefmod).  y_jk is 1 where j is preferred to k, -1 where k is, 0 where
neither is; log worth = 2 lambda.  What a person left out adds up the probabilities of all answers that agree with
the rest.

Pattern models of answers at several times, as `fit_pattern` asks for them.

The parameters of the items and of ties are those of each time, `A:time[2]`, `tie:time[2]`; a link between times is the
parameter of a comparison at two times that follow each other, `A:B:time[1]*time[2]`.

The joint model of answers and of which comparisons are missing, as `fit_pattern` asks for it.

Its saturated model gives free probabilities to every combination of answers and gaps, (c + 1)^C of them for C
comparisons with c categories, in each covariate group.  prefmod compares the joint log-likelihood with a saturated one
of the answers given the gaps, which is no deviance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np

from ...data.judgments import check_one_track
from ...data.options import hints_for_r, one_of
from ...data.respondents.codes import ABSENT, BELOW, MISSING
from ...data.respondents.respondents import Respondents
from ...data.where import hint
from ...errors import InputError, ItemError, NotEstimableError
from ...fit.estimates.fit_record import FitWarning
from ...fit.estimates.specification import Alpha, AnswerSpec, AnswerTies, Beta, Term
from ...fit.fit import Fit
from ...numerics.arrays import IntArray
from ..prefmod_defects.defects_of_input import pattern_call
from .answer_fits import (
    Fitted,
    ItemModel,
    comparison_statistics,
    dependence,
    finished,
    in_time,
    item_model,
    item_statistics,
    links,
    names,
    others,
)
from .patterns import missing_comparisons as gaps
from .patterns.answer_likelihood import PatternFit, blocks, maximum_likelihood
from .patterns.comparison_patterns import fit_comparisons
from .patterns.natural_parameters import Undecided, n_pairs, pair_names
from .patterns.ranking_patterns import fit_mallows
from .patterns.rating_patterns import fit_ratings
from .patterns.repeated_answers import fit_repeated
from .possible_answers import Form, Possible


def _places(table: Respondents, what: str, chosen: Sequence[str] | None, option: str) -> list[int] | None:
    """Positions of the items or pairs named in `alpha_of` or `beta_of`."""
    if chosen is None:
        return None
    items = table.items
    known = pair_names(items) if what == "comparison" else list(items)
    wrong = [name for name in chosen if name not in known]
    if isinstance(chosen, str) or wrong:
        raise InputError(
            f"{option}: {wrong[0] if wrong else chosen!r} is none of {', '.join(known[:20])}; give a list of them"
        )
    return [known.index(name) for name in chosen]


def repeated(table: Respondents, spec: AnswerSpec, model: ItemModel) -> Fitted:
    """Fit ratings or rankings at several times."""
    if table.kind == "ratings":
        answers, categories, places = table.answers, len(table.scale), min(len(table.scale), len(table.items))
        if spec.answer_ties != "davidson":
            raise InputError(
                f"ties={spec.answer_ties!r}: repeated ratings have one tie parameter at each time (ties='davidson')"
            )
    else:
        absent = (table.answers == ABSENT).any(axis=2) & (table.answers > 0).any(axis=2)
        if absent.any():
            row, time = np.argwhere(absent)[0]
            raise InputError(
                f"{table.source}, row {row + 1}, time {table.times[time]}: items that were not presented; repeated"
                " rankings take complete ones and those with items below all others"
            )
        if spec.answer_ties != "none":
            raise InputError(
                "repeated rankings with ties: rankings at several times are strict in this model"
            )
        answers, categories, places = table.ranks, None, len(table.items)
    ternary, own = table.kind == "ratings", dependence(table, spec)
    once = _statistics(table, spec, ternary)
    between = links(table)
    statistics = [f"{name} at {time}" for time in table.times for name in once] + [t.name for t in between]
    more = [
        *([in_time(Term("tie", "tie"), t) for t in table.times] if ternary else []),
        *(in_time(term, t) for t in table.times for term in own),
        *(between if spec.between_times else []),
    ]
    found = fit_repeated(
        answers,
        model.terms,
        "ratings" if table.kind == "ratings" else "rankings",
        categories,
        model.group,
        table.weights,
        spec.dependence,
        spec.between_times,
        names(model, spec, more),
    )
    form: Form = "weak" if ternary else "strict"
    possible = Possible(
        form, len(table.items), table.n_times, ternary, places, (), spec.dependence, spec.between_times
    )
    return Fitted(table, spec, model, found, more, statistics, possible)


#: How ties enter the arrays.
_UNDECIDED: dict[str, Undecided] = {"davidson": "one", "by-pair": "each", "none": "zero"}


@hints_for_r
def fit_pattern(
    table: Respondents,
    *,
    ties: AnswerTies | None = None,
    by: str = "",
    item_terms: Sequence[str] = (),
    separate: Sequence[str] = (),
    reference: str | None = None,
    dependence: bool = False,
    between_times: bool = False,
    alpha: Alpha | None = None,
    beta: Beta | None = None,
    alpha_of: Sequence[str] | None = None,
    beta_of: Sequence[str] | None = None,
    ties_unresolved: bool = False,
    compat: str | Sequence[str] = "",
    cells: str | Sequence[str] = (),
) -> Fit:
    """Fit the pattern model of whole answers by maximum likelihood.

    The kind of table determines which one: comparisons (prefmod's pattPC), rankings (pattR), ratings (pattL), or one of
    the latter at several times (pattRrep, pattLrep).

    Parameters
    ----------
    table : Respondents
    ties : {"davidson", "by-pair", "none"}, optional
        One tie parameter for all pairs, one for each, or none: its value is then held at 0.  Default: "davidson"
        where ties could be answered.  Rankings with ties are fitted as weak orders.
    by : str
        Formula of the subject covariates with which the lambdas vary, as in :func:`pairproof.fit_llbt`:
        "sex" for all of them, "A:sex" for one item, "x:sex" for one item covariate.
    item_terms : sequence of str
        Item covariates whose sum is an item's lambda, in place of free parameters.
    separate : sequence of str
        Items with a parameter of their own although `item_terms` are given.
    reference : str, optional
        The item whose lambda is 0, or "sum".  Default: the last item, as in prefmod.
    dependence : bool
        Whether two comparisons that share an item depend on each other, with a parameter for each two (prefmod's
        `ia`).  Not for rankings, whose comparisons are transitive.
    between_times : bool
        Whether each comparison depends on the same one at the time before (prefmod's `iaT`).
    alpha : {"none", "common", "item", "comparison"}, optional
        Model which comparisons are missing, too: the log-odds that one is are the same for all, sums of those of
        its items, its own, or 0 ("none").  Default: missing at random, which needs no model.
    beta : {"item", "difference", "comparison", "coded"}, optional
        How these log-odds depend on the answer that would have been given; see
        :mod:`pairproof.native.answers.patterns.missing_comparisons`.  "coded" is what prefmod computes for "item".
    alpha_of, beta_of : sequence of str, optional
        Items (or pairs "A:B" for "comparison") that have such a parameter; default: all.
    ties_unresolved : bool
        Whether equal ranks mean that the order of these items is not known, rather than a tie.
    compat : str or sequence of str
        To reproduce a number printed with prefmod: "prefmod" fits with the defects that prefmod shows on
        this table, "prefmod:B1-ties-as-losses" with that one; a warning names them.
        :func:`pairproof.native.prefmod_defects.defect_catalogue.defects` lists them.
    cells : str or sequence of str
        Columns by which persons are tabulated for deviance, its degrees of freedom and residuals, beyond the model's own
        covariates: every answer has a free probability in each group of persons.  Estimates do not change.

    Returns
    -------
    Fit
        Its `params` are lambdas, each half a log-odds of two items; its deviance is that against free
        probabilities of all possible answers.

    Raises
    ------
    InputError, FormulaError, ItemError, AliasError
        The model cannot be fitted to this table.
    NotEstimableError
        Parameters are infinite, or cannot be distinguished; they are named.
    ConvergenceError
        No maximum was reached.
    TooLargeError
        There are too many patterns.

    References
    ----------
    Hatzinger and Dittrich (2012), Journal of Statistical Software 48(10).  Dittrich, Francis, Hatzinger and
    Katzenbeisser (2012), Statistical Modelling 12, 117-143 (alpha, beta).

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
    >>> pairproof.fit_pattern(table).params.round(4).to_dict()
    {'A': 0.2582, 'B': 0.1291, 'C': 0.0}
    """
    table, by, beta, told = pattern_call(table, by, beta, compat)
    chosen = "none" if ties_unresolved and ties is None else ties
    spec = pattern_spec(
        table, chosen, by, item_terms, separate, reference, dependence, between_times, alpha, beta
    )
    spec = replace(spec, cells=(cells,) if isinstance(cells, str) else tuple(cells))
    fit = finished(fitted_pattern(table, spec, ties_unresolved, OfGaps(alpha_of, beta_of)))
    if told:
        fit = replace(fit, warnings=(*fit.warnings, *told))
    return fit.with_reference("sum") if spec.reference == "sum" and not item_terms else fit


class OfGaps(NamedTuple):
    """Items or pairs that have a parameter of the gaps; None: all."""

    alpha: Sequence[str] | None = None
    beta: Sequence[str] | None = None


def fitted_pattern(
    table: Respondents, spec: AnswerSpec, ties_unresolved: bool = False, of_gaps: OfGaps = OfGaps()
) -> Fitted:
    """The arrays of :func:`fit_pattern` for a specification; parameters and errors as there."""
    _check(table, spec, ties_unresolved, of_gaps)
    model = item_model(table, spec)
    if table.n_times > 1:
        return repeated(table, spec, model)
    if table.kind == "comparisons":
        return _comparisons(table, spec, model, of_gaps)
    if table.kind == "ratings" or (spec.answer_ties != "none" and not ties_unresolved):
        return _weak_orders(table, spec, model)
    return _rankings(table, spec, model, ties_unresolved)


def pattern_spec(
    table: Respondents,
    ties: AnswerTies | None,
    by: str,
    item_terms: Sequence[str],
    separate: Sequence[str],
    reference: str | None,
    dependence: bool,
    between_times: bool,
    alpha: Alpha | None,
    beta: Beta | None,
) -> AnswerSpec:
    """The specification, with defaults filled in."""
    check_table(table, by)
    check_reference(table, reference, item_terms, "lambdas come from the item covariates, so no item's is 0")
    chosen: AnswerTies = ties if ties is not None else ("davidson" if table.tie_category else "none")
    return AnswerSpec(
        family="pattern",
        ties="none" if chosen == "none" else "davidson",
        by=by,
        reference="" if item_terms else reference or table.items[-1],
        item_terms=tuple(item_terms),
        separate=tuple(separate),
        asked=table.kind,
        times=table.times,
        answer_ties=chosen,
        dependence=dependence,
        between_times=between_times,
        alpha=alpha or ("none" if beta else ""),
        beta=beta or "",
    )


def check_table(table: object, by: str = "") -> None:
    """InputError, with what to do, unless it is a table of respondents of one track."""
    if not isinstance(table, Respondents):
        raise InputError(
            f"table is a {type(table).__name__}; a model of whole answers takes Respondents, which"
            " pairproof.read_respondents(source, layout=...) reads"
        )
    check_one_track(table, by)


def check_reference(
    table: Respondents, reference: str | None, item_terms: Sequence[str], instead: str
) -> None:
    """InputError beside item covariates; ItemError unless the reference is an item, or "sum"."""
    if reference is not None and item_terms:
        raise InputError(
            f"reference={reference!r} beside item_terms={list(item_terms)}: {instead}; leave the reference out"
        )
    if reference not in (None, "sum", *table.items):
        raise ItemError(
            f"reference {reference!r} is not an item; the items are {', '.join(table.items)}, or 'sum'"
            + hint(table.narrowed, str(reference))
        )


def _check(table: Respondents, spec: AnswerSpec, ties_unresolved: bool, of_gaps: OfGaps) -> None:
    """What the kind of answers does not allow."""
    one_of("alpha", spec.alpha, ("", "none", "common", "item", "comparison"))
    one_of("beta", spec.beta, ("", "item", "difference", "comparison", "coded"))
    if spec.answer_ties != "none" and not table.tie_category:
        raise InputError(
            f"ties={spec.answer_ties!r}, but {table.source} has no tie category: nobody could answer, or gave, a tie;"
            " use ties='none'"
        )
    if (spec.alpha or spec.beta) and (table.kind != "comparisons" or table.n_times > 1):
        raise InputError(
            "alpha and beta model which comparisons are missing; they are for comparisons at one time, not for"
            f" {table.kind}{' at several times' if table.n_times > 1 else ''}"
        )
    if (spec.alpha or spec.beta) and not (table.once == MISSING).any():
        raise InputError(
            f"{table.source}: every comparison was answered, so there are no gaps to model; leave alpha and beta out"
        )
    chosen = of_gaps.alpha is not None and spec.alpha not in ("item", "comparison")
    if chosen or (of_gaps.beta is not None and not spec.beta):
        raise InputError(
            "alpha_of and beta_of choose among parameters of alpha and beta, which are not asked for"
        )
    if spec.dependence and table.kind == "rankings":
        raise InputError(
            "dependence has no meaning for rankings: their comparisons are transitive; fit ratings or comparisons"
        )
    if spec.between_times and table.n_times < 2:
        raise InputError(f"between_times needs answers at several times; {table.source} has one")
    if table.n_times > 1 and table.kind == "comparisons":
        raise InputError(
            f"{table.source}: comparisons at {table.n_times} times; the pattern model of repeated answers is for"
            " ratings and rankings. Fit each time alone: table.at_time(...)"
        )
    if ties_unresolved and table.kind != "rankings":
        raise InputError(f"ties_unresolved is for rankings, not for {table.kind}")


def _comparisons(table: Respondents, spec: AnswerSpec, model: ItemModel, of_gaps: OfGaps) -> Fitted:
    if spec.alpha or spec.beta:
        return _with_gaps(table, spec, model, of_gaps)
    # Where nobody answered "neither", its parameter is minus infinity, the rest the model of two categories.
    tieless = spec.answer_ties == "davidson" and not (table.once[table.weights > 0] == 0).any()
    ternary = table.tie_category and not tieless
    more = dependence(table, spec) if tieless else others(table, spec)
    found = fit_comparisons(
        table.once,
        model.terms,
        model.group,
        table.weights,
        _UNDECIDED[spec.answer_ties] if ternary else None,
        spec.dependence,
        names=names(model, spec, more),
    )
    if tieless:
        found = replace(found, possible=3.0 ** np.log2(found.possible))
    return Fitted(
        table,
        spec,
        model,
        found,
        more,
        _statistics(table, spec, ternary),
        Possible("comparisons", len(table.items), ternary=ternary, dependence=spec.dependence),
        [_NO_TIES] if tieless else [],
        [Term("tie", "tie")] if tieless else [],
    )


#: Of a table with a tie category that nobody used.
_NO_TIES = FitWarning(
    "no-ties",
    "nobody answered 'neither' although it was possible: the tie parameter is minus infinity and has no number; the"
    " probability of a tie is 0",
    ("tie",),
)


def _with_gaps(table: Respondents, spec: AnswerSpec, model: ItemModel, of_gaps: OfGaps) -> Fitted:
    """The joint model of answers and gaps; its saturated model has free probabilities of both together."""
    likelihood, pooled, called = gaps.gaps_likelihood(
        table.once,
        model.terms,
        None if spec.alpha == "none" else cast(gaps.Alpha, spec.alpha),
        spec.beta or None,
        _places(table, spec.alpha, of_gaps.alpha, "alpha_of"),
        _places(table, spec.beta, of_gaps.beta, "beta_of"),
        model.group,
        table.weights,
        _UNDECIDED[spec.answer_ties] if table.tie_category else None,
        spec.dependence,
    )
    # A comparison is `A:B`; a colon is before it already.
    added = [n for n in called if n.split(":")[0] in ("alpha", "beta")]
    shown = [n.replace("-", ":") if n.count(":") == 1 else n for n in added]
    more = [Term(n, "missing") for n in shown]
    more += others(table, spec)
    estimate = maximum_likelihood(likelihood, pooled.weights, names(model, spec, more), concave=False)
    block = blocks(pooled.group[:, None])
    each = (4.0 if table.tie_category else 3.0) ** n_pairs(len(table.items))
    found = PatternFit(estimate, likelihood, pooled, block, np.full(int(block.max()) + 1, each))
    pairs = pair_names(table.items)
    own = _statistics(table, spec, table.tie_category)
    n_beta = likelihood.maps[0].shape[0] - len(own) - len(pairs)
    # prefmod's form has a parameter an item where the others have one a comparison.
    of_beta = [f"coded {k}" for k in range(n_beta)] if spec.beta == "coded" else pairs
    statistics = [*own, *(f"alpha {p}" for p in pairs), *(f"beta {p}" for p in of_beta)]
    return Fitted(table, spec, model, found, more, statistics, None)


def _statistics(table: Respondents, spec: AnswerSpec, ternary: bool) -> list[str]:
    """Names of the natural parameters of comparisons."""
    return comparison_statistics(table.items, ternary, [t.name for t in dependence(table, spec)])


def _rankings(table: Respondents, spec: AnswerSpec, model: ItemModel, ties_unresolved: bool) -> Fitted:
    found = fit_mallows(ranks_of(table), model.terms, model.group, table.weights, ties_unresolved)
    possible = Possible("strict", len(table.items))
    return Fitted(table, spec, model, found, [], item_statistics(table.items), possible)


def ranks_of(table: Respondents) -> IntArray:
    """int[n_rows, J]: dense ranks, BELOW or ABSENT, of a table with one point in time."""
    return np.where(table.presented[:, 0], table.ranks[:, 0], ABSENT)


def _weak_orders(table: Respondents, spec: AnswerSpec, model: ItemModel) -> Fitted:
    """Ratings, or rankings with ties: all orders that the scale, or as many places as items, can express."""
    if table.kind == "ratings":
        codes, categories = table.once, len(table.scale)
        tied = (table.pair_answers[table.weights > 0] == 0).any()
        if spec.answer_ties == "davidson" and not tied:
            raise NotEstimableError(
                f"{table.source}: nobody rated two items alike, so that the tie parameter is minus infinity. Ratings"
                " without a tie are rankings: Respondents.build(items, 'rankings', table.ranks[:, 0])"
            )
    else:
        codes, categories = _complete_ranks(table), len(table.items)
    undecided = _UNDECIDED[spec.answer_ties]
    more = others(table, spec)
    called = names(model, spec, more)
    found = fit_ratings(
        codes, categories, model.terms, model.group, table.weights, undecided, spec.dependence, called
    )
    n = len(table.items)
    possible = Possible("weak", n, 1, True, min(categories, n), (), spec.dependence)
    return Fitted(table, spec, model, found, more, _statistics(table, spec, True), possible)


def _complete_ranks(table: Respondents) -> IntArray:
    """int[n, J]: ranks with ties, 0 for items that were not presented."""
    below = (table.once == BELOW).any(axis=1)
    if below.any():
        row = int(np.flatnonzero(below)[0]) + 1
        raise InputError(
            f"{table.source}, row {row}: items below all others, in a table with ties; the pattern model of ties takes"
            " complete rankings. ties_unresolved=True takes ties as an order that is not known, and"
            " fit_plackett_luce takes both"
        )
    return np.where(table.once == ABSENT, 0, table.once)
