"""The examples of prefmod's help pages that `pairproof migrate` does not translate, and what pairproof's side of them
shares; the others are made by migrate (:mod:`tools.pages.migrated`).

Each case is a call of a function of `pairproof.bridge.prefmod` by its name, on a data set that R fetches from prefmod
when it is asked (prefmod's data are not stored here).  Random examples have a seed here, which the help pages leave out.

>>> case("checkMIS-dat4").function, case("checkMIS-dat4").table.r
('checkMIS', 'prefmod::dat4')
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
    """R source of a constant of this module: a number, text, several of them, or R's own."""
    if isinstance(value, Expr):
        return str(value.code)
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


O3 = "o1 + o2 + o3"
#: Three comparisons of dat4, ten of the third missing at random.
DATA3 = Table("{ set.seed(1); d <- prefmod::dat4[, 1:3]; d[sample(1:100, 10), 3] <- NA; d }", "dat4")


@dataclass(frozen=True)
class Case:
    """A call of a help page.

    `table` is the first argument of `function`; without R source where it has none.  pattnpml_fit has a design: what
    patt_design makes of the table and `design`, or without `design` the table itself.
    """

    name: str
    page: str
    function: str
    table: Table
    arguments: Mapping[str, Any] = field(default_factory=dict)
    design: Mapping[str, Any] = field(default_factory=dict)
    #: The answer is a data set of prefmod's in other words, and so is not stored in a record.
    holds_data: bool = False

    def ask(self, backend: BackendLike = None) -> Any:
        """R's answer to the call."""
        function: Callable[..., Any] = getattr(prefmod, self.function)
        if not self.table.r:
            return function(**self.arguments, backend=backend)
        if self.function == "pattnpml_fit":
            return function(design=Expr(self.design_source()), **self.arguments, backend=backend)
        return function(Expr(self.table.r), **self.arguments, backend=backend)

    def design_source(self) -> str:
        """R source of the design: of the call that makes it, or of the table itself."""
        arguments = self.arguments if self.function == "patt_design" else self.design
        made = f"prefmod::patt.design({', '.join([self.table.r, *given(arguments)])})"
        return made if arguments else self.table.r

    def frame(self) -> Any:
        """The table for pairproof's side, from live R."""
        return self.table.frame("live").reset_index(drop=True)


def run(code: str, data: Any, **more: Any) -> Any:
    """What the last line of the code gives, where `more` names are known too."""
    names = {**more, "data": data.copy(), "np": np, "pairproof": pairproof}
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


PREFMOD, NO_TIES = ' pair_order="prefmod"', " tie_category=False"
_012 = '\ncoding={"first": 0, "tie": 1, "second": 2, "missing": "NA"}'
THREE = reading("pairs", "o1 o2 o3", PREFMOD, _012, ' levels={"SEX": [1, 2]}')
DAT4_READ = reading("pairs", "o1 o2 o3 o4", PREFMOD, '\ncoding={"first": 1, "second": -1}', NO_TIES)
_1_2 = '\ncoding={"first": 1, "second": 2}'
TRDEL_READ = reading("pairs", "CO TV PA AU CL", PREFMOD, _1_2, NO_TIES)
IMMIG = reading(
    "pairs", "o1 o2 o3 o4", PREFMOD, '\ncoding={"first": 1, "tie": 0, "second": -1, "missing": "NA"}'
)
RATED = (' scale="1-5"', ' best="low"')
ENVIRONMENT = "CAR IND FARM WATER TEMP GENE"

# -- the cases -----------------------------------------------------------------------------------------------

DAT4 = data_set("dat4")
CASES: tuple[Case, ...] = (
    Case("checkMIS-dat4", "checkMIS", "checkMIS", DAT4, {"nitems": 4}),
    Case("checkMIS-data3", "checkMIS", "checkMIS", DATA3, {"nitems": 3}),
    Case("expand-tennis", "expand.mat, tennis", "expand_mat", data_set("tennis", "[, -1]"),
         {"freq": Expr("prefmod::tennis[, 1]")}, holds_data=True),
    Case("patt-design-xmpl", "patt.design, prefmod-package", "patt_design", data_set("xmpl"),
         {"nitems": 3, "resptype": "rating", "ia": True, "cat_scovs": ["SEX", "EDU"]}, holds_data=True),
    Case("patt-design-xmpl-sex", "xmpl", "patt_design", data_set("xmpl"),
         {"nitems": 3, "resptype": "rating", "cat_scovs": ["SEX"]}, holds_data=True),
    Case("patt-design-issp", "patt.design", "patt_design", data_set("issp2000"),
         {"nitems": 6, "resptype": "rating", "cat_scovs": ["SEX", "EDU"]}, holds_data=True),
    Case("pattnpml-dat4", "pattnpml.fit", "pattnpml_fit", DAT4,
         {"formula": "y ~ 1", "random": f"~{O3}", "k": 2, "seed": 1}, {"nitems": 4}),
    Case("pattnpml-euro", "pattnpml.fit", "pattnpml_fit", data_set("euro55.2.des"),
         {"formula": "y ~ SEX:AGE4 + (SEX + AGE4):(TV + RAD + NEWSP + SCIMAG + WWW + EDINST) - 1",
          "random": "~TV + RAD + NEWSP + SCIMAG + WWW + EDINST", "k": 2, "seed": 1, "EMdev_change": 1e-3}),
    Case("simPC", "simPC", "simPC", Table(""), {"nobj": 4, "nobs": 10, "worth": [1, 2, 3, 4], "seed": 123456}),
)  # fmt: skip


def case(name: str) -> Case:
    """The case of this name; KeyError with all names where there is none."""
    found = {c.name: c for c in CASES}
    if name not in found:
        raise KeyError(f"no case {name!r}; there are {', '.join(found)}")
    return found[name]
