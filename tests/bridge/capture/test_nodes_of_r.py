"""R's values become the nodes that the bridge reads, every bit of them."""

from __future__ import annotations

import json
import math
import shutil
import subprocess

import numpy as np
import pytest

from pairproof.bridge.values.nodes import RList, ROpaque, RVector, from_node, load
from tests.bridge.capture.recorded_runs import R_SIDE


def nodes(tmp_path, *expressions: str):
    """Values of R expressions, through json.R."""
    script = tmp_path / "nodes.R"
    source = json.dumps(str(R_SIDE / "json.R"))
    lines = ["house <- new.env(parent = baseenv())", f"sys.source({source}, envir = house)"]
    lines += [f"cat(house$node({text}), '\\n', sep = '')" for text in expressions]
    script.write_text("\n".join(lines), "utf-8")
    program = shutil.which("Rscript") or "Rscript"
    done = subprocess.run([program, "--vanilla", str(script)], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return [from_node(load(json.loads(line))) for line in done.stdout.decode("utf-8").splitlines()]


@pytest.mark.r
def test_numbers_keep_every_bit(tmp_path):
    doubles, whole, truth, none, empty = nodes(
        tmp_path,
        "c(0.1, 1/3, pi * 1e300, 5e-324, -0, 2^53 + 2, NA, NaN, Inf, -Inf)",
        "c(a = 1L, b = NA, c = 100000L, d = -2147483647L)",
        "c(TRUE, NA, FALSE)",
        "NULL",
        "list()",
    )
    assert isinstance(doubles, RVector)
    expected = [0.1, 1 / 3, math.pi * 1e300, 5e-324, -0.0, 2.0**53 + 2]
    assert np.array_equal(doubles.values[:6].view(np.uint64), np.array(expected).view(np.uint64))
    assert doubles.na.tolist() == [False] * 6 + [True] + [False] * 3
    assert np.isnan(doubles.values[6:8]).all() and doubles.values[8:].tolist() == [math.inf, -math.inf]
    assert whole.by_name() == {"a": 1, "b": None, "c": 100000, "d": -2147483647}
    assert (truth.values.tolist(), truth.na.tolist()) == ([True, False, False], [False, True, False])
    assert none is None
    assert isinstance(empty, RList) and len(empty) == 0


@pytest.mark.r
def test_text_of_any_kind_is_read_back(tmp_path):
    text, latin, names = nodes(
        tmp_path,
        r"""c("plain", "quo\"te", "back\\slash", "new\nline\ttab", "\u00e9\u4e2d", NA, "", "\001\177")""",
        r"""`Encoding<-`("caf\xe9", "latin1")""",
        r"""c("a b" = 1, "\u00e9" = 2)""",
    )
    assert text.values.tolist() == [
        "plain", 'quo"te', "back\\slash", "new\nline\ttab", "é中", None, "", "\x01\x7f"
    ]  # fmt: skip
    assert text.na.tolist() == [False] * 5 + [True, False, False]
    assert latin.values.tolist() == ["café"]
    assert names.by_name() == {"a b": 1.0, "é": 2.0}


@pytest.mark.r
def test_frames_factors_and_designs_keep_their_attributes(tmp_path):
    frame, factor, matrix, design = nodes(
        tmp_path,
        "data.frame(y = c(1.5, NA), f = factor(c('u', 'v')), s = c('a', 'b'), stringsAsFactors = FALSE)",
        "structure(factor(c('b', NA, 'a')), contrasts = 'contr.sum')",
        "structure(matrix(1:4, 2, dimnames = list(NULL, c('p', 'q'))), assign = 0:1)",
        "structure(list(y = 1), row.names = 'r', class = c('data.frame', 'llbtdes'),"
        " objnames = c('o1', 'o2'), cat.scovs = 'ENG')",
    )
    assert frame.names == ("y", "f", "s") and frame.rclass == ("data.frame",)
    assert frame.attributes["row.names"].na.tolist() == [True, False]  # R's compact c(NA, -2)
    assert frame.vector("f").levels == ("u", "v") and frame.vector("s").values.tolist() == ["a", "b"]
    assert factor.levels == ("a", "b") and factor.na.tolist() == [False, True, False]
    assert factor.attributes["contrasts"].values.tolist() == ["contr.sum"]
    assert matrix.values.shape == (2, 2) and matrix.dimnames == (None, ("p", "q"))
    assert matrix.attributes["assign"].values.tolist() == [0, 1]
    assert design.rclass == ("data.frame", "llbtdes")
    assert design.attributes["objnames"].values.tolist() == ["o1", "o2"]


@pytest.mark.r
def test_what_has_no_plain_form_is_named_and_what_is_too_large_is_left_out(tmp_path):
    function, environment, formula, large, inside, deep = nodes(
        tmp_path,
        "function(x) x",
        "new.env()",
        "y ~ a + `b c`",
        "numeric(6000001)",
        "list(1, list(f = sum))",
        "{ x <- 1; for (i in 1:60) x <- list(x); x }",
    )
    assert function == ROpaque("closure") and environment == ROpaque("environment")
    assert formula.text == "y ~ a + `b c`"
    assert large == ROpaque("large")
    assert inside[1]["f"] == ROpaque("builtin")
    for _ in range(41):
        deep = deep[0]
    assert deep == ROpaque("deep")
