"""The examples of prefmod's own help pages, as calls of the bridge: one table for the page "prefmod -> pairproof".

Each case is a call of a function of `pairproof.bridge.prefmod` by its name, on a data set that R fetches from prefmod
when it is asked (prefmod's data are not stored here), and what follows it on the help page: the worths of a fit, the
plot.  What only looks at data (`head`, `str`, `barplot`) is no case.  Random examples have a seed here, which the help
pages leave out; where a help page does something else than it says, `note` tells.

>>> case("pattR-salad").function, case("pattR-salad").table.r
('pattR_fit', 'prefmod::salad')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pairproof.bridge import Expr, package_data
from pairproof.bridge.packages import prefmod
from pairproof.bridge.process.policy import BackendLike, backend as policy
from pairproof.bridge.r_data import to_pandas


@dataclass(frozen=True)
class Table:
    """A table of answers as R has it.

    Attributes
    ----------
    r : str
        R source that gives it.
    data : str
        prefmod's data set; "" where the answers are simulated.
    """

    r: str
    data: str = ""

    def frame(self, backend: BackendLike = None) -> Any:
        """The table as a pandas DataFrame, for pairproof's side."""
        if self.data and self.r == f"prefmod::{self.data}":
            return package_data("prefmod", self.data, backend=backend)
        result = policy(backend).call(
            code=self.r, needs=("prefmod",), label="prefmod, a table of its examples"
        )
        return to_pandas(result.value, self.r)


def data_set(name: str, columns: str = "") -> Table:
    """A data set of prefmod's, or some of its columns in R's own writing."""
    return Table(f"prefmod::{name}{columns}", name)


def in_r(value: Any) -> str:
    """R source of a constant of this module: a number, text, several of them, or columns of a data frame."""
    if isinstance(value, Mapping):
        return f"data.frame({', '.join(f'{name} = {in_r(column)}' for name, column in value.items())})"
    if isinstance(value, (list, tuple)):
        return f"c({', '.join(in_r(v) for v in value)})"
    if isinstance(value, bool):
        return str(value).upper()
    return f'"{value}"' if isinstance(value, str) else repr(value)


SCHOOLS = ("lo", "pa", "mi", "sg", "ba", "st")
LAT, EC = (0, 1, 1, 0, 1, 0), (1, 0, 1, 0, 0, 1)
O3, O6 = "o1 + o2 + o3", "o1 + o2 + o3 + o4 + o5 + o6"
#: Three comparisons of dat4, ten of the third missing at random.
DATA3 = Table("{ set.seed(1); d <- prefmod::dat4[, 1:3]; d[sample(1:100, 10), 3] <- NA; d }", "dat4")
#: Ratings of three items by 50 persons at two times, without any preference.
RATINGS = Table("{ set.seed(1); as.data.frame(matrix(sample(1:5, 300, replace = TRUE), ncol = 6)) }")
#: Rankings of three items by 100 persons at two times.
RANKINGS = Table(
    "data.frame(prefmod::simR(3, 100, c(.2, .7, .1), seed = 1), prefmod::simR(3, 100, c(.5, .4, .1), seed = 2))"
)
MUSIC4 = data_set("music", '[, c("jazz", "blue", "folk", "rap")]')
#: Agresti's 42 ordered pairs of seven teams in a design whose counts, pairs and home effect are put in by
#: hand.
BASEBALL = Table(
    """{
  d <- data.frame(rbind(c(rep(0, 21), 1), c(1, rep(0, 20), 2)))
  names(d) <- c(paste0("v", 1:21), "cov")
  made <- prefmod::llbt.design(d, nitems = 7, objnames = c("MIL", "DET", "TOR", "NY", "BOS", "CLE", "BAL"), cat.scovs = "cov")
  made$y <- prefmod::baseball
  made$mu <- gl(42, 2)
  made$pos <- c(rep(1:0, 21), rep(0:1, 21))
  made
}""",
    "baseball",
)
#: The LLBT of the help page of llbt.fit: counts and columns, by person and by ENG.
CASEWISE = 'prefmod::llbt.design(prefmod::cemspc, nitems = 6, objnames = c("lo", "pa", "mi", "sg", "ba", "st"), casewise = TRUE)'
BY_ENG = 'prefmod::llbt.design(prefmod::cemspc, nitems = 6, objnames = c("lo", "pa", "mi", "sg", "ba", "st"), cat.scovs = "ENG")'
UNDECIDED = " + ".join(f"u{i}{j}" for j in range(2, 7) for i in range(1, j))
ISSP = "CAR + IND + FARM + WATER + TEMP + GENE"


