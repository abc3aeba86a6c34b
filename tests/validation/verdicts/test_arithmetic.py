"""Checks that need no data: z, p, limits, worths, AIC, df, deviances, and win totals that must be whole."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import pairproof
from pairproof.errors import InputError
from pairproof.fit.estimates.specification import ModelSpec
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import parse_claims, read_paper, shipped_papers
from pairproof.validation.claims.paper import PrintedQuantity
from pairproof.validation.claims.printed import Printed
from pairproof.validation.verdicts.arithmetic import Interval, Printout, check_numbers
from pairproof.validation.verdicts.arithmetic_rows import (
    Games,
    arithmetic_rows,
    check_win_totals,
    expected_totals,
)
from tests.validation.fakes import FIRTH, claims_text

ITEMS = ("A", "B", "C")


def printout(numbers: dict[str, str], **options: object) -> Printout:
    """Printed numbers of a Bradley-Terry model of three items without ties, against C, unless said
    otherwise.
    """
    given: dict[str, object] = {"items": ITEMS, "unit": 1.0, "tie_category": False, **options}
    model = {name: given.pop(name) for name in options if name in ("ties", "reference", "by")}
    spec = ModelSpec("bradley-terry", **{"reference": "C", **model})  # type: ignore[arg-type]  # by name
    printed = {name: Printed.parse(text) for name, text in numbers.items()}
    return Printout(printed, spec=spec, **given)  # type: ignore[arg-type]  # by name


def verdicts(numbers: dict[str, str], **options: object) -> dict[str, str]:
    return {c.quantity: c.verdict for c in check_numbers(printout(numbers, **options))}


RELATIONS = [
    ({"estimate.A": "0.2778", "se.A": "0.1060", "z.A": "2.620"}, "z.A", "2.630", "differs"),
    ({"z.A": "2.620", "p.A": "0.0088"}, "p.A", "0.0089", "differs"),
    ({"estimate.A": "0.2778", "se.A": "0.1060", "p.A": "0.0088"}, "p.A", "0.0878", "differs-conclusion"),
    ({"z.A": "2.620", "p.A": "0.0088"}, "p.A", "0.0044", "explained"),
    ({"z.A": "-28.759", "p.A": "<2e-16"}, "p.A", "<1e-200", "differs"),
    ({"z.A": "2.620", "p.A": "**"}, "p.A", "ns", "differs-conclusion"),
    ({"estimate.A": "0.2778", "se.A": "0.1060", "low.A": "0.070"}, "low.A", "0.080", "differs"),
    ({"estimate.A": "0.2778", "se.A": "0.1060", "high.A": "0.486"}, "high.A", "0.385", "differs"),
    ({"estimate.A": "0.2778", "exp.A": "1.320"}, "exp.A", "1.743", "differs"),
    (
        {"estimate.A": "0.40", "estimate.B": "0.10", "contrast.all.A.B": "0.30"},
        "contrast.all.A.B",
        "0.32",
        "differs",
    ),
    ({"estimate.A": "0.2778", "odds.all.A.C": "1.320"}, "odds.all.A.C", "1.743", "differs"),
    (
        {"se.A": "0.10", "se.B": "0.20", "contrast_se.all.A.B": "0.21"},
        "contrast_se.all.A.B",
        "0.40",
        "differs",
    ),
    (
        {"contrast.all.A.B": "0.30", "contrast_se.all.A.B": "0.21", "contrast_z.all.A.B": "1.43"},
        "contrast_z.all.A.B",
        "1.50",
        "differs",
    ),
    ({"deviance": "30.646", "df_resid": "8", "gof_p": "0.00016"}, "gof_p", "0.016", "differs"),
    ({"null_deviance": "49.699", "deviance": "15.737"}, "deviance", "51.737", "differs"),
    ({"df_null": "21", "df_resid": "19"}, "df_resid", "18", "differs"),
    ({"deviance": "1.2", "df_resid": "1"}, "df_resid", "2", "differs"),
]


@pytest.mark.parametrize(("right", "name", "wrong", "verdict"), RELATIONS)
def test_a_number_that_fits_the_others_agrees_and_one_that_does_not_differs(
    right: dict[str, str], name: str, wrong: str, verdict: str
) -> None:
    assert verdicts(right)[name] == "agrees"
    assert verdicts({**right, name: wrong})[name] == verdict


def test_worths_follow_from_estimates_and_sum_to_one() -> None:
    shares = np.exp([1.0, 0.5, 0.0]) / np.exp([1.0, 0.5, 0.0]).sum()
    numbers = {
        "estimate.A": "1.00",
        "estimate.B": "0.50",
        **{f"worth.all.{i}": f"{w:.2f}" for i, w in zip(ITEMS, shares)},
    }
    assert verdicts(numbers) == {
        "worth.all.A": "agrees",
        "worth.all.B": "agrees",
        "worth.all.C": "agrees",
        "worth.all.sum": "agrees",
    }
    assert verdicts({**numbers, "worth.all.A": "0.60"})["worth.all.A"] == "differs"
    assert (
        verdicts({f"worth.all.{i}": w for i, w in zip(ITEMS, ("0.60", "0.31", "0.20"))})["worth.all.sum"]
        == "differs"
    )


def test_lambda_is_doubled_before_it_is_a_log_worth() -> None:
    """Dras (2015): odds of 1.74 from o1 = 0.2778 come out as exp(2 x 0.2778)."""
    numbers = {"estimate.A": "0.2778", "odds.all.A.C": "1.74"}
    assert verdicts(numbers, unit=2.0)["odds.all.A.C"] == "agrees"
    assert verdicts(numbers, unit=1.0)["odds.all.A.C"] == "differs"


def test_estimates_that_sum_to_zero_must() -> None:
    assert (
        verdicts({"estimate.A": "0.5", "estimate.B": "-0.2", "estimate.C": "-0.3"}, reference="sum")[
            "estimate.sum"
        ]
        == "agrees"
    )
    assert (
        verdicts({"estimate.A": "0.5", "estimate.B": "-0.2", "estimate.C": "0.0"}, reference="sum")[
            "estimate.sum"
        ]
        == "differs"
    )


def test_a_quotient_of_rounded_numbers_is_an_interval() -> None:
    """2.615 lies outside estimate/se taken at face value (2.6208) by more than its last place, 3.0 within the
    rounding of 0.2/0.07.
    """
    assert verdicts({"estimate.A": "0.2", "se.A": "0.07", "z.A": "3.0"})["z.A"] == "agrees"
    assert verdicts({"estimate.A": "0.2000", "se.A": "0.0700", "z.A": "3.0"})["z.A"] == "differs"


def test_numbers_that_were_cut_off_are_told_from_numbers_that_were_rounded() -> None:
    # 0.44698 / 0.10091 = 4.4295, which is printed 4.43, or cut off 4.42.
    assert verdicts({"estimate.A": "0.4469", "se.A": "0.1009", "z.A": "4.42"})["z.A"] == "agrees-truncated"
    assert verdicts({"estimate.A": "0.4470", "se.A": "0.1009", "z.A": "4.43"})["z.A"] == "agrees"


def test_a_number_is_checked_once() -> None:
    rows = check_numbers(
        printout(
            {
                "estimate.A": "0.2778",
                "se.A": "0.1060",
                "z.A": "2.620",
                "p.A": "0.0088",
                "df_null": "3",
                "df_resid": "1",
            }
        )
    )
    assert sorted(r.quantity for r in rows) == ["df_resid", "p.A", "z.A"]


def test_nothing_is_said_where_nothing_follows() -> None:
    assert check_numbers(printout({"estimate.A": "0.2778", "se.A": "0.1060", "aic": "87.3"})) == []
    assert check_numbers(printout({"z.A": "2.620", "worth.all.A": "0.5"}, by="judge")) == []


def test_a_number_that_was_cut_off_stands_for_values_farther_from_zero() -> None:
    number = Printed.parse("-1720")
    assert Interval.of(number) == Interval(-1720.5, -1719.5)
    assert Interval.of(number, "truncated") == Interval(-1721, -1720)
    assert Interval.of(number, "idle-zeros") == Interval(-1725, -1715)


# -- win totals ----------------------------------------------------------------------------------------------

BASEBALL = {
    "Boston": "1.1077",
    "Cleveland": "0.6839",
    "Detroit": "1.4364",
    "Milwaukee": "1.5814",
    "New York": "1.2476",
    "Toronto": "1.2945",
}
TEAMS = ("Baltimore", *BASEBALL)


def abilities(decimals: int, change: dict[str, float] | None = None) -> Printout:
    numbers = {
        f"estimate.{t}": f"{float(v) + (change or {}).get(t, 0.0):.{decimals}f}" for t, v in BASEBALL.items()
    }
    return printout(numbers, items=TEAMS, reference="Baltimore")


def test_seven_printed_abilities_and_thirteen_games_a_pair_give_whole_win_totals() -> None:
    """Firth (2005), section 5: no outcome is used."""
    ends = [abilities(4).interval(f"estimate.{t}") for t in TEAMS]
    low, high = np.array([e.low for e in ends if e]), np.array([e.high for e in ends if e])
    totals = expected_totals(low, high, Games.each_pair(7, 13), items=TEAMS)
    assert [t.nearest for t in totals] == [18, 40, 31, 47, 50, 43, 44]
    assert all(t.holds and t.says_something for t in totals)
    assert max(t.interval.high - t.interval.low for t in totals) < 0.005


def test_one_ability_with_a_wrong_digit_has_no_whole_totals() -> None:
    check = check_win_totals(abilities(4, {"Detroit": 0.05}), Games.each_pair(7, 13))
    assert check is not None and check.verdict == "differs"
    assert "Detroit" in check.sentence


def test_two_printed_digits_still_say_something_and_one_says_nothing() -> None:
    two, one = (check_win_totals(abilities(d), Games.each_pair(7, 13)) for d in (2, 0))
    assert two is not None and two.verdict == "agrees"
    assert one is not None and one.verdict == "not-checkable" and "any value would do" in one.sentence


def test_random_abilities_almost_never_have_whole_totals() -> None:
    rng = np.random.default_rng(7)
    passed = 0
    for _ in range(200):
        moved = {t: float(rng.normal(0, 0.3)) for t in BASEBALL}
        check = check_win_totals(abilities(4, moved), Games.each_pair(7, 13))
        passed += check is not None and check.verdict == "agrees"
    assert passed == 0, f"{passed} of 200 sets of random abilities passed"


def test_half_integers_are_allowed_where_ties_are_half_wins_and_only_there() -> None:
    paper = read_paper("dras-2015")
    data = Checker(paper).data("table-1")
    half = pairproof.fit_bradley_terry(data, ties="half")
    numbers = {f"estimate.{i}": f"{half.params[i]:.6f}" for i in half.items if i != half.spec.reference}
    options = {"items": half.items, "reference": half.spec.reference}
    good = check_win_totals(printout(numbers, ties="half", **options), Games.of(data, "half"))
    assert good is not None and good.verdict == "agrees"
    as_if_dropped = check_win_totals(printout(numbers, ties="drop", **options), Games.of(data, "drop"))
    assert as_if_dropped is not None and as_if_dropped.verdict == "differs"


def test_davidson_s_totals_are_wins_and_half_the_ties_and_the_ties_themselves() -> None:
    data = Checker(read_paper("dras-2015")).data("table-1")
    fit = pairproof.fit_llbt(data)
    numbers = {f"estimate.{n}": f"{v:.5f}" for n, v in fit.params.items()}
    options = {"items": fit.items, "unit": 2.0, "ties": "davidson", "reference": "D", "tie_category": True}
    check = check_win_totals(printout(numbers, **options), Games.of(data, "davidson"))
    assert check is not None and check.verdict == "agrees"
    assert f"ties {data.ties.sum():g}" in check.sentence
    off = check_win_totals(
        printout({**numbers, "estimate.tie": f"{fit.params['tie'] + 0.01:.5f}"}, **options),
        Games.of(data, "davidson"),
    )
    assert off is not None and off.verdict == "differs" and "ties" in off.sentence


def test_home_wins_are_whole_where_an_order_effect_is_fitted() -> None:
    """Turner and Firth (2012), baseball with at.home: 154 home wins come out of the printed numbers."""
    paper = read_paper("turner-firth-2012")
    rows = {
        a.claim: a
        for a in arithmetic_rows(paper, Checker(paper).data)
        if a.quantity == "arithmetic.win_totals"
    }
    assert "first 154" in rows["baseball-home"].explanation


def test_rao_and_kupper_s_model_has_no_such_totals() -> None:
    numbers = {"estimate.A": "0.5", "estimate.B": "0.2", "estimate.tie": "0.3"}
    assert (
        check_win_totals(printout(numbers, ties="rao-kupper", tie_category=True), Games.each_pair(3, 10))
        is None
    )


# -- in `check` ----------------------------------------------------------------------------------------------


def test_every_shipped_paper_s_arithmetic_holds() -> None:
    held = {}
    for name in shipped_papers():
        paper = read_paper(name)
        rows = arithmetic_rows(paper, Checker(paper).data)
        assert [(a.claim, a.quantity, a.explanation) for a in rows if not a.passes] == []
        held[name] = len(rows)
    assert held["firth-2005"] > 20 and held["dras-2015"] > 8


def test_prefmod_s_numbers_on_the_corrected_data_give_away_the_reversed_pair() -> None:
    """cems: the abilities of the 1998 data have whole totals that the 2001 data do not have."""
    paper = read_paper("cems")
    rows = {
        a.claim: a
        for a in arithmetic_rows(paper, Checker(paper).data)
        if a.quantity == "arithmetic.win_totals"
    }
    assert (
        "these data have other totals: Barcelona 708.5, Stockholm 485"
        in rows["prefmods-numbers-on-the-right-data"].explanation
    )


def test_check_shows_level_0_under_names_of_its_own(tmp_path: object) -> None:
    from pathlib import Path

    from pairproof.cli.app import app

    file = Path(str(tmp_path)) / "x.claims.toml"
    file.write_text(claims_text(FIRTH.replace('"3.318"', '"3.381"')))
    out = CliRunner().invoke(app, ["check", str(file), "--r", "none", "--json"])
    rows = [a for a in json.loads(out.stdout)["agreements"] if a["about"] == "arithmetic"]
    assert {a["quantity"]: (a["verdict"], a["code"]) for a in rows if a["verdict"] != "agrees"} == {
        "arithmetic.z.Boston": ("not-checkable", "consequence")
    }, "p fits estimate/se, and z has its finding where it is compared with the data"
    assert len({(a["claim"], a["quantity"]) for a in rows}) == len(rows)


GAMES = """[paper]
id = "p"
title = "A printed table, and no data"
[data.league]
kind = "games"
items = ["Baltimore", "Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto"]
%s
[[claim]]
id = "abilities"
data = "league"
model = { family = "bradley-terry", reference = "Baltimore" }
estimate = { Boston = "1.1077", Cleveland = "0.6839", Detroit = "%s", Milwaukee = "1.5814", "New York" = "1.2476", Toronto = "1.2945" }
se = { Boston = "0.3339" }
z = { Boston = "3.318" }
p = { Boston = "0.000908" }
"""


def checked_without_data(
    tmp_path: object, games: str, detroit: str = "1.4364"
) -> tuple[int, dict[str, str], str]:
    from pathlib import Path

    from pairproof.cli.app import app

    file = Path(str(tmp_path)) / "x.claims.toml"
    file.write_text(GAMES % (games, detroit))
    out = CliRunner().invoke(app, ["check", str(file), "--r", "none", "--json"], standalone_mode=False)
    assert out.exception is None, out.exception
    rows = json.loads(out.stdout)["agreements"]
    return (
        int(out.return_value),
        {a["quantity"]: a["verdict"] for a in rows},
        str({a["quantity"]: a["explanation"] for a in rows}),
    )


def test_a_table_is_checked_without_its_data(tmp_path: object) -> None:
    code, rows, words = checked_without_data(tmp_path, "games = 13")
    assert code == 0
    assert {q: v for q, v in rows.items() if q.startswith("arithmetic.")} == {
        "arithmetic.z.Boston": "agrees",
        "arithmetic.p.Boston": "agrees",
        "arithmetic.win_totals": "agrees",
    }
    assert {v for q, v in rows.items() if not q.startswith("arithmetic.")} == {
        "not-checkable"
    }, "nothing is passed off as recomputed"
    assert "Detroit 47" in words


def test_a_wrong_ability_is_noticed_without_the_data(tmp_path: object) -> None:
    code, rows, words = checked_without_data(tmp_path, "games = 13", "1.4634")
    assert code == 1 and rows["arithmetic.win_totals"] == "differs"


def test_games_can_be_stated_pair_by_pair_or_not_at_all(tmp_path: object) -> None:
    items = TEAMS
    pairs = ", ".join(f'["{a}", "{b}", 13]' for k, a in enumerate(items) for b in items[k + 1 :])
    stated = checked_without_data(tmp_path, f'columns = ["first", "second", "games"]\nrows = [{pairs}]')[1]
    assert stated["arithmetic.win_totals"] == "agrees"
    assert "arithmetic.win_totals" not in checked_without_data(tmp_path, "")[1]


@pytest.mark.parametrize(
    "games",
    [
        "games = -1",
        'games = "13"',
        'file = "x.csv"',
        'columns = ["first", "second"]\nrows = [["Boston", "Detroit"]]',
    ],
)
def test_games_that_are_not_understood_name_their_line(games: str) -> None:
    with pytest.raises(InputError, match="line [45678]: .*games"):
        parse_claims(GAMES % (games, "1.4364"))


def test_one_constant_joins_the_aics_of_one_table() -> None:
    second = FIRTH.replace('id = "baseball"', 'id = "again"').replace("87.324", "88.324")
    paper = parse_claims(claims_text(FIRTH + second))
    rows = {(a.claim, a.quantity): a for a in arithmetic_rows(paper, Checker(paper).data)}
    assert ("baseball", "arithmetic.aic_glm") not in rows
    assert rows["again", "arithmetic.aic_glm"].verdict == "differs"


def test_a_likelihood_ratio_is_the_difference_of_the_deviances() -> None:
    claims = (
        FIRTH
        + """
