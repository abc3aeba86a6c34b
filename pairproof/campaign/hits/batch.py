"""The next batch of HITs: opened in one transaction, and written to files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...errors import InputError
from ..formats.writers.links import check_address
from ..storage.annotators import add_annotator
from ..storage.records import About, about
from ..storage.store import Store, opened
from .assigning import registered_number, remember_tokens
from .batch_file import Target, written
from .chosen import Batch
from .keeping import batch_of, open_keys, visible
from .opening import Asked, Opening
from .tables import Style


def open_batch(
    path: str | Path,
    out: str | Path,
    hits: int | None = None,
    *,
    again: bool = False,
    seed: int | None = None,
    force: bool = False,
    qualification: bool = False,
    judgments: int | None = None,
    annotator: str | None = None,
    for_annotators: bool = False,
    due: str | None = None,
    show: Sequence[str] = (),
    style: Style = "plain",
    layout: str | Path | None = None,
    lang: str | None = None,
    address: str | None = None,
) -> Batch:
    """Choose the next HITs, store them as a batch, and write them to a file.

    Parameters
    ----------
    path : path
        Of the campaign.
    out : path
        .csv (one row per HIT, for Mechanical Turk), .jsonl (the same keys), .html (a self-contained page), or a
        folder (a page for each registered annotator, and index.csv).
    hits : int, optional
        Default: as many as show every item once (20 with pool keisks).
    again : bool
        Write the last batch again instead of choosing a new one.
    seed : int, optional
        Seed of this batch; default: the campaign's.
    force : bool
        Also overwrite a file that pairproof did not make.
    qualification : bool
        Open the qualification batch, or give it to those who have not had it.
    judgments : int, optional
        Different annotators for each HIT; default: the campaign's.
    annotator : str, optional
        Give the HITs to this annotator alone; with `again`, write only this annotator's.
    for_annotators : bool
        `out` is a folder, which is made if it is not there.
    due : str, optional
        Date or moment after which a HIT that has not come back is given to somebody else.
    show : sequence of str
        Columns that annotators see beside the text, in addition to the campaign's own.
    style : {"plain", "mturk", "label-studio"}
        How the batch is written: our own layout, for Mechanical Turk (.csv), or for Label Studio (.json).
    layout : path, optional
        Write also what shows the batch there: a layout (.html), or a labeling configuration (.xml).
    lang : str, optional
        Language of the texts beside the items; needed where the campaign has several.
    address : str, optional
        Where the pages of a folder are put, such as "https://example.org/pages/"; `links-K.csv` in the folder
        then has each annotator's link.

    Returns
    -------
    Batch

    Raises
    ------
    InputError
    """
    target = Target.of(out, for_annotators, style, layout, lang)
    if address is not None:
        check_address(address)
        if not target.folder:
            raise InputError(f"{out}: an address is that of a folder of pages; name a folder (--out pages/)")
    asked = Asked(hits, seed, judgments, annotator, due, tuple(show), qualification)
    if again:
        _only_again(asked)
    with opened(path, write=not again) as store:
        a = about(store)
        _check_shown(a, asked.show)
        batch = _last(store, a, asked) if again else Opening(store, a, asked).open()
        if not again and batch.given and (target.folder or target.path.suffix.lower() == ".html"):
            remember_tokens(store, batch.number)
        alone = annotator is not None
        with written(store, batch, target, [path], alone=alone, force=force, address=address) as files:
            # The batch is stored before its files are written: if killed in between, --again writes them.
            if not again:
                store.db.execute("COMMIT")
                store.db.execute("BEGIN")
    return replace(batch, files=files)


def next_batch(
    path: str | Path, hits: int | None = None, *, annotator: str | None = None, seed: int | None = None
) -> Batch:
    """Choose the next HITs and store them as a batch; no file is written.

    hits: default: as many as show every item once.  annotator: give the HITs to this annotator alone, who is
    registered if unknown.
    """
    with opened(path, write=True) as store:
        if annotator is not None:
            query = "SELECT 1 FROM annotator WHERE name = ? AND token IS NOT NULL"
            if store.db.execute(query, (str(annotator).strip(),)).fetchone() is None:
                add_annotator(store, annotator)
        return Opening(store, about(store), Asked(hits, seed, annotator=annotator)).open()


def _check_shown(a: About, show: Sequence[str]) -> None:
    """Check that these columns are there and may be shown."""
    absent = [name for name in a.design.shown(tuple(show)) if name not in a.columns]
    if absent:
        found = ", ".join(map(repr, visible(a))) or "none"
        raise InputError(f"--show {absent[0]}: no such column; those that can be shown are {found}")


def _only_again(asked: Asked) -> None:
    """Check that nothing was asked for that changes a batch."""
    values = vars(asked)
    given = [
        f"--{name}"
        for name in ("hits", "judgments", "due", "qualification")
        if values[name] not in (None, False)
    ]
    if given:
        raise InputError(f"--again writes the open batch unchanged; leave out {', '.join(given)}")


def _last(store: Store, a: About, asked: Asked) -> Batch:
    """The batch opened last, with the HITs of earlier ones that are out."""
    last = store.db.execute("SELECT MAX(number) FROM batch").fetchone()[0]
    if last is None:
        raise InputError(f"{store.path}: no batch is open yet; leave out --again")
    who = None if asked.annotator is None else registered_number(store, asked.annotator)
    keys, pairs = open_keys(store, int(last), who)
    if not keys:
        raise InputError(
            f"{store.path}: annotator {asked.annotator!r} has no HITs in batch {last} and none open"
        )
    return batch_of(store, a, int(last), keys, pairs, show=asked.show)
