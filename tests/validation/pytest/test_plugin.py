"""The pytest plugin in pytest runs of its own: what it collects, fails, counts and writes."""

from __future__ import annotations

import doctest
import json
import math
import re
import subprocess
import sys
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.errors import InputError
from pairproof.validation import agree
from pairproof.validation.pytest.snapshots import RULES, changes, checked, numbers_of, read
from tests.validation.fakes import FIRTH, claims_text

pytest_plugins = ["pytester"]
#: The plugin by its module, and not a second time by its entry point; the outer run may have loaded it
#: already.
PLUGIN = (
    "-p",
    "no:pairproof",
    "-p",
    "pairproof.validation.pytest.plugin",
    "-p",
    "no:cacheprovider",
    "-q",
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",
)
ROWS = {"first": ["A", "A", "B"], "second": ["B", "C", "C"], "wins": [5, 6, 4], "losses": [3, 1, 4]}
FIT = f"import pairproof\nfit = pairproof.fit_bradley_terry(pairproof.read({ROWS}))\n"
OTHER = FIT.replace("[5, 6, 4]", "[5, 6, 5]")


@pytest.fixture(scope="module", autouse=True)
def everything_is_loaded() -> None:
    """An inner run forgets the modules it loads; scipy does not bear being loaded twice."""
    import scipy.sparse.csgraph
    import scipy.special  # noqa: F401

    from pairproof.validation.pytest.plugin import ClaimsFile  # noqa: F401

    agree(fits()[0], fits()[1])
    pairproof.verify(fits()[0], r="recorded")


@pytest.fixture(autouse=True)
def no_compiled_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module rewritten within the second would be taken from its compiled form."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*PLUGIN, *options)


def last_line(result: pytest.RunResult) -> str:
    return re.sub(r" in [\d.]+s.*", "", [line for line in result.outlines if line.strip()][-1])


def claims_file(pytester: pytest.Pytester, text: str) -> None:
    (pytester.path / "mine.claims.toml").write_text(text, encoding="utf-8")


# -- claims files --------------------------------------------------------------------------------------------


def test_each_claim_is_one_test_against_the_page_and_one_against_r(pytester: pytest.Pytester) -> None:
    claims_file(pytester, claims_text(FIRTH))
    listed = run(pytester, "--collect-only")
    listed.stdout.fnmatch_lines(["mine.claims.toml::baseball?printed?", "mine.claims.toml::baseball?R?"])
    result = run(pytester, "--pairproof-r", "none")
    assert last_line(result) == "1 passed, 1 not run"
    result.stdout.fnmatch_lines(
        ["*pairproof: 1 not run*", "*1  R was not asked  (mine.claims.toml::baseball?R?)"]
    )
    assert result.ret == 0


def test_a_number_that_does_not_come_out_fails_with_its_table(pytester: pytest.Pytester) -> None:
    claims_file(pytester, claims_text(FIRTH.replace('"15.737 on 15"', '"15.747 on 15"')))
    result = run(pytester, "--pairproof-r", "none")
    assert last_line(result) == "1 failed, 1 not run" and result.ret == 1
    result.stdout.fnmatch_lines(["*deviance*15.747 on 15*15.7365*differs*"])


def test_a_malformed_claims_file_is_an_error_with_its_line(pytester: pytest.Pytester) -> None:
    claims_file(pytester, claims_text(FIRTH.replace('"15.737 on 15"', "15.737")))
    result = run(pytester)
    result.stdout.fnmatch_lines(["*mine.claims.toml, line *unquoted 15.737 loses part of the print*"])
    assert "Traceback" not in result.stdout.str() and result.ret == 2


def test_required_r_that_does_not_answer_fails(pytester: pytest.Pytester) -> None:
    claims_file(pytester, claims_text(FIRTH))
    result = run(pytester, "--pairproof-r", "none", "--require-r")
    assert last_line(result) == "1 failed, 1 passed"
    result.stdout.fnmatch_lines(["*--require-r: R was not asked*"])


def test_a_claim_whose_r_answers_are_recorded_passes_without_r(pytester: pytest.Pytester, root: Path) -> None:
    paper = (
        root / "pairproof" / "validation" / "papers" / "turner_firth_2012" / "turner-firth-2012.claims.toml"
    )
    (pytester.path / paper.name).write_bytes(paper.read_bytes())
    result = run(pytester, "--pairproof-r", "recorded", "-n", "2")
    assert last_line(result) == "15 passed", result.stdout.str()


