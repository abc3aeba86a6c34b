"""Real tables, and pages printed from them as an author would who made one slip.

Each slip is planted by a way of its own (a reader told the wrong order, a table altered by hand, a loop
written here), not by the code that searches for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np
from scipy.optimize import minimize

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.data.reading import from_wide
from pairproof.data.wide import to_wide
from pairproof.fit.fit import Fit
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.claims.paper import PrintedQuantity
from pairproof.validation.claims.printed import Printed
from pairproof.validation.claims.quantities import quantity
from pairproof.validation.slips.target import Target
from pairproof.validation.slips.values import glm_values

Page = dict[str, str]


@lru_cache(maxsize=None)
def shipped(paper: str, data: str) -> Comparisons:
    """A table that comes with pairproof."""
    return Checker(read_paper(paper)).data(data)


def dras() -> Comparisons:
    return shipped("dras-2015", "table-1")


def baseball() -> Comparisons:
    """42 rows, home and away."""
    return shipped("turner-firth-2012", "baseball")


def citations() -> Comparisons:
    return shipped("firth-2005", "citations")


def cems() -> Comparisons:
    """The corrected data of 2001."""
    return shipped("cems", "cems-2001")


def altered(
    data: Comparisons, change: Callable[[int, float, float, float], tuple[float, float, float]]
) -> Comparisons:
    """The table with (wins, ties, losses) of row k changed."""
    rows = [change(k, *row) for k, row in enumerate(zip(data.wins, data.ties, data.losses))]
    w, t, l = np.array(rows).T
    return Comparisons.build(
        data.items, data.first, data.second, w, t if data.tie_category else None, l, columns=data.columns
    )


# -- pages ---------------------------------------------------------------------------------------------------


def printed(fit: Fit, names: Iterable[str], decimals: int = 4) -> Page:
    """These quantities of a fit as a page prints them."""
    page = {}
    for name in names:
        value = quantity(fit, name)
        kind = name.partition(".")[0]
        page[name] = (
            f"{value:.0f}"
            if kind.startswith("df")
            else f"{value:.3g}"
            if kind == "p"
            else f"{value:.{decimals}f}"
        )
    return page


def usual(fit: Fit) -> list[str]:
    """Estimates and standard errors of everything free, deviance and df: what a table of a paper has."""
    free = [n for n, ok in zip(fit.names, fit.free) if ok]
    return [*(f"estimate.{n}" for n in free), *(f"se.{n}" for n in free), "deviance", "df_resid"]


def page(fit: Fit, decimals: int = 4, *more: str) -> Page:
    return printed(fit, [*usual(fit), *more], decimals)


def target(honest: Fit, numbers: Page, sided: int = 2, claim: str = "c", **options: object) -> Target:
    """The claim that these numbers are those of the honest fit."""
    return Target(
        claim,
        honest,
        tuple(PrintedQuantity(n, Printed.parse(t), 1) for n, t in numbers.items()),
        sided=sided,
        **options,
    )  # type: ignore[arg-type]  # options by name


# -- slips, planted ------------------------------------------------------------------------------------------

llbt, bradley_terry = pairproof.fit_llbt, pairproof.fit_bradley_terry
Planted = tuple[str, str, Callable[[], Target]]
PLANTED: list[Planted] = []


def plant(name: str, words: str = "") -> Callable[[Callable[[], Target]], Callable[[], Target]]:
    """Register a planted slip; `words` must stand in the sentence that explains it."""

    def register(make: Callable[[], Target]) -> Callable[[], Target]:
        PLANTED.append((name, words, make))
        return make

    return register


def misread(data: Comparisons, written: str, read: str) -> Comparisons:
    """Written with its columns in one order and read in the other."""
    wide = to_wide(data, written)  # type: ignore[arg-type]  # a pair order by name
    coding = {k: v for k, v in wide.coding.items() if k != "missing"}
    frame = wide.frame.fillna(wide.coding["missing"])
    return from_wide(
        frame,
        items=data.items,
        pair_order=read,
        pair_names="ignore",
        coding={**coding, "missing": wide.coding["missing"]},
    )


@plant("pair-order", "the columns are read in prefmod's order")
def _dras() -> Target:
    """Dras (2015), every number of the table as prefmod printed it."""
    return target(llbt(dras()), page(llbt(shipped("dras-2015", "table-1-prefmod-order"))))


@plant("pair-order", "the columns are read in prefmod's order")
def _wide_as_prefmod() -> Target:
    return target(llbt(cems()), page(llbt(misread(cems(), "lexicographic", "prefmod"))))


@plant("pair-order", "read in alphabetical order")
def _wide_as_lexicographic() -> Target:
    return target(llbt(cems()), page(llbt(misread(cems(), "prefmod", "lexicographic"))))


@plant("one-pair-reversed", "the pair Barcelona:Stockholm")
def _cems_1998() -> Target:
    return target(llbt(cems()), page(llbt(shipped("cems", "cems-1998-erroneous"))))


@plant("all-pairs-reversed", "winners are taken for losers")
def _springall() -> Target:
    back = altered(citations(), lambda k, w, t, l: (l, t, w))
    return target(bradley_terry(citations()), page(bradley_terry(back)))


@plant(
    "response-coding",
    "the code of a tie in place of that of a win of the first item; the code of a win of the first item in place of that of a tie",
)
def _coding() -> Target:
    return target(llbt(dras()), page(llbt(altered(dras(), lambda k, w, t, l: (t, w, l)))))


@plant("missing-as-undecided", "91 missing answers")
def _missing() -> Target:
    n = cems().wins + cems().ties + cems().losses
    lacking = dict(enumerate(n.max() - n))
    assert sum(lacking.values()) == 91
    return target(llbt(cems()), page(llbt(altered(cems(), lambda k, w, t, l: (w, t + lacking[k], l)))))


def relabelled_by_judge(data: Comparisons) -> Comparisons:
    """Counts written pair after pair (all judges of the first pair first), with labels that run judge after
    judge.
    """
    judges = data.columns["judge"]
    assert isinstance(judges, Factor)
    pairs = sorted(set(zip(data.first.tolist(), data.second.tolist())))
    rows = {
        (int(j), (int(a), int(b))): k
        for k, (j, a, b) in enumerate(zip(judges.codes, data.first, data.second))
    }
    written = [rows[j, p] for p in pairs for j in range(len(judges.levels))]
    labels = [rows[j, p] for j in range(len(judges.levels)) for p in pairs]
    w, t, l = (np.empty(data.n_rows) for _ in range(3))
    for source, label in zip(written, labels):
        w[label], t[label], l[label] = data.wins[source], data.ties[source], data.losses[source]
    return Comparisons.build(data.items, data.first, data.second, w, t, l, columns=data.columns)


@plant("judge-major", "answers listed pair by pair are labelled judge by judge")
def _vignette() -> Target:
    return target(llbt(dras()), page(llbt(relabelled_by_judge(dras()))))


@plant("alphabetical", "names in the order of the data")
def _sorted_by_r() -> Target:
    """R's output, in the order of its levels, beside names in the order of the paper's list."""
    fit = llbt(cems(), reference="sum")
    beside = dict(zip(cems().items, sorted(cems().items)))
    right = printed(fit, [*(f"estimate.{i}" for i in fit.items), *(f"se.{i}" for i in fit.items)])
    return target(
        fit, {f"{kind}.{i}": right[f"{kind}.{beside[i]}"] for kind in ("estimate", "se") for i in fit.items}
    )


def exchanged(one: str, other: str) -> Target:
    """Two schools under each other's names."""
    fit = llbt(cems(), reference="sum")
    names = {one: other, other: one}
    right = printed(fit, [*(f"estimate.{i}" for i in fit.items), *(f"se.{i}" for i in fit.items)])
    return target(
        fit,
        {f"{kind}.{i}": right[f"{kind}.{names.get(i, i)}"] for kind in ("estimate", "se") for i in fit.items},
    )


