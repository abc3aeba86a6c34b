"""Numbers of a fit with a defect of prefmod's results: worths, df, AIC, log-likelihood, p-values, digits."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from ...errors import DataWarning, InputError
from ...fit.answers.fit import AnswerFit
from ...fit.fit import Fit
from .catalogue import PREFIX, asked_for, defect
from .printed import counted_with_empty_cells, printed_by_llbt_fit, stored_log_likelihood
from .worths import is_name_in_r, worth_as_prefmod

Numbers = dict[str, float]


def printed_as_prefmod(fit: Fit, compat: str | Sequence[str]) -> Numbers:
    """The numbers of a fit that prefmod would print otherwise.

    fit: of an LLBT, or (N1) of a pattern model.  compat: "prefmod": those that prefmod would show on this fit
    (B6, B11, B21, N1).  Or names: B6, both B7, B11, B21, N1, N2, N3, as in
    :func:`pairproof.native.compat.catalogue.defects`.  Returns dict of quantity to number: named as in a
    claims file: "worth.all.A", "worth.group.A" (cov.sel's one column: "worth.worth.A"), "df_resid",
    "aic_glm", "llf", "deviance", "p.A", "estimate.A", "se.A", "z.A".  Those that the defect does not touch
    are left out.
    """
    found: Numbers = {}
    for name in asked_for(compat):
        if name == PREFIX:
            found.update(_shown(fit))
            continue
        d = defect(name)
        if d.name not in _RESULTS:
            what = (
                "not reproducible" if not d.reproducible else f"a defect of the {d.acts_on}, not of results"
            )
            raise InputError(f"{d.name} is {what}: {d.how} Results have {', '.join(_RESULTS)}")
        found.update(_RESULTS[d.name](fit))
    return found


def _shown(fit: Fit) -> Numbers:
    """What prefmod's answer shows without being asked; a warning names the defects."""
    names = []
    if isinstance(fit, AnswerFit):
        names.append("N1-log-likelihood-beside-the-maximum")
    elif counted_with_empty_cells(fit).empty:
        names.append("B11-empty-cells-counted")
    if fit.spec.item_terms:
        names.append("B21-worths-of-groups-of-items")
    elif not isinstance(fit, AnswerFit) and not all(is_name_in_r(item) for item in fit.items):
        names.append("B6-names-unread")
    found: Numbers = {}
    for name in names:
        found.update(_RESULTS[name](fit))
    if names:
        warnings.warn(
            f"printed as by prefmod, with its defects {', '.join(names)}", DataWarning, stacklevel=3
        )
    return found


def _worths(name: str) -> Callable[[Fit], Numbers]:
    def numbers(fit: Fit) -> Numbers:
        return {
            f"worth.{group}.{item}": w
            for group, of_items in worth_as_prefmod(fit, name).items()
            for item, w in of_items.items()
        }

    return numbers


def _counts(fit: Fit) -> Numbers:
    c = counted_with_empty_cells(fit)
    return {"df_resid": float(c.df), "aic_glm": c.aic}


def _log_likelihood(fit: Fit) -> Numbers:
    stored = stored_log_likelihood(fit)
    return {"llf": stored, "deviance": fit.deviance + 2.0 * (fit.llf - stored)}


def _one_sided(fit: Fit) -> Numbers:
    return {f"p.{n}": float(p) / 2.0 for n, p, free in zip(fit.names, fit.pvalues, fit.free) if free}


def _four_decimals(fit: Fit) -> Numbers:
    printed = printed_by_llbt_fit(fit)
    return {
        f"{what}.{n}": row[k] for n, row in printed.items() for k, what in enumerate(("estimate", "se", "z"))
    }


_RESULTS: dict[str, Callable[[Fit], Numbers]] = {
    "B6-names-unread": _worths("B6-names-unread"),
    "B7-sum-contrasts-read-as-treatment": _worths("B7-sum-contrasts-read-as-treatment"),
    "B7-one-column-of-cov-sel": _worths("B7-one-column-of-cov-sel"),
    "B11-empty-cells-counted": _counts,
    "B21-worths-of-groups-of-items": _worths("B21-worths-of-groups-of-items"),
    "N1-log-likelihood-beside-the-maximum": _log_likelihood,
    "N2-one-sided-p": _one_sided,
    "N3-four-decimals": _four_decimals,
}
