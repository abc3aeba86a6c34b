"""True scores, and a panel of annotators who are shifted, use the scale differently, tire, and see context.

An annotator a gives an item of truth theta, shown in a session with others,

    y = clip( .5 + l_a (theta - .5) + b_a + u_session + d (q - 1) + k (theta - mean of HIT) + c e, 0, 1 )
    e ~ N(0, s_a^2)

q being the place in the annotator's sequence; a share of the answers is uniform; scores are rounded to .01. A
session is as many items for every method, so that a shift by visit meets all alike. c is 1 for items shown
alone, and inside a HIT

none          1
uniform:.7    .7: seeing items together helps, whichever they are
similar:.5    .5 + (1 - .5) min(1, sd of the HIT's truths / sd of all truths): similar items help each other

Defaults of shift and noise spread are what mixed models find in WMT21's direct assessment of cs-en (annotator
.112, HIT .085, residual .182; noise .62 to .64 on the log scale); the others are guesses. :meth:`Panel.alike`
has annotators who are all alike, the least that Sakaguchi and Van Durme (2018) need. Who does what, and what
is shown and misjudged, are drawn from two generators, so that all methods can be given the same people.

Truths: lexical (log10 of log-normal frequencies over the largest, as in figure 7 of Sakaguchi and Van Durme),
political (two-humped, with the standard deviation 0.331 of the gold labels, which have no licence), uniform.

Agreement is the mean of Spearman's rho over pairs of ten annotators who each score every item alone: 0.37
(verbs) and 0.67 (political statements) in footnotes 17 and 20; the noise follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from ....data.options import one_of, whole_number
from ....errors import InputError
from ..beta import FloatArray, IntArray
from ..scores.annotator_agreement import ranks

Truth = Literal["lexical", "political", "uniform"]
TRUTHS: tuple[Truth, ...] = get_args(Truth)


def truth_of(kind: Truth, n_items: int, rng: Generator) -> FloatArray:
    """Invented true scores.  Returns float[n_items]: in [0, 1]."""
    one_of("truth", kind, TRUTHS)
    if kind == "uniform":
        return rng.random(n_items)
    if kind == "political":
        # Beta(h, h) has variance 1 / (4 (2h + 1)): h = 0.64 for 0.331^2.
        return rng.beta(0.64, 0.64, n_items)
    # A word that is in the corpus at all has log10(frequency) >= 0.
    logs = np.maximum(rng.normal(3.0, 0.9, n_items), 0.0)
    return np.asarray(logs / logs.max())


Noise = Literal["normal", "beta"]
NOISES: tuple[Noise, ...] = get_args(Noise)
#: Standard deviation of annotator and session together; of the logs of slopes and of noises; share of answers
#: that are uniform; annotators.
SHIFT, SCALE, NOISE_SPREAD, CARELESS, PEOPLE = 0.14, 0.2, 0.6, 0.05, 20
#: Scores of a line from 0 to 100 in whole numbers.
STEP = 0.01
#: Items of a session.
SESSION = 5
#: A beta distribution has its mean inside (0, 1).
INSIDE = 0.02


@dataclass(frozen=True)
class Context:
    """What showing items together does to the noise.
    factor: on the noise: of every HIT (uniform), or of a HIT of equal items (similar); >= 0."""

    kind: str = "none"
    factor: float = 1.0

    def __post_init__(self) -> None:
        usable = math.isfinite(self.factor) and self.factor >= 0
        if self.kind not in ("none", "uniform", "similar") or not usable:
            raise InputError(
                f"context {self.kind}:{self.factor:g}; expected none, uniform:FACTOR or similar:FACTOR, such as"
                " uniform:.7"
            )

    def __str__(self) -> str:
        return "none" if self.kind == "none" else f"{self.kind}:{self.factor:g}"

    @classmethod
    def read(cls, text: str) -> "Context":
        """From none, uniform:.7 or similar:.5."""
        if text == "none":
            return cls()
        kind, _, factor = text.partition(":")
        try:
            return cls(kind if kind != "none" else "none:", float(factor))
        except ValueError:
            raise InputError(f"context {text!r}; expected none, uniform:FACTOR or similar:FACTOR") from None

    def on(self, shown: FloatArray, spread: float) -> FloatArray:
        """float[hits, 1]: factor on the noise of each HIT, from the truths shown and the sd of all truths."""
        if self.kind == "none" or shown.shape[1] < 2:
            return np.ones((len(shown), 1))
        if self.kind == "uniform":
            return np.full((len(shown), 1), self.factor)
        part = np.minimum(1.0, shown.std(axis=1, ddof=1) / spread)
        return np.asarray((self.factor + (1.0 - self.factor) * part)[:, None])


@dataclass(frozen=True)
class Panel:
    """How the annotators of a panel differ.
    sd: of the noise of an annotator of median noise.  shift: standard deviation of annotator and session
    together, half the variance each.  scale, noise_spread: of the logs of the slopes and of the noises.
    drift: change of the score a judgment.  contrast: k: how far a score is pushed away from the mean of its
    HIT.  careless: share of answers that are uniform, in [0, 1].  noise: beta: a beta distribution about the
    same mean with this standard deviation (as near as [0, 1] allows).  step: scores are multiples of it; 0:
    they are not rounded."""

    sd: float
    shift: float = SHIFT
    scale: float = SCALE
    noise_spread: float = NOISE_SPREAD
    drift: float = 0.0
    contrast: float = 0.0
    context: Context = Context()
    careless: float = CARELESS
    people: int = PEOPLE
    noise: Noise = "normal"
    step: float = STEP

    def __post_init__(self) -> None:
        one_of("noise", self.noise, NOISES)
        not_negative, any_number, share = "a finite number >= 0", "a finite number", "a number from 0 to 1"
        for name, low, high, expected in (
            *((name, 0.0, math.inf, not_negative) for name in ("sd", "shift", "scale", "noise_spread")),
            *((name, -math.inf, math.inf, any_number) for name in ("drift", "contrast")),
            *((name, 0.0, 1.0, share) for name in ("careless", "step")),
        ):
            value = vars(self)[name]
            if not (math.isfinite(value) and low <= value <= high):
                raise InputError(f"{name}={value!r}; expected {expected}")
        whole_number("people", self.people, 1)

    @classmethod
    def alike(cls, sd: float, context: Context = Context(), noise: Noise = "normal") -> "Panel":
        """Annotators who are all alike: the truth, and noise of one size.
        The paper's own experiments report only how far its annotators agree."""
        return cls(sd, 0.0, 0.0, 0.0, context=context, careless=0.0, noise=noise, step=0.0)

    @property
    def are_alike(self) -> bool:
        """Whether all annotators are the same at all times, so that two differ by their noise alone."""
        return not any((self.shift, self.scale, self.noise_spread, self.drift, self.careless))


