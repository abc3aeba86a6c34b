"""Is the design that llbt.fit was given an LLBT?  Read off its columns, block by block; names are only
labels.

The rows are blocks of `ncat` answers to one comparison: first preferred, (neither,) second preferred. Less
a constant of the block, which the model eliminates, a column is

    item            s, 0, -s   with s = 1 where the item is named first, -1 where it is second, else 0
    item x covariate  s x, 0, -s x
    tie             0, t, 0    with t = 1 in every block; tie x covariate otherwise

At most one plus and one minus item stand in a block; where there is one alone the other is the reference,
which has no column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Blocks:
    """A design as comparisons.

    items: the reference last.  `first`, second int[q]: items of each block.  counts float[q, ncat].
    covariates: by the name that it has in Python.  terms: column of the design -> the item ("tie" for ties)
    and its covariate ("" for none).
    """

    items: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    counts: Floats
    covariates: dict[str, Floats] = field(default_factory=dict)
    terms: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def has_ties(self) -> bool:
        """Whether a tie parameter is among the columns."""
        return ("tie", "") in self.terms.values()

    @property
    def by(self) -> str:
        """Formula of the covariates: of all items, of single items, of ties."""
        free = self.items[:-1]
        out = []
        for name in self.covariates:
            with_it = [head for head, x in self.terms.values() if x == name and head != "tie"]
            out += [name] if set(with_it) == set(free) else [f"{_ticked(item)}:{name}" for item in with_it]
            if ("tie", name) in self.terms.values():
                out.append(f"tie:{name}")
        return " + ".join(out)


def blocks_of(
    y: Floats, x: Floats, names: Sequence[str], n_blocks: int, n_answers: int, reference: str = ""
) -> Blocks | str:
    """The comparisons of a design; a sentence where it is none.

    y float[rows].  x float[rows, p].  n_blocks, n_answers: q and ncat: blocks, and rows in each.
    """
    if n_answers not in (2, 3) or len(y) != n_blocks * n_answers or x.shape != (len(y), len(names)):
        return "its rows are no blocks of two or three answers"
    if len(set(names)) < len(names):
        return "two columns of its design have one name"
    side, middle = _parts(x.reshape(n_blocks, n_answers, len(names)))
    odd = [k for k in range(len(names)) if not middle[:, k].any()]
    even = [k for k in range(len(names)) if not side[:, k].any()]
    if len(odd) + len(even) < len(names):
        return "a column of its design is neither of items nor of ties"
    items = _items(side, odd, names)
    signs = np.column_stack([side[:, k] for k in items]) if items else np.zeros((n_blocks, 0))
    if not items or ((signs > 0).sum(axis=1) > 1).any() or ((signs < 0).sum(axis=1) > 1).any():
        return "no columns of its design are items, one for and one against in each block"
    if not np.abs(signs).any(axis=1).all():
        return "a block of its design compares no two items"
    own = tuple(names[k] for k in items)
    last = reference or _reference(own)
    found = Blocks((*own, last), _side(signs > 0), _side(signs < 0), y.reshape(n_blocks, n_answers))
    for k, name in zip(items, own):
        found.terms[names[k]] = (name, "")
    why = _ties(found, names, even, middle) or _covariates(found, names, odd, items, side)
    return why or found


def _parts(x: Floats) -> tuple[Floats, Floats]:
    """float[q, p] twice: half the difference of the outer rows of each block, and the middle row less their
    mean.
    """
    outer = (x[:, 0] + x[:, -1]) / 2.0
    side = (x[:, 0] - x[:, -1]) / 2.0
    middle = x[:, 1] - outer if x.shape[1] == 3 else np.zeros_like(side)
    return side, middle


def _items(side: Floats, odd: list[int], names: Sequence[str]) -> list[int]:
    """Columns of items: 1, 0 and -1, and no part of another such column, as an item in one group of persons
    is.
    """
    plain = [k for k in odd if np.isin(side[:, k], (-1.0, 0.0, 1.0)).all() and side[:, k].any()]

    def within(k: int, j: int) -> bool:
        there = side[:, k] != 0
        return (
            j != k
            and there.sum() < (side[:, j] != 0).sum()
            and bool((side[there, k] == side[there, j]).all())
        )

    return [k for k in plain if not any(within(k, j) for j in plain)]


def _side(there: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int[q]: the item on this side of each block; the reference where there is none."""
    n = there.shape[1]
    return np.where(there.any(axis=1), there.argmax(axis=1), n).astype(np.int64)


def _reference(own: Sequence[str]) -> str:
    numbered = [re.fullmatch(r"(\D+)(\d+)", name) for name in own]
    heads = {m[1] for m in numbered if m}
    if (
        all(numbered)
        and len(heads) == 1
        and [int(m[2]) for m in numbered if m] == list(range(1, len(own) + 1))
    ):
        return f"{heads.pop()}{len(own) + 1}"
    return "reference" if "reference" not in own else "reference_"


def _ties(found: Blocks, names: Sequence[str], even: list[int], middle: Floats) -> str:
    whole = [k for k in even if (middle[:, k] == 1.0).all()]
    if even and len(whole) != 1:
        return "none of its columns is 1 in every tie"
    for k in even:
        if k in whole:
            found.terms[names[k]] = ("tie", "")
            continue
        why = _add(found, names[k], "tie", names[whole[0]], middle[:, k], np.ones(len(middle), bool))
        if why:
            return why
    return ""


def _covariates(found: Blocks, names: Sequence[str], odd: list[int], items: list[int], side: Floats) -> str:
    """Columns of an item times a covariate: the name says which item, the numbers whether it is true."""
    for k in odd:
        if k in items:
            continue
        parts = names[k].split(":")
        of = [j for j in items if names[j] in parts and not side[side[:, j] == 0, k].any()]
        if len(of) != 1:
            return f"its column {names[k]} is no item times a covariate"
        j = of[0]
        there = side[:, j] != 0
        values = np.divide(side[:, k], side[:, j], out=np.zeros(len(side)), where=there)
        why = _add(found, names[k], names[j], names[j], values, there)
        if why:
            return why
    return ""


def _add(found: Blocks, column: str, head: str, base: str, values: Floats, there: NDArray[np.bool_]) -> str:
    """Put a product into `found`: its covariate is what is left of the column's name; "" if the numbers
    agree.
    """
    rest = [part for part in column.split(":") if part != base]
    name = re.sub(r"\W+", "_", "_".join(rest)).strip("_") or "covariate"
    if name[0].isdigit() or name in (
        "first",
        "second",
        "wins",
        "ties",
        "losses",
        "weight",
        "judge",
        "source",
        "order",
    ):
        name = f"x_{name}"
    known = found.covariates.get(name)
    if known is None:
        known = np.full(len(values), np.nan)
    # A covariate is a column of the script's own, divided by an item's +1 or -1: equal but for one rounding
    # (observed 0, for whole numbers and halves).
    if not np.allclose(
        known[there & ~np.isnan(known)], values[there & ~np.isnan(known)], rtol=1e-12, atol=0.0
    ):
        return f"its columns of {name} are of different covariates"
    found.covariates[name] = np.where(there, values, known)
    found.terms[column] = (head, name)
    return ""


def _ticked(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f"`{name}`"
