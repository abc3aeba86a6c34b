"""What a model says about whole answers: tests, standard errors by cluster, tables and texts.

Both chi-square tests compare with free probabilities of every possible answer.  With J items there are J!
rankings or 3 to the power J(J-1)/2 answers to comparisons, and with fewer persons than that neither has a
chi-square distribution (Koehler and Larntz 1980, JASA 75, 336-344).

Likelihood ratios: one model lies inside another if every vector of natural parameters that it can take, over
all groups of persons, the other can take too; both are linear in their free parameters, so that column spaces
decide.

Standard errors hold where persons of a cluster go together, or the model is wrong, by the formulas of
:mod:`pairproof.fit.robust.sandwich`; a unit is a distinct answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from ...data.options import one_of
from ...data.respondents.codes import ABSENT, as_comparisons
from ...data.respondents.respondents import Respondents
from ...data.wide import prefmod_pair_order
from ...errors import ComparisonError, InputError, TooLargeError
from ...numerics.arrays import FloatArray, IntArray
from ...text import count_words, fixed, label
from ..estimates import array_inference as inference
from ..estimates.covariance import DenseCovariance
from ..estimates.fit_record import CellTable, FitRecord, title
from ..estimates.identification import R
from ..estimates.parts import OF_ITEM, AnswerNumbers, PossibleAnswers
from ..estimates.predictions import (
    ability_functions,
    limits,
    ordered_pairs,
    outcome_functions,
    worth_functions,
)
from ..estimates.specification import Value
from ..estimates.tails import chi_square_p, student_quantile
from ..inference.likelihood_ratio import ratio_of
from ..inference.wald import check_level
from ..robust.clustered_fit import KINDS, Kind, Missing, coded
from ..robust.sandwich import DenseClusters, sandwich
from ..shown.fit_text import header, laid_out, wrapped


def clustered_answers(fit: R, columns: Sequence[str], kind: Kind, missing: Missing) -> R:
    """The fit with standard errors by cluster, without columns by person; see :meth:`pairproof.Fit.clustered`."""
    _check_errors(fit)
    if fit.robust is not None:
        raise InputError(f"standard errors are already clustered: {fit.robust.title}")
    robust = _clusters_of(fit, fit.numbers, columns, kind, missing)
    if fit.classes is None:
        return replace(fit, robust=robust)
    shares = replace(fit.numbers.likelihood, outward=fit.classes.outward)
    of_shares = _clusters_of(fit, replace(fit.numbers, likelihood=shares), columns, kind, missing)
    covariance = of_shares.covariance.between(np.eye(len(fit.classes.shares)))
    return replace(fit, robust=robust, classes=replace(fit.classes, covariance=covariance))


def _check_errors(fit: FitRecord) -> None:
    """Refuse classes whose information is singular."""
    if fit.classes is not None and np.isnan(fit.classes.covariance).any():
        raise InputError(
            f"no standard errors: {fit.warnings[-1] if fit.warnings else 'the information is singular'}"
        )


def _clusters_of(
    fit: FitRecord, numbers: AnswerNumbers, given: Sequence[str], kind: Kind, missing: Missing
) -> DenseClusters:
    table = fit.respondents
    columns = tuple(map(table.role_of, given))
    one_of("kind", kind, KINDS)
    one_of("missing", missing, ("refuse", "own"))
    groups, times, labels = groups_of(table, numbers, columns, missing)
    return sandwich(numbers.likelihood, groups, times, (columns, labels), kind, fit.covariance)


#: What can be averaged over classes.
OVER_CLASSES = ("worth", "contrasts", "probabilities")


def over_classes(fit: FitRecord, what: str, group: str | None, level: float) -> pd.DataFrame:
    """Worths, differences or probabilities, each class weighted by its share; see :meth:`pairproof.Fit.over_classes`."""
    check_level(level)
    one_of("what", what, OVER_CLASSES)
    classes, law = fit.of_classes, fit.numbers.likelihood
    _check_errors(fit)
    last = ["class=1"] if len(classes.shares) > 1 else list(fit.groups)
    known = [name.removesuffix(last[0]).removesuffix(",") for name in fit.groups if name.endswith(last[0])]
    if group is None and len(known) > 1:
        raise InputError(f"the model has {len(known)} groups in each class; name one of {', '.join(known)}")
    if group is not None and group not in known:
        there = ", ".join(filter(None, known)) or "none but the classes"
        raise InputError(f"no group {group!r}; the groups are {there}")
    label = group or ""
    each = [",".join(filter(None, (label, name))) for name in classes.labels]
    found = [_of_class(fit, what, fit.groups[name] if name in fit.groups else {}) for name in each]
    names, values = found[0][0], np.array([value for _, value, _ in found])
    n, k = len(fit.terms), len(classes.shares)
    functions = np.zeros((len(names), n + k))
    functions[:, :n] = np.einsum("k,kmp->mp", classes.shares, np.array([slope for _, _, slope in found]))
    functions[:, n:] = values.T
    outward = np.vstack([law.outward, classes.outward])
    estimate, df = classes.shares @ values, np.full(len(names), np.inf)
    if fit.robust is None:
        inward = functions @ outward
        se = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", inward, law.covariance, inward), 0.0))
    else:
        numbers = replace(fit.numbers, likelihood=replace(law, outward=outward))
        kind: Any = fit.robust.kind
        robust = _clusters_of(fit, numbers, fit.robust.columns, kind, "own")
        robust = replace(robust, model_based=DenseCovariance(outward @ law.covariance @ outward.T))
        se, df = robust.standard_errors(functions), robust.degrees_of_freedom(functions)
    if what == "contrasts":
        half = student_quantile(0.5 + level / 2.0, df) * se
        low, high = estimate - half, estimate + half
    else:
        low, high = limits(estimate, se, df, level)
    frame = pd.DataFrame(names, columns=["item"] if what == "worth" else ["first", "second"])
    return frame.assign(estimate=estimate, se=se, low=low, high=high)


def _of_class(
    fit: FitRecord, what: str, where: Mapping[str, Value]
) -> tuple[list[tuple[str, ...]], FloatArray, FloatArray]:
    """Names, values float[m] and derivatives float[m, n_params] of what is asked for in one class."""
    abilities, items = ability_functions(fit, where), fit.items
    if what == "worth":
        return [(item,) for item in items], *worth_functions(fit, abilities)
    i, j = np.triu_indices(len(items), 1)
    if what == "contrasts":
        functions = abilities[i] - abilities[j]
        return [(items[a], items[b]) for a, b in zip(i, j)], functions @ fit.beta, functions
    a, b = ordered_pairs(len(items))
    p, functions = outcome_functions(fit, where, a, b)
    return [(items[s], items[t]) for s, t in zip(a, b)], p[0], functions[0]


def groups_of(
    table: Respondents, numbers: AnswerNumbers, columns: tuple[str, ...], missing: Missing
) -> tuple[sparse.csr_matrix, FloatArray, tuple[str, ...]]:
    """Persons with each distinct answer in each kind of cluster, float[K, n]; clusters of each kind; their labels.

    Without columns every person is a cluster, and persons with one answer are of one kind.
    """
    if len(columns) > 1:
        raise InputError(
            f"{len(columns)} columns ({', '.join(columns)}); whole answers are clustered by one column, or by person"
        )
    here = np.flatnonzero((numbers.row >= 0) & (table.weights > 0))
    weights, n = table.weights[here], len(numbers.observed)
    if not columns:
        if (weights != np.round(weights)).any():
            raise InputError(
                "weights that are not whole numbers of persons cannot be clusters of one person each"
            )
        return sparse.identity(n, format="csr"), numbers.observed, ()
    codes, names = _codes(table, columns[0], missing)
    present, code = np.unique(codes[here], return_inverse=True)
    shape = (len(present), n)
    groups = sparse.csr_matrix((weights, (np.ravel(code), numbers.row[here])), shape=shape)
    return groups, np.ones(len(present)), tuple(names[k] for k in present)


def _codes(table: Respondents, name: str, missing: str) -> tuple[IntArray, list[str]]:
    """int[n_rows]: the cluster of each row, and what the clusters are called."""
    if name not in table.columns:
        raise InputError(
            f"{table.source}: no column {name!r}; found {', '.join(table.columns) or 'no further columns'}"
        )
    codes, names, lacking = coded(table.columns[name])
    if lacking.any() and missing == "refuse":
        row = int(np.flatnonzero(lacking)[0]) + 1
        raise InputError(
            f"{table.source}, row {row}: no value in column {name!r} ({int(lacking.sum())} such row(s));"
            " missing='own' makes each its own cluster"
        )
    own = np.arange(len(codes)) + len(names)
    return np.where(lacking, own, codes), names + [f"(row {k + 1})" for k in range(len(codes))]


def likelihood_ratio(fit: FitRecord, other: FitRecord) -> inference.LikelihoodRatio:
    """Likelihood-ratio test of two fits of the same answers; see :meth:`pairproof.Fit.compare`."""
    if fit.classes is not None and len(fit.classes.shares) > 1:
        raise ComparisonError(
            f"{title(fit)}: a likelihood ratio has no chi-square distribution with latent classes; fit.test_classes()"
            " tests their number by a bootstrap, and AIC and BIC compare any two fits of the same answers"
        )
    if other.answers is None:
        raise ComparisonError(
            f"{title(other)} is a model of comparisons, but {title(fit)} models whole answers: their"
            " log-likelihoods concern different data"
        )
    _refuse_no_likelihood(fit)
    _refuse_no_likelihood(other)
    if fit.data_digest != other.data_digest:
        raise ComparisonError(
            f"the fits use different answers: {title(fit)}, {fit.numbers.n_persons:.10g} persons, vs."
            f" {title(other)}, {other.numbers.n_persons:.10g}"
        )
    smaller, larger = (other, fit) if fit.rank >= other.rank else (fit, other)
    if _kind(smaller) != _kind(larger) or not nested(smaller.numbers, larger.numbers):
        gaps = _kind(smaller) != _kind(larger) and smaller.model == larger.model
        only = " only of models that both model the gaps, or neither" if gaps else ""
        raise ComparisonError(
            f"the models are not nested: {title(smaller)} is not a special case of {title(larger)}; compare AIC{only}"
        )
    return ratio_of(larger, smaller)


def _refuse_no_likelihood(fit: FitRecord) -> None:
    classes = fit.of_answers.classes > 1
    if classes or fit.quasi_likelihood:
        why = "because its estimate does not maximise the likelihood"
        if classes:
            why = "with latent classes; fit.test_classes() tests their number by a bootstrap"
        raise ComparisonError(f"{title(fit)}: a likelihood ratio has no chi-square distribution, {why}")


def _kind(fit: FitRecord) -> tuple[object, ...]:
    """What two models must share for their likelihoods to be of the same event."""
    spec = fit.of_answers
    return spec.family, bool(spec.alpha), fit.outcome_model


def nested(smaller: AnswerNumbers, larger: AnswerNumbers, tolerance: float = 1e-9) -> bool:
    """Whether every natural parameter that one model can take the other can take too.

    smaller, larger: of the same rows.  tolerance: what is left of a column of length 1 that the others
    determine; rounding leaves 1e-15.
    """
    names = list(dict.fromkeys([*larger.statistics, *smaller.statistics]))
    here = (smaller.row >= 0) & (larger.row >= 0)
    groups = np.stack([smaller.group[smaller.row[here]], larger.group[larger.row[here]]], axis=1)
    pairs = np.unique(groups, axis=0)
    mine = np.concatenate([_under(names, smaller, int(s)) for s, _ in pairs])
    theirs = np.concatenate([_under(names, larger, int(t)) for _, t in pairs])
    length = np.linalg.norm(theirs, axis=0)
    unit = theirs / np.where(length > 0, length, 1.0)
    found, *_ = np.linalg.lstsq(unit, mine, rcond=None)
    left = np.linalg.norm(mine - unit @ found, axis=0)
    return bool((left <= tolerance * np.maximum(np.linalg.norm(mine, axis=0), 1e-300)).all())


def _under(names: Sequence[str], numbers: AnswerNumbers, group: int) -> FloatArray:
    """The map of a group with a row for each of the names; 0 for what the model does not have."""
    out = np.zeros((len(names), numbers.maps[group].shape[1]))
    place = {name: k for k, name in enumerate(names)}
    out[[place[name] for name in numbers.statistics]] = numbers.maps[group]
    # Where natural parameters are those of items, their level says nothing.
    items = np.array([name.startswith(OF_ITEM) for name in names])
    if items.any():
        out[items] -= out[items].mean(axis=0)
    return out


#: Mean expected count below which no p-value is given, and below which it is called rough (Cochran 1954,
#: Biometrics 10, 417-451, has 1 and 5 for single cells).
TOO_FEW, FEW = 1.0, 5.0


def goodness(fit: FitRecord) -> inference.GoodnessOfFit:
    """Deviance and Pearson's X^2 against free probabilities of all answers; nan p-values, and why in `caution`."""
    numbers, deviance, df = fit.numbers, fit.deviance, fit.df_resid
    answers = numbers.possible.sum()
    mean = float(Fraction(numbers.n_persons) / Fraction(answers))
    told = f"{numbers.n_persons:.10g} persons, {count_words(answers)} possible answers"
    if df <= 0:
        why = "the model is saturated (0 df), so there is nothing to test"
    elif not numbers.adds_up:
        why = (
            "partial rankings with ties: a tie changes how many items are ranked,"
            " so the other possible answers are unknown"
        )
    elif fit.quasi_likelihood:
        why = "pseudo-comparisons or a prior move the estimate away from the maximum"
    elif mean < TOO_FEW:
        why = f"{told}: too few for a chi-square"
    else:
        rough = f"{told}: the chi-square is approximate below {FEW:g} persons per answer"
        p, p_pearson = chi_square_p(deviance, df), chi_square_p(numbers.pearson, df)
        caution = rough if mean < FEW else ""
        return inference.GoodnessOfFit(deviance, numbers.pearson, df, p, p_pearson, caution)
    return inference.GoodnessOfFit(deviance, numbers.pearson, df, np.nan, np.nan, f"no p-value: {why}")


