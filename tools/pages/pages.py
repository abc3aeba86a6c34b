"""The pages, and the blocks of them that a function writes: what stands between the two comments of its
name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from pairproof.bridge import Backend, using

from .snippets import ROOT, records, with_output

PAGES = (
    "README.md",
    *(
        f"docs/{name}.md"
        for name in (
            "data",
            "more-votes-than-memory",
            "leaderboards",
            "boards-that-move",
            "audit",
            "models",
            "answers",
            "latent-classes",
            "trees",
            "errors",
            "checking-a-paper",
            "claims-format",
            "r-bridge",
            "certified",
            "does-it-match-r",
            "from-r",
            "migrate",
            "prefmod-to-pairproof",
            "prefmod-defects",
            "bradleyterry2-to-pairproof",
            "bradleyterry2-defects",
            "translation-competitions",
            "sakaguchi-vandurme-2018",
            "papers-under-clustering",
            "inference",
            "coverage",
            "boards-compared",
            "scalar-annotation",
        )
    ),
    *sorted(f"docs/tutorials/{page.name}" for page in (ROOT / "docs" / "tutorials").glob("*.md")),
)
#: What pages run and the package does not need: where one of these is not installed the page is not made.
NEEDS = {"docs/more-votes-than-memory.md": ("pyarrow", "narwhals", "duckdb", "polars", "dask.dataframe")}
BLOCK = re.compile(
    (
        r"(?P<head><!-- made by python -m tools.pages: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(?P<foot><!-- end of"
        r" (?P=name) -->)"
    ),
    re.DOTALL,
)
Block = Callable[[], str]


def blocks() -> Mapping[str, Block]:
    """Name -> what writes the block."""
    from . import (
        agreement,
        boards,
        bradleyterry2_defects,
        bradleyterry2_page,
        claims_format,
        clustering,
        coverage,
        definitions,
        error_tree,
        from_r,
        migrate_page,
        precision,
        prefmod_defects,
        prefmod_page,
        r_cases,
        sakaguchi,
        scalar_annotation,
        trees,
    )

    return {
        **agreement.BLOCKS,
        **boards.BLOCKS,
        **bradleyterry2_defects.BLOCKS,
        **bradleyterry2_page.BLOCKS,
        **claims_format.BLOCKS,
        **clustering.BLOCKS,
        **coverage.BLOCKS,
        **definitions.BLOCKS,
        **error_tree.BLOCKS,
        **from_r.BLOCKS,
        **migrate_page.BLOCKS,
        **precision.BLOCKS,
        **prefmod_defects.BLOCKS,
        **prefmod_page.BLOCKS,
        **r_cases.BLOCKS,
        **sakaguchi.BLOCKS,
        **scalar_annotation.BLOCKS,
        **trees.BLOCKS,
    }


def missing(page: str) -> list[str]:
    """What a page needs and cannot be imported here."""
    found = []
    for module in NEEDS.get(page, ()):
        try:
            import_module(module)
        except ImportError:
            found.append(module)
    return found


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def make(page: str, backend: Backend | None = None) -> str:
    """The page made anew; `backend` answers for R in the blocks (default: the records).

    Snippets are run with the records, so that what a reader sees in them says "recorded" wherever it is made.
    """
    chosen = backend or Backend("recorded", records=records())
    known = blocks()

    def filled(match: re.Match[str]) -> str:
        if match["name"] not in known:
            raise KeyError(
                f"{page}: no function writes the block {match['name']!r}; there are {', '.join(known)}"
            )
        return f"{match['head']}{known[match['name']]()}{match['foot']}"

    with using(chosen):
        text = BLOCK.sub(filled, read(page))
    recording = Backend(None, record="once", records=records()) if chosen.record else None
    if recording:
        with_output(text, recording)
    return with_output(text)


def write(page: str, text: str) -> bool:
    """Whether the file changed."""
    path = Path(ROOT / page)
    if path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True
