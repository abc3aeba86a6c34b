"""A run as a Markdown page and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from .measure import Outcome, Result, Rules
from .results import WORDS
from .startup import TARGET_SECONDS, Start, import_seconds


@dataclass(frozen=True)
class Run:
    """A whole run; `tiny` if only on the data that show that everything works; `earlier` runs of the same
    jobs, if there were.
    """

    about: dict[str, str]
    rules: Rules
    results: list[Result]
    starts: list[Start]
    tiny: bool = False
    earlier: tuple[list[Result], ...] = ()


@dataclass(frozen=True)
class Verdict:
    """A promise, what was found, and whether it was kept; `kept` is None where nothing could be said."""

    promise: str
    found: str
    kept: bool | None

    @property
    def word(self) -> str:
        return WORDS[self.kept]


def verdicts(result: Result) -> list[Verdict]:
    """On a job's target; a wrong answer keeps no promise."""
    target, ours = result.job.target, result.outcomes[0]
    counts = not result.counts
    because = f" (does not count: {result.counts})" if result.counts else ""
    out = []
    if target.cpu_ms_below is not None:
        out.append(
            Verdict(
                f"{result.job.title}: below {target.cpu_ms_below:g} ms of CPU",
                seconds(ours.median_cpu) + because,
                counts and ours.median_cpu * 1e3 < target.cpu_ms_below,
            )
        )
    peer = next((o for o in result.outcomes if o.name == target.than), None)
    if target.times_faster is not None:
        promise = f"{result.job.title}: {target.times_faster:g} times faster than {target.than}"
        if peer is None or peer.ratio is None:
            out.append(Verdict(promise, peer.trouble if peer else "did not take part", None))
        else:
            out.append(
                Verdict(promise, times(peer.ratio) + because, counts and peer.ratio >= target.times_faster)
            )
    if target.memory_share is not None:
        promise = f"{result.job.title}: 1/{1 / target.memory_share:g} of the memory {target.than} adds"
        if peer is None or peer.memory is None or ours.memory is None:
            out.append(Verdict(promise, "", None))
        else:
            share = peer.memory / max(ours.memory, 0.1)  # less than 0.1 MB cannot be told from none
            out.append(
                Verdict(
                    promise,
                    f"{megabytes(ours.memory)} against {megabytes(peer.memory)}: 1/{share:.0f}",
                    share * target.memory_share >= 1,
                )
            )
    return out


def start_verdict(found: Sequence[Start]) -> Verdict:
    extra = import_seconds(list(found))
    return Verdict(
        f"import pairproof with what a fit needs: less than {TARGET_SECONDS:g} s more than numpy and pandas",
        seconds(extra),
        extra < TARGET_SECONDS,
    )


def said(run: Run) -> list[Verdict]:
    """On every promise, over all runs: kept if each run kept it, and what each found."""
    by_run = [[v for result in results for v in verdicts(result)] for results in (*run.earlier, run.results)]
    out = []
    for each in zip(*by_run):
        kept = None if any(v.kept is None for v in each) else all(v.kept for v in each)
        out.append(Verdict(each[0].promise, "; ".join(v.found for v in each), kept))
    return out + ([start_verdict(run.starts)] if run.starts else [])


def promise_table(
    verdicts_here: Sequence[Verdict], here: str, beside: Mapping[str, Mapping[str, tuple[str, str]]]
) -> list[str]:
    """A row a promise; a column for this run and one for every other that is kept beside it."""
    if not beside:
        return table(["promise", "found", ""], [[v.promise, v.found, v.word] for v in verdicts_here])
    head = ["promise", here, "", *(cell for other in beside for cell in (other, ""))]
    return table(
        head,
        [
            [
                v.promise,
                v.found,
                v.word,
                *(cell for rows in beside.values() for cell in rows.get(v.promise, ("not measured", ""))),
            ]
            for v in verdicts_here
        ],
    )