#: Possible answers that are written out at most.
MOST_POSSIBLE = 400_000


@dataclass(frozen=True, eq=False)
class PairCells:
    """The table of :func:`pair_cells`, made when it is called."""

    table: Respondents
    numbers: AnswerNumbers

    def __call__(self) -> CellTable:
        return pair_cells(self.table, self.numbers)


def seen(table: Respondents, numbers: AnswerNumbers) -> pd.DataFrame:
    """group, answer, observed, expected, residual of every distinct answer, the most frequent first."""
    first = np.full(len(numbers.observed), -1, np.int64)
    rows = np.flatnonzero(numbers.row >= 0)[::-1]
    first[numbers.row[rows]] = rows
    order = np.lexsort((np.arange(len(first)), -numbers.observed, numbers.group))
    # Ratings that order the items alike are one answer.
    rated = table.kind == "ratings"
    codes = np.where(table.presented, table.ranks, ABSENT) if rated else table.answers
    with np.errstate(divide="ignore"):  # of forty items an answer's probability is no positive double
        residual = (numbers.observed - numbers.expected) / np.sqrt(numbers.expected)
    return pd.DataFrame(
        {
            "group": [numbers.labels[numbers.group[k]] for k in order],
            "answer": [table.answer_text(codes[first[k]], rated) for k in order],
            "observed": numbers.observed[order],
            "expected": numbers.expected[order],
            "residual": residual[order],
        }
    )


