"""How much standard errors by cluster differ from those of a model that supposes independent answers.

For each difference of two items the ratio of its CR2 standard error to that of the model is taken, by judge,
person and source where the table says who answered and about what.  A largest ratio outside 1/1.1 to 1.1 is worth a
sentence: intervals of the model are then too short, or too long, by more than a tenth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..predictions import ability_functions, item_covariate
from ..record import FitRecord
from .robust import clustered

FloatArray = NDArray[np.float64]

#: Columns that name who answered and what was asked, as readers call them.
COLUMNS = ("judge", "person", "source")
#: Ratios within 1/1.1 to 1.1 are not spoken of.
TENTH = 1.1
#: More parameters than this are not clustered unasked: it would take longer than the fit.
MOST_PARAMETERS = 500
#: Groups of a model with covariates in which differences are compared.
MOST_GROUPS = 20


@dataclass(frozen=True)
class Dependence:
    """How standard errors of item differences change when answers are clustered by a column.

    least, most: smallest and largest ratio of the CR2 standard error to that of the model.
    """

    column: str
    n_clusters: int
    least: float
    most: float

    @property
    def matters(self) -> bool:
        """Whether the largest ratio is outside 1/1.1 to 1.1."""
        return not 1.0 / TENTH <= self.most <= TENTH

    def __str__(self) -> str:
        few = f"{self.least:.2f} to {self.most:.2f}" if self.most > self.least else f"{self.most:.2f}"
        return f"by {self.column} ({self.n_clusters:,} clusters, CR2) {few} times"


def dependence(fit: FitRecord) -> tuple[Dependence, ...]:
    """The ratios by judge, person and source, for a fit that is not clustered.

    fit: it is worked out once for each fit.  Returns tuple of Dependence: one for each of the columns judge,
    person and source that the table has, unless the model has it as a covariate, there is one cluster, every
    comparison is a cluster of its own, there are no or more than 500 parameters, or the model has no standard
    errors by cluster.
    """
    kept: tuple[Dependence, ...] | None = fit.__dict__.get("_dependence")
    if kept is None:
        by_model = _varies(fit)
        columns = [c for c in COLUMNS if c in fit.data.columns and c not in by_model]
        few = 0 < len(fit.terms) <= MOST_PARAMETERS
        asked = columns if fit.robust is None and few and fit.spec.has_clustered else []
        kept = tuple(found for column in asked if (found := _compared(fit, column)) is not None)
        fit.__dict__["_dependence"] = kept
    return kept


def _varies(fit: FitRecord) -> set[str]:
    """Subject covariates in the model; not those with which only some items, or item covariates, vary."""
    found = {c for t in fit.terms if t.kind != "covariate" for c, _ in t.by}
    heads = [
        (t.item, t.covariate, t.covariate_level) for t in fit.terms if t.kind == "covariate" and not t.by
    ]
    with_it: dict[str, set[tuple[str | None, ...]]] = {}
    for t in fit.terms:
        for c, _ in t.by if t.kind == "covariate" else ():
            with_it.setdefault(c, set()).add((t.item, t.covariate, t.covariate_level))
    return found | {c for c, those in with_it.items() if heads and those >= set(heads)}


def _varying(fit: FitRecord, column: str) -> NDArray[np.bool_]:
    """bool[n_items]: items whose ability varies with the column; one cluster alone determines each of theirs."""
    out = np.zeros(len(fit.items), bool)
    for t in fit.terms:
        if t.kind == "covariate" and any(c == column for c, _ in t.by):
            out |= item_covariate(fit, t) != 0
    return out


def _compared(fit: FitRecord, column: str) -> Dependence | None:
    try:
        by_cluster = clustered(fit, (column,), missing="own")
    except InputError:  # one cluster, no row that tells anything, or too many numbers for a remark
        return None
    # With an answer each there is nothing that could go together.
    if by_cluster.robust is None or by_cluster.robust.n_clusters[0] >= fit.n_comparisons:
        return None
    ratios = []
    for group in list(fit.groups.values())[:MOST_GROUPS]:
        rows = ability_functions(fit, group)
        known = fit.vanishes((rows - rows[0]) @ fit.null_space) & ~_varying(fit, column)
        rows = rows[known]
        model, robust = (_of_differences(c.covariance.between(rows)) for c in (fit, by_cluster))
        told = (model > 0.0) & (robust > 1e-12 * model)
        ratios.append(np.sqrt(robust[told] / model[told]))
    found = np.concatenate(ratios) if ratios else np.empty(0)
    if not len(found):
        return None
    return Dependence(column, by_cluster.robust.n_clusters[0], float(found.min()), float(found.max()))


def _of_differences(covariance: FloatArray) -> FloatArray:
    """float[m]: variances of the differences of all pairs."""
    i, j = np.triu_indices(len(covariance), 1)
    diagonal = np.diag(covariance)
    out: FloatArray = diagonal[i] + diagonal[j] - 2.0 * covariance[i, j]
    return out


def in_words(fit: FitRecord) -> str:
    """A sentence on the columns by which it matters, with how to ask for it; "" if there is none."""
    found = [d for d in dependence(fit) if d.matters]
    if not found:
        return ""
    columns = [d.column for d in found]
    ask = ", ".join(f'"{column}"' for column in columns)
    return (
        f"standard errors of item differences are {' and '.join(map(str, found))} those of the model, which supposes"
        f" independent answers; fit.clustered({ask}) or --cluster {','.join(columns)} gives them"
    )


def caution(fit: FitRecord, test: str) -> str:
    """Why a test that supposes independent answers is in doubt, and what to use; "" if nothing speaks against it.

    test: what supposes it: "the likelihood ratio".
    """
    if fit.robust is not None:
        columns = " and ".join(fit.robust.columns)
        return (
            f"{test} supposes independent answers, which clustering by {columns} does not; fit.wald([...]) of the"
            " clustered fit tests parameters without that"
        )
    found = [d.column for d in dependence(fit) if d.matters]
    if not found:
        return ""
    ask = ", ".join(f'"{column}"' for column in found)
    return (
        f"{test} supposes independent answers, and those of one {' or one '.join(found)} go together:"
        f" fit.clustered({ask}).wald([...]) tests parameters without that"
    )
