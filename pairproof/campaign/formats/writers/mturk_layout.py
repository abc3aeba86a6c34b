"""The layout of a HIT for Mechanical Turk: HTML with a slider and a "cannot judge" box for every item.

Its variables `${sent1}` are the columns of the batch file that :mod:`.mturk_cells` writes.  A slider shows no
knob until it is touched, and the hidden field `touched1` becomes 1 then; without a script it stays 0, and the
results reader takes the score for no answer.  Everything that a team wrote (question, instructions, anchors) is
escaped: it can hold no markup and no variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

from ...page.texts import Texts
from ...page.words import ENGLISH
from .mturk_cells import cell
from .sheet import check_variables


def layout(per_hit: int, show: Sequence[str], texts: Texts = Texts()) -> str:
    """The layout's HTML.

    show: the column of the items' text, then those shown beside it, as in the batch file.  texts: question,
    instructions, anchors, examples, and the page's words in the annotators' language.
    """
    check_variables(show)
    words = {**ENGLISH, **texts.words}
    items = "\n".join(_item(k, per_hit, show, texts, words) for k in range(1, per_hit + 1))
    page = resources.files(__package__).joinpath("layout_files").joinpath("layout.html")
    before, _, rest = page.read_text(encoding="utf-8").partition("/*HEAD*/")
    between, _, after = rest.partition("/*ITEMS*/")
    return before + _head(texts, words) + between + items + after


def _head(texts: Texts, words: Mapping[str, str]) -> str:
    own = f'lang="{cell(texts.lang or "en")}" dir="{"rtl" if texts.dir == "rtl" else "ltr"}"'
    lines = [f"<div {own} data-open=\"{cell(words['open_item'])}\" id=\"pairproof-words\">"]
    lines.append(f"<h1>{cell(texts.question or words['ask'])}</h1>")
    if texts.instructions:
        lines.append(f'<p class="text">{cell(texts.instructions)}</p>')
    if texts.examples:
        lines.append(f"<h2>{cell(words['examples'])}</h2>")
    for example in texts.examples:
        score = cell(words["example_score"].replace("{score}", f"{example.score:g}"))
        why = f": {cell(example.why)}" if example.why else ""
        lines.append(f'<p class="text" dir="auto">{cell(example.text)}<br><small>{score}{why}</small></p>')
    return "\n".join([*lines, "</div>"])


def _anchors(texts: Texts) -> str:
    start, end, shift = ("right", "left", "50%") if texts.dir == "rtl" else ("left", "right", "-50%")
    marks = []
    for score, label in texts.anchors:
        # At the ends of the line a label that is centred would stand out of it.
        place = f"{end}: 0" if score == 100 else f"{start}: {score:g}%"
        within = f"; transform: translateX({shift}); text-align: center" if 0 < score < 100 else ""
        marks.append(f'<span style="{place}{within}" dir="auto">{cell(label)}</span>')
    return f'<div class="anchors" lang="{cell(texts.lang or "en")}">{"".join(marks)}</div>\n' if marks else ""


def _item(k: int, per_hit: int, show: Sequence[str], texts: Texts, words: Mapping[str, str]) -> str:
    lines = "".join(f'<p class="text" id="{name}-{k}" dir="auto">${{{name}{k}}}</p>' for name in show)
    described = " ".join(f"{name}-{k}" for name in show)
    name = cell(words["score_name"].replace("{items}", str(per_hit)).replace("{item}", str(k)))
    return (
        f'<fieldset class="untouched" dir="{"rtl" if texts.dir == "rtl" else "ltr"}"><legend>{k}</legend>{lines}\n'
        f'<input type="range" name="range{k}" min="0" max="100" step="1" value="50" aria-label="{name}"'
        f' aria-describedby="{described}">\n{_anchors(texts)}<output></output>\n'
        f'<input type="hidden" name="touched{k}" value="0">\n'
        f'<label><input type="checkbox" name="na{k}"> {cell(words["cannot"])}</label></fieldset>'
    )
