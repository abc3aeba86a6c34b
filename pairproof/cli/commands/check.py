"""`pairproof check`: check claims files, the user's own or those that come with the package."""

from __future__ import annotations

from typing import Any

import click

from ..options.verifying import check_papers, paper_options
from ..state import READ, SectionedCommand, State

HELP = """Check claims files: do the paper's data give the numbers it prints, and does R agree?

Each FILE is a claims file (*.claims.toml) or the name of a paper that comes with pairproof.

\b
pairproof check my-paper.claims.toml
pairproof check firth-2005.claims.toml --r none --json
"""


@click.command("check", cls=SectionedCommand, help=HELP)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=READ)
@paper_options
def command(state: State, files: tuple[str, ...], **asked: Any) -> int:
    return check_papers(state, files, **asked)
