"""R's files read without R: the same as R reads them, and nothing in them is run, however they were made."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import struct
import time

import numpy as np
import pytest

from pairproof.bridge.process.session import session
from pairproof.bridge.r_data import read_file, read_rda
from pairproof.bridge.values.nodes import dump
from pairproof.errors import InputError

#: What R itself makes of a file, in its own words.
LOAD = "holder <- new.env(); load(path, holder); mget(sort(ls(holder), method = 'radix'), holder)"

SAVE = """
d <- data.frame(i = c(1L, NA, 3L), x = c(NA, NaN, -Inf), f = factor(c("a", NA, "b"), levels = c("b", "a")), s = c("é", NA, "日"), l = c(TRUE, NA, FALSE),
                day = as.Date("2020-02-29") + 0:2, stringsAsFactors = FALSE)
latin <- iconv("caf\\u00e9", "UTF-8", "latin1")
m <- matrix(as.numeric(1:6), 2, dimnames = list(NULL, c("p", "q", "r")))
seq1 <- 1:100000; seq2 <- 10:2; dbl <- seq(0.5, 9.5); text <- as.character(c(1L, 20L, NA)); cplx <- complex(real = NA, imaginary = 1); r <- as.raw(c(0, 255))
nested <- list(a = list(b = NULL, c = list()), 3, pair = pairlist(x = 1, y = "b")); ordered <- factor(c("lo", "hi"), c("lo", "hi"), ordered = TRUE)
when <- as.POSIXct("2020-01-02 03:04:05", tz = "UTC"); none <- NULL; sorted <- sort(c(3, 1, 2)); named <- c(a = 1L, b = 2L)
save(list = setdiff(ls(), c("path", "compress", "version")), file = path, compress = compress, version = version); invisible()
"""


@pytest.mark.r
@pytest.mark.parametrize(("compress", "version"), [("gzip", 3), ("bzip2", 2), ("xz", 3), (False, 2)])
def test_every_bit_is_as_r_reads_it(tmp_path, compress, version):
    path = tmp_path / "all.rda"
    session().call(code=SAVE, args={"path": str(path), "compress": compress, "version": version})
    theirs = session().call(code=LOAD, args={"path": str(path)}).node
    ours = read_file(path)
    assert list(ours) == theirs[2]["names"][1]
    for (name, mine), other in zip(ours.items(), theirs[1]):
        assert dump(mine) == dump(other), name


@pytest.mark.r("prefmod", "BradleyTerry2", "gnm")
def test_the_packages_data_sets_are_as_r_has_them(tmp_path):
    sets = [
        ("prefmod", "cemspc"),
        ("prefmod", "baseball"),
        ("BradleyTerry2", "flatlizards"),
        ("BradleyTerry2", "CEMS"),
        ("gnm", "yaish"),
        ("gnm", "backPain"),
    ]
    for package, name in sets:
        path = tmp_path / f"{name}.rds"
        theirs = (
            session()
            .call(
                code=(
                    "holder <- new.env(); utils::data(list = name, package = package, envir = holder);"
                    " saveRDS(holder[[name]], path); holder[[name]]"
                ),
                args={"package": package, "name": name, "path": str(path)},
                needs=[package],
            )
            .node
        )
        assert dump(read_file(path)[name]) == dump(theirs), name


# -- files made by hand --------------------------------------------------------------------------------------

HEAD = b"X\n" + struct.pack(">iii", 2, 0x00040202, 0x00020300)


def symbol(name):
    return struct.pack(">i", 1) + struct.pack(">ii", 0x00040009, len(name)) + name


def text(value):
    return struct.pack(">ii", 16, 1) + struct.pack(">ii", 0x00040009, len(value)) + value


NIL = struct.pack(">i", 254)


#: system("touch FILE"), as a call.
def call(command):
    return struct.pack(">i", 6) + symbol(b"system") + struct.pack(">i", 2) + text(command) + NIL


def promise(command):
    """A promise not yet kept: its environment, no value, the call."""
    return struct.pack(">i", 0x405) + struct.pack(">i", 253) + struct.pack(">i", 252) + call(command)


def rda(name, value):
    return b"RDX2\n" + HEAD + struct.pack(">i", 0x402) + symbol(name) + value + NIL


@pytest.mark.parametrize("kind", ["rds", "rda", "in a list", "as an attribute"])
def test_a_promise_in_a_file_is_not_kept(tmp_path, kind):
    made = tmp_path / "pwned"
    bad = promise(f"touch {made}".encode())
    content = {
        "rds": HEAD + bad,
        "rda": rda(b"x", bad),
        "in a list": rda(b"x", struct.pack(">ii", 19, 1) + bad),
        "as an attribute": (
            HEAD + struct.pack(">iii", 0x20D, 1, 7) + struct.pack(">i", 0x402) + symbol(b"names") + bad + NIL
        ),
    }[kind]
    path = tmp_path / f"x.{'rda' if content.startswith(b'RDX') else 'rds'}"
    path.write_bytes(gzip.compress(content))
    try:
        read_rda(path)
    except (TypeError, InputError) as error:
        assert "closure" in str(error) or "promise" in str(error) or "R object" in str(error)
    assert not made.exists()


@pytest.mark.r
def test_functions_environments_and_s4_objects_are_named_and_not_read(tmp_path):
    path = tmp_path / "x.rda"
    session().call(
        code="""
