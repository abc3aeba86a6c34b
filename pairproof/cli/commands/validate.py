"""`pairproof validate`: the papers that come with the package, recomputed and held against R."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..options.r import data_option, r_options, stated
from ..options.sections import SectionedCommand
from ..state import State, shared_options
from ..verdicts import finish, watched

if TYPE_CHECKING:
    from ...bridge.process.policy import Mode

DEFAULT = ("dras-2015",)
HELP = """Show, number by number, that the native fit, R and the printed page agree, or why they do not.

NAME is a paper that comes with pairproof (default: dras-2015).

\b
pairproof validate
pairproof validate --r both --report validate.html --report validate.xml
"""


@click.command("validate", cls=SectionedCommand, help=HELP)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@r_options
@data_option
@shared_options
def command(
    state: State,
    names: tuple[str, ...],
    r: Mode | None,
    require_r: bool,
    data: Path | None,
    data_limit: int | None,
) -> int:
    import pairproof.validation

    from ...validation.claims.reader import shipped_papers

    known = shipped_papers()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.UsageError(
            f"no paper {', '.join(map(repr, unknown))} comes with pairproof; there are {', '.join(known)}. "
            "A claims file of your own: pairproof check FILE."
        )
    with watched(state) as progress:
        found = pairproof.validation.run(
            names or DEFAULT,
            r=r,
            data=data,
            progress=progress,
            workers=os.cpu_count() or 1,
            **stated(data_limit=data_limit),
        )
    return finish(state, found, require_r)
