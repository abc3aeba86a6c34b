"""Whether a model holds: residuals, chi-square tests of the deviance, and dependence between answers.

With y observed and m fitted in one outcome of a cell of n comparisons::

    Poisson       Pearson (y - m) / sqrt(m)                deviance  sign(y - m) sqrt(2 D(y, m))
    multinomial   Pearson (y - m) / sqrt(m (1 - m/n))      deviance  sign(y - m) sqrt(2 D(y, m)
                                                                                     + 2 D(n - y, n - m))

D(y, m) = y log(y/m) - y + m.  Poisson residuals are those of gnm and glm on the log-linear table; multinomial
ones take the total of the cell as given, as the likelihood here does.

Models suppose independent answers.  For each difference of two items the ratio of its CR2 standard error to
that of the model is taken, by judge, person and source where the table says who answered and about what.  A
largest ratio outside 1/1.1 to 1.1 is worth a sentence: intervals of the model are then too short, or too
long, by more than a tenth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from ...errors import InputError
from ...numerics.arrays import BoolArray, FloatArray
from ..estimates import array_inference as inference
from ..estimates.fit_record import CellTable, FitRecord
from ..estimates.predictions import ability_functions, item_covariate
from ..estimates.tails import chi_square_p

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
    """The ratios by judge, person and source, for a fit that is not clustered, or by single votes.

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
        alone = fit.robust is None or _by_vote(fit)
        asked = columns if alone and few and fit.spec.has_clustered else []
        kept = tuple(found for column in asked if (found := _compared(fit, column)) is not None)
        fit.__dict__["_dependence"] = kept
    return kept


def _by_vote(fit: FitRecord) -> bool:
    """Whether standard errors are by single votes, which are taken as independent."""
    return fit.robust is not None and not fit.robust.columns and fit.answers is None


def _varies(fit: FitRecord) -> set[str]:
    """Subject covariates in the model; not those with which only some items, or item covariates, vary."""
    found = {c for t in fit.terms if t.kind != "covariate" for c, _ in t.by}
    of_covariates = [t for t in fit.terms if t.kind == "covariate"]
    heads = {(t.item, t.covariate, t.covariate_level) for t in of_covariates if not t.by}
    with_it: dict[str, set[tuple[str | None, ...]]] = {}
    for t in of_covariates:
        for c, _ in t.by:
            with_it.setdefault(c, set()).add((t.item, t.covariate, t.covariate_level))
    return found | {c for c, those in with_it.items() if heads and those >= heads}


def _varying(fit: FitRecord, column: str) -> BoolArray:
    """bool[n_items]: items whose ability varies with the column; one cluster alone determines each of theirs."""
    out = np.zeros(len(fit.items), bool)
    for t in fit.terms:
        if t.kind == "covariate" and any(c == column for c, _ in t.by):
            out |= item_covariate(fit, t) != 0
    return out


def _compared(fit: FitRecord, column: str) -> Dependence | None:
    from ..robust.clustered_fit import clustered

    fit.data.columns[column]  # what is wrong in the column itself is said, not passed over
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
    return np.asarray(diagonal[i] + diagonal[j] - 2.0 * covariance[i, j])


def in_words(fit: FitRecord) -> str:
    """A sentence on the columns by which it matters, with how to ask for it; "" if there is none."""
    found = [d for d in dependence(fit) if d.matters]
    if not found:
        return ""
    columns = [d.column for d in found]
    ask = ", ".join(f'"{column}"' for column in columns)
    base = "by single votes, which assume" if _by_vote(fit) else "of the model, which assumes"
    return (
        f"standard errors of item differences are {' and '.join(map(str, found))} those {base}"
        f" independent answers; fit.clustered({ask}) or --cluster {','.join(columns)} gives them"
    )


