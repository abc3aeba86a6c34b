"""What R's parser says of a script: places, variables, trees, packages, loops."""

from __future__ import annotations

import os

import pytest

from pairproof.bridge.capture.run import plain_environment, r_home
from pairproof.bridge.capture.scripts import Parsed, parse_files

pytestmark = pytest.mark.r

#: Code -> the variable that the value of BTm() reaches.
VARIABLES = {
    "m <- BTm(1)": "m",
    "m = BTm(1)": "m",
    "BTm(1) -> m": "m",
    "m <<- BTm(1)": "m",
    "`my fit` <- BTm(1)": "my fit",
    "BTm(1)": "",
    "l <- list(z = 1, a = BTm(1))": "l$a",
    "l <- list(2, BTm(1))": "l$2",
    "l <- lapply(list(a = BTm(1)), coef)": "",
    "m <- summary(BTm(1))": "",
    "m <- try(BTm(1), silent = TRUE)": "m",
    "m <- suppressWarnings({x <- 1; BTm(1)})": "m",
    "m <- {BTm(1); x}": "",
    "m <- if (x) BTm(1) else 2": "m",
    "if (BTm(1)) x": "",
    "m <- with(d, BTm(1))": "m",
    "m <- lapply(x, function(i) BTm(i))": "m",
    "m <- lapply(x, \\(i) BTm(i))": "m",
    "m <- lapply(x, function(i) {f <- BTm(i); coef(f)})": "f",
    "m <- sapply(x, function(i) coef(BTm(i)))": "",
    "fits[[r]] <- BTm(1)": "fits",
    'fits[["north"]] <- BTm(1)': "fits$north",
    "fits$north <- BTm(1)": "fits$north",
    "fits[[2]] <- BTm(1)": "fits$2",
    "d |> BTm(x = 1)": "",
    "m <- d |> BTm(x = 1)": "m",
    "m <- d %>% BTm(1)": "m",
    "m <- d %>% BTm(1) %>% coef()": "",
    'assign("m", BTm(1))': "m",
    "names(BTm(1)) <- x": "",
    "a <- b <- BTm(1)": "b",
    "(m <- BTm(1))": "m",
    "f(m <- BTm(1))": "m",
    "m <- f(x = BTm(1))": "",
    "m <- !BTm(1)": "",
}
#: Code -> its tree.
TREES = {
    "x <- -1.5": ["call", ["sym", "<-"], [["", ["sym", "x"]], ["", ["call", ["sym", "-"], [["", ["num", 1.5]]], "-1.5"]]], "x <- -1.5"],
    "f(a = 'b', , NULL)": ["call", ["sym", "f"], [["a", ["str", "b"]], ["", ["empty"]], ["", ["null"]]], 'f(a = "b", , NULL)'],
    "\\(v) TRUE": ["function", [["v", ["empty"]]], ["lgl", True]],
    "x |> f(NA)": ["call", ["sym", "f"], [["", ["sym", "x"]], ["", ["na"]]], "f(x, NA)"],
    "-Inf": ["call", ["sym", "-"], [["", ["num", "Inf"]]], "-Inf"],
}  # fmt: skip
#: Code -> packages that the script needs.
NEEDED = {
    "library(zzA)": ["zzA"],
    "require('zzA')": ["zzA"],
    "suppressPackageStartupMessages({library(zzA); library(zzB)})": ["zzA", "zzB"],
    "x <- zzA::f(1)": ["zzA"],
    "zzA:::g(1)": ["zzA"],
    "data(d, package = 'zzA')": ["zzA"],
    "loadNamespace('zzA')": ["zzA"],
    "for (i in 1:2) zzA::f(i)": ["zzA"],
    "library(p, character.only = TRUE)": [],
    "if (!require(zzA)) install.packages('zzA')": [],
    "requireNamespace('zzA')": [],
    "try(zzA::f())": [],
    "tryCatch(library(zzA), error = identity)": [],
    "f <- function() zzA::f()": [],
    "x && zzA::f()": [],
}
#: Code -> variables whose values tell the evaluations of a call apart.
LOOPS = {
    "for (r in levels(x)) for (s in 1:2) f(r, s)": ["r", "s"],
    "lapply(x, function(i, ...) f(i)); Map(\\(a, b) a, x, y)": ["i", "a", "b"],
    "f <- function(d) BTm(d); f(1)": [],
    "f <- function(d) BTm(d); lapply(x, f)": ["d"],
    "for (`my var` in x) y": ["my var"],
}
OTHER = {
    "tabs": "x <- 1\n\tif (TRUE) {\n\t\té <- BTm('é',\n\t\t  y)\n\t}\n",
    "raw": 'x <- r"(a \\ "b")"; m <- BTm(1)\n',
    "broken": "x <- 1\ny <- (2\n",
    "empty": "# nothing\n",
    "scope": "for (r in a(1)) lapply(x, function(i) {while (b(i)) BTm(i)})\n",
    "strings": "read.csv('../data/x.csv'); source(\"helpers.R\"); 'word'; 'a\\\\b.csv'\n",
}


