"""Every number of the certified models of whole answers beside its 50 digits, and beside R's where R has the
model.

The values were made by code that shares nothing with pairproof (tests/certified/answers, which says how):
alternatives written out one by one, Newton's method at 100 digits, and a proof from the definition of each
model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ....errors import PairproofError
from ....fit.answers.classes import ClassFit
from ....fit.answers.fit import AnswerFit
from ...claims.paper import Claim
from ...native_and_r import Asked, beyond_print
from ...verdicts.agreement import Agreement, RCounterpart
from ...verdicts.digits import digits_of_agreement
from ...verdicts.floors import CERTIFIED, Floor, floor, shipped
from ..compared_with_r import NoAnswer, Place
from . import fits
from .documents import Document, data_of, documents, respondents, rows_of

if TYPE_CHECKING:
    from ....bridge.process.policy import Backend

PAPER = "patterns"
#: Floors of models of whole answers: sums over many more terms than those of comparisons.
ANSWERS = "certified, whole answers"
#: What R says of a fit; nothing where no R function is asked.
AnswersOfR = Callable[[AnswerFit, "Backend"], Sequence[RCounterpart]]


def rows(backend: Backend, of_r: AnswersOfR | None = None, folder: str = "") -> list[Agreement]:
    """A row for each number of each certified model; one row that says why where the data are not here.

    `folder` is the user's, with data that do not travel with the package.
    """
    found: list[Agreement] = []
    for document in documents():
        place = Place(PAPER, document["id"], described(document))
        try:
            persons = rows_of(data_of(document), backend, folder)
            if isinstance(persons, NoAnswer):
                said = {"verdict": persons.verdict, "code": persons.code, "explanation": persons.why}
                found.append(place.row("fit", r_call=str(data_of(document)["in_place"]), **said))
                continue
            fit = fits.fit_of(document, respondents(document, persons))
        except PairproofError as error:
            why = f"native did not run: {' '.join(str(error).split())}"
            found.append(place.row("fit", verdict="not-run", code="native-not-run", explanation=why))
            continue
        found += rows_of_fit(place, document, fit, asked_for(document, backend), of_r)
    return found


def asked_for(document: Document, backend: Backend) -> Backend:
    """Who answers for R: of data that may not be copied nothing is recorded, for a question holds them."""
    if data_of(document)["rows"] is not None or backend.mode in ("none", "recorded"):
        return backend
    return replace(backend, mode="live", record=None)


def rows_of_fit(
    place: Place, document: Document, fit: AnswerFit, backend: Backend, of_r: AnswersOfR | None = None
) -> list[Agreement]:
    """The rows of one fit."""
    certified = fits.certified_numbers(document)
    if isinstance(fit, ClassFit):
        return settled(place, fits.numbers_of_classes(fit), certified)
    claim = Claim(id=place.claim, where=place.where, compare_only="the 50-digit values")
    answers = tuple(of_r(fit, backend)) if of_r is not None and backend.mode != "none" else ()
    made = [
        a if a.certified is None else replace(a, certified_floor=floor(a.quantity, ANSWERS).digits)
        for a in beyond_print(PAPER, claim, Asked(fit, answers, certified), of_answers(), False)
    ]
    if "worth" not in document:
        return made
    return made + settled(place, fits.further_numbers(fit), fits.further_certified(document))


@lru_cache(maxsize=1)
def of_answers() -> tuple[Floor, ...]:
    """The shipped floors, with those of whole answers in the place of those of comparisons."""
    own = [replace(f, r_call=CERTIFIED) for f in shipped() if f.r_call == ANSWERS]
    return (*own, *(f for f in shipped() if f.r_call not in (CERTIFIED, ANSWERS)))


def settled(place: Place, native: Mapping[str, float], certified: Mapping[str, str]) -> list[Agreement]:
    """Rows of numbers that no R function has: native beside 50 digits."""
    made = []
    for name, text in certified.items():
        error = f"se.{name.partition('.')[2]}" if name.startswith("estimate.") else ""
        digits = float(digits_of_agreement(native[name], float(text), float(certified.get(error, "0"))))
        asked = floor(name, ANSWERS)
        said: dict[str, Any] = {"verdict": "agrees"}
        if digits < asked.digits:
            why = f"pairproof has {digits:.1f} of the 50 digits, fewer than {asked.digits:g}"
            said = {"verdict": "differs", "code": "few-certified-digits", "explanation": why}
        made.append(
            place.row(
                name,
                native=native[name],
                certified=text,
                digits=digits,
                certified_digits=digits,
                floor=asked.digits,
                certified_floor=asked.digits,
                **said,
            )
        )
    return made


def described(document: Document) -> str:
    """The model in words: "ratings of 4 items, 160 persons: pattern model, ties, dependence"."""
    model = document["model"]
    parts = ["Plackett-Luce" if model["family"] == "plackett-luce" else "pattern model"]
    parts += ["ties"] if model["ties"] else []
    parts += [f"ties of {' and '.join(map(str, model['tie_orders']))}"] if model["tie_orders"] else []
    parts += ["dependence"] if model["dependence"] else []
    parts += ["between times"] if model["between_times"] else []
    parts += [f"alpha {model['alpha']}"] if model["alpha"] else []
    parts += [f"beta {model['beta']}"] if model["beta"] else []
    parts += [f"by {model['by']}"] if model["by"] else []
    parts += [f"{model['classes']} latent classes"] if model["classes"] > 1 else []
    what = {"pairs": "comparisons", "ranks": "rankings"}.get(document["layout"], document["layout"])
    return f"{what} of {len(document['items'])} items, {document['n_persons']} persons: {', '.join(parts)}"
