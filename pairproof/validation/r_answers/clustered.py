"""Standard errors by cluster in R: sandwich's of the glm itself, clubSandwich's of whitened rows.

==========================  =====================================================================================
R call                      answers
==========================  =====================================================================================
``sandwich::vcovCL``        CR0 and CR1, one way and two ways
``clubSandwich::vcovCR``    CR0, CR1 and CR2 one way; two ways the sum of its three parts, V_1 + V_2 - V_12; with
                            CR2 Satterthwaite's degrees of freedom and the p of t on them
==========================  =====================================================================================

R has no CR2 of two ways: what is checked is the sum of three parts that it has.  Of two ways the standard error of
a parameter or worth is the largest of the two-way and the one-way ones, and negative eigenvalues are set to 0 in the
units of the information, here as there (Fit.clustered).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, combinations_with_replacement
from typing import Union, get_args

import numpy as np

from ...bridge.packages import clubsandwich, sandwich
from ...bridge.packages.clubsandwich import SmallSample
from ...bridge.packages.sandwich import ClusteredCovariance, ComparisonRows, Model
from ...bridge.process.policy import Backend
from ...bridge.programs.counted_cells import count
from ...fit.fit import Fit
from ...numerics.arrays import FloatArray
from ..claims.quantities import Quantity
from ..verdicts.agreement import RCounterpart
from .ask import (
    Question,
    answered,
    attempt_unless,
    column_of,
    first_reason,
    reference_for_r,
    refused,
    remarks,
)
from .bradleyterry import moved_in_words
from .translate import MOST_WORTHS, RParameters, linear_map, parameter_values, worth_values

VCOVCL, VCOVCR = "sandwich::vcovCL", "clubSandwich::vcovCR"
#: polr's own scores are differences of probabilities: 8 digits, and a floor of their own.
OF_POLR = "sandwich::vcovCL, of polr"
#: clubSandwich takes an eigenproblem of each cluster's rows: their cubes, summed, up to which it is asked
#: (seconds), and clusters, whose square its degrees of freedom need.
MOST_CUBES = 5e10
MOST_CLUSTERS = 2_000
#: Comparisons up to which sandwich is asked of polr, which then has two rows for each.
MOST_COMPARISONS = 50_000
#: Of these kinds a fit by cluster takes R's numbers from here alone.
BY_CLUSTER = ("se", "z", "p", "worth_se")

Part = Union[ClusteredCovariance, SmallSample]


def model_based(fit: Fit) -> Fit:
    """The same fit with the standard errors of its model, which supposes independent answers."""
    return fit if fit.robust is None else replace(fit, covariance=fit.robust.model_based, robust=None)


def without_model_errors(answer: RCounterpart) -> RCounterpart:
    """An R function's answer without what rests on the standard errors of the model."""
    kept = {q: v for q, v in answer.values.items() if Quantity.parse(q).kind not in BY_CLUSTER}
    said = "its standard errors assume independent answers and are not compared"
    return replace(answer, values=kept, note="; ".join(filter(None, (answer.note, said))))


def clustered_counterparts(fit: Fit, backend: Backend) -> list[RCounterpart]:
    """What sandwich and clubSandwich say of a fit with standard errors by cluster."""
    assert fit.robust is not None
    calls: dict[str, Callable[[Question], RCounterpart]] = {VCOVCR: _ask_clubsandwich}
    if fit.robust.kind != "CR2":
        calls = {OF_POLR if fit.ties == "rao-kupper" else VCOVCL: _ask_sandwich, **calls}
    if why_not := _not_asked(fit):
        return [refused(call, why_not) for call in calls]
    question = Question(fit, count(fit, fit.robust.columns), backend)
    if question.too_large:
        return [refused(call, question.too_large) for call in calls]
    why = {VCOVCL: "", VCOVCR: _too_large(question), OF_POLR: _not_of_polr(question)}
    return [attempt_unless(why[call], call, ask, question) for call, ask in calls.items()]


def _not_asked(fit: Fit) -> str:
    polr = fit.ties == "rao-kupper"
    infinite = "parts of the model are infinite or not estimable, so R has no finite sub-fit to cluster"
    boundary = "not asked: no tie occurred, so Rao and Kupper's threshold is at its boundary"
    thresholds = any(t.kind == "tie" and t.by for t in fit.terms)
    gone = [] if fit.robust is None else [name for name in fit.robust.columns if name not in fit.data.columns]
    single = fit.robust is not None and not fit.robust.columns
    return first_reason(
        (single, "not asked: every vote is its own cluster, and R's sandwich would need a row for each"),
        (bool(gone), f"not asked: {' and '.join(gone)} is a column of the input rows, not of the table"),
        (fit.null_space.shape[1] > 0, f"not asked: {infinite}"),
        (polr and not fit.data.ties.any(), boundary),
        (polr and thresholds, "not asked: polr has one threshold for all"),
    )