f <- function(x) system("touch pwned"); e <- new.env(); e$x <- 1; makeActiveBinding("y", function() stop("run"), e)
q <- quote(system("touch pwned")); fo <- y ~ x; x <- 1
save(f, e, q, fo, x, file = path); invisible()""",
        args={"path": str(path)},
    )
    assert read_rda(path, "x").tolist() == [1.0]
    for name in ("f", "e", "q", "fo"):
        with pytest.raises(TypeError, match=f"x.rda, {name} is an R object"):
            read_rda(path, name)


@pytest.mark.parametrize("content", [
    lambda: gzip.compress(b"X\n" + bytes(300 * 2**20), 9),
    lambda: bz2.compress(b"X\n" + bytes(300 * 2**20), 9),
    lambda: lzma.compress(b"X\n" + bytes(300 * 2**20), preset=0),
    HEAD + struct.pack(">ii", 14, 2**31 - 1),
    HEAD + struct.pack(">iiII", 14, -1, 0xFFFF, 0xFFFFFFFF),
    HEAD + struct.pack(">ii", 19, 1) * 100_000 + NIL,
    HEAD + struct.pack(">i", 0x402) * 100_000,
    HEAD + struct.pack(">i", 255 | 7 << 8),
    HEAD + struct.pack(">ii", 9, 5) + b"hello",
    HEAD + struct.pack(">i", 238) + struct.pack(">i", 2) + symbol(b"compact_intseq") + NIL + struct.pack(">iiddd", 14, 3, 2e9, 1.0, 1.0) + NIL,
], ids=["gzip bomb", "bzip2 bomb", "xz bomb", "length", "long length", "nested lists", "nested tags", "reference", "loose text", "sequence"])  # fmt: skip
def test_a_small_file_takes_little_time_and_is_refused(tmp_path, content):
    path = tmp_path / "x.rds"
    path.write_bytes(content() if callable(content) else content)
    started = time.monotonic()
    with pytest.raises(InputError, match="x.rds: it "):
        read_rda(path)
    assert time.monotonic() - started < 20


def test_many_short_forms_of_long_vectors_are_bounded_by_their_sum(tmp_path, monkeypatch):
    """40 sequences of 50 million numbers are 144 bytes compressed and 8 GB in memory."""
    made: list[float] = []
    arange = np.arange
    monkeypatch.setattr(np, "arange", lambda n, **options: made.append(n) or arange(n, **options))
    about = struct.pack(">i", 2) + symbol(b"compact_intseq") + NIL
    one = struct.pack(">i", 238) + about + struct.pack(">iiddd", 14, 3, 5e7, 1.0, 1.0) + NIL
    path = tmp_path / "x.rds"
    path.write_bytes(gzip.compress(HEAD + struct.pack(">ii", 19, 40) + 40 * one))
    assert path.stat().st_size < 250
    with pytest.raises(
        InputError, match=r"x.rds: it holds sequences, .* take 400,000,000 bytes once written out"
    ):
        read_rda(path)
    assert made == [50_000_000]
    text = struct.pack(">i", 2) + symbol(b"deferred_string") + NIL
    pair = struct.pack(">i", 2) + one + NIL
    path.write_bytes(HEAD + struct.pack(">i", 238) + text + pair + NIL)
    with pytest.raises(InputError, match="x.rds: it holds sequences, .* take 3,400,000,000 bytes"):
        read_rda(path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "x.rds")
    with pytest.raises(InputError, match="is a pipe; expected a file of R's save"):
        read_rda(tmp_path / "x.rds")


def test_bytes_changed_at_random_end_as_errors_that_say_so(tmp_path):
    names = (
        struct.pack(">i", 0x402)
        + symbol(b"names")
        + struct.pack(">ii", 16, 2)
        + 2 * (struct.pack(">ii", 0x00040009, 1) + b"a")
    )
    frame = (
        struct.pack(">ii", 0x313, 2)
        + (struct.pack(">ii", 13, 2) + struct.pack(">ii", 1, 2))
        + (struct.pack(">ii", 14, 2) + struct.pack(">dd", 1.5, np.nan))
    )
    whole = rda(b"d", frame + names + struct.pack(">i", 0x402) + symbol(b"class") + text(b"data.frame") + NIL)
    path = tmp_path / "x.rda"
    path.write_bytes(whole)
    assert read_rda(path).shape[0] == 2
    generator = random.Random(5)
    for _ in range(800):
        changed = bytearray(whole)
        for _ in range(generator.randint(1, 4)):
            changed[generator.randrange(5, len(changed))] = generator.choice(
                (0, 1, 2, 3, 9, 13, 16, 19, 127, 254, 255)
            )
        path.write_bytes(changed[: generator.choice((len(changed), generator.randrange(len(changed))))])
        try:
            read_rda(path)
        except (InputError, TypeError) as error:
            assert str(error)
