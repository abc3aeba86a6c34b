"""Step 3 of a fit: names, scale and reference of the solver's parameters, and warnings that name their reason.

A warning is a sentence that names the items, the covariate cell and the reason, and says what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

from ....data.comparisons import Comparisons
from ....data.graph import components, groups
from ....errors import FormulaError
from ....fit.estimates.covariance import MappedCovariance, Rescaling
from ....fit.estimates.fit_record import FitWarning, listed, not_zero
from ....fit.estimates.identification import Referred, against, constraint_of, reference_hint
from ....fit.estimates.specification import (
    LOG_WORTH_PER_UNIT,
    ModelSpec,
    Term,
    Value,
    by_suffix,
    of_comparison,
)
from ....numerics.arrays import BoolArray
from ..formula import subject_design as design
from ..formula.subject_design import By
from .build import ItemColumn, Model, missing_covariates
from .cells import Problem, sums
from .solve import Solved


@dataclass(frozen=True, eq=False)
class Named:
    """The named parameters of a fit.
    numbers: estimates, references, covariance and directions without an estimate, in the order of `terms`.
    n_infinite: dimensions along which the likelihood grows without end.  groups: covariate cells for which
    worths are given."""

    terms: tuple[Term, ...]
    numbers: Referred
    constraint: str
    n_infinite: int
    groups: Mapping[str, Mapping[str, Value]]

    @property
    def not_estimable(self) -> tuple[str, ...]:
        """Names of the parameters without an estimate."""
        null = self.numbers.null_space
        if not null.shape[1]:
            return ()
        return tuple(t.name for t, lost in zip(self.terms, not_zero(null)) if lost)


def name(model: Model, found: Solved) -> Named:
    """Name the solver's parameters."""
    items, spec = (() if model.spec.item_terms else model.table.items), model.spec
    rows = () if model.directed is None else model.directed.of
    terms, n_items = _terms(
        items, model.item_columns, model.item_by, model.own, model.order_by, rows, model.tie_by
    )
    numbers = _on_scale(model, found, n_items)
    if model.tie_fixed:
        terms = (*terms, Term("tie", "tie"))
    if spec.reference == "sum" and items:
        numbers = against("sum", terms, items, numbers, model.table)
    constraint = constraint_of(spec, terms, numbers.null_space, model.table)
    n_infinite = _n_infinite(model.problem, found) + int(model.tie_is_infinite)
    cells, patterns = model.problem.cells, model.patterns
    of_groups = design.group_labels(patterns, lambda: sums(cells.pattern, cells.totals, patterns.n))
    return Named(terms, numbers, constraint, n_infinite, of_groups)


def _on_scale(model: Model, found: Solved, n_items: int) -> Referred:
    """The solver's log-odds on the fit's scale, with the tie parameter if the problem did not have it."""
    n, added = len(found.params), int(bool(model.tie_fixed))
    units = np.ones(n)
    units[:n_items] = 1.0 / LOG_WORTH_PER_UNIT[model.spec.scale]
    scaled = Rescaling(units, added)
    reference = np.zeros(n + added, bool)
    if model.problem.x is None:
        reference[model.problem.reference : model.problem.n_item_params : model.problem.n_items] = True
    null_space = scaled.forward(found.null_space)
    if model.tie_is_infinite:
        along = np.zeros((n + 1, 1))
        along[-1] = 1.0
        null_space = np.concatenate([null_space, along], axis=1)
    elif model.tie_fixed:
        reference[-1] = True
    return Referred(
        scaled.forward(found.params), reference, null_space, MappedCovariance(found.covariance, scaled)
    )


def _n_infinite(problem: Problem, found: Solved) -> int:
    """Number of infinite directions: the rank of the model on these data less the estimable dimensions."""
    references = problem.n_terms if problem.x is None else 0
    return found.rank - (problem.n_params - references - int(found.null_space.shape[1]))


@lru_cache(maxsize=64)  # the names are the same for every fit of a bootstrap
def _terms(
    items: tuple[str, ...],
    columns: tuple[ItemColumn, ...],
    item_by: tuple[By, ...],
    own: tuple[tuple[ItemColumn, By], ...],
    order_by: tuple[By, ...],
    rows: tuple[By, ...],
    tie_by: tuple[By, ...],
) -> tuple[tuple[Term, ...], int]:
    """All terms, and the number of terms of items or item covariates."""
    terms: list[Term] = []
    for by in item_by:
        suffix = by_suffix(by)
        terms += [Term(item + suffix, "item", item=item, by=by) for item in items]
        terms += [of_column(column, by) for column in columns]
    terms += [of_column(column, by) for column, by in own]
    n_items = len(terms)
    terms += [Term("order" + by_suffix(by), "order", by=by) for by in order_by]
    terms += [Term(of_comparison(of), "comparison", of=of) for of in rows]
    terms += [Term("tie" + by_suffix(by), "tie", by=by) for by in tie_by]
    if own or rows:
        check_names(terms)
    return tuple(terms), n_items


