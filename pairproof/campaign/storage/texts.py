"""What annotators read beside the items, as rows: question, anchors, instructions, examples, words."""

from __future__ import annotations

from .store import Store

#: A text: name, language (BCP 47), direction, body.
TextRow = tuple[str, str, str, str]


def texts_of(store: Store) -> tuple[TextRow, ...]:
    """All texts of a campaign, in the order of their names."""
    return tuple(store.db.execute("SELECT name, lang, dir, body FROM text ORDER BY name, lang"))


def write_texts(store: Store, rows: tuple[TextRow, ...]) -> None:
    """Replace all texts of a campaign."""
    store.db.execute("DELETE FROM text")
    store.db.executemany("INSERT INTO text (name, lang, dir, body) VALUES (?, ?, ?, ?)", rows)
