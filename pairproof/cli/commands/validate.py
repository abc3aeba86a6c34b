"""`pairproof validate`: recompute the papers that come with the package, and compare them with R."""

from __future__ import annotations

from typing import Any

import click

from ..options.verifying import check_papers, paper_options
from ..state import State, sectioned

#: Comparisons, and answers of persons as wholes: what `make validate` proves.  A wheel has the first only.
DEFAULT = ("dras-2015", "patterns")


@sectioned("validate")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@paper_options
def command(state: State, names: tuple[str, ...], **asked: Any) -> int:
    """Show, number by number, that the native fit, R and the printed page agree, or why they do not.

    NAME is a paper that comes with pairproof (default: dras-2015, and in a checkout
    also patterns, the models of complete response patterns).

    \b
    pairproof validate
    pairproof validate cems
    pairproof validate --r both --report validate.html --report validate.xml
    """
    from ...validation.check.claims_file import shipped_papers

    known = shipped_papers()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.UsageError(
            f"no paper {', '.join(map(repr, unknown))} comes with pairproof; available: {', '.join(known)} (in a "
            "checkout also annotation, inference and patterns: pairproof's models against R). "
            "For your own claims file, use pairproof check FILE."
        )
    return check_papers(state, names or tuple(n for n in DEFAULT if n in known), **asked)
