"""Python calls that may have the model of a recorded BTm, the most readable first.

Free abilities are `fit_bradley_terry(table)`, with `order_effect=True` where each player named first is at home.  Any
other formula is written in pairproof's words; where it has none, the columns of R's own model matrix stand in the
table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from ...code.expressions import Call
from ...code.frames import table_call
from .contests import Contests, StaysInR

#: Names of columns that a table of comparisons reads as something of its own.
TAKEN = frozenset("first second wins losses ties judge weight source order item".split())
COUNTS = ("first", "second", "wins", "losses")


def candidates(call: RecordedCall, contests: Contests) -> Iterator[Call]:
    """Calls of `fit_bradley_terry`, in the order in which they are to be tried.

    Parameters
    ----------
    call : RecordedCall
    contests : Contests

    Yields
    ------
    Call
    """
    options = _options(call, contests)
    free, others = free_columns(contests)
    if free and not _random(call):
        if not others:
            yield fit_call(call, contests, {}, options)
            return
        if len(others) == 1 and (contests.x[:, others[0]] == 1).all():
            yield fit_call(call, contests, {}, options | {"order_effect": True})
            return


def fit_call(
    call: RecordedCall,
    contests: Contests,
    columns: dict[str, list[Any]],
    options: dict[str, Any],
    **reading: Any,
) -> Call:
    """`pairproof.fit_bradley_terry(pairproof.read("data/m.csv", ...), ...)`.

    Parameters
    ----------
    columns : mapping of str to list
        Of the table, beside players and counts.
    options : mapping
        Of the fit.
    **reading : object
        Of `pairproof.read`.
    """
    table = rows_of_table(contests) | columns
    options = dict(options)
    if "ties" in table:
        options["ties"] = "half"
    if contests.offset is not None and contests.offset.any():
        table["offset"] = [float(v) for v in contests.offset]
        options["offset"] = "offset"
    read = table_call(table, call.variable, layout="counts", items=list(contests.players), **reading)
    return Call("pairproof.fit_bradley_terry", (read,), options)


def rows_of_table(contests: Contests) -> dict[str, list[Any]]:
    """Players and counts; a contest that counts half for each is a tie where every fraction is one of such."""
    wins, losses = contests.wins, contests.losses
    tied = (wins == 0.5) & (losses == 0.5)
    table: dict[str, list[Any]] = {
        "first": [contests.players[k] for k in contests.first],
        "second": [contests.players[k] for k in contests.second],
    }
    if tied.any() and ((wins % 1 == 0) & (losses % 1 == 0) | tied).all():
        ties = tied.astype(float)
        wins, losses = np.where(tied, 0.0, wins), np.where(tied, 0.0, losses)
        return table | {"wins": _numbers(wins), "losses": _numbers(losses), "ties": _numbers(ties)}
    return table | {"wins": _numbers(wins), "losses": _numbers(losses)}


def free_columns(contests: Contests) -> tuple[bool, list[int]]:
    """Whether R's columns hold free abilities of all players, and the places of the other columns.

    They do if a column a player is there for all players but one, under whatever contrasts.
    """
    d = contests.indicators
    rank = len(contests.players) - 1
    of_items = [
        k
        for k in range(contests.x.shape[1])
        if contests.names[k].startswith(contests.id) and _of(d, contests.x[:, k])
    ]
    return len(of_items) == rank, [k for k in range(contests.x.shape[1]) if k not in of_items]


def _of(d: Any, column: Any) -> bool:
    """Whether a column is a sum of the players' indicators."""
    solved = np.linalg.lstsq(d, column, rcond=None)[0]
    return bool(np.abs(d @ solved - column).max(initial=0.0) <= 1e-9)


def _options(call: RecordedCall, contests: Contests) -> dict[str, Any]:
    """Reference, link, bias; what is R's default and ours is left out."""
    found: dict[str, Any] = {}
    reference = (call.strings("refcat") or ("",))[0]
    if reference and reference != contests.players[0]:
        found["reference"] = reference
    link = (call.strings("family") or ("binomial", "logit"))[-1]
    if link not in ("logit", "probit", "cauchit"):
        raise StaysInR(f"fit_bradley_terry has no link {link!r}")
    if link != "logit":
        found["link"] = link
    if bias_reduced(call):
        found["reduce_bias"] = "mean"
    found["cells"] = "row"
    return found


def bias_reduced(call: RecordedCall) -> bool:
    """Whether brglm fitted it."""
    return "brglm" in call.strings("class")


def _random(call: RecordedCall) -> bool:
    return "BTglmmPQL" in call.strings("class")


def _numbers(values: Any) -> list[Any]:
    """Counts, as int where all are whole."""
    return [int(v) for v in values] if (values % 1 == 0).all() else [float(v) for v in values]