def markdown(run: Run, beside: Mapping[str, Mapping[str, tuple[str, str]]] = MappingProxyType({})) -> str:
    """The page.

    Parameters
    ----------
    run : Run
    beside : mapping of a run's name to mapping of promise to (found, word)
        Runs with another BLAS, whose answers to the same promises stand beside this one's.
    """
    lines = [
        "# Benchmarks: one run",
        "",
        "How to read this: [README](../README.md).",
        "",
        "## Machine and versions",
        "",
    ]
    lines += table(["", ""], [[k, v or "not here"] for k, v in run.about.items()])
    if run.tiny:
        lines += [
            "",
            "**Tiny data under the jobs' titles: this shows that everything runs, the times mean nothing.**",
        ]
    else:
        n = len(run.earlier) + 1
        each = (
            f"Each of {n} runs in fresh processes has its number; a promise is kept if every run keeps it. "
            if n > 1
            else ""
        )
        links = "".join(
            f" Beside it: {name}, from [{page}]({page})."
            for name, page in ((k, f"{k.split(': ')[0]}.md") for k in beside)
        )
        lines += [
            "",
            "## Promises",
            "",
            f"{each}This run: {blas_of(run)}.{links}",
            "",
            *promise_table(said(run), f"this run: {blas_of(run)}" if beside else "found", beside),
        ]
    for result in run.results:
        lines += ["", f"## {result.job.title}", "", *job_lines(result)]
    if run.starts:
        lines += [
            "",
            "## Starting",
            "",
            *table(
                ["command", "CPU", "wall"],
                [[f"`{s.what}`", seconds(s.cpu), seconds(s.wall)] for s in run.starts],
            ),
        ]
    return "\n".join(lines) + "\n"


def blas_of(run: Run) -> str:
    """The BLAS of this run's processes, as they had loaded it."""
    seen = sorted({o.blas for r in run.results for o in r.outcomes if o.blas})
    return ", ".join(seen) or "BLAS unknown"


def job_lines(result: Result) -> list[str]:
    loaded = sorted({o.blas for o in result.outcomes if o.blas})
    head = ["", "CPU", "times ours", "wall", "n", "estimates", "standard errors", "memory added"]
    rows = [outcome_cells(o, first=k == 0) for k, o in enumerate(result.outcomes)]
    check = f"{result.n_comparisons:,} comparisons, {result.n_parameters:,} parameters."
    if result.distance is not None:
        check += (
            f" The first row is {result.distance:.0e} standard errors from the maximum (likelihood"
            " equations)."
        )
    if len(loaded) > 1:
        check += " BLAS: " + "; ".join(f"{o.name}: {o.blas}" for o in result.outcomes if o.blas) + "."
    elif loaded:
        check += f" BLAS of every process: {loaded[0]}."
    return [
        check + (f" **Does not count: {result.counts}.**" if result.counts else ""),
        "",
        *table(head, rows),
    ]


def outcome_cells(o: Outcome, first: bool) -> list[str]:
    if not o.cpu:
        return [o.name, o.trouble, "", "", "", "", "", ""]
    return [
        o.name,
        seconds(o.median_cpu),
        "1" if first else times(o.ratio),
        seconds(o.median_wall),
        str(len(o.cpu)),
        "" if first else digits(o.digits),
        "" if first else digits(o.se_digits),
        megabytes(o.memory),
    ]


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]


def seconds(value: float) -> str:
    """Three figures, in the unit that suits them."""
    if not math.isfinite(value):
        return ""
    scaled, unit = (value, "s") if value >= 1 else (value * 1e3, "ms")
    return f"{scaled:.3g} {unit}"


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


def digits(value: float | None) -> str:
    return "none given" if value is None else f"{value:.1f} digits"


def megabytes(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f} MB" if value < 100 else f"{value:,.0f} MB"


def as_json(run: Run) -> dict[str, Any]:
    """Everything, every round included; seconds and MB."""
    return {
        "about": run.about,
        "tiny_data": run.tiny,
        "rules": {
            "rounds": run.rules.rounds,
            "cap_seconds": run.rules.cap,
            "once_above_seconds": run.rules.once_above,
        },
        "blas": blas_of(run),
        "promises": [{"promise": v.promise, "found": v.found, "kept": v.kept} for v in said(run)],
        "jobs": [
            {
                "name": r.job.name,
                "title": r.job.title,
                "n_comparisons": r.n_comparisons,
                "n_parameters": r.n_parameters,
                "standard_errors_from_maximum": r.distance,
                "does_not_count": r.counts or None,
                "contenders": [
                    {
                        "name": o.name,
                        "trouble": o.trouble or None,
                        "cpu": o.cpu,
                        "wall": o.wall,
                        "cold_cpu": _number(o.cold),
                        "runs_per_sample": o.loops,
                        "median_cpu": _number(o.median_cpu),
                        "median_wall": _number(o.median_wall),
                        "ratio": o.ratio,
                        "estimate_digits": o.digits,
                        "se_digits": o.se_digits,
                        "memory_mb": o.memory,
                        "blas": o.blas or None,
                    }
                    for o in r.outcomes
                ],
                "run": k + 1,
            }
            for k, results in enumerate((*run.earlier, run.results))
            for r in results
        ],
        "starts": [{"what": s.what, "cpu": s.cpu, "wall": s.wall} for s in run.starts],
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
