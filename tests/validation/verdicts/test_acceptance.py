"""A row says why it has its verdict in a code, and `accept` in a claims file goes by that code alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pairproof.errors import InputError
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import parse_claims, read_paper, shipped_papers
from pairproof.validation.slips.catalogue import families
from pairproof.validation.verdicts.agreement import (
    AGREEING,
    CODES,
    OLD_WORDINGS,
    ONLY_DIFFERENT,
    R_STOPPED,
    Agreement,
    accepted,
    accepted_code,
)

PAPER = """
[paper]
id = "p"
title = "P"
[data.d]
kind = "counts"
columns = ["first", "second", "wins", "losses"]
rows = [["A", "B", 50, 10], ["A", "C", 40, 20]]
[[claim]]
id = "c"
data = "d"
model = { family = "bradley-terry", reference = "A" }
"""


def rows_of(claim: str) -> dict[str, Agreement]:
    return {a.quantity: a for a in Checker(parse_claims(PAPER + claim)).all() if a.printed is not None}


def row(verdict: str, code: str, explanation: str) -> Agreement:
    return Agreement(
        "p", "c", "deviance", "1", 2.0, None, None, None, None, None, verdict, explanation, code=code
    )


@pytest.mark.parametrize(
    "explanation", ["pair-order: comes out if ...", "worded in another way altogether", ""]
)
def test_what_is_accepted_depends_on_the_code_and_never_on_the_wording(explanation: str) -> None:
    assert accepted(row("explained", "pair-order", explanation), ["pair-order"]).accepted
    assert not accepted(row("explained", "per-judge", explanation), ["pair-order"]).accepted
    assert not accepted(row("explained", "", explanation), ["pair-order"]).accepted


def test_a_joined_code_is_accepted_whole_or_by_all_its_parts_and_not_by_one() -> None:
    both = row("explained", "cells+aic-constant", "")
    for accept in (["cells+aic-constant"], ["aic-constant", "cells"]):
        assert accepted(both, accept).accepted
    assert not accepted(both, ["cells"]).accepted and not accepted(both, []).accepted
    assert not accepted(row("explained", "cells", ""), ["cells+aic-constant"]).accepted


@pytest.mark.parametrize(
    ("old", "code"),
    [
        ("R's own error", "r-error"),
        ("native did not run", "native-not-run"),
        ("the test did not run", "test-not-run"),
        ("merge-insertion did not run", "computation-not-run"),
        ("gnm", "r-not-run"),
        ("lost", "not-returned"),
        ("drift", "drift"),
        ("estimate.A / se.A", "arithmetic"),
        ("from z.A:judge[3], or estimate.A:judge[3] / se.A:judge[3]", "arithmetic"),
        ("estimate.A - 1.96 se.A", "arithmetic"),
        ("the sum of all is 1.2 to 1.3, and must be 1", "arithmetic"),
    ],
)
def test_wordings_of_files_from_before_there_were_codes_are_still_understood(old: str, code: str) -> None:
    assert accepted_code(old) == code and code in CODES
    claim = parse_claims(PAPER + f'deviance = "1.2"\naccept = ["{old}"]').claim("c")
    assert claim.accept == (code,)


@pytest.mark.parametrize(
    "entry",
    [
        "computed 0.4472",
        "the sign is the other",
        "printed as significant at 0.05, computed 0.07",
        "the mark ** does not belong to p = 0.3",
        "other-value",
        "few-digits",
    ],
)
def test_that_numbers_differ_is_no_explanation_to_accept_and_the_message_says_what_to_write(
    entry: str,
) -> None:
    with pytest.raises(InputError, match=r"line 14: claim 'c': accept names .* \[\[claim.reading\]\]"):
        parse_claims(PAPER + f'deviance = "1.2"\naccept = ["{entry}"]', source="my.claims.toml")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("pair-ordr", "did you mean 'pair-order'"),
        ("cells+aic-constnt", "did you mean 'aic-constant'"),
        ("comes out if the columns are read in prefmod's order", 'write the "code" of the row'),
        ("Pair-Order", "did you mean 'pair-order'"),
    ],
)
def test_a_misspelt_code_is_refused_with_the_one_that_was_meant(entry: str, said: str) -> None:
    with pytest.raises(InputError, match="not the code of an explanation") as caught:
        accepted_code(entry)
    assert said in str(caught.value)


def test_the_name_of_a_reading_is_a_code_for_its_claim_whatever_it_looks_like() -> None:
    claim = (
        'deviance = "1"\naccept = ["The columns, read as pair-ordr"]\n[[claim.reading]]\nname = "The columns,'
        ' read as pair-ordr"\nsentence = "s"\ndata = "d"'
    )
    assert parse_claims(PAPER + claim).claim("c").accept == ("The columns, read as pair-ordr",)


def test_every_old_wording_leads_to_a_code_that_exists() -> None:
    assert {code for _, code in OLD_WORDINGS} <= set(CODES)
    assert set(ONLY_DIFFERENT) | set(R_STOPPED) <= set(CODES)


@pytest.mark.parametrize(
    ("claim", "quantity", "code"),
    [
        ('estimate = { B = "1.6094" }', "estimate.B", "other-sign"),
        ('estimate = { B = "-1.7" }', "estimate.B", "other-value"),
        ('estimate = { B = "-0.69314" }', "estimate.B", "other-value"),
        ('estimate = { C = "-0.69314" }', "estimate.C", "truncated"),
        ('p = { B = "0.8" }', "p.B", "other-significance"),
        ('p = { B = "3.4e-06 *" }', "p.B", "significance-mark"),
        ('deviance = "1e-15 on 0"', "deviance", "rounding-error"),
        ('estimate = { B = "-1.6094" }', "estimate.B", ""),
        (
            'estimate = { B = "-1.6094" }\nse = { B = "0.3464" }\nz = { B = "-4.5" }',
            "arithmetic.z.B",
            "arithmetic",
        ),
        (
            'estimate = { B = "-1.6094" }\nse = { B = "0.3464" }\np = { B = "1.69e-06" }',
            "arithmetic.p.B",
            "one-sided-p",
        ),
    ],
)
def test_each_kind_of_finding_about_a_print_has_a_code_of_its_own(
    claim: str, quantity: str, code: str
) -> None:
    from pairproof.validation.verdicts.arithmetic_rows import arithmetic_rows

    paper = parse_claims(PAPER + claim)
    checker = Checker(paper)
    rows = {a.quantity: a for a in [*checker.all(), *arithmetic_rows(paper, checker.data)]}
    assert rows[quantity].code == code, rows[quantity]
    assert rows[quantity].to_dict()["code"] == code


def test_the_codes_that_the_shipped_files_accept_are_codes_slips_or_their_own_readings() -> None:
    accepting = 0
    for name in shipped_papers():
        for claim in read_paper(name).claims:
            known = {*CODES, *families(), "not-checkable", *(r.name for r in claim.readings)}
            assert set(claim.accept) <= known, (name, claim.id)
            accepting += len(claim.accept)
    assert accepting > 20


def test_a_row_that_does_not_plainly_agree_has_a_code_in_every_shipped_paper_that_needs_no_data() -> None:
    seen = 0
    for name in shipped_papers():
        paper = read_paper(name)
        models = tuple(c for c in paper.claims if not c.compute and not c.test)
        for a in Checker(replace(paper, claims=models)).all():
            assert a.code or a.verdict in AGREEING, a
            seen += bool(a.code)
    assert seen > 5


def test_an_explanation_accepted_under_check_is_accepted_under_explain_and_the_other_way_round(
    tmp_path: Path,
) -> None:
    from pairproof.validation.check.explain import explain

    text = """
