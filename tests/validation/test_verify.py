"""`verify`: agreements that show themselves and know whether they agree."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import pairproof
from pairproof.bridge.process.policy import Backend
from pairproof.bridge.process.session import RSession
from pairproof.bridge.records.record_files import Records
from pairproof.data.comparisons import Comparisons
from pairproof.errors import InputError
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.validation import Verification
from pairproof.validation.report.terminal import MOST_ROWS, side_by_side
from pairproof.validation.verdicts.agreement import Agreement
from pairproof.validation.verify import agree, verify
from tests.certified.load import load
from tests.native.comparisons.counts.certified_cases import native

pytestmark = pytest.mark.xdist_group("a fit verified")

live = pytest.mark.r("prefmod", "gnm", "BradleyTerry2", "psychotools", "MASS")


@pytest.fixture(scope="module")
def dras() -> Fit:
    return native(load("dras-table1--llbt-davidson"))


@pytest.fixture(scope="module")
def recorded(dras: Fit) -> Verification:
    return verify(dras, r="recorded")


def test_every_number_of_the_fit_is_held_against_several_r_functions(recorded: Verification) -> None:
    by_quantity: dict[str, set[str]] = {}
    for a in recorded:
        by_quantity.setdefault(a.quantity, set()).add(a.r_call or "")
    for name in ("A", "B", "C", "tie"):
        assert len(by_quantity[f"estimate.{name}"]) == 6 and len(by_quantity[f"se.{name}"]) == 6
    assert (
        len(by_quantity["deviance"]) == len(by_quantity["df_resid"]) == 5
        and len(by_quantity["llf"]) == len(by_quantity["aic"]) == 5
    )
    assert {f"worth.all.{i}" for i in "ABCD"} | {f"worth_se.all.{i}" for i in "ABCD"} <= by_quantity.keys()
    assert recorded.agrees and recorded.exit_code == 0 and recorded.compared == len(recorded)


def test_every_row_says_how_r_was_reached_and_what_was_asked_of_it(recorded: Verification) -> None:
    assert all(
        a.r_source == "recorded" and a.r_call and a.digits is not None and a.floor is not None
        for a in recorded
    )


def test_it_prints_as_one_table_with_the_fewest_digits_of_each_source(
    recorded: Verification, dras: Fit
) -> None:
    text = str(recorded)
    assert "does it match R?" in text and "prefmod::llbtPC.fit (recorded): 20 numbers, at least" in text
    row = next(line for line in text.splitlines() if line.startswith("estimate.A"))
    assert "0.4006711436" in row and len(row.split()) == 8
    assert "llbt.fit" in text and "its P(z), one-sided, is doubled" in text, "what was translated is said"
    assert "R 4" in text and "(recorded)" in text


def test_it_shows_in_a_notebook_with_everything_escaped(dras: Fit) -> None:
    odd = replace(
        dras,
        data=replace(dras.data, items=("<b>", "B&", "C", "D")),
        terms=tuple(
            replace(
                t,
                name=t.name.replace("A", "<b>"),
                item="<b>" if t.item == "A" else "B&" if t.item == "B" else t.item,
            )
            for t in dras.terms
        ),
    )
    html = verify(odd, r="recorded")._repr_html_()
    assert "<b>&lt;" not in html and "estimate.&lt;b&gt;" in html and "estimate.<b>" not in html
    assert "How R was asked" in html


def test_as_data_it_has_the_keys_of_the_json(recorded: Verification) -> None:
    frame = recorded.to_frame()
    assert list(frame.columns)[:11] == [
        "paper",
        "claim",
        "quantity",
        "printed",
        "native",
        "r",
        "r_call",
        "r_source",
        "certified",
        "digits",
        "verdict",
    ]
    assert len(frame) == len(recorded)
    json.dumps([a.to_dict() for a in recorded], allow_nan=False)


def test_it_is_a_sequence(recorded: Verification) -> None:
    assert (
        isinstance(recorded[0], Agreement)
        and len(recorded[:3]) == 3
        and list(recorded) == list(recorded.agreements)
    )


def test_certified_values_are_shown_beside_r(dras: Fit) -> None:
    document = load("dras-table1--llbt-davidson", as_text=True)
    certified = {f"estimate.{n}": v for n, v in document["params"].items()} | {
        f"se.{n}": v for n, v in document["bse"].items()
    }
    checked = verify(dras, r="recorded", certified=certified)
    row = next(a for a in checked if a.quantity == "estimate.A")
    assert row.certified == document["params"]["A"] and (row.certified_digits or 0) >= 13
    assert "50-digit values: 8 numbers" in str(checked)


def test_without_r_nothing_is_shown_to_agree(dras: Fit) -> None:
    checked = verify(dras, r="none")
    assert len(checked) == 0 and not checked.agrees
    assert checked.exit_code == 0 and verify(dras, r="none", require_r=True).exit_code == 2
    assert "R was not asked" in str(checked)


def test_with_certified_values_alone_the_fit_is_held_against_them(dras: Fit) -> None:
    checked = verify(
        dras, r="none", certified={"deviance": load("dras-table1--llbt-davidson", as_text=True)["deviance"]}
    )
    assert checked.agrees and checked.compared == 1


def test_another_way_to_ask_r_is_refused_with_the_ways_there_are(dras: Fit) -> None:
    with pytest.raises(InputError, match="expected 'live', 'recorded', 'both', 'none' or None"):
        verify(dras, r="alive")


def test_what_was_never_recorded_is_not_run_and_never_passes(tmp_path) -> None:
    fit = fit_bradley_terry(
        Comparisons.build(["x", "y", "z"], [0, 0, 1], [1, 2, 2], [3, 4, 5], None, [2, 1, 4])
    )
    checked = verify(fit, r=Backend("recorded", records=Records([tmp_path])), require_r=True)
    assert {a.verdict for a in checked} == {"not-run"} and not checked.agrees and checked.exit_code == 2
    assert "no recorded result" in str(checked) and "pairproof record" in str(checked)


def test_a_spoilt_number_differs_and_is_marked_in_the_table(dras: Fit) -> None:
    checked = verify(replace(dras, llf=dras.llf * (1 + 1e-6)), r="recorded")
    assert checked.exit_code == 1 and not checked.agrees
    assert "!" in next(line for line in str(checked).splitlines() if line.startswith("llf"))


def test_a_long_table_is_cut_and_says_so() -> None:
    rows = [
        Agreement(
            "",
            "",
            f"estimate.i{k:03d}",
            None,
            1.0,
            1.0,
            "gnm::gnm",
            "live",
            None,
            15.0 - (k == 70),
            "agrees",
            floor=9.0,
            about="native-r",
        )
        for k in range(80)
    ]
    text = str(Verification(tuple(rows)))
    assert f"{80 - MOST_ROWS} of 80 quantities are not shown" in text
    assert "at least 14.0 digits (estimate.i070)" in text, "what is cut still counts"
    assert len(side_by_side(rows).rows) == 80


def test_the_package_and_the_fit_offer_it(dras: Fit, recorded: Verification) -> None:
    assert pairproof.verify is verify
    assert [a.to_dict() for a in dras.verify(r="recorded")] == [a.to_dict() for a in recorded]


@pytest.fixture(scope="module")
def without_r(tmp_path_factory) -> RSession:
    """A session on a machine where R cannot be found."""
    empty = tmp_path_factory.mktemp("no-r")
    return RSession({"PATH": str(empty), "HOME": str(empty)})


def test_where_r_is_absent_records_stand_in_and_the_first_lines_say_so(
    dras: Fit, without_r: RSession
) -> None:
    checked = verify(dras, r=Backend(live=without_r))
    assert checked.agrees and {a.r_source for a in checked} == {"recorded"}
    assert "R is not available: its recorded results are used" in "\n".join(str(checked).splitlines()[:4])


@live
def test_live_and_recorded_answers_have_the_same_verdicts(dras: Fit, recorded: Verification) -> None:
    now = verify(dras, r="live")
    assert [(a.quantity, a.r_call, a.verdict) for a in now] == [
        (a.quantity, a.r_call, a.verdict) for a in recorded
    ]
    assert {a.r_source for a in now} == {"live"}


@live
def test_a_fit_on_log_odds_summing_to_zero_is_verified_all_the_same() -> None:
    fit = (
        fit_llbt(native(load("dras-table1--llbt-davidson")).data, by="judge")
        .on_scale("log-odds")
        .with_reference("sum")
    )
    checked = verify(fit, r="live")
    assert checked.agrees, [(a.quantity, a.r_call, a.explanation) for a in checked if not a.passes]
    assert any(a.quantity == "estimate.D:judge[3]" for a in checked)


@live
def test_what_empty_cells_determine_in_r_and_the_data_do_not_is_not_counted_against_the_fit() -> None:
    """Judge b has linked A and B, C and D, and not the two pairs; llbtPC.fit's empty cells do, so that its df
    is 1 lower.
    """
    rows = [
        ("A", "B", 3, 2, "a"),
        ("B", "C", 2, 1, "a"),
        ("A", "C", 1, 2, "a"),
        ("C", "D", 1, 3, "a"),
        ("A", "D", 2, 2, "a"),
        ("A", "B", 2, 3, "b"),
        ("C", "D", 2, 2, "b"),
    ]
    names = ("first", "second", "wins", "losses", "judge")
    fit = fit_llbt(
        pairproof.read({name: list(column) for name, column in zip(names, zip(*rows))}), by="judge"
    )
    assert fit.not_estimable == ("A:judge[b]", "B:judge[b]")
    agreement = fit.verify(r="live")
    assert [a for a in agreement if a.verdict == "differs"] == []
    by_call = {a.r_call for a in agreement if a.quantity == "df_resid" and a.verdict == "agrees"}
    assert "gnm::gnm(eliminate)" in by_call and "prefmod::llbtPC.fit" not in by_call


@pytest.mark.nightly
@live
def test_what_r_lacks_of_a_maximum_at_infinity_is_no_difference_and_a_wrong_likelihood_still_is_one() -> None:
    """Judge b's answers are separated; llbtPC.fit stops 2e-7 below the limit, with 7.6 digits of the
    log-likelihood.
    """
    rows = [
        ("A", "B", 3, 2, "a"),
        ("B", "C", 2, 1, "a"),
        ("A", "C", 3, 2, "a"),
        ("A", "B", 5, 0, "b"),
        ("B", "C", 3, 0, "b"),
        ("A", "C", 4, 0, "b"),
    ]
    names = ("first", "second", "wins", "losses", "judge")
    fit = fit_llbt(
        pairproof.read({name: list(column) for name, column in zip(names, zip(*rows))}), by="judge"
    )
    agreement = fit.verify(r="live")
    assert fit.n_infinite == 2 and [a for a in agreement if a.verdict == "differs"] == []
    short = [a for a in agreement if "on its way to an infinite estimate" in a.explanation]
    assert {a.r_call for a in short} == {"prefmod::llbtPC.fit, towards infinity"} and {
        a.verdict for a in short
    } == {"not-checkable"}
    for wrong in (
        replace(fit, llf=fit.llf + 1e-6),
        replace(fit, llf=fit.llf - 1e-6),
        replace(fit, df_resid=fit.df_resid + 1),
    ):
        assert "differs" in {a.verdict for a in verify(wrong, r="live")}


@live
def test_errors_by_clusters_of_rows_that_r_has_not_are_said_not_to_be_compared_and_all_else_is() -> None:
    rows = {
        "first": list("ABCABCBCA"),
        "second": list("BCABCACAB"),
        "outcome": ["first", "tie", "second"] * 3,
    }
    rows["judge"] = list("xxyyzzuuv")
    found = verify(
        pairproof.fit_bradley_terry(pairproof.count(rows), ties="davidson").clustered("judge", rows=rows)
    )
    codes = [row.verdict for row in found]
    assert codes.count("not-checkable") == 2 and codes.count("agrees") == len(codes) - 2 > 50
    assert "judge is a column of the input rows" in str(found)


def test_what_agrees_shows_as_a_sentence_and_the_three_least_alike_and_stays_a_list(dras: Fit) -> None:
    found = agree(dras, dras.on_scale("log-odds"))
    first, heading, *rows = repr(found).splitlines()
    assert first == f"{dras.title}: {len(found)} of {len(found)} quantities agree, the least alike:"
    assert heading.split() == ["quantity", "fit", "reference", "digits", "asked"] and len(rows) == 3
    assert isinstance(found, list) and all(isinstance(row, Agreement) for row in found)
