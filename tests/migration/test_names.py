"""Words of an R script become Python names and comments, whatever they hold."""

from __future__ import annotations

import ast
import keyword

import pytest
from hypothesis import given, strategies as st

from pairproof.migration.steps.python import commented
from pairproof.migration.translate.python_code import WIDTH, Names, comment, docstring, identifier, one_line

HOSTILE = [
    'a"b\'c', "x\ny = 1", "x\r\nimport os", '"""', "'''", "\\", "\\\"\"\"", "\u202egnp.\u2066", "\x00", "\x0c# x",
    "# -*- coding: latin-1 -*-", "\u2028import os", "\x85y = 2", "\udce9", "os.system('x')", "{r}", "%s", "a" * 5000,
    "\ufeff", "\x1b[2J", "type: ignore", "\\N{DASH}",
]  # fmt: skip
texts = st.one_of(
    st.text(max_size=300), st.sampled_from(HOSTILE), st.text(alphabet="\"\\\n\r# '", max_size=30)
)


@given(st.lists(texts, min_size=1, max_size=6))
def test_any_word_becomes_a_python_name_of_its_own(words: list[str]) -> None:
    names = Names()
    made = [names.name(w, "fit") for w in words]
    assert len(set(made)) == len(made)
    for name in made:
        assert name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
        assert ast.parse(f"{name} = 1").body[0].targets[0].id == name  # type: ignore[attr-defined]  # an Assign


@pytest.mark.parametrize(
    "word", ["lambda", "print", "pairproof", "Path", "HERE", "None", "match", "list", "__file__"]
)
def test_words_of_python_and_of_the_script_are_not_given_away(word: str) -> None:
    assert identifier(word) not in (word, "")


def test_names_that_python_takes_for_one_are_two() -> None:
    # U+FB01 is the ligature "fi", which Python reads as the two letters.
    names = Names()
    assert names.name("\ufb01t", "fit") == "fit"
    assert names.name("fit", "fit") == "fit_2"


@given(texts)
def test_a_text_in_a_comment_is_a_comment(text: str) -> None:
    lines = list(comment(f"line 3: {text}", "    "))
    assert len(lines) <= 3 and all(len(line) <= WIDTH for line in lines)
    source = "\n".join(["def f():", *lines, "    return 1", *commented(one_line(text), ["x = 2"]), ""])
    plain = "def f():\n    return 1\nx = 2\n"
    assert ast.dump(ast.parse(source.encode())) == ast.dump(ast.parse(plain))
    assert all(line.isprintable() for line in source.split("\n"))


@given(st.lists(texts, min_size=1, max_size=3))
def test_a_text_in_a_docstring_stays_in_it(paragraphs: list[str]) -> None:
    source = "\n".join(docstring([f"{p} in Python." for p in paragraphs])) + "\nx = 1\n"
    (said, after) = ast.parse(source.encode()).body
    assert isinstance(said, ast.Expr) and isinstance(after, ast.Assign)
    text = ast.literal_eval(said.value)
    assert text.split("\n")[0] == one_line(f"{paragraphs[0]} in Python.")


def test_a_long_text_is_cut_and_says_so() -> None:
    lines = list(comment("x" * 100_000))
    assert lines[-1].endswith("...") and sum(map(len, lines)) < 4 * WIDTH
