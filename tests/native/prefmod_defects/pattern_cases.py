"""Cases of prefmod's pattern models: B1, B3, B5, B12, B18, B20, B22, A2, A18, N1."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pairproof.data.respondents.pairs_and_ratings import from_ratings
from pairproof.data.respondents.ranking_layouts import from_ranks
from pairproof.data.respondents.respondents import Respondents
from pairproof.errors import DataWarning
from pairproof.native.answers.pattern_models import fit_pattern
from pairproof.native.prefmod_defects.defects_of_input import read_as_prefmod
from pairproof.native.prefmod_defects.defects_of_results import stored_log_likelihood
from tests.native.prefmod_defects.llbt_cases import (
    NA,
    SIXTEEN,
    TERNARY,
    Case,
    Columns,
    Stop,
    frame_of,
    levels_of,
    pairs,
)

#: nlm stops where its gradient is below 1e-6: estimates are then within this of the maximum (observed in the
#: tests of pairproof/native/answers: 1.5e-6 to 3.4e-5; here: 3e-6 at most).
NLM = Stop(5e-5, "nlm stops before the maximum")


def _estimates(table: Respondents, by: str = "", compat: str = "", **options: Any) -> list[float]:
    """Free parameters in the order of the model, fitted with pairproof's option `compat`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        fit = fit_pattern(table, by=by, compat=compat, **options)
    return [float(b) for b in fit.beta[fit.free]]


def _of_coefficients(
    defect: str,
    table: str,
    call: str,
    data: Columns,
    quantities: tuple[str, ...],
    reproduced: Callable[[], Sequence[float]],
    right: Callable[[], Sequence[float]],
) -> Case:
    """A case whose numbers are the coefficients of a function that ends with nlm."""
    return Case(defect, table, call, f"{call}$coefficients", data, quantities, reproduced, right, NLM)


# -- B1, N1 --------------------------------------------------------------------------------------------------


def _dras_j1() -> Columns:
    """Judge J1 of Dras (2015), Table 1: (first, tie, second) of AB AC BC AD BD CD, a row a text."""
    counts = ((38, 0, 2), (36, 1, 3), (39, 1, 0), (37, 1, 2), (0, 2, 38), (3, 0, 37))
    return {f"V{k + 1}": [0.0] * a + [1.0] * t + [2.0] * b for k, (a, t, b) in enumerate(counts)}


def ties_as_losses() -> Case:
    data = _dras_j1()
    table = pairs(data, 4, True, "ABCD")
    return Case(
        "B1-ties-as-losses",
        "judge J1 of Dras (2015), who compared 40 texts of four systems",
        "pattPC.fit(d, 4)",
        "c(pattPC.fit(d, 4)$coefficients, NA)",
        data,
        ("A", "B", "C", "tie"),
        lambda: [*_estimates(table, compat="prefmod:B1"), NA],
        lambda: _estimates(table),
        NLM,
    )


def log_likelihood_beside() -> Case:
    table = pairs(TERNARY, 3, True)

    fit = fit_pattern(table)
    return Case(
        "N1-log-likelihood-beside-the-maximum",
        "sixteen persons, three items, with ties",
        "pattPC.fit(d, 3)$ll",
        "pattPC.fit(d, 3)$ll",
        TERNARY,
        ("log-likelihood",),
        lambda: [stored_log_likelihood(fit)],
        lambda: [fit.llf],
        Stop(5e-9, "of the 1e-7 that the log-likelihood is off, this is what nlm's stop leaves"),
    )


# -- B3, B22: gaps -------------------------------------------------------------------------------------------


