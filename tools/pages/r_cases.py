"""Small tables on which an R function gives a wrong or meaningless number, beside pairproof's numbers.

Each case gives one wide table, a column a pair in prefmod's order, to both.  The R calls are made as a user of R types
them: the bridge's own functions refuse some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import pairproof
from pairproof.bridge import backend, data_frame
from pairproof.bridge.packages import bradleyterry2
from pairproof.bridge.records.calls import RResult
from pairproof.data.columns import Factor
from pairproof.data.wide import to_wide
from pairproof.errors import InputError
from pairproof.fit.fit import Fit

from .precision import dras
from .tables import certified_fit, markdown

Columns = Mapping[str, Sequence[float]]
NA = float("nan")
#: R: coefficients, standard errors, deviance and df of a fitted model; of the call in `asked`.
REDUCED = """
fit <- {call}
b <- stats::coef(fit); known <- !is.na(b)
list(names = names(b)[known], coef = as.numeric(b)[known], se = as.numeric(sqrt(diag(as.matrix(stats::vcov(fit)))))[known],
     deviance = stats::deviance(fit), df = as.numeric(stats::df.residual(fit)), worth = as.numeric({worth}))
"""


@dataclass(frozen=True)
class Case:
    """A table, what R makes of it, what it is, and what pairproof does."""

    title: str
    call: str
    happens: str
    rows: tuple[tuple[str, str, str], ...]
    settled: str

    def text(self) -> str:
        table = markdown(("", "R", "pairproof"), self.rows)
        happens, settled = (" ".join(text.split()) for text in (self.happens, self.settled))
        return f"### {self.title}\n\n`{self.call}`. {happens}\n\n{table}\n{settled}\n"


def ask(call: str, data: Columns, worth: str = "numeric(0)", code: str = REDUCED) -> RResult:
    """R's answer to a call in which `d` is the table."""
    text = code.replace("{call}", call).replace("{worth}", worth)
    function = call.partition("(")[0].strip()
    return backend().call(
        code=text,
        args={"d": data_frame({k: np.asarray(v, float) for k, v in data.items()})},
        needs=("prefmod", "gnm"),
        label=f"docs {function}",
    )


def named(result: RResult) -> dict[str, tuple[float, float]]:
    value = result.as_list()
    parts = [value.vector(k).values for k in ("names", "coef", "se")]
    return {str(n): (float(b), float(s)) for n, b, s in zip(*parts)}


def numbers(result: RResult, name: str) -> list[float]:
    return [float(x) for x in result.as_list().vector(name).floats().ravel()]


def read(data: Columns, n_items: int, ties: bool, **options: Any) -> pairproof.Comparisons:
    """The same table, with what its codes mean said."""
    items = [f"o{k + 1}" for k in range(n_items)]
    coding = {"first": 0, **({"tie": 1, "second": 2} if ties else {"second": 1}), "missing": "NA"}
    return pairproof.read(
        pd.DataFrame(data), layout="prefmod", items=items, pair_order="prefmod", coding=coding, **options
    )


def pair(estimate: float, se: float) -> str:
    """`0.3511 (0.3056)`; a number beyond a thousand short."""
    return f"{number(estimate)} ({number(se)})"


def number(x: float) -> str:
    """Four decimals, none for a number beyond a thousand; what rounds to 0 has no sign."""
    return f"{x:.0f}" if abs(x) >= 1000 else f"{0.0 if abs(x) < 5e-5 else x:.4f}"


def listed(values: Iterable[float]) -> str:
    return ", ".join("none" if np.isnan(v) else f"{v:.4f}" for v in values)


def ours(fit: Fit, name: str) -> str:
    return (
        "not estimable" if np.isnan(fit.params[name]) else pair(float(fit.params[name]), float(fit.bse[name]))
    )


