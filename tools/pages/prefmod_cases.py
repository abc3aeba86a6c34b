"""The examples of prefmod's own help pages by both: one table for the page "prefmod -> pairproof".

Each case is a call of a function of `pairproof.bridge.prefmod` by its name, on a data set that R fetches from prefmod
when it is asked (prefmod's data are not stored here), what follows it on the help page (the worths of a fit, the
plot), and pairproof's code.  What only looks at data (`head`, `str`, `barplot`) is no case.  Random examples have a
seed here, which the help pages leave out; where a help page does something else than it says, `note` tells.

>>> case("pattR-salad").function, case("pattR-salad").table.r
('pattR_fit', 'prefmod::salad')
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import pairproof
from pairproof.bridge import Expr, package_data
from pairproof.bridge.packages import prefmod
from pairproof.bridge.process.policy import BackendLike, backend as policy
from pairproof.bridge.r_data import to_pandas
from pairproof.errors import PairproofWarning


@dataclass(frozen=True)
class Table:
    """A table of answers as R has it: R source, and prefmod's data set, "" where the answers are simulated."""

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
    """R source of a constant of this module: a number, text, several of them, columns of a data frame, or R's own."""
    if isinstance(value, Expr):
        return str(value.code)
    if isinstance(value, Mapping):
        return f"data.frame({', '.join(f'{name} = {in_r(column)}' for name, column in value.items())})"
    if isinstance(value, (list, tuple)):
        return f"c({', '.join(in_r(v) for v in value)})"
    if isinstance(value, bool):
        return str(value).upper()
    return f'"{value}"' if isinstance(value, str) else repr(value)


#: Arguments whose text is R source.
BARE = ("formel", "elim", "y", "Xmodel", "random", "formula", "design")


def given(arguments: Mapping[str, Any]) -> list[str]:
    """Arguments as they are typed in R, which has dots for underscores."""
    return [
        f"{name.replace('_', '.')} = {value if name in BARE and isinstance(value, str) else in_r(value)}"
        for name, value in arguments.items()
    ]


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
    """A call of a help page, and pairproof's.

    `table` is the first argument of `function`; without R source where it has none.  For functions of a design,
    `design` has the arguments of `designed_by` ("patt_design" or "llbt_design"), of which the table is then the
    first; without them the table is the design.
    """

    name: str
    page: str
    function: str
    table: Table
    arguments: Mapping[str, Any] = field(default_factory=dict)
    design: Mapping[str, Any] = field(default_factory=dict)
    designed_by: str = ""
    #: What the page does with the fit: "llbt_worth", "patt_worth", or "".
    then: str = ""
    then_arguments: Mapping[str, Any] = field(default_factory=dict)
    #: Where the help page differs from this call, and why.
    note: str = ""
    #: What R takes, about.
    seconds: float = 0.1
    #: The answer is a data set of prefmod's in other words, and so is not stored in a record.
    holds_data: bool = False
    #: Code whose last line is the fit; `data` is the table.
    ours: str = ""
    #: The certified fit of the same model and data.
    certified: str = ""

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
        by, arguments = self.designed_by, self.design
        if self.function == "patt_design":
            by, arguments = self.function, self.arguments
        if not by:
            return self.table.r
        return f"prefmod::{by.replace('_', '.')}({', '.join([self.table.r, *given(arguments)])})"

    def worths(self, fit: Any, backend: BackendLike = None) -> Any:
        """R's answer to what follows (`then`) of what `ask` gave."""
        function: Callable[..., Any] = getattr(prefmod, self.then)
        return function(fit, **self.then_arguments, backend=backend)

    def frame(self) -> Any:
        """The table for pairproof's side, from live R; of a wide one the columns that `ours` is about."""
        data = self.table.frame("live").reset_index(drop=True)
        if self.table.data == "issp2000" and self.designed_by:
            return data[[*ISSP.split(" + "), "SEX", "EDU"]]
        if self.table.data == "cemspc" and 3 in (self.arguments.get("nitems"), self.design.get("nitems")):
            return data[["V1", "V2", "V3", "SEX"]]
        return data

    def fitted(self) -> Any:
        """What `ours` gives."""
        return run(self.ours, self.frame())


