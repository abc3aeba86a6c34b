"""A small table on which a defect of prefmod shows, the call of R, and pairproof's numbers with and without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...bridge.packages.answers import vector_of
from ...bridge.process.policy import BackendLike, backend as policy
from ...bridge.values.convert import data_frame
from ...data.respondents import Respondents, from_pairs, from_ranks, from_ratings
from ...native.compat.catalogue import defect
from ...native.compat.defect import Defect

FloatArray = NDArray[np.float64]
Columns = Mapping[str, Sequence[float]]
NA = float("nan")

#: Packages that every case loads; its code then sees the table as d.
PREPARED = "suppressMessages(suppressWarnings({library(prefmod); library(gnm)}))\nas.numeric({\n%s\n})"


@dataclass(frozen=True, eq=False)
class Case:
    """A table and a call on which a defect shows.

    defect: name of the defect.  table: the data, in words.  call: what a user of prefmod types; the table is
    d.  code: R code whose value is the vector of the quantities.  data: columns of d.  reproduced, `right`:
    pairproof's numbers with the defect, and without; nan where there is none.  floor: largest difference of
    `reproduced` from R's numbers, with its reason in `why`.  factors: columns of d that are factors in R.
    """

    defect: str
    table: str
    call: str
    code: str
    data: Columns
    quantities: tuple[str, ...]
    reproduced: Callable[[], Sequence[float]]
    right: Callable[[], Sequence[float]]
    floor: float
    why: str
    factors: tuple[str, ...] = ()

    @property
    def of(self) -> Defect:
        """The defect itself."""
        return defect(self.defect)

    def prefmod(self, backend: BackendLike = None) -> FloatArray:
        """float[n]: R's numbers of the quantities, live or recorded."""
        frame = data_frame({k: np.asarray(v, float) for k, v in self.data.items()})
        code = "".join(f"d${name} <- factor(d${name})\n" for name in self.factors) + self.code
        answer = policy(backend).call(
            code=PREPARED % code, args={"d": frame}, needs=("prefmod", "gnm"), label=f"compat {self.defect}"
        )
        return np.asarray(vector_of(answer).floats()).ravel()


# -- tables --------------------------------------------------------------------------------------------------

#: Three items, sixteen persons; 0 = first preferred, 1 = second.
SIXTEEN: Columns = {
    "V1": [0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1],
    "V2": [0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1],
    "V3": [1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0],
}
#: The same with ties: 0 = first preferred, 1 = tie, 2 = second.
TERNARY: Columns = {
    "V1": [0, 0, 2, 0, 1, 2, 0, 0, 2, 0, 0, 1, 0, 2, 0, 2],
    "V2": [0, 2, 0, 0, 0, 1, 2, 0, 1, 0, 2, 2, 1, 0, 0, 2],
    "V3": [2, 0, 0, 1, 0, 2, 0, 2, 0, 1, 2, 0, 0, 2, 2, 0],
}

#: Thirty-two persons of two groups of unlike size, three items.
GROUPS: Columns = {
    "V1": [*SIXTEEN["V1"], *SIXTEEN["V2"]],
    "V2": [*SIXTEEN["V2"], *SIXTEEN["V3"]],
    "V3": [*SIXTEEN["V3"], *SIXTEEN["V1"]],
    "S": [1.0] * 10 + [2.0] * 22,
}
#: The same in three groups.
THREE: Columns = {**GROUPS, "S": [1.0] * 10 + [2.0] * 9 + [3.0] * 13}


def pairs(
    data: Columns, n_items: int, ties: bool, items: Sequence[str] | None = None, levels: Sequence[str] = ()
) -> Respondents:
    """A wide table of comparisons as a user of pairproof reads it; `levels` names categorical covariates."""
    import pandas as pd

    coding = {"first": 0, "second": 2 if ties else 1, "missing": "NA", **({"tie": 1} if ties else {})}
    frame = pd.DataFrame({k: list(v) for k, v in data.items()})
    for name in frame.columns[: n_items * (n_items - 1) // 2]:
        frame[name] = frame[name].astype("Int64")
    for name in levels:
        frame[name] = frame[name].astype("Int64")
    return from_pairs(
        frame,
        items=list(items or [f"o{k + 1}" for k in range(n_items)]),
        pair_order="prefmod",
        coding=coding,
        tie_category=ties,
        levels={k: sorted({int(v) for v in data[k] if v == v}) for k in levels},
    )