def beside(
    r: Mapping[str, tuple[float, float]], fit: Fit, names: Mapping[str, str]
) -> tuple[tuple[str, str, str], ...]:
    """Rows of parameters: R's name -> ours."""
    return tuple(
        (mine, pair(*r[theirs]) if theirs in r else "no such parameter", ours(fit, mine))
        for theirs, mine in names.items()
    )


# -- the cases -----------------------------------------------------------------------------------------------

#: Three items, eight people: pairs (12), (13), (23).
PLAIN: Columns = {
    "V1": [0, 0, 0, 1, 0, 1, 1, 0],
    "V2": [0, 0, 0, 1, 0, 0, 1, 0],
    "V3": [0, 1, 0, 1, 1, 0, 0, 0],
}


def unused_category() -> Case:
    data: Columns = {
        "V1": [0, 0, 0, 0, 1, 1, 0, 0],
        "V2": [0, 0, 0, 1, 1, 1, 0, 0],
        "V3": [0, 1, 0, 1, 0, 1, 0, 1],
    }
    call = "prefmod::llbtPC.fit(d, 3)"
    r = named(ask(call, data))
    fit = pairproof.fit_llbt(read(data, 3, ties=True, tie_category=True))
    return Case(
        "An answer nobody gave",
        call,
        """Eight people answered 0 (first), 1 (no preference) or 2 (second); nobody happened to answer 2.
        prefmod counts categories among the values it meets, finds two, and takes every \u201cno
        preference\u201d for \u201csecond\u201d.""",
        beside(r, fit, {"o1": "o1", "o2": "o2", "U": "tie"}),
        """A coding is stated, never read off the values: `coding` has no default. Ties are evidence against a
        large gap, so all three numbers exist, though nobody was ever preferred second.""",
    )


def unanimous() -> Case:
    data: Columns = {"V1": [0] * 8, "V2": [0] * 8, "V3": [0] * 8}
    call = "prefmod::llbtPC.fit(d, 3)"
    r = named(ask(call, data))
    fit = pairproof.fit_llbt(read(data, 3, ties=False))
    rows = beside(r, fit, {"o1": "o1", "o2": "o2"}) + (("tie", pair(*r["U"]), "no such parameter"),)
    return Case(
        "Everybody agrees",
        call,
        """Eight people prefer item 1 to 2 and 3, and 2 to 3, without exception. With one value in the table
        prefmod takes all answers for ties: the clearest ranking there can be comes out as three equal
        items.""",
        rows,
        f"No number is given to what is infinite; the fit says: \u201c{fit.warnings[0]}.\u201d",
    )


def separated() -> Case:
    data: Columns = {"V1": [0] * 6, "V2": [0] * 6, "V3": [0, 1, 0, 1, 0, 1]}
    call = "prefmod::llbtPC.fit(d, 3)"
    result = ask(call, data, "prefmod::llbt.worth(fit)")
    fit = pairproof.fit_llbt(read(data, 3, ties=False))
    worths = fit.worth()["worth"]
    rows = beside(named(result), fit, {"o1": "o1", "o2": "o2"}) + (
        ("worths", listed(numbers(result, "worth")), listed(worths)),
    )
    return Case(
        "An item that never lost",
        call,
        """Item 1 won every comparison, so its ability has no finite maximum. gnm climbs until the deviance
        stops changing and reports the place where it stopped; `converged` is TRUE and there is no
        warning.""",
        rows,
        (
            "Whether a maximum exists is decided from the comparisons themselves, not from where a solver"
            f" stops. The fit says: \u201c{fit.warnings[0]}.\u201d"
        ),
    )


