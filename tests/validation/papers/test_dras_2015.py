"""Dras (2015), every number and every claim, with the verdict each must have."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path

import pytest

from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.check.shipped import CertifiedValues
from pairproof.validation.verdicts.agreement import Agreement, exit_code
from pairproof.validation.verdicts.digits import floor
from tests.validation.runs import KEPT, recomputed, shares_runs
from tests.validation.verdicts.observed import observed

pytestmark = shares_runs


@lru_cache(maxsize=1)
def checker() -> Checker:
    return Checker(read_paper("dras-2015"), certified=CertifiedValues.of_paper("dras-2015"))


@lru_cache(maxsize=1)
def agreements() -> Sequence[Agreement]:
    return checker().all()


def verdict(claim: str, quantity: str) -> Agreement:
    (found,) = [
        a for a in agreements() if (a.claim, a.quantity) == (claim, quantity) and a.about != "native-r"
    ]
    return found


#: Section 1.4 of the specification of this paper, claim by claim.
NUMBERS = [
    ("modpref", "estimate.o1", "0.2778", "agrees"),
    ("modpref", "se.o1", "0.1060", "agrees"),
    ("modpref", "z.o1", "2.620", "agrees"),
    ("modpref", "p.o1", "0.0088 **", "agrees"),
    ("modpref", "estimate.tie", "-0.6551", "agrees"),
    ("modpref", "se.tie", "0.2300", "agrees"),
    ("modpref", "z.tie", "-2.848", "agrees"),
    ("modpref", "p.tie", "0.0044 **", "agrees"),
    ("modpref", "odds.all.o1.o2", "1.74", "agrees"),
    ("modpref", "df_resid", "0", "agrees"),
    ("modpref", "deviance", "-6.6614e-15 on 0", "immaterial"),
    ("collins", "estimate.tie", "0.303", "agrees"),
    ("collins", "p.tie", "0.0432", "agrees"),
    ("collins", "p.o1", "0.0001", "agrees"),
    ("table-1", "deviance", "30.646 on 8", "explained"),
    ("table-1", "df_resid", "8", "agrees"),
    ("table-1-without-ties", "deviance", "221.22 on 9", "explained"),
    ("table-1-without-ties", "df_resid", "9", "agrees"),
    ("table-1-prefmod-order", "deviance", "30.646 on 8", "agrees"),
    ("table-1-prefmod-order-without-ties", "deviance", "221.22 on 9", "agrees"),
    ("translation-pairs", "n_comparisons", "240", "explained"),
]


@pytest.mark.parametrize(("claim", "quantity", "printed", "expected"), NUMBERS)
def test_a_printed_number_has_its_verdict(claim: str, quantity: str, printed: str, expected: str) -> None:
    row = verdict(claim, quantity)
    assert (row.printed, row.verdict) == (printed, expected), row.explanation


STATEMENTS = {
    "ranking-by-first-preferences": ("agrees", "A 402, D 334, B 127, C 54"),
    "ranking-by-first-preferences-prefmod-order": ("agrees", "A 403, D 332, B 126, C 56"),
    "little-undecidedness": ("agrees", "43 of 960"),
    "judge-3-differs": ("agrees", "A-D, B-C"),
    "modpref-counts": ("agrees", "1 prints o1 0.2778"),
    "modpref-preference": ("agrees", "0.2778"),
    "modpref-decided": ("agrees", "-0.6551"),
    "equalpref": ("not-checkable", "image"),
    "nopref": ("not-checkable", "image"),
    "strongpref": ("not-checkable", "image"),
    "saturated": ("differs", "erratum: 2 objects, 3 counts and 3 parameters"),
    "collins-counts": ("agrees", "(83, 77, 39)"),
    "collins-preference": ("agrees", "0.3776"),
    "collins-undecided": ("agrees", "0.3026"),
    "lewis-steedman": ("not-checkable", "446 (n+, n0, n-)"),
    "sign-test-modpref": ("agrees", "p = 0.01035"),
    "sign-test-collins": ("agrees", "p = 8.407e-05"),
    "sign-test-others": ("not-checkable", "not found"),
    "undecidedness": ("agrees", "-1.8317"),
    "ranking-by-coefficients": ("agrees", "A 0.6584, D 0.2954"),
    "ranking-by-coefficients-prefmod-order": ("agrees", "A 0.6665, D 0.2880"),
    "degrees-of-freedom": ("agrees", "18 counts - (6 nuisance + 4 others) = 8"),
    "goodness-of-fit": ("differs-conclusion", "misleading: the test rejects"),
    "seven-fold": ("agrees", "= 7.25"),
    "ties-improve": ("agrees", "190.4911 on 1 df"),
    "subjects": ("agrees", "A:judge[3] (z = -6.48), B:judge[3] (z = -4.09)"),
    "subjects-prefmod-order": ("agrees", "A:judge[3] (z = -6.46), B:judge[3] (z = -4.06)"),
    "subjects-contribute": ("agrees", "173.4128 on 9 df"),
    "subscript": ("differs", "erratum: lambda_jl belongs to lambda_j"),
    "modpref-preference-by-judge": ("not-checkable", "its standard error 1.34 times as large"),
    "collins-by-judge": ("not-checkable", "tie (z = 2.02)"),
    "undecidedness-by-judge": ("agrees", "survives clustering: CR2 by judge (4 clusters). tie -1.8317"),
    "ranking-by-judge": (
        "explained",
        "A - D, A - C and B - C do not survive clustering; A - B, D - B and D - C",
    ),
    "ranking-by-judge-prefmod-order": ("explained", "A - D, A - C and B - C do not survive clustering"),
    "ties-improve-by-judge": ("agrees", "t = -12.12 on 3.0 df"),
    "subjects-by-judge": ("not-checkable", "no standard error: part of it depends on judge 1 alone"),
}


@pytest.mark.parametrize("claim", STATEMENTS)
def test_a_statement_has_its_verdict_and_the_numbers_for_it(claim: str) -> None:
    expected, words = STATEMENTS[claim]
    row = verdict(claim, "statement")
    assert row.verdict == expected
    assert words in row.explanation


def test_no_statement_is_left_out() -> None:
    assert {a.claim for a in agreements() if a.about == "statement"} == set(STATEMENTS)
    assert len([a for a in agreements() if a.about == "printed"]) == 24


def test_the_papers_numbers_come_out_only_with_the_columns_in_prefmods_order() -> None:
    row = verdict("table-1", "deviance")
    assert row.native == pytest.approx(30.45544, abs=5e-6)
    assert row.explanation.startswith("pair-order: reproduced if the columns of Table 1")
    assert verdict("table-1-prefmod-order", "deviance").native == pytest.approx(30.64585, abs=5e-6)
    assert verdict("table-1-prefmod-order-without-ties", "deviance").native == pytest.approx(
        221.2189, abs=5e-5
    )


def test_the_subject_effects_are_said_to_hold_against_reference_d_only() -> None:
    text = verdict("subjects", "statement").explanation
    assert "with reference D" in text and "this reference only" in text
    assert all(f"(z = {z})" in text for z in ("-5.82", "-3.26", "5.02", "3.64"))


def test_everything_is_agreed_accepted_or_not_checkable() -> None:
    assert exit_code(agreements()) == 0
    assert sorted(a.explanation.partition(":")[0] for a in agreements() if a.accepted) == [
        "erratum",
        "erratum",
        "independent-answers",
        "independent-answers",
        "misleading",
        "pair-order",
        "pair-order",
        "per-judge",
    ]


def test_nothing_passes_once_the_acceptances_are_taken_away() -> None:
    from dataclasses import replace

    paper = read_paper("dras-2015")
    bare = replace(
        paper, claims=tuple(replace(c, accept=()) for c in paper.claims if c.test or not c.statement)
    )
    assert exit_code(Checker(bare).all()) == 1


def test_native_carries_the_digits_asked_for_against_50_digit_values() -> None:
    rows = [a for a in agreements() if a.certified is not None]
    assert len(rows) > 300
    for o in observed(rows):
        assert o.digits >= floor(o.quantity, "certified").digits, o


def test_the_packages_certified_values_are_those_of_their_proof(root: Path) -> None:
    copy = json.loads(
        resources.files("pairproof.validation.papers")
        .joinpath("dras_2015/dras-2015.certified.json")
        .read_text(encoding="utf-8")
    )
    for document in copy:
        original = json.loads(
            (root / "tests" / "certified" / "fits" / f"{document['id']}.json").read_text(encoding="utf-8")
        )
        assert document == {k: original[k] for k in KEPT}


def test_every_quoted_number_stands_in_the_papers_text(shared: Path) -> None:
    text = re.sub(r"\s+", " ", (shared / "papers" / "dras-2015.txt").read_text(encoding="utf-8")).replace(
        "d.f.", "d.f"
    )
    for claim in read_paper("dras-2015").claims:
        for q in claim.numbers:
            body = q.printed.text.split(" on ")[0]
            assert body in text, (claim.id, body)


def test_every_statement_is_the_papers_own_words_or_nearly(shared: Path) -> None:
    """At least two thirds of a statement's words stand in the paper (our names for its Greek letters do
    not).
    """
    text = set(
        re.findall(r"[a-z0-9]+", (shared / "papers" / "dras-2015.txt").read_text(encoding="utf-8").lower())
    )
    for claim in read_paper("dras-2015").claims:
        words = re.findall(r"[a-z0-9]+", claim.statement.lower())
        if words and not claim.id.endswith("-counts"):  # those two are ours: what was counted to get the data
            assert sum(w in text for w in words) >= 2 * len(words) / 3, claim.statement


@pytest.mark.nightly
@pytest.mark.r("prefmod", "psychotools", "BradleyTerry2", "MASS")
def test_a_live_run_passes_and_shows_the_digits_that_floors_toml_says_were_observed() -> None:
    rows = list(recomputed("dras-2015", "live"))
    assert [a for a in rows if not a.passes and a.verdict != "not-run"] == []
    assert len([a for a in rows if a.r_source == "live" and a.r is not None]) > 1000
    for o in observed(rows):
        # Another BLAS or libm moves the last digits; more than 1.5 of them means that the file is out of
        # date.
        assert (
            o.digits > o.floor.observed - 1.5
        ), f"floors.toml says {o.floor.observed}, this run shows {o}: run update_observed"
