"""prefmod's defects as slips: its printed numbers are recognised by name, and a correct paper is never accused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pairproof
from pairproof.bridge.packages.asking import ask
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.check.explain import explain
from pairproof.validation.slips.catalogue import families, slips_for
from pairproof.validation.slips.search import search
from tests.validation.slips.planted import cems, dras, in_groups, latin_countries, llbt, page, printed, target

OURS = {name for name in families() if name.startswith("prefmod-")}

J1 = """[paper]
id = "j1"
title = "Judge J1 of Dras (2015)"
read_from = "made up for this test"

[data.j1]
kind = "counts"
items = ["A", "B", "C", "D"]
columns = ["first", "second", "wins", "ties", "losses"]
rows = [["A","B",38,0,2],["A","C",36,1,3],["A","D",37,1,2],["B","C",39,1,0],["B","D",0,2,38],["C","D",3,0,37]]

[[claim]]
id = "table-2"
where = "table 2"
data = "j1"
model = { family = "llbt", ties = "davidson" }
estimate = { A = "%s", B = "%s", C = "%s" }
"""


def said(tmp_path: Path, *estimates: str) -> str:
    path = tmp_path / "j1.claims.toml"
    path.write_text(J1 % estimates)
    return str(explain(read_paper(str(path))))


def test_pattpc_s_numbers_of_judge_j1_come_out_only_with_b1_and_the_correct_ones_are_given(
    tmp_path: Path,
) -> None:
    # pattPC.fit(d, 4) in R: 0.7558524, -0.8734371, -1.7008338.
    text = said(tmp_path, "0.756", "-0.873", "-1.701")
    assert "reproduced if ties are counted as wins of the second item" in text
    assert "(prefmod's defect B1-ties-as-losses)" in text
    assert "reproduced only with prefmod's defect; correct: estimate.A 0.885 (printed 0.756)" in text


def test_a_correct_page_of_judge_j1_is_not_accused(tmp_path: Path) -> None:
    text = said(tmp_path, "0.885", "-0.862", "-1.833")
    assert "no slip needed" in text and "prefmod" not in text


def test_numbers_that_are_nobody_s_are_not_prefmods(tmp_path: Path) -> None:
    text = said(tmp_path, "0.775", "-0.801", "-1.746")
    assert "reproduced by none" in text and "prefmod" not in text


def test_lat_s_two_worths_that_sum_to_one_are_b21_and_those_of_items_are_honest() -> None:
    fit = llbt(latin_countries("cems-1998-erroneous"), item_terms=["LAT"])
    wrong = target(fit, {"worth.all.London": ".556", "worth.all.Paris": ".444", "worth.all.Milano": ".444"})
    (found,) = search([wrong]).found
    assert [e.names for e in found.explanations] == [("prefmod-worths",)]
    assert "B21-worths-of-groups-of-items" in found.explanations[0].sentence
    right = target(fit, {"worth.all.London": ".185", "worth.all.Paris": ".148", "worth.all.Milano": ".148"})
    assert search([right]).found[0].plain


def cemspc() -> Comparisons:
    """prefmod's own data by the covariate ENG, from a live R."""
    code = """suppressMessages(library(prefmod)); d <- cemspc[!is.na(cemspc$ENG) & !is.na(cemspc$SEX), 1:16]
    list(values = as.numeric(as.matrix(d)), rows = nrow(d))"""
    answer = ask("live", "cemspc", code, {}, ("prefmod",)).as_list()
    rows = int(answer.vector("rows").floats()[0])
    table = np.asarray(answer.vector("values").floats()).reshape(rows, -1, order="F")
    first, second = np.array([(i, j) for j in range(6) for i in range(j)]).T
    eng = table[:, 15]
    counts = [[[(table[eng == g, p] == v).sum() for p in range(15)] for g in (1, 2)] for v in (0, 1, 2)]
    w, t, l = (np.concatenate(c).astype(float) for c in counts)
    group = Factor(np.repeat([0, 1], 15), ("1", "2"))
    names = ["LO", "PA", "MI", "SG", "BA", "ST"]
    return Comparisons.build(names, np.tile(first, 2), np.tile(second, 2), w, t, l, columns={"ENG": group})


@pytest.mark.r("prefmod")
def test_cemspc_by_eng_has_prefmods_numbers_under_b7_and_b23() -> None:
    fit = llbt(cemspc(), by="ENG")
    # llbt.worth with contr.sum: ENG2 .405464 .176341 .104817 .132720 .096018 .084639.
    worths = dict(zip(fit.items, (".4055", ".1763", ".1048", ".1327", ".0960", ".0846")))
    (found,) = search([target(fit, {f"worth.ENG=2.{i}": w for i, w in worths.items()})]).found
    assert "B7-sum-contrasts-read-as-treatment" in found.explanations[0].sentence
    honest = dict(zip(fit.items, (".3968", ".1568", ".1074", ".1624", ".0906", ".0861")))
    assert search([target(fit, {f"worth.ENG=2.{i}": w for i, w in honest.items()})]).found[0].plain
    # gnm(..., eliminate = mu): without a main effect 1045.162 on 64, with it 164.4457 on 63; right 162.90177
    # on 49.
    for deviance, df, lo, words in (
        ("1045.162", "64", "1.1317", "is not in eliminate:"),
        ("164.446", "63", "0.7980", "the covariate is a main effect but not in eliminate"),
    ):
        (found,) = search([target(fit, {"deviance": deviance, "df_resid": df, "estimate.LO": lo})]).found
        assert [e.names for e in found.explanations] == [("prefmod-margins",)]
        assert words in found.explanations[0].sentence
    assert search([target(fit, {"deviance": "162.902", "df_resid": "49"})]).found[0].plain


def offered(fit: Fit, *names: str) -> set[str]:
    """prefmod's slips that are possible for a claim with these quantities."""
    claim = target(fit, printed(fit, names))
    return {s.name for s in slips_for(claim.situation())} & OURS


def test_slips_are_tried_only_where_prefmod_has_the_defect() -> None:
    usual = ("estimate.A", "deviance", "df_resid", "worth.all.A")
    assert offered(llbt(dras()), *usual) == {"prefmod-ties-as-losses"}
    assert offered(llbt(dras().without_ties()), *usual) == set()  # no ties to lose
    assert (
        offered(pairproof.fit_bradley_terry(dras(), ties="rao-kupper"), *usual) == set()
    )  # no such model there
    of_groups = llbt(in_groups(), by="ENG")
    assert offered(of_groups, "estimate.Paris", "worth.ENG=1.Paris") == OURS - {"prefmod-rows-dropped"}
    assert offered(llbt(cems()), "worth.all.Paris") == {
        "prefmod-ties-as-losses",
        "prefmod-worths",
    }  # St. Gallen


@pytest.mark.parametrize("shift", [0.013])
def test_a_misprinted_page_is_not_laid_to_prefmod(shift: float) -> None:
    fit = llbt(in_groups(), by="ENG")
    numbers = page(fit)
    wrong = {
        k: f"{float(v) + shift * (n % 3 + 1):.4f}" if k.startswith("est") else v
        for n, (k, v) in enumerate(numbers.items())
    }
    (found,) = search([target(fit, wrong)]).found
    assert not any(OURS & set(e.names) for e in found.explanations)
