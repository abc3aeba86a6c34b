"""The data of a claim as `Comparisons`, and its model as a native `Fit`."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..comparisons import Comparisons
from ..errors import DataNotHere, InputError
from ..fit import Fit
from .paper import DataSpec, ModelClaim, Paper

if TYPE_CHECKING:
    import pandas as pd

Pair = tuple[str, str]


def read_data(paper: Paper, name: str) -> Comparisons:
    """A data set of a paper.

    Raises
    ------
    InputError
        The file is missing or has another hash; the rows do not fit the layout; a pair that is to be read otherwise
        is not there.
    """
    from ..readers import read

    spec = paper.data[name]
    where = f"{paper.source or paper.id}, line {spec.line}, data.{name}"
    if spec.kind == "games":
        raise InputError(f"{where}: kind = \"games\" holds no outcomes; a fit or a test needs them")
    if spec.kind == "table":
        raise InputError(f"{where}: kind = \"table\" is no table of comparisons; a model or a test cannot use it")
    options: dict[str, Any] = {"items": _items(paper, spec) or None}
    if spec.item_data:
        options.update(item_data=_item_data(spec))
    if spec.kind == "matrix":
        options.update(winner=spec.winner)
    if spec.kind != "file":
        options.update(layout=spec.kind)
    try:
        table = read(_frame(paper, spec, where), **options)
    except InputError as error:
        raise type(error)(f"{where}: {error}") from error
    return replace(table, source=f"{paper.id}, {name}")


def _items(paper: Paper, spec: DataSpec) -> tuple[str, ...]:
    while not spec.items and spec.from_:
        spec = paper.data[spec.from_]
    return spec.items


def _item_data(spec: DataSpec) -> pd.DataFrame:
    import pandas as pd

    columns = {column: pd.Series(dict(values)) for column, values in spec.item_data.items()}
    return pd.DataFrame(columns).rename_axis("item").reset_index()


def table_of(paper: Paper, name: str) -> pd.DataFrame:
    """A data set of a paper as it stands, uninterpreted; errors as :func:`read_data`."""
    spec = paper.data[name]
    return _frame(paper, spec, f"{paper.source or paper.id}, line {spec.line}, data.{name}")


def _frame(paper: Paper, spec: DataSpec, where: str) -> pd.DataFrame:
    import pandas as pd

    if spec.from_:
        parent = _frame(paper, paper.data[spec.from_], where)
        kept = _only(parent, spec, where) if spec.only else parent
        return _read_as(kept, spec, where) if spec.printed_pairs else kept
    if spec.file:
        return _file(paper, spec, where)
    frame = pd.DataFrame([list(row) for row in spec.rows], columns=list(spec.columns))
    # A matrix's first column names its rows; text is `object` before pandas 3, and `str` from there on.
    named = spec.kind == "matrix" and not pd.api.types.is_numeric_dtype(frame.dtypes.iloc[0])
    return frame.set_index(frame.columns[0]) if named else frame


def _file(paper: Paper, spec: DataSpec, where: str) -> pd.DataFrame:
    import pandas as pd

    path = Path(paper.in_place if spec.in_place else paper.folder) / spec.file
    try:
        content = path.read_bytes()
    except OSError as error:
        if spec.in_place:
            raise DataNotHere(f"data not here: {spec.file} is not ours to ship; it is looked for in "
                              f"{paper.in_place or 'no folder'} (name its folder with --data DIR)") from error
        raise InputError(f"{where}: file {spec.file!r} cannot be read ({error.strerror}); it is looked for beside the claims "
                         "file") from error
    found = hashlib.sha256(content).hexdigest()
    if found != spec.sha256.lower():
        raise InputError(f"{where}: {spec.file} has sha256 {found}, the claims file says {spec.sha256}; the data have changed, or "
                         "the hash was taken of another file")
    # Cells stay text ("NA" is a word, "007" keeps its zeros); the readers interpret them.
    return pd.read_csv(path, dtype=str, keep_default_na=False, sep="\t" if path.suffix == ".tsv" else ",")


def _only(frame: pd.DataFrame, spec: DataSpec, where: str) -> pd.DataFrame:
    for column, value in spec.only.items():
        if column not in frame.columns:
            raise InputError(f"{where}: only = {column!r}, but the columns are {', '.join(map(str, frame.columns))}")
        frame = frame[frame[column].astype(str) == str(value)]
        if frame.empty:
            raise InputError(f"{where}: no row has {column} = {value!r}")
    return frame.reset_index(drop=True)


def _read_as(frame: pd.DataFrame, spec: DataSpec, where: str) -> pd.DataFrame:
    """What is printed under one pair, taken as another's: the columns stay where they are, their heads change."""
    read_as: dict[Pair, Pair] = {}
    for printed, taken in zip(spec.printed_pairs, spec.read_as_pairs):
        read_as[printed] = taken
        read_as[printed[::-1]] = taken[::-1]
    pairs = list(zip(frame["first"], frame["second"]))
    for k, pair in enumerate(pairs):
        if pair not in read_as:
            raise InputError(f"{where}: row {k + 1} compares {pair[0]} with {pair[1]}, which printed_pairs does not name")
    out = frame.copy()
    out["first"] = [read_as[p][0] for p in pairs]
    out["second"] = [read_as[p][1] for p in pairs]
    return out


def fit_model(table: Comparisons, model: ModelClaim) -> Fit:
    """The native fit of a claim's model, on the scale the claim is printed on."""
    from ..native.bradley_terry import fit_bradley_terry
    from ..native.llbt import fit_llbt

    fitter = fit_llbt if model.family == "llbt" else fit_bradley_terry
    fit = fitter(table, ties=model.ties, by=model.by, reference=model.reference or None,
                 order_effect=model.order_effect, cells=model.cells or None, item_terms=model.item_terms, separate=model.separate)
    return fit.on_scale(model.scale) if model.scale else fit