[[claim]]
id = "home"
data = "baseball"
model = { family = "bradley-terry", reference = "Baltimore" }
deviance = "17.137 on 16"
stat = { "lr.baseball" = "%s", "lr_df.baseball" = "1", "lr_p.baseball" = "%s" }
"""
    )

    def rows(lr: str, p: str) -> dict[str, str]:
        paper = parse_claims(claims_text(claims % (lr, p)))
        return {
            a.quantity: a.verdict for a in arithmetic_rows(paper, Checker(paper).data) if a.claim == "home"
        }

    right, wrong = rows("1.400", "0.237"), rows("2.400", "0.237")
    assert (
        right["arithmetic.lr.baseball"],
        right["arithmetic.lr_df.baseball"],
        right["arithmetic.lr_p.baseball"],
    ) == ("agrees",) * 3
    assert (wrong["arithmetic.lr.baseball"], wrong["arithmetic.lr_p.baseball"]) == ("differs", "differs")


def test_what_is_printed_as_p_of_z_is_checked_by_the_sharper_of_z_and_estimate() -> None:
    numbers = (
        PrintedQuantity("estimate.A", Printed.parse("0.27780"), 1),
        PrintedQuantity("se.A", Printed.parse("0.10600"), 1),
        PrintedQuantity("z.A", Printed.parse("2.6"), 1),
        PrintedQuantity("p.A", Printed.parse("0.0093"), 1),
    )
    p = printout({q.quantity: q.printed.text for q in numbers})
    assert {c.quantity: c.verdict for c in check_numbers(p)}[
        "p.A"
    ] == "differs", "z = 2.6 alone would allow 0.0081 to 0.0107"
