"""Opens a campaign to read it, or takes one that is open already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Union

from ..storage.store import Store, opened

#: A campaign: its file, or the open file.
Campaign = Union[Store, str, Path]


@contextmanager
def reading(campaign: Campaign) -> Iterator[Store]:
    """The campaign as an open store, in which one consistent state is read.

    campaign: a store stays open.
    """
    if isinstance(campaign, Store):
        yield campaign
        return
    with opened(campaign, write=False) as store:
        yield store
