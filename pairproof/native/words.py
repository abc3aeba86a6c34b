"""What is not estimable, in words that name the items and the reason."""

from __future__ import annotations

from ..fit import Fit


def _some(names: list[str], most: int = 12) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def estimability_warnings(fit: Fit, separated: bool, tie_fixed: str) -> tuple[str, ...]:
    """One sentence for each reason why a parameter has no number."""
    out: list[str] = []
    if tie_fixed == "none observed":
        out.append("tie is not estimable: there is a tie category but no tie was observed, so its estimate is minus infinity; "
                   "the items are estimated without it")
    if tie_fixed == "boundary":
        out.append("tie is at its boundary 0: no tie was observed; it has no standard error")
    lost = [n for n in fit.not_estimable if not (n == "tie" and tie_fixed)]
    if not lost:
        return tuple(out)
    against = "" if fit.spec.item_terms or fit.spec.reference == "sum" else f" against the reference {fit.spec.reference}"
    connected = fit.data.connected_sets()
    if separated:
        sets = fit.data.unseparated_sets()
        apart = f"; sets that can be ordered only as wholes: {_sets(sets)}" if len(sets) > 1 else ""
        out.append(f"separated data: {_some(lost)} not estimable{against}, since the likelihood grows without end as they do; "
                   f"differences inside a set are still estimated{apart}. Collect comparisons that go the other way, or say "
                   "so instead of giving a number")
    elif len(connected) > 1:
        out.append(f"not connected: {_some(lost)} not estimable{against}, since no chain of comparisons joins these sets: "
                   f"{_sets(connected)}. Differences inside a set are estimated")
    else:
        out.append(f"{_some(lost)} not estimable{against}: in some covariate cell no chain of comparisons joins the item with "
                   "the reference (for example a judge who never saw it); choose another reference or leave the term out")
    return tuple(out)


def _sets(sets: tuple[tuple[str, ...], ...]) -> str:
    return " | ".join(_some(list(s), 8) for s in sets[:8]) + (" | ..." if len(sets) > 8 else "")
