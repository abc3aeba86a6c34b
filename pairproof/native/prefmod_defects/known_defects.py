"""Every defect of R's prefmod as data: what it does, what is right, and how its number is reproduced.

B1 to B13 give another number without a word; B14 to B25 follow.  A1 to A18 are prefmod's answers to awkward
input, N1 to N4 how it prints numbers that are right.  The name of a defect can be given as an option
(`compat`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: What a defect changes: the answers and persons that enter the model, the model that is fitted, numbers that
#: are computed from a fit; or there is no number of prefmod's to reproduce.
ActsOn = Literal["data", "model", "result", "no number"]


@dataclass(frozen=True)
class Evidence:
    """One number as prefmod gives it, and as it is.
    quantity: what the number is, and of which data.  prefmod: as prefmod 0.8-36 gave it (0.8-37 gives the
    same).  `right`: the number without the defect; "" where there is none."""

    quantity: str
    prefmod: str
    right: str = ""


@dataclass(frozen=True)
class Defect:
    """A defect of prefmod 0.8-36 and 0.8-37.
    name: the option: an identifier, and words.  B1 to B25 are the defects found by running prefmod, A1 to A18
    its answers to awkward input, N1 to N4 the ways in which right numbers are printed.  functions: prefmod's
    functions that have it.  `right`: what is right, and what pairproof does.  `how`: how the number is
    reproduced, or why it is not and what to do.  told: whether prefmod's answer to a call shows from the data
    alone that it has the defect, so that ``compat = "prefmod"`` applies it; others are applied by name
    only."""

    name: str
    acts_on: ActsOn
    functions: tuple[str, ...]
    does: str
    right: str
    how: str
    evidence: tuple[Evidence, ...] = ()
    told: bool = False

    @property
    def id(self) -> str:
        """The identifier, such as "B1"."""
        return self.name.partition("-")[0]

    @property
    def option(self) -> str:
        """The value of `compat` that applies this defect alone."""
        return f"prefmod:{self.name}"

    @property
    def reproducible(self) -> bool:
        """Whether pairproof can give prefmod's number."""
        return self.acts_on != "no number"

    @property
    def words(self) -> str:
        """The name without the identifier, in words."""
        return self.name.partition("-")[2].replace("-", " ")

    def __str__(self) -> str:
        lines = [
            f"{self.name} ({'changes the ' + self.acts_on if self.reproducible else 'no number'};"
            f" {', '.join(self.functions)})",
            f"prefmod: {self.does}",
            f"right: {self.right}",
            f"{'reproduced' if self.reproducible else 'not reproduced'}: {self.how}",
        ]
        lines += [
            f"  {e.quantity}: prefmod {e.prefmod}" + (f", right {e.right}" if e.right else "")
            for e in self.evidence
        ]
        return "\n".join(lines)


#: Functions that enumerate patterns, and those that split persons by covariates in the same way.
PATTERN = ("pattPC.fit", "pattR.fit", "pattL.fit", "pattLrep.fit", "pattRrep.fit")

