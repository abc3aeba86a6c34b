"""R objects that hold comparisons, as pairproof's tables: `paircomp`, `rankings`, and fitted `BTm` models.

============================================  ==============================================================
R                                             pairproof
============================================  ==============================================================
``paircomp`` (psychotools), or a data frame   Respondents: comparisons with gaps; the other columns of the
with one as a column                          frame are subject covariates
``rankings``, ``aggregated_rankings``,        Respondents: rankings, 0 or NA an item that was not presented;
``grouped_rankings`` (PlackettLuce), or a     frequencies are weights, the group a column `group`
data frame with one as a column
``BTm`` (BradleyTerry2)                       Comparisons: the contests that R used, wins y w and losses
                                              (1 - y) w of the share y and the prior weight w; columns of the
                                              players' tables as `NAME_first`, `NAME_second`; contest columns
                                              and player covariates that its terms name
============================================  ==============================================================

An object comes from a file (:func:`read_object`, read without R) or out of a package (:func:`package_object`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ..data.comparisons import Comparisons
from ..data.respondents.pairs_and_ratings import from_pairs
from ..data.respondents.ranking_layouts import from_ranks
from ..data.respondents.respondents import Respondents
from ..errors import DataWarning, InputError, warn_the_caller
from .process.policy import BackendLike
from .r_data import out_of_file, out_of_package
from .values.convert import to_frame
from .values.nodes import RList, RVector

if TYPE_CHECKING:
    import pandas as pd


Held = Union[Comparisons, Respondents]
ANSWERS = ("paircomp", "rankings", "grouped_rankings")
TAKEN = "a paircomp, rankings, a BTm, or a data frame with a column of the first two"
#: How far a count may be off a whole number by rounding of share times weight: a few units in the last place.
WHOLE = 1e-9
#: Names of an R data frame's columns that a table of respondents needs itself; `weight` keeps its meaning.
RENAMED = ("time", "order")


def read_object(path: str | os.PathLike[str], name: str = "", *, column: str = "", **options: Any) -> Held:
    """Comparisons or rankings out of an R object in an `.rda`, `.RData` or `.rds` file, read without R.

    Parameters
    ----------
    path : path
    name : str, optional
        The object wanted; may be left out where the file holds one.
    column : str, optional
        Of a data frame: the column that holds them; may be left out where there is one.
    **options : object
        `degrees=` of a paircomp, `tie_category=` of both.

    Returns
    -------
    Comparisons or Respondents
        As the module's table says. Subject covariates called `time` or `order` become `time_` and `order_`, with a
        DataWarning.

    Raises
    ------
    InputError
        No such file or object, or an object of another class.

    Examples
    --------
    >>> read_object("parties.rds")  # doctest: +SKIP
    """
    return out_of_file(path, name, partial(comparisons_of, column=column, **options))


def package_object(
    package: str, name: str, *, column: str = "", backend: BackendLike = None, **options: Any
) -> Held:
    """Comparisons or rankings out of a data set of an R package.

    Parameters
    ----------
    package, name : str
    column : str, optional
        As for :func:`read_object`.
    backend : Backend, or one of "live", "recorded", "both", "none", optional
    **options : object
        As for :func:`read_object`.

    Returns
    -------
    Comparisons or Respondents

    Raises
    ------
    InputError, RError
        An object of another class; no such data set.

    Examples
    --------
    >>> package_object("psychotools", "GermanParties2009").n_persons  # doctest: +SKIP
    """
    return comparisons_of(*out_of_package(package, name, backend), column=column, **options)


def comparisons_of(value: Any, what: str, *, column: str = "", **options: Any) -> Held:
    """An R value as the module's table says; `what` names it in errors."""
    if isinstance(value, RList) and "BTm" in value.rclass:
        if options or column:
            raise InputError(f"{what} is a BTm, which takes no {next(iter(options), 'column')}")
        return contests_of(value, what)
    if isinstance(value, RList) and "data.frame" in value.rclass and value.names is not None:
        held = {n: v for n, v in zip(value.names, value.values) if isinstance(v, RVector) and _kind(v)}
        if column and column not in held:
            raise InputError(
                f"{what} has no column {column!r} of answers; it has {', '.join(held) or 'none'}"
            )
        if not held:
            raise InputError(f"{what} is a data frame without a column of answers; {TAKEN} is expected")
        if not column and len(held) > 1:
            raise InputError(f"{what} has the columns {', '.join(held)} of answers; say which one: column=")
        chosen = column or next(iter(held))
        others = [n for n in value.names if n not in held]
        rest = RList(tuple(value[n] for n in others), tuple(others), ("data.frame",))
        return respondents_of(held[chosen], what, to_frame(rest), **options)
    if isinstance(value, RVector) and _kind(value):
        return respondents_of(value, what, **options)
    kind = ", ".join(getattr(value, "rclass", ())) or type(value).__name__
    raise InputError(f"{what} is an R object of class {kind}; {TAKEN} is expected")


