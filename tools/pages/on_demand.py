"""`python -m tools.pages.on_demand NAME > FILE.md`: examples of R's help pages with every number, made when asked for.

The pages list the calls; both sides' code and each number of R's and of pairproof's are thousands of lines, which the site
(`make docs`) has and the folder docs/ has not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping

from pairproof.bridge import Backend, using

from . import bradleyterry2_page, prefmod_page
from .snippets import records

#: Name -> title, what is said under it, and what makes the examples.
PAGES: Mapping[str, tuple[str, str, Callable[[], str]]] = {
    "bradleyterry2-examples": (
        "Examples of BradleyTerry2's help pages",
        "Every number of each call by R and by pairproof, [as migrate translates it](bradleyterry2-to-pairproof.md).",
        bradleyterry2_page.migrated("BradleyTerry2"),
    ),
    "bradleyterry2-by-hand": (
        "Examples of BradleyTerry2's help pages, by hand",
        "What migrate leaves in R, [written by hand](bradleyterry2-to-pairproof.md).",
        bradleyterry2_page.by_hand("BradleyTerry2's help pages, not by migrate"),
    ),
    "psychotools-examples": (
        "Examples of psychotools' help pages",
        "Every number of each call by R and by pairproof, [as migrate translates it](bradleyterry2-to-pairproof.md).",
        bradleyterry2_page.migrated("psychotools"),
    ),
    "psychotools-by-hand": (
        "Examples of psychotools' help pages, by hand",
        "What migrate leaves in R, [written by hand](bradleyterry2-to-pairproof.md).",
        bradleyterry2_page.by_hand("psychotools' help pages, not by migrate"),
    ),
    "prefmod-examples": (
        "Examples of prefmod's help pages",
        "Every number of each call by R and by pairproof, [as migrate translates it](prefmod-to-pairproof.md).",
        prefmod_page.examples,
    ),
    "prefmod-more": (
        "Models of prefmod's data sets",
        "What the help pages describe and do not run, with [50-digit values](certified.md).",
        prefmod_page.beside,
    ),
}


def text(name: str) -> str:
    """A page, made from R's recorded answers; its links are those of a page in a folder of docs/."""
    title, said, make = PAGES[name]
    with using(Backend("recorded", records=records())):
        made = f"# {title}\n\n{said}\n{make()}".replace("\n### ", "\n## ")
    return re.sub(r"\]\((?=[\w-]+\.md)", "](../", made)


if __name__ == "__main__":
    if not sys.argv[1:] or not set(sys.argv[1:]) <= set(PAGES):
        sys.exit(f"python -m tools.pages.on_demand NAME, one of {', '.join(PAGES)}")
    for name in sys.argv[1:]:
        print(text(name))