FIRST: tuple[Defect, ...] = (
    Defect(
        "B1-ties-as-losses",
        "data",
        ("pattPC.fit",),
        "takes the number of categories from the product, over the comparisons, of the numbers of different answers; if"
        " any comparison has two (or four), the product is even, the answers count as binary, U is left out, and a tie"
        " becomes a win of the second item.",
        "The instrument says whether there is a tie category, not the answers (`coding`, `tie_category`).",
        "Ties become wins of the second item, and the tie category is dropped.",
        (
            Evidence("judge J1 of Dras (2015), lambda of A", "0.755852", "0.885461"),
            Evidence("judge J1 of Dras (2015), lambda of B", "-0.873437", "-0.861711"),
            Evidence("judge J1 of Dras (2015), lambda of C", "-1.700834", "-1.832510"),
            Evidence("judge J1 of Dras (2015), U", "none", "-2.413480"),
        ),
        told=True,
    ),
    Defect(
        "B2-comparison-beyond-items",
        "no number",
        ("pattPC.fit",),
        'with MISmodel = "comp" and four items or more a selected comparison whose number is beyond the number of items'
        " gives zeros for all estimates, code 1, log-likelihood NA; print() stops.  Others carry a wrong label.",
        'alpha="comparison" has a parameter for each comparison with a gap.',
        'There is no estimate: the zeros are nlm\'s start. Fit with alpha="comparison".',
    ),
    Defect(
        "B3-beta-of-the-comparison",
        "model",
        ("pattPC.fit",),
        "with MISbeta multiplies the number of missing comparisons of item i by the answer to comparison number i (not"
        " of item i), so that the likelihood changes when the items are renamed.",
        'beta="difference" does not change when items are renamed; "item" is the documented form.',
        'beta="coded" in the place of beta="item".',
        (Evidence("immig, 2 (log-likelihood - that of alpha alone) on 4 df", "39.81", "0.31"),),
        told=True,
    ),
    Defect(
        "B4-observed-categories",
        "data",
        ("llbt.design", "llbtPC.fit", "pattPC.fit", "patt.design"),
        "takes the categories from the answers that occur.  Unanimous answers are all ties; 0/1/2 without a 2 makes every"
        " tie a win of the second item; a five-point scale of which a point is unused makes its middle one.",
        "The instrument says which answers there are (`coding`, `tie_category`).",
        "Answers are read again by the values that occur, in the codes given as `codes` (first, tie, second).",
        (Evidence("8 persons, 0/1/2 without a 2: U", "none (ties are losses)", "an estimate"),),
        told=True,
    ),
    Defect(
        "B5-rows-shifted",
        "data",
        ("llbt.design", "pattR.fit", "pattRrep.fit"),
        "removes a row from the answers and not from the covariates, or the other way round, so that every person below"
        " has another person's covariates.  R's warning is switched off.  llbt.design: numeric covariate with NA;"
        " pattR.fit: a row without any rank; pattRrep.fit: a covariate with NA.",
        "A row without a value is named; it is left out with its answers.",
        "Covariates are moved against the answers as prefmod's code moves them.",
        (
            Evidence("16 persons, age of two missing (llbt.design), slope of o1", "-0.031289", "0.002251"),
            Evidence("12 rankings, one empty, by S (pattR.fit), o1:S2", "-0.527868", "-0.465286"),
            Evidence("12 rankings, one empty, by S (pattR.fit), o2:S2", "-1.056947", "0.227213"),
        ),
        told=True,
    ),
    Defect(
        "B6-names-unread",
        "result",
        ("llbt.worth",),
        "(of a design by llbt.design) loses items whose name is not a name in R, such as `St. Gallen`: their lambda counts"
        " as 0.  If no item's name is one, every worth is 1/J.",
        "Names have no influence on worths.",
        "The lambdas of these items are 0 in the table of worths.",
        (
            Evidence("cemspc, four items, worth of `St. Gallen`", "0.222019", "0.479014"),
            Evidence("cemspc, four items, worth of Pa", "0.333942", "0.233214"),
        ),
        told=True,
    ),
    Defect(
        "B7-sum-contrasts-read-as-treatment",
        "result",
        ("llbt.worth",),
        "(of a design by llbt.design) reads the coefficients as treatment contrasts.  With contr.sum the groups at the"
        " last level of a covariate have the worths of the average.  Relabelled levels are an error.",
        "Worths do not depend on the contrasts.",
        "Effects of the last level are 0 in the table of worths.",
        (
            Evidence("cemspc by ENG, worth of LO in group ENG2", "0.405464", "0.396787"),
            Evidence("cemspc by ENG, worth of PA in group ENG2", "0.176341", "0.156819"),
        ),
    ),
    Defect(
        "B7-one-column-of-cov-sel",
        "result",
        ("llbt.worth",),
        "with the deprecated cov.sel (still in examples of the help) returns one column without a label: the sum of all"
        " effects of the covariate.  With two levels that is group 2, with more it is no group at all.",
        "A table has a column for each group.",
        "One column: the lambdas of the first group plus all effects.",
        (Evidence("cemspc by ENG, the only worth of LO", "0.396787", "0.410863 and 0.396787"),),
    ),
    Defect(
        "B8-names-within-names",
        "no number",
        ("llbt.worth",),
        "stops if the name of a covariate is part of another covariate's or of an item's (AGE and AGE2, o and o1).",
        "Names have no influence on worths.",
        "R stops; worth() gives the table.",
    ),
    Defect(
        "B9-design-found-by-its-name",
        "no number",
        ("patt.worth",),
        "looks the design up under the name it had in the call: stops inside a function, and takes another object of"
        " that name without a word.",
        "A fit keeps its data.",
        "Which object has the name cannot be known; R stops otherwise. worth() gives the table.",
    ),
    Defect(
        "B10-covariate-not-in-elim",
        "model",
        ("llbtPC.fit",),
        "fits the model without a covariate of formel that is not in elim, and says nothing.",
        "The covariates of the model always divide the table.",
        "The covariate is left out of the model; elim still divides the table.",
        (
            Evidence("cemspc, formel = ~SEX, elim = ~ENG: lambda of o1", "0.790623", "0.844413"),
            Evidence("the same: o1:SEX2", "none", "-0.099472"),
        ),
        told=True,
    ),
    Defect(
        "B11-empty-cells-counted",
        "result",
        ("llbt.design", "llbtPC.fit", "llbt.fit"),
        "counts a pair that nobody in a group compared: (categories - 1) df more, a constant more in AIC.  The fit leaves"
        " small positive expectations there, which move the deviance by up to 4e-3.",
        "Cells without a comparison say nothing and have no df.",
        "df and AIC count them. (The deviance is not moved: by how much depends on where gnm stops.)",
        (
            Evidence("four items, one pair unobserved: df", "3", "2"),
            Evidence("cemspc, a row a person: df", "9084", "8902"),
        ),
        told=True,
    ),
    Defect(
        "B12-gap-in-the-levels",
        "data",
        PATTERN,
        "takes the k-th level that occurs for level k.  With levels 1 and 3 the persons of level 3 are called S2, and S3"
        " has the worths of the first level and no standard error.  llbt.design has a group S2 of nobody with worths"
        " of its own; llbtPC.fit stops.",
        "A level nobody has is left out, and a warning names it.",
        "The persons of the k-th level that occurs are called by the k-th level.  (llbt.design's worths of nobody depend on"
        " gnm's start and are not reproduced.)",
        (Evidence("16 persons, S = 1 and 3: o1:S2", "-0.351141", "none: it is o1:S3"),),
        told=True,
    ),
    Defect(
        "B13-any-column-missing",
        "data",
        ("llbtPC.fit", "patt.design"),
        "drops every person with a missing value in any column to the right of the answers, also in columns that are not"
        " used; a column of letters drops everybody.",
        "Only the columns that the model uses matter.",
        "Persons without a value in any column are left out.",
        (Evidence("immig, three items: answers used", "197", "260"),),
        told=True,
    ),
)


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


