"""Fit what `fit_bradley_terry` was asked for, and put the numbers into a result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...data.comparisons import Comparisons
from ...errors import RankingWarning, warn_the_caller
from ...fit.contests.fit import ContestFit
from ...fit.contests.outcomes import Outcomes
from ...fit.contests.spec import ContestSpec
from ...fit.covariance import DenseCovariance
from ...fit.fit import Fit
from ...fit.record import Stopping
from ...fit.rescale import Referred, against, constraint_of
from ...fit.warning import FitWarning, listed
from ..pairs.fit import engine_name, fit as plain_fit
from ..pairs.fit_warnings import ranking_warning
from ..pairs.item_terms import missing_covariates
from .mixed import fit_mixed_contests
from .options import Prepared
from .outcomes import LinkOutcomes, TieOutcomes
from .rows import ContestRows, contest_rows
from .solved import RULE, Solved, solved
from .tabulate import tabulate


def fit_contests(ready: Prepared) -> Fit:
    """Fit a prepared model.

    Returns Fit: by the engine of plain models where there is neither link, offset, reduced bias, general ties
    nor random effect, else a ContestFit or a MixedFit.
    """
    fitted: Fit
    if ready.spec.is_plain and not ready.spec.no_abilities:
        fitted = plain_fit(ready.table, ready.spec)
    else:
        for ranked in ranking_warning(ready.table):
            warn_the_caller(str(ranked), RankingWarning)
        fitted = fit_spec(ready.table, ready.spec)
    return replace(fitted, warnings=(*ready.warnings, *fitted.warnings)) if ready.warnings else fitted


def fit_spec(table: Comparisons, spec: ContestSpec) -> ContestFit:
    """Fit a specification whose columns are in the table."""
    rows = contest_rows(table, spec)
    return fit_mixed_contests(rows, warnings_of(rows)) if spec.random else _fixed(rows, solved(rows))


def _fixed(rows: ContestRows, found: Solved) -> ContestFit:
    spec = rows.spec
    terms = (*rows.terms, *found.more)
    n_more = len(found.more)
    is_reference = np.ones(len(terms), bool)
    is_reference[rows.places] = False
    is_reference[len(rows.terms) :] = False
    beta = rows.spread(found.theta, n_more)
    covariance = rows.spread(rows.spread(found.covariance, n_more).T, n_more)
    numbers = Referred(beta, is_reference, rows.spread(found.null_space, n_more), DenseCovariance(covariance))
    if spec.reference == "sum" and not spec.item_terms and not spec.no_abilities:
        numbers = against("sum", terms, rows.table.items, numbers, rows.table)
    rank = len(found.theta) - found.null_space.shape[1] + found.n_infinite
    table = tabulate(rows, found, rank)
    outcomes: Outcomes = LinkOutcomes(spec.link)
    if rows.has_ties:
        outcomes = TieOutcomes(spec.tie_shift, spec.tie_scale)
    return ContestFit(
        spec=spec,
        data=rows.data,
        terms=terms,
        **vars(numbers),
        **vars(table),
        outcome_model="davidson" if rows.has_ties else "binary",
        scale=spec.scale,
        constraint=constraint_of(spec, terms, numbers.null_space, rows.table),
        groups={"all": {}},
        llf=found.llf,
        n_comparisons=float((rows.table.wins + rows.table.ties + rows.table.losses).sum()),
        engine=engine_name(),
        stopping=Stopping(RULE, True, found.steps, found.decrement),
        warnings=(*warnings_of(rows), *found.warnings),
        n_infinite=found.n_infinite,
        quasi_likelihood=spec.ties == "half" and bool(rows.data.ties.any()),
        outcomes=outcomes,
        penalised=found.penalised,
        expected_covariance=None
        if found.expected is None
        else DenseCovariance(rows.spread(rows.spread(found.expected, n_more).T, n_more)),
    )


def warnings_of(rows: ContestRows) -> tuple[FitWarning, ...]:
    """Warnings about the data: ranked pairs, comparison terms, ties, items without a covariate."""
    data, spec = rows.data, rows.spec
    found = [*ranking_warning(data), *rows.warnings]
    ties = float(data.ties.sum())
    if spec.ties == "drop" and ties:
        text = f"{ties:g} of {data.n_comparisons:g} comparisons are ties and were dropped, as asked (ties='drop')"
        found.append(FitWarning("ties-dropped", text))
    if spec.ties == "half" and ties:
        text = (
            f"{ties:g} ties count as half a win each way, as asked (ties='half'): a quasi-likelihood, whose"
            " log-likelihood, AIC and deviance cannot be compared with those of other data"
        )
        found.append(FitWarning("ties-as-half-wins", text))
    lacking: dict[tuple[str, ...], list[str]] = {}
    for term, items in missing_covariates(data, spec).items():
        lacking.setdefault(items, []).append(term)
    for items, covariates in lacking.items():
        text = (
            f"no value of {', '.join(covariates)} for {listed(items, 12)}: an ability of"
            f" {'its' if len(items) == 1 else 'their'} own in place of all item covariates, as in BradleyTerry2"
        )
        found.append(FitWarning("own-ability", text, items))
    return tuple(found)