def _not_of_polr(question: Question) -> str:
    if not question.cells.whole:
        return "not asked: the counts are not whole, but sandwich needs a row for each comparison in polr"
    n = float(question.cells.counts.sum())
    if n > MOST_COMPARISONS:
        return f"not asked: {n:,.0f} comparisons; sandwich needs a row for each in polr and is asked up to {MOST_COMPARISONS:,}"
    return ""


def _too_large(question: Question) -> str:
    cells = question.cells
    for name, codes in cells.clusters.items():
        size = np.bincount(codes) * cells.counts.shape[1]
        if len(size) > MOST_CLUSTERS or float((size.astype(float) ** 3).sum()) > MOST_CUBES:
            return (
                f"not asked: {len(size):,} clusters by {name}, the largest of {int(size.max()):,} rows; clubSandwich"
                f" solves an eigenproblem for each cluster, and is asked up to {MOST_CLUSTERS:,} clusters and"
                f" {MOST_CUBES:.0e} for the sum of their cubed sizes"
            )
    return ""


# -- the rows ------------------------------------------------------------------------------------------------


def rows_of(question: Question) -> tuple[ComparisonRows, tuple[str, ...], str]:
    """The rows for R, the fit's parameters that their columns are, and the reference item ("" if none is)."""
    fit, cells = question.fit, question.cells
    reference = "" if fit.spec.item_terms else reference_for_r(fit, -1)
    free = [t for t in fit.terms if t.kind != "item" or t.item != reference]
    own = [t for t in free if t.kind != "tie"]
    ties = [t for t in free if t.kind == "tie"] if cells.ties is not None else []
    x, z = (_stacked([column_of(fit, cells, t) for t in part], len(cells)) for part in (own, ties))
    design = np.unique(np.concatenate([x, z], axis=1), axis=0, return_inverse=True)[1]
    model: Model = "rao-kupper" if fit.ties == "rao-kupper" else "poisson"
    rows = ComparisonRows(cells.counts, x, z, np.ravel(design).astype(np.int64), cells.clusters, model)
    return rows, tuple(t.name for t in own + ties), reference


def _stacked(columns: Sequence[FloatArray], n: int) -> FloatArray:
    return np.stack(columns, axis=1) if columns else np.zeros((n, 0))


# -- the questions -------------------------------------------------------------------------------------------


def _ask_sandwich(question: Question) -> RCounterpart:
    robust = question.fit.robust
    assert robust is not None
    rows, names, reference = rows_of(question)
    adjust = robust.kind == "CR1"
    together = sandwich.vcovCL(rows, robust.columns, cadjust=adjust, backend=question.backend)
    alone = [[c] for c in robust.columns] if len(robust.columns) > 1 else []
    each = [sandwich.vcovCL(rows, c, cadjust=adjust, backend=question.backend) for c in alone]
    values = _values(question.fit, names, reference, together, together.vcov, each)
    how = f"vcovCL(fit, cluster = ~ {' + '.join(robust.columns)}, type = \"HC0\", cadjust = {str(adjust).upper()})"
    r_call = OF_POLR if rows.model == "rao-kupper" else VCOVCL
    quarter = "multiplied by 4 because the weights are halved" if rows.model == "rao-kupper" else ""
    return _answered(question, r_call, [together, *each], values, how, quarter, reference)


def _ask_clubsandwich(question: Question) -> RCounterpart:
    fit, robust = question.fit, question.fit.robust
    assert robust is not None
    rows, names, reference = rows_of(question)
    free = [k for k, is_reference in enumerate(fit.is_reference) if not is_reference]
    functions = linear_map(fit, names, "log-odds", reference)[free]

    kind = {k: k for k in get_args(clubsandwich.Type)}[robust.kind]

    def ask(columns: Sequence[str]) -> SmallSample:
        return clubsandwich.vcovCR(rows, columns, kind, functions, backend=question.backend)

    ways = [ask([c]) for c in robust.columns]
    how = f"vcovCR(lm of whitened rows, cluster = {' and '.join(robust.columns)}, type = \"{robust.kind}\")"
    if len(ways) == 1:
        values = _values(fit, names, reference, ways[0], ways[0].vcov, [])
    else:
        both = ask(robust.columns)
        values = _values(fit, names, reference, ways[0], ways[0].vcov + ways[1].vcov - both.vcov, ways)
        how += ", for each way: V_1 + V_2 - V_12, since R has no two-way version"
        ways.append(both)
    said = ""
    if robust.kind == "CR2":
        df = np.min([w.df for w in ways[: len(robust.columns)]], axis=0)
        said = "df and p by linear_contrast, Satterthwaite"
        said += "; with two ways, the smaller df" if len(ways) > 1 else ""
        for k, d, p in zip(free, df, ways[0].p):
            values[Quantity("df", name=fit.names[k])] = float(d)
            if len(ways) == 1:
                values[Quantity("p", name=fit.names[k])] = float(p)
    return _answered(question, VCOVCR, ways, values, how, said, reference)


