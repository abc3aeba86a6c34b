"""Contests of BradleyTerry2's own data sets, read in place from a live R and never recorded: a record would be a copy.

The models are those of its vignette (sections 3.1 and 3.2: lizards, random effects by PQL) and of the help page of its
chameleons (lagged results as contest covariates).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Union

import numpy as np
from numpy.typing import NDArray

from ....bridge.packages.answers import ask
from ....data.comparisons import Comparisons
from ....errors import RDrift, RError
from ....fit.fit import Fit
from ....native.contests.bradley_terry import fit_bradley_terry
from ..compared_with_r import NoAnswer, in_place

if TYPE_CHECKING:
    from ....bridge.process.policy import Backend

FloatArray = NDArray[np.float64]
COVARIATES = ("throat.PC1", "throat.PC3", "head.length", "SVL")
READ = """
here <- new.env()
utils::data(list = c("flatlizards", "chameleons"), package = "BradleyTerry2", envir = here)
lizards <- here$flatlizards
animals <- here$chameleons
list(items = levels(lizards$contests$winner), first = as.numeric(lizards$contests$winner), second = as.numeric(lizards$contests$loser),
     values = as.numeric(as.matrix(lizards$predictors[covariates])),
     c_items = levels(animals$winner$ID), c_first = as.numeric(animals$winner$ID), c_second = as.numeric(animals$loser$ID),
     before = animals$winner$prev.wins.2 - animals$loser$prev.wins.2, c_values = as.numeric(as.matrix(animals$predictors[c("ch.res", "prop.main")])))
"""


class Tables(dict[str, Comparisons]):
    """Tables of contests by name: lizards, chameleons."""


def tables(backend: Backend) -> Union[Tables, NoAnswer]:
    """The two tables, or why they are not here."""
    place = "BradleyTerry2::flatlizards"
    if backend.mode in ("none", "recorded"):
        return NoAnswer("not-run", "r-not-run", in_place(place, "BradleyTerry2"))
    try:
        found = ask(
            replace(backend, mode="live", record=None),
            place,
            READ,
            {"covariates": list(COVARIATES)},
            ("BradleyTerry2",),
        ).as_list()
    except (RDrift, RError) as error:
        return NoAnswer(
            "not-run", "r-not-run", f"the data are those of {place}: {' '.join(str(error).split())}"
        )

    def numbers(name: str) -> FloatArray:
        return np.asarray(found.vector(name).floats())

    def table(prefix: str, names: Sequence[str], **columns: FloatArray) -> Comparisons:
        items = [str(v) for v in found.vector(f"{prefix}items").values]
        values = numbers(f"{prefix}values").reshape(len(names), -1)
        first, second = (numbers(f"{prefix}{side}").astype(int) - 1 for side in ("first", "second"))
        n = len(first)
        of_items = {name: column for name, column in zip(names, values)}
        return Comparisons.build(
            items,
            first,
            second,
            np.ones(n),
            None,
            np.zeros(n),
            columns=columns,
            item_data=of_items,
            source=place,
        )

    return Tables(
        lizards=table("", COVARIATES),
        chameleons=table("c_", ("ch.res", "prop.main"), before=numbers("before")),
    )


#: The vignette's and the help page's models: where they are printed, the table, and the fit.
PRINTED: dict[str, tuple[str, str, Callable[[Comparisons], Fit]]] = {
    "lizards-1": (
        "vignette, section 3.1: ~ SVL[..] + (1 | ..)",
        "lizards",
        lambda t: fit_bradley_terry(t, item_terms=["SVL"], random="item", method="pql"),
    ),
    "lizards-2": (
        "vignette, section 3.2: four covariates + (1 | ..)",
        "lizards",
        lambda t: fit_bradley_terry(t, item_terms=COVARIATES, random="item", method="pql"),
    ),
    "chameleons": (
        "help page of chameleons: prev.wins.2 + ch.res[ID] + prop.main[ID] + (1 | ID)",
        "chameleons",
        lambda t: fit_bradley_terry(
            t, item_terms=["ch.res", "prop.main"], comparison_terms=["before"], random="item", method="pql"
        ),
    ),
}
