"""`python -m benchmarks.boards`: simulate boards, hold every method against the truth, keep the table.

    python -m benchmarks.boards [--replications 200] [--design NAME] [--workers 2] [--no-peers] [--fastchat FILE]

The record is docs/records/boards/boards.json, from which `python -m tools.pages docs/boards-compared.md` makes the page.
evalica is asked where it is installed; arena-rank and FastChat are by formula, and the packages run beside it in a few
replications where they are there.  About a quarter of an hour on two cores.
"""

from __future__ import annotations

import json
import os
import platform
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
import numpy as np
import scipy

import pairproof

from .designs import DESIGNS, SEED, Design
from .itself import beside
from .run import Replication, is_peer, replication, summary

RECORD = Path(__file__).parents[2] / "docs" / "records" / "boards" / "boards.json"
#: Replications of one task of a process.
AT_ONCE = 10


def simulated(design: Design, asked: int, workers: int = 1, peers: bool = True) -> dict[str, Any]:
    """A design's summary, and its CPU seconds."""
    methods = {
        m: design.replications(m, asked)
        for m in design.methods
        if (peers or not is_peer(m)) and (m != "evalica" or _version("evalica"))
    }
    tasks = [(design, k, min(k + AT_ONCE, asked), methods) for k in range(0, asked, AT_ONCE)]
    if workers > 1:
        with ProcessPoolExecutor(workers) as pool:
            done = list(pool.map(_some, tasks))
    else:
        done = [_some(task) for task in tasks]
    out = summary(design, [one for part, _ in done for one in part])
    out["cpu_seconds"] = round(sum(seconds for _, seconds in done), 1)
    return out


def _some(task: tuple[Design, int, int, dict[str, int]]) -> tuple[list[Replication], float]:
    design, low, high, methods = task
    begin = time.process_time()
    found = [replication(design, k, [m for m, n in methods.items() if k < n]) for k in range(low, high)]
    return found, time.process_time() - begin


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def made_with() -> dict[str, str]:
    """Versions of what the numbers come from, and the day."""
    own = {"pairproof": pairproof.__version__, "python": platform.python_version()}
    others = {"numpy": np.__version__, "scipy": scipy.__version__}
    peers = {name: found for name in ("arena-rank", "evalica", "jax") if (found := _version(name))}
    return {"date": date.today().isoformat(), **own, **others, **peers}


@click.command(context_settings={"max_content_width": 120})
@click.option("--replications", default=200, show_default=True, help="0: only the packages.")
@click.option(
    "--design", "names", multiple=True, type=click.Choice([d.name for d in DESIGNS]), help="Only this."
)
@click.option("--workers", default=min(2, os.cpu_count() or 1), show_default=True, type=click.IntRange(1))
@click.option("--peers/--no-peers", default=True)
@click.option("--itself", default=3, show_default=True, help="Replications of the packages themselves.")
@click.option("--fastchat", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=RECORD, show_default="the record"
)
def main(
    replications: int, names: tuple[str, ...], workers: int, peers: bool, itself: int, fastchat: Path | None, out: Path
) -> None:  # fmt: skip
    """Simulate boards and keep what each method makes of them; designs that are not asked for stay as they are kept."""
    kept = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {"designs": [], "itself": []}
    known = {one["name"]: one for one in kept["designs"]}
    for design in DESIGNS:
        if not replications or (names and design.name not in names):
            continue
        known[design.name] = simulated(design, replications, workers, peers) | {"made_with": made_with()}
        for method, one in known[design.name]["methods"].items():
            click.echo(
                f"{design.name:28s} {method:28s} bias {one['bias']:.2f} ({one['worst_bias']['errors']:.1f} errors),"
                f" coverage {one['coverage']:.3f}, ranks {one.get('ranks', {}).get('hold', '-')}"
            )
        _keep(out, known, kept["itself"])
    if itself:
        kept["itself"] = beside({d.name: d for d in DESIGNS}, itself, fastchat)
        _keep(out, known, kept["itself"])


def _keep(out: Path, known: dict[str, Any], itself: list[dict[str, Any]]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "seed": SEED,
        "designs": [known[d.name] for d in DESIGNS if d.name in known],
        "itself": itself,
    }
    out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
