"""The model of ours that a design is, term by term, proved by a linear map between the coefficients.

Each coefficient of R adds something to the log-odds of a contest and to the log-probability of a tie
(:class:`~.design_contests.Contests`).  From what it adds follows what it is: an item, an item times a
covariate, the order effect, a covariate of the contest, a tie parameter.  z = what a column adds to the
log-odds / what the item's own column adds is a covariate of the contest where the item takes part, and 0 / 0
elsewhere, where it is not told.

The model put together of these has a design of its own; it is the same model if and only if both designs span
the same space, and then R's coefficients b are ours by

    theta = M b,      cov(theta) = M V M',      own design x M = R's design.

So a column that was taken for another thing costs a name, never a number.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..translate.recorded_answers import Floats, Ints, StaysInR, stays_if
from .design_contests import EXACT, Contests, Named, Product, Variable, explained, product_of, times

#: Covariates, and what they are multiplied with: "" all items, one item, an item covariate, "tie".
Term = tuple[str, Product]

#: Largest difference of the two designs, of entries of size 1, that rounding leaves in least squares.
SAME_SPACE = 1e-8


@dataclass
class Found:
    """What the columns of a design were found to be.

    of_all: items times a covariate, nan where it is not told.  terms: item covariates.  ties: tie parameters
    times a covariate.  tie: whether there is one of all contests.  order: R's name of the order effect; "" if
    there is none.  whole: factors of which all indicators are among the columns.
    """

    of_all: dict[str, dict[int, Floats]] = field(default_factory=dict)
    terms: dict[str, Floats] = field(default_factory=dict)
    of_terms: dict[str, dict[str, Floats]] = field(default_factory=dict)
    ties: dict[str, Floats] = field(default_factory=dict)
    tie: bool = False
    order: str = ""
    comparison: dict[str, Floats] = field(default_factory=dict)
    whole: tuple[Variable, ...] = ()


def signs_of(first: Ints, second: Ints, n_items: int) -> Floats:
    """float[n, n_items]: 1 for the first, -1 for the second."""
    rows = np.arange(len(first))
    signs = np.zeros((len(first), n_items))
    np.add.at(signs, (rows, first), 1.0)
    np.add.at(signs, (rows, second), -1.0)
    return signs


def within(span: Floats, columns: Floats) -> bool:
    """Whether columns are combinations of those of a span."""
    if not span.shape[1]:
        return False
    by, *_ = np.linalg.lstsq(span, columns, rcond=None)
    return bool(np.abs(span @ by - columns).max(initial=0.0) < SAME_SPACE)


@dataclass(frozen=True, eq=False)
class Coefficients:
    """R's coefficients, and what each adds to the contests.

    names: R's.  items: ours; labels: as R's names have them.  reference: the item at 0.  unit, size: of our and R's
    item parameters in log-odds.  variables: covariates that may stand in them; covariates: of items, as the data say.
    """

    contests: Contests
    names: Sequence[str]
    items: Sequence[str]
    labels: Sequence[str]
    reference: str
    unit: float
    size: float
    variables: Sequence[Variable]
    covariates: Mapping[str, Floats]

    def read(self, signs: Floats, has_items: bool) -> Found:
        """What they are; signs float[n, n_items]; has_items: whether items have free abilities."""
        found, contests, later = Found(), self.contests, list[Named]()
        by, *_ = np.linalg.lstsq(signs[:, :-1], contests.logit, rcond=None)
        of_items = np.abs(signs[:, :-1] @ by - contests.logit).max(axis=0, initial=0.0) < SAME_SPACE
        for k, name in enumerate(self.names):
            logit, tie = contests.logit[:, k], contests.tie[:, k]
            if np.abs(tie).max(initial=0.0) > EXACT and np.abs(logit).max(initial=0.0) < EXACT:
                if np.ptp(tie) < EXACT:
                    found.tie = True
                else:
                    found.ties[name] = tie
            elif of_items[k]:
                if not has_items:
                    found.terms[name] = _item_values(signs, logit / self.size, self.covariates.get(name))
            elif not found.order and _of_one_size(np.abs(logit) if contests.rows.shape[1] > 1 else logit):
                found.order = name
            else:
                later.append((name, logit))
        for name, logit in later:
            self._read_covariate(found, name, signs, logit)
        return found

    def _read_covariate(self, found: Found, name: str, signs: Floats, logit: Floats) -> None:
        """A column that is a term times a covariate of the contest, or a covariate of the contest itself."""
        column = logit / self.size
        for term, values in found.terms.items():
            z = _ratio(signs @ values, column)
            if z is not None:
                found.of_terms.setdefault(term, {})[rest_of(name.split(":"), term)] = z
                return
        if found.terms or not times_item(found, name, self.labels, signs, column):
            found.comparison[name] = logit


def _of_one_size(size: Floats) -> bool:
    """Whether a column is the order effect: the same in all rows, but for which item is the first."""
    return bool(size.min() > EXACT and np.ptp(size) < EXACT)


def _item_values(signs: Floats, logit: Floats, known: Floats | None) -> Floats:
    """Values of an item covariate: those that the data say where they fit, else with the last item's 0."""
    column = np.zeros(1) if known is None else signs @ known
    if known is not None and np.abs(column).max(initial=0.0) > EXACT:
        by = float(logit @ column / (column @ column))
        if np.abs(column * by - logit).max() < SAME_SPACE:
            return np.asarray(known, dtype=float)
    return np.round(np.append(np.linalg.lstsq(signs[:, :-1], logit, rcond=None)[0], 0.0), 12)


