"""Whole answers of persons drawn from a known model: how often intervals of the models of whole answers cover.

Answers come from the package's own way of drawing them for a bootstrap (:mod:`pairproof.native.answers.latent_classes`),
which tests hold against the probabilities of all possible answers.  Gaps are drawn at random first.  Where answers
come from a mixture of persons and a model without classes is fitted, the truth is the fit to the exact
probabilities of all possible answers: what the estimate tends to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import pairproof
from pairproof.errors import ConvergenceError, NotEstimableError
from pairproof.fit.estimates.specification import AnswerSpec
from pairproof.fit.fit import Fit
from pairproof.native.answers.latent_classes import Redraw, fitted
from pairproof.native.answers.pattern_models import pattern_spec
from pairproof.native.answers.plackett_luce import plackett_luce_spec

from .answers import rng_of
from .tally import counted, line

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Kind = Literal["comparisons", "rankings", "ratings"]
Z = float(ndtri(0.975))


@dataclass(frozen=True)
class Whole:
    """How tables of one line are drawn, and what is fitted to them; the line's name seeds them."""

    name: str
    kind: Kind
    persons: int
    #: Parameters of each class, in the order of the model.
    truth: tuple[tuple[float, ...], ...]
    shares: tuple[float, ...] = (1.0,)
    model: Literal["pattern", "plackett-luce"] = "pattern"
    #: Whether comparisons can be ties, or two items of a ranking.
    ties: bool = False
    dependence: bool = False
    #: Probability that a comparison or a rating is missing.
    gaps: float = 0.0
    #: Items that are ranked; 0 for all.
    ranked: int = 0
    fitted_classes: int = 1

    @property
    def n_items(self) -> int:
        """From the parameters of the items, one less than there are items."""
        return 5 if self.kind == "rankings" else 4

    def rng(self, table: int) -> np.random.Generator:
        """Of one table."""
        return rng_of(self.name, table)

    def frame(self, rng: np.random.Generator) -> pairproof.Respondents:
        """A table with the gaps, whose answers are to be drawn."""
        items, n = "ABCDE"[: self.n_items], self.persons
        if self.kind == "rankings":
            answers = np.tile(np.arange(1, self.n_items + 1), (n, 1))
            if self.ranked:
                answers[:, self.ranked :] = 0
            return pairproof.Respondents.build(items, "rankings", answers, tie_category=self.ties)
        k = self.n_items if self.kind == "ratings" else self.n_items * (self.n_items - 1) // 2
        answers = np.ones((n, k), np.int64)
        answers[rng.random((n, k)) < self.gaps] = 0 if self.kind == "ratings" else 9
        if self.kind == "ratings":
            return pairproof.Respondents.build(items, "ratings", answers, scale=(1.0, 2.0, 3.0, 4.0, 5.0))
        return pairproof.Respondents.build(items, "comparisons", answers, tie_category=self.ties)

    def spec(self, table: pairproof.Respondents) -> AnswerSpec:
        """Of one class."""
        if self.model == "plackett-luce":
            return plackett_luce_spec(table, tie_orders=(2,) if self.ties else ())
        return pattern_spec(table, None, "", (), (), None, self.dependence, False, None, None)

    def redraw(self, frame: pairproof.Respondents) -> Redraw:
        """Draws answers about the questions of a table."""
        # Any answers will do to learn what is possible: all different ones of a few persons.
        one = fitted(_some_answers(self, frame), self.spec(frame))
        assert one.possible is not None
        group = np.zeros(frame.n_rows, np.int64)
        return Redraw(frame, one.possible, one.found.likelihood.maps[:1], group)

    def drawn(self, table: int) -> pairproof.Respondents:
        """Table number `table`."""
        rng = self.rng(table)
        frame = self.frame(rng)
        member = rng.choice(len(self.shares), p=self.shares, size=self.persons)
        answers = self.redraw(frame)(np.array(self.truth)[member], rng)
        return replace(frame, answers=answers.reshape(frame.answers.shape))

    def fit(self, table: pairproof.Respondents, starts: int = 5) -> Fit:
        """As a user fits it."""
        orders = (2,) if self.ties else ()
        if self.fitted_classes > 1:
            if self.model == "pattern":
                return pairproof.fit_latent_classes(table, self.fitted_classes, starts=starts)
            return pairproof.fit_latent_classes(
                table, self.fitted_classes, model="plackett-luce", tie_orders=orders, starts=starts
            )
        if self.model == "pattern":
            return pairproof.fit_pattern(table, dependence=self.dependence)
        return pairproof.fit_plackett_luce(table, tie_orders=orders)

    def limit(self) -> FloatArray:
        """float[p]: what the estimate of one class tends to."""
        if len(self.shares) == 1:
            return np.array(self.truth[0])
        frame = replace(self, persons=1).frame(self.rng(0))
        draw = self.redraw(frame)
        parts = [replace(draw.possible, beta=(draw.maps[0] @ np.array(phi),)) for phi in self.truth]
        p = sum(share * part.probabilities(0) for share, part in zip(self.shares, parts))
        table = replace(frame, answers=parts[0].answers(), weights=np.asarray(p), columns={})
        fit = self.fit(table)
        return np.asarray(fit.beta[fit.free])


