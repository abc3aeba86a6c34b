"""The likelihood-ratio test of two fits, and whether one model is a special case of the other.

A model's log-odds, tie parameter, order effect and comparison terms are linear in its parameters over the
*patterns* of its covariates (distinct combinations of values in the table), so one model lies inside another
if each of its three column spaces does.  Davidson's and Rao and Kupper's tie models share no member but the
one without ties; a tie category with its parameter held at 0 (`ties="none"`) is Davidson's with nu = 1.

Two models of contests are compared where link, offset, reduction of bias and random effects are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...data.columns import Factor, beside
from ...data.comparisons import Comparisons
from ...errors import ComparisonError
from ...numerics.arrays import FloatArray
from ..estimates import array_inference as inference
from ..estimates.fit_record import FitRecord, title
from ..estimates.predictions import item_covariate
from ..estimates.specification import TIES_IN_WORDS, Kind, Multiplied, Term
from ..estimates.tails import chi_square_p
from ..robust.scores import order_of
from .diagnostics import caution

#: Columns are scaled to length 1; what is left of one that the others determine is 1e-15, and of a new one
#: far more.
INSIDE = 1e-9


def nested_likelihood_ratio(fit: FitRecord, other: FitRecord) -> inference.LikelihoodRatio:
    """Likelihood-ratio test of two fits of the same comparisons; see :meth:`pairproof.Fit.compare`."""
    if _digest(fit) != _digest(other):
        raise ComparisonError(
            f"the fits use different comparisons: {title(fit)}, {fit.n_comparisons:.10g}"
            f" comparisons, vs. {title(other)}, {other.n_comparisons:.10g} (for example ties kept in one and dropped or"
            " halved in the other); log-likelihoods of different data cannot be compared"
        )
    if fit.quasi_likelihood or other.quasi_likelihood:
        raise ComparisonError(
            "half wins, fractional weights or pseudo-comparisons give a quasi-likelihood; its ratio is not a test"
        )
    larger, smaller = (fit, other) if fit.rank >= other.rank else (other, fit)
    reason = why_not_nested(smaller, larger)
    if reason:
        raise ComparisonError(f"the models are not nested: {reason}")
    return ratio_of(larger, smaller, _caution(larger, smaller))


def ratio_of(larger: FitRecord, smaller: FitRecord, caution: str = "") -> inference.LikelihoodRatio:
    """The test of a model inside another."""
    df = larger.rank - smaller.rank
    if df == 0:
        raise ComparisonError(
            f"both models fit {larger.rank} parameters to these data; there is nothing to test"
        )
    statistic = 2.0 * (larger.llf - smaller.llf)
    p = chi_square_p(statistic, df)
    return inference.LikelihoodRatio(statistic, df, p, title(larger), title(smaller), caution)


def _caution(larger: FitRecord, smaller: FitRecord) -> str:
    """Why the chi-square of the two models is rough; "" if there is no reason."""
    said = [_separation(larger, smaller)]
    if larger.data.ranked_together > 2:
        said.append("the pairs of a ranking are not independent, so p is too small")
    said.append(caution(larger, "the likelihood ratio") or caution(smaller, "the likelihood ratio"))
    return "; ".join(filter(None, said))


def _separation(larger: FitRecord, smaller: FitRecord) -> str:
    """The infinite estimates of the models; "" if there are none but a tie parameter without ties.

    Where no tie was observed at all and both models have its parameter at minus infinity, the test is that of
    the same models without it; where one holds it at 0, the infinite parameter is what is tested.
    """
    without = int(_lone_tie(larger) and _lone_tie(smaller))
    counts = [
        f"{n} of the {fit.rank} dimensions of {title(fit)}"
        for fit in (larger, smaller)
        if (n := fit.n_infinite - without)
    ]
    if not counts:
        return ""
    return (
        "separated data:"
        f" {' and '.join(counts)} {'are' if len(counts) > 1 or not counts[0].startswith('1 ') else 'is'} infinite,"
        " so the chi-square is approximate and p tends to be too small (the df include infinite parameters,"
        " as in R's anova)"
    )


def _lone_tie(fit: FitRecord) -> bool:
    return "tie" in fit.not_estimable and not fit.data.ties.any()


def _digest(fit: FitRecord) -> str:
    """Of the comparisons as they entered the likelihood; an engine need not work it out for every fit."""
    if fit.data_digest:
        return fit.data_digest
    return fit.data.with_ties_treated(fit.ties).digest()


def why_not_nested(smaller: FitRecord, larger: FitRecord) -> str:
    """Why `smaller` is not a special case of `larger`; "" if it is.

    Scale and constraint do not matter, and neither does the table of the deviance.
    """
    if smaller.outcome_model != larger.outcome_model:
        return (
            f"ties are modelled by {_tie_words(smaller)} in one and by {_tie_words(larger)} in the other,"
            " but neither is a special case of the other"
        )
    if smaller.items != larger.items and sorted(smaller.items) != sorted(larger.items):
        return f"their items differ: {', '.join(smaller.items[:10])} vs. {', '.join(larger.items[:10])}"
    return (
        _abilities(smaller, larger)
        or _one_parameter(smaller, larger, "tie")
        or _in_favour_of_the_first(smaller, larger)
    )


def _tie_words(fit: FitRecord) -> str:
    if fit.outcome_model == "binary":
        return "no tie category"
    authors = {"davidson": "Davidson's model", "rao-kupper": "Rao and Kupper's model"}
    return authors.get(fit.outcome_model) or TIES_IN_WORDS[fit.outcome_model]


def _one_parameter(smaller: FitRecord, larger: FitRecord, kind: Kind) -> str:
    mine, theirs = _of_kind(smaller, kind), _of_kind(larger, kind)
    if not mine:
        return ""
    what = {"tie": "tie parameter", "order": "order effect"}[kind]
    if not theirs:
        return f"{title(smaller)} has a free {what}, {title(larger)} has none"
    absent = _outside(mine, theirs, _pattern_rows(smaller, larger))
    return f"{absent} of {title(smaller)} is not in {title(larger)}" if absent else ""


def _in_favour_of_the_first(smaller: FitRecord, larger: FitRecord) -> str:
    """Why the order effect and the comparison terms of one model are not a special case of the other's."""
    kinds = ("order", "comparison")
    mine, theirs = ([t for t in f.terms if t.kind in kinds] for f in (smaller, larger))
    if not any(t.kind == "comparison" for t in (*mine, *theirs)):
        return _one_parameter(smaller, larger, "order")
    rows = _pattern_rows(smaller, larger, ("order",))
    basis = [_of_the_first(t, rows) for t in theirs]
    for term in mine:
        if not basis or not _spanned(_of_the_first(term, rows), np.stack(basis, axis=1)):
            return f"{term.name} of {title(smaller)} is not in {title(larger)}"
    return ""


