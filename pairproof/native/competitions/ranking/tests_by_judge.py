"""Two systems, where judges may differ: tests that take a judge as the unit, and models of random judges.

Judge g prefers the first system a_g times, the second b_g times, neither t_g times; n_g = a_g + b_g + t_g and
m_g = (a_g - b_g) / n_g is the judge's mean preference.  The sum of all answers supposes that answers are
independent, and rejects far too often where judges differ.  Beside it stand::

    sum             z = (A - B) / sqrt(A + B)
    judge means     t = mean(m) / (sd(m) / sqrt G) on G - 1 degrees of freedom
    sign flips      share of the 2^G signs with |sum of s_g m_g| at least as large as observed
    judges differ   Pearson's chi-square of the G x 3 table of answers

The t test of judge means keeps its level, up to 8 %, also where judges have very different numbers of answers
(Ibragimov and Mueller 2010, J. Bus. Econ. Stat. 28, 453-468).  The sign flips are exact if each m_g is as
likely as -m_g when the systems are equal.  Of the n_g = a_g + b_g decisive answers::

    beta-binomial   a_g with mean mu and intra-class correlation r / (1 + r), r = 1 / (alpha + beta); its
                    likelihood is the product over k < a_g of (mu + k r), over k < b_g of (1 - mu + k r), over
                    k < n_g of 1 / (1 + k r) (Skellam 1948, J. R. Statist. Soc. B 10, 257-261)
    random effect   logit p_g = beta + sigma u_g, u_g standard normal, by adaptive Gauss-Hermite quadrature of
                    25 points (Pinheiro and Bates 1995, J. Comput. Graph. Stat. 4, 12-35)

Judges with the same counts are one term: ten thousand judges cost little more than ten.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ....errors import InputError
from ....fit.estimates.tails import chi_square_p
from ....numerics.arrays import FloatArray
from .sign_test import binomial_p

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
    has none.  spread: how much judges differ, by `spread_of`; nan where the test does not say.  spread_of:
    "sd of judge means", "intra-class correlation", "sd of judges' log-odds" or "".  why_not: "" where the
    test was made; all numbers are nan otherwise.  reference: distribution of the statistic: "t", "normal",
    "chi-square", "binomial" or "" for an exact test."""

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
        """estimate -+ quantile x se, of t where that is the reference, else normal; nan without a standard
        error.
        A mean preference is cut at -1 and 1; a share of decisive answers has the interval that belongs to its
        z (Wilson 1927, J. Am. Statist. Assoc. 22, 209-212), which stays inside them, or to its sign test
        (Clopper and Pearson 1934, Biometrika 26, 404-413)."""
        from scipy.special import bdtri, ndtri, stdtrit

        half = (1 + level) / 2
        if self.reference == "binomial":
            n = round(self.se**-2.0)
            counts = (round(n * (1.0 + sign * self.estimate) / 2.0) for sign in (-1, 1))
            low, high = (2.0 * float(bdtri(k, n, 1 - half)) - 1.0 if k < n else 1.0 for k in counts)
            return -low, high
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
    `first`, second float[G]: answers that prefer either system, by judge or in any other parts."""
    from scipy.special import ndtr

    a, b = float(first.sum()), float(second.sum())
    if a + b == 0.0:
        return EqualityTest("sum of answers", why_not="no answer prefers either system")
    z = (a - b) / math.sqrt(a + b)
    p = 2.0 * float(ndtr(-abs(z)))
    share, se = (a - b) / (a + b), 1.0 / math.sqrt(a + b)
    return EqualityTest("sum of answers", share, "share of decisive answers", se, z, p=p, reference="normal")


def exact_sum(first: FloatArray, second: FloatArray) -> EqualityTest:
    """The exact sign test of the sum, which holds its level at any number of answers; z rejects in 12.5 % of samples of 4
    answers, in 7.8 % of 21 and in 6.2 % of 104.  `first`, second: as in :func:`summed`, whole numbers."""
    z = summed(first, second)
    if z.why_not:
        return replace(z, name="sign test")
    p = binomial_p(round(float(first.sum())), round(z.se**-2.0))
    return replace(z, name="sign test", statistic=math.nan, p=p, reference="binomial")


def mean_preferences(first: FloatArray, second: FloatArray, ties: FloatArray) -> FloatArray:
    """float[G]: each judge's (wins - losses) / answers."""
    check_counts(first, second, ties)
    return np.asarray((first - second) / (first + second + ties))


