"""`pairproof doctor`: what is installed, what is missing, and the command that installs it."""

from __future__ import annotations

import os

from ...files.r_startup import not_read
from ..options.verifying import project_option
from ..state import State, sectioned, shared_options


@sectioned("doctor")
@project_option
@shared_options
def command(state: State) -> None:
    """Show what is installed, in which versions, what is missing, and the command that installs it.

    The exit code is 0 whatever is missing.
    """
    state.no_junit("the doctor has")
    from ..doctor import examine, page, render, to_dict

    found = examine()
    if found.missing and (hint := not_read(os.environ)):
        state.say(hint)
    state.give(lambda: page(found), lambda: to_dict(found), terminal=lambda: render(found))