def times_item(
    found: Found, name: str, labels: Sequence[str], x: Floats, column: Floats, exact: float = EXACT
) -> bool:
    """Whether a column is an item's times a covariate, which is put into `found`."""
    parts = name.split(":")
    # First the item that R's name says, for a column may be 0 but in rows of one pair.
    for k in sorted(range(len(labels)), key=lambda k: labels[k] not in parts):
        z = _ratio(x[:, k], column, exact)
        if z is not None:
            found.of_all.setdefault(rest_of(parts, labels[k]), {})[k] = z
            return True
    return False


def rest_of(parts: Sequence[str], term: str) -> str:
    return ":".join(p for p in parts if p != term) or ":".join(parts)


def _ratio(column: Floats, logit: Floats, exact: float = EXACT) -> Floats | None:
    """logit / column, nan where column is 0; None if logit is not 0 there."""
    told = np.abs(column) > exact
    if np.abs(logit[~told]).max(initial=0.0) > exact or not told.any():
        return None
    z = np.full(len(column), np.nan)
    z[told] = logit[told] / column[told]
    return z


def of_whole_factors(found: Found, variables: Sequence[Variable]) -> Found | None:
    """The columns with factors in place of indicators, of which R left out some for single items; or None."""
    whole: dict[str, Variable] = {}
    left: dict[str, dict[int, Floats]] = {}
    for name, of in found.of_all.items():
        for k, z in of.items():
            factor = next((v for v in variables if v.levels and _is_indicator(v, z)), None)
            if factor is None:
                left.setdefault(name, {})[k] = z
            else:
                whole[factor.name] = factor
    return replace(found, of_all=left, whole=tuple(whole.values())) if whole else None


def _is_indicator(factor: Variable, z: Floats) -> bool:
    told = ~np.isnan(z)
    own = np.array(factor.values, dtype=object)
    return any(np.abs(z[told] - (own[told] == level)).max(initial=0.0) < EXACT for level in factor.levels)


def by_items(found: Found, items: Sequence[str]) -> tuple[dict[str, Floats], dict[int, dict[str, Floats]]]:
    """Covariates of all items, and of single ones: of J items J - 1 are all, for their columns' sum is 0."""
    common: dict[str, Floats] = {}
    single: dict[int, dict[str, Floats]] = {}
    for name, of in found.of_all.items():
        stacked = np.stack(list(of.values()))
        high, low = np.fmax.reduce(stacked, initial=-np.inf), np.fmin.reduce(stacked, initial=np.inf)
        told = np.isfinite(high)
        same = bool((np.abs(high[told] - low[told]) < EXACT).all())
        if same and len(of) >= len(items) - 1:
            common[name] = np.where(told, high, np.nan)
            continue
        for k, z in of.items():
            label, own = (name, np.where(told, high, np.nan)) if same else (f"{name} of {items[k]}", z)
            single.setdefault(k, {})[label] = own
    return common, single


@dataclass(frozen=True, eq=False)
class Model:
    """A model of paired comparisons that a design is.

    contests: turned where the order effect asks for it.  items: the reference among them.  reference: ""
    where abilities come from item covariates.  ties: "": there is no row for a tie.  products: covariates that
    terms are multiplied with.  comparison: covariates of the contest, in favour of the first.  names: our parameters.  map float[n_names,
    p]: M, from R's coefficients to ours.
    """

    contests: Contests
    items: tuple[str, ...]
    reference: str
    order_effect: bool
    ties: str
    products: tuple[Term, ...]
    item_terms: Mapping[str, Floats]
    comparison: Mapping[str, Floats]
    names: tuple[str, ...]
    map: Floats
    order: Floats | None = None

    @property
    def variables(self) -> dict[str, Variable]:
        """Covariates that the table needs, by name."""
        return {v.name: v for _, p in self.products for v in p.variables}


