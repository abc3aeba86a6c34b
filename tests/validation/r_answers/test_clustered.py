"""Standard errors by cluster: every number of a clustered fit beside sandwich's and clubSandwich's."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import pairproof
from pairproof.bridge.programs.counted_cells import count
from pairproof.fit.fit import Fit
from pairproof.validation import Verification
from pairproof.validation.claims.quantities import Quantity, quantity
from pairproof.validation.r_answers.answerers import counterparts
from pairproof.validation.r_answers.clustered import OF_POLR, VCOVCL, VCOVCR, repaired
from pairproof.validation.verify import verify
from tests.places import DATA

live = pytest.mark.r("sandwich", "clubSandwich")
#: One R process answers all of them.
pytestmark = pytest.mark.xdist_group("clustered in R")


@lru_cache(maxsize=None)
def fit_of(model: str) -> Fit:
    d24 = pairproof.read(DATA / "inference_d24.csv")
    dras = pairproof.read(DATA / "dras_table1.csv")
    return {
        "davidson": lambda: pairproof.fit_bradley_terry(
            d24, ties="davidson", reference="F", order_effect=True
        ),
        "ties dropped": lambda: pairproof.fit_bradley_terry(d24, ties="drop", reference="F"),
        "rao-kupper": lambda: pairproof.fit_bradley_terry(
            d24, ties="rao-kupper", reference="F", order_effect=True
        ),
        "dras": lambda: pairproof.fit_bradley_terry(dras, ties="davidson", reference="D"),
        "dras by judge": lambda: pairproof.fit_bradley_terry(
            dras, ties="davidson", reference="D", by="judge"
        ),
    }[model]()


@lru_cache(maxsize=None)
def recorded(model: str, columns: tuple[str, ...], kind: str) -> Verification:
    return verify(fit_of(model).clustered(*columns, kind=kind), r="recorded")


def kinds_of(checked: Verification, r_call: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for a in checked:
        if a.r_call == r_call:
            found[a.quantity.kind] = found.get(a.quantity.kind, 0) + 1
    return found


RECORDED = [
    ("davidson", ("judge",), "CR0"), ("davidson", ("judge",), "CR2"), ("davidson", ("source",), "CR2"),
    ("davidson", ("judge", "source"), "CR0"), ("davidson", ("judge", "source"), "CR2"),
    ("ties dropped", ("judge", "source"), "CR1"), ("rao-kupper", ("judge",), "CR0"), ("rao-kupper", ("judge",), "CR2"),
    ("dras", ("judge",), "CR1"), ("dras", ("judge",), "CR2"), ("dras by judge", ("judge",), "CR2"),
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize(("model", "columns", "kind"), RECORDED)
def test_every_clustered_number_agrees_with_recorded_r(
    model: str, columns: tuple[str, ...], kind: str
) -> None:
    checked = recorded(model, columns, kind)
    assert checked.agrees, [(a.quantity, a.r_call, a.explanation) for a in checked if not a.passes]
    assert {a.r_source for a in checked if a.r is not None} == {"recorded"}
    assert kinds_of(checked, VCOVCR)["se"] >= 1


def test_standard_errors_are_held_against_what_clusters_and_estimates_against_all() -> None:
    checked = recorded("davidson", ("judge",), "CR2")
    of_se = {a.r_call for a in checked if a.quantity.kind in ("se", "p", "df", "cov", "worth_se")}
    assert of_se == {VCOVCR}
    assert {"stats::glm, refitted", "gnm::gnm(eliminate)", VCOVCR} <= {
        a.r_call for a in checked if a.quantity == "estimate.A"
    }
    assert kinds_of(checked, VCOVCR) == {"estimate": 7, "se": 7, "df": 7, "p": 7, "worth_se": 6, "cov": 21}
    assert set(kinds_of(recorded("davidson", ("judge",), "CR0"), VCOVCL)) == {
        "estimate",
        "se",
        "worth_se",
        "cov",
    }


def test_the_page_says_which_standard_errors_they_are_and_how_r_was_asked() -> None:
    text = str(recorded("davidson", ("judge", "source"), "CR2"))
    assert "CR2 by judge (24 clusters) and source (30 clusters)" in text
    assert "V_1 + V_2 - V_12, since R has no two-way version" in " ".join(text.split())
    assert "its standard errors assume independent answers and are not compared" in " ".join(text.split())


def test_what_one_cluster_alone_determines_is_left_out_and_said() -> None:
    checked = recorded("dras by judge", ("judge",), "CR2")
    assert [a.quantity for a in checked if a.quantity.kind == "se"] == ["se.tie"]
    assert not any(a.quantity.kind in ("cov", "worth_se") for a in checked)
    assert "that a single cluster determines" in " ".join(str(checked).split())


def test_a_wrong_standard_error_or_df_is_seen() -> None:
    fit = fit_of("davidson").clustered("judge")
    spoilt = replace(fit.robust.ways[0], covariance=fit.robust.ways[0].covariance * (1 + 1e-6))
    wrong = replace(fit, robust=replace(fit.robust, ways=(spoilt,), covariance=spoilt.covariance))
    rows = verify(wrong, r="recorded")
    assert {a.quantity.kind for a in rows if a.verdict == "differs"} >= {"se", "p"}
    cr1 = fit_of("davidson").clustered("judge", kind="CR1")
    for_cr2 = replace(cr1, robust=replace(cr1.robust, kind="CR2"))
    rows = verify(for_cr2, r="recorded")
    assert "se.A" in {a.quantity for a in rows if a.verdict == "differs"}


def test_quantities_of_a_clustered_fit_have_names() -> None:
    fit = fit_of("davidson").clustered("judge")
    assert quantity(fit, "df.A") == pytest.approx(22.9741001096, rel=1e-11)
    assert quantity(fit, "cov.A.tie") == pytest.approx(float(fit.cov_params().loc["A", "tie"]))
    assert quantity(fit_of("davidson"), "df.A") == np.inf
    assert Quantity.parse("cov.A.B").kind == "cov"


def test_a_separated_table_is_not_asked_and_says_why() -> None:
    rows = [("A", "B", 5, 0, "x"), ("A", "B", 4, 0, "y"), ("B", "C", 3, 2, "x"), ("B", "C", 1, 2, "y")]
    names = ("first", "second", "wins", "losses", "judge")
    fit = pairproof.fit_bradley_terry(
        pairproof.read({name: list(column) for name, column in zip(names, zip(*rows))}), reference="C"
    ).clustered("judge")
    found = [c for c in counterparts(fit, "recorded") if c.r_call == VCOVCR]
    assert len(found) == 1 and found[0].expected
    assert "infinite or not estimable" in (found[0].not_run or "")


def test_too_many_rows_for_clubsandwich_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    from pairproof.validation.r_answers import clustered

    monkeypatch.setattr(clustered, "MOST_CLUSTERS", 10)
    answers = {
        c.r_call: c for c in counterparts(fit_of("davidson").clustered("judge", kind="CR0"), "recorded")
    }
    assert "24 clusters by judge" in (answers[VCOVCR].not_run or "") and answers[VCOVCR].expected
    assert answers[VCOVCL].not_run is None


def test_cells_are_counted_apart_by_cluster_and_a_row_without_a_label_is_its_own() -> None:
    table = pairproof.read(
        {
            "first": ["A", "B", "A", "A"],
            "second": ["B", "A", "B", "B"],
            "outcome": ["first", "second", "second", "first"],
            "judge": ["x", "x", None, None],
        }
    )
    fit = pairproof.fit_bradley_terry(table, reference="B")
    cells = count(fit, ["judge"])
    assert sorted(cells.counts.sum(axis=1).tolist()) == [1.0, 1.0, 2.0]
    assert sorted(cells.clusters["judge"].tolist()) == [0, 1, 2]
    assert len(count(fit)) == 1


def test_a_two_way_covariance_is_repaired_in_the_units_of_the_information() -> None:
    bread = np.array([[2.0, 0.5], [0.5, 1.0]])
    v = np.array([[1.0, 0.0], [0.0, -0.2]])
    fixed = repaired(v, bread)
    assert np.linalg.eigvalsh(fixed).min() > -1e-14
    map_ = np.array([[1.0, -1.0], [0.0, 1.0]])
    moved = repaired(map_ @ v @ map_.T, map_ @ bread @ map_.T)
    assert moved == pytest.approx(map_ @ fixed @ map_.T, abs=1e-13), "whatever the reference item"
    assert repaired(bread, bread) == pytest.approx(bread)


@live
@pytest.mark.parametrize("kind", ["CR0", "CR2"])
def test_on_lambda_and_summing_to_zero_a_live_r_says_the_same(kind: str) -> None:
    fit = fit_of("davidson").with_reference("sum").on_scale("lambda").clustered("judge", "source", kind=kind)
    checked = verify(fit, r="live")
    assert checked.agrees, [(a.quantity, a.r_call, a.explanation) for a in checked if not a.passes]
    assert {"se.F", "cov.A.F"} <= {a.quantity for a in checked}


@live
def test_covariates_and_half_wins_agree_with_a_live_r() -> None:
    dras = pairproof.read(DATA / "dras_table1.csv")
    d24 = pairproof.read(DATA / "inference_d24.csv")
    side = np.where(np.arange(d24.n_rows) % 2, 1.0, -1.0)
    slope = replace(d24, columns={**d24.columns, "side": side})
    for fit in (
        pairproof.fit_bradley_terry(dras, ties="half", reference="A"),
        pairproof.fit_llbt(slope, by="side", reference="B"),
    ):
        checked = verify(fit.clustered("judge"), r="live")
        assert checked.agrees, [(a.quantity, a.r_call, a.explanation) for a in checked if not a.passes]


@live
def test_more_design_cells_than_glm_takes_are_eliminated_by_gnm(monkeypatch: pytest.MonkeyPatch) -> None:
    from pairproof.bridge.packages import sandwich as comparison_rows

    monkeypatch.setattr(comparison_rows, "MOST_NUISANCE", 5)
    checked = verify(fit_of("ties dropped").clustered("judge", kind="CR1"), r="live")
    assert checked.agrees, [(a.quantity, a.r_call, a.explanation) for a in checked if not a.passes]


def test_rao_kuppers_sandwich_has_a_name_and_floors_of_its_own() -> None:
    checked = recorded("rao-kupper", ("judge",), "CR0")
    rows = [a for a in checked if a.r_call == OF_POLR and a.quantity.kind == "se"]
    assert len(rows) == 7 and {a.floor for a in rows} == {6.0}
    assert min(a.digits or 0 for a in rows) > 8  # observed 10.4
