"""The data sets, written down once; `make_certified.py` stores each as `data/ID.json`.

A row is a count from the side of `first`: `wins` times first was preferred, `losses` times second.
Where the instrument offered no tie there is no `ties` entry (not a zero).
"""

from __future__ import annotations

from typing import Any

from tests.certified.generators import Row, both_orders_and_neutral, fifteen_items_with_ties

DataSet = dict[str, Any]

DRAS = "Dras (2015), Computational Linguistics 41(2)"
CEMS_SOURCE = (
    "Counts of 303 students x 15 pairs, documented with psychotree's CEMSChoice data; first studied in"
    " Dittrich, Hatzinger and Katzenbeisser (1998), corrigendum 2001. 91 answers to Paris - Milano are"
    " missing."
)
INVENTED = "Invented for this set."
FIRTH = "Firth (2005), Journal of Statistical Software 12(1): citations between four journals"


def _counts(text: str, names: dict[str, str] | None = None, ties: bool = True) -> list[Row]:
    """Rows of 'A B 61 24 35; ...' (wins, ties, losses) or, without ties, 'A B 61 35; ...'."""
    rows = []
    for entry in text.split(";"):
        first, second, *numbers = entry.split()
        keys = ("wins", "ties", "losses") if ties else ("wins", "losses")
        if len(numbers) != len(keys):
            raise ValueError(f"{entry!r}: found {len(numbers)} counts, expected {len(keys)}")
        spell = names or {}
        row: Row = {"first": spell.get(first, first), "second": spell.get(second, second)}
        row.update((key, int(number)) for key, number in zip(keys, numbers))
        rows.append(row)
    return rows


def _table_1() -> list[Row]:
    """Dras's Table 1, one row a judge and pair, as printed."""
    judges = {
        1: "A B 38 0 2; A C 36 1 3; A D 37 1 2; B C 39 1 0; B D 0 2 38; C D 3 0 37",
        2: "A B 37 2 1; A C 36 3 1; A D 38 1 1; B C 37 2 1; B D 2 2 36; C D 1 0 39",
        3: "A B 33 4 3; A C 33 3 4; A D 3 3 34; B C 4 4 32; B D 2 4 34; C D 1 0 39",
        4: "A B 37 2 1; A C 39 0 1; A D 35 3 2; B C 34 2 4; B D 2 2 36; C D 3 1 36",
    }
    rows = []
    for judge, text in judges.items():
        for row in _counts(text):
            rows.append({**row, "judge": judge})
    return rows


def _in_prefmods_order(rows: list[Row]) -> list[Row]:
    """The same columns read as 12 13 23 14 24 34: what stood under AD is taken for BC, and BC for AD."""
    swapped = {("A", "D"): ("B", "C"), ("B", "C"): ("A", "D")}
    read = []
    for row in rows:
        pair = (row["first"], row["second"])
        first, second = swapped.get(pair, pair)
        read.append({**row, "first": first, "second": second})
    return read


def _with_invented_covariates(rows: list[Row]) -> list[Row]:
    age = {1: 25, 2: 31, 3: 38, 4: 52}
    expert = {1: "no", 2: "yes", 3: "yes", 4: "no"}
    return [
        {**row, "age": age[row["judge"]], "expert": expert[row["judge"]], "number": row["judge"]}
        for row in rows
    ]


def _pooled(rows: list[Row], ties: bool = True) -> list[Row]:
    """One row a pair, counts added over judges; with `ties=False` every tie count is set to 0."""
    total: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        cell = total.setdefault((row["first"], row["second"]), [0, 0, 0])
        for k, outcome in enumerate(("wins", "ties", "losses")):
            cell[k] += row[outcome]
    return [
        {"first": first, "second": second, "wins": w, "ties": t if ties else 0, "losses": l}
        for (first, second), (w, t, l) in total.items()
    ]


