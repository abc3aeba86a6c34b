"""Claims files that are wrong: each ends as an error of the input that names the line, promptly, and never as
a defect.
"""

from __future__ import annotations

import json
import time
from decimal import Decimal

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pairproof.cli.app import run
from pairproof.errors import InputError, PairproofError
from pairproof.validation.check.claims_file import parse_claims
from pairproof.validation.claims.entries import LineMap, entries, tomllib
from pairproof.validation.claims.paper import Claim, DataSpec, ModelClaim, Paper, PrintedQuantity, Reading
from pairproof.validation.claims.printed import Printed
from pairproof.validation.statements.registers import COMPUTATIONS
from pairproof.validation.verdicts.verdict import judge_print
from tools.claims_schema import schema

HEAD = """[paper]
id = "t"
title = "T"
[data.d]
kind = "counts"
columns = ["first", "second", "wins", "losses"]
rows = [["A", "B", 12, 8], ["A", "C", 15, 5], ["B", "C", 11, 9]]
[[claim]]
id = "x"
data = "d"
"""
PAPER, DATA, CLAIM, MODEL_KEYS, READING = (
    tuple(entries(table)) for table in (Paper, DataSpec, Claim, ModelClaim, Reading)
)
MODEL = 'model = { family = "bradley-terry", reference = "C" }\n'
#: Characters of the longest message; observed at most 1,300, where every test of a statement is listed.
LONGEST_MESSAGE = 2500
VALIDATOR = jsonschema.Draft7Validator(schema())
#: Seconds of the processor; observed at most 0.7 where the code before took 7 to 12.
PROMPT = 15.0


def refused(text):
    start = time.process_time()
    with pytest.raises(InputError) as caught:
        parse_claims(text)
    assert time.process_time() - start < PROMPT
    assert len(str(caught.value)) < LONGEST_MESSAGE
    return str(caught.value)


def read_or_refused(text):
    """The schema refuses nothing that is read."""
    try:
        parse_claims(text)
    except PairproofError as error:
        assert isinstance(error, InputError) and len(str(error)) < LONGEST_MESSAGE
    else:
        VALIDATOR.validate(tomllib.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 20_000) + " = 1",
        "[" + ".".join("a" * 20_000) + "]",
        "x = " + "[" * 20_000 + "]" * 20_000,
        "x = " + "{a=" * 20_000 + "1" + "}" * 20_000,
        "x = {" + ".".join("a" * 20_000) + " = 1}",
        "x = " + "[" * 40 + "]" * 40,
    ],
    ids=["dotted key", "table", "arrays", "inline tables", "dotted key in a table", "forty arrays"],
)
def test_what_is_nested_deeper_than_any_claims_file_is_refused_promptly(text):
    assert "nested more than 32 levels" in refused(text)


@pytest.mark.parametrize(
    "part",
    ["a", "'a'", '"a.b"', r'"a\"b"', r'"\\\\"'],
    ids=["bare", "literal", "quoted", "escaped quote", "escaped backslash"],
)
def test_a_key_of_thousands_of_parts_is_refused_by_its_line_before_a_parser_takes_memory_for_it(part):
    assert "line 2: nested more than 32 levels" in refused("# a key\n" + ".".join([part] * 3000) + " = 1")


@pytest.mark.parametrize("name", sorted(COMPUTATIONS))
def test_a_computation_without_the_data_it_needs_is_an_error_of_the_file(tmp_path, capsys, name):
    path = tmp_path / "a.claims.toml"
    path.write_text(
        '[paper]\nid = "m"\ntitle = "T"\nread_from = "x"\n[[claim]]\nid = "t"\nwhere = "T"\ncompute ='
        f' "{name}"\nargs = {{ zz = 1 }}\nstat = {{ a = "1" }}\n'
    )
    assert run(["check", str(path), "--r", "none"]) in (2, 3)
    assert "defect" not in capsys.readouterr().err


def test_an_id_makes_no_lines_of_its_own_in_a_report():
    assert "one line of text" in refused(
        HEAD.replace('id = "x"', 'id = "x\\nAll claims agree"') + MODEL + 'estimate = { A = "1" }\n'
    )


def test_an_integer_of_thousands_of_digits_is_named_by_its_line(tmp_path, capsys):
    assert "line 2: a number of more than 4,300 digits" in refused("[paper]\nid = " + "9" * 5000)
    path = tmp_path / "a.claims.toml"
    path.write_text(HEAD.replace("12", "9" * 5000))
    assert run(["check", str(path), "--r", "none"]) == 3
    assert "line 7" in capsys.readouterr().err


