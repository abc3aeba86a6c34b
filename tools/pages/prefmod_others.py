"""The block of "prefmod -> pairproof" on what is no fit: designs, gaps, counts, drawn answers and plots, by both.

A design and an expanded table are prefmod's data in other words, and so are reduced to sums where R answers; that
every row is equal is found with both tables side by side when the page's numbers are made (`prefmod_page`).  R's and
numpy's random numbers are not the same, so that draws are held against the probabilities of their model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import pairproof
from pairproof.bridge import backend, package_data
from pairproof.bridge.r_data import to_pandas
from pairproof.data.wide import prefmod_pair_order
from pairproof.native.answers.drawn_answers import draw_pairs, draw_ranks
from pairproof.native.answers.possible_answers import answer_design
from pairproof.validation.verdicts.digits import digits_of_agreement

from .prefmod_cases import ENVIRONMENT, RATED, THREE, case, gap_reading, reading, run
from .tables import block, example, kept, markdown, sentence, shown, ten

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
    found = asked(SUMS.replace("{design}", case(name).design_source()), "prefmod::patt.design")
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


def design_ours(name: str, items: tuple[str, ...], by: tuple[str, ...], code: str) -> Numbers:
    """The same of ours, with the number of R's rows that are among them with the same count."""
    data = case(name).frame()[[*items, *by]]
    design = run(code, data, answer_design=answer_design).rename(columns=_same_pairs)
    known = [k for k in design.columns if k not in ("answer", "y", *by)]
    numbers = {
        "rows": float(len(design)),
        "columns of the model": float(len(known)),
        "persons: sum of y": float(design["y"].sum()),
        "sum of y squared": float((design["y"] ** 2).sum()),
    }
    numbers |= {f"sum of y x {k}": float((design["y"] * design[k]).sum()) for k in known}
    numbers |= {f"sum of squares of {k}": float((design[k] ** 2).sum()) for k in known}
    return numbers | {"rows found with the same count": float(_rows_found(name, items, design))}


def _rows_found(name: str, items: tuple[str, ...], design: Any) -> int:
    """How many rows of R's design ours has, with the same count and the same number in every column."""
    source = case(name).design_source()
    r = to_pandas(backend("live").call(code=source, needs=("prefmod",), label="a design").value, source)
    r = r.rename(columns=lambda k: _same_pairs(_named(k, items)))
    columns = [k for k in r.columns if k in design.columns]
    if len(columns) != len(r.columns):
        raise KeyError(f"columns {sorted(set(r.columns) - set(columns))} of R are not among ours")
    theirs, ours = ([tuple(row) for row in of[columns].astype(int).to_numpy()] for of in (r, design))
    known = set(ours)
    return sum(row in known for row in theirs)


# -- gaps and counts -----------------------------------------------------------------------------------------


def gaps_r(name: str) -> Numbers:
    """The tables that checkMIS prints, read, and its flags."""
    answer = case(name).ask(backend())
    printed = [line.split() for line in answer.lines]
    rows = {
        words[0]: [float(x) for x in words[1:]]
        for words in printed
        if len(words) == len(answer.names) + 1 and words[0] in answer.names and words[1] not in answer.names
    }
    pairs = prefmod_pair_order(len(answer.names))
    return (
        {f"missing {answer.names[i]}:{answer.names[j]}": rows[answer.names[i]][j] for i, j in pairs}
        | {f"missing of {n}": float(x) for n, x in zip(answer.names, printed[-1])}
        | {f"flag of {n}": float(x) for n, x in zip(answer.names, answer.missing)}
    )


def gaps_ours(name: str) -> Numbers:
    """Respondents.gaps() of the same table."""
    items = [f"o{k + 1}" for k in range(case(name).arguments["nitems"])]
    gaps = run(gap_reading(" ".join(items)) + "table.gaps()", case(name).frame())
    of = {i: float(gaps.loc[(gaps["first"] == i) | (gaps["second"] == i), "missing"].sum()) for i in items}
    return (
        {f"missing {a}:{b}": float(m) for a, b, m in zip(gaps["first"], gaps["second"], gaps["missing"])}
        | {f"missing of {i}": m for i, m in of.items()}
        | {f"flag of {i}": float(m > 0) for i, m in of.items()}
    )


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


# -- drawn answers -------------------------------------------------------------------------------------------

