"""How many judges, sources and answers a comparison of two systems, or a table of several, needs.

Scores are y = 1, 0, -1 (first preferred, tie, second), mean d, variance v = P(first) + P(second) - d^2;
answers of one judge share the intra-class correlation r_J, those about one source r_S.  With G judges, S
sources and n answers::

    Var(mean y) = v (r_J / G + r_S / S + (1 - r_J - r_S) / n)
    power       = P(|T| > t_{1 - alpha/2}),  T noncentral t on min(G, S) - 1 (or G - 1) with d / sqrt(Var)

(the design effect of Kish 1965, Survey Sampling; crossed factors as in Westfall, Kenny and Judd 2014, J. Exp.
Psychol. Gen. 143, 2020-2045).  More answers of a judge never bring the variance below v (r_J / G + r_S / S):
with too few judges or sources no number of answers is enough, and the functions then return None.

For several systems a judge's (source's) preferences shift an item's log-odds by a normal amount of sd tau_J
(tau_S). With M the inverse of the information I = sum of I_g::

    V = M + tau_J^2 M (sum_g I_g I_g) M + tau_S^2 M (sum_s I_s I_s) M

For G' = a G judges, S' = b S sources and n' = c n answers spread as in the pilot the parts are divided by c,
a and b. Without a pilot every judge compares all pairs equally often: M, tau_J^2 / G and tau_S^2 / S for each
item.  The taus of a pilot are those for which the mean variance of all differences is that of the CR2
covariance by judge (by source).  A contrast is tested by t on min(G, S) - 1 degrees of freedom.  For a
ranking estimates are drawn from N(., V), and ranks distinguished by the stepwise procedure of
:mod:`pairproof.fit.many.ranks` (Mogstad, Romano, Shaikh and Wilhelm 2024, Rev. Econ. Stud. 91, 476-518), its
critical values from one set of draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...data.options import whole_number
from ...errors import InputError, ItemError
from ...numerics.arrays import BoolArray, FloatArray

#: Judges, sources, or answers of a judge at most that are looked for.
MOST = 1_000_000
#: Standard errors of shift from which on only the spread of the standard error counts: |T| > q where it is
#: below shift / q. The numerator's own spread, 1, changes that by a five-thousandth.
#: scipy's noncentral t ends the process beyond 60,000.
FAR = 5000.0


@dataclass(frozen=True)
class Design:
    """A study of two systems.
    judges: G >= 2.  answers: n, of all judges together; inf for the limit of ever more answers.  sources: S;
    None where sources are not taken as drawn from others."""

    judges: int
    answers: float
    sources: int | None = None

    def __post_init__(self) -> None:
        if self.judges < 2 or (self.sources is not None and self.sources < 2):
            raise InputError(
                f"a study of {self.judges} judges and {'no' if self.sources is None else self.sources} sources; expected at"
                " least two of each, for their spread"
            )
        if not self.answers >= self.judges:
            raise InputError(
                f"{self.answers:g} answers of {self.judges} judges; expected at least one of each"
            )

    @property
    def units(self) -> int:
        """The smaller of the numbers of judges and of sources; one more than the degrees of freedom."""
        return self.judges if self.sources is None else min(self.judges, self.sources)


@dataclass(frozen=True)
class Assumptions:
    """What a study is expected to find.
    margin: d = P(first) - P(second), in (-1, 1).  tie_rate: P(tie), in [0, 1).  judge_icc, source_icc: r_J
    and r_S, in [0, 1), together below 1."""

    margin: float
    tie_rate: float = 0.0
    judge_icc: float = 0.0
    source_icc: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.tie_rate < 1.0:
            raise InputError(
                f"P(tie) {self.tie_rate:g}; expected at least 0 and below 1: some answers must prefer a system"
            )
        if not abs(self.margin) <= 1.0 - self.tie_rate:
            raise InputError(
                f"margin {self.margin:g} with a tie rate of {self.tie_rate:g}: P(first) - P(second) cannot exceed"
                " 1 - P(tie)"
            )
        if not (min(self.judge_icc, self.source_icc) >= 0.0 and self.judge_icc + self.source_icc < 1.0):
            raise InputError(
                f"intra-class correlations {self.judge_icc:g} (judge) and {self.source_icc:g} (source); expected at"
                " least 0 and together below 1"
            )

    @property
    def variance(self) -> float:
        """v, of one score."""
        return 1.0 - self.tie_rate - self.margin**2


def variance_of_mean(expected: Assumptions, design: Design) -> float:
    """Variance of the mean score."""
    shared = expected.judge_icc / design.judges
    rest = 1.0 - expected.judge_icc
    if design.sources is not None:
        shared += expected.source_icc / design.sources
        rest -= expected.source_icc
    return expected.variance * (shared + rest / design.answers)


def power_of_t(shift: float, df: float, level: float = 0.95) -> float:
    """Power of the two-sided t test on df whose statistic is shifted by so many standard errors."""
    from scipy.special import chdtr, stdtrit

    if not 0.0 < level < 1.0:
        raise InputError(f"level={level}; expected a number between 0 and 1, 0.95 for a test at 5 %")
    if shift == 0.0:
        return 1.0 - level
    q, shift = float(stdtrit(df, 0.5 + level / 2)), abs(shift)
    if shift > FAR:
        return float(chdtr(df, df * (shift / q) ** 2))
    return _beyond(q, shift, df)


def _beyond(q: float, shift: float, df: float) -> float:
    """P(|Z + shift| > q s), Z standard normal and df s^2 chi-square: the noncentral t beyond q on both sides.
    Written out because scipy's noncentral t ends the process at large shifts in one version, and is nan in
    others.  The normal tails are integrated over log s, by Gauss's rule between the places where they
    turn."""
    from scipy.special import gammainccinv, gammaincinv, ndtr, roots_legendre

    # 1e-18 of s is left out on either side.
    low, high = (0.5 * math.log(2.0 * float(f(df / 2.0, 1e-18)) / df) for f in (gammaincinv, gammainccinv))
    turns = [(shift + k) / q for k in (-9.0, -3.0, 0.0, 3.0, 9.0)]
    inner = [math.log(turn) for turn in turns if turn > 0.0]
    cuts = np.unique(np.clip([*inner, *np.linspace(low, high, 17)], low, high))
    x, weight = roots_legendre(32)
    half = np.diff(cuts)[:, None] / 2.0
    v = (cuts[:-1, None] + half) + half * x
    # The density up to a constant, which is had from its own sum: written out it cancels where df is large.
    density = half * weight * np.exp(-df / 2.0 * (np.expm1(2.0 * v) - 2.0 * v))
    tails = ndtr(shift - q * np.exp(v)) + ndtr(-shift - q * np.exp(v))
    return min(float((density * tails).sum() / density.sum()), 1.0)


def power(expected: Assumptions, design: Design, level: float = 0.95) -> float:
    """Probability that the two-sided test by judges (and sources) finds the margin."""
    variance = variance_of_mean(expected, design)
    if variance == 0.0:
        return 1.0 if expected.margin else 1.0 - level
    return power_of_t(expected.margin / math.sqrt(variance), design.units - 1.0, level)


def detectable(
    expected: Assumptions, design: Design, wanted: float = 0.8, level: float = 0.95
) -> float | None:
    """The smallest margin that the design finds with this power; None if not even the largest possible one.
    wanted: power, in (0, 1)."""
    from scipy.optimize import brentq

    check_wanted(wanted)

    def lacking(margin: float) -> float:
        assumed = Assumptions(margin, expected.tie_rate, expected.judge_icc, expected.source_icc)
        return power(assumed, design, level) - wanted

    most = (1.0 - expected.tie_rate) * (1.0 - 1e-9)
    if lacking(most) < 0.0:
        return None
    return float(brentq(lacking, 0.0, most, xtol=1e-10)) if wanted > 1.0 - level else 0.0


def judges_needed(
    expected: Assumptions,
    answers_each: float,
    wanted: float = 0.8,
    level: float = 0.95,
    sources: int | None = None,
) -> int | None:
    """Fewest judges with `answers_each` answers for a power of `wanted`; None if no number of them is enough.
    answers_each: m >= 1.  wanted: in (0, 1)."""
    return fewest_of(
        lambda judges: power(expected, Design(judges, judges * answers_each, sources), level), 2, wanted
    )


def answers_needed(
    expected: Assumptions, judges: int, wanted: float = 0.8, level: float = 0.95, sources: int | None = None
) -> int | None:
    """Fewest answers of each judge for a power of `wanted`; None if no number of them is enough.
    judges: G >= 2.  wanted: in (0, 1)."""
    if power(expected, Design(judges, math.inf, sources), level) < wanted:
        check_wanted(wanted)
        return None
    return fewest_of(lambda each: power(expected, Design(judges, judges * each, sources), level), 1, wanted)


def sources_needed(
    expected: Assumptions, judges: int, answers_each: float, wanted: float = 0.8, level: float = 0.95
) -> int | None:
    """Fewest sources for a power of `wanted`; None if no number of them is enough.
    judges: G >= 2.  answers_each: m >= 1.  wanted: in (0, 1)."""
    return fewest_of(lambda s: power(expected, Design(judges, judges * answers_each, s), level), 2, wanted)


def check_wanted(wanted: float) -> None:
    """Refuse a power that is no probability."""
    if not 0.0 < wanted < 1.0:
        raise InputError(f"power {wanted:g}; expected a number between 0 and 1, 0.8 for 80 %")


def fewest_of(power_at: Callable[[int], float], least: int, wanted: float, most: int = MOST) -> int | None:
    """The smallest number, of at least `least`, at which the power is reached; powers grow with it."""
    check_wanted(wanted)
    high = least
    while power_at(high) < wanted:
        high *= 2
        if high > most:
            return None
    low = max(high // 2, least - 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= wanted else (middle, high)
    return high


#: Draws behind a critical value; its error is about .02, and that of a power below .01.
DRAWS = 4000
#: Items at most in a simulated ranking: their pairs times the draws are held in memory.
MOST_ITEMS = 30


@dataclass(frozen=True, eq=False)
class TableDesign:
    """Abilities, and the parts of the covariance of their estimates in a study.
    abilities float[n_items]: log-odds, taken as the truth.  sources: none where sources are not taken as
    drawn from others.  of_answers, of_judges, of_sources float[n_items, n_items]: the three parts of V.
    judge_sd, source_sd: tau_J and tau_S."""

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
        more, by_judge = self.answers / answers, self.judges / judges
        shares = (self.of_answers * more, self.of_judges * by_judge, self.of_sources * by_source)
        parts = (*shares, self.judge_sd, self.source_sd)
        return TableDesign(self.items, self.abilities, answers, judges, sources, *parts)

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
        """Probability that the t test distinguishes two items."""
        if self.place(first) == self.place(second):
            raise ItemError(f"{first!r} against itself is not a comparison; name two systems")
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
    judges, answers: G and n.  tie_rate: P(tie) of two equal items, in [0, 1); the tie parameter is taken as
    known (Davidson 1970)."""
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
    information float[n, n]: of connected items."""
    n = len(information)
    size = float(np.trace(information)) / n
    constant = np.full((n, n), 1.0 / n)
    return np.asarray(np.linalg.inv(information + size * constant) - constant / size)


def _letters(n: int) -> tuple[str, ...]:
    return tuple(chr(ord("A") + k) if n <= 26 else f"item{k + 1}" for k in range(n))


@dataclass(frozen=True)
class RankingPower:
    """How often a study distinguishes ranks, by simulation.
    ordered: share of studies in which the rank of every item is settled.  top: share in which it is settled
    which items are the top k.  wrong: share in which some pair is settled the wrong way round.  pairs: mean
    share of pairs distinguished.  width: mean number of ranks in an item's set.  error: largest Monte Carlo
    standard error of the shares."""

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
    top: k, from 1 to one less than the number of items."""
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
        pairs, wrong = told.sum() / (n * (n - 1) / 2), (truth[told] < 0).any()
        shares[k] = ((low == high).all(), settled, wrong, pairs, (high - low + 1).mean())
    found = shares.mean(axis=0)
    error = max(math.sqrt(max(p * (1 - p), 1.0 / studies) / studies) for p in found[:3])
    ordered, known, misled, share, width = map(float, found)
    return RankingPower(ordered, known, misled, share, width, error, studies)


def told_apart(scores: FloatArray, null: FloatArray, first: float, level: float) -> BoolArray:
    """Directed pairs that are distinguished: each step's critical value is of the pairs still left.
    scores float[m]: normal scores of m directed differences.  null float[n_draws, m]: draws of them where
    nothing differs.  `first`: the level's quantile of the largest of all m.  Returns bool[m]."""
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
