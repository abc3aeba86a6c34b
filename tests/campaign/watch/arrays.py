"""Answers and items of a campaign as arrays, without a database: for simulations."""

from __future__ import annotations

import numpy as np

from pairproof.campaign.storage.design import KINDS
from pairproof.campaign.storage.records import Items
from pairproof.campaign.watch.scores import Answers


def items(n: int, source=None, system=None, role=None, of=None, gold=None) -> Items:
    blank = ("",) * n
    return Items(
        tuple(f"i{k}" for k in range(n)),
        tuple(role or ("item",) * n),
        np.array(of if of is not None else [-1] * n, np.int64),
        tuple(source or blank),
        tuple(system or blank),
        np.array(gold if gold is not None else [np.nan] * n, float),
        (("text",),) * n,
    )


def answers(item, annotator, value, batch=None, kind="item", per_hit: int = 1, names=None) -> Answers:
    """One judgment of `per_hit` slots after the other, all of them counted."""
    n = len(item)
    judgment = np.arange(n) // per_hit + 1
    kinds = (
        np.full(n, KINDS.index(kind)) if isinstance(kind, str) else np.array([KINDS.index(k) for k in kind])
    )
    who = np.array(annotator, np.int64)
    return Answers(
        judgment,
        np.array(batch if batch is not None else np.ones(n), np.int64),
        judgment,
        np.arange(n) % per_hit + 1,
        who,
        np.array(item, np.int64),
        kinds,
        np.array(value, float),
        np.ones(n, bool),
        np.full(n, -1),
        np.full(n, np.nan),
        np.full(n, np.nan),
        tuple(names or (f"w{k}" for k in range(int(who.max(initial=-1)) + 1))),
    )
