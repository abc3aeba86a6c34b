"""The user's file: what is taken, and what is refused with a message that says what to do.  No R is needed."""

from __future__ import annotations

import re

import pytest

from pairproof.bridge.capture import run
from pairproof.bridge.capture.run import capture, plain_environment
from pairproof.bridge.capture.scripts import read_script
from pairproof.bridge.process.cures import no_r_cure
from pairproof.errors import InputError, RUnavailable


@pytest.mark.parametrize(
    "name, content, expected",
    [
        ("a.R", b"", r"a.R: is empty \(0 bytes\); expected an R script"),
        ("a.R", b" \n\t\n", r"a.R: is empty \(4 bytes\)"),
        ("a.R", b"x <- 1\0", "holds a zero byte"),
        ("a.R", b"\xff\xfex\0", "is in UTF-16, expected UTF-8"),
        ("a.R", b"RDX3\nabc", "is R data"),
        ("a.R", b"PK\x03\x04", "is a zip archive"),
        ("a.py", b"x = 1", r"the suffix '.py' is not that of a script; expected an R script \(.R\)"),
        ("a", b"x <- 1", "a file without a suffix is not"),
    ],
)
def test_a_file_that_is_no_script_is_refused_with_what_was_found_and_what_to_do(
    tmp_path, name, content, expected
):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=expected):
        read_script(tmp_path / name)


@pytest.mark.parametrize(
    "byte, text, encoding",
    [(b"\xe9", "é", "Windows-1252"), (b"\x80", "€", "Windows-1252"), (b"\x81", "\x81", "latin1")],
)
def test_a_script_that_is_not_utf_8_is_read_as_windows_wrote_it(tmp_path, byte, text, encoding):
    (tmp_path / "a.R").write_bytes(b"y <- '" + byte + b"'\r\n")
    found = read_script(tmp_path / "a.R")
    assert (found.text, found.encoding, found.rewritten) == (f"y <- '{text}'\n", encoding, True)


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such file; expected an R script"):
        capture(tmp_path / "nothing.R")
    (tmp_path / "one.R").write_text("1")
    with pytest.raises(InputError, match="is a directory; .*; it holds one.R"):
        capture(tmp_path)
    with pytest.raises(InputError, match="empty"):
        capture("")


def test_without_r_the_cure_is_told(tmp_path, monkeypatch):
    (tmp_path / "a.R").write_text("1")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("R_HOME", raising=False)
    with pytest.raises(RUnavailable, match=f"R is not installed.*\n  cure: {re.escape(no_r_cure())}"):
        capture(tmp_path / "a.R")


def test_a_temporary_folder_that_is_none_is_told(tmp_path, monkeypatch):
    (tmp_path / "a.R").write_text("1")
    monkeypatch.setattr(run, "r_home", lambda: "/usr/lib/R")
    monkeypatch.setattr(run.tempfile, "tempdir", str(tmp_path / "nothing"))
    with pytest.raises(InputError, match="set TMPDIR"):
        capture(tmp_path / "a.R")


@pytest.mark.parametrize(
    "given, expected",
    [
        ({"LANG": "de_DE.UTF-8"}, {"LANG": "de_DE.UTF-8", "LC_CTYPE": None}),
        ({"LC_ALL": "C"}, {"LC_ALL": None, "LC_COLLATE": "C", "LC_CTYPE": "C.UTF-8"}),
        ({"LC_ALL": "en_US.utf8"}, {"LC_ALL": None, "LC_COLLATE": "en_US.utf8", "LC_CTYPE": "en_US.utf8"}),
        ({}, {"LC_CTYPE": "C.UTF-8", "LC_COLLATE": None, "OMP_NUM_THREADS": "1", "LANGUAGE": "en"}),
    ],
)
def test_sorting_stays_the_users_and_text_is_utf_8(tmp_path, given, expected):
    found = plain_environment(tmp_path, given)
    assert {name: found.get(name) for name in expected} == expected


def test_a_time_limit_that_is_none_is_refused(tmp_path):
    for seconds in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="expected a number above 0"):
            capture(tmp_path / "a.R", seconds=seconds)


@pytest.mark.parametrize(
    "content, rewritten",
    [
        (b"x <- 1\ny\n", False),
        (b"x <- 1\r\ny\r\n", False),
        (b"\xef\xbb\xbfx <- 1\ny", True),
        (b"x <- 1\ry\r", True),
    ],
)
def test_the_lines_are_the_same_whatever_ends_them(tmp_path, content, rewritten):
    (tmp_path / "a.R").write_bytes(content)
    script = read_script(tmp_path / "a.R")
    assert (script.lines, script.rewritten) == (("x <- 1", "y"), rewritten)


@pytest.mark.parametrize(
    "name, kind", [("a.r", "R"), ("a.Rmd", "Rmd"), ("a.qmd", "Rmd"), ("a.Rnw", "Rnw"), ("a.SNW", "Rnw")]
)
def test_the_kind_is_told_by_the_suffix(tmp_path, name, kind):
    (tmp_path / name).write_text("x")
    assert read_script(tmp_path / name).kind == kind