def _of_the_first(term: Term, rows: Comparisons) -> FloatArray:
    """float[n_patterns]: what a term in favour of the item named first is multiplied with."""
    value = _multiplier((*term.of, *term.by), rows)
    return value * order_of(rows) if term.kind == "order" else value


def _abilities(smaller: FitRecord, larger: FitRecord) -> str:
    """Why the smaller model's abilities are not a special case of the larger model's; "" if they are.

    A model with free items contains every model with item covariates.  A model with item covariates contains
    no model with free items, and one with other covariates only if its own determine them.
    """
    free, free_larger = _of_kind(smaller, "item"), _of_kind(larger, "item")
    covariates, covariates_larger = _of_kind(smaller, "covariate"), _of_kind(larger, "covariate")
    if covariates_larger and not larger.spec.item_terms:
        absent = _outside_selected(smaller, larger, [*free, *covariates])
    elif not larger.spec.item_terms:
        absent = _outside([*free, *covariates], free_larger, _pattern_rows(smaller, larger))
    elif not smaller.spec.item_terms and free:
        return (
            f"the items are free in {title(smaller)} but restricted to the"
            f" covariate(s) {', '.join(larger.spec.item_terms)} in {title(larger)}"
        )
    else:
        absent = _outside_items(smaller, larger, [*free, *covariates], [*free_larger, *covariates_larger])
    return f"{absent} of {title(smaller)} is not in {title(larger)}" if absent else ""


def _of_kind(fit: FitRecord, kind: Kind) -> list[Term]:
    return [t for t in fit.terms if t.kind == kind]


def _pattern_rows(smaller: FitRecord, larger: FitRecord, further: Sequence[str] | None = None) -> Comparisons:
    """One row of the table for every combination of both models' covariates that was observed; with `further` those
    of the comparison as well, and these columns.
    """
    data = larger.data
    found = {c for f in (smaller, larger) for t in f.terms for c, _ in t.by}
    if further is not None:
        found |= {c for f in (smaller, larger) for t in f.terms for c, _ in t.of}
        found |= set(further) & set(data.columns)
    names = sorted(found)
    if not found <= set(data.columns):
        data = _with_columns_of(data, smaller.data)
    used = np.flatnonzero(data.wins + data.ties + data.losses > 0)
    if not names:
        return data.select(used[:1])
    keys = []
    for name in names:
        column = data.columns[name]
        codes = column.codes if isinstance(column, Factor) else np.unique(column, return_inverse=True)[1]
        keys.append(codes[used])
    _, rows = np.unique(np.stack(keys, axis=1), axis=0, return_index=True)
    return data.select(used[rows])


def _with_columns_of(data: Comparisons, other: Comparisons) -> Comparisons:
    """The table with the other's columns beside its own: those that a formula makes are in the table of its fit."""
    own = ("first", "second", "wins", "ties", "losses")
    if not all(np.array_equal(getattr(data, name), getattr(other, name)) for name in own):
        raise ComparisonError(
            "the two fits have columns made by their formulas, but their tables differ in rows"
            " or their order; fit both to the same table"
        )
    return replace(data, columns=beside(other.columns, data.columns))


