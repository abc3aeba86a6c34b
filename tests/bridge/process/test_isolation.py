"""A call leaves nothing behind in R, and says everything R said."""

from __future__ import annotations

import os

import pytest

from pairproof.errors import RError

pytestmark = pytest.mark.r

STATE = """list(
  options = options()[c("digits", "warn", "OutDec", "contrasts", "scipen", "stringsAsFactors")], new = getOption("left.behind"),
  wd = basename(getwd()), locale = Sys.getlocale(), kind = RNGkind(), seed = exists(".Random.seed", globalenv()),
  search = search(), devices = length(grDevices::dev.list()), sinks = sink.number(), globals = ls(globalenv(), all.names = TRUE))"""

DISTURB = """
options(digits = 3, warn = 2, OutDec = ",", contrasts = c("contr.sum", "contr.poly"), left.behind = 1)
setwd(tempdir()); Sys.setlocale("LC_COLLATE", "C.UTF-8"); RNGkind("Wichmann-Hill"); set.seed(1)
library(splines); grDevices::pdf(NULL); x <<- 1; assign("y", 2, envir = globalenv()); sink(tempfile())
"""


def state(r):
    from pairproof.bridge.values.nodes import dump

    return dump(r.call(code=STATE).node)


@pytest.mark.parametrize("ending", ["", "stop('on purpose')"])
def test_options_locale_folder_random_numbers_search_path_devices_and_globals_come_back(r, ending):
    before = state(r)
    if ending:
        with pytest.raises(RError, match="on purpose"):
            r.call(code=DISTURB + ending)
    else:
        r.call(code=DISTURB)
    assert state(r) == before


def test_random_numbers_follow_the_seed_and_leave_no_trace(r):
    draw = {"code": "stats::rnorm(3)", "seed": 20}
    one, two = r.call(**draw).value.values, r.call(**draw).value.values
    assert one.tolist() == two.tolist()
    # R: set.seed(20); rnorm(1) prints 7 decimals, so half a unit of the last one is all that can be compared.
    assert one[0] == pytest.approx(1.1626853, abs=1e-7)
    assert not r.call(code="exists('.Random.seed', globalenv())").value.scalar()


@pytest.mark.r("prefmod")
def test_prefmods_silencing_of_warnings_does_not_outlive_its_call(r):
    with pytest.raises(RError):
        r.call(code="prefmod::llbtPC.fit(data.frame(a = 1:2), 2)", needs=["prefmod"])
    assert r.call(code="getOption('warn')").value.scalar() == 0


def test_text_sorts_as_in_the_c_locale_whatever_the_callers_locale(r, monkeypatch):
    from pairproof.bridge.process.session import RSession

    code = "sort(c('b', 'A', 'a', '_x', 'B'))"
    assert r.call(code=code).value.values.tolist() == ["A", "B", "_x", "a", "b"]
    with RSession({**os.environ, "LC_ALL": "C.UTF-8"}) as other:
        assert other.call(code=code).value.values.tolist() == ["A", "B", "_x", "a", "b"]


def test_what_r_printed_warned_and_said_comes_back_in_order(r):
    said = r.call(
        code=(
            "print(1:3); cat('no newline'); warning('first é'); message('note 日'); warning('second');"
            " invisible(7)"
        )
    )
    assert said.output == ("[1] 1 2 3", "no newline")
    assert [w.message for w in said.warnings] == ["first é", "second"]
    assert said.messages == ("note 日\n",)
    assert not said.visible
    assert said.value.scalar() == 7.0


def test_a_warning_names_its_call_and_class(r):
    warning = r.call(code="as.integer('x')").warnings[0]
    assert warning.message == "NAs introduced by coercion"
    assert "warning" in warning.rclass
    inside = r.call(code="f <- function(x) log(x); f(-1)").warnings[0]
    assert inside.call == "log(x)"


def test_text_written_to_the_error_console_is_kept(r):
    assert "to stderr" in r.call(code="cat('to stderr\\n', file = stderr()); 1").stderr


def test_an_error_carries_rs_words_call_stack_output_and_warnings(r):
    with pytest.raises(RError) as caught:
        r.call(
            code=(
                "outer <- function(x) inner(x); inner <- function(x) stop('é is bad 日'); cat('before'); "
                "warning('careful'); outer(1)"
            )
        )
    error = caught.value
    assert error.r_message == "é is bad 日"
    assert error.r_call == "inner(x)"
    assert error.stack[-3:] == ("outer(1)", "inner(x)", 'stop("é is bad 日")')
    assert error.output == ("before",)
    assert error.warnings == ("careful",)
    assert "simpleError" in error.r_class
    assert "é is bad 日" in str(error) and "inner(x)" in str(error)


def test_an_error_the_code_catches_is_no_error(r):
    assert r.call(code="tryCatch(stop('inside'), error = function(e) 'caught')").value.scalar() == "caught"


def test_a_function_that_is_not_there_is_named(r):
    with pytest.raises(RError, match="no_such_function"):
        r.call("stats::no_such_function")
    with pytest.raises(RError, match="nosuchpackage"):
        r.call("nosuchpackage::f")


def test_the_call_r_sees_names_its_data_instead_of_holding_it(r):
    call = r.call(
        "stats::lm", {"formula": r_formula("y ~ x"), "data": frame()}, extract="deparse(value$call)"
    )
    assert call.value.scalar() == "stats::lm(formula = y ~ x, data = .data)"
    assert call.text == "stats::lm(formula = y ~ x, data = <data.frame 9 x 2: x, y>)"


def r_formula(text):
    from pairproof.bridge import Formula

    return Formula(text)


def frame():
    from pairproof.bridge import data_frame

    return data_frame({"x": list(range(9)), "y": [1.0, 2.0, 4.0] * 3})


def test_neither_or_both_of_fun_and_code_is_refused(r):
    with pytest.raises(ValueError, match="exactly one of fun="):
        r.call()
    with pytest.raises(ValueError, match="exactly one of fun="):
        r.call("f", code="f()")


def test_a_package_that_is_not_installed_is_named_with_its_cure(fresh):
    fresh.info().packages["prefmod"] = None
    from pairproof.errors import RUnavailable

    with pytest.raises(RUnavailable, match=r'prefmod is not installed; .*install.packages\("prefmod"\)'):
        fresh.call(code="1", needs=["prefmod"])
