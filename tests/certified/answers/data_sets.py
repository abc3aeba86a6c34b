"""The data sets: who answered what.  `make_answers.py` stores each as `data/ID.json`.

A row is a number of persons (`weight`) with the same `answers`: for `pairs` +1 the first item preferred, 0 no
preference, -1 the second, in the order (1 2) (1 3) (2 3) (1 4) ...; for `ratings` 1 = most preferred; for
`ranks` 1 = best, equal numbers for shared places; null for no answer.  `unranked` says what null means in
ranks.  Data that may not be copied have no rows: `in_place` says what R package has them, `sha256` what they
must be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tests.certified.answers import from_r, made

Row = dict[str, Any]
INVENTED = "Invented for this set."
SALAD = "1234 2; 2134 1; 2143 2; 2314 1; 3124 2; 3142 1; 3421 1; 4123 11; 4132 6; 4213 3; 4312 1; 4321 1"
PUDDING = (
    "1 2 19 22 16; 1 3 16 19 12; 2 3 19 19 10; 1 4 18 23 13; 2 4 23 19 9; 3 4 19 20 15; 1 5 13 19 18;"
    " 2 5 16 20 12; 3 5 16 15 17; 4 5 17 14 16; 1 6 18 21 12; 2 6 22 20 12; 3 6 13 18 10; 4 6 14 19 18;"
    " 5 6 11 21 12"
)
CARS = ("price", "exterior", "brand", "tech.equip", "country", "interior")
DELIVERY = ("CO", "TV", "PA", "AU", "CL")
IMMIGRANTS = ("crimRate", "position", "socBurd", "culture")
ENVIRONMENT = ("CAR", "IND", "FARM", "WATER")


@dataclass(frozen=True)
class DataSet:
    """A data set; `rows` are read or drawn when they are needed."""

    id: str
    what: str
    source: str
    items: tuple[str, ...]
    layout: str
    rows: Callable[[], list[Row]]
    unranked: str | None = None
    in_place: str | None = None

    def document(self) -> dict[str, Any]:
        """What `data/ID.json` says."""
        rows = self.rows()
        found: dict[str, Any] = {"id": self.id, "what": self.what, "source": self.source}
        found.update(items=list(self.items), layout=self.layout, unranked=self.unranked)
        if self.in_place is None:
            return {**found, "in_place": None, "rows": rows}
        return {**found, "in_place": self.in_place, "sha256": from_r.sha256(rows), "rows": None}


def _digits(text: str) -> list[int | None]:
    return [int(c) or None for c in text]


def salad() -> list[Row]:
    each = [entry.split() for entry in SALAD.split(";")]
    return [{"weight": int(n), "answers": _digits(ranks)} for ranks, n in each]


def pudding() -> list[Row]:
    rows = []
    for entry in PUDDING.split(";"):
        i, j, *counts = map(int, entry.split())
        for n, (one, two) in zip(counts, ((1, 2), (2, 1), (1, 1))):
            answers: list[int | None] = [None] * 6
            answers[i - 1], answers[j - 1] = one, two
            rows.append({"weight": n, "answers": answers})
    return rows


def written(text: str) -> Callable[[], list[Row]]:
    """Rankings of one person each, 0 for no rank."""
    return lambda: [{"weight": 1, "answers": _digits(row)} for row in text.split()]


#: The tables of prefmod that are asked for, in one go.
EXPRESSIONS: list[str] = []


def of_r(expression: str, answers: int, coding: dict[int, int] | None = None, column: str = "") -> Any:
    """Rows of a table of prefmod: the first columns are the answers, the next one the covariate."""

    EXPRESSIONS.append(expression)

    @lru_cache(maxsize=None)
    def rows() -> list[Row]:
        found = []
        for line in from_r.tables("prefmod", tuple(EXPRESSIONS))[expression]:
            given = [None if v is None else (coding or {}).get(v, v) for v in line[:answers]]
            more = {column: line[answers]} if column else {}
            found.append({"weight": 1, "answers": given, **more})
        return found

    return rows


def some(table: str, columns: str, least: int) -> str:
    """R: rows of the columns with at least so many answers."""
    return f"{table}[rowSums(!is.na({table}[, {columns}])) >= {least}, {columns}]"


FIRST_OF_TWO = {1: 1, 2: -1}
R_SETS = (
    DataSet(
        "dat4",
        "A fictitious table of prefmod: 100 persons, 4 items, every pair, no ties",
        "prefmod 0.8-36, dat4",
        ("o1", "o2", "o3", "o4"),
        "pairs",
        of_r("dat4", 6),
        None,
        "prefmod::dat4",
    ),
    DataSet(
        "immig",
        "Attitudes towards immigrants: 98 students, 4 statements, ties, 34 of them with gaps",
        "Weber and Hatzinger (2011), in prefmod",
        IMMIGRANTS,
        "pairs",
        of_r("immig[, 1:6]", 6),
        None,
        "prefmod::immig[, 1:6]",
    ),
    DataSet(
        "trdel",
        "Training delivery modes: 198 persons, 5 modes, every pair, no ties",
        "Schoell and Veith (2011), in prefmod",
        DELIVERY,
        "pairs",
        of_r("trdel[, 1:10]", 10, FIRST_OF_TWO),
        None,
        "prefmod::trdel[, 1:10]",
    ),
    DataSet(
        "trdel4",
        "The first four modes of trdel, with the sex of the person",
        "Schoell and Veith (2011), in prefmod",
        DELIVERY[:4],
        "pairs",
        of_r("trdel[, c(1:6, 13)]", 6, FIRST_OF_TWO, "sex"),
        None,
        "prefmod::trdel[, c(1:6, 13)]",
    ),
    DataSet(
        "issp2000-4",
        "Dangers to the environment: 1595 persons rate 4 of them on 5 points",
        "ISSP 2000 (GESIS ZA3440), in prefmod",
        ENVIRONMENT,
        "ratings",
        of_r("issp2000[, 1:4]", 4),
        None,
        "prefmod::issp2000[, 1:4]",
    ),
    DataSet(
        "music4",
        "Four kinds of music on 5 points, with gaps; who rated fewer than two is left out",
        "US General Social Survey 1993 (ICPSR 35536), in prefmod",
        ("bigb", "blug", "coun", "blue"),
        "ratings",
        of_r(some("music", "1:4", 2), 4),
        None,
        f"prefmod::{some('music', '1:4', 2)}",
    ),
    DataSet(
        "music3x2",
        "Six kinds of music on 5 points read as three items at two times (for the arithmetic only)",
        "US General Social Survey 1993 (ICPSR 35536), in prefmod",
        ("bigb", "blug", "coun"),
        "ratings, 2 times",
        of_r(some("music", "1:6", 6), 6),
        None,
        f"prefmod::{some('music', '1:6', 6)}",
    ),
    DataSet(
        "carconf",
        "Order of 6 modules when configuring a car; modules without a rank come after all others",
        "Dabic and Hatzinger (2009), in prefmod",
        CARS,
        "ranks",
        of_r(some("carconf", "1:6", 1), 6),
        "below",
        f"prefmod::{some('carconf', '1:6', 1)}",
    ),
    DataSet(
        "carconf4",
        "The first four modules of carconf, with the sex of the person",
        "Dabic and Hatzinger (2009), in prefmod",
        CARS[:4],
        "ranks",
        of_r("carconf[rowSums(!is.na(carconf[, 1:4])) >= 1, c(1:4, 7)]", 4, None, "sex"),
        "below",
        "prefmod::carconf[rowSums(!is.na(carconf[, 1:4])) >= 1, c(1:4, 7)]",
    ),
)
OWN_SETS = (
    DataSet(
        "salad",
        "Four salad dressings ranked by 32 persons for tartness",
        "Critchlow and Fligner (1991), Psychometrika 56",
        ("A", "B", "C", "D"),
        "ranks",
        salad,
    ),
    DataSet(
        "salad-top-2",
        "The two best of the same rankings, the others below them",
        "Critchlow and Fligner (1991), Psychometrika 56",
        ("A", "B", "C", "D"),
        "ranks",
        lambda: [{**r, "answers": [a if a <= 2 else None for a in r["answers"]]} for r in salad()],
        "below",
    ),
    DataSet(
        "pudding",
        "Six chocolate puddings, 745 comparisons with ties, as rankings of two",
        "Davidson (1970), Journal of the American Statistical Association 65",
        tuple("123456"),
        "ranks",
        pudding,
        "absent",
    ),
    DataSet(
        "fruit",
        "Six rankings of four fruits with ties of two and three, and items that were not ranked",
        "Turner, van Etten, Firth and Kosmidis (2020), Computational Statistics 35: PlackettLuce's example",
        ("apple", "banana", "orange", "pear"),
        "ranks",
        written("1200 4123 2111 1230 2110 1032"),
        "absent",
    ),
    DataSet(
        "tie-link",
        "An item that never loses and ties once: the maximum exists",
        INVENTED,
        ("A", "B", "C"),
        "ranks",
        written("012 021 011 120 110"),
        "absent",
    ),
    DataSet(
        "order-3",
        "Ties of three items, none of two",
        INVENTED,
        ("A", "B", "C", "D"),
        "ranks",
        written("1112 1234 4321 2143 3412"),
    ),
    DataSet(
        "made-questions",
        "150 persons, four items, ties, 8 % gaps, two groups",
        INVENTED,
        made.ITEMS[:4],
        "pairs",
        made.questions,
    ),
    DataSet(
        "made-two-kinds",
        "240 persons of two kinds, four items, every pair, no ties",
        INVENTED,
        made.ITEMS[:4],
        "pairs",
        made.two_kinds,
    ),
    DataSet(
        "made-silent",
        "320 persons, four items, no ties, comparisons missing by their answer",
        INVENTED,
        made.ITEMS[:4],
        "pairs",
        made.silent,
    ),
    DataSet(
        "made-ratings",
        "160 persons rate four items on five points, 6 % gaps",
        INVENTED,
        made.ITEMS[:4],
        "ratings",
        made.ratings,
    ),
    DataSet(
        "made-panel",
        "140 persons rate three items on five points at two times",
        INVENTED,
        made.ITEMS[:3],
        "ratings, 2 times",
        made.panel,
    ),
    DataSet(
        "made-ranks",
        "The best one to five of five items by 160 persons of two regions, the others below",
        INVENTED,
        made.ITEMS,
        "ranks",
        made.ranks,
        "below",
    ),
    DataSet(
        "made-shared-places",
        "130 rankings of three to five of five items with shared places",
        INVENTED,
        made.ITEMS,
        "ranks",
        made.shared_places,
        "absent",
    ),
)
DATA_SETS = {data.id: data for data in (*OWN_SETS, *R_SETS)}