def judge_means(first: FloatArray, second: FloatArray, ties: FloatArray) -> EqualityTest:
    """The mean of judges' own mean preferences, each judge counted once.
    `first`, second, ties float[G]: answers of each judge."""
    from scipy.special import stdtr

    m = mean_preferences(first, second, ties)
    n_judges = len(m)
    if n_judges < 2:
        why = "there is one judge, and the spread between judges needs two"
        return EqualityTest("judge means", why_not=why)
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
    The smallest p that G judges allow is 2 / 2^G.  `first`, second, ties float[G]: answers of each judge."""
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
    left out, of decisive answers."""
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
    p = chi_square_p(chi2, df)
    return EqualityTest("judges differ", statistic=chi2, df=df, p=p, reference="chi-square")


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


#: Points of the adaptive quadrature, as lme4's glmer(nAGQ = 25).
NODES = 25
#: Points that check the likelihood found, and the difference up to which it counts as integrated: the
#: integrand of a judge whose answers are all the same is no normal density where sigma is above 4 or so.
MORE_NODES, INTEGRATED = 81, 1e-3
#: log r at which the beta-binomial is tried: correlations 3e-7 to .9999.
LOG_R = np.linspace(-15.0, 9.0, 49)
#: Decisive answers of one judge up to which a beta-binomial is made: its sums go over every answer.
MOST_ANSWERS = 2_000_000


def why_no_log_odds(first: FloatArray, second: FloatArray) -> str:
    """Why a log-odds of the systems is not finite; "" if it is."""
    a, b = float(first.sum()), float(second.sum())
    if a and b:
        return ""
    if not a and not b:
        return "no answer prefers either system"
    return f"all {a + b:g} decisive answers are for the {'first' if a else 'second'} system: its log-odds are infinite"


def _why_no_spread(first: FloatArray, second: FloatArray) -> str:
    """Why the spread of judges is not finite; "" if it is."""
    if ((first > 0) & (second > 0)).any():
        return ""
    return "no judge preferred each system once or more, so the spread between judges has no finite estimate"


def beta_binomial(first: FloatArray, second: FloatArray) -> EqualityTest:
    """Decisive answers of judges as beta-binomial: likelihood ratio of no preference, on 1 df.
    `first`, second float[G]: whole numbers of decisive answers of each judge.  Returns EqualityTest:
    estimate: logit of mu, its standard error from the curvature; spread: the intra-class correlation."""
    name = "beta-binomial"
    why = why_no_log_odds(first, second) or _why_no_spread(first, second)
    if not why and ((first != np.floor(first)).any() or (second != np.floor(second)).any()):
        why = "it needs whole counts of answers"
    if not why and float((first + second).max()) > MOST_ANSWERS:
        why = f"a judge has {float((first + second).max()):,.0f} decisive answers; it is made for {MOST_ANSWERS:,}"
    if why:
        return EqualityTest(name, why_not=why)
    model = _BetaBinomial(first, second)
    r, eta = model.best(model.profile)
    r0, _ = model.best(lambda r: 0.0)
    ratio = max(2.0 * (model.llf(eta, r) - model.llf(0.0, r0)), 0.0)
    return EqualityTest(
        *(name, eta, "log-odds", model.se(eta, r), ratio, 1.0, chi_square_p(ratio, 1.0)),
        *(r / (1.0 + r), "intra-class correlation", "", "chi-square"),
    )