def caution(fit: FitRecord, test: str) -> str:
    """Why a test that supposes independent answers is in doubt, and what to use; "" if nothing speaks against it.

    test: what supposes it: "the likelihood ratio".
    """
    if fit.robust is not None and not _by_vote(fit):
        columns = " and ".join(fit.robust.columns) or "person"
        return (
            f"{test} assumes independent answers, an assumption that clustering by {columns} drops; the table of parameters"
            " tests each of them without it, fit.wald([...]) several at once"
        )
    found = [d.column for d in dependence(fit) if d.matters]
    if not found:
        return ""
    ask = ", ".join(f'"{column}"' for column in found)
    return (
        f"{test} assumes independent answers, but those of one {' or one '.join(found)} are related: to test"
        f" parameters without this assumption, use fit.clustered({ask}).wald([...]), or --cluster {','.join(found)}"
    )


Kind = Literal["pearson", "deviance"]
Distribution = Literal["poisson", "multinomial"]

#: Cochran (1954, Biometrics 10, 417-451): expected counts of 5 or more in at least 80 % of the cells, none
#: below 1.
ENOUGH_EXPECTED, LEAST_EXPECTED, MAY_BE_SMALL = 5.0, 1.0, 0.20


def poisson_divergence(y: FloatArray, m: FloatArray) -> FloatArray:
    """D(y, m) = y log(y/m) - y + m >= 0, without cancellation where y is close to m.

    Loader (2000), "Fast and accurate computation of binomial probabilities", section 3: with v = (y-m)/(y+m),
    D = (y-m) v + 2 y (v**3/3 + v**5/5 + ...), used for |v| < 0.1.

    y, m: >= 0; D(0, m) = m, D(0, 0) = 0, and inf for m = 0 < y.
    """
    from scipy.special import kl_div

    total = y + m
    v = np.divide(y - m, total, out=np.zeros_like(total), where=total > 0)
    near = np.abs(v) < 0.1
    square = np.where(near, v * v, 0.0)
    # |v| < 0.1: the first term left out is below 2 v**21/21 < 1e-22.
    series = sum(square**k / (2 * k + 1) for k in range(9, 0, -1))
    return np.where(near, (y - m) * v + 2.0 * y * v * series, kl_div(y, m))


