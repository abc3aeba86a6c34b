"""Warnings of a fit, as sentences that name the items, the covariate cell and the reason, and say what to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from ...data.comparisons import Comparisons
from ...data.graph import components, groups
from ...fit.rescale import reference_hint
from ...fit.warning import FitWarning, listed
from . import design
from .build import Model
from .item_terms import missing_covariates
from .name import Named
from .solve import Solved

#: Names in a sentence at most.
MOST = 12


def warnings_of(model: Model, found: Solved, named: Named) -> tuple[FitWarning, ...]:
    """All warnings of a fit, those about the data first."""
    return (
        *ranking_warning(model.data),
        *model.patterns.warnings,
        *(model.directed.warnings if model.directed is not None else ()),
        *_about_ties(model),
        *_about_own_abilities(model),
        *_about_the_tie_parameter(model),
        *_about_estimates(model, found, named),
    )


def ranking_warning(data: Comparisons) -> Iterator[FitWarning]:
    """The warning that pairs taken from rankings were fitted as if they were independent.

    The pairs of a ranking of J items of equal worth leave a score of variance (J^2 - 1)/12 where independent
    ones would have (J - 1)/4, so that standard errors are too small by sqrt((J + 1)/3).
    """
    j = data.ranked_together
    if j > 2:
        who = next((name for name in ("judge", "person") if name in data.columns), None)
        by_person = (
            f"fit.clustered({who!r}), or --cluster {who}"
            if who is not None
            else "fit table.to_comparisons(judge=True), then fit.clustered('judge')"
        )
        yield FitWarning(
            "rankings-as-pairs",
            f"pairs of rankings of up to {j} items, fitted as independent: standard errors are too small, by a"
            f" factor of {sqrt((j + 1) / 3):.2f} for {j} items of equal worth, sqrt((J + 1) / 3) for J, and p-values"
            " with them; AIC and likelihood ratios count each ranking several times. For models of whole rankings"
            " read them by table = pairproof.read_respondents(FILE, layout='rankings'), then"
            " pairproof.fit_plackett_luce(table) or pairproof.fit_pattern(table) (pairproof fit-answers FILE --layout"
            f" rankings). To stay with pairs take errors by person: {by_person}",
        )


def _about_ties(model: Model) -> Iterator[FitWarning]:
    data, treatment = model.data, model.spec.ties
    ties = float(data.ties.sum())
    if treatment == "drop" and ties:
        yield FitWarning(
            "ties-dropped",
            f"{ties:g} of {data.n_comparisons:g} comparisons are ties and were dropped, as asked"
            " (ties='drop')",
        )
    if treatment == "half" and ties:
        yield FitWarning(
            "ties-as-half-wins",
            f"{ties:g} ties count as half a win each way, as asked (ties='half'): a quasi-likelihood, whose "
            "log-likelihood, AIC and deviance cannot be compared with those of other data",
        )


def _about_own_abilities(model: Model) -> Iterator[FitWarning]:
    lacking: dict[tuple[str, ...], list[str]] = {}
    for term, items in missing_covariates(model.data, model.spec).items():
        lacking.setdefault(items, []).append(term)
    for items, covariates in lacking.items():
        yield FitWarning(
            "own-ability",
            f"no value of {', '.join(covariates)} for {listed(items, MOST)}: an ability of"
            f" {'its' if len(items) == 1 else 'their'} own in place of all item covariates, as in"
            " BradleyTerry2",
            items,
        )


def _about_the_tie_parameter(model: Model) -> Iterator[FitWarning]:
    if model.tie_fixed == "none observed":
        yield FitWarning(
            "no-ties",
            "tie is not estimable: there is a tie category but no tie was observed, so its estimate is minus"
            " infinity; the items are estimated without it",
            ("tie",),
        )
    if model.tie_fixed == "boundary":
        yield FitWarning(
            "tie-at-boundary",
            "tie is at its boundary 0: no tie was observed; it has no standard error",
            ("tie",),
        )


def _about_estimates(model: Model, found: Solved, named: Named) -> Iterator[FitWarning]:
    """Why parameters have no estimate, apart from the tie parameter when no tie was observed."""
    lost = tuple(n for n in named.not_estimable if not (n == "tie" and model.tie_fixed))
    if not lost:
        return
    without = frozenset(lost)
    of_items = model.spec.reference != "sum" and any(
        t.kind == "item" and t.name in without for t in named.terms
    )
    against = f" against the reference {model.spec.reference}" if of_items else ""
    what = f"{listed(lost, MOST)} not estimable{against}"
    if found.separated:
        yield FitWarning(
            "separated",
            f"separated data: {what}: the likelihood grows without end as they go to infinity."
            f"{_one_sided(model, named, without)}{_hint(model, named)} What is finite is estimated",
            lost,
        )
        return
    apart, hint = _unconnected(model), _hint(model, named)
    if apart:
        yield FitWarning(
            "not-connected",
            f"not connected: {what}, since no chain of comparisons joins these sets: {'; '.join(apart)}."
            " Differences inside a set are estimated; compare items of different sets, or fit them apart"
            f"{'.' if hint else ''}{hint[:-1]}",
            lost,
        )
    else:
        yield FitWarning(
            "not-identified",
            f"not identified: {what}: in these data their effects cannot be told from one another (for example"
            " an order effect when one item is always named first); leave a term out",
            lost,
        )


def _unconnected(model: Model) -> list[str]:
    """Covariate cells whose items are not all connected, each with its connected sets."""
    out = []
    labels, cells, items = design.pattern_labels(model.patterns), model.problem.cells, model.data.items
    distinct = list(dict.fromkeys(labels))
    place = {label: k for k, label in enumerate(distinct)}
    of = np.array([place[lb] for lb in labels])[cells.pattern]
    for k, label in enumerate(distinct):
        here = of == k
        sets = groups(components(cells.i[here], cells.j[here], len(items)))
        if len(sets) > 1:
            names = " | ".join(listed([items[i] for i in s], 8) for s in sets[:6]) + (
                " | ..." if len(sets) > 6 else ""
            )
            out.append(f"{label}: {names}" if label else names)
    return out[:6] + ([f"and {len(out) - 6} more cells"] if len(out) > 6 else [])


def _one_sided(model: Model, named: Named, lost: frozenset[str]) -> str:
    """Items that won or lost everything, as sentences.

    Where abilities come from item covariates an item may win everything and be bound to a finite ability all
    the same: then only the separate items whose own ability is among what was lost.
    """
    t, items, of_covariates = model.data, model.data.items, bool(model.spec.item_terms)
    wins, losses, ties = np.zeros((3, len(items)))
    for mine, won, beaten in ((t.first, t.wins, t.losses), (t.second, t.losses, t.wins)):
        np.add.at(wins, mine, won)
        np.add.at(losses, mine, beaten)
        np.add.at(ties, mine, t.ties)
    if model.spec.ties == "drop":
        ties[:] = 0.0
    own = {term.item for term in named.terms if term.name in lost} if of_covariates else set(items)
    up = [n for n, w, l, d in zip(items, wins, losses, ties) if w and not l and not d and n in own]
    down = [n for n, w, l, d in zip(items, wins, losses, ties) if l and not w and not d and n in own]
    text = f" {listed(up, MOST)} won every comparison." if up else ""
    text += f" {listed(down, MOST)} lost every comparison." if down else ""
    sets = _unseparated(model)
    if not text and len(sets) > 1 and not of_covariates:
        text = f" Sets whose items never lost to the others: {' | '.join(listed(s, 8) for s in sets[:6])}."
    return text


def _hint(model: Model, named: Named) -> str:
    return reference_hint(model.spec, named.terms, named.numbers.null_space, model.data)


def _unseparated(model: Model) -> tuple[tuple[str, ...], ...]:
    """Half wins separate what ties do not, so the table is that with its ties unless they were dropped."""
    return (model.table if model.spec.ties == "drop" else model.data).unseparated_sets()
