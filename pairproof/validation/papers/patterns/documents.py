"""The certified models of whole answers, and the tables of persons they are of.

A document is what `tests/certified/README.md` describes; the package carries a copy without the covariances.
prefmod's own tables may not be copied: they are read from R where R is, and never recorded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from ....bridge.packages.answers import ask
from ....data.columns import Factor, natural_order
from ....data.respondents import Respondents
from ....data.respondents.codes import ABSENT, BELOW, MISSING, UNRATED
from ....errors import RDrift, RError
from ..compared_with_r import NoAnswer

if TYPE_CHECKING:
    from ....bridge.process.policy import Backend

Document = Mapping[str, Any]
#: Weight, answers (None for none), covariate value.
Rows = Sequence[Mapping[str, Any]]
#: Answers to a comparison are coded 1 and 2 in these tables; 1 = the first item preferred.
ONE_AND_TWO = ("trdel", "trdel4")
READ = """
here <- new.env()
utils::data(list = name, package = "prefmod", envir = here)
x <- as.matrix(here[[name]][, columns])
x <- x[rowSums(!is.na(x[, seq_len(answers), drop = FALSE])) >= least, , drop = FALSE]
list(values = as.numeric(x), rows = as.numeric(nrow(x)))
"""


class InPlace(NamedTuple):
    """A table that is read in place: prefmod's data set, columns, number of answers, fewest that a row
    has."""

    name: str
    columns: tuple[int, ...]
    answers: int
    least: int


TABLES = {
    "dat4": InPlace("dat4", tuple(range(1, 7)), 6, 0),
    "immig": InPlace("immig", tuple(range(1, 7)), 6, 0),
    "trdel": InPlace("trdel", tuple(range(1, 11)), 10, 0),
    "trdel4": InPlace("trdel", (*range(1, 7), 13), 6, 0),
    "issp2000-4": InPlace("issp2000", tuple(range(1, 5)), 4, 0),
    "music4": InPlace("music", tuple(range(1, 5)), 4, 2),
    "music3x2": InPlace("music", tuple(range(1, 7)), 6, 6),
    "carconf": InPlace("carconf", tuple(range(1, 7)), 6, 1),
    "carconf4": InPlace("carconf", (*range(1, 5), 7), 4, 1),
}


@lru_cache(maxsize=1)
def _file() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("patterns_50_digits.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def documents() -> tuple[Document, ...]:
    """Every certified fit, those of the package's own data first."""
    own = sorted(_file()["fits"], key=lambda fit: data_of(fit)["rows"] is None)
    return tuple(own)


def data_of(document: Document) -> Document:
    """The data set of a fit; `rows` is None where it is read in place."""
    found: Document = _file()["data"][document["id"].partition("--")[0]]
    return found


def rows_of(data: Document, backend: Backend) -> Union[Rows, NoAnswer]:
    """The persons of a data set, or why they are not here."""
    if data["rows"] is not None:
        own: Rows = data["rows"]
        return own
    place = str(data["in_place"])
    if backend.mode in ("none", "recorded"):
        why = (
            f"the data are those of {place}, which may not be copied: R is needed, and it was not to be asked"
        )
        return NoAnswer("not-checkable", "not-asked", why)
    # Never recorded: a record would be a copy.
    live = replace(backend, mode="live", record=None)
    table = TABLES[data["id"]]
    asked = {
        "name": table.name,
        "columns": np.array(table.columns, float),
        "answers": float(table.answers),
        "least": float(table.least),
    }
    try:
        found = ask(live, place, READ, asked, ("prefmod",)).as_list()
    except (RDrift, RError) as error:
        why = f"the data are those of {place}: {' '.join(str(error).split())}"
        return NoAnswer("not-run", "r-not-run", why)
    values = np.asarray(found.vector("values").floats())
    rows = persons(data, values.reshape(int(found.vector("rows").floats()[0]), -1, order="F"), table.answers)
    if hashlib.sha256(repr(list(rows)).encode()).hexdigest() != data["sha256"]:
        why = f"{place} is another table than that of the 50-digit values; look which prefmod is installed"
        return NoAnswer("not-run", "r-not-run", why)
    return rows


def persons(data: Document, table: NDArray[np.float64], answers: int) -> Rows:
    """Rows of a matrix; nan is no answer, and a column beside the answers is the sex of the person."""
    found: list[dict[str, Any]] = []
    for line in table:
        given = [None if np.isnan(v) else int(v) for v in line[:answers]]
        if data["id"] in ONE_AND_TWO:
            given = [None if a is None else 1 if a == 1 else -1 for a in given]
        more = {"sex": int(line[answers])} if len(line) > answers else {}
        found.append({"weight": 1, "answers": given, **more})
    return found


def respondents(document: Document, rows: Rows) -> Respondents:
    """The table of persons as the models take it."""
    model, items, layout = document["model"], document["items"], document["layout"]
    none = MISSING if layout == "pairs" else UNRATED
    if layout == "ranks":
        none = ABSENT if document["unranked"] == "absent" else BELOW
    answers = np.array([[none if a is None else a for a in row["answers"]] for row in rows])
    weights = [float(row["weight"]) for row in rows]
    columns = {}
    if model["by"]:
        given = [str(row[model["by"]]) for row in rows]
        levels = natural_order(given)
        columns[model["by"]] = Factor(np.array([levels.index(v) for v in given]), levels)
    if layout == "pairs":
        return Respondents.build(
            items,
            "comparisons",
            answers,
            tie_category=model["ties"],
            weights=weights,
            columns=columns,
            source=document["id"],
        )
    if layout == "ranks":
        return Respondents.build(
            items, "rankings", answers, weights=weights, columns=columns, source=document["id"]
        )
    times = tuple(str(t + 1) for t in range(model["times"])) if model["times"] > 1 else ()
    return Respondents.build(
        items,
        "ratings",
        answers.reshape(len(rows), model["times"], len(items)) if times else answers,
        scale=range(1, model["categories"] + 1),
        times=times,
        weights=weights,
        source=document["id"],
    )
