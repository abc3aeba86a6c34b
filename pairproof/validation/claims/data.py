"""The data of a claim as `Comparisons`, and its model as a native `Fit`.

A claims file may come from a stranger, who chose the names of its data files.  So a data file must be a
regular file of bounded size which, with every link resolved, lies inside the claims file's own folder or
inside the folder that the caller names.  Nothing that lies elsewhere is opened, and no error says what is
there.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ...data.comparisons import Comparisons
from ...data.respondents.respondents import Respondents
from ...errors import DataNotHere, DataWarning, InputError, RankingWarning
from ...files.inputs import MOST_CLAIM_BYTES, OutsideError, read_inside
from ...fit.fit import Fit
from ...text import named, shortened
from .paper import DataSpec, ModelClaim, Paper

if TYPE_CHECKING:
    import pandas as pd


Pair = tuple[str, str]
#: Environment variable that names the folder of data read in place.
IN_PLACE = "PAIRPROOF_DATA"


class DataFileError(InputError):
    """Error of a data file that a claims file names: it cannot be read, or must not be."""


def data_from(
    paper: Paper, data: str | os.PathLike[str] | None = None, most_bytes: int | None = None
) -> Paper:
    """The paper, with a folder in which its data are also looked for."""
    folder = os.environ.get(IN_PLACE, "") if data is None else os.fspath(data)
    if folder and not os.path.isdir(folder):
        whence = f"set by {IN_PLACE}" if data is None else "given as the data folder"
        raise InputError(
            f"{folder}: no such folder; data that are read in place are expected there ({whence})"
        )
    most = MOST_CLAIM_BYTES if most_bytes is None else most_bytes
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise InputError(f"data_limit={most_bytes!r}; expected a whole number of bytes, at least 1")
    return replace(paper, data_folder=folder, most_bytes=most)


def read_data(paper: Paper, name: str) -> Comparisons:
    """A data set of a paper."""
    from ...data.reading.layouts import read

    spec, where = _of_outcomes(paper, name)
    if _inherited(paper, spec, "layout"):
        return replace(read_answers(paper, name).to_comparisons(), source=f"{paper.id}, {name}")
    frame = _frame(paper, spec, where)
    try:
        table = read(
            frame,
            layout=None if spec.kind in ("file", "answers") else cast(Any, spec.kind),
            items=_inherited(paper, spec, "items") or None,
            winner=spec.winner or None,
            item_data=_item_data(spec) if spec.item_data else None,
        )
    except InputError as error:
        raise type(error)(f"{where}: {error}") from error
    return replace(table, source=f"{paper.id}, {name}")


def read_answers(paper: Paper, name: str) -> Respondents:
    """A data set of a paper as persons' whole answers."""
    from ...data.respondents.read_answers import read_respondents

    spec, where = _of_outcomes(paper, name)
    layout: Any = _inherited(paper, spec, "layout") or ("rankings" if spec.kind == "rankings" else "")
    if not layout:
        raise InputError(
            f"{where}: the model is for persons' whole answers, but these are comparisons; give rankings, or"
            ' kind = "answers" and a layout'
        )
    options = dict(spec.how or _inherited(paper, spec, "how"))
    if items := _inherited(paper, spec, "items"):
        options["items"] = items
    if spec.item_data:
        options["item_data"] = _item_data(spec)
    try:
        table = read_respondents(_frame(paper, spec, where), layout, **options)
    except InputError as error:
        raise type(error)(f"{where}: {error}") from error
    except (AttributeError, TypeError, ValueError) as error:  # `how` may hold values of any type
        raise InputError(
            f"{where}: how does not fit layout {layout}: {shortened(str(error), 200)}"
        ) from error
    return table.changed(source=f"{paper.id}, {name}")


