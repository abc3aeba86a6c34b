"""`check` and `explain` are one run: a claim is judged once, as a table, and what one knows the other knows."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import pairproof.validation.check.checker as checker_module
from pairproof.cli.app import app
from pairproof.data.comparisons import Comparisons
from pairproof.errors import InputError
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.validation import Verification, run
from pairproof.validation.check.checker import Checker, shortfall
from pairproof.validation.check.claims_file import parse_claims, read_paper
from pairproof.validation.check.explain import explain
from pairproof.validation.claims.paper import PrintedQuantity
from pairproof.validation.claims.printed import Printed
from pairproof.validation.claims.quantities import Quantity, error_of
from pairproof.validation.verdicts.agreement import Agreement
from pairproof.validation.verdicts.arithmetic_rows import arithmetic_rows
from pairproof.validation.verdicts.verdict import PrintVerdict, apart, judge_table
from tests.validation.fakes import FIRTH, claims_text
from tests.validation.verdicts.test_definitions import page as page_by_row

DOUBLED = 'estimate = { Boston = "2.2154", Cleveland = "1.3677", Detroit = "2.8728", Milwaukee = "3.1627" }'


def firth(*changes: tuple[str, str], name: str = "example") -> str:
    text = FIRTH
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return claims_text(text).replace('"example"', f'"{name}"')


def written(folder: Path, text: str, name: str = "x") -> str:
    file = folder / f"{name}.claims.toml"
    file.write_text(text)
    return str(file)


def rows(text: str, tmp_path: Path, **options: Any) -> dict[str, Agreement]:
    return {a.quantity: a for a in run(written(tmp_path, text), r="none", **options)}


def printed(found: dict[str, Agreement]) -> dict[str, tuple[str, str]]:
    """Verdict and code of the printed numbers that do not plainly agree."""
    return {
        q: (a.verdict, a.code) for q, a in found.items() if a.about == "printed" and a.verdict != "agrees"
    }


# -- one run -------------------------------------------------------------------------------------------------

PAGES = {
    "right": firth(),
    "doubled": page_by_row(DOUBLED, 'deviance = "44.053 on 36"', 'aic = "140.52"'),
    "definition": page_by_row('deviance = "44.053 on 36"'),
    "misprint": firth(('"1.1077"', '"1.1970"')),
    "cut": firth(('"1.5814"', '"1.5813"')),
    "nothing fits": firth(('"1.1077"', '"1.1970"'), ('"0.3396"', '"0.3996"'), ('"15.737 on', '"16.737 on')),
    "conclusion": firth(('"0.039345"', '"0.139345"')),
    "chance": page_by_row('deviance = "44."'),
}


@pytest.mark.parametrize("name", PAGES)
def test_check_and_explain_say_the_same_of_every_printed_number(name: str, tmp_path: Path) -> None:
    def said(found: Sequence[Agreement]) -> dict[str, tuple[str, str, str, str, bool]]:
        return {
            str(a.quantity): (a.verdict, a.code, a.finding, a.explanation, a.accepted)
            for a in found
            if a.about == "printed"
        }

    checked = run(written(tmp_path, PAGES[name]), r="none")
    explained = explain(read_paper(written(tmp_path, PAGES[name])))
    assert said(checked) == said(explained.agreements) and checked.exit_code == explained.exit_code
    assert checked.found == explained.found and checked.found_by_paper == {checked[0].paper: explained.found}


def test_a_deviance_of_ungrouped_rows_is_known_and_the_rest_is_searched_with_it() -> None:
    """Estimates printed as twice the log-odds beside R's deviance and AIC by row."""
    paper = parse_claims(PAGES["doubled"])
    told = explain(paper)
    by_code = {str(a.quantity): (a.verdict, a.code) for a in told.agreements}
    assert by_code["deviance"] == by_code["aic"] == ("agrees-other-definition", "cells+aic-constant")
    assert by_code["estimate.Boston"] == ("explained", "scale")
    assert [e.names for f in told.found for e in f.explanations] == [("scale",)], "no slip for the deviance"


