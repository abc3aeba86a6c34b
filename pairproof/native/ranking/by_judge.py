"""Two systems, where judges may differ: tests that take a judge, not an answer, as the unit.

Judge g prefers the first system a_g times, the second b_g times, neither t_g times; n_g = a_g + b_g + t_g and
m_g = (a_g - b_g) / n_g is the judge's mean preference.  The sum of all answers supposes that answers are
independent, and rejects far too often where judges differ.  Beside it stand::

    sum             z = (A - B) / sqrt(A + B)
    judge means     t = mean(m) / (sd(m) / sqrt G) on G - 1 degrees of freedom
    sign flips      share of the 2^G signs with |sum of s_g m_g| at least as large as observed
    judges differ   Pearson's chi-square of the G x 3 table of answers

The t test of judge means is of the average judge.  It keeps its level, up to 8 %, also where judges have very
different numbers of answers (Ibragimov and Mueller 2010, J. Bus. Econ. Stat. 28, 453-468).  The sign flips are exact
if each m_g is as likely as -m_g when the systems are equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...fit.tails import chi_square_p

FloatArray = NDArray[np.float64]

#: Judges up to which all sign vectors are gone through (a million of them); beyond, they are drawn.
ALL_SIGNS = 20
#: Sign vectors drawn: most, least, and numbers (vectors x judges) that decide between them.
DRAWN_SIGNS = (99_999, 999)
DRAWN_NUMBERS = 200_000_000
#: Numbers of drawn signs in memory at once.
AT_ONCE = 4_000_000


@dataclass(frozen=True)
class EqualityTest:
    """A test that two systems are equal, or the reason why it could not be made.

    estimate: what is tested to be 0, on `scale`; positive in favour of the first system.  scale: "mean
    preference" (in [-1, 1]), "share of decisive answers" (wins less losses, of their sum), "log-odds", or ""
    where nothing is estimated.  se: nan where the test needs none.  df: nan where the reference distribution
    has none.  p: two-sided.  spread: how much judges differ, by `spread_of`; nan where the test does not say.
    spread_of: "sd of judge means", "intra-class correlation", "sd of judges' log-odds" or "".  why_not: ""
    where the test was made; all numbers are nan otherwise.  reference: distribution of the statistic: "t",
    "normal", "chi-square", or "" for an exact test.
    """

    name: str
    estimate: float = math.nan
    scale: str = ""
    se: float = math.nan
    statistic: float = math.nan
    df: float = math.nan
    p: float = math.nan
    spread: float = math.nan
    spread_of: str = ""
    why_not: str = ""
    reference: str = ""

    def conf_int(self, level: float = 0.95) -> tuple[float, float]:
        """estimate -+ quantile x se, of t where that is the reference, else normal; nan without a standard error.

        A mean preference is cut at -1 and 1; a share of decisive answers has the interval that belongs to its z
        (Wilson 1927, J. Am. Statist. Assoc. 22, 209-212), which stays inside them.
        """
        from scipy.special import ndtri, stdtrit

        half = (1 + level) / 2
        q = float(stdtrit(self.df, half) if self.reference == "t" else ndtri(half))
        reach = q * self.se
        if self.scale == "share of decisive answers":
            # Wilson's for p, with share = 2 p - 1 and se = 1 / sqrt(n)
            shrunk = self.estimate / (1.0 + reach**2)
            side = reach / (1.0 + reach**2) * math.sqrt(1.0 - self.estimate**2 + reach**2)
            return shrunk - side, shrunk + side
        if self.scale == "mean preference" and math.isfinite(reach):
            return max(self.estimate - reach, -1.0), min(self.estimate + reach, 1.0)
        return self.estimate - reach, self.estimate + reach


def check_counts(first: FloatArray, second: FloatArray, ties: FloatArray) -> None:
    """Refuse counts that are no answers of judges."""
    counts = np.stack([first, second, ties])
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise InputError("counts of answers must be finite and at least 0")
    if (counts.sum(axis=0) == 0).any():
        judge = int(np.flatnonzero(counts.sum(axis=0) == 0)[0]) + 1
        raise InputError(f"judge number {judge} has no answer; leave out judges without any")


def summed(first: FloatArray, second: FloatArray) -> EqualityTest:
    """All answers as if they were independent: z = (A - B) / sqrt(A + B).

    `first`, second float[G]: answers that prefer either system, by judge or in any other parts.
    """
    from scipy.special import ndtr

    a, b = float(first.sum()), float(second.sum())
    if a + b == 0.0:
        return EqualityTest("sum of answers", why_not="no answer prefers either system")
    z = (a - b) / math.sqrt(a + b)
    p = 2.0 * float(ndtr(-abs(z)))
    share, se = (a - b) / (a + b), 1.0 / math.sqrt(a + b)
    return EqualityTest("sum of answers", share, "share of decisive answers", se, z, p=p, reference="normal")


def mean_preferences(first: FloatArray, second: FloatArray, ties: FloatArray) -> FloatArray:
    """float[G]: each judge's (wins - losses) / answers."""
    check_counts(first, second, ties)
    return np.asarray((first - second) / (first + second + ties))