#: Persons that are drawn: ten, as on the help page, are too few to hold shares against probabilities.
DRAWN = 2000
WORTHS = {"o1": 1.0, "o2": 2.0, "o3": 3.0, "o4": 4.0}
RANKED = {"A": 0.2, "B": 0.7, "C": 0.1}


def _z(count: float, p: float) -> float:
    return (count - DRAWN * p) / np.sqrt(DRAWN * p * (1 - p))


def _pairs_drawn(counts: Mapping[str, float]) -> Numbers:
    """Rows, and for each pair the share of wins of the first and its distance from the model in standard errors."""
    numbers: Numbers = {}
    squares = 0.0
    for i, j in prefmod_pair_order(len(WORTHS)):
        a, b = list(WORTHS)[i], list(WORTHS)[j]
        p = WORTHS[a] / (WORTHS[a] + WORTHS[b])
        z = _z(counts[f"{a}:{b}"], p)
        squares += z * z
        numbers[f"share {a} > {b}, of {p:.6g}"] = counts[f"{a}:{b}"] / DRAWN
        numbers[f"z of {a} > {b}"] = float(z)
    return numbers | {"chi-square of all (6 df)": float(squares)}


def pairs_r() -> Numbers:
    """Of simPC's draw."""
    w = ", ".join(f"{x:g}" for x in WORTHS.values())
    found = asked(
        f"{{ d <- prefmod::simPC(4, {DRAWN}, worth = c({w}), seed = 123456)\n"
        'list(names = c("rows", "o1:o2", "o1:o3", "o2:o3", "o1:o4", "o2:o4", "o3:o4"), values = c(nrow(d), colSums(d == 1))) }',
        "prefmod::simPC",
    )
    return {"rows": found["rows"]} | _pairs_drawn(found)


def pairs_ours() -> Numbers:
    """Of draw_pairs."""
    table = draw_pairs(WORTHS, DRAWN, seed=123456)
    names = [f"{table.items[i]}:{table.items[j]}" for i, j in prefmod_pair_order(4)]
    counts = {n: float((table.once[:, k] == 1).sum()) for k, n in enumerate(names)}
    return {"rows": float(table.n_rows)} | _pairs_drawn(counts)


ORDERS = ("A > B > C", "A > C > B", "B > A > C", "B > C > A", "C > A > B", "C > B > A")


def ranking_chances() -> Numbers:
    """Of each order, proportional to worth_i^(3 - rank of i)."""
    raw = {}
    for order in ORDERS:
        names = order.split(" > ")
        raw[order] = RANKED[names[0]] ** 2 * RANKED[names[1]]
    return {order: x / sum(raw.values()) for order, x in raw.items()}


def _ranks_drawn(counts: Mapping[str, float]) -> Numbers:
    numbers: Numbers = {}
    chance = ranking_chances()
    for order in ORDERS:
        numbers[f"share {order}, of {chance[order]:.6g}"] = counts[order] / DRAWN
        numbers[f"z of {order}"] = float(_z(counts[order], chance[order]))
    squares = sum((counts[o] - DRAWN * p) ** 2 / (DRAWN * p) for o, p in chance.items())
    return numbers | {"chi-square (5 df)": float(squares)}


def ranks_r() -> Numbers:
    """Of simR's draw."""
    w = ", ".join(f"{x:g}" for x in RANKED.values())
    orders = ", ".join(f'"{o}"' for o in ORDERS)
    found = asked(
        f"{{ d <- as.matrix(prefmod::simR(3, {DRAWN}, worth = c({w}), seed = 1))\n"
        'said <- apply(d, 1, function(r) paste(c("A", "B", "C")[order(r)], collapse = " > "))\n'
        f'list(names = c("rows", {orders}), values = c(nrow(d), as.numeric(table(factor(said, c({orders})))))) }}',
        "prefmod::simR",
    )
    return {"rows": found["rows"]} | _ranks_drawn(found)


def ranks_ours() -> Numbers:
    """Of draw_ranks."""
    table = draw_ranks(RANKED, DRAWN, seed=1)
    counts = dict.fromkeys(ORDERS, 0.0)
    signs = table.pair_answers[:, 0]
    pairs = prefmod_pair_order(3)
    for row in signs:
        wins = np.zeros(3)
        for (i, j), y in zip(pairs, row):
            wins[i if y > 0 else j] += 1
        counts[" > ".join(table.items[k] for k in np.argsort(-wins))] += 1
    return {"rows": float(table.n_rows)} | _ranks_drawn(counts)


