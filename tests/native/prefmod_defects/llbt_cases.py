"""A case, a small table on which a defect of prefmod shows, the call of R and pairproof's numbers with and
without it; and the cases of its LLBTs, latent classes (B4, B5, B10, B11, B13, B17, B23, B24, A4, N2, N3) and
llbt.worth (B6, B7, B21).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairproof.bridge.packages.asking import vector_of
from pairproof.bridge.process.policy import BackendLike, backend as policy
from pairproof.bridge.values.convert import data_frame
from pairproof.data.respondents.pairs_and_ratings import from_pairs
from pairproof.data.respondents.respondents import Respondents
from pairproof.fit.fit import Fit
from pairproof.native.answers.patterns.class_mixture import STARTS, fit_classes
from pairproof.native.answers.patterns.comparison_patterns import fit_comparisons
from pairproof.native.answers.patterns.natural_parameters import main_effects
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.native.prefmod_defects.defect_catalogue import Defect, defect
from pairproof.native.prefmod_defects.defects_of_input import read_as_prefmod
from pairproof.native.prefmod_defects.defects_of_models import fit_margins_not_fixed, mixture_of_cells
from pairproof.native.prefmod_defects.defects_of_results import (
    counted_with_empty_cells,
    printed_by_llbt_fit,
    worth_as_prefmod,
)

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
Columns = Mapping[str, Sequence[float]]
NA = float("nan")

#: Packages that every case loads; its code then sees the table as d.
PREPARED = "suppressMessages(suppressWarnings({library(prefmod); library(gnm)}))\nas.numeric({\n%s\n})"


class Stop(NamedTuple):
    """Largest difference of a reproduced number from R's, and the reason."""

    floor: float
    why: str


@dataclass(frozen=True, eq=False)
class Case:
    """A table and a call on which a defect shows."""

    defect: str
    table: str
    call: str
    code: str
    data: Columns
    quantities: tuple[str, ...]
    reproduced: Callable[[], Sequence[float]]
    right: Callable[[], Sequence[float]]
    stop: Stop
    factors: tuple[str, ...] = ()

    @property
    def of(self) -> Defect:
        """The defect itself."""
        return defect(self.defect)

    def prefmod(self, backend: BackendLike = None) -> FloatArray:
        """float[n]: R's numbers of the quantities, live or recorded."""
        frame = data_frame({k: np.asarray(v, float) for k, v in self.data.items()})
        code = "".join(f"d${name} <- factor(d${name})\n" for name in self.factors) + self.code
        answer = policy(backend).call(
            code=PREPARED % code, args={"d": frame}, needs=("prefmod", "gnm"), label=f"compat {self.defect}"
        )
        return np.asarray(vector_of(answer).floats()).ravel()


# -- tables --------------------------------------------------------------------------------------------------

#: Three items, sixteen persons; 0 = first preferred, 1 = second.
SIXTEEN: Columns = {
    "V1": [0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1],
    "V2": [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1],
    "V3": [1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0],
}
#: The same with ties: 0 = first preferred, 1 = tie, 2 = second.
TERNARY: Columns = {
    "V1": [0, 0, 2, 0, 1, 2, 0, 0, 2, 0, 0, 1, 0, 2, 0, 2],
    "V2": [0, 2, 0, 0, 0, 1, 2, 0, 1, 0, 2, 2, 1, 0, 0, 2],
    "V3": [2, 0, 0, 1, 0, 2, 0, 2, 0, 1, 2, 0, 0, 2, 2, 0],
}

#: Thirty-two persons of two groups of unlike size, three items.
GROUPS: Columns = {
    "V1": [*SIXTEEN["V1"], *SIXTEEN["V2"]],
    "V2": [*SIXTEEN["V2"], *SIXTEEN["V3"]],
    "V3": [*SIXTEEN["V3"], *SIXTEEN["V1"]],
    "S": [1.0] * 10 + [2.0] * 22,
}
#: The same in three groups.
THREE: Columns = {**GROUPS, "S": [1.0] * 10 + [2.0] * 9 + [3.0] * 13}


