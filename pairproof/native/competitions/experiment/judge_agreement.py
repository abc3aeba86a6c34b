"""Agreement between judges: how often two judges give the same answer to the same comparison.

Two judgments are comparable if they compare the same two systems on the same source segment (and in the same
track, if tracks are named).  Over all pairs of comparable judgments by two different judges::

    P(A)   observed agreement: the share of pairs that prefer the same system, or are both ties
    P(E)   agreement expected by chance: 1/3 ("thirds"), or the sum of the squared shares of the three
    outcomes,
           where first and second are equally likely ("marginal")
    kappa  (P(A) - P(E)) / (1 - P(E))

The shared translation tasks at first reported P(A) and kappa with P(E) = 1/3.  Hopkins and May (2013, section
8) quote P(A) = 65.8 % for the experts of WMT10 and 46.6 % for its crowd, with references counted as systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ....data.columns import Factor, refuse_rows
from ....data.comparisons import Comparisons
from ....data.judgments import HAT, judgments
from ....data.options import one_of
from ....errors import InputError
from ....numerics.arrays import IntArray

Chance = Literal["thirds", "marginal"]


@dataclass(frozen=True)
class JudgeAgreement:
    """Agreement between judges.
    pairs: number of pairs of judgments of the same two outputs by different judges.  agreeing: number of
    these pairs with the same answer.  by_chance: P(E), the share expected to agree by chance, in [0, 1].
    judges: number of judges with at least one such pair."""

    pairs: int
    agreeing: int
    by_chance: float
    judges: int

    @property
    def share(self) -> float:
        """P(A), the share of pairs that agree, in [0, 1]; nan if there are no pairs."""
        return self.agreeing / self.pairs if self.pairs else float("nan")

    @property
    def kappa(self) -> float:
        """Kappa, the agreement beyond chance, at most 1; nan if there are no pairs or P(E) is 1."""
        beyond = 1.0 - self.by_chance
        return (self.share - self.by_chance) / beyond if beyond > 0.0 else float("nan")


def judge_agreement(
    table: Comparisons,
    *,
    judge: str = "judge",
    source: str = "source",
    tracks: Sequence[str] = (),
    chance: Chance = "thirds",
) -> JudgeAgreement:
    """Count how often two judges give the same answer to the same comparison (inter-annotator agreement).

    Parameters
    ----------
    table : Comparisons
        With whole counts.
    judge, source : str
        Names of the columns with the judge and the source segment.
    tracks : sequence of str
        Names of columns that distinguish sources of the same name, such as the language pair.
    chance : {"thirds", "marginal"}
        How P(E), the agreement expected by chance, is computed; see the module.

    Returns
    -------
    JudgeAgreement

    Raises
    ------
    InputError
        A missing or numeric column, a row without a judge or a source, or a count that is not whole.

    References
    ----------
    Hopkins and May (2013), section 8.

    Examples
    --------
    >>> import pairproof
    >>> rows = {"first": ["A"] * 3, "second": ["B"] * 3, "outcome": ["first", "first", "second"]}
    >>> table = pairproof.read({**rows, "judge": ["x", "y", "z"], "source": ["s"] * 3})
    >>> found = pairproof.judge_agreement(table)
    >>> found.pairs, found.agreeing, round(found.kappa, 3)
    (3, 1, 0.0)
    """
    one_of("chance", chance, get_args(Chance))
    single = judgments(table)
    columns = {name: _factor(table, name) for name in (judge, source, *tracks)}
    swap = single.first > single.second
    outcome = np.where(swap, HAT[single.outcome], single.outcome)
    low, high = np.minimum(single.first, single.second), np.maximum(single.first, single.second)
    thing = low * len(table.items) + high
    for name in (source, *tracks):
        key = thing * len(columns[name].levels) + columns[name].codes[single.row]
        _, thing = np.unique(key, return_inverse=True)
    who = columns[judge].codes[single.row]
    n_judges = len(columns[judge].levels)
    pairs = _across_judges(thing, who, n_judges)
    agreeing = _across_judges(thing * 3 + outcome, who, n_judges)
    share = np.bincount(single.outcome, minlength=3) / max(1, len(single))
    # Which output is named first is arbitrary, so both preferences get the same share.
    marginal = float(share[0] ** 2 + 2.0 * ((1.0 - share[0]) / 2.0) ** 2)
    by_chance = 1.0 / 3.0 if chance == "thirds" else marginal
    return JudgeAgreement(pairs, agreeing, by_chance, _judges_in_pairs(thing, who, n_judges))


def _factor(table: Comparisons, name: str) -> Factor:
    column = table.columns.get(name)
    if not isinstance(column, Factor):
        absent = f"is not there; found {', '.join(table.columns) or 'no columns'}"
        what = absent if column is None else "is numeric"
        raise InputError(f"{table.source}: agreement between judges needs the column {name!r}, which {what}")
    refuse_rows(table.source, column.codes < 0, f"no value in column {name!r}; every row needs one")
    return column


def _across_judges(key: IntArray, who: IntArray, n_judges: int) -> int:
    """Number of pairs of rows with the same key and different judges.
    These are the pairs of rows with the same key, less those that also have the same judge."""
    _, together = np.unique(key, return_counts=True)
    _, alone = np.unique(key * n_judges + who, return_counts=True)
    return int((np.sum(together.astype(np.int64) ** 2) - np.sum(alone.astype(np.int64) ** 2)) // 2)


def _judges_in_pairs(thing: IntArray, who: IntArray, n_judges: int) -> int:
    """Number of judges who made a comparison that another judge made too."""
    each = np.unique(thing * n_judges + who)
    things, judge = each // n_judges, each % n_judges
    _, place, n = np.unique(things, return_inverse=True, return_counts=True)
    return len(np.unique(judge[n[place] > 1]))
