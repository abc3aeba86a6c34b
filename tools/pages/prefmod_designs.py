"""For "prefmod -> pairproof": designs, gaps and counts by prefmod and by pairproof.

A design and an expanded table are prefmod's data in other words, and so are reduced to sums where R answers; that
every row is equal is found with both tables side by side when the page's numbers are made (`tools/pages/prefmod_native.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pairproof
from pairproof.bridge import backend, package_data
from pairproof.bridge.r_data import to_pandas
from pairproof.data.wide import prefmod_pair_order
from pairproof.native.answers.possible_answers import answer_design

from .prefmod_cases import case, in_r

Numbers = dict[str, float]


def asked(code: str, label: str) -> Numbers:
    """A named vector of numbers that R code gives."""
    value = backend().call(code=code, needs=("prefmod",), label=f"docs {label}").as_list()
    names, numbers = value.vector("names").values, value.vector("values").floats().ravel()
    return {str(n): float(x) for n, x in zip(names, numbers)}


# -- designs -------------------------------------------------------------------------------------------------

#: R: rows, persons, and for each column its sum, its squares and its products with the counts.
SUMS = """
d <- {design}
known <- setdiff(names(d), c("y", "SEX", "EDU"))
of <- function(f) as.numeric(vapply(known, function(k) f(as.numeric(d[[k]])), 0))
list(names = c("rows", "columns of the model", "persons: sum of y", "sum of y squared", paste0("sum of y x ", known), paste0("sum of squares of ", known)),
     values = c(nrow(d), length(known), sum(d$y), sum(d$y^2), of(function(x) sum(d$y * x)), of(function(x) sum(x^2))))
"""


def _named(name: str, items: tuple[str, ...]) -> str:
    """Our name of a column of patt.design."""
    pair = re.fullmatch(r"u(\d)(\d)", name)
    two = re.fullmatch(r"I(\d)(\d)\.(\d)(\d)", name)
    if pair:
        return f"tie:{items[int(pair[1]) - 1]}:{items[int(pair[2]) - 1]}"
    if two:
        a, b, c, d = (items[int(k) - 1] for k in two.groups())
        return f"{a}:{b}*{c}:{d}"
    return name


def _same_pairs(name: str) -> str:
    """A dependence column with its comparisons in one order, whichever is named first."""
    return "*".join(sorted(name.split("*"))) if "*" in name else name


def design_r(name: str, items: tuple[str, ...]) -> Numbers:
    """R's sums of a design, under our names of its columns."""
    c = case(name)
    source = c.design_source() if c.designed_by else _design_call(name)
    found = asked(SUMS.replace("{design}", source), "prefmod::patt.design")
    return {
        (f"{head}{_same_pairs(_named(column, items))}" if head else column): value
        for key, value in found.items()
        for head, column in [_split(key)]
    } | {"rows found with the same count": found["rows"]}


def _split(key: str) -> tuple[str, str]:
    for head in ("sum of y x ", "sum of squares of "):
        if key.startswith(head):
            return head, key[len(head) :]
    return "", key


def _design_call(name: str) -> str:
    c = case(name)
    given = "".join(f", {k.replace('_', '.')} = {in_r(v)}" for k, v in c.arguments.items())
    return f"prefmod::patt.design({c.table.r}{given})"


def design_ours(
    name: str, items: tuple[str, ...], by: tuple[str, ...], dependence: bool
) -> Callable[[], Numbers]:
    """Ours, with the number of R's rows that are among them with the same count."""

    def made() -> Numbers:
        c = case(name)
        table = pairproof.read_respondents(
            c.table.frame("live")[[*items, *by]].reset_index(drop=True),
            "ratings",
            items=list(items),
            scale="1-5",
            best="low",
            levels={k: [1, 2] for k in by},
        )
        design = answer_design(table, by, dependence=dependence).rename(columns=_same_pairs)
        known = [k for k in design.columns if k not in ("answer", "y", *by)]
        numbers = {
            "rows": float(len(design)),
            "columns of the model": float(len(known)),
            "persons: sum of y": float(design["y"].sum()),
            "sum of y squared": float((design["y"] ** 2).sum()),
        }
        numbers |= {f"sum of y x {k}": float((design["y"] * design[k]).sum()) for k in known}
        numbers |= {f"sum of squares of {k}": float((design[k] ** 2).sum()) for k in known}
        numbers["rows found with the same count"] = float(_rows_found(name, items, by, design))
        return numbers

    return made