BASEBALL = """
Milwaukee Detroit 4 3; Milwaukee Toronto 4 2; Milwaukee New_York 4 3; Milwaukee Boston 6 1;
Milwaukee Cleveland 4 2; Milwaukee Baltimore 6 0; Detroit Milwaukee 3 3; Detroit Toronto 4 2;
Detroit New_York 4 3; Detroit Boston 6 0; Detroit Cleveland 6 1; Detroit Baltimore 4 3;
Toronto Milwaukee 2 5; Toronto Detroit 4 3; Toronto New_York 2 4; Toronto Boston 4 3;
Toronto Cleveland 4 2; Toronto Baltimore 6 0; New_York Milwaukee 3 3; New_York Detroit 5 1;
New_York Toronto 2 5; New_York Boston 4 3; New_York Cleveland 4 2; New_York Baltimore 6 1;
Boston Milwaukee 5 1; Boston Detroit 2 5; Boston Toronto 3 3; Boston New_York 4 2;
Boston Cleveland 5 2; Boston Baltimore 6 0; Cleveland Milwaukee 2 5; Cleveland Detroit 3 3;
Cleveland Toronto 3 4; Cleveland New_York 4 3; Cleveland Boston 4 2; Cleveland Baltimore 2 4;
Baltimore Milwaukee 2 5; Baltimore Detroit 1 5; Baltimore Toronto 1 6; Baltimore New_York 2 4;
Baltimore Boston 1 6; Baltimore Cleveland 3 4"""

CITATIONS = """
Biometrika Comm_Statist 730 33; Biometrika JASA 498 320; Biometrika JRSS-B 221 284;
Comm_Statist JASA 68 813; Comm_Statist JRSS-B 17 276; JASA JRSS-B 142 325"""

CEMS_2001 = """
London Paris 186 26 91; London Milano 221 26 56; Paris Milano 121 32 59; London St._Gallen 208 22 73;
Paris St._Gallen 165 19 119; Milano St._Gallen 135 28 140; London Barcelona 217 19 67;
Paris Barcelona 157 37 109; Milano Barcelona 104 67 132; St._Gallen Barcelona 144 25 134;
London Stockholm 250 19 34; Paris Stockholm 203 30 70; Milano Stockholm 157 46 100;
St._Gallen Stockholm 155 50 98; Barcelona Stockholm 172 41 90"""

VILAR = {
    ("A", "B"): "29 31 40, 19 22 59, 38 14 48, 17 30 53, 32 5 63, 29 7 64, 41 14 45",
    ("C", "D"): "32 29 39, 22 17 61, 29 12 59, 23 27 50, 32 4 64, 34 8 58, 42 12 46",
    ("A", "C"): "32 31 37, 31 40 29, 31 37 32, 31 47 22, 47 14 39, 38 17 45, 40 17 43",
    ("A", "E"): "36 23 41, 28 25 47, 17 39 44, 28 29 43, 34 13 53, 37 18 45, 31 11 58",
    ("B", "E"): "26 40 34, 29 38 33, 18 54 28, 24 49 27, 43 25 32, 36 35 29, 33 24 43",
    ("B", "D"): "34 43 23, 28 55 17, 30 47 23, 31 52 17, 40 36 24, 41 31 28, 48 14 38",
    ("A", "D"): "36 30 34, 14 36 50, 27 33 40, 9 41 50, 31 12 57, 30 9 61, 34 9 57",
}


def _vilar() -> list[Row]:
    rows = []
    for (first, second), text in VILAR.items():
        for judge, counts in enumerate(text.split(","), start=1):
            w, t, l = (int(number) for number in counts.split())
            rows.append({"first": first, "second": second, "wins": w, "ties": t, "losses": l, "judge": judge})
    return rows


def _pork() -> list[Row]:
    wins = {1: "C Cp 0 5; C CP 1 4; CP Cp 3 2", 2: "C Cp 3 2; C CP 4 1; CP Cp 2 3"}
    return [{**row, "judge": judge} for judge, text in wins.items() for row in _counts(text, ties=False)]


