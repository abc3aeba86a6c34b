"""Makes a campaign from an items file."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import get_args

from ..data.options import one_of, whole_number
from ..errors import InputError
from ..native.annotation.allocation import Pool
from ..native.annotation.methods import Method, Settings, start
from .formats.files import MODEL_COLUMNS, SKILL_COLUMNS, check_numbered, read_items
from .storage.records import About, write_about, write_items
from .storage.store import created

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
) -> About:
    """Create a campaign.

    Parameters
    ----------
    path : path
        The database to create; it must not exist.
    items : path
        CSV or TSV with the column `id` and any others; all are shown to annotators.
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
    check_size(per_hit, len(read.ids), method, read.table.source)
    check_numbered(read.columns, per_hit, read.table.source)
    drawn = secrets.randbits(48) if seed is None else whole_number("seed", seed)
    made = About(secrets.token_hex(6), method, per_hit, settings, pool, drawn, read.columns, False)
    with created(path) as store:
        write_about(store, made)
        write_items(store, read.ids, read.fields(read.columns), start(method, len(read.ids)))
    return made


def check_size(per_hit: int, n_items: int, method: Method, source: str) -> None:
    """Check that a HIT has no more items than there are, and at least two if the method compares items."""
    least = 1 if method == "da" else 2
    if not least <= per_hit <= n_items:
        raise InputError(
            f"{source}: {n_items} item(s), but {per_hit} per HIT; expected {least} to {n_items} with method"
            f" {method} (--per-hit)"
        )
