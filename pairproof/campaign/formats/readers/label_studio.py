"""Label Studio's exports of answered tasks, as JSON, JSON-MIN or CSV.

A task holds the HIT as `data` (the keys of a batch: `campaign, batch, hit, id1, sent1, ...`) and its
annotations; the controls of the labeling configuration are called `range1 ...` (Number, or Rating) and
`na1 ...` (Choices).  An annotation is one judgment: AssignmentId `ls:PROJECT:ANNOTATION`, WorkerId the
annotator, SubmitTime when it was created.  Cancelled annotations (skipped tasks) are left out and counted;
predictions of a model are no judgments.  CSV and JSON-MIN do not hold the project, nor CSV and JSON-MIN of
older versions whether an annotation was cancelled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....data.reading.table import Table
from ....errors import InputError
from ....text import quoted
from ..places import places_of
from ..strict_json import kind_of, member, of_kind, parsed

#: Columns of a CSV export that are neither data of the task nor answers.
OWN_COLUMNS = (
    "agreement", "annotation_id", "annotator", "created_at", "id", "lead_time", "updated_at", "was_cancelled"
)  # fmt: skip
_Scale = tuple[float, float]


@dataclass(frozen=True)
class Annotation:
    """One annotation under the column names of a results file.

    where: for messages.
    """

    where: str
    cells: Mapping[str, str]


@dataclass(frozen=True)
class Exported:
    """The annotations of an export.

    cancelled: annotations left out because they were cancelled.  predictions: predictions of a model, which
    are no judgments.
    """

    annotations: tuple[Annotation, ...]
    cancelled: int
    predictions: int = 0


def from_tasks(document: Any, source: str, scale: _Scale | None = None) -> Exported:
    """The annotations of a JSON export, a list of tasks.

    document: the parsed file.  scale: lowest and highest value of a rating; needed where the configuration
    has one instead of a number.
    """
    found: list[Annotation] = []
    cancelled = predictions = 0
    for t, task in enumerate(of_kind(document, list, source, "the document"), 1):
        where = f"{source}, task {t}"
        task = of_kind(task, dict, where, "it")
        inputs = _inputs(member(task, "data", dict, where), where)
        project = member(task, "project", (int, str, type(None)), where, None)
        predictions += len(member(task, "predictions", list, where, []))
        for a, annotation in enumerate(member(task, "annotations", list, where), 1):
            place = f"{where}, annotation {a}"
            annotation = of_kind(annotation, dict, place, "it")
            if member(annotation, "was_cancelled", (bool, type(None)), place, False):
                cancelled += 1
                continue
            answers = _answers(member(annotation, "result", list, place), place, scale)
            signed = _signature(annotation, "" if project is None else str(project), place)
            found.append(Annotation(place, {**inputs, **answers, **signed}))
    return Exported(tuple(found), cancelled, predictions)


def _inputs(data: Mapping[str, Any], where: str) -> dict[str, str]:
    plain = {name: v for name, v in data.items() if isinstance(v, (str, int, float)) or v is None}
    return {f"Input.{name}": "" if v is None else str(v) for name, v in plain.items()}


def _signature(annotation: Mapping[str, Any], project: str, where: str) -> dict[str, str]:
    number = member(annotation, "id", (int, str), where)
    who = member(annotation, "completed_by", (int, str, dict, type(None)), where, None)
    if isinstance(who, dict):
        # The CSV export names annotators by their address too.
        who = who.get("email") or who.get("id")
    seconds = member(annotation, "lead_time", (int, float, type(None)), where, None)
    times = {
        "SubmitTime": member(annotation, "created_at", (str, type(None)), where, None),
        "UpdateTime": member(annotation, "updated_at", (str, type(None)), where, None),
        "WorkTimeInSeconds": None if seconds is None else repr(seconds),
    }
    named = {"AssignmentId": f"ls:{project}:{number}", "WorkerId": "" if who is None else str(who)}
    return {**named, **{name: text for name, text in times.items() if text}}


def _answers(result: list[Any], where: str, scale: _Scale | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for region in result:
        region = of_kind(region, dict, where, "an entry of 'result'")
        control = member(region, "from_name", str, where)
        if not _is_ours(control):
            continue
        name, kind = f"Answer.{control}", member(region, "type", str, where).casefold()
        if name in found:
            raise InputError(f"{where}: {quoted(control)} is answered twice; expected one answer")
        value = member(member(region, "value", dict, where), kind, (int, float, list), where)
        found[name] = _cell(kind, value, f"{where}, {quoted(control)}", scale)
    return found


def _is_ours(control: str) -> bool:
    """Whether a control of the configuration is the score, or the mark 'cannot judge', of a slot."""
    stem = control.rstrip("0123456789")
    return stem in ("range", "na") and stem != control


def _cell(kind: str, value: Any, where: str, scale: _Scale | None) -> str:
    if kind == "number" and not isinstance(value, list):
        return repr(value)
    if kind == "choices" and isinstance(value, list):
        return "on" if value else ""
    if kind == "rating" and not isinstance(value, list):
        return _rescaled(value, where, scale)
    raise InputError(
        f"{where}: {kind_of(value)} as answer of a control of type {quoted(kind)}; expected type number (0 to"
        " 100), rating, or choices for 'cannot judge'"
    )


def _rescaled(value: float, where: str, scale: _Scale | None) -> str:
    if scale is None:
        raise InputError(f"{where}: a rating of {value:g}; say its scale, for example --scale 1 5")
    low, high = scale
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"scale {low:g} to {high:g}: expected two numbers, the lower one first")
    if not low <= value <= high:
        raise InputError(f"{where}: a rating of {value:g} is outside the scale {low:g} to {high:g}")
    return repr(100.0 * (value - low) / (high - low))


# -- CSV and JSON-MIN ----------------------------------------------------------------------------------------


def from_rows(rows: Iterator[tuple[str, Mapping[str, Any]]], scale: _Scale | None = None) -> Exported:
    """The annotations of a CSV or JSON-MIN export, in which a row is an annotation.

    rows: the place of each row, and its cells by column.
    """
    found: list[Annotation] = []
    cancelled = 0
    for where, row in rows:
        own = {name: row.get(name) for name in OWN_COLUMNS}
        if str(own["was_cancelled"] or "").casefold() in ("true", "1", "yes"):
            cancelled += 1
            continue
        if own["annotation_id"] in (None, ""):
            raise InputError(f"{where}: no annotation_id; expected one row an annotation")
        cells = {"AssignmentId": f"ls::{own['annotation_id']}", "WorkerId": _plain(own["annotator"])}
        named = (
            ("SubmitTime", "created_at"), ("UpdateTime", "updated_at"), ("WorkTimeInSeconds", "lead_time")
        )  # fmt: skip
        cells.update({ours: _plain(own[theirs]) for ours, theirs in named})
        for name, value in row.items():
            if _is_ours(name):
                cells[f"Answer.{name}"] = _flat(name, value, f"{where}, column {name!r}", scale)
            elif name not in OWN_COLUMNS:
                cells[f"Input.{name}"] = _plain(value)
        found.append(Annotation(where, cells))
    return Exported(tuple(found), cancelled)


def table_rows(table: Table) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of a CSV export, with their places."""
    names = list(table.columns)
    for place, *row in zip(places_of(table), *(table.columns[name] for name in names)):
        yield place, dict(zip(names, map(str, row)))