def _of_outcomes(paper: Paper, name: str) -> tuple[DataSpec, str]:
    """The data set and where it stands; refuses what holds no outcomes."""
    spec, where = _spec(paper, name)
    if spec.kind == "games":
        raise InputError(f'{where}: kind = "games" has no outcomes, which a fit or a test needs')
    if spec.kind == "table":
        raise InputError(
            f'{where}: kind = "table" is not a table of comparisons; a model or a test cannot use it'
        )
    return spec, where


def table_of(paper: Paper, name: str) -> pd.DataFrame:
    """A data set of a paper as it stands, uninterpreted; errors as :func:`read_data`."""
    return _frame(paper, *_spec(paper, name))


def _spec(paper: Paper, name: str) -> tuple[DataSpec, str]:
    """The data set, and where it stands in the claims file."""
    if name not in paper.data:
        asked, there = json.dumps(name) if name else "...", named(paper.data) or "none"
        raise InputError(
            f"this needs data = {asked}, the name of a data set of the claims file; it has {there}"
        )
    spec = paper.data[name]
    return spec, f"{paper.source or paper.id}, line {spec.line}, data.{name}"


def _inherited(paper: Paper, spec: DataSpec, key: str) -> Any:
    """What a data set states, or the one it is made from."""
    while not getattr(spec, key) and spec.from_:
        spec = paper.data[spec.from_]
    return getattr(spec, key)


def _item_data(spec: DataSpec) -> pd.DataFrame:
    import pandas as pd

    columns = {column: pd.Series(dict(values)) for column, values in spec.item_data.items()}
    return pd.DataFrame(columns).rename_axis("item").reset_index()


def _frame(paper: Paper, spec: DataSpec, where: str) -> pd.DataFrame:
    import pandas as pd

    if spec.from_:
        parent = _frame(paper, paper.data[spec.from_], where)
        kept = _only(parent, spec, where) if spec.only else parent
        return _read_as(kept, spec, where) if spec.printed_pairs else kept
    if spec.file:
        return _file(paper, spec, where)
    return pd.DataFrame([list(row) for row in spec.rows], columns=list(spec.columns))


def _file(paper: Paper, spec: DataSpec, where: str) -> pd.DataFrame:
    import pandas as pd

    from ...data.reading.sources import delimited

    content, own = _content(paper, spec, where)
    found = hashlib.sha256(content).hexdigest()
    if found != spec.sha256.lower():
        # The hash of a file that does not belong to the claims file would tell about a file its author cannot
        # read.
        which = f"sha256 {found}" if own else "another sha256"
        raise DataFileError(
            f"{where}: {spec.file} has {which}, but the claims file says {spec.sha256}; the data have changed, or"
            " the hash belongs to another file"
        )
    try:
        # Called "file 'x.json'", so that what is in it decides its format and not how its name ends.
        columns = delimited(content, f"file {spec.file!r}", nameless=True).columns
    except InputError as error:
        raise DataFileError(f"{where}: {error}") from error
    # A first column without a name holds the row numbers that R and pandas write.
    return pd.DataFrame({name or "Unnamed: 0": cells for name, cells in columns.items()})


def _content(paper: Paper, spec: DataSpec, where: str) -> tuple[bytes, bool]:
    """The file's bytes, and whether it lies in the claims file's own folder."""
    places = [] if spec.in_place else [(paper.folder, spec.file, True)]
    if paper.data_folder:
        if not spec.in_place:
            # "../data/x.csv" beside the claims file, or x.csv in the folder that was named.
            beside = os.path.join(os.path.realpath(paper.folder), spec.file)
            places.append((paper.data_folder, beside, False))
        places.append((paper.data_folder, spec.file, False))
    outside: OutsideError | None = None
    for folder, name, own in places:
        try:
            return read_inside(folder, name, most=paper.most_bytes), own
        except OutsideError as error:
            outside = outside or error
        except FileNotFoundError:
            pass
        except InputError as error:
            raise DataFileError(f"{where}: file {error}") from error
    if outside is not None:
        fault, cure = "is outside the claims file's folder", "put it next to the claims file, or name"
        if spec.in_place:
            fault, cure = f"leads outside {paper.data_folder}", "name"
        said = f"file {spec.file!r} {fault} and is not opened; {cure} its folder with --data DIR"
        raise DataFileError(f"{where}: {said}") from outside
    if spec.in_place:
        raise DataNotHere(
            f"data not here: {spec.file} may not be distributed with pairproof; it is expected in "
            f"{paper.data_folder or 'no folder'} (name its folder with --data DIR)"
        )
    raise DataFileError(
        f"{where}: file {spec.file!r} cannot be read (No such file or directory); it is expected next to the"
        " claims file" + (f" and in {paper.data_folder}" if paper.data_folder else "")
    )