class _BetaBinomial:
    """The likelihood, from how many judges have more than k wins, losses, and answers."""

    def __init__(self, first: FloatArray, second: FloatArray) -> None:
        self.wins, self.losses, self.n = map(_more_than, (first, second, first + second))
        self.k = np.arange(len(self.n), dtype=float)
        self.mu = float(first.sum()) / float(first.sum() + second.sum())

    def llf(self, eta: float, r: float) -> float:
        """Log-likelihood without its binomial coefficients."""
        mu, k = 1.0 / (1.0 + math.exp(-eta)), self.k
        up, down = mu + k[: len(self.wins)] * r, (1.0 - mu) + k[: len(self.losses)] * r
        return float(self.wins @ np.log(up) + self.losses @ np.log(down) - self.n @ np.log1p(k * r))

    def profile(self, r: float) -> float:
        """The logit of mu that is best for r: the likelihood is concave in mu, so Newton between bounds finds it."""
        k = self.k
        low, high = 0.0, 1.0
        mu = self.mu
        for _ in range(200):
            up, down = mu + k[: len(self.wins)] * r, (1.0 - mu) + k[: len(self.losses)] * r
            slope = float((self.wins / up).sum() - (self.losses / down).sum())
            low, high = (mu, high) if slope > 0 else (low, mu)
            step = mu + slope / float((self.wins / up**2).sum() + (self.losses / down**2).sum())
            step = step if low < step < high else (low + high) / 2
            if abs(step - mu) <= 1e-15:
                break
            mu = step
        self.mu = mu  # where the next search begins: r changes little between them
        return math.log(mu / (1.0 - mu))

    def best(self, eta_at: Callable[[float], float]) -> tuple[float, float]:
        """r and eta of the largest likelihood along eta(r): the best of a grid, then between its neighbours;
        r = 0, the binomial, where nothing is likelier."""
        from scipy.optimize import minimize_scalar

        def minus(log_r: float) -> float:
            r = math.exp(log_r)
            return -self.llf(eta_at(r), r)

        k = int(np.argmin([minus(float(at)) for at in LOG_R]))
        bounds = float(LOG_R[max(k - 1, 0)]), float(LOG_R[min(k + 1, len(LOG_R) - 1)])
        found = minimize_scalar(minus, bounds=bounds, method="bounded", options={"xatol": 1e-11})
        if self.llf(eta_at(0.0), 0.0) >= -float(found.fun) - 1e-10:
            return 0.0, eta_at(0.0)
        return math.exp(float(found.x)), eta_at(math.exp(float(found.x)))

    def se(self, eta: float, r: float) -> float:
        """Standard error of eta from the curvature in (eta, log r); in eta alone where r is at its bound, 0."""
        at, h = np.array([eta, math.log(r) if r else 0.0]), 1e-3
        return _se_of_first(lambda x: self.llf(float(x[0]), math.exp(x[1]) if r else 0.0), at, h, r == 0.0)


def _more_than(counts: FloatArray) -> FloatArray:
    """float[max]: how many judges have more than k = 0, 1, ... answers."""
    number = np.bincount(counts.astype(np.int64))
    return np.asarray(len(counts) - np.cumsum(number), dtype=float)[:-1]


def random_effect(first: FloatArray, second: FloatArray) -> EqualityTest:
    """Decisive answers with a normal judge effect on the log-odds, by adaptive Gauss-Hermite quadrature.
    `first`, second float[G]: decisive answers of each judge.  Returns EqualityTest: estimate: beta with its
    standard error from the curvature; statistic: their ratio, normal; spread: sigma.  None where more points
    give another likelihood: sigma is then large, and R's glmer wanders off there."""
    from scipy.optimize import minimize
    from scipy.special import ndtr

    why = why_no_log_odds(first, second) or _why_no_spread(first, second)
    if why:
        return EqualityTest("random judge effect", why_not=why)
    pairs, judges = np.unique(np.stack([first, second], axis=1), axis=0, return_counts=True)
    keep = pairs.sum(axis=1) > 0
    a, n, w = pairs[keep, 0], pairs[keep].sum(axis=1), judges[keep].astype(float)
    scale = float((w * n).sum())

    def minus(at: FloatArray) -> tuple[float, FloatArray]:
        value, slope = _quadrature(a, n, w, float(at[0]), float(at[1]))
        return -value / scale, -slope / scale

    start = math.log(float(first.sum()) / float(second.sum()))
    options = {"gtol": 1e-12}
    best = minimize(minus, [start, 0.3], jac=True, method="BFGS", options=options)
    if abs(float(best.x[1])) < 0.05:
        # The slope in sigma is 0 at 0, where a search may have ended for that reason alone.
        again = minimize(minus, [start, 1.5], jac=True, method="BFGS", options=options)
        best = min((best, again), key=lambda run: float(run.fun))
    beta, sigma = float(best.x[0]), abs(float(best.x[1]))
    if _quadrature(a, n, w, start, 0.0)[0] >= -float(best.fun) * scale - 1e-10:
        beta, sigma = start, 0.0  # sigma on its bound: the binomial
    found, finer = (_quadrature(a, n, w, beta, sigma, nodes)[0] for nodes in (NODES, MORE_NODES))
    at, h = np.array([beta, sigma]), 1e-3
    se = _se_of_first(lambda x: _quadrature(a, n, w, float(x[0]), float(x[1]))[0], at, h, sigma < 10 * h)
    if not (abs(found - finer) <= INTEGRATED and math.isfinite(se)):
        why = (
            f"judges with few answers each are so far apart (sd {sigma:.1f} of their log-odds) that quadrature of"
            f" {NODES} points does not give its likelihood"
        )
        return EqualityTest("random judge effect", why_not=why)
    z = beta / se
    p = 2.0 * float(ndtr(-abs(z)))
    numbers = beta, "log-odds", se, z, math.nan, p, sigma
    return EqualityTest("random judge effect", *numbers, "sd of judges' log-odds", reference="normal")


