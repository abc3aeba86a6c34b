"""prefmod's covariates of persons: `formel`, with which the items vary, and `elim`, which divides the table.

    formel = ~SEX * AGE, elim = ~SEX * AGE    -> by = "SEX*AGE"
    formel = ~1,         elim = ~ENG          -> cells = ["ENG"]

Every covariate is a factor with the levels 1, 2, ..., K, coded by treatment contrasts against level 1;
prefmod takes `elim` to be `formel` where it was not given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.values.values import RLang
from .....errors import FormulaError
from .....native.pairs.grammar import products_of
from .table import Given, value_of, written_name

Product = tuple[str, ...]
_NAME = re.compile(r"`[^`]+`|(?:[^\W\d]|\.(?!\d))[\w.]*")
_ONE = re.compile(r"(?<![\w.])1(?![\w.])")


@dataclass(frozen=True)
class Covariates:
    """The covariates of a call.

    formel, elim: products of covariates, "SEX:AGE" as ("SEX", "AGE"); `elim` is as given.
    """

    formel: tuple[Product, ...] = ()
    elim: tuple[Product, ...] = ()

    @property
    def table(self) -> tuple[Product, ...]:
        """What divides the table: `elim`, or `formel` where there is none."""
        return self.elim or self.formel

    @property
    def in_model(self) -> tuple[str, ...]:
        """Covariates of the model, each once."""
        return tuple(dict.fromkeys(name for p in self.formel for name in p))

    @property
    def in_table(self) -> tuple[str, ...]:
        """Covariates that divide the table, each once."""
        return tuple(dict.fromkeys(name for p in self.table for name in p))

    @property
    def all(self) -> tuple[str, ...]:
        """Those of either."""
        return tuple(dict.fromkeys((*self.in_model, *(n for p in self.elim for n in p))))

    @property
    def by(self) -> str:
        """The formula of the model in Python's words; "" for none."""
        if len(self.in_model) > 1 and len(self.formel) == 2 ** len(self.in_model) - 1:
            return " * ".join(_ticked(written_name(n)) for n in self.in_model)
        return " + ".join(":".join(_ticked(written_name(n)) for n in p) for p in self.formel)

    @property
    def cells(self) -> list[str]:
        """Columns that divide the table and are not in the model."""
        return [written_name(n) for n in self.in_table if n not in self.in_model]

    @property
    def whole(self) -> bool:
        """Whether every part of a product is in the model itself, as R's treatment contrasts then have it."""
        have = {frozenset(p) for p in self.formel}
        return all(
            frozenset((*p[:k], *p[k + 1 :])) in have for p in self.formel if len(p) > 1 for k in range(len(p))
        )

    def levels(self, table: Given) -> dict[str, list[int]]:
        """Levels of the covariates, the first the reference."""
        found = {}
        for name in dict.fromkeys((*self.in_model, *self.in_table)):
            values = table.column(name)
            found[written_name(name)] = [int(v) for v in np.unique(values[~np.isnan(values)])]
        return found

    def wrong_codes(self, table: Given) -> str:
        """The first covariate that is not coded 1, 2, ..., K; "" if all are."""
        for name in self.all:
            found = np.unique(table.column(name))
            if not np.array_equal(found, np.arange(1, len(found) + 1)):
                return name
        return ""


def covariates(call: RecordedCall, table: Given) -> Covariates | str:
    """`formel` and `elim` of a call; a sentence where they are no sums of products of columns."""
    found = []
    for argument in ("formel", "elim"):
        products = read(value_of(call, argument), call.args.get(argument, ""))
        if products is None:
            return f"{argument} is no sum of products of columns"
        found.append(products)
    made = Covariates(*found)
    lacking = [n for n in made.all if not table.has(n)]
    return f"{lacking[0]} is no column of its table" if lacking else made


def read(value: object, text: str = "") -> tuple[Product, ...] | None:
    """The products of a one-sided formula; () for `~1`, None for what is more than that.

    value: as recorded; None: not given.  text: unused where there is a value; the call's own text where the
    value was not kept.
    """
    if value is None and not text:
        return ()
    if not isinstance(value, RLang) or not value.text.lstrip().startswith("~"):
        return None
    inside = value.text.strip()[1:].strip()
    while inside.startswith("(") and inside.endswith(")") and "(" not in inside[1:]:
        inside = inside[1:-1].strip()
    summands = [s for s in inside.split("+") if not _ONE.fullmatch(s.strip())]
    if not summands:
        return ()
    rest = _NAME.sub(lambda found: _ticked(found[0].strip("`"), always=True), "+".join(summands))
    try:
        return tuple(tuple(v.name for v in product) for product in products_of(rest))
    except FormulaError:
        return None


def _ticked(name: str, always: bool = False) -> str:
    return f"`{name}`" if always or not re.fullmatch(r"[^\W\d]\w*", name) or name in ("C",) else name
