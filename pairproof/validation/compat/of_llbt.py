"""Cases of prefmod's LLBTs and latent classes: B4, B5, B10, B11, B13, B17, B23, B24, A4, N2, N3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...data.respondents import Respondents
from ...fit.fit import Fit
from ...native.compat.cells import mixture_of_cells
from ...native.compat.margins import fit_margins_not_fixed
from ...native.compat.printed import counted_with_empty_cells, printed_by_llbt_fit
from ...native.compat.reading import read_as_prefmod
from ...native.pairs.models import fit_llbt
from ...native.patterns.classes.fit import fit_classes
from ...native.patterns.comparisons.fit import comparison_likelihood
from ...native.patterns.maps import main_effects
from .case import GROUPS, NA, SIXTEEN, TERNARY, Case, Columns, pairs

#: gnm's iterations end within this of the maximum (observed in the tests: 4e-12 to 4e-6).
GNM = 2e-5
_GNM = "gnm stops before the maximum"


def _fit(table: Respondents, by: str = "") -> Fit:
    return fit_llbt(table.to_comparisons(), by=by)


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
    return _fit(read.table, read.by)


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
        lambda: _params(_fit(table), "o1", "o2", "tie"),
        GNM,
        _GNM,
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
        lambda: _params(_fit(known, "age"), *names),
        GNM,
        _GNM,
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
        lambda: _params(_fit(table), "o1", "o2"),
        GNM,
        _GNM,
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
        lambda: _params(_fit(table, "S"), *names),
        GNM,
        _GNM,
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
        _GNM,
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
        0.0,
        "the same decimals",
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
        c = counted_with_empty_cells(_fit(table))
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
        1e-3,
        "gnm leaves small positive expectations in the empty cell, which AIC has in its likelihood",
    )


def margins_not_fixed() -> Case:
    table = pairs(GROUPS, 3, False, levels=("S",))

    def forgotten() -> Sequence[float]:
        found = fit_margins_not_fixed(table, "S")
        return [found.deviance, float(found.df), *found.estimates]

    def right() -> Sequence[float]:
        fit = _fit(table, "S")
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
        _GNM,
    )


def printed() -> Case:
    table = pairs(TERNARY, 3, True)

    def shown() -> Sequence[float]:
        found = printed_by_llbt_fit(_fit(table))
        return [x for name in ("tie", "o1", "o2") for x in found[name]]

    def right() -> Sequence[float]:
        fit = _fit(table)
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
        5e-4,
        "llbt.fit stops before the maximum, which moves z in the fourth decimal",
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
        likelihood, pooled, names = comparison_likelihood(table.once, [main_effects(table.items)])
        m = fit_classes(likelihood, pooled.weights, names, 2)
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
        2e-4,
        "EM creeps: it stops a little before the maximum of the mixture",
    )


CASES = (
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