def run(code: str, data: Any, **more: Any) -> Any:
    """What the last line of the code gives, where `more` names are known too."""
    names = {**more, "data": data.copy(), "np": np, "pairproof": pairproof, "schools": SCHOOL_COVARIATES}
    faces = ("read_respondents", "fit_pattern", "fit_llbt", "fit_latent_classes")
    names |= {name: getattr(pairproof, name) for name in faces}
    body, _, last = code.strip().rpartition("\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PairproofWarning)
        exec(body, names)
        return eval(last, names)


# -- pairproof's tables --------------------------------------------------------------------------------------


def reading(kind: str, items: str, *more: str) -> str:
    """Code that reads `data`: the items, then what begins with a blank beside them, with a new line under them."""
    beside = "".join(f",{text}" for text in more).replace("\n", "\n" + " " * 25)
    return f'table = read_respondents(data, "{kind}", items={json.dumps(items.split())}{beside})\n'


def gap_reading(items: str) -> str:
    """The same of comparisons with gaps and without ties."""
    coding = '\ncoding={"first": 1, "second": -1, "missing": "NA"}'
    return reading("pairs", items, PREFMOD, coding, NO_TIES)


def _twice(kind: str, items: str, answers: str, *more: str) -> str:
    """The same of items that are answered at two times."""
    code = reading(kind, items, f"\nanswers={json.dumps(answers.split())}", *more)
    return code.replace("items=", 'times=["1", "2"], items=')


PREFMOD, NO_TIES = ' pair_order="prefmod"', " tie_category=False"
_012 = '\ncoding={"first": 0, "tie": 1, "second": 2, "missing": "NA"}'
_THREE = reading("pairs", "o1 o2 o3", PREFMOD, _012, ' levels={"SEX": [1, 2]}')
_SIX = """table = pairproof.read(data, layout="prefmod", pair_order="prefmod", items=["lo", "pa", "mi", "sg", "ba", "st"],
                       coding={"first": 0, "tie": 1, "second": 2, "missing": "NA"}, levels={"ENG": [1, 2]})
"""
_SCHOOLS = _SIX.replace("})\n", "},\n                       item_data=schools)\n")
_DATA3 = gap_reading("o1 o2 o3")
DAT4_READ = reading("pairs", "o1 o2 o3 o4", PREFMOD, '\ncoding={"first": 1, "second": -1}', NO_TIES)
_1_2 = '\ncoding={"first": 1, "second": 2}'
TRDEL_READ = reading("pairs", "CO TV PA AU CL", PREFMOD, _1_2, NO_TIES)
_ISSUES = ("pairs", "crimRate position socBurd culture", PREFMOD.replace(" ", "\n"))
_IMMIG = reading(*_ISSUES, ' coding={"first": 1, "tie": 0, "second": -1, "missing": "NA"}')
#: The same as the page on beta has it.
IMMIG = reading(
    "pairs", "o1 o2 o3 o4", PREFMOD, '\ncoding={"first": 1, "tie": 0, "second": -1, "missing": "NA"}'
)
_SALAD = reading("ranks", "A B C D")
_BEST = ' best="low"'
RATED = (' scale="1-5"', _BEST)
_MUSIC = reading("ratings", "jazz blue folk rap", *RATED)
ENVIRONMENT = "CAR IND FARM WATER TEMP GENE"
_ISSP = reading("ratings", ENVIRONMENT, '\nscale="1-5"', _BEST, ' levels={"SEX": [1, 2], "EDU": [1, 2]}')
_ISSP4 = reading("ratings", "CAR IND FARM WATER", '\nscale="1-5"', _BEST)
_BELOW = ' unranked="below"'
_GAPS = 'data["gaps"] = np.where({}.isna().any(axis=1), "yes", "no")\n'
#: The team at home is named first; the design has a row for each winner of a pair, in pairs of rows.
_BASEBALL = """teams, pairs = ["MIL", "DET", "TOR", "NY", "BOS", "CLE", "BAL"], data.iloc[::2][["y", "pos"]].assign(other=data["y"].values[1::2])
one, two = ((data.iloc[::2][teams].values == sign).argmax(axis=1) for sign in (1, -1))
home = pairs["pos"].values == 1
table = pairproof.Comparisons.build(teams, first=np.where(home, one, two), second=np.where(home, two, one),
                                    wins=np.where(home, pairs["y"], pairs["other"]),
                                    ties=None, losses=np.where(home, pairs["other"], pairs["y"]))
fit_llbt(table, order_effect=True)"""
SCHOOL_COVARIATES = {
    "item": ["lo", "pa", "mi", "sg", "ba", "st"],
    "LAT": [0.0, 1, 1, 0, 1, 0],
    "EC": [1.0, 0, 1, 0, 0, 1],
}
_RANKED = "X1 X2 X3 X1.1 X2.1 X3.1"
_BETWEEN = "fit_pattern(table, between_times=True)"
_DAVIDSON = 'fit_llbt(table, ties="davidson", by="ENG")'
_OF_SEX = 'fit_llbt(table.to_comparisons(), ties="davidson", by="SEX")'

# -- both sides ----------------------------------------------------------------------------------------------

NONE = Table("")
CEMS, DAT4, SALAD = data_set("cemspc"), data_set("dat4"), data_set("salad")
SEX3 = {"nitems": 3, "formel": "~SEX", "elim": "~SEX"}
LLBT_ENG = {"nitems": 6, "cat_scovs": ["ENG"]}
ALPHA23 = {"nitems": 3, "MISalpha": [False, True, True]}

CASES: tuple[Case, ...] = (
    Case("baseball", "baseball", "fit_design", BASEBALL,
         {"formula": "y ~ MIL + DET + TOR + NY + BOS + CLE + BAL + pos", "eliminate": "mu"}, then="llbt_worth",
         ours=_BASEBALL),
    Case("checkMIS-dat4", "checkMIS", "checkMIS", data_set("dat4"), {"nitems": 4}),
    Case("checkMIS-data3", "checkMIS", "checkMIS", DATA3, {"nitems": 3}, note="a seed is added"),
    Case("checkMIS-pattPC", "checkMIS", "pattPC_fit", DATA3, ALPHA23,
         note="a seed is added; MISalpha is what checkMIS gives", then="patt_worth",
         ours=_DATA3 + 'fit_pattern(table, alpha="item", alpha_of=["o2", "o3"])'),
    Case("expand-tennis", "expand.mat, tennis", "expand_mat", data_set("tennis", "[, -1]"),
         {"freq": Expr("prefmod::tennis[, 1]")}, holds_data=True),
    Case("llbt-design-no-ties", "llbt.design", "fit_design", CEMS,
         {"formula": f"y ~ {O6} + ENG:({O6})", "eliminate": "mu:ENG"}, LLBT_ENG, "llbt_design",
         ours=_SIX + 'fit_llbt(table, ties="none", by="ENG")'),
    Case("llbt-design", "llbt.design", "fit_design", CEMS,
         {"formula": f"y ~ {O6} + ENG:({O6}) + g1", "eliminate": "mu:ENG"}, LLBT_ENG, "llbt_design", "llbt_worth",
         ours=_SIX + _DAVIDSON),
    Case("llbt-design-objcovs", "llbt.design", "fit_design", CEMS,
         {"formula": "y ~ LAT + EC + LAT:ENG + g1", "eliminate": "mu:ENG"},
         {**LLBT_ENG, "objcovs": {"LAT": LAT, "EC": EC}}, "llbt_design", "llbt_worth",
         ours=_SCHOOLS + 'fit_llbt(table, ties="davidson", item_terms=["LAT", "EC"], by="LAT:ENG")'),
    Case("llbt-fit-casewise", "llbt.fit", "llbt_fit", CEMS,
         {"y": f"{CASEWISE}$y", "q": 4545, "ncat": 3,
          "Xmodel": f"stats::model.matrix(~ lo + pa + mi + sg + ba + g1, data = {CASEWISE})[, -1]"}, seconds=0.2,
         ours='data["judge"] = np.arange(len(data))\n' + _SIX + 'fit_llbt(table, ties="davidson", cells=["judge"])'),
    Case("llbt-fit-eng", "llbt.fit", "llbt_fit", CEMS,
         {"y": f"{BY_ENG}$y", "q": 30, "ncat": 3,
          "Xmodel": f"stats::model.matrix(~ lo + pa + mi + sg + ba + g1 + (lo + pa + mi + sg + ba):ENG, data = {BY_ENG})[, -1]"},
         note="the page selects ENG by the old name cov.sel, which works for designs but loses llbt.worth's labels",
         ours=_SIX + _DAVIDSON),
    Case("llbt-worth-pc", "llbt.worth", "llbtPC_fit", CEMS, {**SEX3, "undec": True}, then="llbt_worth",
         note="columns 4 to 17 count as covariates for prefmod; a person with a missing value in any is dropped",
         ours=_THREE + _OF_SEX),
    Case("llbt-worth-gnm", "llbt.worth", "fit_design", CEMS,
         {"formula": f"y ~ {O3} + SEX:({O3}) + g1", "eliminate": "SEX:mu"}, {"nitems": 3, "cat_scovs": ["SEX"]},
         "llbt_design", "llbt_worth", ours=_THREE + _OF_SEX),
    Case("llbt-worth-latin", "llbt.worth", "fit_design", CEMS, {"formula": "y ~ LAT + g1", "eliminate": "mu"},
         {"nitems": 6, "objnames": [s.upper() for s in SCHOOLS], "objcovs": {"LAT": LAT}}, "llbt_design", "llbt_worth",
         note="prefmod's worths are of the two groups of schools, not of schools",
         ours=_SCHOOLS + 'fit_llbt(table, ties="davidson", item_terms=["LAT"])'),
    Case("llbtPC-null", "llbtPC.fit", "llbtPC_fit", CEMS, {"nitems": 6, "formel": "~1", "elim": "~ENG", "undec": True},
         ours=_SIX + 'fit_llbt(table, ties="davidson", cells=["ENG"])'),
    Case("llbtPC-eng", "llbtPC.fit", "llbtPC_fit", CEMS, {"nitems": 6, "formel": "~ENG", "elim": "~ENG", "undec": True},
         then="llbt_worth", ours=_SIX + _DAVIDSON),
    Case("patt-design-xmpl", "patt.design, prefmod-package", "patt_design", data_set("xmpl"),
         {"nitems": 3, "resptype": "rating", "ia": True, "cat_scovs": ["SEX", "EDU"]},
         holds_data=True,
         note='the page says cov.sel = "ALL", an old name'),
    Case("patt-design-xmpl-sex", "xmpl", "patt_design", data_set("xmpl"),
         {"nitems": 3, "resptype": "rating", "cat_scovs": ["SEX"]}, holds_data=True,
         note='the page says cov.sel = "SEX", an old name'),
    Case("patt-design-issp", "patt.design", "fit_design", data_set("issp2000"),
         {"formula": f"y ~ SEX * EDU + {ISSP} + {UNDECIDED}"},
         {"nitems": 6, "resptype": "rating", "cat_scovs": ["SEX", "EDU"]}, "patt_design", seconds=2.0,
         ours=_ISSP + 'fit_pattern(table, ties="by-pair")'),
    Case("patt-design-issp-sex", "patt.design", "fit_design", data_set("issp2000"),
         {"formula": f"y ~ SEX:EDU + {ISSP} + ({ISSP}):SEX + {UNDECIDED}"},
         {"nitems": 6, "resptype": "rating", "cat_scovs": ["SEX", "EDU"]}, "patt_design", "patt_worth", seconds=2.0,
         ours=_ISSP + 'fit_pattern(table, ties="by-pair", by="SEX")'),
    Case("patt-worth", "patt.worth, plot.wmat", "pattPC_fit", CEMS, {**SEX3, "undec": True}, then="patt_worth",
         ours=_THREE + 'fit_pattern(table, by="SEX")'),
    Case("pattL-music", "pattL.fit", "pattL_fit", MUSIC4, {"nitems": 4}, then="patt_worth",
         note='the page fits it twice: "additional undecided effect" is the default', seconds=1.0,
         ours=_MUSIC + "fit_pattern(table)"),
    Case("pattL-music-ia", "pattL.fit", "pattL_fit", MUSIC4, {"nitems": 4, "undec": True, "ia": True}, seconds=1.2,
         note="marked as not run on the page", ours=_MUSIC + "fit_pattern(table, dependence=True)"),
    Case("pattL-music-NItest", "pattL.fit", "pattL_fit", MUSIC4, {"nitems": 4, "undec": True, "NItest": True},
         ours=_GAPS.format("data") + _MUSIC + 'fit_pattern(table, by="gaps")'),
    Case("pattLrep", "pattLrep.fit", "pattLrep_fit", RATINGS, {"nitems": 3, "tpoints": 2, "iaT": True},
         then="patt_worth", then_arguments={"obj_names": ["A", "B", "C"]}, note="a seed is added",
         ours=_twice("ratings", "A B C", "V1 V2 V3 V4 V5 V6", *RATED) + _BETWEEN),
    Case("pattRrep", "pattRrep.fit", "pattRrep_fit", RANKINGS, {"nitems": 3, "tpoints": 2, "iaT": True},
         then="patt_worth", then_arguments={"obj_names": ["A", "B", "C"]},
         note="the page calls pattLrep.fit on its rankings; this is the function that it documents; a seed is added",
         ours=_twice("ranks", "A B C", _RANKED) + _BETWEEN),
    Case("pattRrep-as-the-page-has-it", "pattRrep.fit", "pattLrep_fit", RANKINGS,
         {"nitems": 3, "tpoints": 2, "iaT": True}, then="patt_worth", then_arguments={"obj_names": ["A", "B", "C"]},
         note="no answer is undecided, so that UT1 and UT2 are at minus infinity; a seed is added",
         ours=reading("ratings", "A B C", '\ntimes=["1", "2"]', f" answers={json.dumps(_RANKED.split())}", ' scale="1-3"', _BEST) + _BETWEEN),
    Case("pattPC", "pattPC.fit", "pattPC_fit", CEMS, {"nitems": 3, "undec": True}, then="patt_worth",
         ours=_THREE + "fit_pattern(table)"),
    Case("pattPC-NItest", "pattPC.fit", "pattPC_fit", CEMS, {"nitems": 3, "undec": True, "NItest": True},
         ours=_GAPS.format("data.iloc[:, :3]") + _THREE.replace('"SEX": [1, 2]', '"gaps": ["no", "yes"]') + 'fit_pattern(table, by="gaps")'),
    Case("pattPC-null", "pattPC.fit", "pattPC_fit", CEMS,
         {"nitems": 3, "formel": "~1", "elim": "~SEX", "undec": True},
         note="with patt-worth, the page's likelihood-ratio test of SEX", ours=_THREE + "fit_pattern(table)"),
    Case("pattPC-alpha-beta", "pattPC.fit", "pattPC_fit", DATA3, {**ALPHA23, "MISbeta": [False, True, True]},
         note="a seed is added",
         ours=_DATA3 + 'fit_pattern(table, alpha="item", beta="coded", alpha_of=["o2", "o3"], beta_of=["o2", "o3"])'),
    Case("pattR-salad", "pattR.fit, print.pattMod, prefmod-package", "pattR_fit", SALAD, {"nitems": 4},
         then="patt_worth", certified="salad--pattern", ours=_SALAD + "fit_pattern(table)"),
    Case("pattR-salad-glm", "pattR.fit, prefmod-package", "fit_design", SALAD, {"formula": "y ~ A + B + C + D"},
         {"nitems": 4, "resptype": "ranking"}, "patt_design", "patt_worth",
         certified="salad--pattern", ours=_SALAD + "fit_pattern(table)"),
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
         note="what the page describes; its code lost `%*% conc` to an unescaped per cent sign and fits four items",
         ours=reading("ranks", "A B C D", '\nitem_data={"item": ["A", "B", "C", "D"], "acetic": [0.5, 0.5, 1, 0], "gluconic": [0, 10, 0, 10]}')
         + 'fit_pattern(table, item_terms=["acetic", "gluconic"])'),
    Case("simPC", "simPC", "simPC", NONE, {"nobj": 4, "nobs": 10, "worth": [1, 2, 3, 4], "seed": 123456}),
)  # fmt: skip