@plant("labels-exchanged", "Milano and St. Gallen")
def _neighbours() -> Target:
    return exchanged("Milano", "St. Gallen")


@plant("labels-exchanged", "London and Barcelona")
def _far_apart() -> Target:
    return exchanged("London", "Barcelona")


TREATED: list[tuple[str, str, Callable[[Comparisons], Fit]]] = [
    ("davidson", "Davidson", lambda d: llbt(d, ties="davidson")),
    ("none", "fixed at 0", lambda d: llbt(d, ties="none")),
    ("drop", "dropped", lambda d: llbt(d, ties="drop")),
    ("half", "half a win", lambda d: llbt(d, ties="half")),
    ("rao-kupper", "Rao and Kupper", lambda d: llbt(d, ties="rao-kupper")),
    (
        "two-games",
        "two games",
        lambda d: llbt(altered(d.without_ties(), lambda k, w, t, l: (w + d.ties[k], 0, l + d.ties[k]))),
    ),
    (
        "third",
        "a third of a win",
        lambda d: llbt(
            altered(d.without_ties(), lambda k, w, t, l: (w + d.ties[k] / 3, 0, l + d.ties[k] / 3))
        ),
    ),
]


def _treated(honest: str, other: Callable[[Comparisons], Fit]) -> Callable[[], Target]:
    def make() -> Target:
        fit = other(dras())
        items = [f"{kind}.{i}" for kind in ("estimate", "se") for i in "ABC"]
        return target(llbt(dras(), ties=honest), printed(fit, [*items, "deviance", "df_resid"]))  # type: ignore[arg-type]  # by name

    return make