def _kind(value: RVector) -> str:
    return next((k for k in ANSWERS if k in value.rclass), "")


def respondents_of(
    value: RVector, what: str, columns: pd.DataFrame | None = None, *, degrees: str = "refuse", **options: Any
) -> Respondents:
    """A vector of class `paircomp`, `rankings` or `grouped_rankings`, with columns of the same length."""
    if degrees not in ("refuse", "ignore"):
        raise InputError(f"degrees is {degrees!r}; expected 'refuse' or 'ignore'")
    if _kind(value) == "paircomp":
        return _of_paircomp(value, what, columns, degrees, options)
    if _kind(value) == "grouped_rankings":
        inner, index = value.attributes.get("rankings"), value.attributes.get("index")
        if not isinstance(inner, RVector) or not isinstance(index, RVector):
            raise InputError(f"{what}: grouped rankings without their rankings")
        group = _frame({"group": [str(int(k)) for k in index.floats()]})
        if columns is not None:
            group = group.join(columns.iloc[index.floats().astype(int) - 1].reset_index(drop=True))
        return _of_rankings(inner, what, group, options)
    return _of_rankings(value, what, columns, options)


def _frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(columns)


def _of_paircomp(
    value: RVector, what: str, columns: pd.DataFrame | None, degrees: str, options: dict[str, Any]
) -> Respondents:
    labels, ordered = value.attributes.get("labels"), value.attributes.get("ordered")
    if not isinstance(labels, RVector) or value.values.ndim != 2:
        raise InputError(f"{what}: a paircomp without its labels or its comparisons")
    if isinstance(ordered, RVector) and bool(ordered.scalar()):
        raise InputError(
            f"{what} has both orders of presentation (ordered = TRUE), which no table here holds"
        )
    items = [str(v) for v in labels.values]
    answers = value.floats()
    if degrees == "refuse" and bool((np.abs(np.nan_to_num(answers)) > 1).any()):
        raise InputError(
            f"{what} has preferences with degrees beyond 1; degrees='ignore' keeps the preference"
        )
    signs = np.sign(answers)
    pairs = [f"{items[i]}:{items[j]}" for j in range(len(items)) for i in range(j)]
    if signs.shape[1] != len(pairs):
        raise InputError(
            f"{what}: {signs.shape[1]} comparisons of {len(items)} items; {len(pairs)} are expected"
        )
    table = _with_columns({p: _codes(signs[:, k]) for k, p in enumerate(pairs)}, columns, what)
    scale = value.attributes.get("mscale")
    ties = isinstance(scale, RVector) and bool((scale.floats() == 0).any())
    coding = {"first": "1", "tie": "0", "second": "-1", "missing": "NA"}
    options.setdefault("tie_category", ties)
    return from_pairs(table, items=items, pair_order="prefmod", coding=coding, pairs=pairs, pair_names="ignore", **options)  # fmt: skip


def _codes(values: Any) -> list[str]:
    return ["NA" if np.isnan(v) else str(int(v)) for v in values]


def _of_rankings(
    value: RVector, what: str, columns: pd.DataFrame | None, options: dict[str, Any]
) -> Respondents:
    margins = value.dimnames or (None, None)
    if value.values.ndim != 2 or margins[1] is None:
        raise InputError(f"{what}: rankings without the names of their items")
    items = [str(n) for n in margins[1]]
    ranks = value.floats()
    if columns is not None and "freq" in columns:
        columns = columns.rename(columns={"freq": "weight"})
    table = _with_columns({n: _codes(ranks[:, k]) for k, n in enumerate(items)}, columns, what)
    return from_ranks(table, items=items, answers=items, unranked={"0": "absent", "NA": "absent"}, **options)


def _with_columns(answers: dict[str, list[str]], columns: pd.DataFrame | None, what: str) -> pd.DataFrame:
    frame = _frame(answers)
    if columns is None:
        return frame
    columns = _own_names_free(columns, what)
    taken = [c for c in columns if c in answers]
    if taken:
        raise InputError(f"{what}: the column {taken[0]!r} has the name of a column of answers")
    return frame.join(columns.reset_index(drop=True))