[paper]
id = "p"
title = "P"
[data.d]
kind = "counts"
columns = ["first", "second", "wins", "losses"]
rows = [["A", "B", 5, 3], ["B", "A", 4, 2], ["A", "C", 4, 2], ["C", "A", 6, 3], ["B", "C", 5, 4], ["C", "B", 3, 2]]
[[claim]]
id = "c"
data = "d"
model = { family = "bradley-terry", reference = "A" }
"""
    from pairproof.validation.verdicts.definitions import definitions

    fit = Checker(parse_claims(text + 'deviance = "1"')).fit("c")
    both = next(d for d in definitions(fit) if d.name == "cells+aic-constant")
    printed = (
        f'deviance = "{both.values["deviance"]:.6f} on {both.values["df_resid"]:.0f}"\n'
        f'aic = "{both.values["aic"]:.6f}"\n'
    )
    for accept in ('["cells+aic-constant"]', '["cells", "aic-constant"]'):
        paper = parse_claims(text + printed + f"accept = {accept}")
        checked = [a for a in Checker(paper).all() if a.printed and a.verdict != "agrees"]
        assert {(a.verdict, a.code) for a in checked} == {("agrees-other-definition", "cells+aic-constant")}
        assert explain(paper).exit_code == 0 and all(
            a.passes for a in checked
        ), "accepted before it was green"