@lru_cache(maxsize=2)
def _nodes(number: int) -> tuple[FloatArray, FloatArray]:
    from scipy.special import roots_hermite

    x, v = roots_hermite(number)
    return x, v


def _quadrature(
    a: FloatArray, n: FloatArray, w: FloatArray, beta: float, sigma: float, nodes: int = NODES
) -> tuple[float, FloatArray]:
    """Log-likelihood without its binomial coefficients, and its slope in (beta, sigma).
    The slope is the posterior mean of the slope given u, by the same points."""
    from scipy.special import expit, logsumexp

    x, v = _nodes(nodes)
    u = _modes(a, n, beta, sigma)
    p = expit(beta + sigma * u)
    width = 1.0 / np.sqrt(sigma**2 * n * p * (1.0 - p) + 1.0)
    at = u[:, None] + math.sqrt(2.0) * width[:, None] * x
    eta = beta + sigma * at
    terms = a[:, None] * eta - n[:, None] * np.logaddexp(0.0, eta) - at**2 / 2 + x**2 + np.log(v)
    total = logsumexp(terms, axis=1)
    share = np.exp(terms - total[:, None])
    residual = share * (a[:, None] - n[:, None] * expit(eta))
    slope = np.array([w @ residual.sum(axis=1), w @ (residual * at).sum(axis=1)])
    return float(w @ (total + np.log(width) - 0.5 * math.log(math.pi))), slope


def _modes(a: FloatArray, n: FloatArray, beta: float, sigma: float) -> FloatArray:
    """float[G]: the mode of each judge's integrand, by Newton's steps kept between bounds."""
    from scipy.special import expit

    u, before = np.zeros(len(n)), np.full(len(n), np.inf)
    low, high = -abs(sigma) * n - 1.0, abs(sigma) * n + 1.0
    for _ in range(200):
        p = expit(beta + sigma * u)
        slope = sigma * (a - n * p) - u
        low, high = np.where(slope > 0, u, low), np.where(slope < 0, u, high)
        step = u + slope / (sigma**2 * n * p * (1.0 - p) + 1.0)
        # Newton's steps may go to and fro between the flat ends of p for ever: halve where they gain nothing.
        idle = (np.abs(slope) > before / 2) & (np.abs(slope) > 1e-8)
        step = np.where((step >= low) & (step <= high) & ~idle, step, (low + high) / 2)
        done = np.abs(step - u).max() < 1e-13 * (1.0 + np.abs(u).max())
        u, before = step, np.abs(slope)
        if done:
            break
    return u


def _se_of_first(llf: Callable[[FloatArray], float], at: FloatArray, h: float, alone: bool) -> float:
    """Standard error of the first of two parameters from fourth-order second differences of the
    log-likelihood; nan where these are not those of a maximum."""
    e = np.eye(2) * h

    def curvature(i: int) -> float:
        far, near = llf(at + 2 * e[i]) + llf(at - 2 * e[i]), llf(at + e[i]) + llf(at - e[i])
        return (16.0 * near - far - 30.0 * llf(at)) / (12.0 * h * h)

    def crossed(step: float) -> float:
        one, two = np.eye(2) * step
        same, other = llf(at + one + two), llf(at + one - two)
        return (same - other - llf(at - one + two) + llf(at - one - two)) / (4.0 * step * step)

    first, second = curvature(0), 0.0 if alone else curvature(1)
    both = 0.0 if second >= 0.0 else (4.0 * crossed(h) - crossed(2 * h)) / 3.0
    information = -first if second >= 0.0 else -first + both**2 / second
    return 1.0 / math.sqrt(information) if information > 0.0 else math.nan  # nan: no maximum