for _name, _words, _fit in TREATED:
    plant("ties", _words)(_treated("davidson" if _name != "davidson" else "half", _fit))


@plant("cells", "every row is a cell of its own")
def _turner_firth() -> Target:
    """The numbers of Turner and Firth (2012) held against those of Firth (2005)."""
    whole = bradley_terry(baseball(), reference="Baltimore")
    by_row = bradley_terry(baseball(), reference="Baltimore", cells="row")
    return target(whole, page(by_row, 4, "null_deviance", "df_null", "aic_glm"))


@plant("cells", "the rows of each pair are added up")
def _firth() -> Target:
    by_row = bradley_terry(baseball(), reference="Baltimore", cells="row")
    return target(by_row, page(bradley_terry(baseball(), reference="Baltimore"), 4, "aic_glm"))


@plant("cells", "every judge's rows")
def _judges() -> Target:
    return target(llbt(dras()), page(llbt(dras(), cells="judge")))


def minimised(data: Comparisons, penalty: Callable[[np.ndarray], float]) -> np.ndarray:
    """Penalised abilities by a general optimiser."""

    def loss(b: np.ndarray) -> float:
        u = b[data.first] - b[data.second]
        return float(np.sum(data.wins * np.logaddexp(0, -u) + data.losses * np.logaddexp(0, u)) + penalty(b))

    return np.asarray(minimize(loss, np.zeros(len(data.items)), method="BFGS", options={"gtol": 1e-9}).x)


@plant("penalty", "scikit-learn's default strength")
def _ridge() -> Target:
    b = minimised(baseball(), lambda b: 0.5 * float(b @ b))
    fit = bradley_terry(baseball(), reference="sum")
    return target(fit, {f"estimate.{i}": f"{v - b.mean():.4f}" for i, v in zip(fit.items, b)})


@plant("penalty", "PlackettLuce's default")
def _pseudo() -> Target:
    """With the hypothetical item in the table."""
    d, n = baseball(), len(baseball().items)
    more = np.arange(n)
    ghost = Comparisons.build(
        (*d.items, "ghost"),
        np.append(d.first, more),
        np.append(d.second, np.full(n, n)),
        np.append(d.wins, np.full(n, 0.5)),
        None,
        np.append(d.losses, np.full(n, 0.5)),
    )
    b = bradley_terry(ghost, reference="Baltimore").params
    fit = bradley_terry(d, reference="Baltimore")
    return target(fit, {f"estimate.{i}": f"{b[i]:.4f}" for i in d.items if i != "Baltimore"})


@plant("se-of-the-step-before", "R's glm")
def _abilities() -> Target:
    """Turner and Firth (2012), BTabilities of the baseball data with home advantage, as printed."""
    numbers = {
        "Boston": "1.1438027 0.3378422",
        "Cleveland": "0.7046945 0.3350014",
        "Detroit": "1.4753572 0.3445518",
        "Milwaukee": "1.6195550 0.3473653",
        "New York": "1.2813404 0.3404034",
        "Toronto": "1.3271104 0.3403222",
    }
    fit = bradley_terry(baseball(), reference="Baltimore", order_effect=True)
    return target(
        fit,
        {
            f"{kind}.{i}": text.split()[k]
            for k, kind in enumerate(("estimate", "se"))
            for i, text in numbers.items()
        },
    )


def separated() -> Comparisons:
    """D never beat anybody."""
    rows = [("A", "B", 5, 3), ("A", "C", 4, 4), ("A", "D", 6, 0), ("B", "D", 3, 0), ("B", "C", 2, 3)]
    items = ("A", "B", "C", "D")
    return Comparisons.build(
        items,
        [items.index(r[0]) for r in rows],
        [items.index(r[1]) for r in rows],
        [r[2] for r in rows],
        None,
        [r[3] for r in rows],
    )


@plant("infinite-estimate", "D, infinite or not determined")
def _where_glm_stopped() -> Target:
    fit = bradley_terry(separated(), reference="A")
    values = glm_values(fit)
    return target(
        fit, {f"{kind}.{i}": f"{values[f'{kind}.{i}']:.4f}" for kind in ("estimate", "se") for i in "BCD"}
    )


