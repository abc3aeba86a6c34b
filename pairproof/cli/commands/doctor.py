"""`pairproof doctor`: what is here, what is missing, and the command that cures it."""

from __future__ import annotations

from typing import Any

import click

from ..options.sections import SectionedCommand
from ..state import State, json_text, shared_options


@click.command("doctor", cls=SectionedCommand)
@shared_options
def command(state: State) -> int:
    """Say what is installed, in which versions, what is missing, and the command that cures it.

    Never fails because something is missing: it ends with exit code 0 whatever it finds.
    """
    from ..doctor import examine, render, to_dict

    for path in state.reports:
        if path.suffix.lower() not in (".json", ".md"):
            raise click.UsageError(
                f"{path}: the doctor writes .json and .md; {path.suffix} is for fits and verdicts."
            )
    found = examine()
    text, document = render(found), to_dict(found)
    for path in state.reports:
        state.write(path, _file(path.suffix.lower(), text, document))
        state.say(f"report: {path}")
    state.show(text, document)
    return 0


def _file(suffix: str, text: str, document: Any) -> str:
    return json_text(document) + "\n" if suffix == ".json" else f"# pairproof doctor\n\n```\n{text}\n```\n"
