"""The page of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def page(document: dict[str, Any]) -> str:
    """Markdown: a table of each model, and what was aimed at."""
    load = document["load"]
    versions = ", ".join(f"{who} {version}" for who, version in document["versions"].items()) or "no peers"
    lines = [
        "# Models of contests",
        "",
        f"Python {document['python']}, numpy {document['numpy']}; {versions}. Load {load[0]:.1f} of {document['cores']} cores at the"
        f" start, {load[1]:.1f} at the end; {document['rounds']} rounds, one where a fit takes more than 2 s. CPU seconds of one fit,"
        " one thread, medians; ours by `fit_bradley_terry`, from a table of comparisons to a fit with standard errors.",
        "",
        f"R is stopped after {document['cap']:g} s of CPU time, or at {document['memory_gb']:g} GB. glmer is given the differences of"
        " players through lme4's modules, as no formula of it says them, and no standard errors are asked of it.",
    ]
    for group in dict.fromkeys(row["group"] for row in document["rows"]):
        lines += ["", f"## {group}", "", *_table([r for r in document["rows"] if r["group"] == group])]
    return "\n".join([*lines, "", "## Aimed at", "", *_aims(document["rows"]), ""])


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield "| players | contests | parameters | pairproof, s | peer | its s | times | estimates differ by |"
    yield "| ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |"
    for r in rows:
        begin = f"| {r['players']:,} | {r['contests']:,} | {r['parameters']} | {_seconds(r['seconds'])} |"
        if not r["peers"]:
            yield f"{begin} | | | |"
        for p in r["peers"]:
            if p["seconds"] is None:
                yield f"{begin} {p['name']} | {p['trouble']} | | |"
            else:
                yield f"{begin} {p['name']} | {_seconds(p['seconds'])} | {p['ratio']:,.1f} | {p['difference']:.1e} |"


def _seconds(value: float) -> str:
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}"


def _aims(rows: list[dict[str, Any]]) -> Iterator[str]:
    for r in rows:
        if r["aimed_seconds"] is not None:
            kept = "kept" if r["seconds"] < r["aimed_seconds"] else "NOT KEPT"
            yield (
                f"- {r['group']}, {r['players']:,} players, {r['contests']:,} contests: under {r['aimed_seconds']:g} s; found"
                f" {_seconds(r['seconds'])} s; {kept}"
            )