@plant("infinite-estimate", "has the value at which some program stopped")
def _lizard() -> Target:
    """A program that went further than glm: 36.68 with a standard error of 3.9e7, as of BradleyTerry2's
    lizard096.
    """
    fit = bradley_terry(separated(), reference="A")
    rest = printed(fit, [f"{kind}.{i}" for kind in ("estimate", "se") for i in "BC"])
    return target(
        fit,
        {
            **rest,
            "estimate.D": "-3.668e+01",
            "se.D": "3.875e+07",
            "p.D": "1.0000",
            "deviance": f"{fit.deviance:.3f}",
        },
    )


def zermelo(data: Comparisons, steps: int) -> np.ndarray:
    """Worths after so many steps, one item at a time from the old worths."""
    n, p = len(data.items), np.ones(len(data.items))
    for _ in range(steps):
        new = np.empty(n)
        for i in range(n):
            won = data.wins[data.first == i].sum() + data.losses[data.second == i].sum()
            games = sum(
                (w + l) / (p[a] + p[b])
                for a, b, w, l in zip(data.first, data.second, data.wins, data.losses)
                if i in (a, b)
            )
            new[i] = won / games
        p = new / new.sum()
    return p


@plant("stopped-early", "Zermelo's iteration stops after 7 steps")
def _seven_iterations() -> Target:
    worths = zermelo(citations(), 7)
    fit = bradley_terry(citations())
    return target(fit, {f"worth.all.{i}": f"{w:.4f}" for i, w in zip(fit.items, worths)})


@plant("stopped-early", "reweighted least squares stops after 2 steps")
def _loose_epsilon() -> Target:
    """Citations by logistic least squares, two steps by hand."""
    d, n = citations(), citations().wins + citations().losses
    x = np.zeros((d.n_rows, len(d.items)))
    x[np.arange(d.n_rows), d.first], x[np.arange(d.n_rows), d.second] = 1.0, -1.0
    x, share = x[:, 1:], d.wins / n
    p = (d.wins + 0.5) / (n + 1)
    eta = np.log(p / (1 - p))
    for _ in range(2):
        w = n * p * (1 - p)
        cov = np.linalg.inv((x * w[:, None]).T @ x)
        b = cov @ x.T @ (w * (eta + (share - p) / (p * (1 - p))))
        eta, p = x @ b, 1 / (1 + np.exp(-(x @ b)))
    fit = bradley_terry(d)
    return target(
        fit,
        {
            **{f"estimate.{i}": f"{v:.5f}" for i, v in zip(fit.items[1:], b)},
            **{f"se.{i}": f"{v:.5f}" for i, v in zip(fit.items[1:], np.sqrt(np.diag(cov)))},
        },
    )


@plant("stopped-early", "the solver stopped early (the log-likelihood at the printed values is")
def _gradient_ascent() -> Target:
    """Neither Zermelo nor least squares: a fixed-step ascent, stopped when the log-likelihood rises by less
    than 1e-6 of itself.
    """
    d = baseball()
    b = np.zeros(len(d.items))
    before = -math.inf
    while True:
        u = b[d.first] - b[d.second]
        p = 1 / (1 + np.exp(-u))
        now = float(np.sum(d.wins * np.log(p) + d.losses * np.log1p(-p)))
        if now - before < 1e-7 * abs(now):
            break
        before = now
        r = d.wins - (d.wins + d.losses) * p
        b += 0.02 * (np.bincount(d.first, r, len(b)) - np.bincount(d.second, r, len(b)))
    fit = bradley_terry(d, reference="sum")
    return target(fit, {f"estimate.{i}": f"{v:.4f}" for i, v in zip(fit.items, b - b.mean())})


@plant("reference", "Paris is the reference")
def _other_reference() -> Target:
    return target(
        llbt(cems()),
        {
            n: t
            for n, t in page(llbt(cems(), reference="Paris")).items()
            if "Paris" not in n and "Stockholm" not in n
        },
    )


@plant("reference", "sum to zero")
def _sum_to_zero() -> Target:
    return target(
        llbt(cems()), {n: t for n, t in page(llbt(cems(), reference="sum")).items() if "Stockholm" not in n}
    )


def _scaled(words: str, factor: float, offset: float = 0.0, reference: str = "Stockholm") -> None:
    @plant("scale", words)
    def make() -> Target:
        fit, b = llbt(cems(), reference=reference), llbt(cems(), reference=reference).on_scale("log-odds")
        items = [i for i in fit.items if i != reference]
        return target(
            llbt(cems()),
            {
                **{
                    f"estimate.{i}": f"{b.params[i] * factor + offset:.4f}" for i in items if i != "Stockholm"
                },
                **{f"se.{i}": f"{b.bse[i] * factor:.4f}" for i in items if i != "Stockholm"},
            },
        )