def _rows_found(name: str, items: tuple[str, ...], by: tuple[str, ...], design: Any) -> int:
    """How many rows of R's design ours has, with the same count and the same number in every column."""
    c = case(name)
    source = c.design_source() if c.designed_by else _design_call(name)
    r = to_pandas(backend("live").call(code=source, needs=("prefmod",), label="a design").value, source)
    r = r.rename(columns=lambda k: _same_pairs(_named(k, items)))
    columns = [k for k in r.columns if k in design.columns]
    if len(columns) != len(r.columns):
        raise KeyError(f"columns {sorted(set(r.columns) - set(columns))} of R are not among ours")
    rows = [tuple(map(str, row)) for row in r[columns].astype({k: int for k in columns}).to_numpy()]
    ours = {tuple(map(str, row)) for row in design[columns].astype({k: int for k in columns}).to_numpy()}
    return sum(row in ours for row in rows)


# -- gaps and counts -----------------------------------------------------------------------------------------


def gaps_r(name: str) -> Callable[[], Numbers]:
    """The tables that checkMIS prints, read, and its flags."""

    def made() -> Numbers:
        answer = case(name).ask(backend())
        rows = {
            line.split()[0]: [float(x) for x in line.split()[1:]]
            for line in answer.lines
            if line.split()
            and line.split()[0] in answer.names
            and len(line.split()) == len(answer.names) + 1
            and line.split()[1] not in answer.names
        }
        of_items = [float(x) for x in answer.lines[-1].split()]
        pairs = prefmod_pair_order(len(answer.names))
        return (
            {f"missing {answer.names[i]}:{answer.names[j]}": rows[answer.names[i]][j] for i, j in pairs}
            | {f"missing of {n}": x for n, x in zip(answer.names, of_items)}
            | {f"flag of {n}": float(x) for n, x in zip(answer.names, answer.missing)}
        )

    return made


def gaps_ours(name: str) -> Callable[[], Numbers]:
    """Respondents.gaps() of the same table."""

    def made() -> Numbers:
        data = case(name).table.frame("live").reset_index(drop=True)
        items = [f"o{k + 1}" for k in range(case(name).arguments["nitems"])]
        table = pairproof.read_respondents(
            data,
            "pairs",
            items=items,
            pair_order="prefmod",
            coding={"first": 1, "second": -1, "missing": "NA"},
            tie_category=False,
        )
        gaps = table.gaps()
        of = {
            i: float(gaps.loc[(gaps["first"] == i) | (gaps["second"] == i), "missing"].sum()) for i in items
        }
        return (
            {f"missing {a}:{b}": float(m) for a, b, m in zip(gaps["first"], gaps["second"], gaps["missing"])}
            | {f"missing of {i}": m for i, m in of.items()}
            | {f"flag of {i}": float(m > 0) for i, m in of.items()}
        )

    return made


def expand_r() -> Numbers:
    """Sums over the persons that expand.mat makes of tennis."""
    return asked(
        "{ d <- prefmod::expand.mat(prefmod::tennis[, -1], prefmod::tennis[, 1])\n"
        'list(names = c("persons", "different rows", paste("sum of", colnames(d))), values = c(nrow(d), nrow(unique(d)), colSums(d))) }',
        "prefmod::expand.mat",
    )


def expand_ours() -> Numbers:
    """The same of a table with weights, and of the table of persons merged."""
    data = package_data("prefmod", "tennis", backend="live").reset_index(drop=True)
    options: dict[str, Any] = {
        "items": ["o1", "o2", "o3"],
        "pair_order": "prefmod",
        "coding": {"first": 1, "second": -1},
        "tie_category": False,
    }
    answers = data[["C1", "C2", "C3", "SEX", "n"]].rename(columns={"n": "weight"})
    table = pairproof.read_respondents(answers, "pairs", levels={"SEX": [1, 2]}, **options)
    persons = answers.loc[answers.index.repeat(answers["weight"].astype(int)), ["C1", "C2", "C3", "SEX"]]
    merged = pairproof.read_respondents(
        persons.reset_index(drop=True), "pairs", levels={"SEX": [1, 2]}, **options
    ).merged()
    if sorted(merged.weights) != sorted(table.weights[table.weights > 0]):
        raise ValueError("the merged table has other weights than the counted one")
    numbers = {"persons": float(table.weights.sum()), "different rows": float(merged.n_rows)}
    for k, name in enumerate(("C1", "C2", "C3")):
        numbers[f"sum of {name}"] = float(table.weights @ table.once[:, k])
    numbers["sum of SEX"] = float(table.weights @ (table.columns["SEX"].codes + 1))
    return numbers
