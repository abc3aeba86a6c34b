"""`pairproof check`: claims files, one's own or those that come with the package."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..options.r import data_option, r_options, stated
from ..options.sections import SectionedCommand
from ..state import READ, State, shared_options
from ..verdicts import finish, watched

if TYPE_CHECKING:
    from ...bridge.process.policy import Mode

HELP = """Check claims files: does what a paper prints come out of its data, and does R agree?

Each FILE is a claims file (*.claims.toml) or the name of a paper that comes with pairproof.

\b
pairproof check my-paper.claims.toml
pairproof check firth-2005.claims.toml --r none --json
"""


@click.command("check", cls=SectionedCommand, help=HELP)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=READ)
@r_options
@data_option
@shared_options
def command(
    state: State,
    files: tuple[str, ...],
    r: Mode | None,
    require_r: bool,
    data: Path | None,
    data_limit: int | None,
) -> int:
    import pairproof.validation

    with watched(state) as progress:
        found = pairproof.validation.run(
            files,
            r=r,
            data=data,
            progress=progress,
            workers=os.cpu_count() or 1,
            **stated(data_limit=data_limit),
        )
    return finish(state, found, require_r)
