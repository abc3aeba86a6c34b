"""Every number of the certified models of contests beside its 50 digits, and beside R's where R has the model.

The values were made by code that shares nothing with pairproof (tests/certified/contests, which says how).  R's answers
for random effects take seconds each and are replayed from their records, unless R is to be asked live.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....errors import PairproofError
from ....fit.fit import Fit
from ...claims.paper import Claim
from ...native_and_r import Asked, beyond_print
from ...verdicts.agreement import Agreement, RCounterpart
from ...verdicts.floors import CERTIFIED, Floor, floor, shipped
from ..compared_with_r import NoAnswer, Place
from .documents import Document, certified_numbers, documents, fit_of, is_mixed, of_lizards
from .in_place import PRINTED, tables

if TYPE_CHECKING:
    from ....bridge.process.policy import Backend

PAPER = "contests"
#: Floors of models of contests.
CONTESTS = "certified, contests"
AnswersOfR = Callable[[Fit, "Backend"], Sequence[RCounterpart]]


def rows(backend: Backend, of_r: AnswersOfR) -> list[Agreement]:
    """A row for each number of each certified model, and for each R call that has it."""
    found: list[Agreement] = []
    for document in documents():
        try:
            fit = fit_of(document)
        except PairproofError as error:
            why = f"native did not run: {' '.join(str(error).split())}"
            place = Place(PAPER, document["id"], document["what"])
            found.append(place.row("fit", verdict="not-run", code="native-not-run", explanation=why))
            continue
        found += rows_of_fit(document, fit, asked_for(document, backend), of_r)
    return found + rows_in_place(backend, of_r)


def rows_in_place(backend: Backend, of_r: AnswersOfR) -> list[Agreement]:
    """Rows of BradleyTerry2's own data: two certified fits, and the models of the vignette beside R's."""
    there = tables(backend)
    if isinstance(there, NoAnswer):
        said: dict[str, Any] = {"verdict": there.verdict, "code": there.code, "explanation": there.why}
        places = [(d["id"], d["what"]) for d in of_lizards()] + [
            (name, where) for name, (where, _, _) in PRINTED.items()
        ]
        call = "BradleyTerry2::flatlizards"
        return [Place(PAPER, name, where).row("fit", r_call=call, **said) for name, where in places]
    found: list[Agreement] = []
    nobody, live = replace(backend, mode="none"), replace(backend, mode="live", record=None)
    for document in of_lizards():
        found += rows_of_fit(document, fit_of(document, there["lizards"]), nobody, of_r)
    for name, (where, table, fit) in PRINTED.items():
        claim = Claim(id=name, where=where, compare_only="R's own numbers")
        asked = Asked(fitted := fit(there[table]), tuple(of_r(fitted, live)), {})
        found += beyond_print(PAPER, claim, asked, None, True)
    return found


def asked_for(document: Document, backend: Backend) -> Backend:
    """Who answers for R: of random effects the records, unless R is asked live."""
    return replace(backend, mode="recorded") if is_mixed(document) and backend.mode is None else backend


def rows_of_fit(document: Document, fit: Fit, backend: Backend, of_r: AnswersOfR) -> list[Agreement]:
    """The rows of one fit."""
    claim = Claim(
        id=document["id"], where=f"{document['what']}: {fit.title}", compare_only="the 50-digit values"
    )
    answers = tuple(of_r(fit, backend)) if backend.mode != "none" else ()
    asked = Asked(fit, answers, certified_numbers(document))
    return [
        a if a.certified is None else replace(a, certified_floor=floor(a.quantity, CONTESTS).digits)
        for a in beyond_print(PAPER, claim, asked, of_contests(), False)
    ]


def of_contests() -> tuple[Floor, ...]:
    """The shipped floors, with those of contests in the place of those of comparisons."""
    own = [replace(f, r_call=CERTIFIED) for f in shipped() if f.r_call == CONTESTS]
    return (*own, *(f for f in shipped() if f.r_call not in (CERTIFIED, CONTESTS)))