_scaled("log-odds, twice lambda", 1.0)
_scaled("half of lambda", 0.25)
_scaled("1.75", 1 / 1.75)
_scaled("1.702", 1 / 1.702)
_scaled("are Elo points", 400 / math.log(10))
_scaled("Elo points with mean 1000", 400 / math.log(10), 1000.0, "sum")
_scaled("Elo points with mean 1500", 400 / math.log(10), 1500.0, "sum")


@plant("scale", "lambda, half the log-odds")
def _lambda_for_log_odds() -> Target:
    return target(bradley_terry(cems(), reference="Stockholm"), page(llbt(cems())))


@plant("sign", "small estimate")
def _sign() -> Target:
    """Worths say which way round it is: with all pairs reversed they would be others."""
    fit = llbt(dras())
    numbers = page(fit, 4, "worth.all.A")
    for i in "ABC":
        numbers[f"estimate.{i}"] = f"{-fit.params[i]:.4f}"
    return target(fit, numbers)


@plant("worth-scale", "exp(lambda), not exp(2 lambda)")
def _worths_of_lambda() -> Target:
    fit = llbt(dras())
    e = np.exp(fit.params[list("ABCD")])
    return target(fit, {**page(fit), **{f"worth.all.{i}": f"{w:.4f}" for i, w in zip("ABCD", e / e.sum())}})


@plant("tie-parameter", "nu, not its logarithm")
def _nu() -> Target:
    fit = llbt(dras())
    return target(fit, {**page(fit), "estimate.tie": f"{math.exp(fit.params['tie']):.4f}"})


@plant("tie-parameter", "log nu - log 2")
def _tie_max() -> Target:
    fit = llbt(dras())
    return target(fit, {**page(fit), "estimate.tie": f"{fit.params['tie'] - math.log(2):.4f}"})


@plant("order-coding", "+1 and -1")
def _plus_minus_one() -> Target:
    fit = bradley_terry(baseball(), order_effect=True)
    return target(
        fit,
        {
            **page(fit),
            "estimate.order": f"{fit.params['order'] / 2:.4f}",
            "se.order": f"{fit.bse['order'] / 2:.4f}",
        },
    )


@plant("one-sided-p", "one-sided")
def _one_sided() -> Target:
    fit = bradley_terry(baseball(), reference="Baltimore", cells="row")
    return target(fit, {**page(fit), **{f"p.{i}": f"{fit.pvalues[i] / 2:.3g}" for i in fit.items[1:]}})


@plant("t-for-z", "from the t distribution with")
def _t() -> Target:
    from scipy.stats import t

    fit = bradley_terry(baseball(), reference="Baltimore", cells="row")
    return target(
        fit,
        {
            **page(fit),
            **{f"p.{i}": f"{2 * t.sf(abs(fit.zvalues[i]), fit.df_resid):.3g}" for i in fit.items[1:]},
        },
    )


@plant("deviance-is-log-likelihood", "minus twice")
def _psychotools() -> Target:
    fit = llbt(cems())
    return target(fit, {**page(fit), "deviance": f"{-2 * fit.llf:.3f}"})


def _aic(words: str, value: Callable[[Fit], float]) -> None:
    @plant("aic-constant", words)
    def make() -> Target:
        fit = bradley_terry(citations())
        return target(fit, {**page(fit), "aic": f"{value(fit):.4f}"})


_aic("the constants of R's glm", lambda f: quantity(f, "aic_glm"))
_aic("deviance + 2k", lambda f: f.deviance + 2 * f.rank)
_aic("one more parameter", lambda f: f.aic + 2)
_aic("divided by", lambda f: f.aic / f.n_comparisons)


def _df(words: str, value: Callable[[Fit], int]) -> None:
    @plant("df", words)
    def make() -> Target:
        fit = llbt(dras())
        return target(fit, {**page(fit), "df_resid": str(value(fit))})


_df("every outcome of every cell", lambda f: f.df_resid + f.cell_table().n_cells)
_df("too large by one", lambda f: f.df_resid + 1)
_df("too small by one", lambda f: f.df_resid - 1)


@plant("df", "empty cells")
def _empty_cells() -> Target:
    d = dras()
    sparse = d.select(~((d.first == 0) & (d.second == 1)))
    fit = llbt(sparse)
    return target(fit, {**page(fit), "df_resid": str(fit.df_resid + 2)})


