"""`pairproof explain`: find readings that reproduce printed numbers which the data do not give."""

from __future__ import annotations

from pathlib import Path

import click

from ..options.verifying import data_option, project_option, watched
from ..state import COUNT, READ, State, options, sectioned, shared_options


@sectioned("explain")
@click.argument("file", metavar="FILE", required=False, type=READ)
@options(
    "Search",
    {
        "--most N": "Maximum number of readings tried for one table, most likely first (default 20000).",
        "--slips": "List the known slips and where each was seen.",
    },
    most=COUNT,
)
@project_option
@data_option
@shared_options
def command(
    state: State, file: str | None, most: int | None, slips: bool, data: Path | None, data_limit: int | None
) -> int:
    """Find the readings of a paper that reproduce its printed numbers.

    FILE is a claims file (*.claims.toml) or the name of a paper that comes with pairproof. Known slips of data,
    model, scale, inference and print are tried alone and in pairs, and each reading is judged by all numbers of a
    claim. The result reports how many readings fit; it does not claim that the authors made the slip.

    \b
    pairproof explain my-paper.claims.toml
    pairproof explain dras-2015 --json
    pairproof explain --slips
    """
    if slips:
        _list(state)
        return 0
    if file is None:
        raise click.UsageError(
            "no FILE given; name a claims file, or a paper that comes with pairproof (pairproof explain"
            " dras-2015)"
        )
    from ...validation.check.claims_file import read_paper
    from ...validation.check.explain import explain
    from ...validation.claims.data import data_from
    from ...validation.report.rendering import output
    from ...validation.slips.search import MOST_READINGS

    paper = data_from(read_paper(file, lenient=True), data, data_limit)
    with watched(state) as progress:
        explained = explain(paper, most or MOST_READINGS, progress)
    verdicts = output(explained.agreements, explained.context(f"pairproof explain {file}"))
    state.give_beside(verdicts, explained.to_document(), lambda: str(explained))
    return explained.exit_code


def _list(state: State) -> None:
    from ...validation.slips.catalogue import families

    known = list(families().values())
    text = "\n".join(f"{f.name} ({f.stage})\n  {f.what}\n  seen: {f.seen}" for f in known)
    state.show(
        text,
        [{"name": f.name, "stage": f.stage, "cost": f.cost, "what": f.what, "seen": f.seen} for f in known],
    )
