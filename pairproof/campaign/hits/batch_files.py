"""The files that a batch is written to: tables and layouts for other tools, a page, or a page a person.

The plain table holds every column that annotators may see and is a team's own.  Mechanical Turk's and Label
Studio's are shown as they are, and hold the text and the columns of `show` only.

Pages of annotators bear a token in their names, not the annotator's name, and `index-2.csv` says for the
team whose they are.  A page holds HITs of one batch, so an annotator who also gets HITs of an earlier
batch again has two: `TOKEN-2.html`, and `TOKEN-1-2.html` with the HITs of batch 1 that were given with
batch 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ...data.options import one_of
from ...errors import InputError
from ...files.outputs import check, check_apart, csv_text, replacing, write
from ..page import platforms
from ..page.batch_page import PageData, PageHit, PageSlot, page_html
from ..page.platforms import layout
from ..page.texts import Texts, text_rows_of, texts_from_rows
from ..storage.records import about
from ..storage.store import Store
from .choosing import Batch, Given

Style = Literal["plain", "mturk", "label-studio"]
#: Suffixes of a batch's file, by its style.
SUFFIXES: dict[Style, tuple[str, ...]] = {
    "plain": (".csv", ".jsonl", ".html"),
    "mturk": (".csv",),
    "label-studio": (".json",),
}
#: Suffix of what shows a batch in the other tool.
LAYOUTS: dict[Style, str] = {"mturk": ".html", "label-studio": ".xml"}


def check_style(style: str, layout_file: object | None) -> None:
    """Check a style, and that a layout is asked for only where there is one."""
    one_of("style", style, get_args(Style))
    suffix = {str(name): ending for name, ending in LAYOUTS.items()}.get(style)
    if layout_file is not None and suffix is None:
        cure = "add --for mturk or label-studio"
        raise InputError(f"--layout {layout_file}: for a batch of another tool; {cure}")
    if layout_file is not None and not str(layout_file).lower().endswith(str(suffix)):
        raise InputError(f"--layout {layout_file}: expected a name that ends in {suffix} with --for {style}")


def table(batch: Batch, style: Style, suffix: str) -> str:
    """The text of a batch's file."""
    if style == "plain":
        return plain_table(batch, suffix)
    return platforms.mturk_csv(sheet_of(batch)) if style == "mturk" else platforms.tasks_json(sheet_of(batch))


def sheet_of(batch: Batch) -> platforms.Sheet:
    """The batch with the columns that annotators see."""
    show = (batch.text, *batch.show)
    if batch.text not in batch.columns:
        raise InputError(
            f"the items have no text, only ids; --for mturk and label-studio need a column {batch.text!r}"
        )
    where = [batch.columns.index(name) for name in show]
    hits = tuple(tuple((name, tuple(cells[k] for k in where)) for name, cells in hit) for hit in batch.hits)
    return platforms.Sheet(batch.campaign, batch.per_hit, show, batch.places, hits)


def plain_table(batch: Batch, suffix: str) -> str:
    """A batch as CSV or JSON lines: every item column numbered from 1, then campaign, batch and hit."""
    sheet = platforms.Sheet(batch.campaign, batch.per_hit, batch.columns, batch.places, batch.hits)
    header, rows = platforms.numbered(sheet)
    if suffix == ".jsonl":
        return "".join(json.dumps(dict(zip(header, row)), ensure_ascii=False) + "\n" for row in rows)
    return csv_text(header, rows)


INDEX_COLUMNS = ("annotator", "token", "file", "batch", "hits")


@dataclass(frozen=True)
class Target:
    """Where a batch, and what shows it in another tool, is written to; a folder has a page a person."""

    path: Path
    folder: bool
    style: Style = "plain"
    layout: Path | None = None
    lang: str | None = None

    @staticmethod
    def of(
        out: str | Path,
        for_annotators: bool,
        style: Style = "plain",
        layout: str | Path | None = None,
        lang: str | None = None,
    ) -> Target:
        """The target that a user named."""
        check_style(style, layout)
        path, way = Path(out), None if layout is None else Path(layout)
        suffix = path.suffix.lower()
        if for_annotators or str(out).endswith(("/", "\\")) or path.is_dir():
            if style != "plain":
                raise InputError(f"{out}: a folder of pages, but --for {style} writes one file; name a file")
            if suffix in SUFFIXES["plain"] and not path.is_dir():
                expected = "with --for-annotators, expected a folder for the pages"
                raise InputError(f"{out}: names a file; {expected}")
            return Target(path, True, lang=lang)
        if suffix not in SUFFIXES[style]:
            folder = ", or a folder (a page for each registered annotator)" if style == "plain" else ""
            raise InputError(
                f"{out}: ends in {path.suffix or 'no suffix'!r}; expected {' or '.join(SUFFIXES[style])}{folder}"
            )
        if lang is not None and suffix != ".html" and layout is None:
            said = f"{out} contains items only; pages and layouts also have texts"
            raise InputError(f"--lang {lang}: {said}")
        return Target(path, False, style, way, lang)


