"""The page of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def page(document: dict[str, Any]) -> str:
    """Markdown: a table of each group of cases, and what was aimed at."""
    load = document["load"]
    versions = ", ".join(f"{who} {version}" for who, version in document["versions"].items()) or "no R"
    lines = [
        "# Models of whole answers",
        "",
        f"Python {document['python']}, numpy {document['numpy']}; {versions}. Load {load[0]:.1f} of"
        f" {document['cores']} cores at the start, {load[1]:.1f} at the end; {document['rounds']} rounds. CPU seconds of one fit with"
        " standard errors, one thread, medians; ours by the public function, from a table of respondents to a fit.",
        "",
        f"An R fit that takes more than {document['once_above']:g} s is made once; one that takes more than {document['cap']:g} s of"
        f" CPU time, or {document['memory_gb']:g} GB, is stopped, and that is said.",
    ]
    for group in dict.fromkeys(row["group"] for row in document["rows"]):
        lines += ["", f"## {group}", "", *_table([r for r in document["rows"] if r["group"] == group])]
    lines += ["", "## Aimed at", "", *_aims(document["rows"])]
    return "\n".join([*lines, ""])


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield "| case | persons | parameters | pairproof, s | R, s | times | log-likelihood above R's | estimates differ by |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for r in rows:
        begin = f"| {r['name']} | {r['persons']:,} | {r['parameters']} | {_seconds(r['seconds'])} |"
        if r["r_seconds"] is None:
            yield f"{begin} {r['trouble'] or '-'} | | | |"
        else:
            same = " | ".join(
                "-" if r[key] is None else f"{r[key]:.1e}" for key in ("llf_above", "difference")
            )
            yield f"{begin} {_seconds(r['r_seconds'])} | {r['ratio']:,.0f} | {same} |"


def _seconds(value: float) -> str:
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}"


def _aims(rows: list[dict[str, Any]]) -> Iterator[str]:
    for r in rows:
        what = f"{r['group']}, {r['name']}"
        if r["times_faster"] is not None:
            found = "not measured" if r["ratio"] is None else f"{r['ratio']:,.0f} times"
            kept = "" if r["ratio"] is None else _kept(r["ratio"] >= r["times_faster"])
            yield f"- {what}: {r['times_faster']:g} times faster than {r['who']}; found {found}{kept}"
        if r["aimed_seconds"] is not None:
            yield (
                f"- {what}: under {r['aimed_seconds']:g} s; found {_seconds(r['seconds'])}"
                f" s{_kept(r['seconds'] < r['aimed_seconds'])}"
            )


def _kept(kept: bool) -> str:
    return "; kept" if kept else "; NOT KEPT"
