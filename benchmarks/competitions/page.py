"""A run of competitions.py as a page, and its promises held against its numbers."""

from __future__ import annotations

from typing import Any

from ..harness.report import seconds, table, times

#: CPU seconds of the public Python implementation for 200 iterations on 10,000 comparisons: measured
#: elsewhere, not run here.
PUBLIC = 23.8
#: As often as the public implementation's speed.
FASTER = 200.0
#: "About 0.1 s" is what rounds to it.
ABOUT = 0.15
#: "Milliseconds", in seconds: the mode; 200 iterations of the collapsed sampler.
MODE, COLLAPSED = 0.010, 0.100
#: A comparison may cost so many times as much in the largest table as in the smallest: arrays outgrow the
#: caches.
LINEAR_CPU = 2.0
#: Of bytes a comparison.
LINEAR_MEMORY = 1.25

WORD = {True: "kept", False: "**NOT KEPT**", None: "not measured"}
Promise = dict[str, Any]


def promises(document: dict[str, Any]) -> list[Promise]:
    """What was promised, what was found, and whether it was kept; None where nothing could be said."""
    gaussian, _, fresh, _ = document["jobs"]
    shared, by_jags = gaussian["rows"][0]["cpu"], agreement(document, gaussian["title"])
    collapsed, mode = fresh["rows"][0]["cpu"], fresh["rows"][2]["cpu"]
    n, k = f"{document['data']['comparisons']:,}", document["iterations"]
    out = [
        promise(
            f"{k} iterations on {n} comparisons, shared items: about 0.1 s of CPU (less than {ABOUT:g} s)",
            seconds(shared),
            shared < ABOUT,
            by_jags,
        ),
        promise(
            (
                f"{FASTER:g} times as fast as the public Python implementation ({PUBLIC} s, measured"
                " elsewhere, not run here)"
            ),
            times(PUBLIC / shared),
            PUBLIC / shared >= FASTER,
            by_jags,
        ),
        promise(
            f"fresh items, mode with Laplace intervals: milliseconds (less than {MODE * 1e3:g})",
            seconds(mode),
            mode < MODE,
            document["laplace"]["agrees"],
        ),
        promise(
            (
                f"fresh items, {k} iterations of the collapsed sampler: milliseconds (less than"
                f" {COLLAPSED * 1e3:g})"
            ),
            seconds(collapsed),
            collapsed < COLLAPSED,
            agreement(document, fresh["title"]),
        ),
    ]
    for job in document["jobs"]:
        agrees = agreement(document, job["title"])
        other = ", ".join(c["with"] for c in document["checks"] if c["job"] == job["title"])
        found = {True: "they agree", False: "they differ", None: "nothing to hold it against was here"}[
            agrees
        ]
        out.append(
            {
                "promise": f"{job['title']}: {job['rows'][0]['name']}, agrees with {other}",
                "found": found,
                "kept": agrees,
            }
        )
    small, large = document["scaling"][0], document["scaling"][-1]
    cpu, memory = (
        large[key] / large["comparisons"] / (small[key] / small["comparisons"])
        for key in ("iteration", "peak")
    )
    sizes = f"{small['comparisons']:,} to {large['comparisons']:,} comparisons"
    out.append(
        promise(
            f"cost linear, {sizes}: a comparison costs at most {LINEAR_CPU:g} times as much",
            f"{cpu:.2f} times",
            cpu <= LINEAR_CPU,
        )
    )
    out.append(
        promise(
            f"memory linear, {sizes}: at most {LINEAR_MEMORY:g} times the bytes a comparison",
            f"{memory:.2f} times",
            memory <= LINEAR_MEMORY,
        )
    )
    return out


def promise(what: str, found: str, kept: bool, right: bool | None = True) -> Promise:
    """A wrong answer keeps no promise of speed; where there was nothing to hold it against, the promise says
    so.
    """
    note = {
        True: "",
        False: " (does not count: the answers differ)",
        None: " (not held against a peer in this run)",
    }[right]
    return {"promise": what, "found": found + note, "kept": bool(kept and right is not False)}


def agreement(document: dict[str, Any], title: str) -> bool | None:
    """Whether a job's first agrees with all that were here; None if none was."""
    found = [c["agrees"] for c in document["checks"] if c["job"] == title and c["agrees"] is not None]
    return all(found) if found else None


