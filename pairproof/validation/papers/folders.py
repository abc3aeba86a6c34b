"""A paper is a folder, and what is in it is found by the names of its files; no list names the papers.

``ID.claims.toml``      what a page of the paper says; a folder may have several such files
``ID.certified.json``   50-digit values of the models in that file
``statements*.py``      tests of its sentences, registered under the names by which claims call them
``computations*.py``    numbers that no fit has, registered in the same way
``story.py``            what its report says in words, and what is checked of it beyond its claims
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..claims import SUFFIX

PAPERS = Path(__file__).parent


def shipped(suffix: str = SUFFIX) -> dict[str, Path]:
    """The files of the papers whose names end so, by the paper's id, which stands before the ending."""
    return {path.name[: -len(suffix)]: path for path in sorted(PAPERS.glob(f"*/*{suffix}"))}


def register_all() -> None:
    """Import the statements and computations of every paper, which registers them."""
    for kind in ("statements", "computations"):
        for path in sorted(PAPERS.glob(f"*/{kind}*.py")):
            import_module(f".{path.parent.name}.{path.stem}", __package__)
