"""How many judges, sources and answers a table of several systems needs: for a contrast, a ranking, a top k.

Abilities on the log-odds scale are estimated from n answers of G judges about S sources.  Judges (and sources) have
preferences of their own: an item's log-odds shift by a normal amount of sd tau_J (tau_S).  With M the inverse of the
information I = sum of I_g::

    V = M + tau_J^2 M (sum_g I_g I_g) M + tau_S^2 M (sum_s I_s I_s) M

For a study with G' = a G judges, S' = b S sources and n' = c n answers spread as in the pilot the three parts are
divided by c, a and b.  Without a pilot every judge compares all pairs equally often: the parts are M,
tau_J^2 / G and tau_S^2 / S for each item.  The taus of a pilot are those for which the mean variance of all
differences is that of the CR2 covariance by judge (by source).

A contrast is tested by t on min(G, S) - 1 degrees of freedom.  For a ranking estimates are drawn from the normal
distribution with covariance V, and ranks told apart by the stepwise procedure of :mod:`pairproof.fit.many.ranks`
(Mogstad, Romano, Shaikh and Wilhelm 2024, Rev. Econ. Stud. 91, 476-518), whose critical values are here taken from one
set of draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...data.options import whole_number
from ...errors import InputError, ItemError
from .sample_size import power_of_t

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

#: Draws behind a critical value; its error is about .02, and that of a power below .01.
DRAWS = 4000
#: Items at most in a simulated ranking: their pairs times the draws are held in memory.
MOST_ITEMS = 30


@dataclass(frozen=True, eq=False)
class TableDesign:
    """Abilities, and the parts of the covariance of their estimates in a study.

    abilities float[n_items]: log-odds, taken as the truth.  answers, judges: of the study.  sources: none
    where sources are not taken as drawn from others.  of_answers, of_judges, of_sources float[n_items,
    n_items]: the three parts of V.  judge_sd, source_sd: tau_J and tau_S.
    """

    items: tuple[str, ...]
    abilities: FloatArray
    answers: float
    judges: float
    sources: float | None
    of_answers: FloatArray
    of_judges: FloatArray
    of_sources: FloatArray
    judge_sd: float
    source_sd: float = 0.0

    @property
    def covariance(self) -> FloatArray:
        """V, float[n_items, n_items]."""
        return np.asarray(self.of_answers + self.of_judges + self.of_sources)

    def planned(self, judges: float, answers: float, sources: float | None = None) -> TableDesign:
        """The same study with other numbers, its answers spread alike."""
        if judges < 2 or (sources is not None and sources < 2) or not answers >= judges:
            raise InputError(
                f"{judges:g} judges, {answers:g} answers and {sources or 'no'} sources; expected two judges and sources at"
                " least, and an answer of each judge"
            )
        if (sources is None) != (self.sources is None):
            raise InputError("sources belong to the study or do not; name their number in both places")
        by_source = self.sources / sources if self.sources and sources else 1.0
        return replace(
            self,
            judges=judges,
            answers=answers,
            sources=sources,
            of_answers=self.of_answers * (self.answers / answers),
            of_judges=self.of_judges * (self.judges / judges),
            of_sources=self.of_sources * by_source,
        )

    def place(self, item: str) -> int:
        """Where an item stands."""
        if item not in self.items:
            raise ItemError(f"no system {item!r}; the systems are {', '.join(self.items[:20])}")
        return self.items.index(item)

    def standard_error(self, first: str, second: str) -> float:
        """Of the difference of two items' abilities, in log-odds."""
        a, b, v = self.place(first), self.place(second), self.covariance
        return math.sqrt(v[a, a] + v[b, b] - 2 * v[a, b])

    @property
    def df(self) -> float:
        """min(G, S) - 1."""
        return min(self.judges, self.judges if self.sources is None else self.sources) - 1.0

    def power_of(self, first: str, second: str, level: float = 0.95) -> float:
        """Probability that the t test tells two items apart."""
        if self.place(first) == self.place(second):
            raise ItemError(f"{first!r} against itself is no comparison; name two systems")
        gap = self.abilities[self.place(first)] - self.abilities[self.place(second)]
        return power_of_t(float(gap) / self.standard_error(first, second), self.df, level)


def assumed_table(
    abilities: Sequence[float],
    *,
    judges: float,
    answers: float,
    tie_rate: float = 0.0,
    judge_sd: float = 0.0,
    sources: float | None = None,
    source_sd: float = 0.0,
    items: Sequence[str] | None = None,
) -> TableDesign:
    """A study in which every judge compares all pairs equally often.

    abilities: log-odds.  judges, answers: G and n.  tie_rate: P(tie) of two equal items, in [0, 1); the tie
    parameter is taken as known (Davidson 1970).  judge_sd: tau_J, in log-odds.  sources: S.  source_sd:
    tau_S, in log-odds.
    """
    b = np.asarray(abilities, float)
    if b.ndim != 1 or len(b) < 2 or not np.isfinite(b).all():
        raise InputError(f"abilities {list(abilities)}; expected two finite log-odds or more")
    if not (0.0 <= tie_rate < 1.0 and judge_sd >= 0.0 and source_sd >= 0.0):
        raise InputError(
            f"tie rate {tie_rate:g}, judge sd {judge_sd:g}, source sd {source_sd:g}; expected a rate in [0, 1) and sds"
            " of at least 0"
        )
    n = len(b)
    eta = b[:, None] - b[None, :]
    tie = 2.0 * tie_rate / (1.0 - tie_rate)
    total = np.exp(eta / 2) + np.exp(-eta / 2) + tie
    mean = (np.exp(eta / 2) - np.exp(-eta / 2)) / total
    # Variance of (y / 2): the information of one answer about eta.
    each = (1.0 - tie / total - mean**2) / 4 * (answers / (n * (n - 1) / 2))
    np.fill_diagonal(each, 0.0)
    information = np.diag(each.sum(axis=1)) - each
    centre = np.eye(n) - 1.0 / n
    names = tuple(items) if items is not None else _letters(n)
    if len(names) != n or len(set(names)) != n:
        raise InputError(f"names {', '.join(names)} for {n} abilities; expected one each, all different")
    design = TableDesign(
        *(names, b, answers, judges, sources, inverse_of(information)),
        *(centre * judge_sd**2 / judges, centre * (source_sd**2 / sources if sources else 0.0)),
        *(judge_sd, source_sd),
    )
    return design.planned(judges, answers, sources)


