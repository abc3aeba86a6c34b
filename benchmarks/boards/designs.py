"""Designs of simulated boards, and one replication of each: its votes, read and counted, and what ratings converge to.

Every design has abilities and popularities of its own that all its replications share, so that each model has a bias and
a coverage; what else is drawn (votes, judges, prompts, lengths, which models tend to be called bad) is new each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

import pairproof
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.numerics.arrays import FloatArray, IntArray
from tests.boards.simulated import simulate, simulate_counts

#: Of abilities and popularities, of the replications, and Elo points per log-odds.
SEED, POINTS = 20_261_128, 400.0 / np.log(10.0)
#: Columns that a board reads; `longer` is log length_a - log length_b.
COLUMNS = ["model_a", "model_b", "winner", "judge", "prompt"]
STYLE = "longer"
BOTH_BAD = "tie (bothbad)"


@dataclass(frozen=True)
class Design:
    """said: in words.  votes: arguments of `simulate`.  methods: names of :data:`benchmarks.boards.methods.METHODS`, and
    the limit of `simulate` that each is held against where it is not `target`.  few: methods that are slow, and in how
    many replications they run.  newcomer: votes that the last model has, of `n_votes`.
    spread: sd of abilities."""

    name: str
    said: str
    methods: tuple[str, ...]
    n_models: int = 20
    n_votes: int = 20_000
    votes: Mapping[str, Any] = field(default_factory=dict)
    target: str = "half"
    targets: Mapping[str, str] = field(default_factory=dict)
    few: Mapping[str, int] = field(default_factory=dict)
    newcomer: int = 0
    spread: float = 0.5
    counted: bool = False

    def replications(self, method: str, asked: int) -> int:
        return min(asked, self.few.get(method, asked))

    @cached_property
    def models(self) -> tuple[FloatArray, FloatArray]:
        """Abilities and popularities; those of a newcomer so that it has its votes on the average."""
        rng = np.random.default_rng([SEED, self.n_models])
        theta, shown = rng.normal(0.0, self.spread, self.n_models), np.exp(
            rng.normal(0.0, 0.4, self.n_models)
        )
        if self.newcomer:
            theta[-1] = np.sort(theta)[-4]  # among the best, where it matters
            shown[-1] = shown[:-1].sum() * self.newcomer / (2 * self.n_votes)
        return theta - theta.mean(), shown

    def draw(self, k: int) -> Draw:
        """Replication k."""
        theta, shown = self.models
        if self.counted:
            pairs, counts, half, truth = simulate_counts(SEED + k, self.n_votes, theta, shown)
            names = [f"model-{i + 1:03d}" for i in range(self.n_models)]
            return Draw(names, {"half": half, "truth": truth}, None, pairs, counts, np.nan)
        frame = simulate(
            SEED + k, self.n_votes, self.n_models, **{"pareto": 2.0, **self.votes}, truth=theta, shown=shown
        )
        # Equal models are equal: without rounding they differ by 1e-17.
        limits = {
            key: np.round(list(v.values()), 12) for key, v in frame.attrs.items() if isinstance(v, dict)
        }
        names = list(frame.attrs["truth"])
        frame[STYLE] = np.log(frame["length_a"]) - np.log(frame["length_b"])
        if self.target == "dropped":
            frame = frame[frame["winner"] != BOTH_BAD].reset_index(drop=True)
        pairs, counts = _by_pair(frame, names)
        return Draw(names, limits, frame, pairs, counts, frame.attrs.get("coefficient", np.nan))


@dataclass(frozen=True, eq=False)
class Draw:
    """A replication: pairs int[m, 2] and counts int[m, 3], wins, ties and losses of the first of each; limits: what ratings
    converge to, log-odds of sum 0, by the names of `simulate`; coefficient: that of style, nan without."""

    names: list[str]
    limits: Mapping[str, FloatArray]
    frame: pd.DataFrame | None
    pairs: IntArray
    counts: IntArray
    coefficient: float
    _fits: dict[tuple[str, str], Fit] = field(default_factory=dict)

    @cached_property
    def table(self) -> Comparisons:
        if self.frame is not None:
            return pairproof.read(self.frame[[*COLUMNS, STYLE]])
        wins, ties, losses = self.counts.T
        return Comparisons.build(self.names, self.pairs[:, 0], self.pairs[:, 1], wins, ties, losses)

    def fit(self, ties: str = "half", style: str = "") -> Fit:
        """pairproof's fit, made once for all standard errors."""
        if (ties, style) not in self._fits:
            self._fits[ties, style] = pairproof.fit_bradley_terry(
                self.table, ties=ties, reference="sum", comparison_terms=(style,) if style else ()
            )
        return self._fits[ties, style]


