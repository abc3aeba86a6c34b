"""Item covariates: a separate item's own ability replaces what its covariates would say, as in
BradleyTerry2.
"""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import AliasError
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.validation.r_answers.answerers import counterparts
from pairproof.validation.verdicts.against_r import compare_fit
from tests.native.comparisons.counts.tables import factor, table

ROWS = [
    ("A", "B", 7, 4),
    ("A", "C", 6, 3),
    ("A", "D", 8, 5),
    ("A", "E", 5, 6),
    ("B", "C", 4, 6),
    ("B", "D", 5, 4),
    ("B", "E", 3, 7),
    ("C", "D", 6, 6),
    ("C", "E", 4, 5),
    ("D", "E", 2, 7),
]
LENGTH = [1.0, 2.5, 3.0, 4.5, np.nan]
#: R 4.2.2, BradleyTerry2 1.1-2: BTm(cbind(win1, win2), p1, p2, ~ length[..], data = list(pairs, predictors)),
#: E without a length.
R_MISSING = {"length": (-0.174313482, 0.111101902), "E": (0.124077014, 0.441029299)}
#: The same with a length of 6 for E and separate.ability = "E", and then with "B" separate instead.
R_SEPARATE_B = {"length": (-0.00217545948, 0.0737478652), "B": (-0.41316248475, 0.4150744848)}
#: R prints 9 digits here; observed half a unit of the last.
PRINTED = 1e-8


def lengths(
    values: list[float], rows: list[tuple[str, str, int, int]] = ROWS, **columns: Factor
) -> Comparisons:
    return table("ABCDE", rows, item_data={"length": np.array(values)}, **columns)


def test_an_item_without_a_value_has_an_ability_of_its_own_as_in_r_and_a_warning_names_it() -> None:
    fit = fit_bradley_terry(lengths(LENGTH), item_terms=["length"])
    for name, (estimate, se) in R_MISSING.items():
        assert fit.params[name] == pytest.approx(estimate, abs=PRINTED) and fit.bse[name] == pytest.approx(
            se, abs=PRINTED
        )
    (said,) = fit.warnings
    assert (said.kind, said.terms, str(said)) == (
        "own-ability",
        ("E",),
        "no value of length for E: an ability of its own in place of all item covariates, as in BradleyTerry2",
    )
    assert "items by length (of their own: E)" in fit.title


def test_separate_replaces_the_covariate_whatever_its_value() -> None:
    missing = fit_bradley_terry(lengths(LENGTH), item_terms=["length"])
    for value in (0.0, 6.0, -300.0):
        stated = fit_bradley_terry(lengths([*LENGTH[:4], value]), item_terms=["length"], separate=["E"])
        assert stated.params.to_numpy() == pytest.approx(
            missing.params.to_numpy(), rel=1e-12
        )  # the same columns; observed 0
        assert stated.worth()["worth"].to_numpy() == pytest.approx(
            missing.worth()["worth"].to_numpy(), rel=1e-12
        )  # observed 0: one fit twice
        assert stated.warnings == ()
    other = fit_bradley_terry(lengths([*LENGTH[:4], 6.0]), item_terms=["length"], separate=["B"])
    for name, (estimate, se) in R_SEPARATE_B.items():
        assert other.params[name] == pytest.approx(estimate, abs=PRINTED) and other.bse[
            name
        ] == pytest.approx(se, abs=PRINTED)


def test_a_contrast_with_a_separate_item_is_its_ability_less_the_others_covariate_part() -> None:
    fit = fit_bradley_terry(lengths(LENGTH), item_terms=["length"])
    assert fit.contrast("E", "C").estimate == pytest.approx(
        fit.params["E"] - 3.0 * fit.params["length"], rel=1e-12
    )  # observed 0
    p = fit.probabilities().set_index(["first", "second"])["p_first"]
    assert p["E", "C"] == pytest.approx(1 / (1 + np.exp(-fit.contrast("E", "C").estimate)), rel=1e-12)


def test_an_item_that_lacks_one_of_two_covariates_is_separate_from_both() -> None:
    data = table(
        "ABCDE",
        ROWS,
        item_data={
            "length": np.array([1.0, 2.5, 3.0, 4.5, 6.0]),
            "kind": Factor(np.array([0, 1, 1, 0, -1]), ("x", "y")),
        },
    )
    fit = fit_bradley_terry(data, item_terms=["length", "kind"])
    assert fit.names == ("length", "kind[y]", "E")
    assert "no value of kind for E" in str(fit.warnings[0])
    assert fit.contrast("E", "A").estimate == pytest.approx(fit.params["E"] - fit.params["length"], rel=1e-12)


def test_a_level_that_only_separate_items_have_is_no_term() -> None:
    kinds = Factor(np.array([0, 1, 1, 2, 0]), ("x", "y", "z"))
    fit = fit_bradley_terry(
        table("ABCDE", ROWS, item_data={"kind": kinds}), item_terms=["kind"], separate=["D"]
    )
    assert fit.names == ("kind[y]", "D")


def test_separate_items_that_leave_nothing_to_the_covariates_are_refused() -> None:
    with pytest.raises(AliasError, match="1 of 5 items have no ability of their own"):
        fit_bradley_terry(lengths([1.0, np.nan, np.nan, np.nan, np.nan]), item_terms=["length"])


