"""psychotools' paircomp: comparisons with a row a judge and a column a pair, (12)(13)(23)(14)(24)(34)..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...process.policy import BackendLike
from ...values.values import RVector
from ..answers import Floats, RAnswer, as_frame, ask, asks, optional, reals

if TYPE_CHECKING:
    from ....data.respondents import Respondents

NEEDS = ("psychotools",)

PAIRCOMP = """
y <- psychotools::paircomp(data, labels = labels, mscale = mscale, ordered = ordered, covariates = covariates)
s <- summary(y)
list(object = y, labels = labels(y), mscale = as.numeric(psychotools::mscale(y)), text = as.character(y),
     pairs = rownames(s), answers = colnames(s), counts = matrix(as.numeric(s), nrow(s)))
"""


@dataclass(frozen=True, eq=False)
class Paircomp(RAnswer):
    """Comparisons as an R object of class ``paircomp``.

    labels: the items.  mscale float[steps]: the scale of answers: -1, 1; -1, 0, 1 with ties; more steps where
    preferences have degrees.  text: R's text of each judge: ``{a > b, a = c, NA}``.  pairs, answers: rows and
    columns of R's summary.  counts float[pairs, answers].  value: the object itself, to be given to R again.
    """

    labels: tuple[str, ...]
    mscale: Floats
    text: tuple[str, ...]
    pairs: tuple[str, ...]
    answers: tuple[str, ...]
    counts: Floats
    value: RVector = field(repr=False)

    def respondents(self, degrees: Literal["refuse", "ignore"] = "refuse") -> Respondents:
        """The judges as pairproof has them; what degrees of preference become is as in `read_respondents`."""
        from ...values.objects import respondents_of  # brings pandas

        return respondents_of(self.value, "paircomp", degrees=degrees)


@asks(*NEEDS)
def paircomp(
    data: Any,
    labels: Sequence[str] | None = None,
    mscale: Sequence[float] | None = None,
    ordered: bool = False,
    covariates: Any = None,
    *,
    backend: BackendLike = None,
) -> Paircomp:
    """R's ``psychotools::paircomp(data, labels, mscale, ordered, covariates)``.

    Parameters
    ----------
    data : float[judges, pairs]
        Above 0 the first is preferred, below 0 the second, 0 undecided, NaN not compared.
    labels : sequence of str, optional
        Default a, b, c, ...
    mscale : sequence of float, optional
        The answers that could be given; default those that occur, and their opposites.
    ordered : bool
        Both orders of presentation, twice as many columns; ``btmodel`` refuses that ("position effects not yet implemented").
    covariates : DataFrame or mapping, optional
        Of the items.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Paircomp

    Raises
    ------
    ValueError, RError
        `data` is no matrix; R's own, where the columns are not those of all pairs.

    Examples
    --------
    >>> paircomp([[1, 0, float("nan")]], ["a", "b", "c"]).text  # doctest: +SKIP
    ('{a > b, a = c, NA}',)
    """
    table = reals(data)
    if table.ndim != 2:
        raise ValueError(f"paircomp expects judges in rows and pairs in columns; found shape {table.shape}")
    arguments = {
        "data": np.where(np.isnan(table), np.nan, table),
        "labels": optional(list, labels),
        "mscale": optional(reals, mscale),
        "ordered": bool(ordered),
        "covariates": optional(as_frame, covariates),
    }
    result = ask(backend, "psychotools::paircomp", PAIRCOMP, arguments, NEEDS)
    return Paircomp.read(result, value=result.as_list().vector("object"))


def pair_columns(n_items: int) -> list[tuple[int, int]]:
    """(i, j) of each pair column, from 0: (01)(02)(12)(03)..."""
    return [(i, j) for j in range(1, n_items) for i in range(j)]


def paircomp_from_counts(
    first: Sequence[str],
    second: Sequence[str],
    wins: Sequence[int],
    losses: Sequence[int],
    ties: Sequence[int] | None,
    items: Sequence[str],
) -> Floats:
    """Counts as judges in rows: as many rows as the fullest pair has comparisons, NaN where a pair has fewer.

    Parameters
    ----------
    first, second : str[rows]
    wins, losses, ties : int[rows]
        From the first item's side; ``ties=None``: none.
    items : sequence of str

    Returns
    -------
    float[judges, pairs]
        As :func:`btmodel` takes it.

    Raises
    ------
    ValueError
        For counts that are not whole, unknown items, or an item compared with itself.

    Examples
    --------
    >>> from pairproof.bridge.packages.psychotools import paircomp_from_counts
    >>> paircomp_from_counts(["A", "B"], ["B", "C"], [2, 0], [1, 1], None, ["A", "B", "C"])
    array([[ 1., nan, -1.],
           [ 1., nan, nan],
           [-1., nan, nan]])
    """
    place = {item: j for j, item in enumerate(items)}
    column = {pair: k for k, pair in enumerate(pair_columns(len(items)))}
    answers: list[list[float]] = [[] for _ in column]
    no_ties = [0] * len(first) if ties is None else ties
    for x, y, won, lost, tied in zip(first, second, wins, losses, no_ties):
        if any(float(c) != int(c) or c < 0 for c in (won, lost, tied)):
            raise ValueError(f"{x} against {y}: btmodel takes whole comparisons; found {won}, {tied}, {lost}")
        if x not in place or y not in place or x == y:
            raise ValueError(f"{x!r} against {y!r}: expected two different items of {list(items)}")
        i, j = place[x], place[y]
        sign = 1.0 if i < j else -1.0
        cell = answers[column[min(i, j), max(i, j)]]
        cell += [sign] * int(won) + [0.0] * int(tied) + [-sign] * int(lost)
    table = np.full((max(map(len, answers), default=0), len(column)), np.nan)
    for k, cell in enumerate(answers):
        table[: len(cell), k] = cell
    return table