def test_a_reading_of_the_data_moves_a_deviance_by_another_definition_too(tmp_path: Path) -> None:
    paper = parse_claims(page_by_row('deviance = "1"'))
    table = Checker(paper).data("table")
    at = {table.items.index("Boston"), table.items.index("Detroit")}
    turn = [{int(i), int(j)} == at for i, j in zip(table.first, table.second)]
    wins, losses = np.where(turn, table.losses, table.wins), np.where(turn, table.wins, table.losses)
    other = Comparisons.build(table.items, table.first, table.second, wins, None, losses)
    fit = fit_bradley_terry(other, reference="Baltimore", cells="row")
    numbers = ", ".join(f'"{i}" = "{fit.params[i]:.3f}"' for i in fit.items if i != "Baltimore")
    text = page_by_row(f"estimate = {{ {numbers} }}", f'deviance = "{fit.deviance:.3f} on {fit.df_resid}"')
    found = run(written(tmp_path, text), r="none").found[0]
    assert {"one-pair-reversed", "cells"} == set(found.explanations[0].names) and len(found.explanations) == 1


def test_what_a_person_accepted_is_not_searched_and_explain_searches_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import pairproof.validation.check.explain as module

    asked: list[int] = []
    search = module.search
    monkeypatch.setattr(module, "search", lambda targets, *more, **of: asked.append(len(targets)) or search(targets, *more, **of))  # type: ignore[func-returns-value]
    found = run("cems", r="none")
    assert found.exit_code in (0, 2) and not asked and all(f.plain for f in found.found)
    explain(read_paper("cems"))
    assert asked == [1]


def test_without_explain_nothing_is_searched(tmp_path: Path) -> None:
    file = written(tmp_path, PAGES["doubled"])
    found = run(file, r="none", explain=False)
    assert not found.found and {a.verdict for a in found if a.quantity == "estimate.Boston"} == {"differs"}
    out = CliRunner().invoke(app, ["check", file, "--r", "none", "--no-explain", "--json"])
    assert "explained" not in json.loads(out.stdout)["summary"]
    out = CliRunner().invoke(app, ["check", file, "--r", "none", "--json"])
    assert json.loads(out.stdout)["summary"]["explained"] == 4


def test_the_json_says_no_evidence_where_the_text_does(tmp_path: Path) -> None:
    out = CliRunner().invoke(app, ["explain", written(tmp_path, PAGES["chance"]), "--json"])
    document = json.loads(out.stdout)
    assert document["explanations"] and not any(e["evidence"] for e in document["explanations"])
    assert "not evidence" in document["found"][0]["said"] and document["found"][0]["evidence"] is False
    text = CliRunner().invoke(app, ["explain", written(tmp_path, PAGES["chance"])]).stdout
    assert "not evidence" in text


def test_chance_takes_no_conclusion_and_no_misprint_away(tmp_path: Path) -> None:
    found = rows(PAGES["conclusion"], tmp_path)
    assert found["p.Cleveland"].verdict == "differs-conclusion"
    found = rows(PAGES["misprint"], tmp_path)
    assert (found["estimate.Boston"].verdict, found["estimate.Boston"].code) == ("differs", "misprint")


# -- arithmetic ----------------------------------------------------------------------------------------------


def test_one_misprint_with_what_follows_from_it_is_one_finding(tmp_path: Path) -> None:
    found = rows(PAGES["misprint"], tmp_path)
    assert printed(found) == {"estimate.Boston": ("differs", "misprint")}
    following = {q for q, a in found.items() if a.code == "consequence"}
    assert following == {"arithmetic.z.Boston", "arithmetic.p.Boston", "arithmetic.win_totals"}
    assert all(found[q].verdict == "not-checkable" for q in following)
    assert (
        "this follows from estimate.Boston; not a separate finding"
        in found["arithmetic.z.Boston"].explanation
    )
    assert {a.finding for a in found.values() if a.finding} == {"baseball: estimate.Boston"}


def test_a_z_that_was_worked_out_from_the_misprint_belongs_to_it(tmp_path: Path) -> None:
    found = rows(firth(('"1.1077"', '"1.1970"'), ('"3.318"', '"3.585"')), tmp_path)
    assert printed(found) == {
        "estimate.Boston": ("differs", "misprint"),
        "z.Boston": ("differs", "consequence"),
    }
    assert found["z.Boston"].finding == found["estimate.Boston"].finding != ""
    assert "follows from estimate.Boston as printed" in found["z.Boston"].explanation


def test_arithmetic_that_fails_by_itself_still_differs(tmp_path: Path) -> None:
    """Without outcomes nothing above explains it."""
    text = """[paper]
id = "p"
title = "P"
[data.d]
kind = "games"
items = ["A", "B", "C"]
[[claim]]
id = "c"
data = "d"
model = { family = "bradley-terry", reference = "A" }
estimate = { B = "1.000" }
se = { B = "0.500" }
z = { B = "2.500" }
"""
    found = run(written(tmp_path, text), r="none")
    assert {a.verdict for a in found if a.quantity == "arithmetic.z.B"} == {
        "differs"
    } and found.exit_code == 1