@dataclass(frozen=True)
class Case:
    """A call of a help page.

    Attributes
    ----------
    name : str
        Its own, for links and records.
    page : str
        prefmod's help page.
    function : str
        Of `pairproof.bridge.prefmod`.
    table : Table
        Its first argument (a design for `fit_design`, its `design`); without R source where it has none.
    arguments : mapping
        The others, by name.
    design : mapping
        For functions of a design: the arguments of ``patt.design`` or ``llbt.design``, of which the table is then
        the first; without it the table is the design.
    designed_by : str
        "patt_design" or "llbt_design".
    then : str
        What the page does with the fit: "llbt_worth", "patt_worth", or "".
    then_arguments : mapping
    note : str
        Where the help page differs from this call, and why.
    seconds : float
        What R takes, about.
    holds_data : bool
        The answer is a data set of prefmod's in other words, and so is not stored in a record.
    """

    name: str
    page: str
    function: str
    table: Table
    arguments: Mapping[str, Any] = field(default_factory=dict)
    design: Mapping[str, Any] = field(default_factory=dict)
    designed_by: str = ""
    then: str = ""
    then_arguments: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    seconds: float = 0.1
    holds_data: bool = False

    def ask(self, backend: BackendLike = None) -> Any:
        """R's answer to the call."""
        function: Callable[..., Any] = getattr(prefmod, self.function)
        if not self.table.r:
            return function(**self.arguments, backend=backend)
        source = Expr(self.table.r)
        if self.function == "llbt_fit":
            arguments = {k: Expr(v) if k in ("y", "Xmodel") else v for k, v in self.arguments.items()}
            return function(**arguments, backend=backend)
        if self.function in ("fit_design", "pattnpml_fit"):
            return function(design=Expr(self.design_source()), **self.arguments, backend=backend)
        return function(source, **self.arguments, backend=backend)

    def design_source(self) -> str:
        """R source of the design: of the call that makes it, or of the table itself."""
        if not self.designed_by:
            return self.table.r
        given = "".join(f", {name.replace('_', '.')} = {in_r(value)}" for name, value in self.design.items())
        return f"prefmod::{self.designed_by.replace('_', '.')}({self.table.r}{given})"

    def worths(self, fit: Any, backend: BackendLike = None) -> Any:
        """R's answer to what follows (`then`) of what `ask` gave."""
        function: Callable[..., Any] = getattr(prefmod, self.then)
        return function(fit, **self.then_arguments, backend=backend)


NONE = Table("")
CEMS, DAT4, SALAD = data_set("cemspc"), data_set("dat4"), data_set("salad")
SEX3 = {"nitems": 3, "formel": "~SEX", "elim": "~SEX"}
LLBT_ENG = {"nitems": 6, "cat_scovs": ["ENG"]}
ALPHA23 = {"nitems": 3, "MISalpha": [False, True, True]}

