"""Parts of a fit that only some models have: random effects, whole answers, latent classes.

    ability of item i  =  x_i'b + u_i,        u_i ~ N(0, sigma^2)

In a block (persons of one covariate group who answered the same questions) n persons gave answers y with
probabilities P(y), of which those never seen have the rest.  Pearson's X^2 over all possible answers needs
only those that were seen:

    sum over all y of (O - E)^2 / E = sum over seen y of O^2 / E - n,      E = n P(y)

(McCullagh and Nelder 1989, chapter 6), so that nothing is enumerated.  Of latent classes each person belongs to
one of K, which nobody has seen, and answers by that class's parameters:

    log L = sum over persons of log sum over classes k of pi_k P(answer | class k).

A fit holds each part, or None where its model has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd

from ...errors import InputError
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...text import count_words
from .covariance import LinearMap
from .likelihood import AtEstimate
from .specification import AnswerSpec

if TYPE_CHECKING:
    from ...data.respondents.respondents import Respondents


@dataclass(frozen=True)
class Component:
    """A variance component.

    sigma: standard deviation of the effects.  se: of sigma; nan at 0, and where the data bound sigma from
    below only.  lr: twice the log-likelihood gained over sigma = 0; nan by PQL.  p: of the test of sigma = 0
    on its boundary, P(chi2_1 > lr) / 2 (Self and Liang 1987); 1 where lr is 0.
    """

    name: str
    sigma: float
    se: float
    lr: float
    p: float
    n_effects: int


@dataclass(frozen=True, eq=False)
class RandomEffects:
    """Variance components, and the effects and fixed parameters together.

    theta float[K + p]: modes of the K effects, then the p fixed parameters that the data determine.
    covariance float[K + p, K + p]: of theta minus the truth, sigma taken as known.  component int[K]: of each
    effect.  item int[K].  judge int[K]: position in `judges`; -1 for effects of items.  places int[p]: of the
    fixed parameters among the terms of the fit.  means float[K] or None: posterior means, by quadrature.
    reference: what the fixed parameters are against, as the model was fitted: an item, "sum" or "".
    """

    components: tuple[Component, ...]
    theta: FloatArray
    covariance: FloatArray
    component: IntArray
    item: IntArray
    judge: IntArray
    judges: tuple[str, ...]
    places: IntArray
    means: FloatArray | None
    reference: str = ""

    @property
    def n_effects(self) -> int:
        """K."""
        return len(self.item)

    def frame(self, items: Sequence[str]) -> pd.DataFrame:
        """component, item, (judge,) effect, se (, mean); see :meth:`pairproof.Fit.effects`."""
        k = self.n_effects
        names = [self.components[c].name for c in self.component]
        out = pd.DataFrame({"component": names, "item": [items[i] for i in self.item]})
        if self.judges:
            out["judge"] = [self.judges[j] if j >= 0 else "" for j in self.judge]
        out["effect"] = self.theta[:k]
        sigmas = np.array([c.sigma for c in self.components])[self.component] if k else np.zeros(0)
        se = np.sqrt(np.maximum(np.diag(self.covariance)[:k], 0.0))
        out["se"] = np.where(sigmas > 0, se, 0.0)
        if self.means is not None:
            out["mean"] = self.means
        return out

    def in_units(self, factor: float, units: FloatArray) -> RandomEffects:
        """Effects and their sigma times the factor, fixed parameters times units, float[n_params], of the fit's."""
        every = np.append(np.full(self.n_effects, factor), units[self.places])
        return replace(
            self,
            components=tuple(replace(c, sigma=factor * c.sigma, se=factor * c.se) for c in self.components),
            theta=every * self.theta,
            covariance=every[:, None] * self.covariance * every,
            means=None if self.means is None else factor * self.means,
        )


def find_component(effects: RandomEffects, name: str | None = None) -> Component:
    """The component of this name; of the only one none is needed."""
    names = [c.name for c in effects.components]
    if name is None and len(names) == 1:
        return effects.components[0]
    if name not in names:
        raise InputError(f"component={name!r}; the random effects are of {', '.join(map(repr, names))}")
    return effects.components[names.index(name)]


#: How names of natural parameters that are abilities begin.
OF_ITEM = "item "
#: What the possible answers are called.
PATTERNS = {"comparisons": "patterns of comparisons", "rankings": "rankings", "ratings": "orders"}