def test_tens_of_thousands_of_keys_are_read_in_the_time_of_their_number():
    assert "unknown key 'k0'" in refused("\n".join(f"k{k} = 1" for k in range(60_000)))
    start = time.process_time()
    numbers = ", ".join(f'k{k} = "1"' for k in range(20_000))
    assert len(parse_claims(HEAD + MODEL + f"estimate = {{ {numbers} }}\n").claims[0].numbers) == 20_000
    assert time.process_time() - start < 2 * PROMPT
    chain = "".join(
        f'[data.e{k}]\nfrom = "{f"e{k - 1}" if k else "d"}"\nonly = {{ first = "A" }}\n' for k in range(30)
    )
    assert "from leads through more than 20 data sets" in refused(
        HEAD.replace("[[claim]]", chain + "[[claim]]") + MODEL + 'deviance = "1"\n'
    )


#: Every field of a claims file, with what it must be.  Each is given something else, one at a time.
WRONG = [
    "1",
    "1.5",
    "true",
    "[]",
    "{}",
    '"abc"',
    "[1]",
    '["a"]',
    "{a = 1}",
    "1979-05-27",
    "inf",
    "-1",
    "0x" + "f" * 6000,
    '"' + "9" * 6000 + '"',
    '""',
    "[[1]]",
    '{A = "1 on 2 on 3"}',
    '{A = "1e999999999"}',
    '{A = "n.s."}',
    '{A = "**"}',
    '[{name = "a"}]',
    '[{name = 1, sentence = 2, stops = "glm"}]',
    '"1 on 1"',
]


def fields():
    for key in PAPER:
        yield f"paper.{key}", lambda value, key=key: f"[paper]\n{key} = {value}\n" + "".join(
            f'{k} = "t"\n' for k in ("id", "title") if k != key
        ) + HEAD.split('title = "T"\n')[1] + MODEL + 'deviance = "1"\n'
    for key in DATA:
        yield f"data.{key}", lambda value, key=key: "\n".join(
            line
            for line in HEAD.replace("[[claim]]", f"{key} = {value}\n[[claim]]").split("\n")
            if not (line.startswith(f"{key} = ") and not line == f"{key} = {value}")
        ) + MODEL + 'deviance = "1"\n'
    for key in CLAIM:
        yield f"claim.{key}", lambda value, key=key: "\n".join(
            line
            for line in (HEAD + MODEL).split("\n")
            if not line.startswith((f"{key} = {{",))
            and not (key in ("id", "data") and line.startswith(f"{key} = "))
        ) + f"{key} = {value}\n"
    for key in MODEL_KEYS:
        yield f"model.{key}", lambda value, key=key: HEAD + "model = { " + (
            'family = "llbt", ' if key != "family" else ""
        ) + f'{key} = {value} }}\ndeviance = "1"\n'
    for key in READING:
        yield f"reading.{key}", lambda value, key=key: HEAD + MODEL + 'deviance = "1"\n[[claim.reading]]\n' + "".join(
            f'{k} = "{k}"\n' for k in ("name", "sentence") if k != key
        ) + f"{key} = {value}\n"


@pytest.mark.parametrize("field, text", [pytest.param(name, make, id=name) for name, make in fields()])
def test_a_field_of_another_type_is_an_error_of_the_input_or_is_read(field, text):
    for value in WRONG:
        read_or_refused(text(value))


@pytest.mark.parametrize(
    "alpha", ['"abc"', '"5"', '"0"', '"-0.05"', '"nan"', '"1e-9999"', "0.05", '""', '"' + "0" * 6000 + '.05"']
)
def test_a_level_that_is_none_is_refused_with_its_line(alpha):
    message = refused(HEAD + MODEL + f'p = {{ A = "n.s." }}\nalpha = {alpha}\n')
    assert "line 13" in message and "alpha" in message


@pytest.mark.parametrize("limit", ['"abc"', '"2"', "0.05", '"-1"'])
def test_a_limit_of_the_legend_that_is_none_is_refused(limit):
    message = refused(HEAD + MODEL + f'p = {{ A = "*" }}\nlegend = {{ "*" = {limit} }}\n')
    assert "line 13" in message


@pytest.mark.parametrize(
    "text",
    [
        "1 on 2 on 3",
        "1 on n.s.",
        "n.s. on 3",
        "1 on < 3",
        " on ".join("1" * 90),
        "9" * 51,
        "1e401",
        "1e-99999",
        "1x10^" + "9" * 90,
        "9" * 5000,
    ],
)
def test_a_print_that_no_page_has_is_refused(text):
    with pytest.raises(InputError):
        Printed.parse(text)
    with pytest.raises(InputError):
        Printed.parse("n.s.", alpha="abc")
    with pytest.raises(InputError):
        Printed.parse("*", legend={"*": "abc"})


# -- "n.s." --------------------------------------------------------------------------------------------------


def ns(text="n.s.", alpha="0.05", quantity="p.A"):
    return PrintedQuantity(quantity, Printed.parse(text, alpha=alpha), 1)


