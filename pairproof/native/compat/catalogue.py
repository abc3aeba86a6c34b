"""Every defect of R's prefmod, by name; and what a user's `compat` option chooses among them.

compat = "prefmod"                         those that prefmod shows on this call
compat = "prefmod:B1-ties-as-losses"       that one
compat = ("prefmod:B4", "prefmod:B24")     these two (the identifier is enough where one defect has it)

Defects B14 to B25 of prefmod.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InputError
from .awkward_input import AWKWARD, PRINTED
from .defect import Defect, Evidence
from .first_defects import FIRST

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


_ALL: dict[str, Defect] = {d.name: d for d in (*FIRST, *LAST, *AWKWARD, *PRINTED)}
PREFIX = "prefmod"


def defects(function: str = "", reproducible: bool | None = None) -> tuple[Defect, ...]:
    """The defects of prefmod 0.8-36 and 0.8-37.

    Parameters
    ----------
    function : str
        Only those of this function of prefmod, such as "pattPC.fit".
    reproducible : bool, optional
        Only those whose number pairproof can give (True), or cannot (False).

    Returns
    -------
    tuple of Defect
        Each prints as what prefmod does, what is right, and how it is reproduced.

    Raises
    ------
    InputError
        No defect is known of such a function.

    Examples
    --------
    >>> from pairproof.native.compat.catalogue import defects
    >>> [d.name for d in defects("llbt.worth", reproducible=True)]  # doctest: +NORMALIZE_WHITESPACE
    ['B6-names-unread', 'B7-sum-contrasts-read-as-treatment', 'B7-one-column-of-cov-sel',
     'B21-worths-of-groups-of-items']
    """
    known = {f for d in _ALL.values() for f in d.functions}
    if function and function not in known:
        raise InputError(f"no defect is known of {function!r}; there are some of {', '.join(sorted(known))}")
    return tuple(
        d
        for d in _ALL.values()
        if (not function or function in d.functions) and reproducible in (None, d.reproducible)
    )


def defect(name: str) -> Defect:
    """One defect.

    Parameters
    ----------
    name : str
        Such as "B1-ties-as-losses", "prefmod:B1-ties-as-losses" or "B1".

    Returns
    -------
    Defect

    Raises
    ------
    InputError
        There is no such name, or two defects have the identifier.

    Examples
    --------
    >>> from pairproof.native.compat.catalogue import defect
    >>> print(defect("B8"))
    B8-names-within-names (no number; llbt.worth)
    prefmod: stops if the name of a covariate is part of another covariate's or of an item's (AGE and AGE2, o and o1).
    right: Names have no influence on worths.
    not reproduced: R stops; worth() gives the table.
    """
    if not isinstance(name, str):
        raise InputError(f"compat={name!r}; expected names such as 'prefmod:B1-ties-as-losses'")
    short = name.removeprefix(f"{PREFIX}:").strip()
    if short in _ALL:
        return _ALL[short]
    same = [d for d in _ALL.values() if d.id == short]
    if len(same) == 1:
        return same[0]
    if same:
        raise InputError(
            f"{short} is the identifier of {' and '.join(d.name for d in same)}; name one of them"
        )
    near = difflib.get_close_matches(short, _ALL, 1, 0.4)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InputError(f"no defect {short!r} of prefmod is known{hint} (defects() lists all {len(_ALL)})")


@dataclass(frozen=True)
class Chosen:
    """The defects that a `compat` option asks for.

    function: prefmod's function that is to be reproduced.  names: defects asked for by name; empty for
    ``compat = "prefmod"``.  everything: whether all are meant that prefmod shows on the call.
    """

    function: str
    names: tuple[str, ...]
    everything: bool

    def has(self, name: str) -> bool:
        """Whether the defect is to be applied, where it changes anything."""
        found = _ALL[name]
        return name in self.names or (self.everything and found.told and self.function in found.functions)


def choose(compat: str | Sequence[str], function: str) -> Chosen:
    """The defects that a `compat` option asks for.

    compat: "" for none, "prefmod", or names of defects.  function: prefmod's function that is to be
    reproduced.
    """
    words = asked_for(compat)
    found = [defect(w) for w in words if w != PREFIX]
    for d in found:
        if not d.reproducible:
            raise InputError(f"{d.name} is not reproducible: {d.how}")
        if function not in d.functions:
            known = ", ".join(e.name for e in defects(function, True)) if _known(function) else "none"
            raise InputError(
                f"{d.name} is a defect of {', '.join(d.functions)}, not of {function}, whose defects are: {known}"
            )
    return Chosen(function, tuple(d.name for d in found), PREFIX in words)


def asked_for(compat: str | Sequence[str]) -> list[str]:
    """The words of a `compat` option.

    Returns list of str: empty for "" and for no words.
    """
    words = [compat] if isinstance(compat, str) else compat
    if not isinstance(words, (list, tuple)) or not all(isinstance(w, str) for w in words):
        raise InputError(
            f"compat={compat!r}; expected 'prefmod', or names such as 'prefmod:B1-ties-as-losses'"
        )
    return [w for w in words if w]


def _known(function: str) -> bool:
    return any(function in d.functions for d in _ALL.values())
