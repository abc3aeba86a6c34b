"""From a claims file to verdicts: every verdict has a claim that produces it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from pairproof.errors import InputError
from pairproof.fit.fit import Fit
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import parse_claims
from pairproof.validation.verdicts.against_r import compare_fit
from pairproof.validation.verdicts.agreement import Agreement, RCounterpart, exit_code, summary
from tests.validation.fakes import FIRTH, GLM, check_paper, claims_text, faultless, spoilt, values_of

BALTIMORE = 'data = "baseball"\nmodel = { family = "bradley-terry", reference = "Baltimore" }\n'


def checked(claim: str, data: str = "", **options: Any) -> list[Agreement]:
    return check_paper(parse_claims(claims_text(f'[[claim]]\nid = "c"\n{claim}', data)), **options)


def printed(rows: Sequence[Agreement]) -> dict[str, Agreement]:
    return {a.quantity: a for a in rows if a.about != "native-r"}


def test_all_numbers_of_firth_2005_come_out_of_his_data() -> None:
    rows = printed(check_paper(parse_claims(claims_text(FIRTH)), counterparts=faultless))
    assert summary(rows.values()) == {"agrees": 29}
    assert rows["df_null"].printed == "21" and rows["df_null"].native == 21.0
    assert rows["aic_glm"].native == pytest.approx(87.324, abs=5e-4)


def test_a_printed_number_stands_beside_native_r_and_its_digits() -> None:
    row = printed(check_paper(parse_claims(claims_text(FIRTH)), counterparts=faultless))["estimate.Boston"]
    assert (row.printed, row.r_call, row.r_source, row.digits, row.verdict) == (
        "1.1077",
        GLM,
        "live",
        16.0,
        "agrees",
    )
    assert row.native == row.r and row.floor == 9.0


def test_numbers_that_only_native_and_r_have_follow_once_for_each_model() -> None:
    rows = checked(
        BALTIMORE + 'deviance = "15.737"\n[[claim]]\nid = "d"\n' + BALTIMORE + 'df_resid = "15"',
        counterparts=faultless,
    )
    beyond = [(a.claim, a.quantity) for a in rows if a.about == "native-r"]
    assert len(beyond) == len(set(beyond)) > 30
    assert {claim for claim, _ in beyond} == {"c"}
    assert not any(
        q.endswith(".Baltimore") and not q.startswith("worth") for _, q in beyond
    ), "a reference is nothing to compare"


VERDICTS = [
    ('estimate = { Boston = "1.1077" }', "agrees", ""),
    ('estimate = { Cleveland = "0.683" }', "agrees-truncated", "truncated"),
    ('stat = { n_comparisons = "270" }', "agrees-k-of-m", "2 of 3 digits"),
    ('estimate = { Boston = "1.1279" }', "differs", "computed 1.107"),
    ('estimate = { Boston = "1.1079" }', "immaterial", "standard errors (at most 0.01)"),
    ('estimate = { Boston = "-1.1077" }', "differs-conclusion", "sign"),
    ('p = { Cleveland = "0.0639" }', "differs-conclusion", "not significant at 0.05"),
    ('p = { Cleveland = "0.0393 **" }', "differs-conclusion", "mark"),
    (
        'estimate = { Boston = "1.1077", Toronto = "1.02" }',
        "differs-conclusion",
        "printed Boston above Toronto",
    ),
]


@pytest.mark.parametrize(("claim", "verdict", "words"), VERDICTS)
def test_every_verdict_on_a_number_has_a_claim_that_gives_it(claim: str, verdict: str, words: str) -> None:
    row = list(printed(checked(BALTIMORE + claim)).values())[-1]
    assert row.verdict == verdict
    assert words in row.explanation


SEPARATED = (
    '[data.sep]\nkind = "counts"\ncolumns = ["first", "second", "wins", "losses"]\nrows = [["A", "B", 5, 3],'
    ' ["A", "C", 4, 4], ["A", "D", 6, 0], ["B", "D", 3, 0], ["B", "C", 2, 3]]'
)


def test_a_printed_estimate_of_a_separated_item_is_not_estimable_and_r_is_quoted() -> None:
    def stopped_somewhere(fit: Fit, backend: Any) -> list[RCounterpart]:
        return [RCounterpart(GLM, "live", {"estimate.D": -21.3, "estimate.B": float(fit.params["B"])})]

    rows = checked(
        'data = "sep"\nmodel = { family = "bradley-terry", reference = "A" }\nestimate = { D = "-36.68" }',
        SEPARATED,
        counterparts=stopped_somewhere,
    )
    row = printed(rows)["estimate.D"]
    assert (row.verdict, row.native, row.r) == ("not-estimable", None, -21.3)
    assert "R gives -21.3" in row.explanation
    assert exit_code(rows) == 1


def test_a_separated_item_that_nobody_printed_is_no_failure() -> None:
    rows = checked(
        'data = "sep"\nmodel = { family = "bradley-terry", reference = "A" }\nestimate = { B = "0.40" }',
        SEPARATED,
        counterparts=faultless,
    )
    assert {a.quantity for a in rows if a.verdict == "not-estimable"} >= {"estimate.D", "se.D"}
    assert exit_code(rows) == exit_code(
        [a for a in rows if a.verdict == "agrees"] + [a for a in rows if a.quantity == "estimate.B"]
    )


READING = """
[[claim.reading]]
name = "flipped"
sentence = "the first pair is read the other way round"
data = "flipped"
"""
FLIPPED = (
    '[data.flipped]\nkind = "counts"\ncolumns = ["first", "second", "wins", "losses"]\nrows = [["A", "B", 3,'
    ' 5], ["A", "C", 4, 2]]\n[data.plain]\nkind = "counts"\ncolumns = ["first", "second", "wins",'
    ' "losses"]\nrows = [["A", "B", 5, 3], ["A", "C", 4, 2]]'
)
PLAIN = 'data = "plain"\nmodel = { family = "bradley-terry", reference = "A" }\n'


def test_numbers_that_all_come_out_in_one_other_reading_are_explained() -> None:
    rows = printed(checked(PLAIN + 'estimate = { B = "0.5108", C = "-0.6931" }' + READING, FLIPPED))
    assert rows["estimate.B"].verdict == "explained"
    assert rows["estimate.B"].explanation.startswith(
        "flipped: reproduced if the first pair is read the other way round"
    )
    assert rows["estimate.C"].verdict == "agrees"
    assert exit_code(list(rows.values())) == 1, "explained is not accepted"


def test_an_explanation_is_accepted_only_by_its_own_name() -> None:
    claim = PLAIN + 'estimate = { B = "0.5108" }\naccept = ["%s"]' + READING
    assert exit_code(checked(claim % "flipped", FLIPPED)) == 0
    assert exit_code(checked(claim % "stopped-early", FLIPPED)) == 1


def test_a_reading_explains_the_whole_claim_or_nothing() -> None:
    rows = printed(checked(PLAIN + 'estimate = { B = "0.5108", C = "0.1" }' + READING, FLIPPED))
    assert rows["estimate.B"].verdict.startswith("differs")


def test_two_readings_that_fit_leave_it_ambiguous() -> None:
    again = READING.replace('"flipped"\nsentence', '"again"\nsentence')
    rows = printed(checked(PLAIN + 'estimate = { B = "0.5108" }' + READING + again, FLIPPED))
    assert rows["estimate.B"].verdict == "ambiguous"
    assert "reproduced in 2 ways" in rows["estimate.B"].explanation


def test_a_residue_of_a_saturated_deviance_is_rounding_error_and_a_real_deviance_is_not() -> None:
    saturated = (
        'data = "plain"\nmodel = { family = "bradley-terry", reference = "A" }\ndeviance = "%s on 0"\naccept'
        ' = ["rounding-error"]'
    )
    row = printed(checked(saturated % "-6.6614e-15", FLIPPED))["deviance"]
    assert (row.verdict, row.code) == ("immaterial", "rounding-error") and row.passes
    assert printed(checked(saturated % "0.02", FLIPPED))["deviance"].verdict == "differs"


def test_one_sided_p_values_are_half_the_two_sided() -> None:
    rows = printed(checked(BALTIMORE + 'p = { Cleveland = "0.01967" }\nsided = 1', counterparts=faultless))
    row = rows["p.Cleveland"]
    assert (
        row.verdict == "agrees"
        and row.digits == 16.0
        and row.native == pytest.approx(0.0393447 / 2, rel=1e-4)
    )


def test_numbers_are_compared_on_the_scale_they_are_printed_on() -> None:
    claim = (
        'data = "baseball"\nmodel = { family = "llbt", reference = "Baltimore", scale = "log-odds"'
        ' }\nestimate = { Boston = "1.1077" }'
    )
    assert printed(checked(claim))["estimate.Boston"].verdict == "agrees"


def test_a_likelihood_ratio_names_the_other_claim() -> None:
    claim = (
        'data = "t"\nmodel = { family = "llbt", ties = "davidson" }\nstat = { "lr.d" = "0.84", "lr_df.d" ='
        ' "1" }\n[[claim]]\nid = "d"\ndata = "t"\nmodel = { family = "llbt", ties = "none" }\ndf_resid = "1"'
    )
    data = (
        '[data.t]\nkind = "counts"\ncolumns = ["first", "second", "wins", "ties", "losses"]\nrows = [["A",'
        ' "B", 61, 40, 35]]'
    )
    rows = printed(checked(claim, data)[:2])
    assert rows["lr_df.d"].verdict == "agrees"
    assert rows["lr.d"].native is not None and rows["lr.d"].native > 0


def test_an_unknown_parameter_is_bad_input_with_the_claims_line() -> None:
    with pytest.raises(
        InputError, match="line 20, claim 'c': .*no parameter 'Atlanta'; there are Baltimore, Boston"
    ):
        checked(BALTIMORE + 'estimate = { Atlanta = "1.1077" }')


def test_an_r_call_that_did_not_run_is_counted_and_never_passes() -> None:
    def absent(fit: Fit, backend: Any) -> list[RCounterpart]:
        return [RCounterpart("prefmod::llbtPC.fit", None, not_run="prefmod is not installed")]

    rows = checked(BALTIMORE + 'deviance = "15.737 on 15"', counterparts=absent)
    assert [a.explanation for a in rows if a.verdict == "not-run"] == [
        "prefmod::llbtPC.fit did not run: prefmod is not installed"
    ]
    assert (exit_code(rows), exit_code(rows, require_r=True)) == (0, 2)


def test_only_the_r_packages_that_a_claim_names_are_asked() -> None:
    def two(fit: Fit, backend: Any) -> list[RCounterpart]:
        return [
            RCounterpart("gnm::gnm", "live", values_of(fit)),
            RCounterpart("BradleyTerry2::BTm", "recorded", values_of(fit)),
        ]

    rows = checked(
        BALTIMORE + 'deviance = "15.737 on 15"\nengines = ["native", "R:BradleyTerry2"]', counterparts=two
    )
    assert {a.r_call for a in rows} == {"BradleyTerry2::BTm"}
    rows = checked(BALTIMORE + 'deviance = "15.737 on 15"\nengines = ["native"]', counterparts=two)
    assert {a.r_call for a in rows} == {None}


def test_a_package_without_a_counterpart_is_not_run_and_no_silence() -> None:
    rows = checked(
        BALTIMORE + 'deviance = "15.737"\nengines = ["native", "R:prefmod"]', counterparts=faultless
    )
    assert [a.verdict for a in rows if a.quantity == "fit"] == ["not-run"]


def test_a_number_that_only_r_can_give_is_judged_by_r() -> None:
    rows = checked(BALTIMORE + 'deviance = "15.737 on 15"\nengines = ["R"]', counterparts=faultless)
    row = printed(rows)["deviance"]
    assert (row.verdict, row.native, row.digits) == ("agrees", None, None)
    rows = checked(BALTIMORE + 'deviance = "15.737 on 15"\nengines = ["R"]')
    assert printed(rows)["deviance"].verdict == "not-run" and exit_code(rows) == 2


def test_certified_values_stand_beside_and_too_few_digits_differ() -> None:
    exact = {"deviance": "15.736810846893166574187", "estimate.Boston": "1.1076977"}
    rows = printed(
        checked(
            BALTIMORE + 'estimate = { Boston = "1.1077" }\ndeviance = "15.737"', certified=lambda fit: exact
        )
    )
    assert rows["estimate.Boston"].verdict == "differs"
    assert "fewer than the required 13" in rows["estimate.Boston"].explanation
    assert rows["deviance"].certified == exact["deviance"]


def test_a_claim_can_be_checked_by_itself() -> None:
    paper = parse_claims(claims_text(FIRTH))
    assert len(Checker(paper).claim(paper.claims[0])) == 29


def test_a_fit_can_be_held_against_r_without_any_paper() -> None:
    fit = Checker(parse_claims(claims_text(FIRTH))).fit("baseball")
    rows = compare_fit(fit, [RCounterpart(GLM, "live", values_of(fit))])
    assert {a.verdict for a in rows} == {"agrees"} and all(a.printed is None for a in rows)


def test_a_statement_without_a_test_says_that_it_is_stated() -> None:
    rows = checked('statement = "S."\nexplanation = "nobody kept the data"\naccept = ["not-checkable"]')
    assert (
        rows[0].verdict == "not-checkable"
        and rows[0].explanation == "stated, not computed: nobody kept the data"
    )
    rows = checked('statement = "S."\nexplanation = "a slip of the pen"\naccept = ["erratum"]')
    assert rows[0].verdict == "differs" and rows[0].accepted and rows[0].explanation.startswith("erratum: ")


def test_wrong_arguments_of_a_statements_test_are_bad_input() -> None:
    with pytest.raises(InputError, match="test 'rare-ties': .*it takes below"):
        checked('data = "baseball"\nstatement = "S."\ntest = "rare-ties"\nargs = { above = "0.1" }')


def test_what_native_gives_up_on_is_not_run_and_ends_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    from pairproof.errors import ConvergenceError
    from pairproof.validation.check import checker as check

    def gives_up(table: object, model: object) -> Fit:
        raise ConvergenceError("stopped after 100 steps")

    monkeypatch.setattr(check, "fit_model", gives_up)
    rows = checked(BALTIMORE + 'deviance = "15.737 on 15"')
    assert {a.verdict for a in rows} == {"not-run"} and len(rows) == 2
    assert "stopped after 100 steps" in rows[0].explanation
    assert exit_code(rows) == 2


def test_missing_values_of_r_are_not_agreement() -> None:
    rows = checked(
        BALTIMORE + 'estimate = { Boston = "1.1077" }',
        counterparts=spoilt(lambda v: {**v, "estimate.Boston": math.nan}),
    )
    row = printed(rows)["estimate.Boston"]
    assert row.verdict == "agrees", "of the page and native"
    assert row.r is None and row.digits is None and row.code == "r-has-no-value"
    assert "not given by R" in row.explanation