def test_an_aic_by_another_definition_is_no_second_finding_between_claims(tmp_path: Path) -> None:
    """The same model twice, with the deviance by pair and by row: one constant for both AICs cannot hold."""
    first = page_by_row('deviance = "15.737 on 15"', 'aic = "87.324"')
    second = first[first.index("[[claim]]") :].replace('id = "table-1"', 'id = "again"')
    assert 'id = "again"' in second
    second = second.replace('"15.737 on 15"', '"44.053 on 36"').replace('"87.324"', '"140.52"')
    found = run(written(tmp_path, first + second), r="none")
    bare = arithmetic_rows(
        read_paper(written(tmp_path, first + second)),
        Checker(read_paper(written(tmp_path, first + second))).data,
    )
    assert "differs" in {a.verdict for a in bare}, "by itself it fails"
    assert found.exit_code == 0, [(a.quantity, a.verdict, a.explanation) for a in found if not a.passes]


# -- cut and rounded -----------------------------------------------------------------------------------------


def table(*cells: tuple[str, str, float]) -> dict[str, PrintVerdict]:
    numbers = [PrintedQuantity(Quantity.parse(name), Printed.parse(text), 1) for name, text, _ in cells]
    return judge_table(numbers, {name: value for name, _, value in cells}, 0.05)


A, B, C = "estimate.A", "estimate.B", "estimate.C"


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        # Alone in a table whose others can only be rounded.
        ([(A, "-0.918", -0.91854), (B, "0.123", 0.12278), (C, "0.4", 0.389)], ["cut-not-rounded", "", ""]),
        # One number, or others that would be cut or rounded alike: nobody can tell.
        ([(A, "-0.918", -0.91854)], ["truncated"]),
        ([(A, "-0.918", -0.91854), (B, "0.122", 0.12212)], ["truncated", ""]),
        # Two numbers, one of which can only be rounded: they contradict each other.
        ([(A, "-0.918", -0.91854), (B, "0.123", 0.12278)], ["cut-not-rounded", ""]),
        # A table that is cut throughout.
        ([(A, "-0.918", -0.91854), (B, "0.122", 0.12278), (C, "0.3", 0.389)], ["truncated"] * 3),
        # A column that is cut throughout beside one that is rounded.
        (
            [(A, "0.918", 0.91854), (B, "0.122", 0.12278), ("se.A", "0.13", 0.1278), ("se.B", "0.2", 0.187)],
            ["truncated", "truncated", "", ""],
        ),
        # One cut number in a column says nothing of a habit.
        (
            [(A, "0.918", 0.91854), (B, "0.122", 0.1221), ("se.A", "0.13", 0.1278)],
            ["cut-not-rounded", "", ""],
        ),
        # A whole number, a bound and a number that is 0 speak neither for cutting nor against.
        ([(A, "0.918", 0.91854), ("df_resid", "15", 15.0), ("p.A", "<.001", 1e-4)], ["truncated", "", ""]),
    ],
)
def test_whether_digits_are_cut_is_judged_by_the_table(
    cells: list[tuple[str, str, float]], codes: list[str]
) -> None:
    judged = table(*cells)
    assert [j.code for j in judged.values()] == codes
    assert all((j.verdict == "differs") == (j.code == "cut-not-rounded") for j in judged.values())


def test_a_number_that_alone_is_cut_is_a_misprint_of_any_size_and_never_immaterial(tmp_path: Path) -> None:
    found = run(written(tmp_path, PAGES["cut"]), r="none", immaterial=0.5)
    (row,) = [a for a in found if a.about == "printed" and a.verdict != "agrees"]
    assert (row.quantity, row.verdict, row.code) == ("estimate.Milwaukee", "differs", "cut-not-rounded")
    assert row.size is not None and row.size < 1e-3 and found.exit_code == 1


def test_the_search_calls_no_page_plain_that_has_a_number_cut_among_rounded_ones() -> None:
    (found,) = explain(parse_claims(PAGES["cut"])).found
    assert not found.plain


# -- immaterial, misprints, rounding twice -------------------------------------------------------------------