class PossibleAnswers(Protocol):
    """Every possible complete answer, where they can be enumerated."""

    def count(self) -> int:
        """How many there are."""

    def answers(self) -> IntArray:
        """int[N, n_times, k]: comparisons (1, 0, -1) or ranks (1 = best) of all of them."""

    def probabilities(self, group: int) -> FloatArray:
        """float[N]: of each in a covariate group."""


@dataclass(frozen=True, eq=False)
class AnswerNumbers:
    """Distinct answers, seen and expected, and what tests and robust standard errors need of the likelihood.

    row int[n_rows]: the distinct answer of each row of the table; -1 for rows that say nothing.  group
    int[n]: covariate group of each distinct answer.  labels: names of the groups; "" for the only one.
    observed, expected float[n]: persons.  block int[n]: block of each distinct answer.  possible
    float[n_blocks]: possible answers of each block.  likelihood: of the answers.  statistics: names of the q natural parameters.  maps: from the p free parameters to the natural ones, a
    matrix a group.  predicted: none where possible answers are not enumerated.  adds_up: whether the
    probabilities of a block's possible answers add up to 1.  They do not where ties, which are answers,
    decide how many items are ranked before a person stops.
    """

    row: IntArray
    group: IntArray
    labels: tuple[str, ...]
    observed: FloatArray
    expected: FloatArray
    block: IntArray
    possible: FloatArray
    likelihood: AtEstimate
    statistics: tuple[str, ...]
    maps: tuple[FloatArray, ...]
    predicted: PossibleAnswers | None
    adds_up: bool = True

    @property
    def n_persons(self) -> float:
        """Persons whose answers say something."""
        return float(self.observed.sum())

    @property
    def n_possible(self) -> float:
        """Possible answers in all blocks; an int where a double does not hold the number."""
        total = self.possible.sum()
        return float(total) if total <= 2**53 else int(total)

    @property
    def pearson(self) -> float:
        """Pearson's X^2 over all possible answers; nan where their probabilities do not add up."""
        if not self.adds_up:
            return float("nan")
        with np.errstate(divide="ignore", over="ignore"):
            return float((self.observed**2 / self.expected).sum() - self.n_persons)


@dataclass(frozen=True, eq=False)
class Answers:
    """Of a model of whole answers: the table as it was given, and answers seen and expected."""

    respondents: Respondents
    numbers: AnswerNumbers

    def mapped(self, by: LinearMap, kept: BoolArray | None = None) -> Answers:
        """For parameters that are a linear map of these, of which bool[n_params] those not kept are 0."""
        likelihood = self.numbers.likelihood.mapped(by, kept)
        return replace(self, numbers=replace(self.numbers, likelihood=likelihood))

    def counted(self, spec: AnswerSpec, items: Sequence[str]) -> str:
        """`32 persons, 12 different of 24 possible rankings of 4 items`."""
        at = f" at {len(spec.times)} times" if len(spec.times) > 1 else ""
        different, possible = len(self.numbers.observed), count_words(self.numbers.possible.sum())
        return (
            f"{self.numbers.n_persons:.10g} persons, {different:,} different of {possible} possible"
            f" {PATTERNS[spec.asked]} of {len(items)} items{at}"
        )


#: Likelihood ratios that differ by less are equal: rounding leaves 1e-10 of thousands.
ROUNDING = 1e-8


@dataclass(frozen=True, eq=False)
class ClassTest:
    """A bootstrap test of K classes against K + 1.

    McLachlan (1987), Applied Statistics 36, 318-324.

    n_classes: K.  llf, llf_more: log-likelihoods of both fits.  ratios float[n]: likelihood ratios of the
    samples that could be fitted.  failed: samples in which a parameter of a single class was infinite: they
    are left out.
    """

    n_classes: int
    llf: float
    llf_more: float
    ratios: FloatArray
    failed: int

    @property
    def ratio(self) -> float:
        """Twice the difference of the log-likelihoods."""
        return 2.0 * (self.llf_more - self.llf)

    @property
    def p(self) -> float:
        """The p-value, 1 / (samples + 1) at least."""
        return float((1 + (self.ratios >= self.ratio - ROUNDING).sum()) / (1 + len(self.ratios)))

    def __str__(self) -> str:
        failed = f"; {self.failed} more could not be fitted" if self.failed else ""
        k = self.n_classes
        return (
            f"{k} class{'' if k == 1 else 'es'} vs. {k + 1}: likelihood ratio {self.ratio:.4f}, bootstrap p ="
            f" {self.p:.4g} ({len(self.ratios)} samples{failed})"
        )