def page(document: dict[str, Any]) -> str:
    data = document["data"]
    lines = [
        "# Translation competitions: the samplers",
        "",
        "How to read this: [README](../README.md).",
        "",
        *table(["", ""], [list(x) for x in document["about"].items()]),
    ]
    if document["tiny"]:
        lines += ["", "**Tiny data: this shows that everything runs, the numbers mean nothing.**"]
    else:
        lines += [
            "",
            "## Promises",
            "",
            *table(
                ["promise", "found", ""],
                [[p["promise"], p["found"], WORD[p["kept"]]] for p in document["promises"]],
            ),
        ]
    lines += [
        "",
        f"## {document['iterations']} iterations, and what draws are worth",
        "",
        (
            f"{data['systems']} systems, {data['segments']:,} segments, {data['comparisons']:,} comparisons,"
            f" {data['ties']:.1%} of them ties."
        ),
    ]
    for job in document["jobs"]:
        lines += ["", f"### {job['title']}", "", *job_table(job)]
    lines += [
        "",
        "## Do they agree?",
        "",
        *check_table(document["checks"]),
        "",
        laplace_line(document["laplace"]),
    ]
    lines += ["", "## As the table grows: shared items by Gibbs", "", *scaling_table(document["scaling"]), ""]
    return "\n".join(lines)


def job_table(job: dict[str, Any]) -> list[str]:
    head = [
        "",
        "set-up",
        "CPU",
        "times ours",
        "rounds",
        "long run",
        "R-hat",
        "effective",
        "a CPU second",
        "ours, times as many",
    ]
    rate = job["rows"][0]["long"]["rate"]
    return table(head, [row_cells(row, first=k == 0, rate=rate) for k, row in enumerate(job["rows"])])


def row_cells(row: dict[str, Any], first: bool, rate: float) -> list[str]:
    if row["trouble"]:
        return [row["name"], row["trouble"], *[""] * 8]
    cells = [
        row["name"],
        "counted" if row["set_up"] is None else seconds(row["set_up"]),
        seconds(row["cpu"]),
        "1" if first else times(row["times"]),
        str(len(row["samples"])),
    ]
    long = row.get("long")
    if long is None:
        return [*cells, "no draws", "", "", "", ""]
    return [
        *cells,
        f"{long['chains']} x {long['draws']:,}",
        f"{long['rhat']:.3f}",
        f"{long['ess']:,.0f}",
        f"{long['rate']:,.0f}" if long["rate"] >= 100 else f"{long['rate']:.3g}",
        "1" if first else times(rate / long["rate"]),
    ]


def check_table(checks: list[dict[str, Any]]) -> list[str]:
    head = [
        "model",
        "",
        "with",
        "means, largest abs(z)",
        "sds, largest abs(z)",
        "allowed",
        "a mean off by, would be seen",
        "an sd off by",
        "",
    ]
    rows = []
    for c in checks:
        cells = [c["job"], c["what"], c["with"]]
        if c["agrees"] is None:
            rows.append([*cells, c["trouble"], "", "", "", "", "not measured"])
        else:
            rows.append(
                [
                    *cells,
                    f"{c['z']:.2f}",
                    f"{c['sd_z']:.2f}",
                    f"{c['limit']:.2f}",
                    f"{c['visible']:.2f} sd",
                    f"{c['sd_visible']:.0%}",
                    "agree" if c["agrees"] else "**DIFFER**",
                ]
            )
    return table(head, rows)


def laplace_line(found: dict[str, Any]) -> str:
    return (
        f"Laplace beside the collapsed sampler's draws: mode and mean at most {found['off']:.3f} posterior sd"
        f" apart (Monte Carlo standard error {found['off_error']:.3f}), sds at most"
        f" {found['apart']:.1%} (Monte Carlo standard error {found['apart_error']:.1%}):"
        f" {'near enough' if found['agrees'] else '**NOT NEAR ENOUGH**'}."
    )


def scaling_table(rows: list[dict[str, Any]]) -> list[str]:
    head = [
        "comparisons",
        "set-up",
        "CPU an iteration",
        "a comparison",
        "iterations",
        "memory added at the peak",
        "a comparison",
    ]
    return table(
        head,
        [
            [
                f"{r['comparisons']:,}",
                seconds(r["set_up"]),
                seconds(r["iteration"]),
                f"{r['iteration'] / r['comparisons'] * 1e9:.1f} ns",
                str(r["iterations"]),
                f"{r['peak'] / 1e6:,.1f} MB",
                f"{r['peak'] / r['comparisons']:,.0f} bytes",
            ]
            for r in rows
        ],
    )
