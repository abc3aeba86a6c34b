"""Selective terms and terms of the comparison against R: gnm, glm and BradleyTerry2 on the models of help pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pairproof
from pairproof.bridge.process.session import session
from pairproof.bridge.values.convert import to_frame
from pairproof.data.comparisons import Comparisons
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.validation.r_answers.answerers import counterparts
from pairproof.validation.verdicts.against_r import compare_fit
from tests.native.comparisons.counts.cems import cems

GLM, GNM, BINOMIAL = "stats::glm, refitted", "gnm::gnm(eliminate)", "stats::glm(binomial), refitted"
live = pytest.mark.r("gnm", "prefmod", "BradleyTerry2", "sandwich", "clubSandwich")

#: The final model on the help page of CEMS in BradleyTerry2 (Dittrich and others 2001, Table 6).
TABLE_6 = """
library(BradleyTerry2); data("CEMS", package = "BradleyTerry2")
fit <- suppressWarnings(BTm(cbind(win1.adj, win2.adj), school1, school2, refcat = "Stockholm", data = CEMS,
  formula = ~ .. + WOR[student] * Paris[..] + WOR[student] * Milano[..] + WOR[student] * Barcelona[..] +
    DEG[student] * St.Gallen[..] + STUD[student] * Paris[..] + STUD[student] * St.Gallen[..] +
    ENG[student] * St.Gallen[..] + FRA[student] * London[..] + FRA[student] * Paris[..] +
    SPA[student] * Barcelona[..] + ITA[student] * London[..] + ITA[student] * Milano[..] +
    SEX[student] * Milano[..]))
fit <- suppressWarnings(update(fit, control = glm.control(epsilon = 1e-10, maxit = 100)))
kept <- coef(fit)[!is.na(coef(fit))]
se <- sqrt(diag(vcov(fit)))[names(kept)]
list(names = names(kept), estimate = as.numeric(kept), se = as.numeric(se),
  deviance = deviance(fit), df = df.residual(fit))
"""
STUDENTS = """
data("CEMS", package = "BradleyTerry2")
p <- CEMS$preferences; p <- p[!is.na(p$win1), ]
s <- CEMS$students[p$student, ]
for (name in names(s)) s[[name]] <- as.integer(s[[name]])  # 1 is each factor's first level
data.frame(first = as.character(p$school1), second = as.character(p$school2), wins = p$win1, ties = p$tied,
  losses = p$win2, judge = p$student, s)
"""
OURS = (
    "Paris:WOR + Milano:WOR + Barcelona:WOR + `St.Gallen`:DEG + STUD:Paris + STUD:`St.Gallen` + ENG:`St.Gallen`"
    " + FRA:London + FRA:Paris + SPA:Barcelona + ITA:London + ITA:Milano + SEX:Milano"
)


def students() -> Comparisons:
    """4,454 preferences of 303 students, of BradleyTerry2; covariates are 1 and 2, the slope on them the effect of 2."""
    return pairproof.read(to_frame(session().call(code=STUDENTS, needs=["BradleyTerry2"]).value))


@live
def test_the_final_model_of_the_schools_is_that_of_bradleyterry2() -> None:
    told: Any = session().call(code=TABLE_6, needs=["BradleyTerry2"]).as_list()
    names = list(told.vector("names").values)
    fit = fit_bradley_terry(students(), ties="half", by=OURS, reference="Stockholm", cells="judge")
    own = {}
    for name in names:
        parts = name.replace("[student]", "").replace("[..]", "").split(":")
        if len(parts) == 2:
            school = next(p for p in parts if p in fit.items)
            (variable,) = (p for p in parts if p != school)
            level = next(
                v for v in ("WOR", "DEG", "STUD", "ENG", "FRA", "SPA", "ITA", "SEX") if variable.startswith(v)
            )
            own[name] = f"{school}:{level}"
    assert len(own) == 13
    for place, name in enumerate(names):
        if name in own:
            estimate, se = (float(told.vector(x).values[place]) for x in ("estimate", "se"))
            # glm at epsilon 1e-10 leaves 1e-12 of the estimates; of the standard errors, whose weights are
            # those of the step before, 2e-7. Both observed.
            assert fit.params[own[name]] == pytest.approx(estimate, abs=1e-10)
            assert fit.bse[own[name]] == pytest.approx(se, rel=1e-6)
    assert fit.deviance == pytest.approx(told.vector("deviance").scalar(), rel=1e-9)


def with_x() -> Comparisons:
    table = cems()
    return Comparisons.build(
        table.items,
        table.first,
        table.second,
        table.wins,
        table.ties,
        table.losses,
        columns={**table.columns, "x": np.arange(table.n_rows) % 5 - 1.5},
        item_data=table.item_data,
    )


@live
@pytest.mark.parametrize(
    ("fitter", "options"),
    [
        (fit_llbt, dict(item_terms=["LAT", "EC"], by="LAT:ENG")),
        (fit_llbt, dict(by="Paris:ENG", reference="Paris")),
        (fit_llbt, dict(by="LAT:ENG + London:ENG + tie:ENG", reference="sum")),
        (fit_bradley_terry, dict(by="ENG + LAT:x", ties="half")),
        (fit_bradley_terry, dict(by="Paris:ENG", item_terms=["LAT"], ties="drop", comparison_terms="x")),
        (fit_llbt, dict(comparison_terms="x*ENG", order_effect=True)),
        (fit_bradley_terry, dict(comparison_terms=["ENG", "x"], by="Milano:ENG")),
    ],
)
def test_r_agrees_with_every_number(fitter: Any, options: dict[str, Any]) -> None:
    fit = fitter(with_x(), **options)
    agreements = compare_fit(fit, counterparts(fit, "live"))
    ways = {a.r_call for a in agreements if a.verdict == "agrees"}
    assert {GLM, GNM} <= ways and (BINOMIAL in ways) == (options.get("ties") in ("half", "drop"))
    assert {a.verdict for a in agreements} == {"agrees"}


@live
def test_standard_errors_by_cluster_are_those_of_r() -> None:
    table = with_x()
    english = Comparisons.build(
        table.items,
        table.first,
        table.second,
        table.wins,
        table.ties,
        table.losses,
        columns={**table.columns, "school": np.arange(table.n_rows) % 11.0},
        item_data=table.item_data,
    )
    fit = fit_llbt(english, by="Paris:ENG", comparison_terms="x").clustered("school")
    agreements = compare_fit(fit, counterparts(fit, "live"))
    assert {a.verdict for a in agreements} == {"agrees"}
    assert any("clubSandwich" in a.r_call for a in agreements)