def _divide(a: FloatArray, b: FloatArray) -> FloatArray:
    """a / b, and 0 where a is 0, also where b is: an outcome that must and does happen leaves nothing
    over.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(a == 0, 0.0, a / b)


def pearson_residuals(y: FloatArray, m: FloatArray, distribution: Distribution) -> FloatArray:
    """float[n_cells, n_outcomes]; the total of a cell is that of its row of y."""
    if distribution == "poisson":
        return _divide(y - m, np.sqrt(m))
    n = y.sum(axis=1, keepdims=True)
    return _divide(y - m, np.sqrt(m * np.maximum(n - m, 0.0) / n))


def deviance_residuals(y: FloatArray, m: FloatArray, distribution: Distribution) -> FloatArray:
    """float[n_cells, n_outcomes]; signed roots of twice the divergence."""
    divergence = poisson_divergence(y, m)
    if distribution == "multinomial":
        n = y.sum(axis=1, keepdims=True)
        divergence = divergence + poisson_divergence(n - y, np.maximum(n - m, 0.0))
    return np.asarray(np.sign(y - m) * np.sqrt(2.0 * np.maximum(divergence, 0.0)))


def residual_frame(
    cell_table: CellTable, items: Sequence[str], has_ties: bool, kind: Kind, distribution: Distribution
) -> pd.DataFrame:
    """One row for every outcome of every cell.

    Returns DataFrame: first, second, cell, outcome ("first", "tie", "second"), observed, fitted, residual.
    """
    names, y, m = cell_table.outcomes(has_ties)
    residual = (pearson_residuals if kind == "pearson" else deviance_residuals)(y, m, distribution)
    label = np.array(items, dtype=object)
    cells = {"first": label[cell_table.first], "second": label[cell_table.second]}
    cells["cell"] = np.array(cell_table.label, dtype=object)
    columns = {name: np.repeat(values, len(names)) for name, values in cells.items()}
    columns["outcome"] = np.tile(np.array(names, dtype=object), cell_table.n_cells)
    numbers = {"observed": y.ravel(), "fitted": m.ravel(), "residual": residual.ravel()}
    frame = pd.DataFrame({**columns, **numbers})
    frame.attrs.update(kind=kind, distribution=distribution)
    return frame


def goodness_of_fit(fit: FitRecord) -> inference.GoodnessOfFit:
    """Deviance and Pearson tests of a fit; see :meth:`pairproof.Fit.goodness_of_fit`."""
    if fit.spec.without_goodness:
        nan = math.nan
        return inference.GoodnessOfFit(fit.deviance, nan, fit.df_resid, nan, nan, fit.spec.without_goodness)
    has_ties, ranked = fit.outcome_model != "binary", fit.data.ranked_together
    table = fit.cell_table()
    test = chi_square_tests(table, fit.deviance, fit.df_resid, has_ties, fit.quasi_likelihood, ranked)
    if math.isnan(test.p_deviance):  # without a p-value there is nothing to be cautious of
        return test
    return replace(test, caution="; ".join(filter(None, [test.caution, caution(fit, "the chi-square")])))


def chi_square_tests(
    cell_table: CellTable, deviance: float, df: int, has_ties: bool, quasi: bool, ranked: int = 0
) -> inference.GoodnessOfFit:
    """Deviance and Pearson's X^2 against a chi-square, with the reasons not to.

    has_ties: whether a tie is an outcome of the model.  quasi: half wins or fractional weights.  ranked:
    items of a ranking whose pairs the comparisons are; 0 if they are not such.  Returns GoodnessOfFit:
    p-values are nan where no chi-square holds; `caution` then says why, and otherwise gives the numbers of
    small expected counts.  Separation shows in expected counts of 0; items that were never compared (a
    disconnected design) leave none and do no harm to the test.
    """
    _, y, m = cell_table.outcomes(has_ties)
    pearson = float(np.sum(_divide((y - m) ** 2, m)))
    if withheld := "; ".join(_why_no_p(y, m, df, quasi)):
        return inference.GoodnessOfFit(deviance, pearson, df, np.nan, np.nan, f"no p-value: {withheld}")
    said = [_small_counts(y, m)]
    if ranked > 2:
        said.append(
            "the pairs of a ranking are not independent, so the chi-square distribution does not hold"
        )
    p, p_pearson = chi_square_p(deviance, df), chi_square_p(pearson, df)
    return inference.GoodnessOfFit(deviance, pearson, df, p, p_pearson, "; ".join(filter(None, said)))


def _why_no_p(y: FloatArray, m: FloatArray, df: int, quasi: bool) -> list[str]:
    reasons = []
    if df <= 0:
        reasons.append("the model is saturated (0 df), so there is nothing to test")
    dead = int((m <= 0).sum())
    if dead:
        reasons.append(
            f"{dead} of {m.size} expected counts are 0, on the boundary of the model (separated items, no"
            " ties)"
        )
    if quasi:
        reasons.append("half wins, fractional weights or pseudo-comparisons are not counts")
    if len(y) and y.sum(axis=1).max() <= 1.0:
        reasons.append(
            f"each of the {len(y)} cells has a single comparison, so the deviance does not measure"
            " lack of fit; use coarser cells"
        )
    return reasons


def _small_counts(y: FloatArray, m: FloatArray) -> str:
    """Cochran's rule, with its numbers; "" where it is kept."""
    small, tiny = int((m < ENOUGH_EXPECTED).sum()), int((m < LEAST_EXPECTED).sum())
    if small <= MAY_BE_SMALL * m.size and tiny == 0:
        return ""
    single = int((y.sum(axis=1) <= 1.0).sum())
    alone = f"; {single} of {len(y)} cells hold a single comparison" if single else ""
    return (
        f"{small} of {m.size} expected counts are below 5 and {tiny} below 1 (smallest {m.min():.3g}){alone};"
        " the chi-square is rough unless at most 20 % are below 5 and none below 1 (Cochran 1954)"
    )
