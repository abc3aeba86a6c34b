"""The block of "prefmod -> pairproof" on what is no fit: designs, gaps, counts, drawn answers and plots, by both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pairproof.validation.verdicts.digits import digits_of_agreement

from .agreement import markdown
from .prefmod_cases import case
from .prefmod_designs import design_ours, design_r, expand_ours, expand_r, gaps_ours, gaps_r
from .prefmod_drawn import DRAWN, pairs_ours, pairs_r, plotted_ours, plotted_r, ranks_ours, ranks_r

Numbers = dict[str, float]
ENVIRONMENT = ("CAR", "IND", "FARM", "WATER", "TEMP", "GENE")


@dataclass(frozen=True)
class Other:
    """An example that is no fit.

    Attributes
    ----------
    name, page : str
    r, code : str
        Both calls as they are typed.
    of_r : callable
        R's numbers, from the backend in use.
    ours : callable
        pairproof's, from live data.
    note : str
    """

    name: str
    page: str
    r: str
    code: str
    of_r: Callable[[], Numbers]
    ours: Callable[[], Numbers]
    note: str


_GAPS = 'table = read_respondents(data, "pairs", ..., coding={"first": 1, "second": -1, "missing": "NA"}, tie_category=False)\ntable.gaps()'
_RATED = 'table = read_respondents(data, "ratings", items={items}, scale="1-5", best="low",\n                         levels={levels})\nanswer_design(table, {by}{more})'
XMPL = ("I1", "I2", "I3")
_EQUAL = "the rows stand in another order; every row of prefmod's is looked up in ours, with all its columns. y counts the persons with an answer"


def _rated(items: str, by: str, more: str = "") -> str:
    levels = "{" + ", ".join(f'"{b}": [1, 2]' for b in by.split()) + "}"
    listed = "[" + ", ".join(f'"{b}"' for b in by.split()) + "]"
    return (
        _RATED.replace("{items}", items)
        .replace("{levels}", levels)
        .replace("{by}", listed)
        .replace("{more}", more)
    )


OTHERS: tuple[Other, ...] = (
    Other(
        "patt-design-xmpl",
        "patt.design, prefmod-package",
        'patt.design(xmpl, nitems = 3, resptype = "rating", ia = TRUE, cat.scovs = c("SEX", "EDU"))',
        _rated('["I1", "I2", "I3"]', "SEX EDU", ", dependence=True"),
        lambda: design_r("patt-design-xmpl", XMPL),
        design_ours("patt-design-xmpl", XMPL, ("SEX", "EDU"), True),
        f'the page says cov.sel = "ALL", an old name; {_EQUAL}',
    ),
    Other(
        "patt-design-xmpl-sex",
        "xmpl",
        'patt.design(xmpl, nitems = 3, resptype = "rating", cat.scovs = "SEX")',
        _rated('["I1", "I2", "I3"]', "SEX"),
        lambda: design_r("patt-design-xmpl-sex", XMPL),
        design_ours("patt-design-xmpl-sex", XMPL, ("SEX",), False),
        'the page says cov.sel = "SEX", an old name',
    ),
    Other(
        "patt-design-issp",
        "patt.design",
        'patt.design(issp2000, nitems = 6, resptype = "rating", cat.scovs = c("SEX", "EDU"))',
        _rated('["CAR", "IND", "FARM", "WATER", "TEMP", "GENE"]', "SEX EDU"),
        lambda: design_r("patt-design-issp", ENVIRONMENT),
        design_ours("patt-design-issp", ENVIRONMENT, ("SEX", "EDU"), False),
        "the table itself; glm on it stands above",
    ),
    Other(
        "checkMIS-dat4",
        "checkMIS",
        "checkMIS(dat4, nitems = 4, verbose = TRUE)",
        _GAPS,
        gaps_r("checkMIS-dat4"),
        gaps_ours("checkMIS-dat4"),
        "a flag is 1 where anything of the item is missing",
    ),
    Other(
        "checkMIS-data3",
        "checkMIS",
        "checkMIS({ set.seed(1); d <- dat4[, 1:3]; d[sample(1:100, 10), 3] <- NA; d }, nitems = 3, verbose = TRUE)",
        _GAPS,
        gaps_r("checkMIS-data3"),
        gaps_ours("checkMIS-data3"),
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
        " shares are held against the probability of the model, not against each other",
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


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


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
    """All of them, and glm on the design of xmpl beside fit_pattern."""
    from .prefmod_native import kept
    from .prefmod_page import section

    parts = []
    for o in OTHERS:
        rows = rows_of(o, kept()[f"other {o.name}"]["numbers"])
        heads = ("quantity", "prefmod", "pairproof", *(() if o.name in BY_CHANCE else ("digits",)))
        shown = [
            (
                q,
                _cell(a),
                _cell(b),
                *(() if o.name in BY_CHANCE else ("" if d is None else f"{int(d * 10) / 10:.1f}",)),
            )
            for q, a, b, d in rows
        ]
        note = f"{o.note[0].upper()}{o.note[1:]}.\n\n"
        parts.append(
            f"### {o.page}: `{o.name}`\n\n```r\n{o.r}\n```\n```text\n{o.code}\n```\n\n{note}{markdown(heads, shown)}"
        )
        if o.name == "patt-design-xmpl-sex":
            parts.append(section(case("xmpl-glm")))
    return "\n" + "\n".join(parts) + "\n"
