"""Lines of the code that purl and Stangle write, found again in the document.  No R is needed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pairproof.bridge.capture.running import Ran
from pairproof.bridge.capture.scripts import (
    NO_KNITR,
    Kind,
    Script,
    chunk_lines,
    line_map,
    parts_not_run,
    tangled,
)
from pairproof.bridge.process.cures import r_package
from pairproof.errors import InputError, RUnavailable


def document(text: str, kind: Kind = "Rmd") -> Script:
    return Script(Path("doc.Rmd"), "doc.Rmd", kind, text)


def test_chunks_of_r_are_told_from_other_chunks_and_code_that_is_only_shown():
    text = "```{r a, b=1}\nx\n```\n```{python}\ny\n```\n```r\nshown\n```\n~~~{R}\nz\n~~~\n````{r}\n```\n````\n> ```{r}\n> q\n> ```\n"
    assert chunk_lines(document(text)) == [2, 11, 14, 17]


def test_chunks_of_sweave_end_at_the_sign_or_the_next_chunk():
    text = "<<a>>=\nx\n@ \n<<b>>=\ny\n<<c>>=\nz\n@ % end\nw\n"
    assert chunk_lines(document(text, "Rnw")) == [2, 5, 7]


def test_repeated_lines_are_told_apart_by_their_order():
    text = "```{r}\nx <- 1\nprint(x)\n```\n\n```{r}\nx <- 2\nprint(x)\n```\n"
    code = "## ----\nx <- 1\nprint(x)\n\n## ----\nx <- 2\nprint(x)\n"
    assert line_map(document(text), code) == (0, 2, 3, 0, 0, 7, 8, 0)


def test_a_line_that_a_chunk_takes_from_another_is_found_where_it_stands_once():
    text = "<<a>>=\nm <- f(1)\n@\n<<>>=\n<<a>>\ncoef(m)\n@\n"
    assert line_map(document(text, "Rnw"), "m <- f(1)\n\nm <- f(1)\ncoef(m)")[2:] == (2, 6)


def test_code_within_the_text_stands_in_its_line():
    text = "Worth `r round(w, 2)` of `r n`.\n```{r}\nx\n```\nand `r n `\n"
    assert line_map(document(text), "\nround(w, 2)\n\nn\n## ----\nx\n\nn") == (0, 1, 0, 1, 0, 3, 0, 5)


def test_code_that_stands_nowhere_has_no_line():
    assert line_map(document("```{r}\nx\n```\n"), "params <-\nlist(n = 3L)\n\nx") == (0, 0, 0, 2)


def test_what_is_not_run_is_counted():
    text = "`r 1` and `r 2`\n```{python}\n1\n```\n```{r}\n2\n```\n```{bash}\n3\n```\n"
    assert parts_not_run(document(text)) == "2 chunks of bash, python"
    assert parts_not_run(document("\\Sexpr{1}", "Rnw")) == "1 R expression within the text"
    assert parts_not_run(document("```{r}\n1\n```")) == ""


@pytest.mark.parametrize(
    "code, timed_out, written, error, expected",
    [
        (
            NO_KNITR,
            False,
            "",
            RUnavailable,
            rf"R package knitr is not installed.*\n  cure: {re.escape(r_package('knitr'))}",
        ),
        (
            1,
            False,
            "",
            InputError,
            r"knitr::purl could not take the code out: Error: broken; nothing was run",
        ),
        (0, True, "", InputError, "its code was not taken out within 3 s; nothing was run"),
        (0, False, "## only\n\n", InputError, "holds no R code that is evaluated"),
    ],
)
def test_a_document_without_code_to_run_is_refused_with_the_reason(
    tmp_path, code, timed_out, written, error, expected
):
    def run(arguments: list[str]) -> Ran:
        Path(arguments[-1]).write_text(written)
        return Ran(code, timed_out, 3.0, b"", b"Error: broken\n", 0, 1)

    with pytest.raises(error, match=expected):
        tangled(document("```{r}\n```"), "doc.Rmd", tmp_path / "code.R", run)
