"""A statement's test says what is so, also where the page does not."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pairproof.errors import InputError
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.claims.paper import Claim, ModelClaim, Paper
from pairproof.validation.claims.printed import Printed
from pairproof.validation.statements.general import (
    _inside,
    closed_form,
    counts_that_print,
    counts_with,
    sign_test_p,
    try_pattern,
)
from pairproof.validation.statements.registers import TESTS
from pairproof.validation.verdicts.agreement import Agreement
from tests.validation.fakes import check_paper

DRAS = read_paper("dras-2015")
LLBT = ModelClaim("llbt", "davidson", reference="D")
TWO = ModelClaim("llbt", "davidson", reference="o2")
JUDGES = ModelClaim("llbt", "davidson", by="judge", reference="D")


def judged(test: str, data: str = "table-1", model: ModelClaim | None = LLBT, **args: object) -> Agreement:
    """The agreement of one statement on the data of Dras."""
    claims = (*DRAS.claims, Claim("mine", data=data, model=model, statement="S.", test=test, test_args=args))
    paper = Paper("p", "t", data=DRAS.data, claims=claims)
    from pairproof.validation.check.checker import Checker

    return Checker(paper).claim(claims[-1])[-1]


#: Each with arguments that the page does not have: the statement is then false, an erratum, or misleading.
WRONG = [
    ("ranking-by-first-preferences", {"ranking": ["D", "A", "B", "C"]}, "false"),
    ("ranking-by-worth", {"ranking": ["A", "B", "C", "D"]}, "false"),
    ("disagreeing-pairs", {"judge": "3", "pairs": [["A", "D"]]}, "false"),
    ("disagreeing-pairs", {"judge": "2", "pairs": [["A", "D"]]}, "false"),
    ("sign-and-significance", {"parameter": "tie", "sign": "positive"}, "false"),
    ("sign-and-significance", {"parameter": "tie", "sign": "negative", "significant": False}, "false"),
    ("rare-ties", {"below": "0.01"}, "false"),
    ("chi-square-accepts", {"claims": ["table-1"]}, "misleading"),
    ("deviance-ratio", {"smaller": "table-1-without-ties", "times": "8"}, "false"),
    ("df-is-cells-minus-parameters", {"df": 9}, "false"),
    ("objects-and-parameters", {"objects": 4, "parameters": 9}, "erratum"),
]


@pytest.mark.parametrize(("test", "args", "word"), WRONG)
def test_a_statement_that_does_not_hold_is_called_what_it_is(
    test: str, args: dict[str, object], word: str
) -> None:
    row = judged(test, **args)
    assert row.verdict in ("differs", "differs-conclusion") and not row.passes
    assert row.explanation.startswith(f"{word}: ")


def test_other_interactions_than_the_significant_ones_are_refused() -> None:
    assert (
        judged("only-significant-interactions", model=JUDGES, parameters=["A:judge[3]"]).verdict
        == "differs-conclusion"
    )


def test_a_smaller_model_that_fits_as_well_is_no_improvement() -> None:
    assert judged("improves-the-fit", model=JUDGES, smaller="same-cells-without-subjects").verdict == "agrees"


def test_counts_that_are_not_the_only_ones_are_told_how_many_there_are() -> None:
    row = judged("only-counts-that-print", "modpref", TWO, at_most=150, printed={"o1": "0.28"})
    assert row.verdict == "differs-conclusion" and row.native is not None and row.native > 100


def test_a_sign_test_that_disagrees_with_the_model_is_found() -> None:
    # 9 against 2: the Wald test says p = .05, the exact sign test p = .065.
    from pairproof.validation.claims.paper import DataSpec

    spec = DataSpec("few", "counts", ("first", "second", "wins", "ties", "losses"), (("a", "b", 18, 3, 7),))
    claim = Claim(
        "mine",
        data="few",
        model=ModelClaim("llbt", "davidson", reference="b"),
        statement="S.",
        test="sign-test-agrees",
    )
    (row,) = check_paper(Paper("p", "t", data={"few": spec}, claims=(claim,)))
    assert sign_test_p(18, 7) == pytest.approx(0.0433, abs=1e-4)
    assert row.verdict == "agrees"
    spec = DataSpec("few", "counts", ("first", "second", "wins", "ties", "losses"), (("a", "b", 17, 3, 7),))
    (row,) = check_paper(Paper("p", "t", data={"few": spec}, claims=(claim,)))
    assert row.verdict == "differs-conclusion" and "0.0639" in row.explanation


def test_every_test_says_in_one_line_what_it_tests() -> None:
    for name, test in TESTS.items():
        assert inspect.getdoc(test), name


counts = st.integers(1, 500)


@given(counts, counts, counts)
def test_the_closed_form_is_the_maximum_of_the_saturated_likelihood(a: int, t: int, b: int) -> None:
    c = closed_form(a, t, b)
    weights = np.exp([c.o, c.g, -c.o])
    assert weights / weights.sum() == pytest.approx(np.array([a, t, b]) / (a + t + b), rel=1e-12)


def test_a_zero_count_has_no_closed_form() -> None:
    with pytest.raises(InputError, match="infinite where a count is 0"):
        closed_form(5, 0, 3)


def test_the_search_finds_the_counts_of_the_specification_and_no_other() -> None:
    printed = {"o1": "0.2778", "se_o1": "0.1060", "g1": "-0.6551", "se_g1": "0.2300"}
    assert counts_that_print(printed, 300) == [(61, 24, 35)]
    assert counts_that_print({"g1": "0.303", "p_g1": "0.0432"}, 260) == [(83, 77, 39)]


def test_the_search_is_that_of_every_triple_one_by_one() -> None:
    printed = {"o1": "0.3", "g1": "-0.2"}
    slow = [
        (a, t, b)
        for a in range(1, 16)
        for t in range(1, 16)
        for b in range(1, 16)
        for c in [closed_form(a, t, b)]
        if Printed.parse("0.3").verdict(c.o).verdict == "agrees"
        and Printed.parse("-0.2").verdict(c.g).verdict == "agrees"
    ]
    assert sorted(counts_that_print(printed, 15)) == sorted(slow) != []


@given(st.floats(-2, 2), st.integers(0, 5))
def test_the_many_at_once_agree_with_the_one_by_one(value: float, places: int) -> None:
    printed = Printed.parse(f"{value:.{places}f}")
    for other in (value, value + 0.4 * 10.0**-places, value + 0.7 * 10.0**-places):
        assert bool(_inside(np.array([other]), printed)[0]) == (
            printed.verdict(other).verdict == "agrees"
        ) or math.isclose(abs(other - float(printed.value or 0)), 0.5 * 10.0**-places, rel_tol=1e-9)


def test_lewis_and_steedman_leave_446_counts() -> None:
    assert len(counts_with(87, (83, 77, 39), 0.05)) == 446


def test_a_pattern_nobody_knows_is_refused() -> None:
    with pytest.raises(InputError, match="expected one of equal, ties, no-ties"):
        try_pattern("many", 20)