def frame_of(data: Columns, whole: Iterable[str]) -> pd.DataFrame:
    """The table; of the columns `whole` the numbers are integers."""
    import pandas as pd

    frame = pd.DataFrame({k: list(v) for k, v in data.items()})
    return frame.astype(dict.fromkeys(whole, "Int64"))


def levels_of(data: Columns, names: Iterable[str]) -> dict[str, list[int]]:
    """Levels of categorical covariates."""
    return {k: sorted({int(v) for v in data[k] if v == v}) for k in names}


def pairs(
    data: Columns, n_items: int, ties: bool, items: Sequence[str] | None = None, levels: Sequence[str] = ()
) -> Respondents:
    """A wide table of comparisons as a user of pairproof reads it; `levels` names categorical covariates."""
    return from_pairs(
        frame_of(data, [*list(data)[: n_items * (n_items - 1) // 2], *levels]),
        items=list(items or [f"o{k + 1}" for k in range(n_items)]),
        pair_order="prefmod",
        coding={"first": 0, "second": 2 if ties else 1, "missing": "NA", **({"tie": 1} if ties else {})},
        tie_category=ties,
        levels=levels_of(data, levels),
    )


#: gnm's iterations end within this of the maximum; worths agree better than estimates (observed: 4e-11).
GNM_WORTHS = Stop(1e-8, "gnm stops before the maximum")


def llbt_of(table: Respondents, by: str = "") -> Fit:
    """The LLBT of the table's comparisons."""
    return fit_llbt(table.to_comparisons(), by=by)


def names_unread() -> Case:
    items = ["St. Gallen", "Pa", "Mi x"]
    table = pairs(TERNARY, 3, True, items)
    return Case(
        "B6-names-unread",
        "sixteen persons, the items St. Gallen, Pa, Mi x",
        "llbt.worth(gnm(y ~ `St. Gallen` + Pa + `Mi x` + g1, eliminate = mu, family = poisson, data = llbt.design(d, 3, ...)))",
        """p <- llbt.design(d, 3, objnames = c("St. Gallen", "Pa", "Mi x"))
llbt.worth(gnm(y ~ `St. Gallen` + Pa + `Mi x` + g1, eliminate = mu, family = poisson, data = p, verbose = FALSE))""",
        TERNARY,
        tuple(f"worth of {i}" for i in items),
        lambda: list(worth_as_prefmod(llbt_of(table), "B6")["all"].values()),
        lambda: [float(w) for w in llbt_of(table).worth()["worth"]],
        GNM_WORTHS,
    )


_BY_S = "gnm(y ~ o1 + o2 + o3 + (o1 + o2 + o3):%s, eliminate = mu:%s, family = poisson, data = p, verbose = FALSE)"


def sum_contrasts() -> Case:
    table = pairs(THREE, 3, False, levels=("S",))
    name = "B7-sum-contrasts-read-as-treatment"

    def shown() -> Sequence[float]:
        worths = worth_as_prefmod(llbt_of(table, "S"), name)
        return [w for group in worths.values() for w in group.values()]

    return Case(
        name,
        "thirty-two persons in three groups, three items",
        f"options(contrasts = c('contr.sum', 'contr.poly')); llbt.worth({_BY_S % ('S', 'S')})",
        f"""p <- llbt.design(d, 3, cat.scovs = "S")
old <- options(contrasts = c("contr.sum", "contr.poly"))
w <- tryCatch(llbt.worth({_BY_S % ("S", "S")}), finally = options(old))
w""",
        THREE,
        tuple(f"worth of o{i} in S{s}" for s in (1, 2, 3) for i in (1, 2, 3)),
        shown,
        lambda: [float(w) for w in llbt_of(table, "S").worth()["worth"]],
        GNM_WORTHS,
    )


def one_column() -> Case:
    table = pairs(GROUPS, 3, False, levels=("S",))
    return Case(
        "B7-one-column-of-cov-sel",
        "thirty-two persons in two groups, three items",
        f'llbt.worth({_BY_S % ("factor(S)", "factor(S)")}) of llbt.design(d, 3, cov.sel = "S")',
        f"""p <- llbt.design(d, 3, cov.sel = "S")
llbt.worth({_BY_S % ("factor(S)", "factor(S)")})""",
        GROUPS,
        ("worth of o1", "worth of o2", "worth of o3"),
        lambda: list(worth_as_prefmod(llbt_of(table, "S"), "B7-one-column-of-cov-sel")["worth"].values()),
        lambda: [float(w) for w in llbt_of(table, "S").worth({"S": "1"})["worth"]],
        GNM_WORTHS,
    )


def worths_of_groups_of_items() -> Case:
    table = pairs(TERNARY, 3, True)
    comparisons = Respondents.build(
        table.items,
        table.kind,
        table.answers,
        tie_category=True,
        item_data={"LAT": np.array([0.0, 1.0, 1.0])},
    ).to_comparisons()

    by_group = fit_llbt(comparisons, item_terms=["LAT"])

    return Case(
        "B21-worths-of-groups-of-items",
        "sixteen persons, three items, LAT = 0, 1, 1",
        "llbt.worth(gnm(y ~ LAT + g1, eliminate = mu, family = poisson, data = llbt.design(d, 3, objcovs = LAT)))",
        """p <- llbt.design(d, 3, objcovs = data.frame(LAT = c(0, 1, 1)))
w <- llbt.worth(gnm(y ~ LAT + g1, eliminate = mu, family = poisson, data = p, verbose = FALSE))
c(w[1], w[2], w[2])""",
        TERNARY,
        ("worth of o1", "worth of o2", "worth of o3"),
        lambda: _each_item(worth_as_prefmod(by_group, "B21")["all"], ("o1", "o2", "o3")),
        lambda: [float(w) for w in by_group.worth()["worth"]],
        GNM_WORTHS,
    )


def _each_item(worths: dict[str, float], items: Sequence[str]) -> list[float]:
    return [next(w for group, w in worths.items() if i in group.split(",")) for i in items]


CASES_OF_WORTHS = (names_unread, sum_contrasts, one_column, worths_of_groups_of_items)


#: gnm's iterations end within this of the maximum (observed in the tests: 4e-12 to 4e-6).
GNM = Stop(2e-5, GNM_WORTHS.why)


def _params(fit: Fit, *names: str) -> list[float]:
    return [float(fit.params[n]) if n in fit.names else NA for n in names]


def _read(
    table: Respondents,
    function: str,
    by: str = "",
    compat: str = "prefmod",
    elim: Sequence[str] | None = None,
) -> Fit:
    read = read_as_prefmod(table, function, by=by, elim=elim, compat=compat, warn=False)
    return llbt_of(read.table, read.by)


# -- what is read --------------------------------------------------------------------------------------------


def ties_without_second() -> Case:
    data: Columns = {
        "V1": [0, 0, 0, 0, 1, 1, 0, 0],
        "V2": [0, 0, 0, 1, 1, 1, 0, 0],
        "V3": [0, 1, 0, 1, 0, 1, 0, 1],
    }
    table = pairs(data, 3, True)
    return Case(
        "B4-observed-categories",
        "eight persons who could answer 0 (first), 1 (tie), 2 (second); nobody answered 2",
        "llbtPC.fit(d, 3)",
        "c(coef(llbtPC.fit(d, 3))[1:2], NA)",
        data,
        ("o1", "o2", "tie"),
        lambda: _params(_read(table, "llbtPC.fit"), "o1", "o2", "tie"),
        lambda: _params(llbt_of(table), "o1", "o2", "tie"),
        GNM,
    )


def number_without_value() -> Case:
    age = [20, NA, 30, 45, 50, 22, 61, NA, 37, 28, 33, 41, 59, 64, 25, 30]
    data: Columns = {**SIXTEEN, "age": age}
    table = pairs(data, 3, False)
    known = table.select(np.asarray(age) == np.asarray(age))
    names = ("o1", "o2", "o1:age", "o2:age")
    return Case(
        "B5-rows-shifted",
        "sixteen persons, three items, the age of two missing",
        'gnm(y ~ o1 + o2 + (o1 + o2):age, eliminate = mu:CASE, family = poisson, data = llbt.design(d, 3, num.scovs = "age"))',
        """p <- suppressWarnings(llbt.design(d, 3, num.scovs = "age"))
coef(gnm(y ~ o1 + o2 + (o1 + o2):age, eliminate = mu:CASE, family = poisson, data = p, verbose = FALSE))""",
        data,
        names,
        lambda: _params(_read(table, "llbt.design", "age"), *names),
        lambda: _params(llbt_of(known, "age"), *names),
        GNM,
    )


def column_beside() -> Case:
    data: Columns = {**SIXTEEN, "other": [1, NA, 2, 1, NA, 2, 2, 1, 1, 2, NA, 1, 2, 2, 1, 1]}
    table = pairs(data, 3, False)
    return Case(
        "B13-any-column-missing",
        "sixteen persons; a column that the model does not use has no value for three of them",
        "llbtPC.fit(d, 3)",
        "coef(llbtPC.fit(d, 3))[1:2]",
        data,
        ("o1", "o2"),
        lambda: _params(_read(table, "llbtPC.fit"), "o1", "o2"),
        lambda: _params(llbt_of(table), "o1", "o2"),
        GNM,
    )


def covariate_not_in_elim() -> Case:
    data: Columns = {**GROUPS, "E": [1.0, 2.0] * 16}
    table = pairs(data, 3, False, levels=("S", "E"))
    names = ("o1", "o2", "o1:S[2]", "o2:S[2]")
    return Case(
        "B10-covariate-not-in-elim",
        "thirty-two persons, three items, by S, with a table divided by E",
        "llbtPC.fit(d, 3, formel = ~S, elim = ~E)",
        "c(coef(llbtPC.fit(d, 3, formel = ~S, elim = ~E))[1:2], NA, NA)",
        data,
        names,
        lambda: _params(_read(table, "llbtPC.fit", "S", elim=["E"]), *names),
        lambda: _params(llbt_of(table, "S"), *names),
        GNM,
    )


def columns_of_dras() -> Case:
    """Dras (2015), Table 1, all judges: the columns stand in the order AB AC AD BC BD CD."""
    counts = (
        ((38, 0, 2), (36, 1, 3), (37, 1, 2), (39, 1, 0), (0, 2, 38), (3, 0, 37)),
        ((37, 2, 1), (36, 3, 1), (38, 1, 1), (37, 2, 1), (2, 2, 36), (1, 0, 39)),
        ((33, 4, 3), (33, 3, 4), (3, 3, 34), (4, 4, 32), (2, 4, 34), (1, 0, 39)),
        ((37, 2, 1), (39, 0, 1), (35, 3, 2), (34, 2, 4), (2, 2, 36), (3, 1, 36)),
    )
    total = np.array(counts).sum(axis=0)
    data: Columns = {
        name: [0.0] * int(a) + [1.0] * int(t) + [2.0] * int(b)
        for name, (a, t, b) in zip(("AB", "AC", "AD", "BC", "BD", "CD"), total)
    }
    order = ("AB", "AC", "BC", "AD", "BD", "CD")
    table = pairs({k: data[k] for k in order}, 4, True, "ABCD")

    def numbers(compat: str) -> Sequence[float]:
        fit = _read(table, "llbtPC.fit", compat=compat)
        none = fit_llbt(
            read_as_prefmod(table, "llbtPC.fit", compat=compat, warn=False).table.to_comparisons(),
            ties="none",
        )
        return [fit.deviance, *_params(fit, "A", "B", "C", "tie"), none.deviance]

    return Case(
        "B24-columns-in-another-order",
        "Dras (2015), Table 1, four judges; columns AB AC AD BC BD CD",
        "llbtPC.fit(d, 4)",
        "m <- llbtPC.fit(d, 4); c(deviance(m), coef(m)[c(1:3, 5)], deviance(llbtPC.fit(d, 4, undec = FALSE)))",
        data,
        ("deviance", "A", "B", "C", "tie", "deviance without U"),
        lambda: numbers("prefmod:B24"),
        lambda: numbers(""),
        GNM,
    )


def covariate_rounded() -> Case:
    x = [3141.59265458979 + 0.00012345 * k * (k % 3 - 1) for k in range(16)]
    data: Columns = {**SIXTEEN, "x": x, "letter": [1.0, 2.0] * 8}
    table = pairs(data, 3, False)
    return Case(
        "A4-covariate-rounded",
        "sixteen persons, a covariate near 3141.59, and a factor in the table",
        'llbt.design(d, 3, num.scovs = "x")$x',
        'p <- llbt.design(d, 3, num.scovs = "x"); p$x[c(1, 7, 91)]',
        data,
        ("x of person 1", "x of person 2", "x of person 16"),
        lambda: _values_of(
            read_as_prefmod(table, "llbt.design", by="x", compat="prefmod:A4", warn=False).table
        ),
        lambda: _values_of(table),
        Stop(0.0, "the same decimals"),
        factors=("letter",),
    )


def _values_of(table: Respondents) -> list[float]:
    column = table.columns["x"]
    assert isinstance(column, np.ndarray)  # numbers were read
    return [float(column[k]) for k in (0, 1, 15)]


# -- counting, margins, printing, classes --------------------------------------------------------------------


def empty_pair() -> Case:
    data: Columns = {
        "V1": [1, 1, *SIXTEEN["V1"][2:]],
        "V2": [NA] * 16,
        "V3": SIXTEEN["V3"],
        "V4": SIXTEEN["V2"],
        "V5": SIXTEEN["V1"][::-1],
        "V6": SIXTEEN["V3"][::-1],
    }
    table = pairs(data, 4, False)

    def counted(right: bool) -> Sequence[float]:
        c = counted_with_empty_cells(llbt_of(table))
        return [float(c.df_right), c.aic_right] if right else [float(c.df), c.aic]

    return Case(
        "B11-empty-cells-counted",
        "sixteen persons, four items, one pair of which nobody compared",
        "llbtPC.fit(d, 4)",
        "m <- llbtPC.fit(d, 4); c(m$df.residual, AIC(m))",
        data,
        ("df", "AIC"),
        lambda: counted(False),
        lambda: counted(True),
        Stop(
            1e-3, "gnm leaves small positive expectations in the empty cell, which AIC has in its likelihood"
        ),
    )


def margins_not_fixed() -> Case:
    table = pairs(GROUPS, 3, False, levels=("S",))

    def forgotten() -> Sequence[float]:
        found = fit_margins_not_fixed(table, "S")
        return [found.deviance, float(found.df), *found.estimates]

    def right() -> Sequence[float]:
        fit = llbt_of(table, "S")
        return [fit.deviance, float(fit.df_resid), *_params(fit, "o1", "o2", "o1:S[2]", "o2:S[2]")]

    return Case(
        "B23-margins-not-fixed",
        "ten persons in one group and twenty-two in the other, three items",
        'gnm(y ~ o1 + o2 + (o1 + o2):S, eliminate = mu, family = poisson, data = llbt.design(d, 3, cat.scovs = "S"))',
        """p <- llbt.design(d, 3, cat.scovs = "S")
m <- gnm(y ~ o1 + o2 + (o1 + o2):S, eliminate = mu, family = poisson, data = p, verbose = FALSE)
c(deviance(m), m$df.residual, coef(m))""",
        GROUPS,
        ("deviance", "df", "o1", "o2", "o1:S[2]", "o2:S[2]"),
        forgotten,
        right,
        GNM,
    )


def printed() -> Case:
    table = pairs(TERNARY, 3, True)

    def shown() -> Sequence[float]:
        found = printed_by_llbt_fit(llbt_of(table))
        return [x for name in ("tie", "o1", "o2") for x in found[name]]

    def right() -> Sequence[float]:
        fit = llbt_of(table)
        of = [(fit.params[n], fit.bse[n], fit.zvalues[n], fit.pvalues[n]) for n in ("tie", "o1", "o2")]
        return [float(x) for row in of for x in row]

    names = tuple(f"{what} of {n}" for n in ("tie", "o1", "o2") for what in ("estimate", "SE", "z", "p"))
    return Case(
        "N2-one-sided-p",
        "sixteen persons, three items, with ties",
        'llbt.fit(p$y, p[c("g1", "o1", "o2")], q = 3, ncat = 3) of p <- llbt.design(d, 3)',
        """p <- llbt.design(d, 3)
utils::capture.output(m <- llbt.fit(p$y, p[c("g1", "o1", "o2")], q = 3, ncat = 3))
as.vector(t(as.matrix(m)))""",
        TERNARY,
        names,
        shown,
        right,
        Stop(5e-4, "llbt.fit stops before the maximum, which moves z in the fourth decimal"),
    )


def classes_of_cells() -> Case:
    """Three items; eight patterns of two kinds of persons."""
    answers = ((0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1))
    counts = (30, 9, 8, 10, 25, 8, 9, 1)
    rows = [a for a, n in zip(answers, counts) for _ in range(n)]
    data: Columns = {f"V{k + 1}": [float(r[k]) for r in rows] for k in range(3)}
    table = pairs(data, 3, False)

    def found() -> Sequence[float]:
        m = mixture_of_cells(table, 2)
        return [m.disparity, *m.fit.shares, *m.fit.phi[:, 1], *m.standard_errors[:, 1]]

    def of_persons() -> Sequence[float]:
        one = fit_comparisons(table.once, [main_effects(table.items)])
        names, phi, every = one.estimate.names, one.estimate.phi, np.ones(len(one.estimate.phi), bool)
        m = fit_classes(one.likelihood, one.pooled.weights, names, 2, every, STARTS, 0, phi)
        return [NA, *m.shares, *m.phi[:, 0], *m.standard_errors[:, 0]]

    return Case(
        "B17-classes-of-cells",
        "a hundred persons, three items, two classes",
        "pattnpml.fit(y ~ 1, random = ~ o1 + o2, k = 2, design = patt.design(d, 3), EMdev.change = 1e-12, seed = 1)",
        """m <- pattnpml.fit(y ~ 1, random = ~ o1 + o2, k = 2, design = patt.design(d, 3), EMmaxit = 20000,
                  EMdev.change = 1e-12, seed = 1)
utils::capture.output(s <- summary(m))
o <- order(-m$masses)
c(m$disparity, m$masses[o], m$coefficients[c("o1:MASS1", "o1:MASS2")[o]],
  s$coefficients[c("o1:MASS1", "o1:MASS2")[o], 2])""",
        data,
        ("disparity", "share 1", "share 2", "o1 in 1", "o1 in 2", "SE of o1 in 1", "SE of o1 in 2"),
        found,
        of_persons,
        Stop(2e-4, "EM creeps: it stops a little before the maximum of the mixture"),
    )


CASES_OF_LLBT = (
    ties_without_second,
    number_without_value,
    covariate_not_in_elim,
    empty_pair,
    column_beside,
    classes_of_cells,
    margins_not_fixed,
    columns_of_dras,
    covariate_rounded,
    printed,
)
