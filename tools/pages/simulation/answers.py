"""Tables of answers drawn from judges, and prompts, that have preferences of their own; and the truth about them.

Judge g sees item i with ability b_i + u_gi, prompt s with b_i + u_gi + v_si, all u and v independent normal::

    P(answer | eta) of the model,  eta = (b_i + u_gi + v_si) - (b_j + u_gj + v_sj)

What such data estimate is not b but the population-averaged parameter: the fit to the expected answers of a judge
(and a prompt) drawn anew, E P(answer | eta) over eta ~ N(b_i - b_j, 2 (sd_u^2 + sd_v^2)).  It is smaller than b
(Zeger, Liang and Albert 1988, Biometrics 44, 1049-1060), and it is what an interval has to cover.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import pairproof
from pairproof.data.columns import Factor
from pairproof.fit.fit import Fit

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Model = Literal["davidson", "bradley-terry", "rao-kupper"]

SEED = 20240612
#: log nu of Davidson's model (23 % ties between equals) and delta of Rao and Kupper's (20 %).
LOG_NU, DELTA = -0.5, 0.2
#: Points of the Gauss-Hermite rule for the truth; with twice as many it moves by less than 1e-12.
NODES = 100


def rng_of(name: str, table: int) -> np.random.Generator:
    """Of a table of a line, by the line's name and the table's number."""
    return np.random.default_rng([SEED, zlib.crc32(name.encode()), table])


@dataclass(frozen=True)
class Design:
    """How tables of one line of the page are drawn; the line's name seeds them."""

    name: str
    judges: int
    #: 0: prompts have no preferences, and no column.
    prompts: int = 0
    #: Standard deviations of u and v, on the log-odds scale.
    judge_sd: float = 0.0
    prompt_sd: float = 0.0
    #: Of a judge, on average.
    answers: int = 20
    #: Judge k (and prompt k) has answers in proportion to 1/k instead of equally many.
    uneven: bool = False
    #: Item k is shown in proportion to 1/k: the commonest of ten pairs is ten times as common as the rarest.
    uneven_pairs: bool = False
    model: Model = "davidson"
    #: b, on the log-odds scale.
    abilities: tuple[float, ...] = (0.6, 0.3, 0.3, 0.1, 0.0)

    def rng(self, table: int) -> np.random.Generator:
        """Of one table."""
        return rng_of(self.name, table)

    @property
    def items(self) -> tuple[str, ...]:
        return tuple(f"item {k + 1}" for k in range(len(self.abilities)))

    def pairs(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Both items of every pair and the share of the answers that it has."""
        n = len(self.abilities)
        first, second = np.triu_indices(n, 1)
        shown = 1.0 / np.arange(1, n + 1) if self.uneven_pairs else np.ones(n)
        share = shown[first] * shown[second]
        return first, second, share / share.sum()


def probabilities(eta: FloatArray, model: Model) -> FloatArray:
    """P(first), P(tie), P(second), float[..., 3], at log-odds eta."""
    if model == "rao-kupper":
        p1, p3 = 1.0 / (1.0 + np.exp(DELTA - eta)), 1.0 / (1.0 + np.exp(DELTA + eta))
        return np.stack([p1, 1.0 - p1 - p3, p3], axis=-1)
    tie = np.zeros_like(eta) if model == "bradley-terry" else np.full_like(eta, np.exp(LOG_NU))
    p = np.stack([np.exp(eta / 2), tie, np.exp(-eta / 2)], axis=-1)
    out: FloatArray = p / p.sum(axis=-1, keepdims=True)
    return out


def fitted(table: pairproof.Comparisons, model: Model) -> Fit:
    """The model fitted as a user would: LLBT with Davidson's ties, Bradley-Terry, or Rao and Kupper's."""
    if model == "davidson":
        return pairproof.fit_llbt(table)
    return pairproof.fit_bradley_terry(table, ties="rao-kupper" if model == "rao-kupper" else "none")


def truth(design: Design, nodes: int = NODES) -> FloatArray:
    """float[n_items, n_items]: population-averaged differences of abilities, row minus column, on the fit's scale."""
    first, second, share = design.pairs()
    b = np.array(design.abilities)
    x, w = np.polynomial.hermite_e.hermegauss(nodes)
    spread = np.sqrt(2.0 * (design.judge_sd**2 + design.prompt_sd**2))
    p = np.einsum("k,pkc->pc", w / w.sum(), probabilities(
        (b[first] - b[second])[:, None] + spread * x, design.model))  # fmt: skip
    n = 1000.0 * share[:, None] * p
    ties = None if design.model == "bradley-terry" else n[:, 1]
    table = pairproof.Comparisons.build(design.items, first, second, n[:, 0], ties, n[:, 2])
    fit = fitted(table, design.model)
    ability = fit.ability_functions({}) @ fit.beta
    out: FloatArray = ability[:, None] - ability[None, :]
    return out


def drawn(design: Design, table: int) -> pairproof.Comparisons:
    """Table number `table` of a design."""
    rng = design.rng(table)
    n_items = len(design.abilities)
    judge = np.repeat(np.arange(design.judges), numbers(design))
    n = len(judge)
    first, second, share = design.pairs()
    pair = _picked(rng.random(n), share)
    swap = rng.random(n) < 0.5
    i, j = np.where(swap, second[pair], first[pair]), np.where(swap, first[pair], second[pair])
    own = design.judge_sd * rng.standard_normal((design.judges, n_items))
    ability = np.array(design.abilities) + own
    eta = ability[judge, i] - ability[judge, j]
    columns = {"judge": _factor(judge, design.judges)}
    if design.prompts:
        prompt = _picked(rng.random(n), _shares(design.prompts, design.uneven))
        of_prompt = design.prompt_sd * rng.standard_normal((design.prompts, n_items))
        eta = eta + of_prompt[prompt, i] - of_prompt[prompt, j]
        columns["source"] = _factor(prompt, design.prompts)
    answer = (rng.random(n)[:, None] > probabilities(eta, design.model).cumsum(axis=1)[:, :2]).sum(axis=1)
    ties = None if design.model == "bradley-terry" else (answer == 1).astype(float)
    return pairproof.Comparisons.build(
        design.items, i, j, (answer == 0).astype(float), ties, (answer == 2).astype(float), columns=columns
    )


def numbers(design: Design) -> IntArray:
    """int[judges]: answers of each judge."""
    share = _shares(design.judges, design.uneven)
    return np.maximum(np.rint(design.judges * design.answers * share), 1.0).astype(np.int64)


def _shares(n: int, uneven: bool) -> FloatArray:
    weight = 1.0 / np.arange(1, n + 1) if uneven else np.ones(n)
    return np.asarray(weight / weight.sum())


def _picked(uniform: FloatArray, share: FloatArray) -> IntArray:
    """By the distribution function, so that a seed gives the same table with every version of numpy."""
    edges = np.cumsum(share)[:-1]
    return np.searchsorted(edges, uniform, side="right").astype(np.int64)


def _factor(codes: IntArray, n: int) -> Factor:
    return Factor(codes, tuple(str(k + 1) for k in range(n)))