class ClassTester(Protocol):
    """The bootstrap test of K classes against K + 1, as an engine makes it."""

    def __call__(
        self,
        samples: int,
        starts: int,
        seed: int,
        progress: Callable[[int, int], None] | None,
        workers: int,
        enough: int | None,
    ) -> ClassTest:
        """See :meth:`pairproof.Fit.test_classes`."""


@dataclass(frozen=True, eq=False)
class MixedPossible:
    """Possible answers with their probabilities over all classes.

    classes: of each class.  shares float[K].
    """

    classes: Sequence[PossibleAnswers]
    shares: FloatArray

    def count(self) -> int:
        """How many there are."""
        return self.classes[0].count()

    def answers(self) -> IntArray:
        """int[N, n_times, k]: all of them."""
        return self.classes[0].answers()

    def probabilities(self, group: int) -> FloatArray:
        """float[N]: of each in a covariate group, whatever the class."""
        own = [share * one.probabilities(group) for share, one in zip(self.shares, self.classes)]
        return np.asarray(np.sum(own, axis=0))


@dataclass(frozen=True, eq=False)
class ClassNumbers:
    """What a fit of latent classes says about the classes.

    shares float[K]: share of persons in each class, the largest first.  covariance float[K, K]: of the
    shares, from the observed information of the mixture; nan where there is none.  outward float[K, p]:
    derivatives of the shares by the mixture's parameters.  posterior float[n, K]:
    probabilities of the classes given each distinct answer.  optima: log-likelihoods of the maxima that were
    found, best first, and how many starts ended there.  starts: starts that were made; some may have ended
    nowhere.  seed: of the starts.  collapsed: parameters that are infinite.  tester: makes the bootstrap
    test.
    """

    shares: FloatArray
    covariance: FloatArray
    outward: FloatArray
    posterior: FloatArray
    optima: tuple[tuple[float, int], ...]
    starts: int
    seed: int
    collapsed: tuple[str, ...]
    tester: ClassTester

    @property
    def labels(self) -> list[str]:
        """`class=1`, `class=2`, ..., the largest first."""
        return [f"class={k + 1}" for k in range(len(self.shares))]

    @property
    def errors(self) -> FloatArray:
        """float[K]: standard errors of the shares; nan where a class has collapsed, or there is one class."""
        one = len(self.shares) == 1
        return np.full(1, np.nan) if one else np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def table(self, level: float, observed: FloatArray) -> pd.DataFrame:
        """class, share, se, low, high, persons; see :meth:`pairproof.Fit.class_table`."""
        from scipy.special import expit, logit, ndtri

        share, se = self.shares, self.errors
        with np.errstate(divide="ignore", invalid="ignore"):
            half = float(ndtri(0.5 + level / 2.0)) * se / (share * (1.0 - share))
            low, high = expit(logit(share) - half), expit(logit(share) + half)
        columns = {"class": self.labels, "share": share, "se": se, "low": low, "high": high}
        return pd.DataFrame({**columns, "persons": observed @ self.posterior})

    def of_rows(self, row: IntArray) -> pd.DataFrame:
        """Probabilities of the classes for each row, int[n_rows] its answer; see :meth:`pairproof.Fit.posterior`."""
        found = np.where((row >= 0)[:, None], self.posterior[row], np.nan)
        frame = pd.DataFrame(found, columns=self.labels)
        best = pd.array(np.where(row >= 0, np.argmax(self.posterior[row], axis=1) + 1, 0), "Int64")
        best[row < 0] = pd.NA
        return frame.assign(most_probable=best)

    @property
    def optima_in_words(self) -> str:
        """How many starts ended at which maximum."""
        (best, n), *others = self.optima
        told = f"Maximum: {best:.4f}, reached from {n} of {self.starts} starts"
        if others:
            some = ", ".join(f"{value:.4f} ({m})" for value, m in others[:4])
            more = f" and {len(others) - 4} more" if len(others) > 4 else ""
            told += f"; other local maxima: {some}{more}"
        lost = self.starts - sum(m for _, m in self.optima)
        return told + (f"; {lost} starts did not converge" if lost else "")