def test_two_numbers_that_are_off_by_a_hundredth_of_a_standard_error_are_immaterial(tmp_path: Path) -> None:
    changes = (('"1.1077"', '"1.1090"'), ('"1.4364"', '"1.4350"'))
    text = firth(*changes)
    found = run(written(tmp_path, text), r="none")
    off = {str(a.quantity): a for a in found if a.about == "printed" and a.verdict != "agrees"}
    assert {a.verdict for a in off.values()} == {"immaterial"} and set(off) == {
        "estimate.Boston",
        "estimate.Detroit",
    }
    assert found.exit_code == 0 and all("at most 0.01" in a.explanation for a in off.values())
    assert run(written(tmp_path, text), r="none", immaterial=0.001).exit_code == 1


def test_the_option_names_the_threshold_of_what_is_immaterial(tmp_path: Path) -> None:
    file = written(tmp_path, firth(('"1.1077"', '"1.1300"'), ('"1.4364"', '"1.4500"')))
    assert CliRunner().invoke(app, ["check", file, "--r", "none"], standalone_mode=False).return_value == 1
    out = CliRunner().invoke(
        app, ["check", file, "--r", "none", "--immaterial", "0.1", "--json"], standalone_mode=False
    )
    said = [a["explanation"] for a in json.loads(out.stdout)["agreements"] if a["verdict"] == "immaterial"]
    assert out.return_value == 0 and len(said) == 2 and all("at most 0.1)" in text for text in said)
    with pytest.raises(InputError, match="a fraction of a standard error"):
        run(file, r="none", immaterial=1.5)


def test_a_lone_number_is_a_misprint_however_small_its_error_is(tmp_path: Path) -> None:
    found = rows(firth(('"1.1077"', '"1.1079"')), tmp_path)
    assert printed(found) == {"estimate.Boston": ("differs", "misprint")}
    assert (found["estimate.Boston"].size or 1.0) < 0.01
    assert "the only number not reproduced; 28 others are" in found["estimate.Boston"].explanation


def test_of_four_numbers_none_is_called_a_misprint(tmp_path: Path) -> None:
    head = claims_text(
        '[[claim]]\nid = "c"\ndata = "baseball"\nmodel = { family = "bradley-terry", reference = "Baltimore" }\n'
    )
    three = 'Cleveland = "0.6839", Detroit = "1.4364", Milwaukee = "1.5814"'
    few = rows(head + f'estimate = {{ Boston = "1.1079", {three} }}\n', tmp_path)
    assert printed(few) == {"estimate.Boston": ("immaterial", "small")}
    five = rows(head + f'estimate = {{ Boston = "1.1079", {three}, Toronto = "1.2945" }}\n', tmp_path)
    assert printed(five) == {"estimate.Boston": ("differs", "misprint")}


def test_a_number_that_was_rounded_twice_is_told_by_its_cause_and_is_no_misprint(tmp_path: Path) -> None:
    """Toronto's 1.294485 is 1.2945 and then 1.295, with four numbers beside it that come out."""
    found = rows(firth(('"1.2945"', '"1.295"')), tmp_path)
    assert printed(found) == {"estimate.Toronto": ("immaterial", "rounded-twice")}
    judged = table((A, "0.28", 0.2745), (B, "0.27", 0.2744), (C, "0.3", 0.249))
    assert [(j.verdict, j.code) for j in judged.values()] == [
        ("differs", "rounded-twice"),
        ("agrees", ""),
        ("differs", "rounded-twice"),
    ]
    assert table((A, "0.28", 0.2744))[A].code == "other-value", "0.2744 is 0.274 and then 0.27"
    assert table((A, "0.27", 0.27504))[A].code == "truncated", "only upwards: downwards it is cut"


def test_an_immaterial_number_keeps_the_conclusions(tmp_path: Path) -> None:
    """A p-value of 0.0502 printed as 0.0498 is off by 0.004 standard errors, and is significant in print only."""
    number = PrintedQuantity(Quantity.parse("p.A"), Printed.parse("0.0498"), 1)
    assert judge_table([number], {"p.A": 0.0502}, 0.05)["p.A"].verdict == "differs-conclusion"
    by_hand = NormalDist().inv_cdf(0.0502 / 2) - NormalDist().inv_cdf(0.0498 / 2)
    # 1e-9: two algorithms of the quantile, of which near values are subtracted; seen 2e-13.
    assert apart(number, 0.0502, 1.0)[0] == pytest.approx(by_hand, rel=1e-9)


# -- size ----------------------------------------------------------------------------------------------------


