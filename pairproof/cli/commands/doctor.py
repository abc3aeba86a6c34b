"""`pairproof doctor`: what is here, what is missing, and the command that cures it."""

from __future__ import annotations

import click

from ..options.sections import SectionedCommand
from ..state import State, shared_options


@click.command("doctor", cls=SectionedCommand)
@shared_options
def command(state: State) -> int:
    """Say what is installed, in which versions, what is missing, and the command that cures it.

    Never fails because something is missing: it ends with exit code 0 whatever it finds.
    """
    state.no_junit("the doctor has")
    from ..doctor import examine, page, render, to_dict

    found = examine()
    state.give(lambda: page(found), to_dict(found), terminal=lambda: render(found))
    return 0
