"""Tasks for Label Studio, a HIT each, and the labeling configuration that shows them.

A task's data are the keys of a batch.  Label Studio shows a task's data to everybody who works on the project,
so ids are the opaque ones of the annotation page (`h3s1` is slot 1 of HIT 3) and no column is written that
annotators may not see.  A configuration has a fixed number of items, so every HIT must be of full size.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from ....errors import InputError
from ...page.texts import Texts
from ...page.words import ENGLISH
from .sheet import Sheet, check_variables


def tasks_json(sheet: Sheet) -> str:
    """A batch as a JSON list of tasks."""
    tasks = []
    for (batch, number), hit in zip(sheet.places, sheet.hits):
        if len(hit) != sheet.per_hit:
            raise InputError(
                f"HIT {number} of batch {batch} has {len(hit)} items, but Label Studio's configuration shows"
                f" {sheet.per_hit}; write this batch as a page or for Mechanical Turk"
            )
        slots = {
            f"{name}{k}": text
            for k, (_, fields) in enumerate(hit, 1)
            for name, text in (("id", f"h{number}s{k}"), *zip(sheet.show, fields))
        }
        tasks.append({"data": {"campaign": sheet.campaign, "batch": batch, "hit": number, **slots}})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def config_xml(per_hit: int, show: Sequence[str], texts: Texts = Texts()) -> str:
    """The labeling configuration for such tasks.

    show: the column of the items' text, then those shown beside it.  texts: question, instructions, anchors
    and examples.
    """
    check_variables(show)
    words = {**ENGLISH, **texts.words}
    lines = ["<View>", f"  <Header value={_value(texts.question or words['ask'])}/>"]
    more = [texts.instructions] if texts.instructions else []
    more += ["; ".join(f"{score:g} = {label}" for score, label in texts.anchors)] if texts.anchors else []
    for example in texts.examples:
        score = words["example_score"].replace("{score}", f"{example.score:g}")
        more.append(f"{example.text} \u2192 {score}" + (f": {example.why}" if example.why else ""))
    lines += [f'  <Header size="5" value={_value(text)}/>' for text in more]
    for k in range(1, per_hit + 1):
        lines.append("  <View>")
        for p, name in enumerate(show):
            lines.append(f'    <Text name="t{k}{f"_{p + 1}" if p else ""}" value="${name}{k}"/>')
        lines += [
            f'    <Number name="range{k}" toName="t{k}" min="0" max="100" step="1" slider="true"/>',
            f'    <Choices name="na{k}" toName="t{k}"><Choice value={_value(words["cannot"])}/></Choices>',
            "  </View>",
        ]
    return "\n".join([*lines, "</View>"]) + "\n"


def _value(text: str) -> str:
    """An attribute.  One that begins with $ would name a variable, and Label Studio knows no escape for that; a
    space of no width before it is not seen.
    """
    return quoteattr(f"\u200b{text}" if text.startswith("$") else text, {"\n": "&#10;"})
