"""Read a table of whole answers, in the layout that is named: those of R's prefmod, PlackettLuce, psychotools."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...errors import InputError
from ...text import listed
from ..options import one_of
from ..where import Conditions, conditions_of
from .pairs_and_ratings import from_paircomp, from_pairs, from_ratings
from .ranking_layouts import from_long_ranks, from_orders, from_ranking_text, from_rankings, from_ranks
from .respondents import Respondents

AnswerLayout = Literal[
    "pairs", "ranks", "long-ranks", "orders", "ranking-text", "rankings", "ratings", "paircomp"
]
#: The reader of each layout.
READERS: Mapping[AnswerLayout, Callable[..., Respondents]] = {
    "pairs": from_pairs,
    "ranks": from_ranks,
    "long-ranks": from_long_ranks,
    "orders": from_orders,
    "ranking-text": from_ranking_text,
    "rankings": from_rankings,
    "ratings": from_ratings,
    "paircomp": from_paircomp,
}


def read_respondents(
    source: Any, layout: AnswerLayout, *, where: Conditions = None, **options: Any
) -> Respondents:
    """Read whole answers of persons: comparisons with gaps, rankings, ratings.

    Nothing is guessed: the answer columns, the direction of a scale, and the meaning of gaps must be given.

    Parameters
    ----------
    source : path, DataFrame or dict of columns
    layout : str
        "pairs": one column per pair, one row per person (as in R's prefmod); "ranks": one column per item,
        with its rank; "long-ranks": one row per item of a ranking; "orders": one column per place, with its item;
        "ranking-text": "A > B = C"; "rankings": `system1`, `rank1`, `system2`, ..., or `system` and `rank`, the
        rankings that `pairproof.read` splits into pairs; "ratings": one column per item, with its rating;
        "paircomp": psychotools' text "{A > B, A = C}".
    where : str or sequence of str, optional
        Only the persons who meet conditions on their columns, such as ["sex=1", "age>=30"]; see
        :meth:`Respondents.where`.  Items that no remaining person compared are removed.
    **options : object
        Options of the layout's reader, such as `items=`, `pair_order=`, `coding=`, `unranked=`, `scale=`: see
        `from_pairs`, `from_ranks`, `from_long_ranks`, `from_orders`, `from_ranking_text`, `from_rankings`,
        `from_ratings` and `from_paircomp` in :mod:`pairproof.data.respondents`.

    Returns
    -------
    Respondents

    Raises
    ------
    InputError
        An option that the layout does not have, or a missing one; input that the reader refuses, with row and column.

    Examples
    --------
    >>> import pairproof
    >>> pairproof.read_respondents({"A": [1, 2], "B": [2, 1], "C": [3, 3]}, layout="ranks", items=["A", "B", "C"])
    2 rankings of 3 items (no ties), from table
      1  A > B > C
      1  B > A > C
    """
    one_of("layout", layout, tuple(READERS))
    reader = READERS[layout]
    parameters = inspect.signature(reader).parameters
    known = [name for name in parameters if name != "source"]
    unknown = [name for name in options if name not in known]
    if unknown:
        raise InputError(f"layout={layout!r} has no option {unknown[0]!r}; options: {listed(known)}")
    needed = [n for n in known if parameters[n].default is inspect.Parameter.empty and n not in options]
    if needed:
        raise InputError(f"layout={layout!r} needs {listed(needed)}, which are not guessed")
    return reader(source, **options).where(*conditions_of(where))