def test_claims_on_data_that_are_not_here_are_not_run(pytester: pytest.Pytester) -> None:
    block = f'[data.far]\nkind = "file"\nfile = "far.csv"\nin_place = true\nsha256 = "{"0" * 64}"'
    claims_file(pytester, claims_text(FIRTH.replace('data = "baseball"', 'data = "far"'), block))
    result = run(pytester, "--pairproof-r", "none")
    assert last_line(result) == "2 not run"
    result.stdout.fnmatch_lines(["*2  native did not run: data not here: far.csv may not be distributed*"])


def test_a_star_without_a_number_is_not_taken_for_a_file(pytester: pytest.Pytester) -> None:
    (pytester.path / "claims.toml").write_text("", encoding="utf-8")
    assert run(pytester).ret == pytest.ExitCode.NO_TESTS_COLLECTED


# -- records -------------------------------------------------------------------------------------------------

RECORD = Path("recorded") / "test_record_of" / "test_a.json"


def test_module(pytester: pytest.Pytester, fit: str, call: str = "recorded(fit)") -> None:
    (pytester.path / "test_record_of.py").write_text(
        f"{fit}\ndef test_a(recorded):\n    {call}\n", encoding="utf-8"
    )


test_module.__test__ = False  # type: ignore[attr-defined]  # it writes a module of tests and is none


def test_without_a_record_the_test_fails_and_says_how_to_make_one(pytester: pytest.Pytester) -> None:
    test_module(pytester, FIT)
    result = run(pytester)
    result.stdout.fnmatch_lines(
        ["*AssertionError: no record *test_a.json; create it with pytest --pairproof-update*"]
    )
    assert not (pytester.path / RECORD).exists()


def test_a_record_is_made_then_holds_and_is_then_broken_by_other_data(pytester: pytest.Pytester) -> None:
    test_module(pytester, FIT)
    made = run(pytester, "--pairproof-update")
    made.stdout.fnmatch_lines(["*pairproof: records written*", "*test_a.json", "*new record, 24 numbers"])
    assert last_line(run(pytester)) == "1 passed"
    test_module(pytester, OTHER)
    broken = run(pytester)
    assert last_line(broken) == "1 failed"
    broken.stdout.fnmatch_lines(
        [
            "*estimate.C: recorded -1.1883*, found -1.* digits in common, 9 required)",
            "*of 24 numbers of Bradley-Terry differ from the record *test_a.json",
            "*n digits in common: found and recorded differ by at most 10^-n of the recorded number*",
        ]
    )


def test_an_update_shows_what_changed(pytester: pytest.Pytester) -> None:
    test_module(pytester, FIT)
    run(pytester, "--pairproof-update")
    before = (pytester.path / RECORD).read_text(encoding="utf-8")
    assert "records written" not in run(pytester, "--pairproof-update").stdout.str()
    test_module(pytester, OTHER)
    result = run(pytester, "--pairproof-update")
    result.stdout.fnmatch_lines(
        ["*estimate.B: recorded -0.86816454117*, found * digits in common, 9 required)"]
    )
    assert (pytester.path / RECORD).read_text(encoding="utf-8") != before and last_line(
        run(pytester)
    ) == "1 passed"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda n: n.pop("estimate.B"), "estimate.B: found -0.86816454117"),
        (lambda n: n.update({"estimate.D": 0.5}), "estimate.D: recorded 0.5, no longer found"),
        (lambda n: n.update({"estimate.B": None}), "estimate.B: recorded null, found -0.86816454117"),
    ],
)
def test_a_quantity_that_is_lost_or_new_fails(pytester: pytest.Pytester, change, line: str) -> None:
    test_module(pytester, FIT)
    run(pytester, "--pairproof-update")
    content = json.loads((pytester.path / RECORD).read_text(encoding="utf-8"))
    change(content["numbers"])
    (pytester.path / RECORD).write_text(json.dumps(content), encoding="utf-8")
    result = run(pytester)
    assert last_line(result) == "1 failed" and line in result.stdout.str()