def test_the_size_is_the_difference_in_standard_errors_of_the_quantity() -> None:
    fit = Checker(parse_claims(firth())).fit("baseball")
    se, estimate = fit.bse["Boston"], fit.params["Boston"]
    contrast = fit.contrast("Boston", "Detroit")
    errors = {
        "estimate.Boston": se,
        "exp.Boston": math.exp(estimate) * se,
        "se.Boston": se,
        "z.Boston": 1.0,
        "p.Boston": 1.0,
        "low.Boston": se,
        "contrast.all.Boston.Detroit": contrast.se,
        "odds.all.Boston.Detroit": contrast.odds * contrast.se,
        "worth.all.Boston": float(fit.worth().set_index("item")["se"]["Boston"]),
        "deviance": math.nan,
        "df_resid": math.nan,
        "wins.Boston": math.nan,
    }
    for name, error in errors.items():
        # The same formulas, added up in another order; seen 0 for all of them here.
        assert error_of(name, fit) == pytest.approx(error, rel=1e-12, nan_ok=True), name


def test_the_delta_method_of_odds_holds_on_the_lambda_scale() -> None:
    table = Checker(parse_claims(firth())).data("baseball")
    lam, logit = fit_llbt(table), fit_bradley_terry(table)
    for name in ("odds.all.Boston.Detroit", "worth.all.Boston"):
        assert error_of(name, lam) == pytest.approx(error_of(name, logit), rel=1e-6)  # two solvers; seen 1e-9


def test_text_and_json_say_the_size_and_how_far_the_likelihood_falls_short(tmp_path: Path) -> None:
    file = written(tmp_path, PAGES["misprint"])
    out = CliRunner().invoke(app, ["check", file, "--r", "none", "--json"])
    row = next(a for a in json.loads(out.stdout)["agreements"] if a["quantity"] == "estimate.Boston")
    fit = Checker(parse_claims(PAGES["misprint"])).fit("baseball")
    # One division, through JSON; seen 0.
    assert row["size"] == pytest.approx((1.1970 - fit.params["Boston"]) / fit.bse["Boston"], rel=1e-9)
    assert "0.27 se off" in row["explanation"] and "0.0727 below its maximum" in row["explanation"]
    text = " ".join(CliRunner().invoke(app, ["check", file, "--r", "none", "--full"]).stdout.split())
    assert "0.27 standard errors" in text


def loglik(fit: Fit, **changed: float) -> float:
    """Sum of wins log P, by hand."""
    at = np.array([changed.get(i, float(fit.params[i])) for i in fit.items])
    u = at[fit.data.first] - at[fit.data.second]
    return float(-fit.data.wins @ np.log1p(np.exp(-u)) - fit.data.losses @ np.log1p(np.exp(u)))


def test_the_shortfall_is_that_of_the_likelihood() -> None:
    fit = Checker(parse_claims(firth())).fit("baseball")
    printed_values = {"Boston": 1.2, "Detroit": 1.3}
    by_hand = loglik(fit) - loglik(fit, **printed_values)
    assert shortfall(fit, printed_values) == pytest.approx(by_hand, rel=1e-9)  # observed 1e-13
    assert shortfall(fit, {}) == 0.0


# -- bad input, interruption ---------------------------------------------------------------------------------

BAD = '[[claim]]\nid = "bad"\ndata = "baseball"\nmodel = { family = "bradley-terry" }\nestimate = { Oakland = "1.0" }\n'


def test_one_bad_claim_silences_no_other_and_ends_with_3(tmp_path: Path) -> None:
    file = written(tmp_path, firth() + BAD)
    found = run(file, r="none")
    bad = [a for a in found if a.claim == "bad"]
    assert [(a.verdict, a.code, a.printed) for a in bad] == [("not-run", "bad-claim", "1.0")]
    assert "no parameter 'Oakland'" in bad[0].explanation and found.exit_code == 3
    assert sum(a.verdict == "agrees" for a in found if a.claim == "baseball") > 29
    out = CliRunner().invoke(app, ["check", file, "--r", "none", "--json"], standalone_mode=False)
    assert out.return_value == 3 and json.loads(out.stdout)["summary"]["not-run"] == 1
    told = explain(read_paper(file))
    assert told.exit_code == 3 and "Oakland" in told.not_searched["bad"] and told.found[0].plain


