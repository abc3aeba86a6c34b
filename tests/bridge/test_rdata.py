"""R's own data sets and files, in pandas and as comparisons."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.bridge import RList, RVector
from pairproof.bridge.process.session import session
from pairproof.bridge.r_data import package_data, read_rda, to_pandas
from pairproof.errors import InputError, RError
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.claims.data import read_data

SCHOOLS = ["London", "Paris", "Milano", "St. Gallen", "Barcelona", "Stockholm"]


def counts(table: pairproof.Comparisons) -> dict[frozenset[str], dict[str, float]]:
    """Pair -> wins of each and ties."""
    return {frozenset(pair): {pair[0]: w, pair[1]: l, "tie": t} for pair, (w, t, l) in table.pooled().items()}


@pytest.mark.r("prefmod")
def test_prefmods_wide_data_are_read_once_order_and_coding_are_said() -> None:
    cemspc = package_data("prefmod", "cemspc")
    table = pairproof.read(
        cemspc,
        layout="prefmod",
        items=SCHOOLS,
        pair_order="prefmod",
        coding="first=0,tie=1,second=2,missing=NA",
    )
    assert counts(table) == counts(read_data(read_paper("cems"), "cems-1998-erroneous"))
    assert table.n_comparisons == 4454 and set(table.columns) == {"ENG", "SEX", "person"}
    assert len(table.columns["person"].levels) == len(cemspc), "a row of the wide table is a person"


@pytest.mark.r("BradleyTerry2")
def test_bradleyterry2s_tables_are_read_in_each_of_their_layouts() -> None:
    contests = package_data("BradleyTerry2", "CEMS")["preferences"].dropna(subset=["win1"])
    named = contests.assign(
        **{c: contests[c].astype(str).replace("St.Gallen", "St. Gallen") for c in ("school1", "school2")}
    )
    table = pairproof.read(
        named[["school1", "school2", "win1", "tied", "win2"]],
        layout="counts",
        columns={"first": "school1", "second": "school2", "wins": "win1", "ties": "tied", "losses": "win2"},
    )
    assert counts(table) == counts(read_data(read_paper("cems"), "cems-2001"))
    citations = package_data("BradleyTerry2", "citations")
    matrix = pairproof.read(citations.where(~np.eye(4, dtype=bool), 0), layout="matrix", winner="rows")
    assert counts(matrix) == counts(read_data(read_paper("firth-2005"), "citations"))
    baseball = pairproof.read(
        package_data("BradleyTerry2", "baseball"),
        layout="counts",
        columns={"first": "home.team", "second": "away.team", "wins": "home.wins", "losses": "away.wins"},
    )
    assert counts(baseball) == counts(read_data(read_paper("firth-2005"), "baseball"))


@pytest.mark.r
def test_a_file_of_r_comes_back_as_it_went(tmp_path) -> None:
    path = str(tmp_path / "mine.rda")
    session().call(
        code="""
d <- data.frame(a = c(1.5, NA), b = factor(c("x", "y"), levels = c("y", "x")), c = c(1L, NA), row.names = c("r1", "r2"))
m <- matrix(c(1L, NA, 3L, 4L), 2, dimnames = list(c("A", "B"), c("A", "B")))
v <- c(p = 1, q = 2)
f <- function(x) x
save(d, m, v, f, file = path); saveRDS(m, sub("rda$", "rds", path)); save(d, file = sub("mine", "one", path)); invisible()
""",
        args={"path": path},
    )
    d = read_rda(path, "d")
    assert (
        list(d.index) == ["r1", "r2"]
        and list(d["b"].cat.categories) == ["y", "x"]
        and d["c"].isna().tolist() == [False, True]
    )
    m = read_rda(path, "m")
    assert m.loc["A", "B"] == 3 and np.isnan(m.loc["B", "A"]), "a missing integer is not 0"
    assert read_rda(tmp_path / "mine.rds").equals(m) and read_rda(tmp_path / "one.rda").equals(d)
    assert read_rda(path, "v").to_dict() == {"p": 1.0, "q": 2.0}
    with pytest.raises(TypeError, match="mine.rda, f is an R object of class"):
        read_rda(path, "f")
    with pytest.raises(InputError, match="holds d, f, m, v; name the object"):
        read_rda(path)
    with pytest.raises(InputError, match="and no 'q'"):
        read_rda(path, "q")


@pytest.mark.r("prefmod")
def test_a_data_set_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(RError, match="prefmod has no data set 'cems'; it has baseball, carconf, cemspc"):
        package_data("prefmod", "cems")


def test_what_is_no_file_of_rs_is_an_error_of_the_input(tmp_path) -> None:
    for content, said in (
        (b"", "not a file of R's"),
        (b"a,b\n1,2\n", "not a file of R's"),
        (b"RDX3\nX\n\0\0\0\3", "ends in the middle"),
        (b"\x1f\x8b\x08garbage", "damaged"),
        (b"A\n3\n", "without ascii = TRUE"),
    ):
        (tmp_path / "x.rda").write_bytes(content)
        with pytest.raises(InputError, match=said):
            read_rda(tmp_path / "x.rda")
    with pytest.raises(InputError, match="no such file"):
        read_rda(tmp_path / "y.rda")
    with pytest.raises(InputError, match="is a directory; expected a file of R's save"):
        read_rda(tmp_path)


def test_lists_of_tables_become_dicts_and_missing_integers_stay_missing() -> None:
    whole = RVector(np.array([1, 0], np.int32), np.array([False, True]))
    found = to_pandas(RList((whole, RList((whole,), ("a",), ("data.frame",))), ("v", "d")), "x")
    assert found["v"].isna().tolist() == [False, True] and isinstance(found["d"], pd.DataFrame)