def of_column(column: ItemColumn, by: By) -> Term:
    """The term of an item covariate, or of one item: a separate one, or that of a selective term."""
    name, covariate, level = column
    if covariate is None:
        return Term(name + by_suffix(by), "covariate", item=level, by=by)
    return Term(name + by_suffix(by), "covariate", covariate=covariate, covariate_level=level, by=by)


def check_names(terms: list[Term]) -> None:
    """FormulaError if two parameters have one name: an item covariate named as an item, or a column as either."""
    seen: set[str] = set()
    for term in terms:
        if term.name in seen:
            raise FormulaError(
                f"two parameters would be named {term.name!r}: an item, an item covariate or a column of the table have"
                " the same name; rename one of them"
            )
        seen.add(term.name)


#: Names in a sentence at most.
MOST = 12


def warnings_of(model: Model, found: Solved, named: Named) -> tuple[FitWarning, ...]:
    """All warnings of a fit, those about the data first."""
    return (
        *ranking_warning(model.data),
        *model.patterns.warnings,
        *(model.directed.warnings if model.directed is not None else ()),
        *about_fractions(model.data, model.spec),
        *about_ties(model.data, model.spec),
        *about_own_abilities(model.data, model.spec),
        *_about_the_tie_parameter(model),
        *_about_estimates(model, found, named),
    )


def ranking_warning(data: Comparisons) -> Iterator[FitWarning]:
    """The warning that pairs taken from rankings were fitted as if they were independent.
    The pairs of a ranking of J items of equal worth leave a score of variance (J^2 - 1)/12 where independent
    ones would have (J - 1)/4, so that standard errors are too small by sqrt((J + 1)/3)."""
    j = data.ranked_together
    if j > 2:
        who = next((name for name in ("judge", "person") if name in data.columns), None)
        by_person = (
            f"fit.clustered({who!r}), or --cluster {who}"
            if who is not None
            else "fit table.to_comparisons(judge=True), then fit.clustered('judge')"
        )
        yield FitWarning(
            "rankings-as-pairs",
            f"pairs of rankings of up to {j} items, fitted as independent: standard errors are too small, by a"
            f" factor of {sqrt((j + 1) / 3):.2f} for {j} items of equal worth, sqrt((J + 1) / 3) for J, and p-values"
            " with them; AIC and likelihood ratios count each ranking several times. For models of whole rankings"
            " read them by table = pairproof.read_respondents(FILE, layout='rankings'), then"
            " pairproof.fit_plackett_luce(table) or pairproof.fit_pattern(table) (pairproof fit-answers FILE --layout"
            f" rankings). To stay with pairs take errors by person: {by_person}",
        )


def _fractions(data: Comparisons) -> BoolArray:
    """bool[n_rows]: counts that are neither whole nor, as ties that count for both sides are, halves."""
    return np.asarray((2.0 * np.stack([data.wins, data.ties, data.losses]) % 1.0 != 0.0).any(axis=0))


def is_quasi(data: Comparisons, spec: ModelSpec) -> bool:
    """Whether what is maximised is no likelihood of counts."""
    return bool((spec.ties == "half" and data.ties.any()) or _fractions(data).any())


def about_fractions(data: Comparisons, spec: ModelSpec) -> Iterator[FitWarning]:
    """That preferences or weights are fitted as if they were counts."""
    n = int(_fractions(data).sum())
    if not n:
        return
    text = (
        f"{n:,} of {data.n_rows:,} rows have fractional counts, as of preferences or weights: the standard errors of the model, z"
        " and p hold for counts, and may be several times too large or too small. fit.clustered() takes them from the spread of"
        " the rows, fit.clustered('judge'), --cluster judge, from that of judges, and pairproof leaderboard does either"
    )
    if data.ties.any() and spec.ties not in ("half", "drop"):
        text += f"; {data.ties.sum():g} preferences of one half are ties, a category of their own, and half wins with ties='half'"
    yield FitWarning("fractional-counts", text)


def about_ties(data: Comparisons, spec: ModelSpec) -> Iterator[FitWarning]:
    """That ties were dropped, or count as half wins."""
    treatment = spec.ties
    ties = float(data.ties.sum())
    if treatment == "drop" and ties:
        yield FitWarning(
            "ties-dropped",
            f"{ties:g} of {data.n_comparisons:g} comparisons are ties and were dropped, as asked"
            " (ties='drop')",
        )
    if treatment == "half" and ties:
        yield FitWarning(
            "ties-as-half-wins",
            f"{ties:g} ties count as half a win each way, as asked (ties='half'): a quasi-likelihood, whose "
            "log-likelihood, AIC and deviance cannot be compared with those of other data",
        )


def about_own_abilities(data: Comparisons, spec: ModelSpec) -> Iterator[FitWarning]:
    """That items without an item covariate have an ability of their own."""
    lacking: dict[tuple[str, ...], list[str]] = {}
    for term, items in missing_covariates(data, spec).items():
        lacking.setdefault(items, []).append(term)
    for items, covariates in lacking.items():
        yield FitWarning(
            "own-ability",
            f"no value of {', '.join(covariates)} for {listed(items, MOST)}: an ability of"
            f" {'its' if len(items) == 1 else 'their'} own in place of all item covariates, as in"
            " BradleyTerry2",
            items,
        )


