"""`python -m benchmarks`: run the jobs, print the page, keep it and the JSON."""

from __future__ import annotations

import json
import tempfile
from datetime import date
from pathlib import Path

import click

from .jobs import JOBS
from .keep import keep
from .machine import load_average, machine, r_side
from .measure import Result, Rules, run_job
from .process import HERE, Failed, Language, NotHere, Server, TooLong
from .report import Run, as_json, job_lines, markdown
from .startup import starts


@click.command(context_settings={"max_content_width": 120})
@click.option("--job", "names", multiple=True, type=click.Choice([j.name for j in JOBS]), help="Only this; repeatable.")
@click.option("--rounds", default=7, show_default=True, type=click.IntRange(1))
@click.option("--cap", default=60.0, show_default=True, help="CPU seconds after which a run is stopped and shown as stopped.")
@click.option("--tiny", is_flag=True, help="Tiny data: does everything work? The times mean nothing.")
@click.option("--r/--no-r", "with_r", default=True, help="With the R packages or without.")
@click.option("--startup/--no-startup", "with_startup", default=True, help="With the start-up times or without.")
@click.option("--out", default=HERE / "results", type=click.Path(path_type=Path, file_okay=False), show_default="benchmarks/results",
              help="Folder of latest.md and latest.json.")
def main(names: tuple[str, ...], rounds: int, cap: float, tiny: bool, with_r: bool, with_startup: bool, out: Path) -> None:
    """Time pairproof beside the R packages and Python peers on the same data."""
    languages: tuple[Language, ...] = ("python", "r") if with_r else ("python",)
    rules = Rules(rounds=rounds, cap=cap, languages=languages)
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="pairproof-benchmarks-") as folder:
        scratch = Path(folder)
        about = describe(scratch, with_r)
        for job in JOBS:
            if names and job.name not in names:
                continue
            click.echo(f"\n{job.title}", err=True)
            result = run_job(job.made_tiny() if tiny else job, rules, scratch)
            click.echo("\n".join(job_lines(result)), err=True)
            results.append(result)
        found = starts(rounds) if with_startup else []
    about["load average at the end"] = load_average()
    run = Run(about, rules, results, found, tiny)
    keep(out, "latest", as_json(run), markdown(run))


def describe(scratch: Path, with_r: bool) -> dict[str, str]:
    """Date, machine, versions of both sides."""
    about = {"date": date.today().isoformat(), **machine(), "load average at the start": load_average()}
    python = Server("python", scratch)
    about.update(json.loads(python.ask("about", cap=60)[0]))
    python.close()
    if with_r:
        server = Server("r", scratch)
        try:
            about.update(r_side(server.ask("about", cap=60)))
        except (NotHere, TooLong, Failed) as error:
            about["R"] = f"not here: {error}"
        server.close()
    about["threads"] = "one for every BLAS and OpenMP"
    return about


if __name__ == "__main__":
    main()
