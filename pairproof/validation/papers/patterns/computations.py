"""The certified models of whole answers: the tables of persons they are of, pairproof's own fits of them, and
numbers printed elsewhere, recomputed.

A document is what `tests/certified/README.md` describes; the package carries a copy without the covariances.
prefmod's own tables may not be copied: they are read from R where R is, or from a file of prefmod's sources
that the user has, and never recorded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Union

import numpy as np

from ....bridge.packages.asking import ask
from ....bridge.process.policy import Backend
from ....bridge.r_data import read_file
from ....bridge.values.nodes import NULL, RList, RVector, from_node
from ....data.columns import Factor, natural_order
from ....data.respondents.codes import ABSENT, BELOW, MISSING, UNRATED, Kind
from ....data.respondents.respondents import Respondents
from ....errors import InputError, RDrift, RError
from ....files.packaged import packaged_json
from ....fit.fit import Fit
from ....native.answers.latent_classes import fit_latent_classes
from ....native.answers.pattern_models import fit_pattern
from ....native.answers.plackett_luce import fit_plackett_luce
from ....numerics.arrays import FloatArray
from ...claims.quantities import quantity
from ...statements.registers import Computed, Request, computation
from ..compared_with_r import NoAnswer, in_place

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
    """A table that is read in place: prefmod's data set, columns, number of answers, fewest in a row."""

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
    found: dict[str, Any] = packaged_json(__package__, "patterns_50_digits.json")
    return found


def documents() -> tuple[Document, ...]:
    """Every certified fit, those of the package's own data first."""
    own = sorted(_file()["fits"], key=lambda fit: data_of(fit)["rows"] is None)
    return tuple(own)


def data_of(document: Document) -> Document:
    """The data set of a fit; `rows` is None where it is read in place."""
    found: Document = _file()["data"][document["id"].partition("--")[0]]
    return found


def rows_of(data: Document, backend: Backend, folder: str = "") -> Union[Rows, NoAnswer]:
    """The persons of a data set, or why they are not here.

    prefmod's tables are those of a file in the user's `folder`, where there is one, else those that live R reads.
    """
    if data["rows"] is not None:
        own: Rows = data["rows"]
        return own
    place, table = str(data["in_place"]), TABLES[data["id"]]
    file = Path(folder, f"{table.name}.RData")
    try:
        matrix = _of_file(file, table) if folder and file.is_file() else _of_r(place, table, backend)
    except (InputError, RDrift, RError) as error:
        why = f"the data are those of {place}: {' '.join(str(error).split())}"
        return NoAnswer("not-run", "r-not-run", why)
    if matrix is None:
        also = f", or --data DIR with {file.name} of prefmod's sources"
        return NoAnswer("not-run", "r-not-run", in_place(place, "prefmod", also))
    rows = persons(data, matrix, table.answers)
    if hashlib.sha256(repr(list(rows)).encode()).hexdigest() != data["sha256"]:
        why = f"{place} is not the table of the 50-digit values; check which prefmod is installed"
        if folder and file.is_file():
            why = f"{file} is not the table of the 50-digit values; expected that of prefmod 0.8-36"
        return NoAnswer("not-run", "r-not-run", why)
    return rows


def _of_file(file: Path, table: InPlace) -> FloatArray:
    """The table in a file of R's `save`, such as prefmod's sources have, read without R."""
    frame = from_node(read_file(file).get(table.name, NULL))
    if not isinstance(frame, RList) or len(frame) <= max(table.columns) - 1:
        raise InputError(f"{file}: expected prefmod's data frame {table.name}")
    columns = [frame[k - 1] for k in table.columns]
    if not all(isinstance(c, RVector) and len(c) == len(columns[0]) for c in columns):
        raise InputError(f"{file}: expected prefmod's data frame {table.name}, columns of equal length")
    matrix = np.column_stack([column.floats() for column in columns])
    given = (~np.isnan(matrix[:, : table.answers])).sum(axis=1)
    return np.asarray(matrix[given >= table.least])


def _of_r(place: str, table: InPlace, backend: Backend) -> Union[FloatArray, None]:
    """The table out of live R, never recorded: a record would be a copy.  None where R is not to be asked."""
    if backend.mode in ("none", "recorded"):
        return None
    live = replace(backend, mode="live", record=None)
    asked = {
        "name": table.name,
        "columns": np.array(table.columns, float),
        "answers": float(table.answers),
        "least": float(table.least),
    }
    found = ask(live, place, READ, asked, ("prefmod",)).as_list()
    values = np.asarray(found.vector("values").floats())
    return values.reshape(int(found.vector("rows").floats()[0]), -1, order="F")


