"""The report on models of contests: every number beside its 50 digits and R's, what each R function shares, and
R's own floors.

The values were made by code that shares nothing with pairproof (tests/certified/contests, which says how).
R's answers for random effects take seconds each and are replayed from their records, unless R is to be asked
live.

Contests of BradleyTerry2's own data sets are read in place from a live R and never recorded: a record would
be a copy. The models are those of its vignette (sections 3.1 and 3.2: lizards, random effects by PQL) and of
the help page of its chameleons (lagged results as contest covariates).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Union

import numpy as np

from ....bridge.packages.asking import ask
from ....bridge.process.policy import Backend
from ....data.comparisons import Comparisons
from ....errors import PairproofError, RDrift, RError
from ....fit.fit import Fit
from ....native.comparisons.contests.bradley_terry import fit_bradley_terry
from ....numerics.arrays import FloatArray
from ...check.checker import Checker
from ...claims.paper import Claim
from ...r_answers.answerers import counterparts
from ...report.context import Story
from ...verdicts.against_r import Asked, beyond_print, with_50_digits
from ...verdicts.agreement import Agreement
from ..compared_with_r import NoAnswer, Place, in_place
from ..told import OF_R, Words, beside_r, digits_by_model, functions_and_50_digits
from .computations import Document, certified_numbers, documents, fit_of, is_mixed, of_lizards

COVARIATES = ("throat.PC1", "throat.PC3", "head.length", "SVL")
READ = """
here <- new.env()
utils::data(list = c("flatlizards", "chameleons"), package = "BradleyTerry2", envir = here)
lizards <- here$flatlizards
animals <- here$chameleons
list(items = levels(lizards$contests$winner), first = as.numeric(lizards$contests$winner), second = as.numeric(lizards$contests$loser),
     values = as.numeric(as.matrix(lizards$predictors[covariates])),
     c_items = levels(animals$winner$ID), c_first = as.numeric(animals$winner$ID), c_second = as.numeric(animals$loser$ID),
     before = animals$winner$prev.wins.2 - animals$loser$prev.wins.2, c_values = as.numeric(as.matrix(animals$predictors[c("ch.res", "prop.main")])))
"""


def tables(backend: Backend) -> Union[dict[str, Comparisons], NoAnswer]:
    """The two tables by name, lizards and chameleons, or why they are not here."""
    place = "BradleyTerry2::flatlizards"
    if backend.mode in ("none", "recorded"):
        return NoAnswer("not-run", "r-not-run", in_place(place, "BradleyTerry2"))
    try:
        live, asked = replace(backend, mode="live", record=None), {"covariates": list(COVARIATES)}
        found = ask(live, place, READ, asked, ("BradleyTerry2",)).as_list()
    except (RDrift, RError) as error:
        why = f"the data are those of {place}: {' '.join(str(error).split())}"
        return NoAnswer("not-run", "r-not-run", why)

    def numbers(name: str) -> FloatArray:
        return np.asarray(found.vector(name).floats())

    def table(prefix: str, names: Sequence[str], **columns: FloatArray) -> Comparisons:
        items = [str(v) for v in found.vector(f"{prefix}items").values]
        values = numbers(f"{prefix}values").reshape(len(names), -1)
        first, second = (numbers(f"{prefix}{side}").astype(int) - 1 for side in ("first", "second"))
        won, lost, of_items = np.ones(len(first)), np.zeros(len(first)), dict(zip(names, values))
        return Comparisons.build(
            items, first, second, won, None, lost, columns=columns, item_data=of_items, source=place
        )

    chameleons = table("c_", ("ch.res", "prop.main"), before=numbers("before"))
    return {"lizards": table("", COVARIATES), "chameleons": chameleons}


#: The vignette's and the help page's models: where they are printed, the table, and the fixed terms.
PRINTED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "lizards-1": ("vignette, section 3.1: ~ SVL[..] + (1 | ..)", "lizards", {"item_terms": ["SVL"]}),
    "lizards-2": ("vignette, section 3.2: four covariates + (1 | ..)", "lizards", {"item_terms": COVARIATES}),
    "chameleons": (
        "help page of chameleons: prev.wins.2 + ch.res[ID] + prop.main[ID] + (1 | ID)",
        "chameleons",
        {"item_terms": ["ch.res", "prop.main"], "comparison_terms": ["before"]},
    ),
}


PAPER, WORDS = "contests", Words(__package__)
#: Floors of models of contests.
CONTESTS = "certified, contests"


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """A row for each number of each certified model, and for each R call that has it."""
    found: list[Agreement] = []
    for document in documents():
        try:
            fit = fit_of(document)
        except PairproofError as error:
            found.append(Place(PAPER, document["id"], document["what"]).native_did_not_run(error))
            continue
        found += rows_of_fit(document, fit, asked_for(document, backend))
    return found + rows_in_place(backend)


def rows_in_place(backend: Backend) -> list[Agreement]:
    """Rows of BradleyTerry2's own data: two certified fits, and the models of the vignette beside R's."""
    there = tables(backend)
    if isinstance(there, NoAnswer):
        places = {d["id"]: d["what"] for d in of_lizards()}
        places |= {name: where for name, (where, _, _) in PRINTED.items()}
        call = "BradleyTerry2::flatlizards"
        return [Place(PAPER, name, where).data_not_here(there, call) for name, where in places.items()]
    found: list[Agreement] = []
    nobody, live = replace(backend, mode="none"), replace(backend, mode="live", record=None)
    for document in of_lizards():
        found += rows_of_fit(document, fit_of(document, there["lizards"]), nobody)
    for name, (where, table, terms) in PRINTED.items():
        claim = Claim(id=name, where=where, compare_only="R's own numbers")
        fit = fit_bradley_terry(there[table], random="item", method="pql", **terms)
        asked = Asked(fit, tuple(counterparts(fit, live)), {})
        found += beyond_print(PAPER, claim, asked, None, True)
    return found


def asked_for(document: Document, backend: Backend) -> Backend:
    """Who answers for R: of random effects the records, unless R is asked live."""
    return replace(backend, mode="recorded") if is_mixed(document) and backend.mode is None else backend


def rows_of_fit(document: Document, fit: Fit, backend: Backend) -> list[Agreement]:
    """The rows of one fit."""
    where = f"{document['what']}: {fit.title}"
    claim = Claim(id=document["id"], where=where, compare_only="the 50-digit values")
    asked = Asked(fit, tuple(counterparts(fit, backend)), certified_numbers(document))
    return with_50_digits(PAPER, claim, asked, CONTESTS)


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """Fewest digits of each model and of each R function; where R's numbers are others."""
    rows = beside_r(agreements, PAPER)
    title, said = "Every certified model of contests", WORDS.say("certified")
    ids = (document["id"] for document in documents())
    digits = digits_by_model(title, said, "contests and model", ids, rows, once=True)
    lacking = (f"{a.explanation}." for a in rows if a.code in OF_R)
    witnesses = functions_and_50_digits(rows, WORDS.say("witnesses"), lacking)
    return (digits, witnesses, WORDS.section("defects"))