def test_a_model_with_separate_items_lies_between_that_without_and_free_items() -> None:
    data = lengths([*LENGTH[:4], 6.0])
    bound, separate, free = (
        fit_bradley_terry(data, **how)
        for how in (  # type: ignore[arg-type]  # a list of keyword sets
            dict(item_terms=["length"]),
            dict(item_terms=["length"], separate=["E"]),
            {},
        )
    )
    assert separate.compare(bound).df == 1 and free.compare(separate).df == 2


def test_read_takes_a_blank_item_covariate_and_the_fit_names_it(tmp_path) -> None:
    (tmp_path / "pairs.csv").write_text(
        "first,second,wins,losses\n" + "".join(f"{a},{b},{w},{l}\n" for a, b, w, l in ROWS)
    )
    (tmp_path / "items.csv").write_text("item,length\nA,1\nB,2.5\nC,3\nD,4.5\nE,\n")
    data = pairproof.read(tmp_path / "pairs.csv", item_data=tmp_path / "items.csv")
    fit = pairproof.fit_bradley_terry(data, item_terms=["length"])
    assert fit.params["E"] == pytest.approx(R_MISSING["E"][0], abs=PRINTED)
    assert (
        pairproof.fit_bradley_terry(data).warnings == ()
    )  # who does not use the covariate need not know its values


def test_only_the_separate_item_that_is_infinite_is_named() -> None:
    # A won and B lost everything, but both are bound to their lengths; E is separate and unbeaten.
    rows = [
        ("A", "B", 3, 0),
        ("A", "C", 2, 0),
        ("C", "D", 2, 3),
        ("D", "C", 1, 3),
        ("E", "C", 4, 0),
        ("E", "D", 2, 0),
        ("B", "C", 0, 2),
        ("B", "D", 0, 2),
    ]
    fit = fit_bradley_terry(lengths([1.0, 3.0, 2.0, 1.5, np.nan], rows), item_terms=["length"])
    (said,) = [str(w) for w in fit.warnings if w.kind == "separated"]
    assert fit.not_estimable == ("E",)
    assert "E won every comparison" in said and "A" not in said.replace("As", "") and "B lost" not in said


def test_an_infinite_covariate_is_named_and_no_item() -> None:
    rows = [("A", "B", 3, 0), ("B", "C", 2, 0), ("C", "D", 2, 0), ("D", "E", 1, 0)]
    fit = fit_bradley_terry(lengths([1.0, 2.0, 3.0, 4.0, 5.0], rows), item_terms=["length"])
    assert (
        fit.not_estimable == ("length",)
        and "won every" not in str(fit.warnings[0])
        and "lost every" not in str(fit.warnings[0])
    )


@pytest.mark.r("BradleyTerry2", "gnm")
@pytest.mark.parametrize("by", ["", pytest.param("judge", marks=pytest.mark.nightly)])
def test_r_agrees_on_every_number_of_a_model_with_separate_items(by: str) -> None:
    judges = factor(["x"] * 5 + ["y"] * 5 + ["y"] * 5 + ["x"] * 5)
    data = lengths(LENGTH, ROWS + [(a, b, w + 1, l) for a, b, w, l in ROWS], judge=judges)
    for fit in (
        fit_bradley_terry(data, item_terms=["length"], by=by),
        fit_llbt(data, item_terms=["length"], by=by),
    ):
        rows = compare_fit(fit, counterparts(fit, "live"))
        assert {r.quantity for r in rows} >= {
            "estimate.E",
            "se.length",
            "worth.all.E" if not by else "worth.judge=x.E",
            "deviance",
            "aic",
        }
        assert [
            (r.quantity, r.r_call, r.verdict) for r in rows if r.r is not None and r.verdict != "agrees"
        ] == []


@pytest.mark.r("BradleyTerry2")
def test_lizard099_has_the_ability_that_btm_gives_it() -> None:
    # BTm(1, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..], data =
    # flatlizards), R 4.2.2.
    printed = {
        "throat.PC1": (-0.0926108685048, 0.0290616031586),
        "throat.PC3": (0.3421469249734, 0.110879750204),
        "head.length": (-1.1251932207837, 0.494377277),
        "SVL": (0.1882616824468, 0.0985219843303),
        "lizard099": (0.8358120484882, 1.15909815726),
    }
    lizards = pairproof.bridge.package_data("BradleyTerry2", "flatlizards")
    contests, predictors = lizards["contests"], lizards["predictors"]
    data = pairproof.read(
        {
            "first": contests["winner"].astype(str),
            "second": contests["loser"].astype(str),
            "wins": [1] * 100,
            "losses": [0] * 100,
        },
        item_data=predictors.rename_axis("item").reset_index().astype({"item": str}),
    )
    fit = fit_bradley_terry(data, item_terms=list(printed)[:4], cells="row")
    for name, (estimate, se) in printed.items():
        # R's default stop, and its standard errors from the step before: observed 1e-9 and 5e-8.
        assert fit.params[name] == pytest.approx(estimate, abs=1e-7) and fit.bse[name] == pytest.approx(
            se, abs=1e-6
        )
    assert fit.not_estimable == ("lizard096",) and (fit.rank, fit.df_resid) == (6, 94)
    (said,) = [str(w) for w in fit.warnings if w.kind == "separated"]
    assert "lizard096 won every comparison" in said and said.count("lizard") == 2