def possible(table: Respondents, numbers: AnswerNumbers, group: int, most: int) -> pd.DataFrame:
    """answer, probability of the most probable complete answers in a group, the most probable first."""
    found = enumerated(numbers)
    p = found.probabilities(group)
    order = np.argsort(-p, kind="stable")[:most]
    codes = found.answers()[order]
    return pd.DataFrame({"answer": [table.answer_text(c, True) for c in codes], "probability": p[order]})


def enumerated(numbers: AnswerNumbers) -> PossibleAnswers:
    """The possible answers, if they are few enough."""
    found = numbers.predicted
    if found is None:
        raise InputError("the possible answers of this model are not listed")
    if found.count() > MOST_POSSIBLE:
        raise TooLargeError(
            f"there are {count_words(found.count())} possible answers; at most {MOST_POSSIBLE:,} are listed."
            " fit.patterns() gives those that were observed"
        )
    return found


def pair_cells(table: Respondents, numbers: AnswerNumbers) -> CellTable:
    """Every pair of items in every group and time: how complete answers compare it, and the model's margins."""
    found = enumerated(numbers)
    codes = found.answers()
    own = as_comparisons("comparisons" if table.kind == "comparisons" else "rankings", codes)
    complete = (table.pair_answers != 9).all(axis=(1, 2)) & (numbers.row >= 0)
    group = np.where(numbers.row >= 0, numbers.group[numbers.row], -1)
    pairs = prefmod_pair_order(len(table.items))
    observed: list[FloatArray] = []
    fitted: list[FloatArray] = []
    labels: list[str] = []
    for g, name in enumerate(numbers.labels):
        rows = complete & (group == g)
        n = float(table.weights[rows].sum())
        if not n:
            continue
        p = found.probabilities(g)
        for t, time in enumerate(table.times):
            y, w = table.pair_answers[rows, t], table.weights[rows]
            observed.append(np.stack([w @ (y == v) for v in (1, 0, -1)], axis=1))
            fitted.append(n * np.stack([p @ (own[:, t] == v) for v in (1, 0, -1)], axis=1))
            labels += [",".join(filter(None, [name, f"time={time}" if time else ""]))] * len(pairs)
    i, j = np.array(pairs).T
    times, nothing = len(labels) // len(pairs), np.zeros((0, 3))
    y, m = (np.concatenate([nothing, *parts]) for parts in (observed, fitted))
    return CellTable(np.tile(i, times), np.tile(j, times), tuple(labels), y, m)