def digests(paper: Paper) -> dict[str, str]:
    """SHA-256 of each data file as it is now, by the data set's name; of one that cannot be read, why."""
    found = {}
    for name, spec in paper.data.items():
        if spec.file:
            try:
                content, _ = _content(paper, spec, _spec(paper, name)[1])
                found[name] = hashlib.sha256(content).hexdigest()
            except (InputError, DataNotHere) as error:
                found[name] = str(error)
    return found


def _only(frame: pd.DataFrame, spec: DataSpec, where: str) -> pd.DataFrame:
    for column, value in spec.only.items():
        if column not in frame.columns:
            there = ", ".join(map(str, frame.columns))
            raise InputError(f"{where}: only = {column!r}, but the columns are {there}")
        frame = frame[frame[column].astype(str) == str(value)]
        if frame.empty:
            raise InputError(f"{where}: no row has {column} = {value!r}")
    return frame.reset_index(drop=True)


def _read_as(frame: pd.DataFrame, spec: DataSpec, where: str) -> pd.DataFrame:
    """The table with what is printed under one pair taken as another pair's."""
    read_as: dict[Pair, Pair] = {}
    for printed, taken in zip(spec.printed_pairs, spec.read_as_pairs):
        read_as[printed] = taken
        read_as[printed[::-1]] = taken[::-1]
    pairs = list(zip(frame["first"], frame["second"]))
    for k, (a, b) in enumerate(pairs, 1):
        if (a, b) not in read_as:
            raise InputError(f"{where}: row {k} compares {a} with {b}, which is not in printed_pairs")
    meant = [read_as[pair] for pair in pairs]
    return frame.assign(first=[a for a, _ in meant], second=[b for _, b in meant])


def fit_model(table: Comparisons | Respondents, model: ModelClaim) -> Fit:
    """The native fit of a claim's model, on the scale the claim is printed on, with its standard errors by cluster."""
    with warnings.catch_warnings():
        # The page's own choice; they stay among the fit's warnings.
        warnings.simplefilter("ignore", RankingWarning)
        warnings.simplefilter("ignore", DataWarning)
        fit = _fitted(table, model)
    if model.scale == "elo":  # BoardNumbers has the ratings
        return _as_board(fit, model)
    if model.cluster:
        fit = fit.clustered(*model.cluster, kind=model.cluster_kind)
    return fit if model.scale == "" or model.scale == "any" else fit.on_scale(model.scale)


def _fitted(table: Comparisons | Respondents, model: ModelClaim) -> Fit:
    if not model.family:
        raise InputError("the claim does not name the family of its model")
    if isinstance(table, Comparisons):
        from ...native.comparisons.contests.bradley_terry import FITTERS

        fit: Fit = FITTERS[model.family](table, **model.asked, **model.of_contests)
        return fit
    from ...native.answers.pattern_models import fit_pattern
    from ...native.answers.plackett_luce import fit_plackett_luce

    fitted: Fit = (fit_pattern if model.family == "pattern" else fit_plackett_luce)(table, **model.asked)
    return fitted


def _as_board(fit: Fit, model: ModelClaim) -> Fit:
    """On a board a vote without a cluster is one of its own."""
    if model.cluster:
        return fit.clustered(*model.cluster, kind=model.cluster_kind, missing="own")
    return fit.clustered() if model.by_vote else fit