def _some_answers(design: Whole, frame: pairproof.Respondents) -> pairproof.Respondents:
    """A small table of varied answers of the same kind, to which the model can be fitted."""
    rng = np.random.default_rng(1)
    n, shape = 60, frame.answers.shape[1:]
    if design.kind == "rankings":
        answers = np.argsort(rng.random((n, *shape)), axis=2) + 1
        if design.ties:
            answers[:20][answers[:20] == 2] = 1
            answers[:20][answers[:20] > 2] -= 1
    elif design.kind == "ratings":
        answers = rng.integers(1, 6, (n, *shape))
    else:
        answers = rng.choice([1, 0, -1] if design.ties else [1, -1], (n, *shape))
    return replace(frame, answers=answers, weights=np.ones(n))


def designs() -> Iterator[Whole]:
    """Models of one class, those to which the answers do not belong last; then latent classes."""
    lam, five = (0.4, 0.2, 0.1), (0.4, 0.3, 0.1, -0.1)
    theta = (0.2, -0.1, 0.1, 0.0, 0.2, -0.1, 0.1, 0.0, 0.2, -0.1, 0.1, 0.0)
    name, ties = "comparisons with ties, 10 % gaps, 100 persons", (*lam, -0.5)
    yield Whole(name, "comparisons", 100, (ties,), ties=True, gaps=0.1)
    name, both = "comparisons that depend on each other, 200 persons", (*lam, *theta)
    yield Whole(name, "comparisons", 200, (both,), dependence=True)
    yield Whole("rankings, first 3 of 5, 100 persons", "rankings", 100, (five,), ranked=3)
    yield Whole("ratings with 10 % gaps, 100 persons", "ratings", 100, ((*lam, -0.3),), gaps=0.1)
    luce: Any = {"model": "plackett-luce"}
    worth = (0.5, 0.2, -0.3, -0.6)
    yield Whole("Plackett-Luce, first 3 of 5, 100 persons", "rankings", 100, (worth,), **luce, ranked=3)
    yield Whole("Plackett-Luce with ties, 100 persons", "rankings", 100, ((*worth, -1.5),), **luce, ties=True)
    name, two = "comparisons of two kinds of persons, one class fitted, 150 persons", (0.6, 0.4)
    yield Whole(name, "comparisons", 150, ((1.2, 0.8, 0.3), (-1.0, -0.4, 0.2)), two)
    name = "rankings of two kinds of persons, one Plackett-Luce fitted, 150 persons"
    yield Whole(name, "rankings", 150, ((2.5, 2.0, 1.5, 1.0), (-1.5, -2.0, -2.5, -3.0)), two, **luce)


def class_designs() -> Iterator[Whole]:
    """Latent classes."""
    of: Any = {"shares": (0.65, 0.35), "fitted_classes": 2}
    one, other = (0.8, 0.4, 0.2), (-0.7, 0.0, 0.3)
    yield Whole("two classes of comparisons, 300 persons", "comparisons", 300, (one, other), **of)
    name, both = "two classes, ties common, 10 % gaps, 300 persons", ((*one, -0.5), (*other, -0.5))
    yield Whole(name, "comparisons", 300, both, ties=True, gaps=0.1, **of)
    name, both = "two classes of Plackett-Luce, 300 persons", ((-0.5, -1.0, -1.5, -2.0), (0.5, 1.0, 1.5, 1.0))
    yield Whole(name, "rankings", 300, both, model="plackett-luce", **of)


def covered(fit: Fit, truth: FloatArray) -> dict[str, float]:
    """Method -> share of the parameters whose 95 % interval covers."""
    out = {}
    for method, one in (("model", fit), ("CR1", fit.clustered())):
        limits = one.conf_int()[fit.free].to_numpy()
        out[method] = float(((limits[:, 0] <= truth) & (truth <= limits[:, 1])).mean())
    return out


def simulated(design: Whole, tables: int) -> dict[str, Any]:
    """A line of the record, of a model of one class."""
    truth = design.limit()
    tally, left = counted(
        range(tables), lambda k: covered(design.fit(design.drawn(k)), truth), NotEstimableError
    )
    return line(design.name, asdict(design), tally, truth=truth.tolist(), left_out=left)


def simulated_classes(design: Whole, tables: int) -> dict[str, Any]:
    """A line of the record, of latent classes; tables in which a class collapses are counted and left out."""

    def values(k: int) -> dict[str, float] | None:
        fit = design.fit(design.drawn(k))
        return None if np.isnan(fit.of_classes.covariance).any() else covered_classes(fit, design)

    tally, left = counted(range(tables), values, NotEstimableError, ConvergenceError)
    return line(design.name, asdict(design), tally, left_out=left)


def covered_classes(fit: Fit, design: Whole) -> dict[str, float]:
    """Parameters and shares covered, the classes taken in the order that is nearest to the truth."""
    n_items = design.n_items - 1
    beta = fit.beta[fit.free]
    own = beta[: 2 * n_items].reshape(2, n_items)
    truth = np.array(design.truth)
    order = min(permutations(range(2)), key=lambda o: float(np.abs(own - truth[list(o), :n_items]).sum()))
    expected = np.concatenate([truth[list(order), :n_items].ravel(), truth[0, n_items:]])
    shares = np.array(design.shares)[list(order)]
    out = covered(fit, expected)
    for method, one in (("model", fit), ("CR1", fit.clustered())):
        table = one.class_table()
        out[f"{method}, share"] = float(table["low"][0] <= shares[0] <= table["high"][0])
    return out