def summary(fit: FitRecord, rows: int) -> str:
    """The fit as text, at most 100 columns wide; see :meth:`pairproof.Fit.summary`."""
    hidden = len(fit.terms) - rows
    note = f"... {hidden:,} of {len(fit.terms):,} parameters are not shown; see fit.to_frame()"
    said = [] if fit.robust is None else [f"Caution: {caution}." for caution in fit.robust.cautions]
    return laid_out(fit, rows, _header(fit), note if hidden > 0 else "", _classes_shown(fit), said)


def _classes_shown(fit: FitRecord) -> list[str]:
    """Shares and local maxima, as lines."""
    if fit.classes is None or len(fit.classes.shares) == 1:
        return []
    lines = [f"{'Classes':<13}{'share':>9}{'se':>9}{'2.5 %':>9}{'97.5 %':>9}{'persons':>10}"]
    for row in fit.classes.table(0.95, fit.numbers.observed).itertuples(index=False):
        numbers = "".join(f"{x:>9.4f}" if np.isfinite(x) else f"{'-':>9}" for x in row[1:5])
        lines.append(f"{label(row[0]):<13}{numbers}{row[5]:>10.1f}")
    return [*lines, fit.classes.optima_in_words]


def _header(fit: FitRecord) -> Iterator[str]:
    spec, table, numbers = fit.of_answers, fit.respondents, fit.numbers
    figures = [
        ("Log-likelihood", fixed(fit.llf)),
        ("Deviance", f"{fixed(fit.deviance)} on {count_words(fit.df_resid)} df"),
        ("Null deviance", f"{fixed(fit.null_deviance)} on {count_words(fit.df_null)} df"),
        ("AIC", fixed(fit.aic)),
        ("BIC", fixed(fit.bic)),
        ("Estimable parameters", f"{fit.rank}"),
    ]
    words = [
        ("Items", f"{len(fit.items)}"),
        ("Answers", f"{spec.asked}{f' at {len(spec.times)} times' if len(spec.times) > 1 else ''}"),
        ("Persons", _persons(table, numbers)),
        ("Different", f"{len(numbers.observed):,} of {count_words(numbers.possible.sum())} possible answers"),
        ("Constraint", fit.constraint),
    ]
    stop = fit.stopping
    told = f"{stop.rule}: reached in {stop.steps} steps (at {stop.value:.2g})"
    yield from header(fit, words, figures, told, _blocks(numbers), goodness(fit))
    if table.item_data and spec.item_terms:
        yield from wrapped(f"{'Abilities':<13}sums of {', '.join(spec.item_terms)}", 13)