LAST: tuple[Defect, ...] = (
    Defect(
        "B14-exact-fit-stops",
        "no number",
        ("llbt.fit",),
        'stops with "computationally singular" where the data fit exactly or pairs are not connected; with rows in another'
        " order it gives wrong estimates and a deviance of -4e-15.",
        "A saturated table has estimates in closed form.",
        "R stops, or reads rows that are not of one comparison as if they were. fit_llbt fits the table.",
    ),
    Defect(
        "B15-infinite-as-finite",
        "no number",
        ("llbtPC.fit", "llbt.fit", "pattPC.fit"),
        "reports converged where an estimate is infinite: 10.9 (standard error 1298) by gnm, 16.6 (214599) by llbt.fit,"
        " 10.3 by pattPC.fit.  Items that were never compared have worths on one scale.",
        "What is infinite or not determined is named and has no number.",
        "The number is the place where the program gave up, and has no meaning. The paper checker knows it as the slip"
        " infinite-estimate.",
    ),
    Defect(
        "B16-options-swallowed",
        "no number",
        ("llbt.design", "patt.design"),
        "accepts every misspelt option (catscovs =, ia = TRUE), and takes an option from a global variable of its name.",
        "An option that does not exist is an error.",
        "Fit the model without the option: that is what prefmod did.",
    ),
    Defect(
        "B17-classes-of-cells",
        "model",
        ("pattnpml.fit",),
        "mixes the cells of the table of patterns, not persons: all persons with the same answers are in one class"
        " together, class shares are shares of cells, standard errors take the classes as known, and the steps end"
        " when the disparity changes by less than .001.  startp and tol do nothing; the default seed is the clock.",
        "fit_latent_classes mixes persons, from many starts, with the mixture's observed information.",
        "mixture_of_cells fits prefmod's mixture at its best maximum, with shares of cells and standard errors of known"
        " classes.  A number from a local maximum of one seed is found among the optima that it lists.",
        (
            Evidence("100 persons, 3 items, 2 classes: share of the first", "0.500992", "0.536412"),
            Evidence("the same: standard error of o1 in it", "0.117873", "0.305473"),
        ),
    ),
    Defect(
        "B18-observed-range",
        "data",
        ("pattL.fit", "pattLrep.fit"),
        "takes the scale from the smallest rating to the largest that occur, so that one more row changes the set of"
        " possible answers, hence U.",
        "The scale belongs to the instrument (`scale`).",
        "The scale is cut to the range of the ratings that occur.",
        (Evidence("8 persons who used 1 and 2 of the points 1-5: U", "-0.066713", "0.598072"),),
        told=True,
    ),
    Defect(
        "B19-index-in-single-precision",
        "no number",
        ("pattPC.fit",),
        "stops with six items and ties after 279 s and 9 GB: 588,665 of the 3^15 pattern numbers are wrong in single"
        " precision.",
        "Without dependence nothing is enumerated: hundredths of a second.",
        "R stops. fit_pattern fits the table.",
    ),
    Defect(
        "B20-range-of-the-first-columns",
        "data",
        ("patt.design",),
        "takes the range of the answers to comparisons from the first J columns, not from all J(J-1)/2 comparisons: where"
        " only a later one has a tie or a second preference, answers are cut elsewhere.",
        "The instrument says which answers there are.",
        "Answers are read again with the categories of the first J comparisons.",
        told=True,
    ),
    Defect(
        "B21-worths-of-groups-of-items",
        "result",
        ("llbt.worth", "patt.worth"),
        "with item covariates gives a worth to each group of items with equal covariates, and these sum to 1, whatever"
        " the number of items in a group.  Numeric subject covariates are taken at 0.",
        "Every item has a worth, and those of all items sum to 1.",
        "Worths of the distinct rows of item covariates.",
        (
            Evidence("cemspc, LAT of 3 and 3 items: worth of an item with LAT = 0", ".556", ".185"),
            Evidence("cemspc, LAT of 3 and 3 items: worth of an item with LAT = 1", ".444", ".148"),
        ),
        told=True,
    ),
    Defect(
        "B22-first-block-complete",
        "data",
        ("pattPC.fit", "pattR.fit", "pattL.fit"),
        "with NItest takes the first pattern of missing answers for the complete rows, also where no row is complete."
        " pattRrep.fit with ia stops; an item named U loses the tie parameter, a covariate named y all its effects.",
        "A test of complete against incomplete rows needs complete rows.",
        "`incomplete` tells the first pattern of missing answers from the others.",
        (Evidence("16 persons, half without V1, half without V3: mis.o1", "0.255414", "not defined"),),
    ),
    Defect(
        "B23-margins-not-fixed",
        "model",
        ("llbt.design",),
        "cannot tell that a covariate of the model is missing in eliminate: the numbers of comparisons of each group then"
        " have to be explained by the items.",
        "The covariates of the model always divide the table.",
        "Poisson counts with one constant for each pair, not for each pair in each group.",
        (
            Evidence(
                "cemspc by ENG, interactions only, eliminate = mu: deviance", "1045.16 on 64", "162.90 on 49"
            ),
            Evidence("the same with the main effect ENG: deviance", "164.45 on 63", "162.90 on 49"),
        ),
    ),
    Defect(
        "B24-columns-in-another-order",
        "data",
        ("llbt.design", "llbtPC.fit", "pattPC.fit", "patt.design"),
        "reads the columns as 12 13 23 14 24 34 ..., whatever order they are in.",
        "A wide table has to say its pair order.",
        "Columns in the order 12 13 14 23 24 34 ... are read in prefmod's.",
        (
            Evidence("Dras (2015), Table 1: deviance on 8 df", "30.646", "30.455"),
            Evidence("Dras (2015), Table 1, without U: deviance on 9 df", "221.22", "220.947"),
        ),
    ),
    Defect(
        "B25-errors-of-the-help",
        "no number",
        ("help pages",),
        "the salad example loses %*% conc and fits four objects; the pattRrep example calls pattLrep.fit; tables are"
        " described otherwise than the code makes them.",
        "See the page from prefmod to pairproof.",
        "The code does what it does; the help says something else.",
    ),
)
