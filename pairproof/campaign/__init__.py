"""Annotation campaigns: one database file from the first HIT to the last score.

>>> import pairproof
>>> pairproof.campaign.create("C.db", "items.csv")          # doctest: +SKIP
>>> c = pairproof.campaign.open("C.db")                     # doctest: +SKIP
>>> c.next_batch(hits=20)                                   # doctest: +SKIP
>>> c.update("results.csv")                                 # doctest: +SKIP
>>> c.scores("precision").to_frame()                        # doctest: +SKIP

`create` or `take_over` makes a campaign, `open_batch` chooses the next HITs and writes them for Mechanical
Turk or as a page, `take_in` adds results, `status` and `export` read it, `take_back` takes a judgment out
again; `open` gives all of it as methods of one object.  Each of them is one transaction: if it is killed at
any point, nothing is lost or counted twice.  A judgment is one annotator's answer to one HIT, with
a score for each item.  The state of the items depends on the set of judgments that were
added, not on the order in which they arrived.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .campaign import Campaign as Campaign
    from .creation import create as create, take_over as take_over
    from .exports import export as export
    from .formats.score_tables import from_scores as from_scores
    from .hits.batch import open_batch as open_batch
    from .rebuilding import from_log as from_log
    from .results.retraction import take_back as take_back, undo as undo
    from .results.update import take_in as take_in
    from .watch.status import status as status

#: Where each name lives, in a module of another name. It is loaded when it is first used: most commands need
#: no pandas, which takes longer to load than the status of 100,000 items to read.
_HOME = {
    "Campaign": "campaign",
    "create": "creation",
    "export": "exports",
    "from_log": "rebuilding",
    "from_scores": "formats.score_tables",
    "open_batch": "hits.batch",
    "status": "watch.status",
    "take_back": "results.retraction",
    "take_in": "results.update",
    "take_over": "creation",
    "undo": "results.retraction",
}

__all__ = sorted([*_HOME, "open"])


# Hidden from type checkers, to which a module with __getattr__ has every name there could be.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(
                f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}"
            )
        found: object = getattr(import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return __all__


def open(path: str | Path) -> Campaign:
    """Open a campaign.

    Parameters
    ----------
    path : path
        Of a campaign that :func:`create` or `pairproof easl init` made.

    Returns
    -------
    Campaign

    Raises
    ------
    InputError
        There is no such file, or it is no campaign.
    """
    from .campaign import Campaign

    return Campaign(path)
