"""Python code as values: what is written is what is evaluated."""

from __future__ import annotations

import ast
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pairproof.errors import InputError
from pairproof.migration.translate.python_code import (
    WIDTH,
    Call,
    File,
    Method,
    Result,
    attribute,
    evaluate,
    files,
    function_of,
    literal,
    source,
)

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4)
    | st.tuples(inner, inner)
    | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def written(value: Any, indent: str = "") -> str:
    return source(value, lambda r: f"m{r.call}", lambda f: f'HERE / "{f.stem}.csv"', indent)


@given(plain)
def test_a_constant_reads_back_as_itself(value):
    assert ast.literal_eval(written(value)) == value
    assert ast.literal_eval(written(value)) == value


@given(st.lists(st.text(max_size=30), min_size=1, max_size=60), st.sampled_from(["", "    "]))
def test_a_long_call_is_broken_into_lines_and_says_the_same(items, indent):
    call = Call("pairproof.read", (File({"first": ["A"]}, "m"),), {"items": items, "layout": "counts"})
    text = written(call, indent)
    parsed = ast.parse(text.strip()).body[0]
    assert isinstance(parsed, ast.Expr) and isinstance(parsed.value, ast.Call)
    assert ast.unparse(parsed.value.func) == "pairproof.read"
    keywords = {k.arg: ast.literal_eval(k.value) for k in parsed.value.keywords}
    assert keywords == {"items": items, "layout": "counts"}
    if "\n" in text and all(len(i) < 40 for i in map(repr, items)):
        assert max(map(len, text.splitlines())) <= WIDTH


@given(st.text())
def test_no_text_becomes_code(text):
    tree = ast.parse(written(Call("pairproof.fit_llbt", (Result(1),), {"reference": text})))
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    assert len(calls) == 1 and names == {"pairproof", "m1"}


@pytest.mark.parametrize(
    "path",
    [
        "os.system",
        "pairproof",
        "pairproof.x; import os",
        "pairproof..read",
        "builtins.eval",
        "pairproof.\nos",
    ],
)
def test_only_functions_of_pairproof_can_be_called(path):
    with pytest.raises(InputError, match="is no function of pairproof"):
        Call(path)


@pytest.mark.parametrize(
    "path", ["pairproof.no_such", "pairproof.bridge.values.nothing.f", "pairproof.native"]
)
def test_a_function_that_is_not_there_is_named(path):
    with pytest.raises(InputError, match=f"there is no function {path}"):
        function_of(path)


@pytest.mark.parametrize("name", ["__class__", "_private", "a b", "x()", ""])
def test_private_names_are_no_methods(name):
    with pytest.raises(InputError, match="is no public name"):
        Method(Result(1), name)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", math.nan, [math.nan], {"a": object()}])
def test_a_value_without_source_is_refused(value):
    with pytest.raises(InputError):
        Call("pairproof.read", (value,))


def test_an_infinite_number_is_written_as_a_call_that_makes_it():
    assert literal(math.inf) == 'float("inf")' and literal(-math.inf) == 'float("-inf")'


def test_the_files_of_a_call_are_found_wherever_they_stand():
    one, two = File({"x": [1]}, "one"), File({"x": [2]}, "two")
    call = Method(Call("pairproof.fit_tree", ([one],), {"k": {"deep": (two,)}}), "predict")
    assert files(call) == (one, two)


def test_columns_of_a_file_have_one_length():
    with pytest.raises(InputError, match="lengths"):
        File({"x": [1], "y": [1, 2]}, "t")


def test_an_expression_is_evaluated_as_it_is_written(tmp_path):
    table = Call(
        "pairproof.read", ({"first": ["A", "B"], "second": ["B", "C"], "wins": [9, 4], "losses": [3, 4]},)
    )
    fit = Call("pairproof.fit_bradley_terry", (table,), {"reference": "A"})
    made = evaluate(fit, lambda f: tmp_path / f.stem, {})
    again = evaluate(attribute(Result(7), "params"), Path, {7: made})
    namespace: dict[str, Any] = {}
    exec(f"import pairproof\nm = {written(fit)}", namespace)  # the source that a script would have
    assert dict(again) == dict(namespace["m"].params)


def test_a_result_that_is_not_there_yet_is_an_error():
    with pytest.raises(InputError, match="the result of call 3 is used before it is there"):
        evaluate(Result(3), Path, {})
