"""Pages that are right by another program's definition are told so by its name; what no definition gives
still differs.
"""

from __future__ import annotations

import pytest

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.validation.check.claims_file import parse_claims
from pairproof.validation.check.draft import draft
from pairproof.validation.check.explain import explain
from pairproof.validation.claims.paper import ModelClaim
from pairproof.validation.verdicts.agreement import Agreement
from pairproof.validation.verdicts.definitions import definitions, fewest_digits, significant_digits
from tests.certified.load import load
from tests.native.comparisons.counts.certified_cases import native, table
from tests.validation.fakes import check_paper

BALTIMORE = ModelClaim("bradley-terry", reference="Baltimore")


def page(
    *printed: str, data: str = "baseball-1987--bradley-terry-none", model: ModelClaim = BALTIMORE
) -> str:
    """What a user has who runs `claims new` on the table and fills these lines in."""
    text = draft(table(load(data, as_text=True)), model, "page").claims
    return (
        text.replace('compare_only = "no printed number is filled in yet"\n', "") + "\n".join(printed) + "\n"
    )


def verdicts(*printed: str, **more) -> dict[str, Agreement]:
    return {a.quantity: a for a in check_paper(parse_claims(page(*printed, **more))) if a.printed}


def of(rows: dict[str, Agreement]) -> dict[str, tuple[str, str]]:
    return {q: (a.verdict, a.code if a.verdict == "agrees-other-definition" else "") for q, a in rows.items()}


# Turner and Firth (2012), 42 rows; Firth (2005), 21 pairs: the same data and the same fit.
@pytest.mark.parametrize(
    ("printed", "name"),
    [
        (('deviance = "44.053 on 36"',), "cells"),
        (('deviance = "44.053 on 36"', 'null_deviance = "78.015 on 42"'), "cells"),
        (('deviance = "44.053 on 36"', 'aic = "140.52"'), "cells+aic-constant"),
        (('aic = "87.324"',), "aic-constant"),
        (('deviance = "15.737 on 15"', 'aic = "87.324"'), "aic-constant"),
        (('deviance = "344.50 on 267"',), "deviance-is-log-likelihood"),
        (('deviance = "15.737 on 15"', 'aic = "222.05"'), "aic-constant"),
        (('aic = "140.52"',), "cells+aic-constant"),
    ],
)
def test_a_page_that_is_right_by_a_definition_of_r_s_is_told_which(
    printed: tuple[str, ...], name: str
) -> None:
    found = of(verdicts(*printed))
    assert {v for v in found.values() if v[0] != "agrees"} == {("agrees-other-definition", name)}, found


def test_the_definition_can_be_accepted_by_its_name() -> None:
    rows = verdicts('deviance = "44.053 on 36"', 'aic = "140.52"', 'accept = ["cells+aic-constant"]')
    assert all(a.passes for a in rows.values()), "a file from before a definition was green still passes"


@pytest.mark.parametrize(
    "printed",
    [
        ('deviance = "44.073 on 36"',),
        ('deviance = "44.053 on 35"',),
        ('deviance = "15.737 on 36"',),
        ('aic = "140.92"',),
        ('deviance = "44.053 on 36"', 'aic = "87.324"', 'null_deviance = "78.115 on 42"'),
        ('deviance = "15.937 on 15"', 'aic = "356.50"'),
    ],
)
def test_numbers_that_are_of_no_one_program_s_output_differ(printed: tuple[str, ...]) -> None:
    assert "agrees-other-definition" not in {v for v, _ in of(verdicts(*printed)).values()}
    assert "differs" in {v for v, _ in of(verdicts(*printed)).values()}


def test_a_number_of_two_digits_is_no_evidence_for_a_definition() -> None:
    row = verdicts('deviance = "44."')["deviance"]
    assert row.verdict == "differs" and "so few digits are no evidence" in row.explanation
    # Nine definitions: a chance of 1e-3 takes four digits.
    assert (
        fewest_digits(9) == 4 and significant_digits("0.0190 on 3") == 3 and significant_digits("< .001") == 0
    )


def test_deviances_of_judges_of_single_comparisons_and_of_gnm_are_known_for_a_table_with_ties() -> None:
    llbt = {"data": "dras-table1--llbt-davidson", "model": ModelClaim("llbt")}
    # conventions: pooled 30.455 on 8 df; the same model on the judge x pair table 280.913 on 44; gnm's logLik
    # -59.60, its k = 10.
    assert of(verdicts('deviance = "280.913 on 44"', **llbt))["deviance"] == (
        "agrees-other-definition",
        "cells",
    )
    assert of(verdicts('deviance = "951.545"', **llbt))["deviance"] == (
        "agrees-other-definition",
        "deviance-is-log-likelihood",
    )
    assert of(verdicts('deviance = "30.455 on 8"', 'aic = "139.198"', **llbt)) == {
        "deviance": ("agrees", ""),
        "df_resid": ("agrees", ""),
        "aic": ("agrees-other-definition", "aic-constant"),
    }