def _multiplier(by: Multiplied, patterns: Comparisons) -> FloatArray:
    """float[n_patterns]: the product of covariates that a term is multiplied with."""
    value = np.ones(patterns.n_rows)
    for name, level in by:
        column = patterns.columns[name]
        if isinstance(column, Factor):
            value *= column.codes == column.levels.index(str(level))
        else:  # a numeric column is a slope, or the factor C(column) whose levels are its numbers
            value *= column if level is None else column == float(level)
    return value


def _outside(mine: list[Term], theirs: list[Term], patterns: Comparisons) -> str:
    """Name of the first term of `mine` whose multiplier no combination of `theirs` gives; "" if all are
    given.
    """
    if not theirs:
        return mine[0].name if mine else ""
    seen = dict.fromkeys(t.by for t in theirs)
    basis = np.stack([_multiplier(by, patterns) for by in seen], axis=1)
    for term in mine:
        if term.by not in seen and not _spanned(_multiplier(term.by, patterns), basis):
            return term.name
        seen[term.by] = None
    return ""


def _outside_items(smaller: FitRecord, larger: FitRecord, mine: list[Term], theirs: list[Term]) -> str:
    """As `_outside`, for abilities that are combinations of item covariates and single items."""
    patterns = _pattern_rows(smaller, larger)

    def column(fit: FitRecord, term: Term) -> FloatArray:
        x = item_covariate(fit, term)
        in_order = x[[fit.items.index(name) for name in larger.items]]
        # Abilities are determined up to a constant: only the covariate's deviations from its mean count.
        return np.outer(in_order - in_order.mean(), _multiplier(term.by, patterns)).ravel()

    basis = np.stack([column(larger, t) for t in theirs], axis=1)
    return next((t.name for t in mine if not _spanned(column(smaller, t), basis)), "")


def _outside_selected(smaller: FitRecord, larger: FitRecord, mine: list[Term]) -> str:
    """As `_outside`, where the larger model has free items and selective terms beside them.

    The free items take up, at every item, the column space of their multipliers; what they leave of the other terms
    is compared.
    """
    patterns = _pattern_rows(smaller, larger)
    free = list({t.by: _multiplier(t.by, patterns) for t in _of_kind(larger, "item")}.values())
    q, r = np.linalg.qr(np.stack(free, axis=1))
    q = q[:, np.abs(np.diag(r)) > INSIDE * np.abs(r).max()]

    def parts(fit: FitRecord, term: Term) -> tuple[FloatArray, float]:
        """What is left of a term's column, and the length of the whole."""
        x = item_covariate(fit, term)
        in_order = x[[fit.items.index(name) for name in larger.items]]
        z = _multiplier(term.by, patterns)
        x = in_order - in_order.mean()
        return np.outer(x, z - q @ (q.T @ z)).ravel(), float(np.linalg.norm(x) * np.linalg.norm(z))

    basis = np.stack([parts(larger, t)[0] for t in _of_kind(larger, "covariate")], axis=1)
    seen = {t.by for t in _of_kind(larger, "item")}
    for term in mine:
        if term.by in seen:
            continue
        left, length = parts(smaller, term)
        if float(np.linalg.norm(left)) > INSIDE * length and not _spanned(left, basis):
            return term.name
    return ""


def _spanned(column: FloatArray, basis: FloatArray) -> bool:
    scale = np.linalg.norm(basis, axis=0)
    unit = basis / np.where(scale > 0, scale, 1.0)
    length = float(np.linalg.norm(column))
    coefficients, *_ = np.linalg.lstsq(unit, column, rcond=None)
    return float(np.linalg.norm(column - unit @ coefficients)) <= INSIDE * length


#: What has to be the same in both models, and what it is called.
SAME = dict(link="links", offset="offsets", random="random effects", method="methods", weights="weights")


def likelihood_ratio(fit: FitRecord, other: FitRecord) -> inference.LikelihoodRatio:
    """Likelihood-ratio test of two fits of the same contests.

    fit, `other`: one at least of contests.
    """
    for one in (fit, other):
        one.spec.check_held("a likelihood-ratio test")
        if one.spec.reduction:
            raise ComparisonError(
                f"{title(one)}: its log-likelihood is not the maximum, so its ratio is not a test;"
                " compare maximum-likelihood fits"
            )
        if one.spec.method == "pql":
            raise ComparisonError(
                f"{title(one)}: penalised quasi-likelihood has no log-likelihood; fit with method='laplace'"
            )
    for name, words in SAME.items():
        values = [getattr(one.spec, name) or "" for one in (fit, other)]
        if values[0] != values[1]:
            raise ComparisonError(
                f"the models are not nested: their {words} differ ({_words(values[0])} vs. {_words(values[1])})"
                + ("; fit.p_sigma tests sigma = 0" if name in ("random", "method") else "")
            )
    larger, smaller = (fit, other) if fit.rank >= other.rank else (other, fit)
    for option in ("tie_shift", "tie_scale"):
        if getattr(smaller.spec, option) and not getattr(larger.spec, option):
            raise ComparisonError(f"the models are not nested: only the smaller one has {option}")
    return nested_likelihood_ratio(fit, other)


def _words(value: object) -> str:
    if isinstance(value, tuple):
        return " and ".join(map(str, value)) or "none"
    return str(value) or "none"
