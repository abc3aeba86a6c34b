"""Makes a campaign from an items file."""

from __future__ import annotations

import secrets
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from ..data.options import one_of, whole_number
from ..errors import DataWarning, InputError
from ..native.annotation.allocation import Pool
from ..native.annotation.methods import Method, Settings, start
from .formats.files import MODEL_COLUMNS, SKILL_COLUMNS, ItemsFile, cells_of, check_numbered, read_items
from .hits.plan import check_roles
from .hits.qualification import parse_rule
from .page.texts import Texts, texts_to_rows
from .storage.design import RESERVED, Design
from .storage.items import Reserved, reserved_cells
from .storage.records import About, write_about, write_items
from .storage.rules import write_rule
from .storage.store import created
from .storage.texts import write_texts

#: Number of items in a HIT in the paper's experiments.
PER_HIT = 5


def create(
    path: str | Path,
    items: str | Path,
    method: Method = "easl",
    per_hit: int = PER_HIT,
    *,
    settings: Settings = Settings(),
    pool: Pool = "paper",
    seed: int | None = None,
    encoding: str | None = None,
    design: Design = Design(),
    texts: Texts = Texts(),
) -> About:
    """Create a campaign.

    Parameters
    ----------
    path : path
        The database to create; it must not exist.
    items : path
        CSV or TSV with the columns `id`, `sent` (the item's text, which alone is shown to annotators) and any
        others; `role`, `of`, `source`, `system` and `gold` say what an item is for, see
        :mod:`pairproof.campaign.storage.items`.
    method : Method
    per_hit : int
        Items in a HIT; the paper's direct assessment shows 1, its other methods 5.
    settings : Settings
    pool : Pool
        Where partners come from, see :mod:`pairproof.native.annotation.allocation`.
    seed : int, optional
        Seed of all batches; default: drawn at random and stored.
    encoding : str, optional
        Encoding of the items file, if it is not UTF-8.
    design : Design
        What annotators see, who judges what, and which judgments count.  Its `columns` says which columns of
        the items file stand for role, of, source, system and gold; default: those of these names.
    texts : Texts
        What annotators read beside the items.

    Returns
    -------
    About

    Raises
    ------
    InputError
        The items file is not as expected; the message names file, row and column.
    """
    one_of("method", method, get_args(Method))
    one_of("pool", pool, get_args(Pool))
    read = read_items(items, encoding)
    model = [c for c in read.columns if c in (*MODEL_COLUMNS, *SKILL_COLUMNS)]
    if {"alpha", "beta"} <= set(model) or set(SKILL_COLUMNS) <= set(model):
        raise InputError(
            f"{read.table.source}: has columns {', '.join(model)}, so it is a model file; use 'pairproof easl"
            " import' for it"
        )
    whole_number("per_hit", per_hit)
    # First, because the columns of a batch are as many as a HIT has items.
    check_size(per_hit, len(read.ids), method, read.table.source)
    check_numbered(read.columns, per_hit, read.table.source)
    chosen = with_columns(design, read)
    if chosen.qualify:
        parse_rule(chosen.qualify)
    reserved = reserved_of(read, chosen)
    check_size(per_hit, sum(role == "item" for role, *_ in reserved), method, read.table.source)
    check_roles(read.table.source, chosen.degraded, chosen.gold, {role for role, *_ in reserved})
    if chosen.arrange == "same-source":
        check_sources(reserved, per_hit, read.table.source)
    _warn_of_pages(reserved, chosen)
    drawn = secrets.randbits(48) if seed is None else whole_number("seed", seed)
    made = About(secrets.token_hex(6), method, per_hit, settings, pool, drawn, read.columns, False, chosen)
    with created(path) as store:
        write_about(store, made)
        write_items(store, read.ids, read.fields(read.columns), start(method, len(read.ids)), reserved)
        write_texts(store, tuple(texts_to_rows(texts)))
        write_rule(store, "repeats", chosen.on_repeat)
        if chosen.qualify:
            write_rule(store, "qualification", chosen.qualify)
    return made


def with_columns(design: Design, read: ItemsFile) -> Design:
    """The design with the columns of this items file: reserved ones, the item's text, those shown."""
    given = dict(design.columns)
    strange = [name for name in given if name not in RESERVED]
    if strange:
        raise InputError(f"--col {strange[0]}=: expected one of {', '.join(RESERVED)} before the sign")
    for name, column in given.items():
        _check_column(read, column, f"--col {name}=")
    columns = {name: given.get(name, name) for name in RESERVED}
    columns = {name: column for name, column in columns.items() if column in ("", *read.columns)}
    free = [c for c in read.columns if c not in columns.values()]
    text = design.text
    if text not in free:
        if text != Design().text:
            _check_column(read, text, "--text")
            raise InputError(f"--text {text}: this column stands for {_meaning(columns, text)}; name another")
        if len(free) > 1:
            raise InputError(
                f"{read.table.source}: no column {text!r}, and {len(free)} others could hold the item's text:"
                f" {', '.join(map(repr, free))}; say which with --text, and use --show for others that"
                " annotators should see"
            )
        text = free[0] if free else "id"
    chosen = replace(design, text=text, columns=columns)
    for name in chosen.shown():
        _check_column(read, name, "--show")
    return chosen


def _check_column(read: ItemsFile, column: str, option: str) -> None:
    if column and column not in read.columns:
        raise InputError(
            f"{read.table.source}: {option} {column}: no such column; found"
            f" {', '.join(map(repr, ('id', *read.columns)))}"
        )


def _meaning(columns: Mapping[str, str], text: str) -> str:
    return next((name for name, column in columns.items() if column == text), text)


def reserved_of(read: ItemsFile, design: Design) -> list[Reserved]:
    """What the reserved columns of an items file say of each item."""
    cells = {name: cells_of(read.table, column) for name, column in design.columns.items() if column}
    return reserved_cells(read.table, read.ids, cells, design.columns)


def check_sources(reserved: Sequence[Reserved], per_hit: int, source: str) -> None:
    """Check that each item has a source and that no source has more items than a HIT."""
    held = Counter(name for role, _, name, _, _ in reserved if role == "item")
    if held[""]:
        raise InputError(
            f"{source}: {held['']} items have no source; --design same-source needs a column 'source' (or"
            " --col source=COLUMN)"
        )
    name, most = held.most_common(1)[0]
    if most > per_hit:
        raise InputError(
            f"{source}: source {name!r} has {most} items, but a HIT has {per_hit}; use --per-hit {most}"
        )


def _warn_of_pages(reserved: Sequence[Reserved], design: Design) -> None:
    """Say, before anything is dealt, where a design leaves a degraded item alone on its page."""
    if not design.degraded or design.arrange != "same-source":
        return
    held = Counter(name for role, _, name, _, _ in reserved if role == "item")
    originals = [reserved[of] for role, of, *_ in reserved if role == "degraded" and of is not None]
    alone = sum(held[name] == 1 for role, _, name, _, _ in originals if role == "item")
    if alone:
        warnings.warn(
            f"{alone} degraded item(s) are of sources with one output: they are alone on their pages, as their"
            " originals are; give these sources more outputs, or leave out --design same-source",
            DataWarning,
        )


def check_size(per_hit: int, n_items: int, method: Method, source: str) -> None:
    """Check that a HIT has no more items than there are, and at least two if the method compares items."""
    least = 1 if method == "da" else 2
    if not least <= per_hit <= n_items:
        raise InputError(
            f"{source}: {n_items} item(s), but {per_hit} per HIT; expected {least} to {n_items} with method"
            f" {method} (--per-hit)"
        )
