"""Shows or changes what annotators read beside the items of a campaign."""

from __future__ import annotations

from pathlib import Path

from .page.texts import Texts, texts_to_rows
from .storage.store import opened
from .storage.texts import TextRow, texts_of, write_texts


def change_texts(path: str | Path, texts: Texts | None) -> tuple[TextRow, ...]:
    """All texts of a campaign, after those of one language were replaced.

    texts: replaces all texts of its language; None: nothing changes.
    """
    with opened(path, write=texts is not None) as store:
        if texts is not None:
            others = [row for row in texts_of(store) if row[1] != texts.lang]
            write_texts(store, (*others, *texts_to_rows(texts)))
        return texts_of(store)
