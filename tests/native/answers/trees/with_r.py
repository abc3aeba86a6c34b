"""psychotree's bttree, asked live: its nodes, tests and coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairproof.bridge.packages.asking import ask

#: `answers` in the order of paircomp, `covariates` a list of vectors (text is a factor); nodes by number.
CODE = """
suppressMessages(library(psychotree))
d <- as.data.frame(covariates, stringsAsFactors = TRUE)
d$preference <- paircomp(matrix(answers, ncol = n_pairs), labels = items)
f <- as.formula(paste("preference ~", paste(names(covariates), collapse = " + ")))
tree <- bttree(f, data = d, minsize = minimum, ref = items[length(items)])
ids <- partykit::nodeids(tree)
tests <- lapply(ids, function(i) {
  t <- strucchange::sctest(tree, node = i)
  if (is.null(t)) numeric(0) else as.numeric(t)
})
list(llf = as.numeric(logLik(tree)), df = as.numeric(attr(logLik(tree), "df")),
  n = as.numeric(sapply(ids, function(i) NROW(partykit::data_party(tree, i)))),
  coef = as.numeric(t(coef(tree, node = ids))), tests = as.numeric(unlist(tests)))
"""


@dataclass(frozen=True)
class RTree:
    """The numbers of R's tree.

    Attributes
    ----------
    llf, df : float
    persons : list of float
        Of each node, by number.
    coefficients : float[nodes, k]
    tests : list of float
        Statistic and p of every test, node after node; none of nodes too small to be tested.
    """

    llf: float
    df: float
    persons: list[float]
    coefficients: NDArray[np.float64]
    tests: list[float]


def bttree(
    answers: NDArray[np.int64], items: Sequence[str], covariates: Mapping[str, Any], minimum: int
) -> RTree:
    """The tree of answers in the order of paircomp; its tests name the packages in their marker."""
    found = ask(
        "live",
        "bttree",
        CODE,
        {
            "answers": np.asarray(answers, float).ravel(order="F"),
            "n_pairs": float(answers.shape[1]),
            "items": list(items),
            "covariates": dict(covariates),
            "minimum": float(minimum),
        },
        ("psychotools",),
    ).as_list()
    persons = [float(v) for v in found.vector("n").floats()]
    coefficients = np.asarray(found.vector("coef").floats(), float).reshape(len(persons), -1)
    return RTree(
        float(found.vector("llf").floats()[0]),
        float(found.vector("df").floats()[0]),
        persons,
        coefficients,
        [float(v) for v in found.vector("tests").floats()],
    )