def _answered(
    question: Question,
    r_call: str,
    parts: Sequence[Part],
    values: dict[str, float],
    how: str,
    said: str,
    reference: str,
) -> RCounterpart:
    fit = question.fit
    errors = zip(fit.names, fit.standard_errors, fit.is_reference)
    lacking = [name for name, se, ours in errors if np.isnan(se) and not ours]
    own = [Quantity(kind, name=name) for name in lacking for kind in ("se", "df", "p")]
    alone = [q for q in own if q in values]
    dead = {q.name for q in alone}
    pairs = [Quantity("cov", name=f"{j}.{k}") for j, k in combinations(fit.names, 2) if dead & {j, k}]
    alone += [q for q in pairs if q in values]
    worths = [q for q in values if Quantity.parse(q).kind == "worth_se"]
    defined = _defined_worths(fit) if worths else set()
    undefined = [*alone, *(q for q in worths if q not in defined)]
    note = ""
    if undefined:
        first = undefined[0]
        note = (
            f"omitted: {len(undefined)} numbers that a single cluster determines, so they have no clustered standard"
            f" error ({first}: R gives {values[first]:.4g})"
        )
    kept = {q: v for q, v in values.items() if q not in undefined}
    given = list(dict.fromkeys(text for part in parts for text in remarks(part.result)))
    warnings = [w for w in given if "non-integer" not in w]
    answer = answered(
        r_call, parts[0].result, kept, how, said, note, *moved_in_words(fit, reference), *warnings
    )
    recorded = any(part.result.source == "recorded" for part in parts)
    return replace(answer, r_source="recorded" if recorded else "live")


def _defined_worths(fit: Fit) -> set[str]:
    rows = fit.worth().dropna(subset=["se"])
    return {Quantity("worth_se", group, item) for group, item in zip(rows["group"], rows["item"])}


# -- the numbers ---------------------------------------------------------------------------------------------


def _values(
    fit: Fit, names: tuple[str, ...], reference: str, part: Part, v: FloatArray, each: Sequence[Part]
) -> dict[str, float]:
    """Estimates, standard errors, covariances and worths' standard errors on the fit's scale and constraint."""
    if each:
        v = repaired(v, part.model_vcov)
    main = RParameters(names, part.coef, v, "log-odds", reference)
    values = parameter_values(fit, main)
    values.update({q: x for q, x in worth_values(fit, main).items() if Quantity.parse(q).kind == "worth_se"})
    # The larger of two ways and one.
    for way in each:
        alone = replace(main, vcov=way.vcov)
        one = {**parameter_values(fit, alone), **worth_values(fit, alone)}
        shared = [q for q in values if q in one and Quantity.parse(q).kind in BY_CLUSTER]
        values.update({q: max(values[q], one[q]) for q in shared})
    by = linear_map(fit, names, "log-odds", reference)
    free = [k for k, is_reference in enumerate(fit.is_reference) if not is_reference]
    # Of two ways the variances too: the standard errors are another thing.
    places = combinations_with_replacement(free, 2) if each else combinations(free, 2)
    if len(free) * (len(free) + 1) // 2 <= MOST_WORTHS:
        whole, n = by @ v @ by.T, fit.names
        values.update({Quantity("cov", name=f"{n[j]}.{n[k]}"): float(whole[j, k]) for j, k in places})
    return values


def repaired(v: FloatArray, bread: FloatArray) -> FloatArray:
    """A two-way covariance with its negative eigenvalues, in the units of the information, set to 0."""
    root = np.linalg.cholesky(bread)
    inner = np.linalg.solve(root, np.linalg.solve(root, v).T)
    value, vector = np.linalg.eigh((inner + inner.T) / 2.0)
    if value[0] >= -1e-12 * max(value[-1], 0.0):
        return v
    side = root @ (vector * np.sqrt(np.maximum(value, 0.0)))
    return np.asarray(side @ side.T)
