"""Defects B14 to B25 of prefmod."""

from __future__ import annotations

from .defect import Defect, Evidence

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
