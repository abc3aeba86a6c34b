"""Tasks for Label Studio, a HIT each, and the labeling configuration that shows them.

A task's data are the keys of a batch.  Label Studio shows a task's data to everybody who works on the project,
so ids are the opaque ones of the annotation page (`h3s1` is slot 1 of HIT 3) and no column is written that
annotators may not see.  A configuration has a fixed number of items, so every HIT must be of full size.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from ....errors import InputError
from ...hits.chosen import Batch
from .mturk_cells import shown_places
from .mturk_layout import Wording

#: Label Studio replaces $name in an attribute by the task's data.
_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: Names that belong to the controls of the configuration.
_CONTROLS = ("range", "na", "id")


def tasks_json(batch: Batch, show: Sequence[str]) -> str:
    """The batch as a JSON list of tasks.

    Parameters
    ----------
    batch : Batch
    show : sequence of str
        Columns that annotators may see.

    Raises
    ------
    InputError
        The batch has no such column, a column has the name of a control, or a HIT has fewer items than the
        others.
    """
    place = shown_places(batch, show)
    _check_names(show)
    tasks = []
    for h, hit in enumerate(batch.hits, 1):
        if len(hit) != batch.per_hit:
            raise InputError(
                f"HIT {h} of batch {batch.number} has {len(hit)} items, but Label Studio's configuration shows"
                f" {batch.per_hit}; write this batch as a page or for Mechanical Turk"
            )
        data = {"campaign": batch.campaign, "batch": batch.number, "hit": h}
        slots = {
            f"{name}{k}": text
            for k, (_, fields) in enumerate(hit, 1)
            for name, text in (("id", f"h{h}s{k}"), *((show[p], fields[c]) for p, c in enumerate(place)))
        }
        tasks.append({"data": {**data, **slots}})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def config_xml(per_hit: int, show: Sequence[str], wording: Wording = Wording()) -> str:
    """The labeling configuration for such tasks.

    Raises
    ------
    InputError
        A column's name cannot be a variable, or is that of a control.
    """
    _check_names(show)
    lines = ["<View>", f"  <Header value={_value(wording.question)}/>"]
    if wording.instructions:
        lines.append(f'  <Header size="5" value={_value(wording.instructions)}/>')
    if wording.anchors:
        marks = "; ".join(f"{score:g} = {words}" for score, words in sorted(wording.anchors.items()))
        lines.append(f'  <Header size="5" value={_value(marks)}/>')
    for k in range(1, per_hit + 1):
        texts = [
            f'<Text name="t{k}{"" if p == 0 else f"_{p + 1}"}" value="${name}{k}"/>'
            for p, name in enumerate(show)
        ]
        lines += ["  <View>", *(f"    {text}" for text in texts)]
        lines.append(f'    <Number name="range{k}" toName="t{k}" min="0" max="100" step="1" slider="true"/>')
        lines.append(f'    <Choices name="na{k}" toName="t{k}"><Choice value="cannot judge"/></Choices>')
        lines.append("  </View>")
    return "\n".join([*lines, "</View>"]) + "\n"


def _value(text: str) -> str:
    """An attribute in which no word is taken for a variable: Label Studio knows no escape for a first $."""
    return quoteattr(f"\u200b{text}" if text.startswith("$") else text, {"\n": "&#10;"})


def _check_names(show: Sequence[str]) -> None:
    for name in show:
        if not _VARIABLE.fullmatch(name):
            raise InputError(
                f"column {name!r}: Label Studio's variables consist of letters, digits and _, and begin with a"
                " letter; rename the column in the items file"
            )
        if name in _CONTROLS:
            raise InputError(
                f"column {name!r}: the controls range1, na1 and the key id1 have this name; rename the column"
                " in the items file"
            )
