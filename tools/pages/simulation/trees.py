"""`python -m tools.pages.simulation.trees`: level and power of a tree's tests, beside Hansen's p as R's psychotree has it.

Persons compare four items; `z` is a whole number of 30 values, `f` a factor of three levels, both without a meaning
(level), or the abilities change between the halves of z (power).  R tests the same tables by strucchange's `sctest`
with the functional supLM, which has Hansen's (1997) p.  The result is kept in `docs/records/trees/simulation.json`; it takes some
three minutes, so that `python -m tools.pages` only reads it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairproof.bridge.packages.asking import ask
from pairproof.native.answers.trees.instability import Covariate, instability_tests
from pairproof.native.answers.trees.partitioning import fit_node
from tests.native.answers.trees.data import preferences

from ..snippets import OWN_RECORDS

KEPT = OWN_RECORDS / "trees" / "simulation.json"
PAIRS = [(i, j) for j in range(4) for i in range(j)]
ABILITIES = np.array([0.6, 0.2, -0.2, -0.6])

CODE = """
suppressMessages({library(psychotools); library(strucchange)})
answers <- array(answers, c(runs, n, n_pairs)); z <- matrix(z, runs)
list(p = sapply(seq_len(runs), function(r) {
  d <- paircomp(answers[r, , ], labels = c("A", "B", "C", "D"))
  as.numeric(sctest(btmodel(d), order.by = z[r, ], functional = "supLM")$p.value)
}))
"""


@dataclass(frozen=True)
class Case:
    """A design: persons, the change of the abilities between halves of z, tables, and a seed."""

    n: int
    change: float
    runs: int
    seed: int


CASES = (Case(60, 0.0, 400, 11), Case(200, 0.0, 400, 12), Case(60, 1.0, 150, 13), Case(200, 0.5, 150, 14))


def drawn(case: Case) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Answers int[runs, n, 6], z and f float[runs, n]."""
    rng = np.random.default_rng(case.seed)
    z = np.floor(30 * rng.random((case.runs, case.n)))
    f = np.floor(3 * rng.random((case.runs, case.n)))
    half = (z >= 15)[..., None]
    abilities = ABILITIES + np.where(half, case.change, 0.0) * np.array([-1.0, 0.0, 0.0, 1.0])
    gaps = np.stack([abilities[..., i] - abilities[..., j] for i, j in PAIRS], axis=-1)
    answers = np.where(rng.random(gaps.shape) < 1.0 / (1.0 + np.exp(-gaps)), 1, -1)
    return answers, z, f


def simulated(case: Case) -> dict[str, Any]:
    """Shares of tables with p below .05."""
    answers, z, f = drawn(case)
    ours, splits = [], 0
    for y, numbers, groups in zip(answers, z, f):
        data = preferences(y, [i for i, _ in PAIRS], [j for _, j in PAIRS], "ABCD")
        scores = fit_node(data, np.arange(case.n)).scores
        assert scores is not None, "no item is separated in these tables"
        covariates = [Covariate("z", "numeric", numbers), Covariate("f", "factor", groups, ("u", "v", "w"))]
        tests = instability_tests(scores, covariates, int(np.ceil(10 * 3 / 6)))
        ours.append([test.p for test in tests])
        splits += min(test.p_adjusted for test in tests) < 0.05
    arguments = {
        "answers": answers.astype(float).ravel(order="F"),
        "z": z.ravel(order="F"),
        "runs": case.runs,
        "n": case.n,
        "n_pairs": len(PAIRS),
    }
    found = ask("live", "supLM", CODE, arguments, ("psychotools", "strucchange"))
    hansen = np.asarray(found.as_list().vector("p").floats(), dtype=float)
    p = np.array(ours)
    return {
        "persons": case.n,
        "change": case.change,
        "tables": case.runs,
        "seed": case.seed,
        "numeric": float((p[:, 0] < 0.05).mean()),
        "factor": float((p[:, 1] < 0.05).mean()),
        "hansen": float((hansen < 0.05).mean()),
        "trees_split": splits / case.runs,
    }


def main() -> None:
    """Simulate all cases and keep the shares."""
    KEPT.write_text(json.dumps([simulated(case) for case in CASES], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
