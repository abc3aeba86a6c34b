"""What is not estimable, in words that name the items, the covariate cell and the reason, and say what
helps.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...data.comparisons import Comparisons
from ...data.graph import components, groups
from ...fit.fit import Fit
from .cells import Cells


def some(names: list[str] | tuple[str, ...], most: int = 12) -> str:
    """At most `most` names, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def ranking_warning(data: Comparisons) -> str:
    """What to know of pairs made from rankings that are fitted as if they were independent; "" if they are
    not such.

    The pairs of a ranking of J items of equal worth leave a score of variance (J^2 - 1)/12 where independent
    ones would have (J - 1)/4, so that standard errors are too small by sqrt((J + 1)/3).
    """
    j = data.ranked_together
    if j <= 2:
        return ""
    return (
        f"pairs of rankings of up to {j} items, fitted as independent: standard errors are too small, by a"
        f" factor of {sqrt((j + 1) / 3):.2f} for {j} items of equal worth, and p-values with them; AIC and"
        " likelihood ratios count each ranking several times; the estimates are not those of a model for"
        " rankings, which pairproof does not have yet: R has prefmod's pattR.fit and PlackettLuce"
    )


def estimability_warnings(
    fit: Fit, separated: bool, tie_fixed: str, cells: Cells, labels: tuple[str, ...]
) -> tuple[str, ...]:
    """One sentence for each reason why a parameter has no number.

    Parameters
    ----------
    fit : Fit
    separated : bool
    tie_fixed : {"", "none observed", "boundary"}
    cells : Cells
    labels : tuple of str
        Of the patterns of the cells; patterns that differ only in the order sign share one.
    """
    out: list[str] = []
    if tie_fixed == "none observed":
        out.append(
            "tie is not estimable: there is a tie category but no tie was observed, so its estimate is minus"
            " infinity; the items are estimated without it"
        )
    if tie_fixed == "boundary":
        out.append("tie is at its boundary 0: no tie was observed; it has no standard error")
    lost = [n for n in fit.not_estimable if not (n == "tie" and tie_fixed)]
    if not lost:
        return tuple(out)
    without = frozenset(lost)
    of_items = fit.spec.reference != "sum" and any(t.kind == "item" and t.name in without for t in fit.terms)
    against = f" against the reference {fit.spec.reference}" if of_items else ""
    apart = _unconnected(fit, cells, labels)
    if separated:
        out.append(
            f"separated data: {some(lost)} not estimable{against}: the likelihood grows without end as they"
            f" go to infinity.{_one_sided(fit, lost)}{_reference_hint(fit)} What is finite is estimated"
        )
    elif apart:
        out.append(
            f"not connected: {some(lost)} not estimable{against}, since no chain of comparisons joins these"
            f" sets: {'; '.join(apart)}. Differences inside a set are estimated; compare items of different"
            " sets, or fit them apart"
        )
    else:
        out.append(
            f"not identified: {some(lost)} not estimable{against}: in these data their effects cannot be told"
            " from one another (for example an order effect when one item is always named first); leave a"
            " term out"
        )
    return tuple(out)


def _unconnected(fit: Fit, cells: Cells, labels: tuple[str, ...]) -> list[str]:
    """For each covariate cell whose items fall into several sets, the sets."""
    out = []
    distinct = list(dict.fromkeys(labels))
    place = {label: k for k, label in enumerate(distinct)}
    of = np.array([place[lb] for lb in labels])[cells.pattern]
    for k, label in enumerate(distinct):
        here = of == k
        sets = groups(components(cells.i[here], cells.j[here], len(fit.items)))
        if len(sets) > 1:
            named = " | ".join(some([fit.items[i] for i in s], 8) for s in sets[:6]) + (
                " | ..." if len(sets) > 6 else ""
            )
            out.append(f"{label}: {named}" if label else named)
    return out[:6] + ([f"and {len(out) - 6} more cells"] if len(out) > 6 else [])


def _one_sided(fit: Fit, without_number: list[str]) -> str:
    """Items that won or lost everything, as sentences.

    Where abilities come from item covariates an item may win everything and be bound to a finite ability all
    the same: then only the separate items whose own ability is among what was lost.
    """
    wins = np.zeros(len(fit.items))
    losses = np.zeros(len(fit.items))
    ties = np.zeros(len(fit.items))
    t = fit.data
    for mine, won, lost in ((t.first, t.wins, t.losses), (t.second, t.losses, t.wins)):
        np.add.at(wins, mine, won)
        np.add.at(losses, mine, lost)
        np.add.at(ties, mine, t.ties)
    kept = ties if fit.spec.ties != "drop" else np.zeros(len(ties))
    of_covariates = bool(fit.spec.item_terms)
    own = {t.item for t in fit.terms if t.name in without_number} if of_covariates else set(fit.items)
    up = [n for n, w, l, d in zip(fit.items, wins, losses, kept) if w and not l and not d and n in own]
    down = [n for n, w, l, d in zip(fit.items, wins, losses, kept) if l and not w and not d and n in own]
    text = f" {some(up)} won every comparison." if up else ""
    text += f" {some(down)} lost every comparison." if down else ""
    sets = _unseparated(fit)
    if not text and len(sets) > 1 and not of_covariates:
        text = f" Sets whose items never lost to the others: {' | '.join(some(s, 8) for s in sets[:6])}."
    return text


def _reference_hint(fit: Fit) -> str:
    largest = _unseparated(fit)[0]
    if fit.spec.reference in largest or len(largest) < 2 or fit.spec.item_terms:
        return ""
    return f" With reference {largest[0]!r} the {len(largest)} items of its set have numbers."


def _unseparated(fit: Fit) -> tuple[tuple[str, ...], ...]:
    return (fit.data.without_ties() if fit.spec.ties == "drop" else fit.data).unseparated_sets()