def test_rules_are_by_quantity_then_by_kind() -> None:
    fit = pairproof.fit_bradley_terry(pairproof.read(ROWS))
    other = pairproof.fit_bradley_terry(pairproof.read({**ROWS, "wins": [5, 6, 5]}))
    before, now = numbers_of(fit), numbers_of(other)
    assert {c.quantity for c in changes(before, now, other, {"estimate.B": 0})} >= {"estimate.C", "se.B"}
    assert "estimate.B" not in {c.quantity for c in changes(before, now, other, {"estimate.B": 0})}
    assert [
        (c.quantity, c.asked) for c in changes(before, now, other, {**dict.fromkeys(RULES, 0.0), "llf": 3})
    ] == [("llf", 3)]
    assert "aic" not in numbers_of(fit, {"aic": None})


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"estimtae": 3}, "no quantity 'estimtae'"),
        ({"se": 17}, "expected digits from 0 to 16"),
        ({"se": "six"}, "se = 'six'; expected digits from 0 to 16"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules, message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked(rules)


def test_one_small_change_among_many_large_numbers_is_seen() -> None:
    """A halved effect hides from a mean relative difference among large numbers; here it is a line of its
    own.
    """
    fit = pairproof.fit_bradley_terry(pairproof.read(ROWS))
    now = numbers_of(fit)
    before = {**now, "se.B": 2 * now["se.B"]}
    assert [c.quantity for c in changes(before, now, fit)] == ["se.B"]


def test_records_nobody_asks_for_are_listed(pytester: pytest.Pytester) -> None:
    test_module(pytester, FIT)
    run(pytester, "--pairproof-update")
    (pytester.path / "test_record_of.py").write_text("def test_b():\n    pass\n", encoding="utf-8")
    for options in ((), ("-n", "2")):
        result = run(pytester, *options)
        result.stdout.fnmatch_lines(
            ["*pairproof: 1 unused record*", "*test_a.json  (test 'test_a' no longer exists; *"]
        )
    test_module(pytester, FIT, "pass")
    run(pytester).stdout.fnmatch_lines(["*test_a passed without it*"])


def test_nothing_is_called_unused_where_only_some_tests_ran(pytester: pytest.Pytester) -> None:
    test_module(pytester, FIT)
    run(pytester, "--pairproof-update")
    with open(pytester.path / "test_record_of.py", "a", encoding="utf-8") as module:
        module.write("\ndef test_b():\n    pass\n")
    for options in (("-k", "test_b"), ("test_record_of.py::test_b",), ("-n", "2", "-k", "test_b")):
        result = run(pytester, *options)
        assert "unused" not in result.stdout.str() and last_line(result).startswith("1 passed")


@pytest.mark.nightly
def test_records_under_xdist_are_written_and_shown_once(pytester: pytest.Pytester) -> None:
    (pytester.path / "test_record_of.py").write_text(
        (
            f"{FIT}\nimport pytest\n@pytest.mark.parametrize('k', range(4))\ndef test_a(recorded, k):\n   "
            " recorded(fit, name=f'no-{k}')\n"
        ),
        encoding="utf-8",
    )
    result = run(pytester, "-n", "2", "--pairproof-update")
    assert result.stdout.str().count("new record, 24 numbers") == 4
    files = sorted((pytester.path / "recorded" / "test_record_of").glob("*.json"))
    assert [f.name for f in files] == [f"test_a-{k}-.no-{k}.json" for k in range(4)]
    assert {read(f).test for f in files} == {f"test_a[{k}]" for k in range(4)}
    assert last_line(run(pytester, "-n", "2", "-p", "no:randomly")) == "4 passed"


def test_a_spoilt_record_is_named_with_the_way_out(pytester: pytest.Pytester) -> None:
    test_module(pytester, FIT)
    run(pytester, "--pairproof-update")
    (pytester.path / RECORD).write_text("{}", encoding="utf-8")
    run(pytester).stdout.fnmatch_lines(
        ["*not a record (*delete it and write it again with --pairproof-update*"]
    )


# -- records of other numbers --------------------------------------------------------------------------------

#: A value whose numbers and texts have a key each, and the keys with what they hold.
OWN: dict[str, tuple[Any, dict[str, Any]]] = {
    "a number": (0.5, {"value": 0.5}),
    "nested dicts": ({"mean": {"north": 1, "south": 0.25}, "best": "north"},
                     {"mean.north": 1.0, "mean.south": 0.25, "best": "north"}),
    "a list": ([1, "two", (3.0,)], {"[0]": 1.0, "[1]": "two", "[2][0]": 3.0}),
    "an array": ({"m": np.array([[1, 2], [3, 4]], np.float32)},
                 {"m[0][0]": 1.0, "m[0][1]": 2.0, "m[1][0]": 3.0, "m[1][1]": 4.0}),
    "scalars of numpy": ({"x": np.int64(3), "y": np.bool_(True), "s": np.str_("a")}, {"x": 3.0, "y": 1.0, "s": "a"}),
    "a Series": (pd.Series([0.1, 0.2], ["north", "south"]), {"[north]": 0.1, "[south]": 0.2}),
    "a data frame": ({"of": pd.DataFrame({"score": [0.1, 0.2], "who": ["a", "b"]}, ["north", "south"])},
                     {"of.score[north]": 0.1, "of.score[south]": 0.2, "of.who[north]": "a", "of.who[south]": "b"}),
}  # fmt: skip


@pytest.mark.parametrize("what", OWN)
def test_every_number_and_text_inside_a_value_has_a_key(what: str) -> None:
    value, keys = OWN[what]
    assert numbers_of(value) == keys and not changes(keys, numbers_of(value), value)


def test_a_number_that_is_no_fits_fails_by_its_key_with_what_is_wanted(pytester: pytest.Pytester) -> None:
    value = "import pandas as pd\nvalue = {'score': pd.Series({'north': 0.7273, 'south': 0.685}), 'best': 'north'}\n"
    test_module(pytester, value, "recorded(value, digits=6)")
    run(pytester, "--pairproof-update").stdout.fnmatch_lines(["*new record, 3 numbers"])
    record = json.loads((pytester.path / RECORD).read_text(encoding="utf-8"))
    assert record["numbers"] == {"score[north]": 0.7273, "score[south]": 0.685, "best": "north"}
    assert record["digits"].startswith("n digits in common: found and recorded differ by at most 10^-n")
    test_module(pytester, value.replace("0.7273", "0.7273004"), "recorded(value, digits=6)")
    assert last_line(run(pytester)) == "1 passed"
    test_module(
        pytester,
        value.replace("0.7273", "0.727301").replace("'north'}", "'south'}"),
        "recorded(value, digits=6)",
    )
    result = run(pytester)
    result.stdout.fnmatch_lines([
        "E *best: recorded 'north', found 'south' (texts must be equal)",
        "E *score[[]north[]]: recorded 0.7273, found 0.727301 (5.8 digits in common, 6 required)",
        "E *2 of 3 numbers differ from the record *test_a.json",
        "E *n digits in common: found and recorded differ by at most 10^-n of the recorded number*",
        "E *If the change is intended, update the record: pytest --pairproof-update",
        "FAILED test_record_of.py::test_a - AssertionError: best: recorded 'north'*",
    ])  # fmt: skip


def test_rules_go_before_digits_and_name_a_number_or_what_it_is_in() -> None:
    before = {"a.b[0]": 1.0, "a.b[1]": 1.0, "c": 1.0, "p": 1.0}
    now = dict.fromkeys(before, 1.00002)  # 4.7 digits in common
    assert [c.quantity for c in changes(before, now, {}, {"a.b": 4, "a.b[1]": 5}, 3)] == ["a.b[1]"]
    assert [c.quantity for c in changes(before, now, {}, {"a": 4, "c": 2}, 9)] == ["p"]
    assert numbers_of({"a": {"b": 1, "c": 2}, "d": 3}, {"a.b": None}) == {"a.c": 2.0, "d": 3.0}


def test_changes_of_a_fit_lead_with_estimates_and_end_with_p_values_however_few_their_digits() -> None:
    fit = pairproof.fit_bradley_terry(pairproof.read(ROWS))
    now = numbers_of(fit)
    before = {name: value if value is None else value * 1.001 for name, value in now.items()}
    before |= {name: 1e-28 for name in now if name.startswith("p.")}
    kinds = [change.quantity.partition(".")[0] for change in changes(before, now, fit)]
    assert kinds[:3] == ["estimate", "estimate", "se"] and kinds.index("p") == len(kinds) - kinds.count("p")


def test_digits_of_a_fit_take_the_place_of_the_defaults() -> None:
    fit = pairproof.fit_bradley_terry(pairproof.read(ROWS))
    now = numbers_of(fit)
    before = {**now, "estimate.B": now["estimate.B"] * (1 + 1e-7), "df_resid": now["df_resid"] + 1}
    assert [c.quantity for c in changes(before, now, fit)] == ["estimate.B", "df_resid"]
    assert [c.quantity for c in changes(before, now, fit, None, 6)] == ["df_resid"]


@pytest.mark.parametrize(
    ("value", "message"),
    [({"a": {"b": math.inf}}, r"a\.b is inf, of type float; expected a fit, a leaderboard, or finite numbers and texts"),
     ({"a": []}, "it is empty"), ({1, 2}, "found {1, 2}, of type set"), ({"a": 10**400}, "a is an integer of about"),
     (pd.Series([1, 2], ["x", "x"]), r"two values have the key '\[x\]'"), ({"a.b": 1, "a": {"b": 2}}, "the key 'a.b'"),
     ({}, "it is empty")],
)  # fmt: skip
def test_what_cannot_be_recorded_is_named(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        numbers_of(value)


def test_what_is_not_known_is_recorded_as_null_and_must_stay_unknown(pytester: pytest.Pytester) -> None:
    frame = pairproof.fit_bradley_terry(pairproof.read(ROWS)).to_frame()
    now = numbers_of(frame)
    assert now["se[A]"] is None and now["estimate[B]"] == frame["estimate"]["B"]
    assert numbers_of({"a": math.nan}) == {"a": None} and numbers_of(None) == {"value": None}
    assert [str(c) for c in changes({"a": 1.0}, {"a": None}, {})][0].startswith("a: recorded 1.0, found null")
    assert numbers_of({"a": None, "b": math.nan, "c": 1}) == {"a": None, "b": None, "c": 1.0}
    assert not changes(now, now, frame)
    assert [str(c) for c in changes({"a": None}, {"a": 0.5}, {})] == [
        "a: recorded null, found 0.5 (0.0 digits in common, 9 required)"
    ]
    test_module(pytester, FIT, "recorded(fit.to_frame())")
    run(pytester, "--pairproof-update")
    assert json.loads((pytester.path / RECORD).read_text(encoding="utf-8"))["numbers"]["se[A]"] is None
    assert last_line(run(pytester)) == "1 passed"


def test_a_leaderboard_and_its_table_are_recorded(pytester: pytest.Pytester) -> None:
    votes = {
        "model_a": list("xyzxyz") * 9,
        "model_b": list("yzx") * 18,
        "winner": ["model_a", "model_b", "tie"] * 18,
    }
    board = pairproof.leaderboard(pd.DataFrame(votes))
    now = numbers_of(board)
    assert now["rating[x]"] == next(row.rating for row in board.rows if row.model == "x")
    assert now["both_bad[x]"] is None and now["status[x]"] in ("provisional", "settled")
    assert numbers_of(board.to_frame())["rating[0]"] == board.rows[0].rating
    test_module(pytester, f"import pairproof\nboard = pairproof.leaderboard({votes})\n", "recorded(board)")
    run(pytester, "--pairproof-update")
    assert last_line(run(pytester)) == "1 passed"


def test_a_second_record_of_a_test_needs_a_name(pytester: pytest.Pytester) -> None:
    test_module(pytester, "", "recorded({'a': 1}); recorded({'a': 2})")
    for options in (("--pairproof-update",), ()):
        result = run(pytester, *options)
        assert last_line(result) == "1 failed"
        result.stdout.fnmatch_lines([
            "*InputError: recorded: test_a uses the record test_a.json twice;*recorded(value, 'second')"
        ])  # fmt: skip
    test_module(pytester, "", "recorded({'a': 1}); recorded({'a': 2}, 'second')")
    run(pytester, "--pairproof-update")
    assert last_line(run(pytester)) == "1 passed"


def test_a_rule_for_no_number_and_digits_that_make_no_sense_are_refused(pytester: pytest.Pytester) -> None:
    with pytest.raises(
        InputError, match="no number 'mea'; expected a key or the beginning of one: mean.north"
    ):
        numbers_of({"mean": {"north": 1}}, {"mea": 3})
    test_module(pytester, "", "recorded(1.0, digits=17)")
    run(pytester, "--pairproof-update").stdout.fnmatch_lines(
        ["*InputError: recorded: digits = 17; expected a number from 0 to 16"]
    )
    test_module(pytester, "", "recorded(1.0, digits='six')")
    run(pytester, "--pairproof-update").stdout.fnmatch_lines(
        ["*InputError: recorded: digits = 'six'; expected a number from 0 to 16"]
    )


# -- agree ---------------------------------------------------------------------------------------------------


def fits():
    table = pairproof.read(ROWS)
    return pairproof.fit_bradley_terry(table), pairproof.fit_llbt(table)


def test_fits_on_two_scales_and_references_are_brought_together_by_name() -> None:
    bradley_terry, llbt = fits()
    rows = agree(bradley_terry, llbt)
    assert {a.quantity for a in rows} >= {"estimate.B", "se.C", "p.B", "deviance", "worth.all.A"}
    assert min(a.digits for a in rows if a.digits is not None) > 12


def test_numbers_and_printed_numbers_are_references() -> None:
    fit, _ = fits()
    agree(
        fit,
        {"estimate.B": -0.868164541171757, "deviance": "0.12", "estimate.C": "-1.188"},
        quantities=["estimate"],
    )
    with pytest.raises(AssertionError, match=r"estimate\.B +-0\.868164541172 +-0\.87016") as caught:
        agree(fit, {"estimate.B": -0.87016, "estimate.C": "-1.188"})
    assert "estimate.C" not in str(caught.value) and "1 of 2 quantities do not agree" in str(caught.value)
    agree(fit, {"estimate.B": -0.87016}, digits=2)
    agree(fit, {"estimate.B": -0.87016}, digits={"estimate": 2})


def test_what_was_asked_for_and_is_nowhere_fails() -> None:
    fit, llbt = fits()
    with pytest.raises(AssertionError, match="requested but absent from both sides: se.Q"):
        agree(fit, llbt, quantities=["estimate", "se.Q"])
    with pytest.raises(AssertionError, match="nothing was compared"):
        agree(fit, {})


def test_a_lost_item_differs() -> None:
    fit, _ = fits()
    more = pairproof.fit_bradley_terry(
        pairproof.read({**ROWS, "first": ["A", "A", "B"], "second": ["B", "D", "D"]})
    )
    with pytest.raises(AssertionError, match="only the fit has a value") as caught:
        agree(fit, more)
    assert "only the reference has a value" in str(caught.value)


@pytest.mark.r("BradleyTerry2", "prefmod")
def test_r_is_a_reference() -> None:
    fit, _ = fits()
    assert any(a.r_call and a.r_call.startswith("BradleyTerry2::BTm") for a in agree(fit, "R", r="live"))
    with pytest.raises(AssertionError, match="nothing was compared"):
        agree(fit, "R", r="none")


def test_another_word_than_r_is_refused() -> None:
    with pytest.raises(InputError, match="expected a Fit, numbers by quantity"):
        agree(fits()[0], "prefmod")


# -- cost ----------------------------------------------------------------------------------------------------


def test_the_plugin_loads_nothing_heavy() -> None:
    code = (
        "import sys, pairproof.validation.pytest.plugin\nprint([m for m in ('numpy', 'pandas', 'scipy',"
        " 'rpy2', 'pairproof.fit.fit', 'pairproof.validation.check.claims_file') if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


def test_the_example_of_the_plugin_runs_and_prints_what_it_says() -> None:
    from pairproof.validation.pytest import plugin

    said: list[str] = []
    found = doctest.DocTestParser().get_doctest(plugin.__doc__ or "", {}, "plugin", None, 0)
    doctest.DocTestRunner(verbose=False).run(found, out=said.append)
    assert len(found.examples) >= 5 and not said, "".join(said)


def test_tests_whose_names_are_spelt_alike_have_records_of_their_own(pytester: pytest.Pytester) -> None:
    text = """
import pytest
@pytest.mark.parametrize("x", ["a/b", "a b", "long"])
def test_a(recorded, x):
    recorded({"v": len(x) + (x == "a b")}, "n" * 300 * (x == "long"))
"""
    (pytester.path / "test_record_of.py").write_text(text, encoding="utf-8")
    assert last_line(run(pytester, "--pairproof-update")) == last_line(run(pytester)) == "3 passed"
    names = sorted(path.name for path in (pytester.path / "recorded/test_record_of").iterdir())
    assert names[0] == "test_a-a-b-49f3fb6b.json" and names[1] == "test_a-a-b.json" and len(names) == 3


def test_a_record_counts_numbers_that_are_lost_and_is_never_of_nothing(pytester: pytest.Pytester) -> None:
    test_module(pytester, "v = {'a': 1, 'b': 2, 'c': 3}", "recorded(v)")
    run(pytester, "--pairproof-update")
    test_module(pytester, "v = {'d': 1}", "recorded(v)")
    run(pytester).stdout.fnmatch_lines(["E *4 of 4 numbers differ from the record *"])
    with pytest.raises(InputError, match="rules of None for a: nothing of 1 value would be recorded"):
        numbers_of({"a": 1.0}, {"a": None})


def test_dates_and_exact_numbers_are_recorded() -> None:
    value = {"day": date(2026, 1, 2), "third": Fraction(1, 4), "price": Decimal("1.5")}
    assert numbers_of(value) == {"day": "2026-01-02", "third": 0.25, "price": 1.5}
