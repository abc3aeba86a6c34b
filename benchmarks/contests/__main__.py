"""Models of contests beside BradleyTerry2, brglm2, lme4 and statsmodels: the same data, the same model, one run.

    python -m benchmarks.contests [--tiny] [--rounds 3] [--out FOLDER] [--cap 20] [--memory 4] [--only WORDS] [--limit 240]

CPU seconds of one fit with standard errors, one thread, taken by the process that fits; medians over rounds.  Ours are the
public function, from a table of comparisons to a fit.  A peer that was stopped at one size is not asked for a larger one, and
after --limit seconds peers are not asked at all; the page says so.  The last run is results/contests.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..answers import r
from ..harness.results import RESULTS, keep
from .cases import Case, Peer, cases
from .data import Contests
from .page import page

#: A fit that took longer is made once.
ONCE_ABOVE = 2.0
STATSMODELS_LARGEST = 300


def asked(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tiny", action="store_true", help="does everything run? The numbers mean nothing.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--cap", type=float, default=20.0, help="CPU seconds after which R is stopped")
    parser.add_argument("--memory", type=float, default=4.0, help="GB of address space that R may have")
    parser.add_argument("--limit", type=float, default=240.0, help="seconds after which no peer is asked")
    parser.add_argument("--only", default="", help="cases whose group holds these words")
    return parser.parse_args(arguments)


def own(case: Case, table: Any) -> tuple[float, Any]:
    """(CPU seconds, the fit); standard errors are asked for."""
    begin = time.process_time()
    fitted = case.fit(table)
    assert np.isfinite(fitted.standard_errors[fitted.free]).all()
    return time.process_time() - begin, fitted


def of_statsmodels(case: Case, data: Contests) -> r.OfR:
    """The same model as a logistic regression on the differences."""
    try:
        import statsmodels
        import statsmodels.api as sm
    except ImportError:
        return r.none("not here: statsmodels is not installed")
    assert case.design is not None
    design = case.design(data)
    if design.shape[1] > STATSMODELS_LARGEST:
        return r.none(f"not asked: over {STATSMODELS_LARGEST} columns")
    begin = time.process_time()
    fitted = sm.GLM(data.won, design, family=sm.families.Binomial()).fit()
    assert len(fitted.bse) == design.shape[1]
    return r.OfR(
        time.process_time() - begin, float(fitted.llf), np.asarray(fitted.params), statsmodels.__version__
    )


def of_peer(case: Case, peer: Peer, data: Contests, options: argparse.Namespace) -> r.OfR:
    """One fit by one peer."""
    if not peer.package:
        return of_statsmodels(case, data)
    words = {"package": peer.package, "errors": "NULL", "llf": peer.llf, "estimates": peer.estimates}
    return r.fit(peer.package, peer.call, data.csv(), options.cap, options.memory, peer.setup, words)


def run(
    case: Case, options: argparse.Namespace, stopped: set[tuple[str, str]], began: float
) -> dict[str, Any]:
    """Ours and the peers, in turns."""
    data = case.data()
    table = data.table()
    own(case, table) if data.players < STATSMODELS_LARGEST else None
    ours: list[float] = []
    theirs: dict[str, list[r.OfR]] = {peer.name: [] for peer in case.peers}
    for k in range(options.rounds):
        if not k or statistics.median(ours) < ONCE_ABOVE:
            seconds, fitted = own(case, table)
            ours.append(seconds)
        for peer in case.peers:
            seen = theirs[peer.name]
            if k and (seen[0].trouble or seen[0].seconds > ONCE_ABOVE):
                continue
            if (case.group, peer.name) in stopped:
                seen.append(r.none("not asked: a smaller case was stopped"))
            elif time.monotonic() - began > options.limit:
                seen.append(r.none(f"not asked: {options.limit:g} s had gone"))
            else:
                seen.append(of_peer(case, peer, data, options))
    peers = []
    for name, found in theirs.items():
        first = found[0]
        if first.trouble.startswith(("stopped", "Error")):
            stopped.add((case.group, name))
        one: dict[str, Any] = {
            "name": name,
            "trouble": first.trouble,
            "version": first.version,
            "seconds": None,
        }
        if not first.trouble:
            one["samples"] = [f.seconds for f in found if not f.trouble]
            one["seconds"] = statistics.median(one["samples"])
            one["ratio"] = one["seconds"] / statistics.median(ours)
            own_values = np.asarray(case.estimates(fitted))
            one["difference"] = float(np.abs(own_values - first.estimates).max())
        peers.append(one)
    return {
        "group": case.group,
        "players": data.players,
        "contests": len(data.first),
        "parameters": fitted.rank,
        "seconds": statistics.median(ours),
        "samples": ours,
        "aimed_seconds": case.seconds,
        "peers": peers,
    }


def main(arguments: list[str] | None = None) -> int:
    options = asked(arguments)
    chosen = [c for c in cases(options.tiny) if all(w in c.group for w in options.only.split())]
    load, began = os.getloadavg()[0], time.monotonic()
    rows: list[dict[str, Any]] = []
    stopped: set[tuple[str, str]] = set()
    for n, case in enumerate(chosen):
        print(f"{n + 1} of {len(chosen)}: {case.group}", file=sys.stderr, flush=True)
        rows.append(run(case, options, stopped, began))
    versions = {p["name"]: p["version"] for row in rows for p in row["peers"] if p["version"]}
    document = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "versions": versions,
        "load": [load, os.getloadavg()[0]],
        "cores": os.cpu_count(),
        "rounds": options.rounds,
        "cap": options.cap,
        "memory_gb": options.memory,
        "tiny": options.tiny,
        "rows": rows,
    }
    keep(options.out, "contests", document, page(document))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