def judge_means(first: FloatArray, second: FloatArray, ties: FloatArray) -> EqualityTest:
    """The mean of judges' own mean preferences, each judge counted once.

    `first`, second, ties float[G]: answers of each judge.
    """
    from scipy.special import stdtr

    m = mean_preferences(first, second, ties)
    n_judges = len(m)
    if n_judges < 2:
        return EqualityTest(
            "judge means", why_not="there is one judge, and the spread between judges needs two"
        )
    # Equal ratios of counts are equal doubles: their sd is 0, and not the rounding of their mean.
    if m.min() == m.max():
        why = f"all {n_judges} judges have the same mean preference, {m[0]:.4g}: their spread is 0 and there is no t"
        return EqualityTest("judge means", why_not=why)
    mean, sd = float(m.mean()), float(m.std(ddof=1))
    se = sd / math.sqrt(n_judges)
    p = 2.0 * float(stdtr(n_judges - 1, -abs(mean / se)))
    numbers = mean, "mean preference", se, mean / se, n_judges - 1.0, p
    return EqualityTest("judge means", *numbers, sd, "sd of judge means", reference="t")


def sign_flips(first: FloatArray, second: FloatArray, ties: FloatArray, seed: int = 0) -> EqualityTest:
    """The exact test by signs of judges' means, all 2^G of them up to 20 judges; drawn signs beyond.

    The smallest p that G judges allow is 2 / 2^G.

    `first`, second, ties float[G]: answers of each judge.
    """
    m = mean_preferences(first, second, ties)
    # The same numbers summed in another order differ by rounding; sums that differ in truth do so by more.
    observed = abs(float(m.sum()))
    least = observed - 1e-12 * float(np.abs(m).sum())
    if len(m) <= ALL_SIGNS:
        sums = np.zeros(1)
        for value in m:
            sums = np.concatenate([sums + value, sums - value])
        p = float(np.mean(np.abs(sums) >= least))
        name = f"sign flips (all 2^{len(m)})"
    else:
        most, fewest = DRAWN_SIGNS
        drawn = int(np.clip(DRAWN_NUMBERS // len(m), fewest, most))
        p = (1 + _as_large(m, least, drawn, seed)) / (drawn + 1)
        name = f"sign flips ({drawn:,} drawn)"
    return EqualityTest(name, float(m.mean()), "mean preference", statistic=observed, p=p)


def _as_large(m: FloatArray, least: float, drawn: int, seed: int) -> int:
    """How many of so many drawn sign vectors give a sum at least as large."""
    rng = np.random.default_rng(seed)
    block = max(1, AT_ONCE // len(m))
    found, total = 0, float(m.sum())
    for start in range(0, drawn, block):
        turned = rng.integers(0, 2, size=(min(block, drawn - start), len(m)), dtype=np.int8)
        # sum of s_g m_g with s = 1 - 2 turned
        found += int((np.abs(total - 2.0 * (turned @ m)) >= least).sum())
    return found


def judges_differ(first: FloatArray, second: FloatArray, ties: FloatArray) -> EqualityTest:
    """Pearson's chi-square test that all judges answer alike; columns without answers are left out.

    `first`, second, ties float[G]: answers of each judge; with ties of 0, and judges without decisive answers
    left out, of decisive answers.
    """
    check_counts(first, second, ties)
    table = np.stack([first, ties, second], axis=1)
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[0] < 2:
        return EqualityTest("judges differ", why_not="there is one judge")
    if table.shape[1] < 2:
        return EqualityTest("judges differ", why_not="all judges gave one and the same answer throughout")
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = float(((table - expected) ** 2 / expected).sum())
    df = float((table.shape[0] - 1) * (table.shape[1] - 1))
    return EqualityTest(
        "judges differ", statistic=chi2, df=df, p=chi_square_p(chi2, df), reference="chi-square"
    )


def judges_differ_decisive(first: FloatArray, second: FloatArray) -> EqualityTest:
    """The same test of decisive answers alone; judges who only tied are left out."""
    keep = first + second > 0
    if not keep.any():
        return EqualityTest("judges differ", why_not="no answer prefers either system")
    return judges_differ(first[keep], second[keep], np.zeros(int(keep.sum())))


def smallest_expected(first: FloatArray, second: FloatArray, ties: FloatArray) -> float:
    """The smallest expected count of the chi-square table; below 5 or so the chi-square is rough (Cochran 1954)."""
    table = np.stack([first, ties, second], axis=1)
    table = table[:, table.sum(axis=0) > 0]
    return float(table.sum(axis=1).min() * table.sum(axis=0).min() / table.sum())