def test_every_definition_of_the_deviance_is_that_of_a_native_fit_on_those_cells() -> None:
    by_row: Fit = native(load("baseball-1987--bradley-terry-none-cells-row"))
    found = next(
        d for d in definitions(native(load("baseball-1987--bradley-terry-none"))) if d.name == "cells"
    )
    assert found.values["deviance"] == pytest.approx(
        by_row.deviance, abs=1e-11
    )  # sums of 42 terms in two orders; observed 1.4e-13
    assert (found.values["df_resid"], found.values["df_null"]) == (by_row.df_resid, by_row.df_null)
    assert found.values["null_deviance"] == pytest.approx(
        by_row.null_deviance, abs=1e-11
    )  # as above; observed 1.4e-13


def test_r_s_aic_of_a_separated_fit_counts_the_infinite_estimate_as_glm_does() -> None:
    judge = Factor([0, 0, 0, 1, 1, 1], ("x", "y"))
    data = Comparisons.build(
        "ABC",
        [0, 0, 1] * 2,
        [1, 2, 2] * 2,
        [5, 6, 4, 10, 9, 3],
        None,
        [3, 4, 4, 0, 0, 6],
        columns={"judge": judge},
    )
    fit = fit_bradley_terry(data, by="judge")
    assert fit.n_infinite == 1
    found = next(d for d in definitions(fit) if "binomial" in d.sentence)
    # AIC(glm(cbind(wins, losses) ~ 0 + o1 + o2 + o1:judge + o2:judge, binomial)), printed to 12 digits;
    # observed 3e-10.
    assert found.values["aic"] == pytest.approx(18.4969725066, abs=1e-8)


# -- claims new ----------------------------------------------------------------------------------------------


def turned(data: Comparisons) -> Comparisons:
    """Every second row from the other side."""
    back = [k % 2 == 1 for k in range(data.n_rows)]
    first, second = zip(*((j, i) if b else (i, j) for i, j, b in zip(data.first, data.second, back)))
    won, lost = zip(*((l, w) if b else (w, l) for w, l, b in zip(data.wins, data.losses, back)))
    return Comparisons.build(data.items, first, second, won, None, lost)


def test_rows_turned_or_added_up_are_the_same_claim() -> None:
    data = table(load("baseball-1987--bradley-terry-none", as_text=True))
    numbers = (
        'deviance = "15.737 on 15"',
        'null_deviance = "49.699 on 21"',
        'estimate = { Boston = "1.1077" }',
    )
    pooled = data.pooled()
    added = Comparisons.build(
        data.items,
        *zip(*((data.items.index(a), data.items.index(b)) for a, b in pooled)),
        [w for w, _, _ in pooled.values()],
        None,
        [l for _, _, l in pooled.values()],
    )
    for made in (data, turned(data), added):
        text = draft(made, BALTIMORE, "page").claims.replace(
            'compare_only = "no printed number is filled in yet"\n', ""
        )
        rows = [a for a in check_paper(parse_claims(text + "\n".join(numbers))) if a.printed]
        assert {a.verdict for a in rows} == {"agrees"} and len(rows) == 5


def test_claims_new_keeps_the_rows_and_their_sides() -> None:
    data = turned(table(load("baseball-1987--bradley-terry-none", as_text=True)))
    rows = parse_claims(draft(data, BALTIMORE, "page").claims).data["table"].rows
    assert len(rows) == 42
    assert [(r[0], r[1]) for r in rows] == [
        (data.items[i], data.items[j]) for i, j in zip(data.first, data.second)
    ]


# -- signs ----------------------------------------------------------------------------------------


def near_zero() -> Comparisons:
    """x and y all but equal: x - y is 0.001."""
    return Comparisons.build(
        ["x", "y", "z"], [0, 0, 1], [1, 2, 2], [2001, 1500, 1500], None, [1999, 500, 500]
    )


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        ("-0.001", "differs"),
        ("-0.01", "differs"),
        ("-0.05", "differs"),
        ("-0.07", "differs-conclusion"),
        ("-0.100", "differs-conclusion"),
    ],
)
def test_a_sign_is_no_conclusion_where_the_interval_holds_zero(printed: str, verdict: str) -> None:
    text = draft(near_zero(), ModelClaim("bradley-terry", reference="y"), "page").claims
    text = (
        text.replace('compare_only = "no printed number is filled in yet"\n', "")
        + f'estimate = {{ x = "{printed}" }}\n'
    )
    row = next(a for a in check_paper(parse_claims(text)) if a.printed)
    assert 0 < (row.native or 0.0) < 0.01 and row.verdict == verdict
    assert ("but both values are within" in row.explanation) == (verdict == "differs")


# -- explanations by an algorithm that stopped ---------------------------------------------------------------


@pytest.mark.parametrize("deviance", ["15.8", "16.1", "15.74", "15.92", "16.443", "17.02"])
def test_a_lone_deviance_that_was_changed_is_explained_by_no_algorithm_that_stopped(deviance: str) -> None:
    found = explain(parse_claims(page(f'deviance = "{deviance}"'))).found[0]
    assert found.plain or not found.clear
    assert not any("stopped-early" in e.names for e in found.explanations)


def test_what_chance_alone_would_give_is_told_and_explains_nothing() -> None:
    told = explain(parse_claims(page('deviance = "44."')))
    (row,) = told.agreements
    assert row.verdict == "differs" and "no evidence" in row.explanation