@plant("digits-transposed", "two of its digits were exchanged")
def _transposed() -> Target:
    fit = bradley_terry(citations())
    return target(fit, {**page(fit, 5), "estimate.JRSS-B": "0.26985"})


@plant("sign-lost", "its sign was lost")
def _lost_sign() -> Target:
    fit = bradley_terry(citations())
    return target(fit, {**page(fit, 5), "estimate.JASA": "0.47957"})


# -- columns, factors, and what the page does not say --------------------------------------------------------


def columns_of(fit: Fit, *kinds: str, decimals: int = 4) -> Page:
    """These columns of the table of a page."""
    return printed(
        fit, [f"{kind}.{n}" for kind in kinds for n, ok in zip(fit.names, fit.free) if ok], decimals
    )


@plant("columns-exchanged", "the columns of standard errors and z")
def _se_and_z() -> Target:
    fit = bradley_terry(baseball(), reference="Baltimore")
    right = columns_of(fit, "estimate", "se", "z")
    other = {"estimate": "estimate", "se": "z", "z": "se"}
    return target(fit, {n: right[".".join([other[n.partition(".")[0]], n.partition(".")[2]])] for n in right})


@plant(
    "labels-exchanged-in-one-column", "New York and Toronto are exchanged in the column of standard errors"
)
def _one_column_sorted() -> Target:
    fit = bradley_terry(baseball(), reference="Baltimore")
    right = columns_of(fit, "estimate", "se")
    a, b = "se.Toronto", "se.New York"
    return target(fit, {**right, a: right[b], b: right[a]})


@plant(
    "one-column-on-the-other-scale",
    "standard errors are on the log-odds scale and estimates on the lambda scale",
)
def _prefmod_beside_psychotools() -> Target:
    fit = llbt(cems())
    items = [n for n in fit.items if n != "Stockholm"]
    errors = {f"se.{i}": f"{2 * fit.bse[i]:.4f}" for i in items}
    return target(fit, {**printed(fit, [f"estimate.{i}" for i in items]), **errors})


def _dispersed(words: str, factor: Callable[[Fit], float]) -> None:
    @plant("common-factor", words)
    def make() -> Target:
        fit = bradley_terry(baseball(), reference="Baltimore", cells="row")
        c = factor(fit)
        numbers = columns_of(fit, "estimate")
        for i in (i for i in fit.items if i != "Baltimore"):
            numbers[f"se.{i}"] = f"{fit.bse[i] * c:.4f}"
            numbers[f"z.{i}"] = f"{fit.zvalues[i] / c:.4f}"
        return target(fit, numbers)


_dispersed("the square root of deviance /", lambda f: math.sqrt(f.deviance / f.df_resid))
_dispersed("Pearson's chi-square", lambda f: math.sqrt(f.goodness_of_fit().pearson / f.df_resid))
_dispersed("multiplied by the square root of 2", lambda f: math.sqrt(2.0))
_dispersed("of the number of comparisons", lambda f: math.sqrt(f.n_comparisons))
_dispersed("all standard errors are 1.3 times", lambda f: 1.3)


@plant("order-effect", "the model has an order effect that is not mentioned")
def _at_home() -> Target:
    """Turner and Firth (2012), 2.3: with at.home, held against the model without."""
    with_order = bradley_terry(baseball(), reference="Baltimore", order_effect=True, cells="row")
    numbers = {n: t for n, t in page(with_order).items() if not n.endswith(".order")}
    return target(bradley_terry(baseball(), reference="Baltimore", cells="row"), numbers)


@plant("order-effect", "the model has no order effect")
def _not_at_home() -> Target:
    fit = bradley_terry(baseball(), reference="Baltimore", order_effect=True, cells="row")
    return target(fit, page(bradley_terry(baseball(), reference="Baltimore", cells="row")))


@plant("penalty", "the bias of the estimates is reduced")
def _bias_reduced() -> Target:
    """Turner and Firth (2012), 2.2: citations with br = TRUE."""
    fit = bradley_terry(citations(), reference="Biometrika")
    reduced = {"Comm Statist": "-2.9444", "JASA": "-0.4791", "JRSS-B": "0.2685"}
    return target(fit, {**{f"estimate.{i}": v for i, v in reduced.items()}, "deviance": "4.2957"})


# -- prefmod's defects ---------------------------------------------------------------------------------------


def by_judge() -> Fit:
    return llbt(dras(), by="judge")


