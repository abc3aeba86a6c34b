"""Defects B1 to B13 of prefmod: those that give another number without a word."""

from __future__ import annotations

from .defect import Defect, Evidence

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