CASES: tuple[Case, ...] = (
    Case("baseball", "baseball", "fit_design", BASEBALL,
         {"formula": "y ~ MIL + DET + TOR + NY + BOS + CLE + BAL + pos", "eliminate": "mu"}, then="llbt_worth"),
    Case("checkMIS-dat4", "checkMIS", "checkMIS", data_set("dat4"), {"nitems": 4}),
    Case("checkMIS-data3", "checkMIS", "checkMIS", DATA3, {"nitems": 3}, note="a seed is added"),
    Case("checkMIS-pattPC", "checkMIS", "pattPC_fit", DATA3, ALPHA23,
         note="a seed is added; MISalpha is what checkMIS gives", then="patt_worth"),
    Case("expand-tennis", "expand.mat, tennis", "expand_mat", data_set("tennis", "[, -1]"),
         {"freq": Expr("prefmod::tennis[, 1]")}, holds_data=True),
    Case("llbt-design-no-ties", "llbt.design", "fit_design", CEMS,
         {"formula": f"y ~ {O6} + ENG:({O6})", "eliminate": "mu:ENG"}, LLBT_ENG, "llbt_design"),
    Case("llbt-design", "llbt.design", "fit_design", CEMS,
         {"formula": f"y ~ {O6} + ENG:({O6}) + g1", "eliminate": "mu:ENG"}, LLBT_ENG, "llbt_design", "llbt_worth"),
    Case("llbt-design-objcovs", "llbt.design", "fit_design", CEMS,
         {"formula": "y ~ LAT + EC + LAT:ENG + g1", "eliminate": "mu:ENG"},
         {**LLBT_ENG, "objcovs": {"LAT": LAT, "EC": EC}}, "llbt_design", "llbt_worth"),
    Case("llbt-fit-casewise", "llbt.fit", "llbt_fit", CEMS,
         {"y": f"{CASEWISE}$y", "q": 4545, "ncat": 3,
          "Xmodel": f"stats::model.matrix(~ lo + pa + mi + sg + ba + g1, data = {CASEWISE})[, -1]"}, seconds=0.2),
    Case("llbt-fit-eng", "llbt.fit", "llbt_fit", CEMS,
         {"y": f"{BY_ENG}$y", "q": 30, "ncat": 3,
          "Xmodel": f"stats::model.matrix(~ lo + pa + mi + sg + ba + g1 + (lo + pa + mi + sg + ba):ENG, data = {BY_ENG})[, -1]"},
         note="the page selects ENG by the old name cov.sel, which works for designs but loses llbt.worth's labels"),
    Case("llbt-worth-pc", "llbt.worth", "llbtPC_fit", CEMS, {**SEX3, "undec": True}, then="llbt_worth",
         note="columns 4 to 17 count as covariates for prefmod; a person with a missing value in any is dropped"),
    Case("llbt-worth-gnm", "llbt.worth", "fit_design", CEMS,
         {"formula": f"y ~ {O3} + SEX:({O3}) + g1", "eliminate": "SEX:mu"}, {"nitems": 3, "cat_scovs": ["SEX"]},
         "llbt_design", "llbt_worth"),
    Case("llbt-worth-latin", "llbt.worth", "fit_design", CEMS, {"formula": "y ~ LAT + g1", "eliminate": "mu"},
         {"nitems": 6, "objnames": [s.upper() for s in SCHOOLS], "objcovs": {"LAT": LAT}}, "llbt_design", "llbt_worth",
         note="prefmod's worths are of the two groups of schools, not of schools"),
    Case("llbtPC-null", "llbtPC.fit", "llbtPC_fit", CEMS, {"nitems": 6, "formel": "~1", "elim": "~ENG", "undec": True}),
    Case("llbtPC-eng", "llbtPC.fit", "llbtPC_fit", CEMS, {"nitems": 6, "formel": "~ENG", "elim": "~ENG", "undec": True},
         then="llbt_worth"),
    Case("patt-design-xmpl", "patt.design, prefmod-package", "patt_design", data_set("xmpl"),
         {"nitems": 3, "resptype": "rating", "ia": True, "cat_scovs": ["SEX", "EDU"]},
         holds_data=True,
         note='the page says cov.sel = "ALL", an old name'),
    Case("patt-design-xmpl-sex", "xmpl", "patt_design", data_set("xmpl"),
         {"nitems": 3, "resptype": "rating", "cat_scovs": ["SEX"]}, holds_data=True,
         note='the page says cov.sel = "SEX", an old name'),
    Case("patt-design-issp", "patt.design", "fit_design", data_set("issp2000"),
         {"formula": f"y ~ SEX * EDU + {ISSP} + {UNDECIDED}"},
         {"nitems": 6, "resptype": "rating", "cat_scovs": ["SEX", "EDU"]}, "patt_design", seconds=2.0),
    Case("patt-design-issp-sex", "patt.design", "fit_design", data_set("issp2000"),
         {"formula": f"y ~ SEX:EDU + {ISSP} + ({ISSP}):SEX + {UNDECIDED}"},
         {"nitems": 6, "resptype": "rating", "cat_scovs": ["SEX", "EDU"]}, "patt_design", "patt_worth", seconds=2.0),
    Case("patt-worth", "patt.worth, plot.wmat", "pattPC_fit", CEMS, {**SEX3, "undec": True}, then="patt_worth"),
    Case("pattL-music", "pattL.fit", "pattL_fit", MUSIC4, {"nitems": 4}, then="patt_worth",
         note='the page fits it twice: "additional undecided effect" is the default', seconds=1.0),
    Case("pattL-music-ia", "pattL.fit", "pattL_fit", MUSIC4, {"nitems": 4, "undec": True, "ia": True}, seconds=1.2,
         note="marked as not run on the page"),
    Case("pattL-music-NItest", "pattL.fit", "pattL_fit", MUSIC4, {"nitems": 4, "undec": True, "NItest": True}),
    Case("pattLrep", "pattLrep.fit", "pattLrep_fit", RATINGS, {"nitems": 3, "tpoints": 2, "iaT": True},
         then="patt_worth", then_arguments={"obj_names": ["A", "B", "C"]}, note="a seed is added"),
    Case("pattRrep", "pattRrep.fit", "pattRrep_fit", RANKINGS, {"nitems": 3, "tpoints": 2, "iaT": True},
         then="patt_worth", then_arguments={"obj_names": ["A", "B", "C"]},
         note="the page calls pattLrep.fit on its rankings; this is the function that it documents; a seed is added"),
    Case("pattRrep-as-the-page-has-it", "pattRrep.fit", "pattLrep_fit", RANKINGS,
         {"nitems": 3, "tpoints": 2, "iaT": True}, then="patt_worth", then_arguments={"obj_names": ["A", "B", "C"]},
         note="no answer is undecided, so that UT1 and UT2 are at minus infinity; a seed is added"),
    Case("pattPC", "pattPC.fit", "pattPC_fit", CEMS, {"nitems": 3, "undec": True}, then="patt_worth"),
    Case("pattPC-NItest", "pattPC.fit", "pattPC_fit", CEMS, {"nitems": 3, "undec": True, "NItest": True}),
    Case("pattPC-null", "pattPC.fit", "pattPC_fit", CEMS,
         {"nitems": 3, "formel": "~1", "elim": "~SEX", "undec": True},
         note="with patt-worth, the page's likelihood-ratio test of SEX"),
    Case("pattPC-alpha-beta", "pattPC.fit", "pattPC_fit", DATA3, {**ALPHA23, "MISbeta": [False, True, True]},
         note="a seed is added"),
    Case("pattR-salad", "pattR.fit, print.pattMod, prefmod-package", "pattR_fit", SALAD, {"nitems": 4},
         then="patt_worth"),
    Case("pattR-salad-glm", "pattR.fit, prefmod-package", "fit_design", SALAD, {"formula": "y ~ A + B + C + D"},
         {"nitems": 4, "resptype": "ranking"}, "patt_design", "patt_worth"),
    Case("pattnpml-dat4", "pattnpml.fit", "pattnpml_fit", DAT4,
         {"formula": "y ~ 1", "random": f"~{O3}", "k": 2, "seed": 1}, {"nitems": 4}, "patt_design", "patt_worth",
         note="a seed is added, and the EM goes on to 1e-10 (the default stops 3e-3 short)"),
    Case("pattnpml-euro", "pattnpml.fit", "pattnpml_fit", data_set("euro55.2.des"),
         {"formula": "y ~ SEX:AGE4 + (SEX + AGE4):(TV + RAD + NEWSP + SCIMAG + WWW + EDINST) - 1",
          "random": "~TV + RAD + NEWSP + SCIMAG + WWW + EDINST", "k": 2, "seed": 1, "EMdev_change": 1e-3},
         note="marked as not run on the page; a seed is added; stopped as R stops by default", seconds=12.0),
    Case("salad-objcovs", "salad", "fit_design", SALAD, {"formula": "y ~ acetic + gluconic"},
         {"nitems": 4, "resptype": "ranking", "objcovs": {"acetic": (0.5, 0.5, 1, 0), "gluconic": (0, 10, 0, 10)}},
         "patt_design",
         note="what the page describes; its code lost `%*% conc` to an unescaped per cent sign and fits four items"),
    Case("simPC", "simPC", "simPC", NONE, {"nobj": 4, "nobs": 10, "worth": [1, 2, 3, 4], "seed": 123456}),
)  # fmt: skip