def _own_names_free(columns: pd.DataFrame, what: str) -> pd.DataFrame:
    """The columns, `time` and `order` as `time_` and `order_`: a table of respondents has its own meaning for these."""
    new: dict[str, str] = {}
    for name in RENAMED:
        if name in columns:
            new[name] = f"{name}_"
            while new[name] in columns:
                new[name] += "_"
    if new:
        text = ", ".join(f"{old} -> {name}" for old, name in new.items())
        said = f"{what}: renamed {text}: in a table of respondents these names have a meaning of their own"
        warn_the_caller(said, DataWarning)
    return columns.rename(columns=new)


def contests_of(value: RList, what: str) -> Comparisons:
    """The contests of a fitted `BTm`, as R used them."""
    from ..data.reading.layouts import read

    ident = str(value.vector("id").scalar())
    sides = [to_frame(value[k]) for k in ("player1", "player2")]
    key = [ident if ident in side else str(side.columns[0]) for side in sides]
    share, weight = value.vector("y"), value.vector("prior.weights")
    rows = _rows_used(value, len(share), sides[0], what)
    won = share.floats() * weight.floats()
    lost = (1 - share.floats()) * weight.floats()
    table: dict[str, Any] = {
        "first": sides[0][key[0]].astype(str).to_numpy()[rows],
        "second": sides[1][key[1]].astype(str).to_numpy()[rows],
        "wins": _counts(won),
        "losses": _counts(lost),
    }
    for side, k, end in zip(sides, key, ("first", "second")):
        table |= {f"{c}_{end}": side[c].to_numpy()[rows] for c in side.columns if c != k}
    levels = [str(v) for v in sides[0][key[0]].cat.categories]
    terms = " ".join(str(t) for t in value.vector("term.labels").values) if "term.labels" in value else ""
    of_items, of_contests = _named_columns(value, terms, len(levels), len(sides[0]))
    table |= {n: np.asarray(v, dtype=object)[rows] for n, v in of_contests.items() if n not in table}
    items = _frame({"item": levels, **of_items}) if of_items else None
    columns = {"first": "first", "second": "second", "wins": "wins", "losses": "losses"}
    return read(_frame(table), layout="counts", columns=columns, items=levels, item_data=items)


def _rows_used(value: RList, n: int, players: pd.DataFrame, what: str) -> Any:
    """Rows of the players' table that are in the fit: after a subset or a missing value R keeps their names, in the model frame."""
    if n == len(players):
        return np.arange(n)
    frame = value["model"] if "model" in value else None
    labels = frame.attributes.get("row.names") if isinstance(frame, RList) else None
    names = [] if not isinstance(labels, RVector) else [str(v) for v in labels.values.tolist()]
    # A row that was taken twice is called 1.1 (a numeric subset, which R's BTm counts twice).
    unnamed = type(players.index).__name__ == "RangeIndex"
    place = {str(k + 1 if unnamed else label): k for k, label in enumerate(players.index)}
    if len(names) != n or any(name not in place for name in names):
        raise InputError(
            f"{what}: the fit has {n} contests of {len(players)}, and their names do not say which (R's BTm takes each row"
            " twice where its subset is positions); fit it again on the contests meant"
        )
    return np.array([place[name] for name in names])


def _counts(values: Any) -> Any:
    """Without the rounding of share times weight."""
    whole = np.round(values)
    return np.where(np.abs(values - whole) <= WHOLE * np.maximum(1.0, whole), whole, values)


def _named_columns(
    value: RList, terms: str, n_items: int, n_rows: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Columns of the model's data that its terms name: of players (``x[..]``), and of contests."""
    data = value["data"] if "data" in value else None
    if not isinstance(data, RList) or data.names is None:
        return {}, {}
    used = set(re.findall(r"[^\W\d_][\w.]*", terms))
    indexed = set(re.findall(r"([^\W\d_][\w.]*)\[", terms))
    plain = {n: v for n, v in zip(data.names, data.values) if n in used and isinstance(v, RVector) and v.values.ndim == 1}  # fmt: skip
    column = {n: to_frame(RList((v,), (n,), ("data.frame",)))[n] for n, v in plain.items()}
    of_items = {n: c for n, c in column.items() if n in indexed and len(c) == n_items}
    of_contests = {n: c for n, c in column.items() if n not in indexed and len(c) == n_rows}
    return of_items, of_contests