def _by_pair(frame: pd.DataFrame, names: list[str]) -> tuple[IntArray, IntArray]:
    place = {name: k for k, name in enumerate(names)}
    n = len(names)
    a, b = (frame[column].map(place).to_numpy() for column in ("model_a", "model_b"))
    outcome = frame["winner"].map({"model_a": 0, "model_b": 2}).fillna(1).to_numpy().astype(np.int64)
    outcome = np.where(a < b, outcome, 2 - outcome)
    cell = np.bincount((np.minimum(a, b) * n + np.maximum(a, b)) * 3 + outcome, minlength=n * n * 3).reshape(
        -1, 3
    )
    used = np.flatnonzero(cell.sum(axis=1))
    return np.stack(np.divmod(used, n), axis=1), cell[used]


_PLAIN = ("arena-rank", "FastChat", "evalica")

DESIGNS: tuple[Design, ...] = (
    Design(
        "independent",
        "20 models, 20,000 independent votes",
        ("by vote", *_PLAIN),
        votes={"judge_sd": 0.0, "prompt_sd": 0.0},
    ),
    Design(
        "users differ",
        "20 models, 20,000 votes of 3,000 users who differ (sd .35), with about 1 % from the busiest user, on 6,667"
        " prompts (sd .2)",
        ("by judge and prompt", "by judge", "by vote", *_PLAIN),
    ),
    Design(
        "one user with many votes",
        "the same with heavy-tailed activity of users (Pareto 1.2): the busiest casts 2 to 40 % of all votes",
        ("by judge and prompt", "by judge", "by vote", *_PLAIN),
        votes={"pareto": 1.2},
    ),
    Design(
        "style goes with ability",
        "as 'users differ', but better models give longer answers, and longer answers are preferred (.4 per unit"
        " of log length)",
        (
            "style, by judge and prompt",
            "style, by judge",
            "by judge",
            "arena-rank, style",
            "arena-rank, style, reg=0",
            "FastChat, style",
            *_PLAIN,
        ),
        votes={"style": 0.4, "verbose": 0.6},
        target="half",
        targets={
            "style, by judge and prompt": "equal",
            "style, by judge": "equal",
            "arena-rank, style": "equal",
            "arena-rank, style, reg=0": "equal",
            "FastChat, style": "equal",
        },
    ),
    Design(
        "100 models",
        "100 models, 100,000 votes of 15,000 users who differ",
        ("by judge", *_PLAIN),
        n_models=100,
        n_votes=100_000,
        votes={"n_judges": 15_000},
        few={"evalica": 40},
    ),
    Design(
        "a newcomer",
        "20 models as in 'users differ', one of them with 300 votes",
        ("by judge and prompt", *_PLAIN),
        newcomer=300,
    ),
    Design(
        "a newcomer on a large board",
        "100 models, 5,000,000 independent votes, one model with 300 of them",
        ("by vote", *_PLAIN),
        n_models=100,
        n_votes=5_000_000,
        newcomer=300,
        counted=True,
        few={"evalica": 40},
    ),
    Design(
        "Davidson's ties",
        "20 models, 20,000 independent votes without those that call both bad, ties by Davidson's model; abilities"
        " are compared with the truth",
        ("Davidson, by vote",),
        votes={"judge_sd": 0.0, "prompt_sd": 0.0},
        target="dropped",
        targets={"Davidson, by vote": "truth"},
    ),
    Design(
        "both bad left out",
        "'users differ' without votes that call both bad",
        ("by judge and prompt", *_PLAIN),
        target="dropped",
    ),
    Design(
        "equal models",
        "'users differ' with 20 equally good models, so any statement about ranks is wrong: the"
        " hardest design for ranks",
        ("by judge and prompt", *_PLAIN),
        spread=0.0,
    ),
)