# -- plots ---------------------------------------------------------------------------------------------------

#: R: plot.wmat, with `points` in place of which a function notes what it is given.
PLOTTED = """{
  prefmod_plot <- utils::getS3method("plot", "wmat", envir = asNamespace("prefmod"))
  noted <- list()
  seen <- new.env(parent = environment(prefmod_plot))
  seen$points <- function(x, ...) noted[[length(noted) + 1L]] <<- x
  seen$text <- function(x, y, labels, ...) names(noted[[length(noted)]]$y) <<- labels
  environment(prefmod_plot) <- seen
  fit <- prefmod::pattPC.fit(prefmod::cemspc, nitems = 3, formel = ~SEX, elim = ~SEX, undec = TRUE)
  worths <- prefmod::patt.worth(fit)
  place <- tempfile(fileext = ".pdf")
  grDevices::pdf(place)
  prefmod_plot(worths)
  invisible(grDevices::dev.off())
  unlink(place)
  list(names = unlist(lapply(seq_along(noted), function(g) paste0("point of ", names(noted[[g]]$y), " (SEX=", g, ")"))),
       values = unlist(lapply(noted, function(p) unname(p$y))))
}"""


def plotted_r() -> Numbers:
    """Where plot.wmat puts its points, in order of item and group."""
    found = asked(PLOTTED, "prefmod::plot.wmat")
    return {k: found[k] for k in sorted(found, key=lambda k: (k[-2], k))}


def plotted_ours() -> Numbers:
    """Where plot_worth puts its points: read from the axes that it gives."""
    from matplotlib.figure import Figure

    data = package_data("prefmod", "cemspc", backend="live")[["V1", "V2", "V3", "SEX"]]
    fit = run(THREE + 'fit_pattern(table, by="SEX")', data.reset_index(drop=True))
    ax = pairproof.plot_worth(fit, Figure().subplots(), sort=False)
    labels = [text.get_text() for text in ax.get_yticklabels()]
    numbers = {}
    for g, drawn in enumerate(ax.containers):
        for x, y in zip(*(np.asarray(v, float) for v in drawn.lines[0].get_data())):
            numbers[f"point of {labels[int(round(y))]} (SEX={g + 1})"] = float(x)
    return {k: numbers[k] for k in sorted(numbers, key=lambda k: (k[-2], k))}


# -- examples ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Other:
    """An example that is no fit: both calls as they are typed, R's numbers from the backend in use, and pairproof's
    from live data.
    """

    name: str
    page: str
    r: str
    code: str
    of_r: Callable[[], Numbers]
    ours: Callable[[], Numbers]
    note: str


def _design(name: str, page: str, r: str, items: str, by: str, more: str, note: str) -> Other:
    """A design of ratings; items and covariates with a blank between them."""
    code = reading("ratings", items, *RATED, f"\nlevels={json.dumps({b: [1, 2] for b in by.split()})}")
    code += f"answer_design(table, {json.dumps(by.split())}{more})"
    of, covariates = tuple(items.split()), tuple(by.split())
    return Other(
        name,
        page,
        f"patt.design({r})",
        code,
        lambda: design_r(name, of),
        lambda: design_ours(name, of, covariates, code),
        note,
    )


def _gaps(name: str, table: str, note: str) -> Other:
    """The gaps of a table."""
    return Other(
        name,
        "checkMIS",
        f"checkMIS({table}, verbose = TRUE)",
        'table = read_respondents(data, "pairs", ..., coding={"first": 1, "second": -1, "missing": "NA"}, tie_category=False)\n'
        "table.gaps()",
        lambda: gaps_r(name),
        lambda: gaps_ours(name),
        note,
    )


