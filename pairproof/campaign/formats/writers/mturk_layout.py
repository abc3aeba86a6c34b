"""The layout of a HIT for Mechanical Turk: HTML with a slider and a "cannot judge" box for every item.

Its variables `${sent1}` are the columns of the batch file that :mod:`.mturk_cells` writes.  A slider shows no
knob until it is touched, and the hidden field `touched1` becomes 1 then; without a script it stays 0, and the
results reader takes the score for no answer.  Everything that a team wrote (question, instructions, anchors) is
escaped: it can hold no markup and no variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

from ....errors import InputError
from ..files import BATCH_COLUMNS
from .mturk_cells import cell

#: Names that Mechanical Turk accepts for variables.
_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Wording:
    """The words around the items of a HIT.

    Attributes
    ----------
    question : str
    instructions : str
        Plain text; line breaks are kept.
    anchors : mapping of float to str
        Score (0 to 100) -> what it means.
    lang, dir : str
        Language (BCP 47) and direction ("ltr", "rtl", "auto") of these words.
    """

    question: str = "How good is this text?"
    instructions: str = ""
    anchors: Mapping[float, str] = field(default_factory=dict)
    lang: str = "en"
    dir: str = "auto"


def layout(per_hit: int, show: Sequence[str], wording: Wording = Wording()) -> str:
    """The layout's HTML.

    Parameters
    ----------
    per_hit : int
    show : sequence of str
        Columns that annotators see, as in the batch file.
    wording : Wording

    Raises
    ------
    InputError
        A column's name cannot be a variable, an anchor is outside 0 to 100, or the direction is unknown.
    """
    for name in show:
        if not _VARIABLE.fullmatch(name) or name in BATCH_COLUMNS:
            raise InputError(
                f"column {name!r}: Mechanical Turk's variables consist of letters, digits and _, and begin"
                " with a letter; rename the column in the items file"
            )
    if wording.dir not in ("ltr", "rtl", "auto"):
        raise InputError(f"direction {wording.dir!r}: expected ltr, rtl or auto")
    head = _head(wording)
    items = "\n".join(_item(k, show, wording) for k in range(1, per_hit + 1))
    page = (
        resources.files(__package__).joinpath("layout_files/layout.html").read_text(encoding="utf-8")
    )  # fmt: skip
    before, _, rest = page.partition("/*HEAD*/")
    between, _, after = rest.partition("/*ITEMS*/")
    return before + head + between + items + after


def _attributes(wording: Wording) -> str:
    return f'lang="{cell(wording.lang)}" dir="{wording.dir}"'


def _head(wording: Wording) -> str:
    lines = [f"<h1 {_attributes(wording)}>{cell(wording.question)}</h1>"]
    if wording.instructions:
        lines.append(f'<p class="text" {_attributes(wording)}>{cell(wording.instructions)}</p>')
    return "\n".join(lines)


def _anchors(wording: Wording) -> str:
    marks = []
    for score, words in sorted(wording.anchors.items()):
        if not 0 <= score <= 100:
            raise InputError(f"anchor {score:g}: expected a score from 0 to 100")
        place = ' class="first"' if score == 0 else ' class="last"' if score == 100 else ""
        marks.append(
            f'<span{place} style="inset-inline-start: {score:g}%" {_attributes(wording)}>{cell(words)}</span>'
        )
    return f'<div class="anchors">{"".join(marks)}</div>' if marks else ""


def _item(k: int, show: Sequence[str], wording: Wording) -> str:
    texts = "".join(f'<p class="text" id="{name}-{k}" dir="auto">${{{name}{k}}}</p>' for name in show)
    described = " ".join(f"{name}-{k}" for name in show)
    return (
        f"<fieldset><legend>{k}</legend>{texts}\n"
        f'<input type="range" name="range{k}" min="0" max="100" step="1" value="50" aria-label="score of item {k}"'
        f' aria-describedby="{described}"> <output></output>\n'
        f"{_anchors(wording)}"
        f'<input type="hidden" name="touched{k}" value="0">\n'
        f'<label><input type="checkbox" name="na{k}"> cannot judge</label></fieldset>'
    )
