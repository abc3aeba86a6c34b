"""On random tables `compat="prefmod"` gives prefmod's estimates, whichever defects the table happens to show."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import pairproof
from pairproof.bridge.packages.asking import ask
from pairproof.bridge.values.convert import data_frame
from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from pairproof.errors import PairproofError, RError
from pairproof.native.prefmod_defects.defects_of_input import read_as_prefmod

Floats = NDArray[np.float64]
#: A random table: the table, R's columns, R's call, and the fit of what prefmod reads.
Drawn = tuple[Respondents, dict[str, Floats], str, Callable[[], Floats]]
CODES = ((0, 1, 2), (1, 0, -1), (1, 2, 3))


def factor(values: Floats) -> Factor:
    """A covariate whose levels are those that occur."""
    levels = sorted({int(v) for v in values if v == v})
    codes = [levels.index(int(v)) if v == v else -1 for v in values]
    return Factor(np.array(codes), tuple(map(str, levels)))


def covariate(draw: np.random.Generator, n: int) -> Floats:
    """Levels 1, 2, 3, of which one may be unused; a person may have none."""
    found = draw.choice(([1, 2], [1, 3], [2, 3], [1, 2, 3])[draw.integers(4)], size=n).astype(float)
    if draw.random() < 0.3:
        found[draw.integers(n)] = np.nan
    return found


def estimates(table: Respondents, by: str) -> Floats:
    fit = pairproof.fit_pattern(table, by=by)
    return fit.beta[fit.free]


def comparisons(draw: np.random.Generator) -> Drawn:
    """Three items; answers that may not occur at all, or not in one comparison; gaps."""
    n, codes = int(draw.integers(10, 30)), CODES[draw.integers(3)]
    shares = ([0.4, 0.25, 0.35], [0.6, 0, 0.4], [0.6, 0.4, 0], [0, 0.5, 0.5])[draw.integers(4)]
    a = draw.choice([1, 0, -1], p=shares, size=(n, 3))
    if draw.random() < 0.3:
        a[:, 1] = draw.choice([1, 0] if draw.random() < 0.5 else [1, -1], size=n)
    if draw.random() < 0.4:
        a = np.where(draw.random((n, 3)) < 0.15, 9, a)
    a = a[(a != 9).any(axis=1)]
    s = covariate(draw, len(a))
    table = Respondents.build("ABC", "comparisons", a, tie_category=True, columns={"S": factor(s)})
    raw = np.select([a == 1, a == 0, a == -1], codes, np.nan).astype(float)
    columns = {**{f"V{k + 1}": raw[:, k] for k in range(3)}, "S": s}
    function = str(draw.choice(["pattPC.fit", "llbtPC.fit"]))
    by = "S" if draw.random() < 0.6 else ""

    def ours() -> Floats:
        read = read_as_prefmod(table, function, by=by, codes=codes, warn=False)
        if function == "pattPC.fit":
            return estimates(read.table, read.by)
        fit = pairproof.fit_llbt(read.table.to_comparisons(), by=read.by)
        return fit.beta[fit.free]

    formula = "~S" if by else "~1"
    call = f"prefmod::{function}(d, 3, formel = {formula}, elim = {formula})"
    kept = (
        f"as.numeric({call}$coefficients)"
        if function == "pattPC.fit"
        else f"as.numeric(na.omit(coef({call})))"
    )
    return table, columns, kept, ours


def rankings(draw: np.random.Generator) -> Drawn:
    """Three items; partial rankings, empty ones, ties, a covariate with gaps."""
    n = int(draw.integers(14, 30))
    ranks = np.array([draw.permutation(3) + 1.0 for _ in range(n)])
    ranks[draw.random((n, 3)) < 0.1] = np.nan
    if draw.random() < 0.4:
        ranks[draw.integers(n)] = np.nan
    if draw.random() < 0.4:
        ranks[draw.integers(n), :2] = 1.0
    s = covariate(draw, n)
    answers = np.nan_to_num(ranks).astype(np.int64)
    table = Respondents.build("ABC", "rankings", answers, columns={"S": factor(s)})
    columns = {**{f"V{k + 1}": ranks[:, k] for k in range(3)}, "S": s}
    empty = bool((answers == 0).all(axis=1).any())
    tied = bool(((ranks[:, 0] == ranks[:, 1]) & ~np.isnan(ranks[:, 0])).any())
    # Both together prefmod mixes up in yet another way: rows of ties leave the covariates, empty ones do not.
    by = "S" if draw.random() < 0.6 and not (empty and tied) else ""

    def ours() -> Floats:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = pairproof.fit_pattern(table, by=by, compat="prefmod")
        return fit.beta[fit.free]

    formula = "~S" if by else "~1"
    call = f"prefmod::pattR.fit(d, 3, formel = {formula}, elim = {formula})$coefficients"
    return table, columns, f"utils::capture.output(b <- {call}); as.numeric(b)", ours


def ratings(draw: np.random.Generator) -> Drawn:
    """Three items on a scale of five points, of which some are not used."""
    n, low = int(draw.integers(12, 25)), int(draw.integers(1, 4))
    values = draw.integers(low, low + int(draw.integers(2, 4)), size=(n, 3)).clip(1, 5)
    table = Respondents.build("ABC", "ratings", values, scale=(1, 2, 3, 4, 5))

    def ours() -> Floats:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = pairproof.fit_pattern(table, compat="prefmod")
        return fit.beta[fit.free]

    columns = {f"V{k + 1}": values[:, k].astype(float) for k in range(3)}
    return table, columns, "as.numeric(prefmod::pattL.fit(d, 3)$coefficients)", ours


def ages(draw: np.random.Generator) -> Drawn:
    """Three items, a numeric covariate that some persons lack, by llbt.design."""
    n = int(draw.integers(15, 30))
    a = draw.choice([1, -1], size=(n, 3))
    age = draw.integers(18, 80, size=n).astype(float)
    age[draw.random(n) < 0.15] = np.nan
    table = Respondents.build("ABC", "comparisons", a, tie_category=False, columns={"age": age})
    columns = {**{f"V{k + 1}": (1 - a[:, k]) / 2.0 for k in range(3)}, "age": age}

    def ours() -> Floats:
        read = read_as_prefmod(table, "llbt.design", by="age", warn=False)
        fit = pairproof.fit_llbt(read.table.to_comparisons(), by=read.by)
        return fit.beta[fit.free]

    code = """p <- suppressWarnings(prefmod::llbt.design(d, 3, num.scovs = "age"))
