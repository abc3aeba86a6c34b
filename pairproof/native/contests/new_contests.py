"""The table of a fit with comparisons to be predicted after its own rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor
from ...data.comparisons import Comparisons
from ...errors import InputError, ItemError
from ...fit.contests.spec import ContestSpec
from ...fit.fit import Fit
from ...fit.warning import listed
from .options import BESIDE

if TYPE_CHECKING:
    import pandas as pd

IntArray = NDArray[np.int64]
#: Comparisons to be predicted at most; each takes a row of all parameters.
MOST = 100_000


def stacked(
    fit: Fit,
    spec: ContestSpec,
    contests: Mapping[str, Sequence[Any]] | pd.DataFrame,
    item_data: Mapping[str, Mapping[str, str | float]],
) -> tuple[Comparisons, int, int]:
    """The fit's table with new rows and items at the end, and the numbers of rows and items before them.

    item_data: of new items.  Returns Comparisons, int, int: the new rows have one win, which counts for
    nothing; columns that `contests` lacks are left out.
    """
    data = fit.data
    names = [str(c) for c in (contests.columns if hasattr(contests, "columns") else contests)]
    given = {name: list(contests[name]) for name in names}
    lengths = {name: len(values) for name, values in given.items()}
    if "first" not in given or "second" not in given or len(set(lengths.values())) > 1:
        raise InputError(
            f"contests has the columns {', '.join(f'{k} ({n})' for k, n in lengths.items()) or 'none'}; expected first,"
            " second and the columns of the model, all of one length"
        )
    n = lengths["first"]
    if not 0 < n <= MOST:
        raise InputError(f"contests has {n:,} rows; expected 1 to {MOST:,}")
    again = [item for item in item_data if item in data.items]
    if again:
        raise ItemError(
            f"item_data has {', '.join(again[:8])}, which the model was fitted to: its covariates are known"
        )
    items = (*data.items, *map(str, item_data))
    place = {item: k for k, item in enumerate(items)}
    sides = []
    for side in ("first", "second"):
        unknown = [v for v in given[side] if str(v) not in place]
        if unknown:
            cure = "; its ability is a free parameter, of which nothing is known without a comparison"
            if spec.item_terms or spec.no_abilities:
                cure = (
                    f"; give {' and '.join(data.item_data) or 'it'} in item_data={{{str(unknown[0])!r}: {{...}}}}, on the"
                    " command line in the file of --new-items"
                )
            raise ItemError(
                f"contests, {side}: {unknown[0]!r} is not among the items of {data.source} ({listed(data.items, 12)}){cure}"
            )
        sides.append(np.array([place[str(v)] for v in given[side]], np.int64))
    same = np.flatnonzero(sides[0] == sides[1])
    if len(same):
        raise ItemError(f"contests, row {same[0] + 1}: {items[sides[0][same[0]]]!r} is compared with itself")
    columns = {
        name: _longer(name, column, given[name], "contests", lenient=name == "judge")
        for name, column in data.columns.items()
        if name in given and name not in spec.derived
    }
    _need(spec, columns, data)
    covariates = {
        name: _longer(
            name, column, [_of_item(item, values, name) for item, values in item_data.items()], "item_data"
        )
        for name, column in data.item_data.items()
        if name not in spec.derived
    }
    one, none = np.ones(n), np.zeros(n)
    return (
        Comparisons.build(
            items,
            np.concatenate([data.first, sides[0]]),
            np.concatenate([data.second, sides[1]]),
            np.concatenate([data.wins, one]),
            np.concatenate([data.ties, none]) if data.tie_category else None,
            np.concatenate([data.losses, none]),
            columns=columns,
            item_data=covariates,
            source="contests",
        ),
        data.n_rows,
        len(data.items),
    )


def _need(spec: ContestSpec, columns: Mapping[str, Column], data: Comparisons) -> None:
    name = spec.offset.removesuffix(BESIDE)  # an offset(...) of the formula is worked out again
    if name in data.columns and name not in spec.derived and name not in columns:
        if not name.startswith("offset("):
            raise InputError(f"contests lacks the column {name!r}, the model's offset")


def _of_item(item: str, values: Mapping[str, str | float], name: str) -> str | float:
    return values.get(name, float("nan"))


def _longer(name: str, column: Column, more: Sequence[Any], what: str, lenient: bool = False) -> Column:
    """A column with more values at its end; levels stay in their order, new ones after them."""
    if not isinstance(column, Factor):
        try:
            values = np.array([float(v) for v in more])
        except (TypeError, ValueError):
            raise InputError(f"{what}, {name}: {list(more)[:5]}; expected numbers") from None
        longer: Column = np.concatenate([column, values])
        return longer
    text = ["" if v is None or (isinstance(v, float) and np.isnan(v)) else _label(v) for v in more]
    new = [v for v in dict.fromkeys(text) if v and v not in column.levels]
    if new and not lenient and what == "contests":
        raise InputError(
            f"{what}, {name}: {new[0]!r} is not a level that the model was fitted to; they are"
            f" {', '.join(column.levels[:20])}"
        )
    levels = (*column.levels, *new)
    code = {level: k for k, level in enumerate(levels)}
    return Factor(np.concatenate([column.codes, [code.get(v, -1) for v in text]]).astype(np.int64), levels)


def _label(value: object) -> str:
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)