def document(fit: FitRecord) -> dict[str, Any]:
    """The keys of the JSON of a fit that only models of whole answers have."""
    if fit.answers is None:
        return {}
    spec, numbers = fit.of_answers, fit.numbers
    found: dict[str, Any] = {"answers": spec.asked, "times": [t for t in spec.times if t]}
    found |= {"n_persons": numbers.n_persons, "n_patterns": len(numbers.observed)}
    found |= {"n_possible": numbers.n_possible, "goodness_of_fit": asdict(goodness(fit))}
    if fit.classes is None:
        return found
    shares = {"shares": fit.classes.shares.tolist(), "share_errors": fit.classes.errors.tolist()}
    search = {name: getattr(fit.classes, name) for name in ("optima", "starts", "seed", "collapsed")}
    return {**found, "classes": {**shares, **search, "random": spec.random}}


def _persons(table: Respondents, numbers: AnswerNumbers) -> str:
    silent = table.n_persons - numbers.n_persons
    left = f" ({silent:.10g} more without information)" if silent > 0 else ""
    return f"{numbers.n_persons:.10g}{left}"


def _blocks(numbers: AnswerNumbers) -> str:
    n = len(numbers.possible)
    return (
        f"free probabilities of all answers in {n:,} block{'s' if n > 1 else ''} (group x what was answered)"
    )
