"""`easl degrade`: an items file with degraded items added, for a campaign with a share of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...data.options import whole_number
from ...errors import InputError
from ...files.guarded import csv_text
from ...files.outputs import write
from ..formats.files import ItemsFile, cells_of, read_items
from .degrading import degraded, new_ids, pick_items

#: The columns that say what a row is, and of which item.
ROLE, OF = "role", "of"


@dataclass(frozen=True)
class Degraded:
    """What was written.

    items: items that were there.  degraded: rows that were added.
    """

    items: int
    degraded: int
    seed: int


def degrade(
    items: str | Path,
    out: str | Path,
    *,
    text: str = "sent",
    number: int | None = None,
    seed: int = 0,
    encoding: str | None = None,
    force: bool = False,
) -> Degraded:
    """Write an items file with degraded items added.

    out: .csv; every row of `items`, and rows with `role` degraded and the original's id in `of`.  text:
    column with the text.  number: items to degrade, drawn at random; default: all.  encoding: of the items
    file, if it is not UTF-8.  force: also overwrite a file that pairproof did not make.
    """
    if Path(out).suffix.lower() != ".csv":
        raise InputError(f"{out}: ends in {Path(out).suffix or 'no suffix'!r}; expected .csv")
    rng = np.random.default_rng(whole_number("seed", seed))
    read = read_items(items, encoding)
    source = read.table.source
    if text not in read.columns:
        raise InputError(
            f"{source}: no column {text!r}; found {', '.join(map(repr, read.columns))}: --text names the column"
            " that is degraded"
        )
    roles = cells_of(read.table, ROLE) if ROLE in read.columns else ["item"] * len(read.ids)
    if "degraded" in roles:
        raise InputError(
            f"{read.table.where(roles.index('degraded'), ROLE)}: the file has degraded items already; take"
            " them out to make others"
        )
    plain = [k for k, role in enumerate(roles) if role in ("item", "")]
    if not plain:
        raise InputError(f"{source}: no row has the role item, so there is nothing to degrade")
    chosen = pick_items(plain, number, rng)
    header, rows = _rows(read, text, roles, chosen, plain, rng)
    write(out, csv_text(header, rows), reads=[items], force=force)
    return Degraded(len(plain), len(chosen), seed)


def _rows(
    read: ItemsFile,
    text: str,
    roles: list[str],
    chosen: list[int],
    plain: list[int],
    rng: np.random.Generator,
) -> tuple[list[str], list[list[str]]]:
    columns = [*read.columns, *(c for c in (ROLE, OF) if c not in read.columns)]
    cells = {name: cells_of(read.table, name) for name in read.columns}
    cells[ROLE] = [role or "item" for role in roles]
    cells.setdefault(OF, [""] * len(read.ids))
    texts = cells[text]
    sources = cells.get("source", [""] * len(read.ids))
    pool = [texts[k] for k in plain]
    by_source = [sources[k] for k in plain]
    rows = [[name, *(cells[c][k] for c in columns)] for k, name in enumerate(read.ids)]
    for k, name in zip(chosen, new_ids(read.ids, len(chosen), rng)):
        bad = _degraded(texts[k], pool, by_source, sources[k], rng)
        if bad is None:
            raise InputError(
                f"{read.table.where(k, text)}: {texts[k][:40]!r}: no other item has as many other words to put"
                " into it; leave the item out, or add items"
            )
        own = {**{c: cells[c][k] for c in columns}, text: bad, ROLE: "degraded", OF: read.ids[k]}
        own.update({"gold": ""} if "gold" in own else {})
        rows.append([name, *(own[c] for c in columns)])
    return ["id", *columns], rows


def _degraded(
    text: str, pool: list[str], by_source: list[str], source: str, rng: np.random.Generator
) -> str | None:
    """The text with words of an item of another source, or of any other item if no such one will do."""
    if source:
        # Outputs of the same source share most words; a few draws nearly always find another source.
        for _ in range(20):
            k = int(rng.integers(len(pool)))
            if by_source[k] != source and (found := degraded(text, [pool[k]], rng)) is not None:
                return found
    return degraded(text, pool, rng)
