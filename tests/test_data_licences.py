"""What data travel in the wheel: each file of them is listed with its source, and none is another's data set."""

from __future__ import annotations

import itertools
import json

import pytest

from pairproof.validation.check.claims_file import shipped_papers
from tests.data_licences import ANSWERS, PACKAGE, data_files, licences, sha256
from tests.places import ROOT

LISTED = licences()


def test_each_data_file_of_the_package_is_listed_and_each_line_has_its_file():
    answers = {f"{ANSWERS}/{name}" for name in LISTED["records"]}
    assert sorted({*LISTED["files"], *answers}) == data_files()


def test_a_file_that_is_not_listed_and_a_line_without_its_file_are_found(tmp_path):
    for name in ("own.csv", "code.py", "sub/data.rds", "DATA-LICENCES.toml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("", "utf-8")
    assert data_files(tmp_path) == ["own.csv", "sub/data.rds"]


def test_each_listed_file_is_the_one_whose_source_was_looked_at():
    answers = {f"{ANSWERS}/{name}": entry for name, entry in LISTED["records"].items()}
    other = [
        n for n, entry in {**LISTED["files"], **answers}.items() if sha256(PACKAGE / n) != entry["sha256"]
    ]
    assert not other, f"other content than listed (python -m tests.data_licences): {other}"


def test_each_source_says_what_it_is_whose_and_why_it_may_be_shipped():
    for name, source in LISTED["source"].items():
        assert sorted(source) == ["holder", "licence", "may_be_shipped", "what"], name
        assert all(source.values()), name
    used = {s for entry in LISTED["files"].values() for s in entry["sources"]}
    assert used == set(LISTED["source"])


def test_each_validation_is_listed_and_asks_for_the_answers_under_its_name():
    assert sorted(LISTED["papers"]) == sorted(shipped_papers())
    for name, entry in LISTED["records"].items():
        assert entry["asked_by"] and set(entry["asked_by"]) <= set(LISTED["papers"]), name


# ---- data sets of R's packages -----------------------------------------------------------------------------

#: Every data set of these packages, column by column and each matrix as a whole, as texts.
COLUMNS = """
found <- list()
keep <- function(name, x) if (length(x) >= 15)
  found[[length(found) + 1]] <<- c(name, format(as.numeric(x), digits = 12, trim = TRUE))
walk <- function(name, x, depth = 0) {
  if (depth > 6) return(invisible())
  if (inherits(x, c("paircomp", "itemresp"))) x <- as.matrix(x)
  if (is.data.frame(x) || is.list(x)) for (part in unclass(x)) walk(name, part, depth + 1)
  else if (is.numeric(x) || is.factor(x)) keep(name, as.vector(unclass(x)))
}
of <- function(package) unique(sub(" .*", "", utils::data(package = package)$results[, "Item"]))
for (package in packages) for (item in of(package)) {
  here <- new.env()
  utils::data(list = item, package = package, envir = here)
  for (object in ls(here)) walk(paste0(package, "::", object), get(object, here))
}
found
"""
PACKAGES = ("BradleyTerry2", "psychotools")
#: Facts that publications print, which these packages carry too: two sources of the list, the plates of
#: Crowder (1978, Table 3) and the counts of Springall (1973, Table 1).
PRINTED = {f"BradleyTerry2::{name}" for name in ("baseball", "citations", "seeds", "springall")}
RUN = 40


def runs(values):
    """Every stretch of 40 values that tells data from a design: they go up and down, and few are the most
    frequent value, or equal ones follow each other in blocks of many lengths.
    """
    for start in range(len(values) - RUN + 1):
        run = values[start : start + RUN]
        blocks = {len(list(block)) for _, block in itertools.groupby(run)}
        often = max(run.count(value) for value in set(run))
        numbers = [float(value) for value in run if value is not None]
        ordered = numbers in (sorted(numbers), sorted(numbers, reverse=True))
        if not ordered and (often < RUN / 4 or len(blocks) >= 5 and often < RUN * 3 / 4):
            yield run


def vectors(node):
    """Every vector of numbers in a JSON document."""
    if isinstance(node, dict):
        node = list(node.values())
    if isinstance(node, list):
        if len(node) >= RUN and all(isinstance(v, (int, float)) or v is None for v in node):
            yield tuple(None if v is None else f"{float(v):.11g}" for v in node)
        for part in node:
            if isinstance(part, (list, dict)):
                yield from vectors(part)


@pytest.mark.r(*PACKAGES)
@pytest.mark.nightly
def test_no_kept_answer_and_no_certified_file_holds_a_data_set_of_a_package():
    from pairproof.bridge import Backend

    asked = Backend("live").call(code=COLUMNS, args={"packages": list(PACKAGES)})
    known = {}
    for part in asked.as_list().values:
        name, *texts = part.values
        values = tuple(None if t in ("NA", "NaN") else f"{float(t):.11g}" for t in texts)
        known |= {run: name for run in runs(values) if name not in PRINTED}
    assert {"BradleyTerry2::flatlizards", "BradleyTerry2::football"} <= set(known.values())
    folders = ("pairproof", "tests", "docs", "tools")
    found = {
        (path.relative_to(ROOT).as_posix(), known[run])
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.json"))
        for vector in vectors(json.loads(path.read_text("utf-8")))
        for run in (vector[start : start + RUN] for start in range(len(vector) - RUN + 1))
        if run in known
    }
    assert not found, "\n".join(map(" ".join, sorted(found)))