def _with_gaps() -> Columns:
    """Forty persons, four items: gaps in each comparison, most of them between the first item and the last."""
    columns: dict[str, list[float]] = {}
    for k, (wins, gaps) in enumerate(zip((8, 6, 7, 4, 6, 7), (3, 6, 4, 14, 4, 4))):
        answers = [float((7 * i + 3 * k + i // 10) % 10 >= wins) for i in range(40)]
        missing = [(11 * i + 5 * k + 5 * (i // 8)) % 40 < gaps for i in range(40)]
        columns[f"V{k + 1}"] = [NA if gone else a for a, gone in zip(answers, missing)]
    return columns


def beta_of_the_comparison() -> Case:
    data = _with_gaps()
    table = pairs(data, 4, False)

    def numbers(beta: Any, compat: str) -> Sequence[float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            of_beta = ["o1"] if beta else None
            fit = fit_pattern(table, alpha="item", beta=beta, alpha_of=["o1"], beta_of=of_beta, compat=compat)
        found = [float(b) for b in fit.beta[fit.free]]
        return [*found, *([] if beta else [NA]), fit.llf]

    call = "pattPC.fit(d, 4, MISalpha = c(T,F,F,F), MISbeta = c(T,F,F,F))"
    return Case(
        "B3-beta-of-the-comparison",
        "forty persons with gaps, four items",
        call,
        f"m <- {call}; c(m$coefficients, -m$result$minimum)",
        data,
        ("o1", "o2", "o3", "alpha:o1", "beta:o1", "log-likelihood"),
        lambda: numbers("item", "prefmod"),
        lambda: numbers(None, ""),
        NLM,
    )


def first_block_complete() -> Case:
    data: Columns = {
        **SIXTEEN,
        "V1": [NA] * 8 + list(SIXTEEN["V1"][8:]),
        "V3": list(SIXTEEN["V3"][:8]) + [NA] * 8,
    }
    table = pairs(data, 3, False)
    return _of_coefficients(
        "B22-first-block-complete",
        "sixteen persons, of whom eight lack the first comparison and eight the third: nobody is complete",
        "pattPC.fit(d, 3, NItest = TRUE)",
        data,
        ("o1", "o2", "mis.o1", "mis.o2"),
        lambda: _estimates(table, compat="prefmod:B22"),
        lambda: [*_estimates(table), NA, NA],
    )


# -- B5, B12, A2: covariates ---------------------------------------------------------------------------------


def ranking_without_ranks() -> Case:
    data: Columns = {
        "a": [1, NA, 2, 3, 1, 1, 2, 3, 1, 2, 1, 3],
        "b": [2, NA, 1, 1, 3, 2, 3, 2, 2, 1, 3, 1],
        "c": [3, NA, 3, 2, 2, 3, 1, 1, 3, 3, 2, 2],
        "S": [1, 2, 1, 2, 1, 2, 2, 1, 1, 2, 1, 2],
    }
    table = _rankings(data, ("a", "b", "c"), ("S",))
    return _of_coefficients(
        "B5-rows-shifted",
        "twelve rankings of three items, one of them empty, by S",
        "pattR.fit(d, 3, formel = ~S, elim = ~S)",
        data,
        ("a", "b", "a:S2", "b:S2"),
        lambda: _estimates(table, "S", "prefmod"),
        lambda: _estimates(table, "S"),
    )


def repeated_rankings_without_covariate() -> Case:
    data: Columns = {
        "a.1": [1, 2, 2, 3, 1, 1, 2, 3, 1, 2, 1, 3],
        "b.1": [2, 3, 1, 1, 3, 2, 3, 2, 2, 1, 3, 1],
        "c.1": [3, 1, 3, 2, 2, 3, 1, 1, 3, 3, 2, 2],
        "a.2": [2, 1, 1, 3, 1, 2, 2, 3, 1, 2, 3, 3],
        "b.2": [1, 3, 2, 1, 3, 1, 3, 2, 3, 1, 1, 2],
        "c.2": [3, 2, 3, 2, 2, 3, 1, 1, 2, 3, 2, 1],
        "S": [1, 2, NA, 2, 1, 2, 2, 1, 1, 2, 1, 2],
    }
    table = _rankings(data, ("a", "b", "c"), ("S",), 2)
    known = table.select(np.asarray(data["S"]) == np.asarray(data["S"]))
    call = "pattRrep.fit(d, 3, tpoints = 2, formel = ~S, elim = ~S)"
    return _of_coefficients(
        "B5-rows-shifted",
        "twelve persons who ranked three items twice, S of the third missing",
        call,
        data,
        ("a.1", "b.1", "a.2", "b.2", "a.1:S2", "b.1:S2", "a.2:S2", "b.2:S2"),
        lambda: _by_time(_estimates(table, "S", "prefmod")),
        lambda: _by_time(_estimates(known, "S")),
    )


def _by_time(estimates: Sequence[float]) -> list[float]:
    """Estimates of two items: prefmod has covariates outside, fit_repeated has times outside."""
    return [estimates[k] for k in (0, 1, 4, 5, 2, 3, 6, 7)]


def gap_in_the_levels() -> Case:
    data: Columns = {
        **SIXTEEN,
        "V1": [0, 0, 1, 0, 1, 0, 0, 0, *SIXTEEN["V1"][8:]],
        "S": [1.0] * 8 + [3.0] * 8,
    }
    table = pairs(data, 3, False, levels=("S",))
    return _of_coefficients(
        "B12-gap-in-the-levels",
        "sixteen persons of level 1 or 3 of S",
        "pattPC.fit(d, 3, formel = ~S, elim = ~S)",
        data,
        ("o1", "o2", "o1:S2", "o2:S2", "o1:S3", "o2:S3"),
        lambda: [*_estimates(table, "S", "prefmod"), 0.0, 0.0],
        lambda: _spread(_estimates(table, "S")),
    )


def _spread(e: Sequence[float]) -> list[float]:
    """There is no S2; what prefmod calls so is S3."""
    return [e[0], e[1], NA, NA, e[2], e[3]]


def persons_without_covariate() -> Case:
    data: Columns = {**SIXTEEN, "S": [1, 2, NA, 2, 1, 1, 2, 1, 2, NA, 2, 1, 1, 2, 1, 2]}
    table = pairs(data, 3, False, levels=("S",))
    known = table.select(np.asarray(data["S"]) == np.asarray(data["S"]))
    return _of_coefficients(
        "A2-persons-without-covariate",
        "sixteen persons, S of two missing",
        "pattPC.fit(d, 3, formel = ~S, elim = ~S)",
        data,
        ("o1", "o2", "o1:S2", "o2:S2"),
        lambda: _estimates(table, "S", "prefmod"),
        lambda: _estimates(known, "S"),
    )


# -- B18, B20, A18: categories -------------------------------------------------------------------------------


def observed_range() -> Case:
    data: Columns = {
        "a": [1, 2, 2, 1, 1, 2, 1, 2],
        "b": [2, 2, 1, 1, 2, 1, 1, 2],
        "c": [1, 1, 2, 2, 2, 1, 1, 1],
    }
    import pandas as pd

    table = from_ratings(pd.DataFrame(data), scale="1-5", best="low", items=["a", "b", "c"])
    return _of_coefficients(
        "B18-observed-range",
        "eight persons who used the points 1 and 2 of a scale of five",
        "pattL.fit(d, 3)",
        data,
        ("a", "b", "tie"),
        lambda: _estimates(table, compat="prefmod"),
        lambda: _estimates(table),
    )


def tied_ranks() -> Case:
    data: Columns = {
        "a": [1, 2, 2, 3, 1, 1, 2, 3, 1, 2, 1, 3],
        "b": [2, 2, 1, 1, 3, 2, 3, 2, 2, 1, 1, 1],
        "c": [3, 1, 3, 2, 2, 3, 1, 1, 3, 3, 2, 2],
    }
    table = _rankings(data, ("a", "b", "c"))
    return _of_coefficients(
        "A18-tied-ranks-left-out",
        "twelve rankings of three items, two of them with ties",
        "pattR.fit(d, 3)",
        data,
        ("a", "b"),
        lambda: _estimates(table, compat="prefmod"),
        lambda: [NA, NA],
    )


def range_of_first_columns() -> Case:
    data: Columns = {
        **SIXTEEN,
        "V4": [0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 0],
        "V5": [0, 2, 2, 0, 0, 1, 2, 0, 0, 2, 1, 2, 0, 2, 0, 2],
        "V6": [2, 0, 0, 0, 2, 2, 0, 0, 2, 1, 0, 0, 2, 0, 0, 2],
    }
    table = pairs(data, 4, True)
    code = "p <- patt.design(d, 4); coef(glm(y ~ o1 + o2 + o3, family = poisson, data = p, epsilon = 1e-14))[2:4]"
    return Case(
        "B20-range-of-the-first-columns",
        "sixteen persons, four items; only the last two comparisons have ties and a second preference coded 2",
        "glm(y ~ o1 + o2 + o3, family = poisson, data = patt.design(d, 4))",
        code,
        data,
        ("o1", "o2", "o3"),
        lambda: _estimates(read_as_prefmod(table, "patt.design", compat="prefmod:B20", warn=False).table),
        lambda: _estimates(table, ties="none"),
        Stop(1e-9, "glm stops when the deviance changes by less than 1e-14 of itself"),
    )


def _rankings(
    data: Columns, items: Sequence[str], levels: Sequence[str] = (), times: int | None = None
) -> Respondents:
    return from_ranks(
        frame_of(data, levels),
        items=list(items),
        answers=[k for k in data if k not in levels],
        unranked="below",
        times=times,
        levels=levels_of(data, levels),
    )


CASES = (
    ties_as_losses,
    beta_of_the_comparison,
    ranking_without_ranks,
    repeated_rankings_without_covariate,
    gap_in_the_levels,
    observed_range,
    range_of_first_columns,
    first_block_complete,
    persons_without_covariate,
    tied_ranks,
    log_likelihood_beside,
)