def model_of(given: Coefficients) -> Model:
    """The model of ours that R's coefficients are."""
    contests = given.contests
    signs = signs_of(contests.first, contests.second, len(given.items))
    has_items = within(contests.logit, signs[:, :-1])  # free abilities of all items
    found, turned = given.read(signs, has_items), contests
    stays_if(not has_items and not found.terms, "it has no abilities of items")
    if found.order:
        turned = contests.turned(contests.logit[:, list(given.names).index(found.order)] < 0)
        # What is in favour of the first has the other sign where the two were exchanged.
        turn = turned.first != contests.first
        found.comparison = {n: np.where(turn, -v, v) for n, v in found.comparison.items()}
    given = replace(given, contests=turned, reference=given.reference if has_items else "")
    if (whole := of_whole_factors(found, given.variables)) is not None:
        with contextlib.suppress(StaysInR):
            return _put_together(given, whole)
    return _put_together(given, found)


def _put_together(given: Coefficients, found: Found) -> Model:
    contests, items, reference, variables = given.contests, given.items, given.reference, given.variables
    signs = signs_of(contests.first, contests.second, len(items))
    products, own = assembled(signs, items, reference, given.unit, found, variables)
    of_ties = explained({rest_of(n.split(":"), ""): z for n, z in found.ties.items()}, variables)
    if found.order:
        own.append(("order", np.ones(len(contests))))
    own += found.comparison.items()
    with_tie = contests.ties is not None and (found.tie or bool(found.ties))
    tie = ("tie", np.ones(len(contests)))
    of_tie = [tie, *times([tie], of_ties)] if with_tie else []
    products += [("tie", p) for p in of_ties if with_tie]
    names = tuple(name for name, _ in (*own, *of_tie))
    twice = next((n for n in names if names.count(n) > 1), "")
    stays_if(twice, f"two of its terms would have the same name: {twice}")
    none, ties = np.zeros(len(contests)), "" if contests.ties is None else "davidson" if with_tie else "none"
    columns = [np.concatenate([logit, none]) for _, logit in own]
    columns += [np.concatenate([none, column]) for _, column in of_tie]
    to = map_of(np.column_stack(columns), np.concatenate([contests.logit, contests.tie]))
    terms = (tuple(products), dict(found.terms), dict(found.comparison))
    return Model(contests, tuple(items), reference, bool(found.order), ties, *terms, names, to)


def assembled(
    x: Floats, items: Sequence[str], reference: str, unit: float, found: Found, variables: Sequence[Variable]
) -> tuple[list[Term], list[Named]]:
    """The terms of items in a design, and their columns; x float[n, n_items]: what a unit of each item adds to a row."""
    common, single = by_items(found, items)
    wanted = {"": common} | {items[k]: of for k, of in single.items()} | found.of_terms
    products: list[Term] = [("", product_of([v])) for v in found.whole]
    products += [(head, p) for head, of in wanted.items() for p in explained(of, variables)]
    of_item = {item: unit * x[:, k] for k, item in enumerate(items)}
    of_term = {term: unit * (x @ values) for term, values in found.terms.items()}
    free = [(item, of_item[item]) for item in items if reference and item != reference]
    heads = {"": free} | {head: [(head, column)] for head, column in (of_item | of_term).items()}
    return products, [*free, *of_term.items(), *(c for head, p in products for c in times(heads[head], [p]))]


def map_of(ours: Floats, theirs: Floats) -> Floats:
    """M of own design x M = R's design."""
    by, *_ = np.linalg.lstsq(ours, theirs, rcond=None)
    why = "some of its terms determine others, so its coefficients cannot be matched one by one"
    stays_if(np.linalg.matrix_rank(ours) < ours.shape[1], why)
    off = np.abs(ours @ by - theirs).max(axis=0, initial=0.0)
    size = np.maximum(np.abs(theirs).max(axis=0, initial=0.0), 1.0)
    stays_if((off > SAME_SPACE * size).any(), "its columns do not span the space of any model of pairproof")
    why = "it is a submodel of a pairproof model, with some terms left out"
    stays_if(np.linalg.matrix_rank(by) < ours.shape[1], why)
    return np.asarray(by)