def _about_the_tie_parameter(model: Model) -> Iterator[FitWarning]:
    if model.tie_fixed == "none observed":
        yield FitWarning(
            "no-ties",
            "tie is not estimable: there is a tie category but no tie was observed, so its estimate is minus"
            " infinity; the items are estimated without it",
            ("tie",),
        )
    if model.tie_fixed == "boundary":
        yield FitWarning(
            "tie-at-boundary",
            "tie is at its boundary 0: no tie was observed; it has no standard error",
            ("tie",),
        )


def _about_estimates(model: Model, found: Solved, named: Named) -> Iterator[FitWarning]:
    """Why parameters have no estimate, apart from the tie parameter when no tie was observed."""
    lost = tuple(n for n in named.not_estimable if not (n == "tie" and model.tie_fixed))
    if not lost:
        return
    without = frozenset(lost)
    of_items = model.spec.reference != "sum" and any(
        t.kind == "item" and t.name in without for t in named.terms
    )
    against = f" against the reference {model.spec.reference}" if of_items else ""
    what = f"{listed(lost, MOST)} not estimable{against}"
    if found.separated and not (model.data.wins.any() or model.data.losses.any()):
        text = f"all comparisons are ties: {what}: tie goes to infinity, and these data hold nothing on the items"
        yield FitWarning("separated", text, lost)
        return
    if found.separated:
        yield FitWarning(
            "separated",
            f"separated data: {what}: the likelihood grows without end as they go to infinity."
            f"{_one_sided(model, named, without)}{_hint(model, named)} What is finite is estimated",
            lost,
        )
        return
    apart, hint = _unconnected(model), _hint(model, named)
    if apart:
        yield FitWarning(
            "not-connected",
            f"not connected: {what}, since no chain of comparisons joins these sets: {'; '.join(apart)}."
            " Differences inside a set are estimated; compare items of different sets, or fit them apart"
            f"{'.' if hint else ''}{hint[:-1]}",
            lost,
        )
    else:
        yield FitWarning(
            "not-identified",
            f"not identified: {what}: in these data their effects cannot be distinguished from one another (for example"
            " an order effect when one item is always named first); leave a term out",
            lost,
        )


def _unconnected(model: Model) -> list[str]:
    """Covariate cells whose items are not all connected, each with its connected sets."""
    out = []
    labels, cells, items = design.pattern_labels(model.patterns), model.problem.cells, model.data.items
    distinct = list(dict.fromkeys(labels))
    place = {label: k for k, label in enumerate(distinct)}
    of = np.array([place[lb] for lb in labels])[cells.pattern]
    for k, label in enumerate(distinct):
        here = of == k
        sets = groups(components(cells.i[here], cells.j[here], len(items)))
        if len(sets) > 1:
            names = " | ".join(listed([items[i] for i in s], 8) for s in sets[:6]) + (
                " | ..." if len(sets) > 6 else ""
            )
            out.append(f"{label}: {names}" if label else names)
    return out[:6] + ([f"and {len(out) - 6} more cells"] if len(out) > 6 else [])


def _one_sided(model: Model, named: Named, lost: frozenset[str]) -> str:
    """Items that won or lost everything, as sentences.
    Where abilities come from item covariates an item may win everything and be bound to a finite ability all
    the same: then only the separate items whose own ability is among what was lost."""
    t, items, of_covariates = model.data, model.data.items, bool(model.spec.item_terms)
    wins, losses, ties = np.zeros((3, len(items)))
    for mine, won, beaten in ((t.first, t.wins, t.losses), (t.second, t.losses, t.wins)):
        np.add.at(wins, mine, won)
        np.add.at(losses, mine, beaten)
        np.add.at(ties, mine, t.ties)
    if model.spec.ties == "drop":
        ties[:] = 0.0
    own = {term.item for term in named.terms if term.name in lost} if of_covariates else set(items)
    up = [n for n, w, l, d in zip(items, wins, losses, ties) if w and not l and not d and n in own]
    down = [n for n, w, l, d in zip(items, wins, losses, ties) if l and not w and not d and n in own]
    text = f" {listed(up, MOST)} won every comparison." if up else ""
    text += f" {listed(down, MOST)} lost every comparison." if down else ""
    # Half wins separate what ties do not, so the table is that with its ties unless they were dropped.
    sets = (model.table if model.spec.ties == "drop" else t).unseparated_sets()
    if not text and len(sets) > 1 and not of_covariates:
        text = f" Sets whose items never lost to the others: {' | '.join(listed(s, 8) for s in sets[:6])}."
    return text


def _hint(model: Model, named: Named) -> str:
    return reference_hint(model.spec, named.terms, named.numbers.null_space, model.data)