#: Models that no help page fits: glm on the design of `xmpl`, and those of the 50-digit set.
FURTHER: tuple[Case, ...] = (
    Case("xmpl-glm", "patt.design", "fit_design", data_set("xmpl"),
         {"formula": "y ~ SEX + I1 + I2 + I3 + (I1 + I2 + I3):SEX + u12 + u13 + u23"},
         {"nitems": 3, "resptype": "rating", "cat_scovs": ["SEX"]}, "patt_design", "patt_worth",
         note="the help pages make the design and fit nothing on it"),
    Case("dat4-pattern", "dat4", "pattPC_fit", DAT4, {"nitems": 4}, then="patt_worth"),
    Case("dat4-dependence", "dat4", "pattPC_fit", DAT4, {"nitems": 4, "ia": True}),
    Case("immig-pattern", "immig", "pattPC_fit", data_set("immig", "[, 1:6]"), {"nitems": 4, "undec": True},
         then="patt_worth"),
    Case("immig-dependence", "immig", "pattPC_fit", data_set("immig", "[, 1:6]"),
         {"nitems": 4, "undec": True, "ia": True}, seconds=3.0),
    Case("trdel-pattern", "trdel", "pattPC_fit", data_set("trdel", "[, 1:10]"), {"nitems": 5}, then="patt_worth"),
    Case("trdel4-sex", "trdel", "pattPC_fit", data_set("trdel", "[, c(1:6, 13)]"),
         {"nitems": 4, "formel": "~sex", "elim": "~sex"}, then="patt_worth"),
    Case("issp2000-4-pattern", "issp2000", "pattL_fit", data_set("issp2000", "[, 1:4]"), {"nitems": 4},
         then="patt_worth"),
    Case("issp2000-4-dependence", "issp2000", "pattL_fit", data_set("issp2000", "[, 1:4]"), {"nitems": 4, "ia": True}),
    Case("music4-pattern", "music", "pattL_fit",
         Table("prefmod::music[rowSums(!is.na(prefmod::music[, 1:4])) >= 2, 1:4]", "music"), {"nitems": 4},
         then="patt_worth"),
    Case("music3x2-dependence", "music", "pattLrep_fit",
         Table("prefmod::music[rowSums(!is.na(prefmod::music[, 1:6])) >= 6, 1:6]", "music"),
         {"nitems": 3, "tpoints": 2, "ia": True, "iaT": True}, seconds=2.0),
    Case("carconf-pattern", "carconf", "pattR_fit",
         Table("prefmod::carconf[rowSums(!is.na(prefmod::carconf[, 1:6])) >= 1, 1:6]", "carconf"), {"nitems": 6},
         then="patt_worth", seconds=3.0),
    Case("carconf4-sex", "carconf", "pattR_fit",
         Table("prefmod::carconf[rowSums(!is.na(prefmod::carconf[, 1:4])) >= 1, c(1:4, 7)]", "carconf"),
         {"nitems": 4, "formel": "~sex", "elim": "~sex"}, then="patt_worth"),
)  # fmt: skip


def case(name: str) -> Case:
    """The case of this name.

    Parameters
    ----------
    name : str

    Raises
    ------
    KeyError
        There is none.
    """
    found = {c.name: c for c in (*CASES, *FURTHER)}
    if name not in found:
        raise KeyError(f"no case {name!r}; there are {', '.join(found)}")
    return found[name]