def inverse_of(information: FloatArray) -> FloatArray:
    """float[n, n]: the pseudo-inverse of information about differences alone, whose rows sum to 0.

    information float[n, n]: of connected items.
    """
    n = len(information)
    size = float(np.trace(information)) / n
    constant = np.full((n, n), 1.0 / n)
    return np.asarray(np.linalg.inv(information + size * constant) - constant / size)


def _letters(n: int) -> tuple[str, ...]:
    return tuple(chr(ord("A") + k) if n <= 26 else f"item{k + 1}" for k in range(n))


@dataclass(frozen=True)
class RankingPower:
    """How often a study tells ranks apart, by simulation.

    ordered: share of studies in which the rank of every item is settled.  top: share in which it is settled
    which items are the top k.  wrong: share in which some pair is settled the wrong way round.  pairs: mean
    share of pairs told apart.  width: mean number of ranks in an item's set.  error: largest Monte Carlo
    standard error of the shares.
    """

    ordered: float
    top: float
    wrong: float
    pairs: float
    width: float
    error: float
    studies: int


def ranking_power(
    design: TableDesign, top: int = 1, studies: int = 500, level: float = 0.95, seed: int = 0
) -> RankingPower:
    """Draw estimates and count how often their simultaneous rank sets settle the order and the top k.

    top: k, from 1 to one less than the number of items.  studies: at least 1.
    """
    from scipy.special import ndtri, stdtr

    n = len(design.items)
    whole_number("studies", studies, 1)
    if not 1 <= top < n:
        raise InputError(f"the top {top} of {n} systems; expected 1 to {n - 1}")
    if n > MOST_ITEMS or not 0.5 < level < 1.0:
        raise InputError(
            f"{n} systems at level {level:g}; expected at most {MOST_ITEMS} systems and a level between 0.5 and 1"
        )
    rng = np.random.default_rng(seed)
    value, vector = np.linalg.eigh(design.covariance)
    root = vector * np.sqrt(np.maximum(value, 0.0))
    i, j = np.nonzero(~np.eye(n, dtype=bool))
    sd = np.sqrt((((root[i] - root[j]) ** 2).sum(axis=1)))
    e = rng.standard_normal((DRAWS // 2, n))
    noise = np.concatenate([e, -e]) @ root.T
    null = (noise[:, i] - noise[:, j]) / sd
    estimates = design.abilities + rng.standard_normal((studies, n)) @ root.T
    t = (estimates[:, i] - estimates[:, j]) / sd
    # With an estimated covariance the statistic is a t, which is turned to a normal score.
    wobble = np.sqrt(rng.chisquare(design.df, (studies, 1)) / design.df)
    scores = ndtri(np.clip(stdtr(design.df, t / wobble), 1e-300, 1.0 - 1e-16))
    truth = design.abilities[i] - design.abilities[j]
    first = float(np.quantile(null.max(axis=1), level))
    shares = np.zeros((studies, 5))
    for k in range(studies):
        told = told_apart(scores[k], null, first, level)
        above = np.zeros((n, n), bool)
        above[i[told], j[told]] = True
        low, high = 1 + above.sum(axis=0), n - above.sum(axis=1)
        settled = (high <= top).sum() == top and (low > top).sum() == n - top
        shares[k] = (
            (low == high).all(),
            settled,
            (truth[told] < 0).any(),
            told.sum() / (n * (n - 1) / 2),
            (high - low + 1).mean(),
        )
    found = shares.mean(axis=0)
    error = max(math.sqrt(max(p * (1 - p), 1.0 / studies) / studies) for p in found[:3])
    ordered, settled_top, wrong, pairs, width = map(float, found)
    return RankingPower(ordered, settled_top, wrong, pairs, width, error, studies)


def told_apart(scores: FloatArray, null: FloatArray, first: float, level: float) -> BoolArray:
    """Directed pairs that are told apart: each step's critical value is of the pairs still left.

    scores float[m]: normal scores of m directed differences.  null float[n_draws, m]: draws of them where
    nothing differs.  `first`: the level's quantile of the largest of all m.  Returns bool[m].
    """
    left = np.ones(len(scores), bool)
    critical = first
    while True:
        hit = left & (scores > critical)
        if not hit.any():
            return ~left
        left &= ~hit
        if not left.any():
            return ~left
        critical = float(np.quantile(null[:, left].max(axis=1), level))