@plant("counted-twice", "subset= given as positions")
def _positions() -> Target:
    """R 4.2.2, BradleyTerry2 1.1-2: summary(BTm(cbind(win1, win2), player1, player2, data = cited, subset = 1:6))."""
    estimates = {"Comm Statist": "-2.94907", "JASA": "-0.47957", "JRSS-B": "0.26895"}
    errors = {"Comm Statist": "0.07251", "JASA": "0.04284", "JRSS-B": "0.05008"}
    numbers = {f"estimate.{i}": v for i, v in estimates.items()} | {f"se.{i}": v for i, v in errors.items()}
    table = {
        "deviance": "8.5868",
        "df_resid": "9",
        "null_deviance": "3850.466",
        "df_null": "12",
        "aic_glm": "86.788",
    }
    return target(bradley_terry(citations(), reference="Biometrika"), numbers | table)


@plant("bradleyterry2-ties-as-wins", "with an outcome of three levels")
def _three_levels() -> Target:
    """Every tie of Dras's table as a win of the item named first, fitted as a table without ties."""
    d = dras()
    fit = bradley_terry(altered(d.without_ties(), lambda k, w, t, l: (d.wins[k] + d.ties[k], 0, d.losses[k])))
    numbers = printed(fit, [f"{kind}.{i}" for kind in ("estimate", "se") for i in "BCD"])
    return target(bradley_terry(d, ties="drop"), numbers)


@plant("prefmod-ties-as-losses", "prefmod's defect B1-ties-as-losses")
def _tie_column() -> Target:
    """Every tie of Dras's table as a win of the later item, fitted as a binary table."""
    d = dras()
    fit = llbt(altered(d.without_ties(), lambda k, w, t, l: (d.wins[k], 0, d.losses[k] + d.ties[k])))
    numbers = printed(fit, [f"{kind}.{i}" for kind in ("estimate", "se") for i in "ABC"])
    return target(llbt(d), numbers)


@plant("prefmod-worths", "loses the items whose names are not valid in R (St. Gallen)")
def _saint_gallen() -> Target:
    """prefmod's worths of CEMS: exp(2 lambda) over their sum, St. Gallen's lambda lost."""
    fit = llbt(cems())
    e = {i: math.exp(0.0 if i == "St. Gallen" else 2 * fit.params[i]) for i in cems().items}
    return target(fit, {f"worth.all.{i}": f"{v / sum(e.values()):.4f}" for i, v in e.items()})


@plant("prefmod-worths", "worth per group of items with equal covariates, and these sum to 1")
def _latin() -> Target:
    """CEMS by LAT: two worths that sum to 1, each of three items (prefmod prints .556 and .444 of the data of 1998)."""
    fit = llbt(latin_countries("cems-1998-erroneous"), item_terms=["LAT"])
    e = {0.0: 1.0, 1.0: math.exp(2 * fit.params["LAT"])}
    numbers = {f"worth.all.{i}": f"{e[LATIN.get(i, 0.0)] / sum(e.values()):.3f}" for i in fit.items}
    assert set(numbers.values()) == {"0.556", "0.444"}
    return target(fit, numbers)


LATIN = {"Paris": 1.0, "Milano": 1.0, "Barcelona": 1.0}


def latin_countries(data: str) -> Comparisons:
    """CEMS with an item covariate."""
    d = shipped("cems", data)
    column = {"LAT": np.array([LATIN.get(i, 0.0) for i in d.items])}
    return Comparisons.build(d.items, d.first, d.second, d.wins, d.ties, d.losses, item_data=column)


@plant("prefmod-worths", "reads sum contrasts as treatment contrasts")
def _sum_contrasts() -> Target:
    """Dras by judge: the last judge has the worths of the average lambdas."""
    fit = by_judge()
    lambdas = np.array(
        [
            [fit.params[i] + (fit.params[f"{i}:judge[{j}]"] if j > 1 else 0) for i in "ABCD"]
            for j in (1, 2, 3, 4)
        ]
    )
    lambdas[3] = lambdas.mean(axis=0)
    e = np.exp(2 * lambdas)
    w = e / e.sum(axis=1, keepdims=True)
    numbers = {
        f"worth.{g}.{i}": f"{w[j, k]:.4f}" for j, g in enumerate(fit.groups) for k, i in enumerate("ABCD")
    }
    return target(fit, numbers)


@plant("prefmod-worths", "adds all effects of the covariate in one column")
def _one_column() -> Target:
    """Dras by judge: the one column of cov.sel, printed for the first judge."""
    fit = by_judge()
    lambdas = [fit.params[i] + sum(fit.params[f"{i}:judge[{j}]"] for j in (2, 3, 4)) for i in "ABCD"]
    e = np.exp(2 * np.array(lambdas))
    group = next(iter(fit.groups))
    worths = {f"worth.{group}.{i}": f"{v:.4f}" for i, v in zip("ABCD", e / e.sum())}
    return target(fit, {**page(fit), **worths})


