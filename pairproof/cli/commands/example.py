"""`pairproof example`: the small data sets that travel with the package."""

from __future__ import annotations

import click

from ..state import State, echo, sectioned, shared_options


@sectioned("example")
@click.argument("name", metavar="[NAME]", required=False)
@shared_options
def command(state: State, name: str | None) -> None:
    """List the data sets that come with pairproof, or write one of them to standard output.

    \b
    pairproof example
    pairproof example dras > dras.csv
    """
    from ...examples.shipped_examples import examples, found

    state.no_report("an example has no report; write it to a file with > FILE.")
    if name is not None:
        asked = found(name)
        if state.json:
            state.show("", {"name": asked.name, "file": asked.file, "what": asked.what, "text": asked.text})
        else:
            echo(asked.text.rstrip("\n"))
        return
    rows = [
        {
            "name": e.name,
            "file": e.file,
            "what": e.what,
            "write": f"pairproof example {e.name} > {e.file}",
            "run": e.run,
        }
        for e in examples().values()
    ]
    width = max(len(row["name"]) for row in rows)
    lines = [f"{row['name']:<{width}}  {row['what']}\n{'':<{width}}    {row['run']}" for row in rows]
    state.show("\n".join([*lines, "", "pairproof example NAME > FILE writes one."]), rows)
