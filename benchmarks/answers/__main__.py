"""Models of whole answers beside R's prefmod and PlackettLuce: the same data, the same model, one run.

    python -m benchmarks.answers [--tiny] [--rounds 3] [--out FOLDER] [--cap 60] [--memory 4] [--only WORDS]

CPU seconds of one fit with standard errors, one thread, taken by the process that fits; cases in shuffled order, medians
over rounds.  Ours are the public functions, from a table of respondents to a fit.  The log-likelihoods and estimates stand
beside the times: who stops early is not fast.  The last run is results/answers.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..harness.results import RESULTS, keep
from .cases import Case, cases
from .page import page
from .r import OfR, fit

#: An R fit that took longer is made once.
ONCE_ABOVE = 3.0


def asked(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tiny", action="store_true", help="does everything run? The numbers mean nothing.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--cap", type=float, default=60.0, help="CPU seconds after which R is stopped")
    parser.add_argument("--memory", type=float, default=4.0, help="GB of address space that R may have")
    parser.add_argument("--only", default="", help="cases whose group and name hold these words")
    return parser.parse_args(arguments)


def own(case: Case, table: Any) -> tuple[float, Any]:
    """(CPU seconds, the fit); standard errors are asked for."""
    begin = time.process_time()
    fitted = case.fit(table)
    assert np.isfinite(fitted.standard_errors[fitted.free]).all()
    return time.process_time() - begin, fitted


def run(case: Case, options: argparse.Namespace, versions: dict[str, str]) -> dict[str, Any]:
    """All rounds of one case."""
    answers = case.data()
    own(case, answers.table)
    ours, theirs = [], []
    for k in range(options.rounds):
        seconds, fitted = own(case, answers.table)
        ours.append(seconds)
        if case.r and (not k or (not theirs[-1].trouble and theirs[-1].seconds < ONCE_ABOVE)):
            theirs.append(fit(case.who, case.r, answers.csv(), options.cap, options.memory))
    found = theirs[0] if theirs else OfR(float("nan"), float("nan"), np.zeros(0), "", "")
    row: dict[str, Any] = {
        "group": case.group,
        "name": case.name,
        "who": case.who,
        "persons": int(answers.table.n_persons),
        "parameters": fitted.rank,
        "seconds": statistics.median(ours),
        "samples": ours,
        "llf": fitted.llf,
        "r_call": case.r,
        "r_samples": [t.seconds for t in theirs if not t.trouble],
        "trouble": found.trouble or ("" if case.r else "not asked: a smaller case is stopped already"),
        "times_faster": case.times_faster,
        "aimed_seconds": case.seconds,
    }
    if found.trouble or not theirs:
        return {**row, "r_seconds": None, "ratio": None, "llf_above": None, "difference": None}
    versions["prefmod" if case.who == "pattnpml.fit" else case.who] = found.version
    r_seconds = statistics.median(t.seconds for t in theirs)
    row |= {
        "r_seconds": r_seconds,
        "ratio": r_seconds / row["seconds"],
        "llf_above": None,
        "difference": None,
    }
    if np.isnan(found.llf):
        return row
    difference = float(np.abs(fitted.beta[fitted.free] - found.estimates).max())
    return {**row, "llf_above": fitted.llf - found.llf, "difference": difference}


def main(arguments: list[str] | None = None) -> int:
    options = asked(arguments)
    chosen = [c for c in cases(options.tiny) if all(w in f"{c.group} {c.name}" for w in options.only.split())]
    load = os.getloadavg()[0]
    rows: dict[int, dict[str, Any]] = {}
    versions: dict[str, str] = {}
    order = list(range(len(chosen)))
    random.Random(1).shuffle(order)
    for n, k in enumerate(order):
        print(f"{n + 1} of {len(order)}: {chosen[k].group}, {chosen[k].name}", file=sys.stderr, flush=True)
        rows[k] = run(chosen[k], options, versions)
    document = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "versions": versions,
        "load": [load, os.getloadavg()[0]],
        "cores": os.cpu_count(),
        "rounds": options.rounds,
        "once_above": ONCE_ABOVE,
        "cap": options.cap,
        "memory_gb": options.memory,
        "tiny": options.tiny,
        "rows": [rows[k] for k in sorted(rows)],
    }
    keep(options.out, "answers", document, page(document))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
