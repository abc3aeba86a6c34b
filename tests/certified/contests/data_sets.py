"""The data sets: contests, columns of the contests, covariates of the items.

Numbers that are not whole are decimal text, which is exact.  Journals and baseball are those of
`tests/certified/data`.  flatlizards comes with BradleyTerry2, a GPL package, and is read in place: its rows
are not in the repository, only the SHA-256 that they must have.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

from tests.certified.answers.from_r import NotHere, run

DATA = Path(__file__).resolve().parents[1] / "data"

Document = dict[str, Any]
Counts = Sequence[Sequence[int]]


def _document(
    name: str, what: str, source: str, items: Sequence[str], rows: list[Document], **more: Any
) -> Document:
    return {"id": name, "what": what, "source": source, "items": list(items), **more, "rows": rows}


def _row(first: str, second: str, counts: Sequence[int], **more: Any) -> Document:
    names = ("wins", "losses") if len(counts) == 2 else ("wins", "ties", "losses")
    return {"first": first, "second": second, **dict(zip(names, counts)), **more}


def _pairs(items: str, counts: Counts, **columns: Sequence[Any]) -> list[Document]:
    """Every pair once, in order."""
    return [
        _row(a, b, counts[k], **{name: values[k] for name, values in columns.items()})
        for k, (a, b) in enumerate(combinations(items, 2))
    ]


def _of_ten(wins: Sequence[int], n: int = 10) -> Counts:
    return [(w, n - w) for w in wins]


def _of_pairs(name: str) -> Document:
    """A table of `tests/certified/data`; baseball gets the column `home`, 1 in every row."""
    found: Document = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    rows = [{**row, "home": 1} for row in found["rows"]] if name == "baseball-1987" else found["rows"]
    return _document(name, found["what"], found["source"], found["items"], rows)


def _homes_and_ties() -> Document:
    wins = (9, 12, 15, 8, 11, 7, 4, 5, 2, 6, 3, 5)
    ties = (6, 4, 2, 7, 5, 6, 5, 6, 3, 5, 4, 7)
    losses = (5, 4, 3, 5, 4, 7, 11, 9, 15, 9, 13, 8)
    pairs = list(combinations("ABCD", 2))
    rows = [
        _row(*pair, (wins[k], ties[k], losses[k]), home=0 if k in (2, 8) else 1)
        for k, pair in enumerate([*pairs, *((b, a) for a, b in pairs)])
    ]
    what = "Four teams, every pair at both homes, two of the twelve rows on neutral ground; ties"
    return _document("homes-and-ties", what, "Made for this set", "ABCD", rows)


def _eight_judges() -> Document:
    said = "431 342 123 013 443 201 320 134".split()
    rows = [
        _row(*pair, (int(w), 4 - int(w)), judge=k + 1)
        for k, wins in enumerate(said)
        for pair, w in zip(combinations("123", 2), wins)
    ]
    what = "Eight judges compare each pair of three items four times"
    return _document("eight-judges", what, "Made for this set", "123", rows)


def _ten_judges() -> Document:
    wins = (5, 1, 4, 2, 6, 0, 3, 6, 2, 5)
    rows = [_row("A", "B", (w, 6 - w), judge=k + 1, group=k % 2) for k, w in enumerate(wins)]
    what = "Ten judges, of two groups in turn, compare two items six times each"
    return _document("ten-judges", what, "Made for this set", "AB", rows)


MADE = "Made for this set"
OFFSETS = ("0.5", "-0.25", 0, "0.125", 0, 1)
TWO_COVARIATES = {"x": {"A": 0, "B": 1, "C": 2, "D": 4}, "z": {"A": 1, "B": 0, "C": "1.5", "D": "-0.5"}}
MISSING = {
    "x": {"A": 0, "B": 1, "C": 2, "D": 4, "E": "2.5"},
    "z": {"A": 1, "B": 0, "C": "1.5", "D": "-0.5", "E": None},
}
ONE_COVARIATE = {"x": {"A": 0, "B": 1, "C": 2, "D": 4}}
OF_THREE = {"x": {"A": 0, "B": 1, "C": "0.5"}}
BY_PAIR = (3, 6, 1, 8, 2, 1)
OF_FIVE = (7, 5, 2, 6, 8, 3, 7, 1, 4, 9)
UNBALANCED = ((9, 3, 2), (4, 0, 1), (6, 1, 0), (3, 2, 3), (12, 6, 5), (2, 1, 1))

#: Without R.
OWN: dict[str, Document] = {
    found["id"]: found
    for found in (
        _of_pairs("citations"),
        _of_pairs("baseball-1987"),
        _document(
            "four-offset",
            "Four players with two covariates, ten contests a pair, each pair with an offset",
            MADE,
            "ABCD",
            _pairs("ABCD", _of_ten(BY_PAIR), offset=OFFSETS),
            item_data=TWO_COVARIATES,
        ),
        _document(
            "missing-covariate",
            "Five players with two covariates, ten contests a pair; E has no value of z",
            MADE,
            "ABCDE",
            _pairs("ABCDE", _of_ten(OF_FIVE)),
            item_data=MISSING,
        ),
        _homes_and_ties(),
        _document(
            "separated",
            "Four players, five contests a pair; player 1 always wins",
            MADE,
            "1234",
            _pairs("1234", _of_ten((5, 5, 5, 3, 4, 2), 5)),
        ),
        _document(
            "unbalanced-ties",
            "Four players with ties; pairs met from 4 to 23 times",
            MADE,
            "1234",
            _pairs("1234", UNBALANCED),
        ),
        _document(
            "four-players",
            "Four players with one covariate, ten contests a pair",
            MADE,
            "ABCD",
            _pairs("ABCD", _of_ten(BY_PAIR)),
            item_data=ONE_COVARIATE,
        ),
        _document(
            "three-players",
            "Three players with one covariate; pairs met 16, 12 and 18 times",
            MADE,
            "ABC",
            _pairs("ABC", ((14, 2), (3, 9), (1, 17))),
            item_data=OF_THREE,
        ),
        _eight_judges(),
        _ten_judges(),
    )
}
#: R's expression, and the SHA-256 of the rows and covariates as `read` returns them.
COVARIATES = ("throat.PC1", "throat.PC3", "head.length", "SVL")
LIZARDS_SHA256 = "41b96526449fe8c815814afdcf572844ca0cf62ed461bf89408bcdc21e66b695"
READ = """
suppressMessages(suppressWarnings(library(BradleyTerry2)))
data(flatlizards)
x <- flatlizards$predictors
cat("table\\n")
for (k in rownames(x)) {{
  v <- unlist(x[k, c({columns})])
  cat(k, ifelse(is.na(v), "NA", sprintf("%.17g", v)), "\\n")
}}
cat("table\\n")
with(flatlizards$contests, cat(paste(winner, loser), sep = "\\n"))
"""


@lru_cache(maxsize=None)
def lizards() -> Document:
    """flatlizards with its rows and covariates, for the machine that has BradleyTerry2.

    Raises
    ------
    NotHere
        R does not run, the package is not installed, or has another table.
    """
    columns = ", ".join(f'"{name}"' for name in COVARIATES)
    values, contests = run("BradleyTerry2", READ.format(columns=columns)).split("table\n")[1:]
    table = [line.split() for line in values.splitlines()]
    covariates = {
        name: {line[0]: None if line[k + 1] == "NA" else line[k + 1] for line in table}
        for k, name in enumerate(COVARIATES)
    }
    rows = [_row(*line.split()[:2], (1, 0)) for line in contests.splitlines()]
    found = {**lizards_without_rows(), "items": [line[0] for line in table], "rows": rows}
    found["item_data"] = covariates
    sha256 = hashlib.sha256(repr((covariates, rows)).encode()).hexdigest()
    if sha256 != LIZARDS_SHA256:
        raise NotHere(f"BradleyTerry2's flatlizards has SHA-256 {sha256}; expected {LIZARDS_SHA256}")
    return found


def lizards_without_rows() -> Document:
    """What the repository has of flatlizards."""
    return {
        "id": "flatlizards",
        "what": "100 contests of 77 lizards; two have no throat measurements, and lizard096 never lost",
        "source": "Whiting et al. (2006), Animal Behaviour 72, in BradleyTerry2 (Turner and Firth 2012, 3.2)",
        "in_place": "BradleyTerry2::flatlizards",
        "sha256": LIZARDS_SHA256,
        "rows": None,
    }


NAMES = (*OWN, "flatlizards")


def stored(name: str) -> Document:
    """The data set as its file has it."""
    return lizards_without_rows() if name == "flatlizards" else OWN[name]


def read(name: str) -> Document:
    """The data set with its rows; raises NotHere as `lizards`."""
    return lizards() if name == "flatlizards" else OWN[name]