@dataclass(eq=False)
class Judged:
    """Judgments of a panel, row by row.  item, annotator, session int[n].  score float[n]: in [0, 1]."""

    item: IntArray
    annotator: IntArray
    session: IntArray
    score: FloatArray


class PanelAtWork:
    """A drawn panel, which remembers how much each annotator has judged.
    truth float[n_items]: in [0, 1], not all the same.  rng: of numpy; the people are drawn from it at once,
    their sessions and careless answers as they are asked.  errors: their noise; default: `rng`.  session:
    items that are shown one at a time in one session, >= 1."""

    def __init__(
        self,
        panel: Panel,
        truth: FloatArray,
        rng: Generator,
        errors: Generator | None = None,
        session: int = SESSION,
    ) -> None:
        self.panel, self.truth, self.session = panel, np.asarray(truth, np.float64), session
        self.rng, self.errors = rng, rng if errors is None else errors
        n = panel.people
        self.slope = np.exp(panel.scale * rng.normal(size=n))
        self.noise = panel.sd * np.exp(panel.noise_spread * rng.normal(size=n))
        self.location = panel.shift * math.sqrt(0.5) * rng.normal(size=n)
        self.judged: IntArray = np.zeros(n, np.int64)
        self.sessions = 0
        self.spread = float(self.truth.std(ddof=1))

    def judge(self, hits: IntArray) -> Judged:
        """Scores of HITs, each by one annotator drawn at random.
        HITs of one item are judged in sessions of several, one after the other; a larger HIT is a session.
        hits int[k, per_hit]: items.  Returns Judged: in the order of the rows of `hits`."""
        k, size = hits.shape
        of_hit = np.arange(k) // self.session if size == 1 else np.arange(k)
        count = int(of_hit[-1]) + 1 if k else 0
        people = self.rng.integers(0, self.panel.people, count)
        visit = self._visits(count)
        who = people[of_hit]
        place = self._places(np.repeat(who, size)).reshape(k, size)
        score = self._scores(self.truth[hits], who, visit[of_hit][:, None], place)
        session = self.sessions + np.repeat(of_hit, size)
        self.sessions += count
        return Judged(hits.ravel(), np.repeat(who, size), session, score.ravel())

    def all_alone(self) -> FloatArray:
        """float[people, n_items]: every annotator scores every item once, alone, in an order of their own."""
        people, n = self.panel.people, len(self.truth)
        place = np.argsort(self.rng.random((people, n)), axis=1)
        visits = self._visits(people * -(-n // self.session)).reshape(people, -1)
        visit = np.take_along_axis(visits, place // self.session, axis=1)
        shown, who = np.tile(self.truth, people)[:, None], np.repeat(np.arange(people), n)
        return self._scores(shown, who, visit.reshape(-1, 1), place.reshape(-1, 1)).reshape(people, n)

    def _visits(self, count: int) -> FloatArray:
        """float[count]: shifts of sessions."""
        return np.asarray(self.panel.shift * math.sqrt(0.5) * self.rng.normal(size=count))

    def _scores(self, theta: FloatArray, who: IntArray, visit: FloatArray, place: IntArray) -> FloatArray:
        """float[k, size]: scores of items shown together; `visit` and `place` of each or of each row."""
        p = self.panel
        # The same as .5 + slope (theta - .5) + ..., and exactly theta where annotators are alike.
        expected = theta + (self.slope[who, None] - 1.0) * (theta - 0.5) + (self.location[who, None] + visit)
        expected = expected + p.drift * place + p.contrast * (theta - theta.mean(axis=1, keepdims=True))
        sd = p.context.on(theta, self.spread) * self.noise[who, None]
        score: FloatArray = self._about(expected, sd)
        careless = self.rng.random(theta.shape) < p.careless
        score = np.where(careless, self.rng.random(theta.shape), score)
        if p.step:
            score = np.clip(np.round(score / p.step) * p.step, 0.0, 1.0)
        return score

    def _about(self, expected: FloatArray, sd: FloatArray) -> FloatArray:
        """float[k, size]: scores with this expectation before they are cut to [0, 1], and this noise."""
        if self.panel.noise == "normal":
            return np.clip(expected + self.errors.normal(0.0, 1.0, expected.shape) * sd, 0.0, 1.0)
        mean = np.clip(expected, INSIDE, 1.0 - INSIDE)
        precision = np.maximum(mean * (1 - mean) / np.maximum(sd * sd, 1e-12) - 1.0, 0.2)
        return np.asarray(self.errors.beta(mean * precision, (1 - mean) * precision))

    def _places(self, who: IntArray) -> IntArray:
        """int[n]: q - 1 of each judgment, counted on from the annotator's earlier ones."""
        order = np.argsort(who, kind="stable")
        count = np.bincount(who, minlength=self.panel.people)
        within = np.arange(len(who)) - np.repeat(np.cumsum(count) - count, count)
        place = np.empty(len(who), np.int64)
        place[order] = within
        place += self.judged[who]
        self.judged += count
        return place


#: Annotators whose agreement is measured: 10 in the paper.
ANNOTATORS = 10
#: Panels that are drawn; where annotators differ, more of them.
PANELS, PANELS_THAT_DIFFER = 3, 30
#: Noise that is tried; halvings of the range.
MOST, HALVINGS = 5.0, 24


def mean_agreement(truth: FloatArray, panel: Panel, seed: int = 0) -> float:
    """Mean pairwise Spearman's rho of 10 annotators who each score every item alone, over several panels.
    truth float[n_items]: in [0, 1].  Returns float: in [-1, 1]; nan if no two of them use more than one
    value."""
    errors = np.random.default_rng([whole_number("seed", seed), 37])
    people = np.random.default_rng([seed, 38])
    ten = replace(panel, people=ANNOTATORS)
    panels = PANELS if panel.are_alike else PANELS_THAT_DIFFER
    found = []
    for _ in range(panels):
        scores = PanelAtWork(ten, truth, people, errors).all_alone()
        place = np.stack([ranks(row) for row in scores])
        place = place[np.ptp(place, axis=1) > 0]  # somebody who gives everything one score has no rank order
        if len(place) > 1:
            rho = np.corrcoef(place)
            found.append(float(rho[np.triu_indices(len(rho), 1)].mean()))
    return float(np.mean(found)) if found else float("nan")


def sd_for_agreement(truth: FloatArray, target: float, panel: Panel, seed: int = 0) -> float:
    """The noise at which 10 annotators of this panel agree as far as `target`.
    truth float[n_items]: in [0, 1].  target: mean pairwise Spearman's rho, in (0, 1)."""

    def agreed(sd: float) -> float:
        return mean_agreement(truth, replace(panel, sd=sd), seed)

    least, most = 0.0, MOST
    low, high = agreed(most), agreed(least)
    if not low < target < min(high, 1.0):
        differ = " and these differences between annotators (smaller ones allow more)"
        differ = "" if panel.are_alike else differ
        raise InputError(
            f"agreement {target}; expected a number between {low:.2f} and {high:.2f} for these truths{differ}"
        )
    for _ in range(HALVINGS):
        middle = (least + most) / 2
        least, most = (middle, most) if agreed(middle) > target else (least, middle)
    return (least + most) / 2