as.numeric(coef(gnm::gnm(y ~ o1 + o2 + (o1 + o2):age, eliminate = mu:CASE, family = poisson, data = p,
verbose = FALSE)))"""
    return table, columns, code, ours


def settled(draws: Callable[[np.random.Generator], Drawn], tables: int) -> tuple[int, list[str]]:
    """How many random tables agree, and what does not; infinite estimates and R's own stops are left out."""
    draw, agree, wrong = np.random.default_rng(14), 0, []
    for _ in range(tables):
        _, columns, code, ours = draws(draw)
        try:
            value = ask("live", "random table", code, {"d": data_frame(columns)}, ("prefmod", "gnm")).value
            theirs = np.asarray(getattr(value, "values"), float)
            mine = ours()
        except (RError, PairproofError):
            continue
        if np.abs(theirs).max() > 4 or np.abs(mine).max() > 4:
            continue  # on its way to infinity: R's number is where it stopped
        full = np.concatenate([mine, np.zeros(max(0, len(theirs) - len(mine)))])  # levels that nobody has: 0
        # Observed: 3.4e-5 at most (nlm's stop).
        if len(full) == len(theirs) and np.abs(np.sort(full) - np.sort(theirs)).max() < 2e-4:
            agree += 1
        else:
            wrong.append(f"{code}: {theirs} {mine} {columns}")
    return agree, wrong


@pytest.mark.r("prefmod", "gnm")
@pytest.mark.parametrize(
    ("draws", "tables", "least"),
    [(comparisons, 14, 9), (rankings, 12, 9), (ratings, 6, 6), (ages, 6, 6)],
    ids=["comparisons", "rankings", "ratings", "ages"],
)
def test_random_tables_have_prefmods_estimates(
    draws: Callable[[np.random.Generator], Drawn], tables: int, least: int
) -> None:
    agree, wrong = settled(draws, tables)
    assert wrong == []
    assert agree >= least  # so many are fitted by both
