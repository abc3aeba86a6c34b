"""The report on models of whole answers: numbers beside their 50 digits, R's where it has them, and prefmod's.

The values were made by code that shares nothing with pairproof (tests/certified/answers, which says how):
alternatives written out one by one, Newton's method at 100 digits, and a proof from the definition of each
model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....bridge.process.policy import Backend
from ....errors import PairproofError
from ....fit.fit import Fit
from ...check.checker import Checker
from ...claims.paper import Claim
from ...r_answers.answerers import counterparts
from ...report.context import Story
from ...verdicts.against_r import Asked, with_50_digits
from ...verdicts.agreement import Agreement, RCounterpart
from ...verdicts.digits import digits_of_agreement, floor
from ..compared_with_r import NoAnswer, Place
from ..told import OF_R, Words, beside_r, digits_by_model, functions_and_50_digits, told
from . import computations as fits
from .computations import Document, data_of, documents, respondents, rows_of

PAPER, WORDS = "patterns", Words(__package__)
#: Floors of models of whole answers: sums over many more terms than those of comparisons.
ANSWERS = "certified, whole answers"
#: What R says about a fit.
AnswersOfR = Callable[[Fit, "Backend"], Sequence[RCounterpart]]


def rows_beside_50_digits(
    backend: Backend, of_r: AnswersOfR = counterparts, folder: str = ""
) -> list[Agreement]:
    """A row for each number of each certified model; one row that says why where the data are not here.

    `folder` is the user's, with data that do not travel with the package.
    """
    found: list[Agreement] = []
    for document in documents():
        place = Place(PAPER, document["id"], described(document))
        try:
            persons = rows_of(data_of(document), backend, folder)
            if isinstance(persons, NoAnswer):
                found.append(place.data_not_here(persons, str(data_of(document)["in_place"])))
                continue
            fit = fits.fit_of(document, respondents(document, persons))
        except PairproofError as error:
            found.append(place.native_did_not_run(error))
            continue
        found += rows_of_fit(place, document, fit, asked_for(document, backend), of_r)
    return found


def asked_for(document: Document, backend: Backend) -> Backend:
    """Who answers for R: of data that may not be copied nothing is recorded, for a question holds them."""
    if data_of(document)["rows"] is not None or backend.mode in ("none", "recorded"):
        return backend
    return replace(backend, mode="live", record=None)


def rows_of_fit(
    place: Place, document: Document, fit: Fit, backend: Backend, of_r: AnswersOfR = counterparts
) -> list[Agreement]:
    """The rows of one fit."""
    certified = fits.certified_numbers(document)
    if fit.classes is not None:
        return settled(place, fits.numbers_of_classes(fit), certified)
    claim = Claim(id=place.claim, where=place.where, compare_only="the 50-digit values")
    made = with_50_digits(PAPER, claim, Asked(fit, tuple(of_r(fit, backend)), certified), ANSWERS)
    if "worth" not in document:
        return made
    return made + settled(place, fits.further_numbers(fit), fits.further_certified(document))


def settled(place: Place, native: Mapping[str, float], certified: Mapping[str, str]) -> list[Agreement]:
    """Rows of numbers that no R function has: native beside 50 digits."""
    made = []
    for name, text in certified.items():
        error = f"se.{name.partition('.')[2]}" if name.startswith("estimate.") else ""
        digits = float(digits_of_agreement(native[name], float(text), float(certified.get(error, "0"))))
        least = floor(name, ANSWERS).digits
        said: dict[str, Any] = {"verdict": "agrees"}
        if digits < least:
            why = f"pairproof has {digits:.1f} of the 50 digits, fewer than the required {least:g}"
            said = {"verdict": "differs", "code": "few-certified-digits", "explanation": why}
        found = {"certified_digits": digits, "certified_floor": least, "digits": digits, "floor": least}
        made.append(place.row(name, native=native[name], certified=text, **found, **said))
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


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """Every number of every certified model."""
    return rows_beside_50_digits(backend, folder=checker.paper.data_folder)


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """Fewest digits of each model; what is not here; where prefmod's numbers are others."""
    rows = beside_r(agreements, PAPER)
    said, ids = WORDS.say("certified"), (document["id"] for document in documents())
    digits = digits_by_model("Every certified model", said, "data and model", ids, rows, once=False)
    lacking = (f"{a.claim}: {a.explanation}." for a in rows if a.code in OF_R)
    witnesses = functions_and_50_digits(rows, WORDS.say("witnesses"), lacking)
    return (digits, witnesses, _not_here(rows), WORDS.section("prefmod"))


def _not_here(rows: Sequence[Agreement]) -> Story:
    absent = [(a.claim, a.explanation) for a in rows if a.native is None and a.code not in OF_R]
    said = WORDS.say("absent") if absent else "All data were available."
    heads = ("data and model", "why it was not checked")
    return told("Models that were not checked here", (said,), heads, absent, "Models without data")