@contextmanager
def written(
    store: Store,
    batch: Batch,
    target: Target,
    reads: Sequence[str | Path],
    *,
    alone: bool = False,
    force: bool = False,
    address: str | None = None,
) -> Iterator[tuple[str, ...]]:
    """Write a batch's files, and links to an address, when the block ends; it is checked before it."""
    if target.folder:
        contents = _folder(store, batch, target, address)
    elif target.path.suffix.lower() == ".html":
        contents = _pages(store, batch, target, alone)
    else:
        own = batch.only(batch.given[0].places) if alone and batch.given else batch
        contents = {target.path: table(own, target.style, target.path.suffix.lower())}
    if target.layout is not None:
        check_apart([target.path, target.layout])
        shown = layout if target.style == "mturk" else platforms.config_xml
        show, texts = (batch.text, *batch.show), _texts(store, target.lang)
        contents[target.layout] = shown(batch.per_hit, show, texts)
    if len(contents) == 1:
        ((path, text),) = contents.items()
        with replacing(path, text, reads=reads, force=force, known=_is_index):
            yield (str(path),)
        return
    for path, text in contents.items():
        check(path, reads=reads, force=force, content=text.encode("utf-8"), known=_is_index)
    yield tuple(map(str, contents))
    for path, text in contents.items():
        # A layout is a piece of HTML; it has its mark in a comment, as XML has.
        kind = ".xml" if path == target.layout else None
        write(path, text, kind=kind, reads=reads, force=force, known=_is_index)


# -- pages ---------------------------------------------------------------------------------------------------


def _pages(store: Store, batch: Batch, target: Target, alone: bool) -> dict[Path, str]:
    """One page for whoever opens it, or one annotator's: a page for each batch."""
    path = target.path
    if not batch.given:
        return {path: _page(store, batch, None, batch.number, target.lang)}
    if not alone:
        raise InputError(
            f"{path}: {len(batch.given)} annotators get HITs, and a single page would show all HITs to each of"
            f" them; name a folder (--out {path.stem}/) for one page each, or one annotator (--annotator NAME)"
        )
    given = batch.given[0]
    batches = sorted({batch.places[k][0] for k in given.places}, reverse=True)
    names = [path, *(path.with_name(f"{path.stem}-{number}{path.suffix}") for number in batches[1:])]
    return {name: _page(store, batch, given, number, target.lang) for name, number in zip(names, batches)}


def _folder(store: Store, batch: Batch, target: Target, address: str | None) -> dict[Path, str]:
    """A page for each annotator and batch, and the index for the team."""
    folder = target.path
    if not batch.given:
        raise InputError(
            f"{folder}: a page for each annotator, but no annotators are registered; 'easl annotators"
            f" add {store.path} NAME ...' registers them, or name a file (.csv, .jsonl, .html)"
        )
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        said = f"{folder}: cannot be made ({error.strerror}); name a folder in one that exists"
        raise InputError(said) from error
    found: dict[Path, str] = {}
    index = []
    for given in batch.given:
        for number in sorted({batch.places[k][0] for k in given.places}):
            # The page of an earlier batch may be in use: HITs that are given again have one beside it.
            beside = "" if number == batch.number else f"-{batch.number}"
            name = f"{given.token}-{number}{beside}.html"
            found[folder / name] = _page(store, batch, given, number, target.lang)
            hits = [str(batch.places[k][1]) for k in given.places if batch.places[k][0] == number]
            index.append([given.annotator, given.token, name, str(number), " ".join(hits)])
    found[folder / f"index-{batch.number}.csv"] = csv_text(INDEX_COLUMNS, index)
    if address is not None:
        links = [(annotator, name) for annotator, _, name, *_ in index]
        found[folder / f"links-{batch.number}.csv"] = platforms.links_csv(links, address)
    return found


def _is_index(content: bytes) -> bool:
    """Whether this is an index of pages or a table of their links, which the next one may replace."""
    return content.startswith((",".join(INDEX_COLUMNS).encode(), ",".join(platforms.LINK_COLUMNS).encode()))


def _page(store: Store, batch: Batch, given: Given | None, number: int, lang: str | None) -> str:
    return page_html(page_data(batch, given, number, _texts(store, lang), about(store).design.partial))


def _texts(store: Store, lang: str | None) -> Texts:
    return texts_from_rows(text_rows_of(store), lang)


def page_data(
    batch: Batch,
    given: Given | None = None,
    number: int | None = None,
    texts: Texts = Texts(),
    partial: bool = False,
) -> PageData:
    """What a page shows: the HITs and orders that were given to one annotator, or all as stored."""
    number = batch.number if number is None else number
    where = ["id", *batch.columns].index(batch.text if batch.text in batch.columns else "id")
    shown = [batch.columns.index(name) for name in batch.show]
    every = range(len(batch.hits))
    who = Given("", "", tuple(every), tuple(() for _ in every)) if given is None else given

    def slots(k: int) -> tuple[PageSlot, ...]:
        rows = ((name, *cells) for name, cells in batch.hits[k])
        return tuple(PageSlot(row[where], tuple(row[1 + s] for s in shown)) for row in rows)

    hits = tuple(
        PageHit(batch.places[k][1], slots(k), order)
        for k, order in zip(who.places, who.orders)
        if batch.places[k][0] == number
    )
    about_page = (batch.campaign, number, hits, batch.per_hit, batch.show, who.annotator, who.token)
    return PageData(*about_page, texts, partial)