def _round_robin(items: str, wins: int, losses: int, upset: bool) -> list[Row]:
    """Every earlier item beats every later one wins:losses; with `upset` the last beats the first once."""
    rows = []
    for i, first in enumerate(items):
        for second in items[i + 1 :]:
            lost = losses + (1 if upset and (first, second) == (items[0], items[-1]) else 0)
            rows.append({"first": first, "second": second, "wins": wins, "losses": lost})
    return rows


def _spaced(text: str, ties: bool) -> list[Row]:
    """`_counts` of text where an underscore inside a name stands for a blank."""
    names = {word: word.replace("_", " ") for word in text.replace(";", " ").split() if "_" in word}
    return _counts(text, names, ties)


def data_set(id: str, what: str, source: str, rows: list[Row], **more: Any) -> DataSet:
    """One data set; items in code-point order, as every model takes them."""
    items = sorted({row[side] for row in rows for side in ("first", "second")})
    head = {"id": id, "what": what, "source": source, "items": items, "tie_category": "ties" in rows[0]}
    return {**head, **more, "rows": rows}


def _dras_sets() -> list[DataSet]:
    table_1 = _table_1()
    return [
        data_set(
            "modpref-dras",
            "Two items with ties: Dras's ModPref",
            f"{DRAS}, Figure 1: the only counts up to 300 that print his numbers",
            _counts("o1 o2 61 24 35"),
        ),
        data_set(
            "collins-dras",
            "Two items with ties: Collins et al. as used by Dras",
            f"{DRAS}, section 5: the only counts up to 260 that print his numbers",
            _counts("o1 o2 83 77 39"),
        ),
        data_set(
            "dras-table1",
            "Four systems, four judges, ties; columns read as AB AC AD BC BD CD",
            f"{DRAS}, Table 1 (artificial data)",
            table_1,
        ),
        data_set(
            "dras-table1-prefmod-order",
            (
                "Dras's Table 1 with its columns read in prefmod's order 12 13 23 14 24 34, so that AD and BC"
                " are swapped. A mistake, kept because the paper's printed deviances come from it"
            ),
            f"{DRAS}, Table 1",
            _in_prefmods_order(table_1),
        ),
        data_set(
            "dras-table1-covariates",
            (
                "Dras's Table 1 with INVENTED facts about the judges: age 25, 31, 38, 52; expert no, yes,"
                " yes, no; and the judge's number as a number"
            ),
            f"{DRAS}, Table 1; the covariates are invented",
            _with_invented_covariates(table_1),
        ),
        data_set(
            "dras-table1-zero-ties",
            (
                "Dras's Table 1 pooled, every tie count set to 0 although a tie could be answered: the tie"
                " parameter runs to minus infinity"
            ),
            f"{DRAS}, Table 1, ties removed",
            _pooled(table_1, ties=False),
        ),
    ]


