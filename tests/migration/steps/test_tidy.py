"""Fits in the tidyverse (tidy.R), run by R and migrated; what is not written says so."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import pairproof
from pairproof.migration.steps.compared import same, unit
from pairproof.migration.steps.evaluated import Scope
from pairproof.migration.steps.python import name_of, text_of
from pairproof.migration.steps.translator import Expressions
from pairproof.migration.steps.trees import NotTranslated, R, call_of
from pairproof.migration.translate.python_code import Names
from tests.migration.shares import python, share
from tests.migration.translate.beside import Migrated


@pytest.fixture(scope="module")
def migrated(tmp_path_factory) -> Migrated:
    there = 'all(sapply(c("dplyr", "tidyr", "purrr", "tibble", "broom"), requireNamespace, quietly = TRUE))'
    if subprocess.run(["Rscript", "-e", f"quit(status = !{there})"]).returncode:
        pytest.skip("R package dplyr, tidyr, purrr, tibble or broom is not installed")
    home = tmp_path_factory.mktemp("tidy")
    shutil.copy(Path(__file__).with_name("tidy.R"), home)
    return pairproof.migrate(home / "tidy.R"), home


class TestRun:
    pytestmark = [pytest.mark.r("BradleyTerry2"), pytest.mark.xdist_group("migrated tidyverse")]

    def test_no_number_differs_and_nothing_is_left_to_r(self, migrated):
        found, _ = migrated
        assert found.exit_code == 0 and {a.verdict for a in found.agreements} == {"agrees"}
        said = [d.text for d in found.done if d.state == "comment"]
        assert [text for text in said if "function(" not in text and "library(" not in text] == []

    def test_the_script_alone_prints_what_r_printed(self, migrated):
        found, home = migrated
        ran = python(home, "tidy.py", r="none")
        assert (ran.returncode, ran.stderr) == (0, "")
        assert share(found.captured.output, ran.stdout).missing == ()


def written(e: R, **values: object) -> str:
    scope = Scope(Names([]))
    scope.values.update(values)
    scope.variables.update({n: name_of(n) for n in values})
    return text_of(Expressions(scope, []).expression(e))


D = pd.DataFrame({"item": ["p", "q"], "estimate": [0.5, 0.1]})


def test_columns_and_lists_are_written_as_pandas_has_them() -> None:
    d, item, estimate = (R("sym", n) for n in ("d", "item", "estimate"))
    assert written(call_of("select", d, item), d=D) == 'd[["item"]]'
    assert written(call_of("select", d, call_of("-", item)), d=D) == 'd.drop(columns=["item"])'
    assert written(call_of("pull", d, estimate), d=D) == 'd["estimate"]'
    assert written(call_of("bind_rows", d, d), d=D) == "pd.concat([d, d], ignore_index=True)"
    named = R("call", "", R("sym", "bind_rows"), (("", R("sym", "l")), (".id", R("str", "g"))))
    assert written(named, l={"u": D}) == 'pd.concat(l, names=["g"]).reset_index(0).reset_index(drop=True)'
    top = R("call", "", R("sym", "slice_max"), (("", d), ("", estimate), ("n", R("num", 1))))
    assert written(top, d=D) == 'd.nlargest(1, "estimate", keep="all").reset_index(drop=True)'


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("select", (("new", R("sym", "item")),)),
        ("select", (("", call_of("starts_with", R("str", "e"))),)),
        ("pull", (("", R("sym", "item")), ("", R("sym", "estimate")))),
        ("slice_max", (("", R("sym", "estimate")), ("n", R("num", 1)), ("with_ties", R("lgl", False)))),
        ("slice_max", (("", R("sym", "estimate")), ("prop", R("num", 0.5)))),
        ("pivot_wider", (("names_from", R("sym", "item")), ("values_from", R("sym", "estimate")))),
        ("bind_rows", ((".id", R("str", "fit")),)),
        ("unnest", (("", R("sym", "item")),)),
        ("glance", ()),
        ("cor", (("method", R("str", "kendall")), ("use", R("str", "pairwise")))),
    ],
)
def test_an_argument_that_is_not_handled_is_refused(function: str, words: tuple[tuple[str, R], ...]) -> None:
    with pytest.raises(NotTranslated, match="not supported"):
        written(R("call", "", R("sym", function), (("", R("sym", "d")), *words)), d=D)


def test_a_point_at_the_end_of_a_tibble_s_number_says_that_it_is_rounded() -> None:
    assert (unit("1194."), unit("1194"), unit("0.12")) == (1.0, 0.0, 0.01)
    assert same("1193.8", "1194.") and not same("1193.8", "1194")


GAPS = pd.Series({"a": 0.5, "b": float("nan"), "c": -1.0})


def test_a_comparison_with_what_is_missing_is_written_only_where_r_takes_it_for_false() -> None:
    s, above = R("sym", "s"), call_of(">", R("sym", "s"), R("num", 0))
    left_out = R("call", "", R("sym", "sum"), (("", above), ("na.rm", R("lgl", True))))
    there = call_of("&", call_of("!", call_of("is.na", s)), above)
    for e in (call_of("which", above), call_of("subset", s, above), left_out, there):
        assert "s > 0" in written(e, s=GAPS)
    for e in (above, call_of("sum", above), call_of("!", above), call_of("[", s, above), call_of("rank", s)):
        with pytest.raises(NotTranslated, match="missing"):
            written(e, s=GAPS)
    assert written(call_of("sort", s), s=GAPS) == 's.dropna().sort_values(ascending=True, kind="stable")'
    assert written(above, s=GAPS.dropna()) == "s > 0"
