"""`compat` as an option of :func:`pairproof.fit_pattern`: the table, formula and beta that prefmod would fit."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from ...data.respondents import Respondents
from ...errors import DataWarning, InputError
from ...fit.answers.spec import Beta
from ...fit.warning import FitWarning
from .catalogue import asked_for, choose, defect
from .reading import Committed, read_as_prefmod

BETA = "B3-beta-of-the-comparison"


@dataclass(frozen=True, eq=False)
class PatternCall:
    """What is fitted in the place of what was asked for.

    warnings: one that names the defects, or none.
    """

    table: Respondents
    by: str
    beta: Beta | None
    warnings: tuple[FitWarning, ...] = ()


def function_of(table: Respondents) -> str:
    """prefmod's function for the table's kind of answers."""
    letter = {"comparisons": "PC", "rankings": "R", "ratings": "L"}[table.kind]
    return f"patt{letter}{'rep' if table.n_times > 1 else ''}.fit"


def pattern_call(table: Respondents, by: str, beta: Beta | None, compat: str | Sequence[str]) -> PatternCall:
    """What prefmod would fit.

    beta: "item" becomes "coded" with B3.  compat: "" for none: everything as it was asked for.
    """
    if not asked_for(compat):
        return PatternCall(table, by, beta)
    function = function_of(table)
    chosen = choose(compat, function)
    printed = [n for n in chosen.names if defect(n).acts_on == "result"]
    if printed:
        raise InputError(
            f"{', '.join(printed)}: a defect of printed numbers, not of a fit; printed_as_prefmod(fit, ...) gives them"
        )
    read = read_as_prefmod(table, function, by=by, compat=compat, warn=False)
    said = list(read.committed)
    if chosen.has(BETA) and beta == "item":
        beta = "coded"
        said.append(Committed(defect(BETA), "beta='item' is fitted as beta='coded'"))
    idle = [n for n in (*chosen.names,) if n not in [c.defect.name for c in said]]
    text = ""
    if said:
        text = (
            f"fitted as prefmod's {function} would, with its defects {'; '.join(map(str, said))}."
            " Without compat the table is fitted as it is"
        )
    if idle:
        text += ("; " if text else "") + f"{', '.join(idle)} changes nothing here"
    if text:
        warnings.warn(text, DataWarning, stacklevel=3)
    return PatternCall(read.table, read.by, beta, (FitWarning("as-prefmod", text),) if text else ())