#: Models that no help page fits: glm on the design of `xmpl`, and those of the 50-digit set.
FURTHER: tuple[Case, ...] = (
    Case("xmpl-glm", "patt.design", "fit_design", data_set("xmpl"),
         {"formula": "y ~ SEX + I1 + I2 + I3 + (I1 + I2 + I3):SEX + u12 + u13 + u23"},
         {"nitems": 3, "resptype": "rating", "cat_scovs": ["SEX"]}, "patt_design", "patt_worth",
         note="the help pages make the design and fit nothing on it",
         ours=reading("ratings", "I1 I2 I3", *RATED, '\nlevels={"SEX": [1, 2]}')
         + 'fit_pattern(table, ties="by-pair", by="SEX")'),
    Case("dat4-pattern", "dat4", "pattPC_fit", DAT4, {"nitems": 4}, then="patt_worth",
         certified="dat4--pattern", ours=DAT4_READ + "fit_pattern(table)"),
    Case("dat4-dependence", "dat4", "pattPC_fit", DAT4, {"nitems": 4, "ia": True},
         certified="dat4--pattern-dependence", ours=DAT4_READ + "fit_pattern(table, dependence=True)"),
    Case("immig-pattern", "immig", "pattPC_fit", data_set("immig", "[, 1:6]"), {"nitems": 4, "undec": True},
         then="patt_worth", certified="immig--pattern", ours=_IMMIG + "fit_pattern(table)"),
    Case("immig-dependence", "immig", "pattPC_fit", data_set("immig", "[, 1:6]"),
         {"nitems": 4, "undec": True, "ia": True}, seconds=3.0,
         certified="immig--pattern-dependence", ours=_IMMIG + "fit_pattern(table, dependence=True)"),
    Case("trdel-pattern", "trdel", "pattPC_fit", data_set("trdel", "[, 1:10]"), {"nitems": 5}, then="patt_worth",
         certified="trdel--pattern", ours=TRDEL_READ + "fit_pattern(table)"),
    Case("trdel4-sex", "trdel", "pattPC_fit", data_set("trdel", "[, c(1:6, 13)]"),
         {"nitems": 4, "formel": "~sex", "elim": "~sex"}, then="patt_worth",
         certified="trdel4--pattern-by-sex", ours=reading("pairs", "CO TV PA AU", PREFMOD, _1_2, NO_TIES, '\nlevels={"sex": [1, 2]}') + 'fit_pattern(table, by="sex")'),
    Case("issp2000-4-pattern", "issp2000", "pattL_fit", data_set("issp2000", "[, 1:4]"), {"nitems": 4},
         then="patt_worth", certified="issp2000-4--pattern", ours=_ISSP4 + "fit_pattern(table)"),
    Case("issp2000-4-dependence", "issp2000", "pattL_fit", data_set("issp2000", "[, 1:4]"), {"nitems": 4, "ia": True},
         certified="issp2000-4--pattern-dependence", ours=_ISSP4 + "fit_pattern(table, dependence=True)"),
    Case("music4-pattern", "music", "pattL_fit",
         Table("prefmod::music[rowSums(!is.na(prefmod::music[, 1:4])) >= 2, 1:4]", "music"), {"nitems": 4},
         then="patt_worth",
         certified="music4--pattern", ours=reading("ratings", "bigb blug coun blue", '\nscale="1-5"', _BEST) + "fit_pattern(table)"),
    Case("music3x2-dependence", "music", "pattLrep_fit",
         Table("prefmod::music[rowSums(!is.na(prefmod::music[, 1:6])) >= 6, 1:6]", "music"),
         {"nitems": 3, "tpoints": 2, "ia": True, "iaT": True}, seconds=2.0,
         certified="music3x2--pattern-dependence", ours=_twice("ratings", "bigb blug coun", "bigb blug coun blue musi clas", *RATED)
         + "fit_pattern(table, dependence=True, between_times=True)"),
    Case("carconf-pattern", "carconf", "pattR_fit",
         Table("prefmod::carconf[rowSums(!is.na(prefmod::carconf[, 1:6])) >= 1, 1:6]", "carconf"), {"nitems": 6},
         then="patt_worth", seconds=3.0,
         certified="carconf--pattern", ours=reading("ranks", "price exterior brand tech.equip country interior", _BELOW) + "fit_pattern(table)"),
    Case("carconf4-sex", "carconf", "pattR_fit",
         Table("prefmod::carconf[rowSums(!is.na(prefmod::carconf[, 1:4])) >= 1, c(1:4, 7)]", "carconf"),
         {"nitems": 4, "formel": "~sex", "elim": "~sex"}, then="patt_worth",
         certified="carconf4--pattern-by-sex", ours=reading("ranks", "price exterior brand tech.equip", _BELOW, ' levels={"sex": [1, 2]}') + 'fit_pattern(table, by="sex")'),
)  # fmt: skip


def case(name: str) -> Case:
    """The case of this name; KeyError with all names where there is none."""
    found = {c.name: c for c in (*CASES, *FURTHER)}
    if name not in found:
        raise KeyError(f"no case {name!r}; there are {', '.join(found)}")
    return found[name]
