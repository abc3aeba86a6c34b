"""A1 to A18: prefmod's answers to awkward input.  N1 to N4: how it prints numbers that are right."""

from __future__ import annotations

from .defect import ActsOn, Defect, Evidence

_SILENT = "It is refused with the row and the column, or fitted."


def _row(
    name: str,
    functions: tuple[str, ...],
    does: str,
    right: str = _SILENT,
    how: str = "R stops; there is no number.",
    acts_on: ActsOn = "no number",
    evidence: tuple[Evidence, ...] = (),
    told: bool = False,
) -> Defect:
    return Defect(name, acts_on, functions, does, right, how, evidence, told)


AWKWARD: tuple[Defect, ...] = (
    _row("A1-covariate-coded-from-0", ("llbt.design", "patt.design", "llbtPC.fit", "pattPC.fit"), "stops."),
    _row(
        "A2-persons-without-covariate",
        ("llbtPC.fit", "pattPC.fit", "pattR.fit", "pattL.fit", "pattLrep.fit"),
        "leaves persons out who have no value of a covariate of the model, and prints their lines.",
        "Such persons are named and refused; leave them out with select.",
        "They are left out.",
        "data",
        told=True,
    ),
    _row(
        "A3-covariate-in-letters", ("llbt.design", "llbtPC.fit", "patt.design"), "stops, or drops everybody."
    ),
    _row(
        "A4-covariate-rounded",
        ("llbt.design",),
        "rounds numeric covariates to seven significant digits (of the smallest value) as soon as any column of the"
        " table is a factor.",
        "Numbers are read as they stand.",
        "Numeric covariates are rounded so.",
        "data",
        (Evidence("3141.59265458979", "3141.593", "3141.59265458979"),),
    ),
    _row("A5-number-in-formel", ("llbtPC.fit", "pattPC.fit"), "stops."),
    _row("A6-empty-group", ("llbtPC.fit", "pattPC.fit"), "stops, with a clear message."),
    _row(
        "A7-all-ties-but-two",
        ("llbtPC.fit",),
        "converges, with U = 5.70.",
        "The same number.",
        "There is no defect here.",
    ),
    _row(
        "A8-answers-in-words",
        ("llbt.design", "llbtPC.fit"),
        "llbt.design makes a design without any answer, without a word; llbtPC.fit stops.",
        how="There is no answer in the design, hence no number.",
    ),
    _row(
        "A9-twelve-or-twenty-items", ("llbtPC.fit",), "works.", "The same number.", "There is no defect here."
    ),
    _row(
        "A10-column-without-answers",
        ("patt.design", "pattPC.fit"),
        "patt.design drops everybody and stops; pattPC.fit gives arbitrary lambdas with NaN for standard errors.",
        "What is not determined is named and has no number.",
        "The lambdas are wherever nlm stopped along a flat direction.",
    ),
    _row("A11-formula-as-text", ("llbtPC.fit", "pattPC.fit"), "stops."),
    _row(
        "A12-alpha-of-an-item-without-gap",
        ("pattPC.fit",),
        "runs to -18.4; print() stops.",
        "The parameter is minus infinity and is named.",
        "The number is the place where nlm gave up.",
    ),
    _row(
        "A13-nearly-saturated",
        ("pattPC.fit",),
        "ends with code 3, lambda near 60 and NaN for standard errors, printed like others.",
        "Infinite estimates are named and have no number.",
        "The number is the place where nlm gave up.",
    ),
    _row("A14-blank-in-an-item-name", ("llbtPC.fit",), "stops."),
    _row(
        "A15-item-named-y",
        ("llbt.design",),
        "an item named y, mu or g1 makes two columns of that name and a wrong fit, without a word.",
        "Names have no influence.",
        "Which of the two columns R takes depends on the formula.",
    ),
    _row(
        "A16-dependence-of-rankings",
        ("pattR.fit",),
        "salad with ia: a warning, NaN for standard errors, code 1.",
        "Dependence within a ranking cannot be told from the items; it is not offered.",
        "The numbers are where nlm stopped along a flat direction.",
    ),
    _row(
        "A17-overflow-replaced",
        ("pattPC.fit", "pattR.fit", "pattL.fit"),
        'hides the warning "NA/Inf replaced by maximum positive value"; harmless where it was compared.',
        "Nothing overflows.",
        "There is no defect in the number.",
    ),
    _row(
        "A18-tied-ranks-left-out",
        ("pattR.fit",),
        "leaves out rankings with ties; patt.design reads them as wrong patterns without a word.",
        "Ties are an answer: Plackett-Luce with ties, or ratings.",
        "Rankings with ties are left out.",
        "data",
        told=True,
    ),
)

PRINTED: tuple[Defect, ...] = (
    _row(
        "N1-log-likelihood-beside-the-maximum",
        ("pattPC.fit", "pattR.fit", "pattL.fit"),
        "stores and prints the log-likelihood of its last evaluation, a point of the numerical Hessian: 2e-4 max(last"
        " parameter, 1) beside the maximum along the last parameter.  The deviance is taken from it.",
        "llf is that of the estimates.",
        "The log-likelihood is evaluated at that point.",
        "result",
        (Evidence("judge J1 of Dras (2015), pattPC.fit", "-67.073454854", "-67.073454308"),),
        told=True,
    ),
    _row(
        "N2-one-sided-p",
        ("llbt.fit",),
        "prints one-sided p-values under P(z).",
        "p-values are two-sided.",
        "Half the two-sided p-value.",
        "result",
        (Evidence("z = .4961", ".3099", ".6198"),),
    ),
    _row(
        "N3-four-decimals",
        ("llbt.fit",),
        "rounds estimates, standard errors, z and p to four decimals and keeps no others.",
        "Numbers have all their digits.",
        "Numbers are rounded to four decimals.",
        "result",
    ),
    _row(
        "N4-stopped-at-1e-4",
        ("llbt.fit",),
        "stops when the deviance changes by less than 1e-4 of itself: estimates are good to about 1e-6.",
        "Newton's method goes on to the maximum.",
        "The number is the place where the program stopped; the paper checker knows it as the slip stopped-early.",
    ),
)
