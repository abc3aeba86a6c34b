"""The wide table of R's package prefmod: one column a pair of items, one row a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...reading import coding as read
from ...reading.assemble import has_tie_category
from ...reading.coding import CodingLike
from ...reading.wide import PairNames, PairOrderLike, wide_answers
from ...wide import prefmod_pair_order
from ..codes import FIRST, MISSING, SECOND, TIED
from ..respondents import Respondents
from .assemble import opened, respondents


def from_pairs(
    source: Any,
    *,
    items: Sequence[str],
    pair_order: PairOrderLike,
    coding: CodingLike,
    pairs: Sequence[str] | None = None,
    pair_names: PairNames | None = None,
    tie_category: bool | None = None,
    levels: Mapping[str, Sequence[Any]] | None = None,
    item_data: Any = None,
    person: str | None = None,
    encoding: str | None = None,
) -> Respondents:
    """Read a wide table of comparisons: a row is a person, a column a pair.

    Every column that holds no pair is a subject covariate; `weight` is the number of persons with the answer.

    pair_order: prefmod: 12 13 23 14 24 34 ...; lexicographic: 12 13 14 23 24 34 ...  A list may leave pairs
    out, which then nobody answered, and may name a pair from its other side.  coding: prefmod takes the
    smallest of codes that are not negative as "first preferred", {"first": 0, "tie": 1, "second": 2,
    "missing": "NA"}, and of codes with a negative one the largest, {"first": 1, "tie": 0, "second": -1,
    "missing": "NA"}; here it is stated.  Several codes may mean the same: {"first": [2, 1], ...}.  pairs:
    columns that hold pairs; default: the first ones.  pair_names: whether column names such as `A:B` must
    agree with `pair_order`; default: they must.  tie_category: whether "neither" could be answered; default:
    if somebody did.  levels: levels of covariates, the reference level first; makes a column of numbers
    categorical.  item_data: item covariates, one row an item.  person: the column that says who answered,
    wherever it stands, where it is not called `person`.  encoding: of a text file, if it is not UTF-8.
    """
    table, options = opened(source, items, levels, tie_category, item_data, encoding, person)
    names, order, found = wide_answers(table, options, pair_order, pairs, coding, pair_names)
    codes = np.zeros(4, np.int64)
    codes[[read.FIRST, read.TIE, read.SECOND, read.MISSING]] = FIRST, TIED, SECOND, MISSING
    given = codes[found]
    stated = options.items or ()
    place = {pair: k for k, pair in enumerate(prefmod_pair_order(len(stated)))}
    answers = np.full((table.n_rows, len(place)), MISSING, np.int64)
    for k, (i, j) in enumerate(order):
        turned = (i > j) & (given[:, k] != MISSING)
        answers[:, place[min(i, j), max(i, j)]] = np.where(turned, -given[:, k], given[:, k])
    tied = found == read.TIE
    ties = has_tie_category(table, options, tied.any(axis=1), names[int(np.argmax(tied.any(axis=0)))])
    return respondents(table, options, stated, "comparisons", answers, names, tie_category=ties)
