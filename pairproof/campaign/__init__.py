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
any point, nothing is lost or counted twice.  The state of the items depends on the set of judgments that were
added, not on the order in which they arrived.
"""

from __future__ import annotations

from pathlib import Path

from .campaign import Campaign
from .create import create
from .formats.export import export
from .formats.log.rebuild import from_log
from .formats.score_tables.make import from_scores
from .formats.take_over import take_over
from .hits.batch import open_batch
from .results.retraction import take_back, undo
from .results.update import take_in
from .watch.status import status

__all__ = [
    "Campaign",
    "create",
    "export",
    "from_log",
    "from_scores",
    "open",
    "open_batch",
    "status",
    "take_back",
    "take_in",
    "take_over",
    "undo",
]


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
    return Campaign(path)