@pytest.mark.parametrize(
    "claim",
    [
        BAD.replace('"1.0"', "1.0"),
        BAD.replace("estimate", "estimates"),
        BAD.replace("Oakland = ", 'Boston = "1.x", Cleveland = '),
        BAD.replace("baseball", "football"),
    ],
)
def test_a_claim_that_cannot_be_read_silences_no_other(claim: str, tmp_path: Path) -> None:
    for text in (firth() + claim, claims_text(claim + FIRTH)):
        file = written(tmp_path, text)
        with pytest.raises(InputError) as told:
            read_paper(file)
        found = run(file, r="none")
        (bad,) = [a for a in found if a.claim == "bad"]
        assert (bad.verdict, bad.code, bad.explanation) == ("not-run", "bad-claim", str(told.value))
        assert found.exit_code == 3 and sum(a.verdict == "agrees" for a in found) > 29
        explained = explain(read_paper(file, lenient=True))
        assert explained.exit_code == 3 and "bad" in explained.not_searched and explained.found[0].plain
    with pytest.raises(InputError):
        run(written(tmp_path, claims_text(claim)), r="none")


def test_a_file_of_which_no_claim_is_understood_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Oakland"):
        run(written(tmp_path, claims_text(BAD)), r="none")


def test_one_bad_file_silences_no_other(tmp_path: Path) -> None:
    good, bad = written(tmp_path, firth()), written(tmp_path, "nonsense = ", "bad")
    found = run([bad, good, str(tmp_path / "absent.claims.toml")], r="none")
    assert found.exit_code == 3 and sum(a.verdict == "agrees" for a in found) > 29
    said = {a.paper: a.explanation for a in found if a.code == "bad-claim"}
    assert (
        set(said) == {bad, str(tmp_path / "absent.claims.toml")}
        and "no such file" in said[str(tmp_path / "absent.claims.toml")]
    )
    for path in (tmp_path / "r.html", tmp_path / "r.xml", tmp_path / "r.md"):
        code = CliRunner().invoke(
            app, ["check", bad, good, "--r", "none", "--report", str(path)], standalone_mode=False
        )
        assert code.return_value == 3 and "not TOML" in path.read_text()


def test_several_files_of_which_none_is_understood_are_all_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="(?s)a.claims.toml.*b.claims.toml"):
        run([written(tmp_path, "x = ", "a"), written(tmp_path, "x = ", "b")], r="none")


def test_two_papers_with_one_id_are_an_error_that_names_both_files(tmp_path: Path) -> None:
    one, two = written(tmp_path, firth(), "one"), written(tmp_path, firth(), "two")
    with pytest.raises(
        InputError, match=r"one\.claims\.toml and .*two\.claims\.toml both have the id 'example'"
    ):
        run([one, two], r="none")


def interrupted_at(monkeypatch: pytest.MonkeyPatch, fits: int) -> None:
    """Ctrl-C when the model is fitted that follows so many."""
    seen: list[int] = []
    fit_model: Callable[..., Fit] = checker_module.fit_model

    def fitted(*given: Any) -> Fit:
        seen.append(1)
        if len(seen) > fits:
            raise KeyboardInterrupt
        return fit_model(*given)

    monkeypatch.setattr(checker_module, "fit_model", fitted)


def test_an_interruption_keeps_what_was_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = written(tmp_path, firth(), "one"), written(tmp_path, firth(name="two"), "two")
    interrupted_at(monkeypatch, 1)
    found: Verification = run([one, two], r="none")
    assert found.interrupted and found.exit_code == 130
    assert {a.paper for a in found} == {"example"} and sum(a.verdict == "agrees" for a in found) > 29
    assert "Interrupted: 1 of 2 papers were checked completely." in str(found)


def test_the_command_shows_and_writes_what_was_checked_and_ends_with_130(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = FIRTH.replace('id = "baseball"', 'id = "sums"').replace('"Baltimore" }', '"sum" }')
    file = written(tmp_path, firth() + other)
    interrupted_at(monkeypatch, 1)
    monkeypatch.setattr(Checker, "fits", {})  # so that the second claim is fitted after the first is done
    report = tmp_path / "r.json"
    out = CliRunner().invoke(
        app, ["check", file, "--r", "none", "--json", "--report", str(report)], standalone_mode=False
    )
    found = json.loads(out.stdout)
    assert out.return_value == 130 and {a["claim"] for a in found["agreements"]} == {"baseball"}
    assert len(json.loads(report.read_text())["agreements"]) == len(found["agreements"])


def test_an_interrupted_search_leaves_the_verdicts_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pairproof.validation.check.explain as module

    def stopped(*given: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "search", stopped)
    found = run(written(tmp_path, PAGES["doubled"]), r="none")
    assert found.exit_code == 130
    assert {a.verdict for a in found if a.quantity == "estimate.Boston"} == {"differs"}