def disconnected() -> Case:
    none = [NA] * 6
    data: Columns = {
        "V1": [0, 0, 0, 1, 0, 1],
        "V2": none,
        "V3": none,
        "V4": none,
        "V5": none,
        "V6": [0, 1, 0, 1, 0, 0],
    }
    call = "prefmod::llbtPC.fit(d, 4)"
    result = ask(call, data, "prefmod::llbt.worth(fit)")
    fit = pairproof.fit_llbt(read(data, 4, ties=False))
    rows = beside(named(result), fit, {"o1": "o1", "o2": "o2", "o3": "o3"}) + (
        ("worths", listed(numbers(result, "worth")), listed(fit.worth()["worth"])),
        ("df", f"{numbers(result, 'df')[0]:g}", f"{fit.df_resid}"),
    )
    return Case(
        "Items that never met",
        call,
        """Items 1 and 2 were compared with each other, 3 and 4 with each other, and never across. R gives all
        four worths on one scale. Its df counts the four pairs that were never compared.""",
        rows,
        f"The fit says: \u201c{fit.warnings[0]}.\u201d",
    )


def empty_pair() -> Case:
    data: Columns = {**PLAIN, "V4": [NA] * 8, "V5": [1, 0, 0, 1, 1, 0, 1, 0], "V6": [0, 1, 1, 1, 1, 0, 0, 1]}
    call = "prefmod::llbtPC.fit(d, 4)"
    result = ask(call, data)
    fit = pairproof.fit_llbt(read(data, 4, ties=False))
    rows = beside(named(result), fit, {"o1": "o1"}) + (
        ("deviance", f"{numbers(result, 'deviance')[0]:.6f}", f"{fit.deviance:.6f}"),
        ("df", f"{numbers(result, 'df')[0]:g}", f"{fit.df_resid}"),
    )
    return Case(
        "A pair that was not compared",
        call,
        """Five of six pairs were compared. The sixth has no data, and R counts it in the residual degrees of
        freedom.""",
        rows,
        """Empty cells do not count: df is the number of free categories in cells with data, less the
        parameters.""",
    )


def covariate_outside_the_table() -> Case:
    data: Columns = {**PLAIN, "SEX": [1, 2, 1, 2, 1, 2, 1, 2], "ENG": [1, 1, 1, 1, 2, 2, 2, 2]}
    call = "prefmod::llbtPC.fit(d, 3, formel = ~SEX, elim = ~ENG)"
    r = named(ask(call, data))
    fit = pairproof.fit_llbt(
        read(data, 3, ties=False, pairs=["V1", "V2", "V3"], levels={"SEX": ["1", "2"], "ENG": ["1", "2"]}),
        by="C(SEX)",
        cells="ENG",
    )
    names = {"o1": "o1", "o2": "o2", "o1:SEX2": "o1:SEX[2]", "o2:SEX2": "o2:SEX[2]"}
    return Case(
        "A covariate that is not in the table",
        call,
        """The model asks for an effect of SEX; the nuisance table is by ENG only. R drops SEX without a word
        and returns the model without covariates.""",
        beside(r, fit, names),
        """The cells always hold the model's own covariates; `cells` only makes them finer. Called through the
        bridge, this combination is refused before R sees it.""",
    )


def missing_covariate() -> Case:
    data: Columns = {**PLAIN, "AGE": [20, NA, 30, 60, 35, 55, 50, 25]}
    design = "prefmod::llbt.design(d, 3, num.scovs = 'AGE', casewise = TRUE)"
    call = (
        f"gnm::gnm(y ~ o1 + o2 + o1:AGE + o2:AGE, eliminate = mu:CASE, family = poisson, data = {design},"
        " verbose = FALSE)"
    )
    r = named(ask(call, data))
    whole = {k: [x for x, age in zip(v, data["AGE"]) if not np.isnan(age)] for k, v in data.items()}
    fit = pairproof.fit_llbt(read(whole, 3, ties=False, pairs=["V1", "V2", "V3"]), by="AGE")
    said = _refusal(lambda: pairproof.fit_llbt(read(data, 3, ties=False, pairs=["V1", "V2", "V3"]), by="AGE"))
    return Case(
        "An age that is missing",
        "llbt.design(d, 3, num.scovs = 'AGE', casewise = TRUE), then gnm",
        """One of eight people gave no age. llbt.design says that the line is removed; it takes the person out
        of the ages and not out of the answers, so that from there on each age stands beside somebody else's
        answers.""",
        beside(r, fit, {"o1:AGE": "o1:AGE", "o2:AGE": "o2:AGE"}),
        (
            "pairproof's column is the fit without that person. Given the table as it is, it refuses:"
            f" \u201c{said}\u201d"
        ),
    )


