"""Answers of Mechanical Turk's crowd forms: one column `Answer.taskAnswers` that holds JSON.

A layout with `<crowd-form>` returns all answers of an assignment as one JSON text,
`[{"range1":73,"na2":{"on":true}}]`: a list of one object for each form, a crowd slider as a number (or the
number as text) and a checkbox as an object with the member `on`.  Other elements nest in the same way, for
example a radio group as `{"very easy": true, "easy": false}`.  Exports of other layouts name the members of
such an object in the columns, `Answer.na2.on`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....errors import InputError
from ....text import quoted
from ..strict_json import kind_of, of_kind, parsed

COLUMN = "Answer.taskAnswers"


def answer_columns(
    source: str, places: Sequence[str], columns: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """The columns of a results file, with the answers inside `Answer.taskAnswers` as columns of their own.

    source: the file.  places: where each row stands, for messages.  columns: column -> its cells.  Returns
    dict of str to list of str: `Answer.range1`, `Answer.na1`, ...; a checkbox is "on" or "".
    """
    found = {name: list(cells) for name, cells in columns.items()}
    for name in [n for n in found if n.startswith("Answer.") and n.endswith(".on")]:
        _put(found, name[: -len(".on")], found.pop(name), source)
    if COLUMN not in found:
        return found
    answers = [
        _answers(cell, f"{place}, column {COLUMN!r}") for place, cell in zip(places, found.pop(COLUMN))
    ]
    for name in dict.fromkeys(name for row in answers for name in row):
        _put(found, f"Answer.{name}", [row.get(name, "") for row in answers], source)
    return found


def _put(found: dict[str, list[str]], name: str, cells: list[str], source: str) -> None:
    if name in found:
        raise InputError(f"{source}: {name!r} stands in two columns; expected one answer, so remove one")
    found[name] = cells


def _answers(cell: str, where: str) -> dict[str, str]:
    """The answers of one assignment; a blank cell has none."""
    if not cell.strip():
        return {}
    forms = of_kind(parsed(cell, where), list, where, "the JSON")
    found: dict[str, str] = {}
    for form in forms:
        for name, value in of_kind(form, dict, where, "a form").items():
            if name in found:
                raise InputError(f"{where}: {quoted(name)} is answered in two forms; expected one answer")
            found[name] = _text(value, f"{where}, {quoted(name)}")
    return found


def _text(value: Any, where: str) -> str:
    if value is None or value is False:
        return ""
    if value is True:
        return "on"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        if set(value) == {"on"}:
            return _text(of_kind(value["on"], bool, where, "'on'"), where)
        chosen = [str(name) for name, on in value.items() if on is True]
        return chosen[0] if len(chosen) == 1 else ""
    raise InputError(f"{where}: {kind_of(value)}; expected a number, a text or an object")