_EQUAL = "the rows stand in another order; every row of prefmod's is looked up in ours, with all its columns. y counts the persons with an answer"
OTHERS: tuple[Other, ...] = (
    _design(
        "patt-design-xmpl",
        "patt.design, prefmod-package",
        'xmpl, nitems = 3, resptype = "rating", ia = TRUE, cat.scovs = c("SEX", "EDU")',
        "I1 I2 I3",
        "SEX EDU",
        ", dependence=True",
        f'the page says cov.sel = "ALL", an old name; {_EQUAL}',
    ),
    _design(
        "patt-design-xmpl-sex",
        "xmpl",
        'xmpl, nitems = 3, resptype = "rating", cat.scovs = "SEX"',
        "I1 I2 I3",
        "SEX",
        "",
        'the page says cov.sel = "SEX", an old name',
    ),
    _design(
        "patt-design-issp",
        "patt.design",
        'issp2000, nitems = 6, resptype = "rating", cat.scovs = c("SEX", "EDU")',
        ENVIRONMENT,
        "SEX EDU",
        "",
        "the table itself; glm on it stands above",
    ),
    _gaps("checkMIS-dat4", "dat4, nitems = 4", "a flag is 1 where anything of the item is missing"),
    _gaps(
        "checkMIS-data3",
        "{ set.seed(1); d <- dat4[, 1:3]; d[sample(1:100, 10), 3] <- NA; d }, nitems = 3",
        "a seed is added",
    ),
    Other(
        "expand-tennis",
        "expand.mat, tennis",
        "expand.mat(tennis[, -1], tennis[, 1])",
        'table = read_respondents(data, "pairs", ...)    # a row an answer, n renamed `weight`\n'
        'read_respondents(persons, "pairs", ...).merged()            # of a row a person, the same table',
        expand_r,
        expand_ours,
        "nothing needs to be expanded; the table of persons, merged, has the weights of the counted one",
    ),
    Other(
        "simPC",
        "simPC",
        f"simPC(4, {DRAWN}, worth = c(1, 2, 3, 4), seed = 123456)",
        f'draw_pairs({{"o1": 1, "o2": 2, "o3": 3, "o4": 4}}, {DRAWN}, seed=123456)',
        pairs_r,
        pairs_ours,
        f"the page draws ten persons; {DRAWN} are drawn here. R's and numpy's random numbers are not the same, so that the"
        " shares are compared with the probability of the model, not with each other",
    ),
    Other(
        "simR",
        "simR, pattRrep.fit",
        f"simR(3, {DRAWN}, worth = c(.2, .7, .1), seed = 1)",
        f'draw_ranks({{"A": 0.2, "B": 0.7, "C": 0.1}}, {DRAWN}, seed=1)',
        ranks_r,
        ranks_ours,
        "as simPC; an order's probability is in proportion to the product of worth ^ (3 - rank)",
    ),
    Other(
        "plot-wmat",
        "plot.wmat, patt.worth",
        "plot(patt.worth(pattPC.fit(cemspc, nitems = 3, formel = ~SEX, elim = ~SEX, undec = TRUE)))",
        'fit = fit_pattern(table, by="SEX")    # the table of patt-worth\nplot_worth(fit)',
        plotted_r,
        plotted_ours,
        "the points, as R's `points` and matplotlib's `errorbar` are given them; plot_worth has intervals too",
    ),
)
#: Of which shares and z are by chance.
BY_CHANCE = ("simPC", "simR")


def other(name: str) -> Other:
    """The example of this name."""
    return next(o for o in OTHERS if o.name == name)


def computed() -> dict[str, Any]:
    """pairproof's numbers of all of them, from live data."""
    return {f"other {o.name}": {"numbers": o.ours()} for o in OTHERS}


def rows_of(o: Other, own: Numbers) -> list[tuple[str, float | None, float | None, float | None]]:
    """Quantity, prefmod's number, ours, digits (none for what is by chance)."""
    r = o.of_r()
    found = []
    for q in dict.fromkeys([*r, *own]):
        a, b = r.get(q), own.get(q)
        known = a is not None and b is not None and (o.name not in BY_CHANCE or q == "rows")
        found.append((q, a, b, float(digits_of_agreement(b, a)) if known else None))
    return found


def others() -> str:
    """All of them."""
    parts = []
    for o in OTHERS:
        rows = rows_of(o, kept("prefmod_native")[f"other {o.name}"]["numbers"])
        heads, n = ("quantity", "prefmod", "pairproof", "digits"), 3 if o.name in BY_CHANCE else 4
        table = markdown(heads[:n], [(q, ten(a), ten(b), shown(d))[:n] for q, a, b, d in rows])
        parts.append(f"{example(f'{o.page}: `{o.name}`', o.r, o.code)}\n{sentence(o.note)}{table}")
    return block(parts)