def _published_sets() -> list[DataSet]:
    cems = _spaced(CEMS_2001, ties=True)
    cems_1998 = [
        {**row, "wins": row["losses"], "losses": row["wins"]} if row["first"] == "Barcelona" else row
        for row in cems
    ]
    citations = _spaced(CITATIONS, ties=False)
    usa = {"Biometrika": 0, "Comm Statist": 1, "JASA": 1, "JRSS-B": 0}
    alone = {item: int(item == "Comm Statist") for item in usa}
    return [
        data_set(
            "baseball-1987",
            "American League East 1987; first is the home team; 13 games a pair, no ties",
            (
                "The season of Agresti (2002), Categorical Data Analysis, Table 10.11; home and away as in"
                " BradleyTerry2"
            ),
            _spaced(BASEBALL, ties=False),
        ),
        data_set(
            "citations",
            "Citations between four journals; the cited journal wins; no ties",
            FIRTH,
            citations,
            item_data={"originUSA": usa},
        ),
        data_set(
            "citations-origin-missing",
            "The citations with Comm Statist's origin unknown: it has an ability of its own",
            FIRTH,
            citations,
            item_data={"CommStatist": alone, "originUSA": {item: usa[item] - alone[item] for item in usa}},
        ),
        data_set(
            "wikipedia",
            "The worked example of Wikipedia's page on the Bradley-Terry model",
            "Wikipedia, Bradley-Terry model",
            _counts("A B 2 3; A D 1 4; B C 5 3; C D 1 3", ties=False),
        ),
        data_set(
            "cems-2001",
            "Six business schools, 303 students, ties; the corrected data of 2001",
            CEMS_SOURCE,
            cems,
        ),
        data_set(
            "cems-1998-erroneous",
            (
                "ERRONEOUS: the CEMS data with Barcelona - Stockholm reversed, as published in 1998 and as"
                " R's prefmod still ships it (cemspc)"
            ),
            CEMS_SOURCE,
            cems_1998,
        ),
        data_set(
            "vilar-2007",
            "Five translation systems, seven judges, ties, seven of the ten pairs",
            "Vilar et al. (2007), WMT workshop, Table 2; ties are 100 less the printed counts",
            _vilar(),
        ),
        data_set(
            "pork-1952",
            "Three rations for pigs, two judges, five comparisons a pair and judge, no ties",
            "Bradley and Terry (1952), Biometrika 39; counts as in R's eba (pork)",
            _pork(),
        ),
    ]


def _invented_sets() -> list[DataSet]:
    links = "A B 1000000 1; B C 1000000 1; C D 1000000 1; D E 1000000 1"
    uneven = "A B 500001 500000; A C 300 200; B C 30 21; C D 3 1; D E 1 2; A E 4 1; B D 1 0"
    both_orders = [
        {"first": "A", "second": "B", "wins": 14, "losses": 6, "order": 1},
        {"first": "B", "second": "A", "wins": 11, "losses": 8, "order": 1},
    ]
    return [
        data_set(
            "chain-1e6",
            "A chain: each item beats the next 1000000:1, 55 logits from end to end",
            INVENTED,
            _counts(links, ties=False),
        ),
        data_set(
            "round-robin-1e6",
            "A round robin of five items, every favourite 999999:1",
            INVENTED,
            _round_robin("ABCDE", 999999, 1, upset=False),
        ),
        data_set(
            "one-upset-in-1e6",
            (
                "A round robin of five items, a million games, one upset in all: the last beat the first"
                " once. All but separated"
            ),
            INVENTED,
            _round_robin("ABCDE", 100000, 0, upset=True),
        ),
        data_set(
            "uneven-counts",
            "Pairs met from once to a million times; one ability is near 0",
            INVENTED,
            _counts(uneven, ties=False),
        ),
        data_set(
            "ties-15",
            "Fifteen items, all pairs, 20 comparisons each, ties",
            f"{INVENTED} generators.py, seed 20150615",
            fifteen_items_with_ties(),
        ),
        data_set(
            "order-and-neutral",
            "Six items with ties; every ordered pair (order 1) and every pair on neutral ground (order 0)",
            f"{INVENTED} generators.py, seed 19700301",
            both_orders_and_neutral(),
        ),
        data_set(
            "two-items-both-orders", "Two items, both orders, no ties: closed form", INVENTED, both_orders
        ),
        data_set(
            "circular-triad",
            "A beats B, B beats C, C beats A, each 7 - 2 ties - 3: closed form, all abilities equal",
            INVENTED,
            _counts("A B 7 2 3; B C 7 2 3; C A 7 2 3"),
        ),
    ]


def all_data_sets() -> list[DataSet]:
    """Every data set: Dras's, other published ones, invented ones."""
    return [*_dras_sets(), *_published_sets(), *_invented_sets()]
