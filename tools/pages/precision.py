"""R's own precision: each way to ask R for one model, held against 50-digit values.

The model is the hardest of Dras (2015): Table 1 with effects of the judges, 13 parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

import pairproof
from pairproof.bridge.packages import base, gnm, prefmod
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.data.wide import to_wide
from pairproof.validation.check.shipped import CertifiedValues
from pairproof.validation.verdicts.digits import digits_of_agreement

from .snippets import ROOT
from .tables import markdown, shown

TABLE = ROOT / "tests" / "data" / "dras_table1.csv"
ITEMS = ("A", "B", "C")
#: name of a parameter -> (estimate, standard error), and the deviance.
Answer = tuple[Mapping[str, tuple[float, float]], float]


@lru_cache(maxsize=1)
def dras() -> Comparisons:
    return pairproof.read(TABLE)


@lru_cache(maxsize=1)
def _frame() -> gnm.LLBTFrame:
    table = dras()
    judge = table.columns["judge"]
    assert isinstance(judge, Factor)
    names = [judge.levels[c] for c in judge.codes]
    first, second = ([table.items[i] for i in at] for at in (table.first, table.second))
    cells = [f"{x} {y} {j}" for x, y, j in zip(first, second, names)]
    return gnm.llbt_frame(
        first,
        second,
        table.wins.tolist(),
        table.losses.tolist(),
        table.ties.tolist(),
        items=table.items,
        cell=cells,
        covariates={"J": names},
    )


FORMULA = "o1 + o2 + o3 + tie + (o1 + o2 + o3):J"


def _ours(r_name: str) -> str:
    """`A:judge[3]` for `o1:J3` and for `o1:SUBJ3`; `tie` for `U` and `g1`."""
    head, _, level = r_name.partition(":")
    item = ITEMS[int(head[1:]) - 1] if head[0] == "o" else "tie"
    return f"{item}:judge[{level[-1]}]" if level else item


def _of(names: Iterable[str], coef: Iterable[float], se: Iterable[float], deviance: float) -> Answer:
    return {
        _ours(n): (float(b), float(s))
        for n, b, s in zip(names, coef, se)
        if (n[0] == "o" or n in ("tie", "U", "g1")) and not np.isnan(b)
    }, deviance


def _glm(**options: object) -> Answer:
    m = base.glm_poisson(f"y ~ cell + {FORMULA}", _frame().data, **options)
    return _of(m.names, m.coef, m.se, m.deviance)


def _gnm(**options: Any) -> Answer:
    m = gnm.gnm(f"y ~ {FORMULA}", _frame().data, "cell", **options)
    return _of(m.names, m.coef, m.se, m.deviance)


def _llbtpc() -> Answer:
    wide = to_wide(dras(), "prefmod", ("judge",)).frame.rename(columns={"judge": "SUBJ"})
    m = prefmod.llbtPC_fit(wide, 4, "~SUBJ", "~SUBJ")
    return _of(m.names, m.coef, m.se, m.deviance)


def _llbt_fit() -> Answer:
    frame = _frame()
    c = frame.columns
    columns = {**{k: c[k] for k in ("o1", "o2", "o3")}, "g1": c["tie"]}
    for judge in ("2", "3", "4"):
        here = np.array([j == judge for j in c["J"]], float)
        columns.update({f"o{k}:J{judge}": c[f"o{k}"] * here for k in (1, 2, 3)})
    m = prefmod.llbt_fit(c["y"], columns, q=24, ncat=3)
    return _of(m.names, m.estimate, m.se, m.deviance)


def _native() -> Answer:
    fit = pairproof.fit_llbt(dras(), by="judge")
    return {n: (fit.params[n], fit.bse[n]) for n in fit.cov_params().columns}, fit.deviance


WAYS: tuple[tuple[str, Callable[[], Answer], str], ...] = (
    ("`llbt.fit`", _llbt_fit, "stops when the deviance changes by less than 1e-4 of itself; prints 4 decimals"),
    ("`llbtPC.fit`", _llbtpc, "hands gnm no tolerance, so gnm's own 1e-6 holds"),
    ("`gnm`, `tolerance = 1e-14`", lambda: _gnm(tight=False), "a linear predictor takes a shortcut with a ridge of 1e-8, whatever the tolerance"),
    ("`gnm`, then `checkLinear = FALSE`", lambda: _gnm(), "gnm's own Newton steps, started from the shortcut: what pairproof asks"),
    ("`glm`, `epsilon = 1e-8`", lambda: _glm(epsilon=1e-8, refit=False), "R's default; the covariance is that of the step before the last"),
    ("`glm`, `epsilon = 1e-14`", lambda: _glm(refit=False), "one or two steps more"),
    ("`glm`, fitted again from its own solution", lambda: _glm(), "the weights are now those of the solution: what pairproof asks"),
    ("pairproof", _native, "Newton on the conditional likelihood, without nuisance columns"),
)  # fmt: skip


def precision() -> str:
    """A table with a row for each way to ask R: the fewest correct digits of estimates, standard errors and deviance."""
    true = CertifiedValues.of_paper("dras-2015")(pairproof.fit_llbt(dras(), by="judge"))
    rows = []
    for name, ask, why in WAYS:
        answer, deviance = ask()
        names = [n.partition(".")[2] for n in true if n.startswith("se.")]
        if set(names) != set(answer):
            raise ValueError(f"{name}: parameters {sorted(answer)}; expected {sorted(names)}")
        se = np.array([float(true[f"se.{n}"]) for n in names])
        estimates = digits_of_agreement(
            [answer[n][0] for n in names], [float(true[f"estimate.{n}"]) for n in names], se
        )
        errors = digits_of_agreement([answer[n][1] for n in names], se)
        of_deviance = digits_of_agreement(deviance, float(true["deviance"]))
        rows.append((name, *(shown(float(d)) for d in (estimates.min(), errors.min(), of_deviance)), why))
    heads = ("asked", "estimates", "standard errors", "deviance", "because")
    table = markdown(heads, rows)
    return table.replace("| ---: |\n", "| --- |\n", 1)


BLOCKS: Mapping[str, Callable[[], str]] = {"precision": precision}
