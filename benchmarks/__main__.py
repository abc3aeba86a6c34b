"""`python -m benchmarks`: run the jobs, print the page, keep it and the JSON."""

from __future__ import annotations

import json
import re
import tempfile
from datetime import date
from pathlib import Path

import click

from .comparisons import JOBS
from .harness.job import Language
from .harness.machine import load_average, machine, r_side
from .harness.measure import Result, Rules, run_job
from .harness.process import Failed, NotHere, Server, TooLong
from .harness.report import Run, as_json, job_lines, markdown, verdicts
from .harness.results import RESULTS, found_beside, keep
from .harness.startup import starts


@click.command(context_settings={"max_content_width": 120})
@click.option(
    "--job", "names", multiple=True, type=click.Choice([j.name for j in JOBS]), help="Only this; repeatable."
)
@click.option("--rounds", default=7, show_default=True, type=click.IntRange(1))
@click.option(
    "--cap",
    default=60.0,
    show_default=True,
    help="CPU seconds after which a run is stopped and shown as stopped.",
)
@click.option("--tiny", is_flag=True, help="Tiny data: does everything work? The times mean nothing.")
@click.option("--r/--no-r", "with_r", default=True, help="With the R packages or without.")
@click.option(
    "--startup/--no-startup", "with_startup", default=True, help="With the start-up times or without."
)
@click.option(
    "--blas",
    "blas_name",
    default="",
    metavar="NAME",
    help="Name of the BLAS of this run: it is left as latest-NAME.",
)
@click.option(
    "--blas-folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder with the libblas.so.3 that every process is to load; needs --blas.",
)
@click.option(
    "--page",
    default="latest",
    show_default=True,
    metavar="NAME",
    help="Name of the page, for a run of some jobs that is to be kept beside that of all.",
)
@click.option("--promises", is_flag=True, help="Only what promises are about.")
@click.option(
    "--runs",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Do everything so often, in fresh processes; a promise is kept if every run keeps it.",
)
@click.option(
    "--out",
    default=RESULTS,
    type=click.Path(path_type=Path, file_okay=False),
    show_default="benchmarks/results",
    help="Folder of the page and its JSON: latest.md and latest.json.",
)
def main(
    names: tuple[str, ...],
    rounds: int,
    cap: float,
    tiny: bool,
    with_r: bool,
    with_startup: bool,
    blas_name: str,
    blas_folder: Path | None,
    page: str,
    promises: bool,
    runs: int,
    out: Path,
) -> None:
    """Time pairproof beside the R packages and Python peers on the same data."""
    languages: tuple[Language, ...] = ("python", "r") if with_r else ("python",)
    if blas_folder is not None and not blas_name:
        raise click.UsageError(
            "--blas-folder needs --blas NAME, so that the run is not taken for one of the system's BLAS."
        )
    for option, word in (("--blas", blas_name or "none"), ("--page", page)):
        if not re.fullmatch(r"[a-z0-9-]+", word):
            raise click.UsageError(
                f"{option} {word!r}: expected small letters, digits and hyphens; it becomes part of a file's"
                " name."
            )
    rules = Rules(rounds=rounds, cap=cap, languages=languages, blas=blas_folder)
    jobs = [j for j in JOBS if not names or j.name in names]
    if promises:
        jobs = [only for only in (j.promises_only() for j in jobs) if only is not None]
    results: list[Result] = []
    earlier: list[list[Result]] = []
    with tempfile.TemporaryDirectory(prefix="pairproof-benchmarks-") as folder:
        scratch = Path(folder)
        about = describe(scratch, with_r, blas_folder)
        about["load average at the start of each run"] = ""
        starting = []
        for k in range(runs):
            starting.append(load_average())
            if k:
                earlier.append(results)
            results = []
            for job in jobs:
                click.echo(f"\n{job.title}{f', run {k + 1} of {runs}' if runs > 1 else ''}", err=True)
                result = run_job(job.made_tiny() if tiny else job, rules, scratch / f"run-{k + 1}")
                click.echo("\n".join(job_lines(result)), err=True)
                for verdict in verdicts(result):
                    click.echo(f"{verdict.word}: {verdict.promise}: {verdict.found}", err=True)
                results.append(result)
        found = starts(rounds) if with_startup else []
    about["load average at the start of each run"] = "; ".join(starting)
    about["load average at the end"] = load_average()
    name = f"{page}-{blas_name}" if blas_name else page
    run = Run(about, rules, results, found, tiny, tuple(earlier))
    keep(out, name, as_json(run), markdown(run, found_beside(out, name, page)))


def describe(scratch: Path, with_r: bool, blas: Path | None = None) -> dict[str, str]:
    """Date, machine, versions of both sides."""
    about = {"date": date.today().isoformat(), **machine()}
    python = Server("python", scratch, blas)
    about.update(json.loads(python.ask("about", cap=60)[0]))
    python.close()
    if with_r:
        server = Server("r", scratch, blas)
        try:
            about.update(r_side(server.ask("about", cap=60)))
        except (NotHere, TooLong, Failed) as error:
            about["R"] = f"not here: {error}"
        server.close()
    about["threads"] = "one for every BLAS and OpenMP"
    return about


if __name__ == "__main__":
    main()
