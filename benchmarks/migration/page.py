"""The page of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def page(document: dict[str, Any]) -> str:
    """Markdown: a row a script."""
    load = document["load"]
    head = (
        f"Python {document['python']}, R {document['r']}. Load {load[0]:.1f} of {document['cores']} cores at the start,"
        f" {load[1]:.1f} at the end; {document['rounds']} rounds. Seconds of elapsed time, medians; times: of R alone, the"
        " median of the ratio within a round."
    )
    notes = (
        "R alone is `Rscript` on the script. Recorded: the same run with its calls recorded, the script's copy and R's"
        " parser not counted. Migrate: `pairproof.migrate(check=True)`, that run, its translation, all fits in Python and"
        " all comparisons. Python: the script that was written, in a fresh process, Python's start and imports included."
        " Of a place in a script 200 calls are recorded; the rest is counted."
    )
    return "\n".join(["# Migrating R scripts", "", head, "", notes, "", *_table(document["rows"]), ""])


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield "| script | calls | fits in Python | numbers compared | R alone, s | recorded, s | times | migrate, s | times | Python, s | times |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for r in rows:
        s, t = r["seconds"], r["times"]
        fits = f"{r['fits']}" + (f" ({r['bridge']} through R)" if r["bridge"] else "")
        yield (
            f"| {r['name']} | {r['calls']} | {fits} | {r['numbers']:,} | {s['r']:.2f} |"
            f" {s['recorded']:.2f} | {t['recorded']:.2f} | {s['migrate']:.2f} | {t['migrate']:.2f} |"
            f" {s['python']:.2f} | {t['python']:.2f} |"
        )