@pytest.fixture(scope="module")
def parsed(tmp_path_factory) -> dict[str, Parsed]:
    """All of them, by one R."""
    folder = tmp_path_factory.mktemp("scripts")
    codes = {code: code for table in (VARIABLES, TREES, NEEDED, LOOPS) for code in table} | OTHER
    files = []
    for number, code in enumerate(codes.values()):
        files.append(folder / f"{number}.R")
        files[-1].write_text(code, encoding="utf-8")
    r = os.path.join(r_home(), "bin", "R")
    found, places = parse_files(r, files, plain_environment(folder, os.environ))
    assert os.path.isdir(places.r_home) and places.libraries
    return dict(zip(codes, found))


@pytest.mark.parametrize("code", VARIABLES)
def test_the_variable_that_a_value_reaches_is_found(parsed, code):
    assert [c.mentioned.variable for c in parsed[code].calls if c.mentioned.function == "BTm"] == [
        VARIABLES[code]
    ]


@pytest.mark.parametrize("code", TREES)
def test_an_expression_is_given_as_its_tree(parsed, code):
    (only,) = parsed[code].trees
    assert only.tree == TREES[code]


@pytest.mark.parametrize("code", NEEDED)
def test_a_package_is_needed_only_where_the_script_cannot_do_without(parsed, code):
    assert sorted(parsed[code].needed) == NEEDED[code]
    assert not any(parsed[code].packages.values())


@pytest.mark.parametrize("code", LOOPS)
def test_loop_variables_and_arguments_of_inline_functions_are_found(parsed, code):
    assert parsed[code].loops == LOOPS[code]


def test_lines_are_right_beside_tabs_and_letters_of_two_bytes(parsed):
    (call,) = (c.mentioned for c in parsed["tabs"].calls if c.mentioned.function == "BTm")
    assert (call.place.line, call.place.last, call.task) == (3, 4, 2)
    assert (call.text, call.variable) == ('BTm("é", y)', "é")
    assert [(e.line, e.last) for e in parsed["tabs"].expressions] == [(1, 1), (2, 5)]


def test_raw_strings_do_not_confuse(parsed):
    assert [(c.mentioned.task, c.mentioned.variable) for c in parsed["raw"].calls] == [(2, "m")]


def test_a_syntax_error_has_its_line_and_column_and_nothing_else_is_told(parsed):
    assert parsed["broken"].error == (3, 0, "unexpected end of input")
    assert parsed["broken"].expressions == [] and parsed["broken"].calls == []
    assert parsed["empty"].error is None and parsed["empty"].expressions == []


def test_the_loops_around_a_call_are_known_from_the_outermost(parsed):
    scopes = {c.mentioned.function: c.scope for c in parsed["scope"].calls}
    assert scopes == {"a": (), "lapply": ("r",), "b": ("r", "i"), "BTm": ("r", "i")}


def test_strings_that_may_name_files_are_listed(parsed):
    assert parsed["strings"].strings == ["../data/x.csv", "helpers.R"]