def object_rows(document: list[Any], source: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a JSON-MIN export, with their places."""
    for k, record in enumerate(document, 1):
        yield f"{source}, record {k}", of_kind(record, dict, f"{source}, record {k}", "it")


def _plain(value: Any) -> str:
    return "" if value is None or isinstance(value, (dict, list)) else str(value)


def _flat(name: str, value: Any, where: str, scale: _Scale | None) -> str:
    """An answer in one cell: 73, `[{"number": 73}]`, `[{"rating": 4}]`, or the chosen words."""
    if name.startswith("na"):
        words = _plain(value) if not isinstance(value, (dict, list)) else "on" if value else ""
        return "on" if words.strip() not in ("", "[]") else ""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        value = parsed(value, where)
    entries = value if isinstance(value, list) else [value]
    if len(entries) > 1:
        raise InputError(f"{where}: {len(entries)} answers; expected one")
    entry = entries[0] if entries else None
    if isinstance(entry, dict):
        kind = next((k for k in ("number", "rating") if k in entry), None)
        if kind is None:
            raise InputError(f'{where}: found {quoted(entry)}; expected a number, as {{"number": 73}}')
        return _cell(kind, of_kind(entry[kind], (int, float), where, kind), where, scale)
    text = "" if entry is None else str(entry)
    if scale is None or not text:
        return text
    try:
        rating = float(text)
    except ValueError:
        raise InputError(f"{where}: {text!r} is not a number; expected a rating") from None
    return _rescaled(rating, where, scale)