def _refusal(do: Callable[[], object]) -> str:
    try:
        do()
    except InputError as error:
        return str(error)
    raise ValueError("this was to be refused")


def odd_names() -> Case:
    call = (
        "prefmod::llbt.worth(gnm::gnm(y ~ `St. Gallen` + Paris + Milano, eliminate = mu, family = poisson,"
        " data = design))"
    )
    code = """
design <- prefmod::llbt.design(d, 3, objnames = c("St. Gallen", "Paris", "Milano"))
fit <- gnm::gnm(y ~ `St. Gallen` + Paris + Milano, eliminate = mu, family = poisson, data = design, verbose = FALSE)
list(worth = as.numeric(prefmod::llbt.worth(fit)))
"""
    got = numbers(ask(call, PLAIN, code=code), "worth")
    table = read(PLAIN, 3, ties=False)
    worths = pairproof.fit_llbt(table).worth()["worth"]
    rows = tuple(
        (n, f"{a:.4f}", f"{b:.4f}") for n, a, b in zip(("St. Gallen", "Paris", "Milano"), got, worths)
    )
    return Case(
        "A name with a blank",
        "llbt.worth(fit)",
        """llbt.worth finds coefficients by the text of their names. With a name that R puts in backquotes it
        finds none, takes 0, and gives worths that belong to no fit.""",
        rows,
        """Worths come from the parameters, not from their names. Items may be called anything but `tie` and
        `order`, without `:` and `[`.""",
    )


def unsorted_rows() -> Case:
    code = """
design <- prefmod::llbt.design(d, 3)
other <- c(1, 3, 5, 2, 4, 6)
one <- function(rows) as.numeric(as.matrix(prefmod::llbt.fit(design$y[rows], as.matrix(design[rows, c("o1", "o2")]), q = 3, ncat = 2)))[1:4]
list(sorted = one(1:6), unsorted = one(other))
"""
    result = ask("prefmod::llbt.fit(y, Xmodel, q = 3, ncat = 2)", PLAIN, code=code)
    fit = pairproof.fit_llbt(read(PLAIN, 3, ties=False))
    turned, usual = numbers(result, "unsorted"), numbers(result, "sorted")
    rows = tuple((f"o{k + 1}", pair(turned[k], turned[k + 2]), ours(fit, f"o{k + 1}")) for k in range(2))
    rows += (("o1, rows sorted", pair(usual[0], usual[2]), ours(fit, "o1")),)
    return Case(
        "Rows in another order",
        "llbt.fit(y, Xmodel, q = 3, ncat = 2)",
        """llbt.fit is not told which rows belong to one comparison: it takes them in blocks. The same rows in
        another order are another model, without a word.""",
        rows,
        "Rows of a table may stand in any order; the tests permute them, and the numbers must not move.",
    )


def misspelt_option() -> Case:
    data: Columns = {**PLAIN, "SEX": [1, 2, 1, 2, 1, 2, 1, 2]}
    code = """
wrong <- prefmod::llbt.design(d, 3, catscovs = "SEX")
right <- prefmod::llbt.design(d, 3, cat.scovs = "SEX")
list(rows = c(nrow(wrong), nrow(right)))
"""
    wrong, right = numbers(ask("prefmod::llbt.design(d, 3, catscovs = 'SEX')", data, code=code), "rows")
    misspelt: dict[str, Any] = {"tie": "none"}
    try:
        pairproof.fit_llbt(read(PLAIN, 3, ties=False), **misspelt)
    except TypeError as error:
        # Python's words for it change with its version (3.13 adds "Did you mean"): here only that it names
        # the option.
        said = f"a {type(error).__name__} that names 'tie'" if "'tie'" in str(error) else str(error)
    rows = (("rows of the design", f"{wrong:g} as misspelt, {right:g} as meant", f"refused: {said}"),)
    return Case(
        "An option that is misspelt",
        'llbt.design(d, 3, catscovs = "SEX")',
        "Any argument is accepted; one that means nothing is ignored.",
        rows,
        "No function here takes arguments it does not know, and every option is checked against its values.",
    )