def in_groups() -> Comparisons:
    """CEMS in two groups of unlike size: about a third of each count, and the rest."""
    d = cems()
    counts = np.stack([d.wins, d.ties, d.losses])
    part = np.minimum(np.floor(counts / 3 + np.arange(d.n_rows) % 4), counts)
    w, t, l = np.concatenate([part, counts - part], axis=1)
    group = Factor(np.repeat([0, 1], d.n_rows), ("1", "2"))
    first, second = np.tile(d.first, 2), np.tile(d.second, 2)
    return Comparisons.build(d.items, first, second, w, t, l, columns={"ENG": group})


def group_of(data: Comparisons) -> np.ndarray:
    column = data.columns["ENG"]
    assert isinstance(column, Factor)
    return column.codes


@plant("prefmod-margins", "the covariate is not in eliminate:")
def _margins() -> Target:
    """A Poisson model with one constant for each pair, by a general optimiser."""
    d = in_groups()
    fit = llbt(d, by="ENG")
    n, code = len(d.items), group_of(d)
    y = np.stack([d.wins, d.ties, d.losses], axis=1)
    pairs = len(y) // 2

    def mean(theta: np.ndarray) -> np.ndarray:
        mu, lam, delta, gamma = (
            theta[:pairs],
            theta[pairs : pairs + n - 1],
            theta[pairs + n - 1 : -1],
            theta[-1],
        )
        both = np.append(lam, 0) + code[:, None] * np.append(delta, 0)
        rows = np.arange(len(code))
        u = both[rows, d.first] - both[rows, d.second]
        return np.asarray(np.exp(np.tile(mu, 2)[:, None] + np.stack([u, np.full(len(u), gamma), -u], axis=1)))

    def loss(theta: np.ndarray) -> float:
        return float((mean(theta) - y * np.log(mean(theta))).sum())

    start = np.concatenate([np.full(pairs, 3.5), np.zeros(2 * (n - 1)), [-1.0]])
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-6, "maxiter": 5000}).x
    m = mean(found)
    deviance = 2 * float((y * np.log(np.where(y > 0, y, 1) / m) - (y - m)).sum())
    names = [*d.items[:-1], *(f"{i}:ENG[2]" for i in d.items[:-1]), "tie"]
    numbers = {f"estimate.{k}": f"{v:.3f}" for k, v in zip(names, found[pairs:])}
    return target(fit, {**numbers, "deviance": f"{deviance:.2f}", "df_resid": f"{y.size - len(found)}"})


@plant("prefmod-rows-dropped", "because SEX, which the model does not use, has no value")
def _dropped() -> Target:
    """CEMS in two groups, the sex of the first not known: only the second is fitted."""
    d = in_groups()
    columns = {"SEX": Factor(np.where(group_of(d) == 0, -1, 0), ("1",))}
    data = Comparisons.build(d.items, d.first, d.second, d.wins, d.ties, d.losses, columns=columns)
    known = group_of(d) == 1
    left = Comparisons.build(d.items, *(x[known] for x in (d.first, d.second, d.wins, d.ties, d.losses)))
    return target(llbt(data), page(llbt(left)))


@plant("df", "count empty cells (prefmod's defect B11-empty-cells-counted)")
def _empty_cell() -> Target:
    """Four items, one pair not compared: 3 df for 2, and R's AIC 2 higher."""
    wins, losses = [33, 24, 33, 45, 26], [12, 31, 22, 24, 32]
    fit = llbt(Comparisons.build("ABCD", [0, 0, 1, 1, 2], [1, 2, 2, 3, 3], wins, None, losses))
    aic = f"{quantity(fit, 'aic_glm') + 2:.4f}"
    return target(fit, {**page(fit), "df_resid": "3", "aic_glm": aic})


def honest() -> Sequence[tuple[str, Target]]:
    """The same tables, honestly printed."""
    fits = {
        "dras": llbt(dras()),
        "dras by judge": llbt(dras(), by="judge"),
        "rao-kupper": llbt(dras(), ties="rao-kupper"),
        "half wins": bradley_terry(dras(), ties="half"),
        "cems": llbt(cems()),
        "citations": bradley_terry(citations()),
        "baseball": bradley_terry(baseball(), reference="Baltimore", order_effect=True, cells="row"),
    }
    return [(name, target(fit, page(fit))) for name, fit in fits.items()]
