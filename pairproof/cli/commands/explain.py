"""`pairproof explain`: numbers that do not come out, and the readings under which they do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from ..options.r import data_option
from ..options.sections import COUNT, SectionedCommand, option
from ..state import READ, State, json_text, shared_options

HELP = """Find the readings of a page under which its printed numbers come out.

FILE is a claims file (*.claims.toml) or the name of a paper that comes with pairproof. Known slips of data, model,
scale, inference and print are tried alone and in twos, and each reading is judged by all numbers of a claim.
It is said how many readings fit; nobody is said to have made one.

\b
pairproof explain my-paper.claims.toml
pairproof explain dras-2015 --json
pairproof explain --slips
"""
searching = option("Search")


@click.command("explain", cls=SectionedCommand, help=HELP)
@click.argument("file", metavar="FILE", required=False, type=READ)
@searching(
    "--most",
    type=COUNT,
    metavar="N",
    help="Readings tried at most for one table, the likeliest first (default 20000).",
)
@searching("--slips", is_flag=True, help="List the slips that are known, and where each was seen.")
@data_option
@shared_options
def command(
    state: State, file: str | None, most: int | None, slips: bool, data: Path | None, data_limit: int | None
) -> int:
    if slips:
        return _list(state)
    if file is None:
        raise click.UsageError(
            "no claims file; name one, or a paper that comes with pairproof (pairproof explain dras-2015)"
        )
    from ...validation.claims.data import data_from
    from ...validation.claims.reader import read_paper
    from ...validation.explain import explain
    from ...validation.report import output
    from ...validation.slips.search import MOST_READINGS

    explained = explain(data_from(read_paper(file), data, data_limit), most or MOST_READINGS)
    document = explained.to_document()
    verdicts = output(explained.agreements, explained.context(f"pairproof explain {file}"))
    shown = replace(verdicts, json=lambda: json_text(document) + "\n", terminal=lambda: str(explained))
    state.give_output(shown, document)
    return explained.exit_code


def _list(state: State) -> int:
    from ...validation.slips.catalogue import families

    known = list(families().values())
    text = "\n".join(f"{f.name} ({f.stage})\n  {f.what}\n  seen: {f.seen}" for f in known)
    state.show(
        text,
        [{"name": f.name, "stage": f.stage, "cost": f.cost, "what": f.what, "seen": f.seen} for f in known],
    )
    return 0