@pytest.mark.parametrize("text", ["n.s.", "ns", "NS", "n. s.", "N.S."])
def test_ns_is_a_p_value_above_alpha(text):
    assert judge_print(ns(text), 0.35, 0.05).verdict == "agrees"
    assert judge_print(ns(text), 0.0501, 0.05).verdict == "agrees"
    found = judge_print(ns(text), 0.02, 0.05)
    assert (
        found.verdict == "differs-conclusion"
        and found.note == "printed as not significant at 0.05, computed 0.02"
    )
    assert judge_print(ns(text, "0.01"), 0.02, 0.01).verdict == "agrees"
    assert judge_print(ns(text, "0.01"), 0.009, 0.01).verdict == "differs-conclusion"
    assert Printed.parse(text).low == Decimal("0.05") and Printed.parse(text).is_bound


@pytest.mark.parametrize("key", ["estimate", "se", "z"])
@pytest.mark.parametrize("mark", ["n.s.", "**"])
def test_a_mark_of_significance_is_printed_of_p_values_only(key, mark):
    assert "is a significance mark, which is allowed only for p-values" in refused(
        HEAD + MODEL + f'{key} = {{ A = "{mark}" }}\n'
    )
    parse_claims(
        HEAD
        + MODEL
        + f'p = {{ A = "{mark}" }}\nstat = {{ gof_p = "{mark}", "contrast_p.all.A.B" = "{mark}" }}\n'
    )


def test_a_p_that_names_no_parameter_is_refused_with_the_way_to_write_it():
    assert """p = 'n.s.' does not say which parameter; write p = { A = "n.s." }""" in refused(
        HEAD + MODEL + 'p = "n.s."\n'
    )


def test_a_page_that_prints_ns_is_read_rightly_from_the_command(tmp_path, capsys):
    path = tmp_path / "a.claims.toml"
    page = (
        HEAD
        + MODEL
        + 'estimate = { A = "0.911", B = "0.350" }\nse = { A = "0.394", B = "0.377" }\np = { A = "*", B ='
        ' "n.s." }\nstat = { gof_p = "n.s." }\n'
    )
    path.write_text(page)
    assert run(["check", str(path), "--r", "none"]) == 0
    assert "differs" not in capsys.readouterr().out
    path.write_text(page.replace('A = "*"', 'A = "n.s."'))
    assert run(["check", str(path), "--r", "none", "--json"]) == 1
    found = {a["quantity"]: a for a in json.loads(capsys.readouterr().out)["agreements"]}
    assert found["p.A"]["verdict"] == "differs-conclusion" and found["p.B"]["verdict"] == "agrees"


def test_empty_item_terms_are_refused_since_they_can_mean_two_models():
    message = refused(
        HEAD + 'model = { family = "bradley-terry", item_terms = [] }\ndeviance = "10.9 on 3"\n'
    )
    assert "line 11" in message and "omit item_terms" in message and "null_deviance" in message


# -- anything ------------------------------------------------------------------------------------------------

keys = st.sampled_from(
    [*PAPER, *DATA, *CLAIM, *MODEL_KEYS, *READING, "paper", "data", "claim", "A", "worth.all.A", "gof_p"]
)
atoms = st.one_of(
    st.text(max_size=4),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(
        [
            "d",
            "x",
            "counts",
            "matrix",
            "games",
            "rows",
            "llbt",
            "glm",
            "native",
            "R",
            "1.5",
            "n.s.",
            "**",
            "1 on 2",
            "0.05",
            "agrees",
            "<.001",
            "-1720",
            "none",
        ]
    ),
)
trees = st.recursive(
    atoms,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=10,
)


def toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value).replace("\x7f", "\\u007f") if isinstance(value, str) else repr(value)


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(st.sampled_from(DATA), trees, max_size=3),
    st.dictionaries(st.sampled_from(CLAIM), trees, max_size=4),
)
def test_whatever_a_claims_file_holds_it_is_read_and_fits_the_schema_or_is_refused(data, claim):
    data = {
        "kind": "counts",
        "columns": ["first", "second", "wins", "losses"],
        "rows": [["A", "B", 1, 2]],
        **data,
    }
    claim = {"id": "x", "data": "d", "model": {"family": "llbt"}, **claim}
    text = '[paper]\nid = "t"\ntitle = "T"\n[data.d]\n' + "".join(
        f"{json.dumps(k)} = {toml(v)}\n" for k, v in data.items()
    )
    text += "[[claim]]\n" + "".join(f"{json.dumps(k)} = {toml(v)}\n" for k, v in claim.items())
    read_or_refused(text)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(alphabet="0123456789.+-eE<>=*ns %x^{}on \u2212\u00b2\u2020\u0663,", max_size=12))
def test_a_printed_number_is_read_or_refused(text):
    try:
        printed = Printed.parse(text)
    except InputError:
        return
    for value in (0.0, -1.5, 1e300, 5e-324, float("nan"), float("inf")):
        printed.verdict(value)
        printed.star_verdict(value)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
def test_lines_are_found_in_any_valid_toml(value):
    text = f"first = 1\nvalue = {toml(value)}\nlast = 2\n"
    assert LineMap(text).line(("last",)) == 3 + toml(value).count("\n")
    assert LineMap(text).source(("last",)) == "last = 2"
