"""For "prefmod -> pairproof": answers drawn by chance, and the points of plots, by prefmod and by pairproof.

R's and numpy's random numbers are not the same, so that draws are held against the probabilities of their model.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import pairproof
from pairproof.data.wide import prefmod_pair_order
from pairproof.native.answers.drawn_answers import draw_pairs, draw_ranks

from .prefmod_cases import case
from .prefmod_designs import asked

Numbers = dict[str, float]
#: Persons that are drawn: ten, as on the help page, are too few to hold shares against probabilities.
DRAWN = 2000
WORTHS = {"o1": 1.0, "o2": 2.0, "o3": 3.0, "o4": 4.0}
RANKED = {"A": 0.2, "B": 0.7, "C": 0.1}


# -- drawn answers -------------------------------------------------------------------------------------------


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

    data = case("patt-worth").table.frame("live").reset_index(drop=True)[["V1", "V2", "V3", "SEX"]]
    table = pairproof.read_respondents(
        data,
        "pairs",
        items=["o1", "o2", "o3"],
        pair_order="prefmod",
        coding={"first": 0, "tie": 1, "second": 2, "missing": "NA"},
        levels={"SEX": [1, 2]},
    )
    fit = pairproof.fit_pattern(table, by="SEX")
    ax = pairproof.plot_worth(fit, Figure().subplots(), sort=False)
    labels = [text.get_text() for text in ax.get_yticklabels()]
    numbers = {}
    for g, drawn in enumerate(ax.containers):
        for x, y in zip(*(np.asarray(v, float) for v in drawn.lines[0].get_data())):
            numbers[f"point of {labels[int(round(y))]} (SEX={g + 1})"] = float(x)
    return {k: numbers[k] for k in sorted(numbers, key=lambda k: (k[-2], k))}
