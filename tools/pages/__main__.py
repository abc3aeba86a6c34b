"""`python -m tools.pages`: make the pages anew, from R where it is here, else from its recorded answers."""

from __future__ import annotations

import sys

import click

from pairproof.bridge import Backend

from .pages import PAGES, make, missing, read, write
from .sameness import differences
from .snippets import records


@click.command(context_settings={"max_content_width": 120})
@click.argument("pages", nargs=-1, type=click.Choice(PAGES))
@click.option("--check", is_flag=True, help="Write nothing; end with 1 if a page is not what is made now.")
@click.option(
    "--r",
    "mode",
    type=click.Choice(["live", "recorded"]),
    default="live",
    show_default=True,
    help="Who answers for R in tables.  Live answers that have no record yet are recorded in docs/records.",
)
def main(pages: tuple[str, ...], check: bool, mode: str) -> None:
    """Make PAGES (default: all) anew: run what they show, ask R for what they say of R."""
    live = mode == "live"
    differ = False
    for page in pages or PAGES:
        if missing(page):
            click.echo(f"{page}: left as it is; not installed: {', '.join(missing(page))}")
            continue
        backend = Backend("live", record=None if check else "once", records=records()) if live else None
        made = make(page, backend)
        found = differences(read(page), made)
        if check:
            differ = differ or bool(found)
            click.echo(f"{page}: {'the same' if not found else 'differs'}")
            for line in found:
                click.echo(f"  {line}")
        else:
            click.echo(f"{page}: {'written' if write(page, made) else 'unchanged'}")
    sys.exit(int(differ))


if __name__ == "__main__":
    main()