def persons(data: Document, table: FloatArray, answers: int) -> Rows:
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
    kinds: dict[str, Kind] = {"pairs": "comparisons", "ranks": "rankings"}
    kind = kinds.get(layout, "ratings")
    options: dict[str, Any] = {"tie_category": model["ties"]} if kind == "comparisons" else {}
    if kind == "ratings":
        options["scale"] = range(1, model["categories"] + 1)
        if model["times"] > 1:
            options["times"] = tuple(str(t + 1) for t in range(model["times"]))
            answers = answers.reshape(len(rows), model["times"], len(items))
    own: dict[str, Any] = {"weights": weights, "columns": columns, "source": document["id"]}
    return Respondents.build(items, kind, answers, **own, **options)


#: Starts of latent classes: the three classes of trdel are reached from 8 to 14 of 20.
STARTS, SEED = 20, 4


def fit_of(document: Document, table: Respondents) -> Fit:
    """The native fit of a document's model."""
    model: dict[str, Any] = document["model"]
    if model["classes"] > 1:
        return fit_latent_classes(table, model["classes"], starts=STARTS, seed=SEED)
    by = model["by"] or ""
    if model["family"] == "plackett-luce":
        return fit_plackett_luce(table, by=by)
    asked = {name: model[name] for name in ("dependence", "between_times", "alpha", "beta")}
    return fit_pattern(table, by=by, **asked)


def numbers_of_classes(fit: Fit) -> dict[str, float]:
    """`estimate.A:class[1]`, `se.`, `score.share.1`, `se.share.1`, llf, AIC, BIC."""
    out = {"llf": fit.llf, "aic": fit.aic, "bic": fit.bic}
    for k, (share, error) in enumerate(zip(fit.shares, fit.share_errors)):
        out[f"score.share.{k + 1}"] = float(share)
        out[f"se.share.{k + 1}"] = float(error)
    for name in fit.params.index[fit.free]:
        out[f"estimate.{name}"] = float(fit.params[name])
        out[f"se.{name}"] = float(fit.bse[name])
    return out


def further_numbers(fit: Fit) -> dict[str, float]:
    """What a fit gives beside its parameters: quasi-variances and errors of centred log worths, by group."""
    out: dict[str, float] = {}
    for group in fit.groups:
        table = fit.quasi_variances(group)
        for item, value in zip(table["item"], table["quasi_variance"]):
            out[f"score.quasi-variance.{group}.{item}"] = float(value)
    if fit.groups == {"all": {}} or list(fit.groups) == ["all"]:
        centred = fit.on_scale("log-odds").with_reference("sum")
        for item in fit.items:
            out[f"score.centred-se.all.{item}"] = float(centred.bse[item])
    return out


def certified_numbers(document: Document) -> dict[str, str]:
    """A document's numbers by the names of :mod:`pairproof.validation.claims.quantities`, as decimal text."""
    out = {f"estimate.{name}": text for name, text in document["params"].items()}
    out.update({f"se.{name}": text for name, text in document["bse"].items()})
    out.update({name: str(document[name]) for name in ("llf", "aic", "bic")})
    if document["model"]["classes"] > 1:
        for key, kind in (("shares", "score.share"), ("share_errors", "se.share")):
            out.update({f"{kind}.{k + 1}": text for k, text in enumerate(document[key])})
        return out
    out.update({name: str(document[name]) for name in ("deviance", "df_resid")})
    for key in ("worth", "worth_se"):
        for group, items in document.get(key, {}).items():
            out.update({f"{key}.{group}.{item}": text for item, text in items.items()})
    return out


def further_certified(document: Document) -> dict[str, str]:
    """The 50-digit values of :func:`further_numbers`."""
    out: dict[str, str] = {}
    for key, kind in (("quasi_variances", "quasi-variance"), ("centred_se", "centred-se")):
        for group, items in document.get(key, {}).items():
            if kind == "centred-se" and group != "all":
                continue
            out.update({f"score.{kind}.{group}.{item}": text for item, text in (items or {}).items()})
    return out


@computation("answers")
def answers(request: Request) -> Computed:
    """The numbers of a certified model; args: `fit`, its id."""
    name = request.text("fit")
    own = {d["id"]: d for d in documents() if data_of(d)["rows"] is not None}
    if name not in own:
        raise InputError(f"args.fit is {name[:60]!r}; expected one of {', '.join(own)}")
    document = own[name]
    fit = fit_of(document, respondents(document, data_of(document)["rows"]))
    if fit.answers is None:
        raise InputError(f"{name} has latent classes; their numbers are in the rows of its 50 digits")
    found = {key: quantity(fit, key) for key in certified_numbers(document)}
    return Computed(native={**found, **(further_numbers(fit) if "worth" in document else {})})
