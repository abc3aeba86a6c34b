"""Which of a call's numbers the test compares with R again, how many digits it asks for, and where it finds them.

Of a fit the numbers have names, and `agree` compares them.  Of another value (a table, R's own answer) each number is
found again by its place in the value, which the judge that made the row says; what is computed from the value, and
stands nowhere in it, is not compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any, Union

import numpy as np
import pandas as pd

from ....errors import PairproofError
from ....fit.fit import Fit
from ...assertion import agree
from ...verdicts.agreement import AGREEING, Agreement
from ...verdicts.digits import MOST, digits_of_agreement
from ..translate.rows import distinct
from ..translate.translation import Step

#: Numbers of a value that are looked at.
MOST_NUMBERS = 200_000
_DEEP = 6


def numbers_in(value: Any) -> dict[str, float]:
    """The numbers of a value by their places: "estimate / A", "vcov / 3".

    value: a number, a table, an array, a mapping, a sequence, or an object with such fields.
    """
    found = list(islice(_walk(value, (), _DEEP), MOST_NUMBERS))
    return dict(zip(distinct(" / ".join(place) for place, _ in found), (number for _, number in found)))


def _walk(value: Any, at: tuple[str, ...], deep: int) -> Iterator[tuple[tuple[str, ...], float]]:
    if isinstance(value, (bool, np.bool_)) or value is None or isinstance(value, str) or deep < 0:
        return
    if isinstance(value, (int, float, np.integer, np.floating)):
        yield at, float(value)
    elif isinstance(value, pd.DataFrame):
        for k, column in enumerate(value.columns):
            yield from _walk(value.iloc[:, k], (*at, str(column)), deep - 1)
    elif isinstance(value, pd.Series):
        if pd.api.types.is_numeric_dtype(value.dtype) or value.dtype == object:
            for label, v in zip(value.index.tolist(), value.tolist()):
                yield from _walk(v, (*at, str(label)), min(deep, 0))
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "iuf":
            for k, v in enumerate(value.ravel().tolist()):
                yield (*at, str(k)), float(v)
    else:
        for label, part in _parts(value):
            yield from _walk(part, (*at, label), deep - 1)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Entries of a mapping or a sequence, fields of an object; what is private or computed anew is not looked at."""
    if isinstance(value, Mapping):
        yield from ((str(k), v) for k, v in value.items())
    elif hasattr(value, "_fields"):
        yield from ((name, getattr(value, name)) for name in value._fields)
    elif isinstance(value, (list, tuple)):
        yield from ((str(k), v) for k, v in enumerate(value))
    elif is_dataclass(value):
        yield from ((f.name, getattr(value, f.name)) for f in fields(value) if f.name[:1] != "_")


#: Call id -> what the test asks of each of its rows.
Asked = Mapping[int, Sequence[Union[dict[str, Any], None]]]


def asked_of(steps: Iterable[Step]) -> Asked:
    """:func:`asked` of each step, by the id of its call."""
    return {step.call.id: asked(step.value, step.rows) for step in steps}


def asked(value: Any, rows: Sequence[Agreement]) -> list[dict[str, Any] | None]:
    """What the test asks of each row: {"digits": 9.0} and, but for a fit, "place"; None if it does not ask.

    The digits are the row's floor; fewer where a row that agrees has fewer by the test's own way of counting them,
    which knows nothing of the sums that cancel in R's number.

    value: the Python value.
    """
    wanted = [a for a in rows if a.verdict in AGREEING and a.native is not None and a.r is not None]
    if isinstance(value, Fit):
        digits = _of_fit(value, wanted)
        found: dict[int, dict[str, Any]] = {
            id(a): {"digits": d} for a, d in zip(wanted, digits) if d is not None
        }
    else:
        now = numbers_in(value)
        found = {
            id(a): {"digits": _fewer(a, float(digits_of_agreement(a.native, a.r))), "place": a.place}
            for a in wanted
            if a.native is not None and a.r is not None and now.get(a.place) == a.native
        }
    return [found.get(id(a)) for a in rows]


def _of_fit(fit: Fit, rows: Sequence[Agreement]) -> list[float | None]:
    """Digits by :func:`agree`'s own counting; None for a quantity that it does not know."""

    def of(a: Agreement) -> float | None:
        name = str(a.quantity)
        assert a.r is not None
        try:
            (row,) = agree(fit, {name: a.r}, digits=0.0)
        except (AssertionError, PairproofError):
            return None
        return _fewer(a, MOST if row.digits is None else row.digits)

    return [of(a) for a in rows]


def _fewer(a: Agreement, digits: float) -> float:
    """The row's floor, or the digits there are, rounded down to a tenth."""
    least = MOST if a.floor is None or a.floor != a.floor else min(a.floor, MOST)
    return least if digits >= least or digits != digits else math.floor(digits * 10) / 10