def patterns_with_ties() -> Case:
    judge = dras().columns["judge"]
    assert isinstance(judge, Factor)  # read gives no other judge
    judge_1 = dras().select(judge.codes == 0)
    data = to_wide(judge_1, "prefmod").frame.to_dict("list")
    call = "prefmod::pattPC.fit(d, 4)"
    code = "fit <- {call}\nlist(coef = as.numeric(fit$coefficients))"
    coef = numbers(ask(call, data, code=code), "coef")
    fit = pairproof.fit_llbt(read(data, 4, ties=True))
    rows = tuple(
        (n, number(coef[k]) if k < len(coef) else "no such parameter", number(fit.params[n]))
        for k, n in enumerate(("o1", "o2", "o3", "tie"))
    )
    return Case(
        "A tie counted as a loss",
        call,
        """The answers of judge 1 in Dras's Table 1. In four of the six columns only two of the three answers
        occur. pattPC.fit concludes from the values it meets that there are two categories, leaves out the
        tie parameter, and takes ties for losses.""",
        rows,
        """Without dependence between comparisons the pattern model is the LLBT, which is what stands on the
        right.""",
    )


def logit_cut_off() -> Case:
    document = certified_fit("fits/one-upset-in-1e6--bradley-terry-none")
    first, second, wins, losses = (
        [r[k] for r in document["data"]] for k in ("first", "second", "wins", "losses")
    )
    m = bradleyterry2.BTm_counts(
        wins, losses, first, second, players=document["items"], refcat=document["model"]["reference"]
    )
    table = pairproof.read({"first": first, "second": second, "wins": wins, "losses": losses})
    fit = pairproof.fit_bradley_terry(table)
    shown = (
        ("deviance", f"{m.deviance:.4f}", f"{fit.deviance:.4f}"),
        ("50-digit value", "", f"{float(document['deviance']):.4f}"),
    )
    return Case(
        "Favourites all but certain",
        "BTm(cbind(wins, losses), ...)",
        """Beyond 30 logits R's logit link cuts off, so glm's deviance is that of other probabilities; it says
        only that probabilities are \u201cnumerically 0 or 1\u201d.""",
        shown,
        "Probabilities near 1 are kept as the small probability of the other side.",
    )


def two_items() -> Case:
    data: Columns = {"V1": [0] * 61 + [1] * 24 + [2] * 35}
    code = "list(said = tryCatch({ prefmod::llbtPC.fit(d, 2); '' }, error = conditionMessage))"
    said = str(ask("prefmod::llbtPC.fit(d, 2)", data, code=code).as_list().vector("said").scalar())
    fit = pairproof.fit_llbt(read(data, 2, ties=True))
    rows = (("o1", f"stops: {said}", ours(fit, "o1")), ("tie", "", ours(fit, "tie")))
    return Case(
        "Two items",
        "prefmod::llbtPC.fit(d, 2)",
        "The table of one pair, 61 for, 24 undecided, 35 against (Dras's ModPref).",
        rows,
        "Two items, and one judge, are tables like any other.",
    )


CASES: tuple[Callable[[], Case], ...] = (
    *(unused_category, unanimous, patterns_with_ties, separated, disconnected, empty_pair),
    *(covariate_outside_the_table, missing_covariate, odd_names, unsorted_rows, misspelt_option),
    *(two_items, logit_cut_off),
)


def cases() -> str:
    return "\n".join(case().text() for case in CASES)


BLOCKS: Mapping[str, Callable[[], str]] = {"where-r-is-wrong": cases}
