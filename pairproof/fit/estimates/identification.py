"""What identifies abilities: sets of items between which differences are finite, scale and constraint.

Two items belong to one set if the data determine their difference.  Without further terms these are the items
that have beaten or tied one another through chains, the strong components of the graph "was preferred to or
tied with" (Ford 1957, American Mathematical Monthly 64(8), 28-33); in general those whose abilities move
together along every direction in which the likelihood is flat or grows without end.  Between sets the
difference is plus infinity where a chain of wins leads from the one to the other: along each such direction
the winner's ability keeps up with the loser's.  Where no chain leads either way nothing is claimed.

The same fit on another scale or under another constraint: item terms are lambda in the log-linear form and b
= 2 lambda as log-odds; `tie` and `order` are the same on both.  Against reference r every block of item terms
has b_r = 0; centred, C b with C = I - 1 1'/J, and C V C'.  Where some items differ infinitely, the mean of a
block is that of the items of one set: the set with the most comparisons, whose differences are all finite.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.options import one_of
from ...errors import InputError
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...numerics.infinity import NULL_TOLERANCE, closure
from .covariance import Covariance, MappedCovariance, Rescaling, Shift
from .fit_record import FitRecord, FitWarning, find_item, listed
from .specification import LOG_WORTH_PER_UNIT, Layout, ModelSpec, Scale, Term, layout

ABOVE, BELOW, BETWEEN, APART = "above all", "below all", "between sets", "apart"


@dataclass(frozen=True, eq=False)
class ItemSets:
    """Sets of items whose differences are finite.

    `of` int[n_items]: number of each item's set; 0 is the set with the most comparisons among its own items.
    above bool[n_sets, n_sets]: row differs from column by plus infinity.
    """

    of: IntArray
    above: BoolArray

    @property
    def n(self) -> int:
        """Number of sets."""
        return len(self.above)

    def members(self, k: int = 0) -> IntArray:
        """Places of the items of a set."""
        return np.flatnonzero(self.of == k)

    @cached_property
    def items_above(self) -> BoolArray:
        """bool[n_items, n_items]: row differs from column by plus infinity."""
        return np.asarray(self.above[np.ix_(self.of, self.of)])

    @cached_property
    def status(self) -> tuple[str, ...]:
        """Of each item: "" in the set with the most comparisons, else how its set stands to the other sets.

        "above all" and "below all" are of all sets that can be compared with it; "between sets" has some above and
        some below, "apart" none.  Where each item is a set by itself none has comparisons, and all are told.
        """
        over, under = (np.atleast_1d(self.above.any(axis=k)).tolist() for k in (1, 0))
        words = [
            BETWEEN if up and down else ABOVE if up else BELOW if down else APART
            for up, down in zip(over, under)
        ]
        alone = self.n == len(self.of) > 1
        return tuple("" if k == 0 and not alone else words[k] for k in self.of)


def one_set(n_items: int) -> ItemSets:
    """All items in one set."""
    return ItemSets(np.zeros(n_items, np.int64), np.zeros((1, 1), bool))


def of_two_or_more(sets: ItemSets) -> Iterator[IntArray]:
    """Places of the items of each set of two items or more, and of the only set."""
    size = np.bincount(sets.of, minlength=sets.n)
    return (sets.members(int(k)) for k in np.flatnonzero((size > 1) | (sets.n == 1)))


def moving_together(moved: FloatArray) -> IntArray:
    """int[n]: equal labels for rows that are equal, of how abilities move along null directions, float[n, k].

    Rows are sorted by two random sums: that two rows which differ share both is as likely as two collisions of nine
    digits.
    """
    label = np.zeros(len(moved), np.int64)
    for at in np.random.default_rng(0).standard_normal((2, moved.shape[1])):
        along = moved @ at
        order = np.lexsort((along, label))
        new = (np.diff(along[order]) > NULL_TOLERANCE) | (np.diff(label[order]) != 0)
        label[order] = np.concatenate([[0], np.cumsum(new)])
    return label


def item_sets(moved: FloatArray, table: Comparisons, rows: BoolArray, chains: bool = True) -> ItemSets:
    """The sets of items.

    moved float[n_items, k]: how their abilities move along the null directions.  table: as it entered the
    likelihood.  rows bool[n_rows]: those that are about these abilities.  chains: whether a win says that the
    winner's ability keeps up: not where an order effect moves as well.
    """
    n = len(moved)
    if not moved.shape[1] or n == 0:
        return one_set(n)
    label = moving_together(moved)
    first, second = table.first[rows], table.second[rows]
    wins, losses = table.wins[rows], table.losses[rows]
    inside = label[first] == label[second]
    games = np.bincount(
        label[first[inside]], (wins + table.ties[rows] + losses)[inside], minlength=int(label.max()) + 1
    )
    size, start = np.bincount(label), np.unique(label, return_index=True)[1]
    number = np.empty(len(size), np.int64)
    number[np.lexsort((start, -size, -games))] = np.arange(len(size))
    of = number[label]
    above = np.zeros((len(size), len(size)), bool)
    if chains:
        above[of[first[wins > 0]], of[second[wins > 0]]] = True
        above[of[second[losses > 0]], of[first[losses > 0]]] = True
    above = chained(above)
    return ItemSets(of, above & ~above.T)


def rows_of(table: Comparisons, values: Iterable[tuple[str, object]]) -> BoolArray:
    """bool[n_rows]: rows with these values of covariates; a number (a slope), or what is not a column, leaves none
    out."""
    rows = np.ones(table.n_rows, bool)
    for covariate, value in values:
        column = table.columns.get(covariate)
        if isinstance(column, Factor) and str(value) in column.levels:
            rows &= column.codes == column.levels.index(str(value))
    return rows


def chained(above: BoolArray) -> BoolArray:
    """Which chains lead from one to another, the diagonal left out."""
    reach = closure(above | np.eye(len(above), dtype=bool))
    np.fill_diagonal(reach, False)
    return reach


R = TypeVar("R", bound=FitRecord)


@dataclass(frozen=True, eq=False)
class Referred:
    """The numbers of a fit that depend on the reference; attributes as in :class:`pairproof.fit.estimates.fit_record.FitRecord`."""

    beta: FloatArray
    is_reference: BoolArray
    null_space: FloatArray
    covariance: Covariance


def summed_over(at: Layout, null_space: FloatArray, table: Comparisons) -> BoolArray:
    """bool[n_blocks, n_items]: the items of each block that sum to zero under the constraint "sum".

    All of them if all differences are finite, or if no set of them has two items; else those of the set with the most
    comparisons.
    """
    out = np.ones(at.places.shape, bool)
    if null_space.shape[1]:
        for block, (term, places) in enumerate(zip(at.blocks, at.places)):
            sets = item_sets(null_space[places], table, rows_of(table, term.by))
            if len(sets.members()) > 1:
                out[block] = sets.of == 0
    return out


def constraint_of(
    spec: ModelSpec, terms: tuple[Term, ...], null_space: FloatArray, table: Comparisons
) -> str:
    """What fixes the level of the abilities, in words; over which items they sum to zero."""
    if spec.item_terms or spec.reference != "sum" or not null_space.shape[1]:
        return spec.constraint
    over = summed_over(layout(terms, table.items), null_space, table)
    if over.all():
        return spec.constraint
    if len(over) > 1:
        return f"{spec.constraint}, over the most compared set"
    return f"{int(over.sum())} of {over.size} items sum to zero"


def reference_hint(
    spec: ModelSpec, terms: tuple[Term, ...], null_space: FloatArray, table: Comparisons
) -> str:
    """Which reference gives numbers to the set with the most comparisons, or over what the sum runs."""
    if spec.item_terms:
        return ""
    over = summed_over(layout(terms, table.items), null_space, table)[0]
    main = [item for item, inside in zip(table.items, over) if inside]
    if len(main) == len(table.items):
        return ""
    if spec.reference == "sum":
        return f" The sum runs over the {len(main)} items of the set with the most comparisons: {listed(main, 8)}."
    if spec.reference in main:
        return ""
    return (
        f" The reference {spec.reference!r} is outside the set with the most comparisons: with reference {main[0]!r}"
        f" (--reference {shlex.quote(main[0])}) its {len(main)} items have estimates; contrasts, ranks and worths within a"
        " set are available with any reference."
    )


def shift_of(
    at: Layout,
    n_params: int,
    reference: str,
    items: Sequence[str],
    null_space: FloatArray,
    table: Comparisons,
) -> Shift:
    """The map from the item terms under any constraint to those against `reference`, an item or "sum"."""
    if reference == "sum":
        over = summed_over(at, null_space, table)
        return Shift(n_params, at.places, over / over.sum(axis=1, keepdims=True))
    weights = np.zeros(at.places.shape)
    weights[:, find_item(tuple(items), reference)] = 1.0
    return Shift(n_params, at.places, weights)


def against(
    reference: str, terms: tuple[Term, ...], items: Sequence[str], numbers: Referred, table: Comparisons
) -> Referred:
    """The same numbers against an item, or with the items of each term summing to zero ("sum")."""
    shift = shift_of(layout(terms, items), len(terms), reference, items, numbers.null_space, table)
    is_reference = numbers.is_reference.copy()  # a tie parameter held at its boundary stays held
    is_reference[shift.index] = False
    if reference != "sum":
        is_reference[shift.index[:, items.index(reference)]] = True
    beta = shift.forward(numbers.beta)
    beta[is_reference] = 0.0
    null_space = shift.forward(numbers.null_space) if numbers.null_space.shape[1] else numbers.null_space
    return Referred(beta, is_reference, null_space, MappedCovariance(numbers.covariance, shift))


def on_scale(fit: R, scale: Scale) -> R:
    """The same fit with its item terms on `scale`; see :meth:`pairproof.Fit.on_scale`."""
    one_of("scale", scale, ("lambda", "log-odds"))
    if scale == fit.scale:
        return fit
    factor = LOG_WORTH_PER_UNIT[fit.scale] / LOG_WORTH_PER_UNIT[scale]
    units = Rescaling(np.array([factor if t.kind in ("item", "covariate") else 1.0 for t in fit.terms]))
    return replace(
        fit,
        scale=scale,
        beta=units.forward(fit.beta),
        null_space=units.forward(fit.null_space),
        covariance=MappedCovariance(fit.covariance, units),
        robust=fit.robust and fit.robust.mapped(units),
        random_effects=fit.random_effects and fit.random_effects.in_units(factor, units.units),
        answers=fit.answers and fit.answers.mapped(units),
    )


def with_reference(fit: R, reference: str) -> R:
    """The same fit against another reference, or "sum"; see :meth:`pairproof.Fit.with_reference`."""
    if fit.classes is not None:
        _check_same_items_differ(fit, reference)
    if fit.spec.item_terms:
        raise InputError("a model with item covariates has no reference item to change")
    spec = replace(fit.spec, reference=reference)
    before = Referred(fit.beta, fit.is_reference, fit.null_space, fit.covariance)
    numbers = against(reference, fit.terms, fit.items, before, fit.data)
    robust = fit.robust and fit.robust.mapped(shift_to(fit, reference))
    constraint = constraint_of(spec, fit.terms, fit.null_space, fit.data)
    told = tuple(w for w in fit.warnings if w.kind != "another-reference")
    if hint := reference_hint(spec, fit.terms, fit.null_space, fit.data).strip():
        told += (FitWarning("another-reference", hint),)
    answers = fit.answers and fit.answers.mapped(shift_to(fit, reference), ~numbers.is_reference)
    return replace(
        fit, spec=spec, constraint=constraint, robust=robust, warnings=told, answers=answers, **vars(numbers)
    )


def _check_same_items_differ(fit: FitRecord, reference: str) -> None:
    """Refuse another reference where some items differ between classes and others do not."""
    items = [t.by for t in fit.terms if t.kind == "item"]
    if any(items.count(by) != len(fit.items) for by in set(items)):
        known = "an item" if reference == "sum" else f"reference={reference!r}"
        raise InputError(
            f"random={', '.join(fit.of_answers.random)} defines which items differ between"
            f" classes relative to {fit.spec.reference}; against {'their mean' if reference == 'sum' else 'another'} others would: fit"
            f" again with {known}{' as the reference' if reference == 'sum' else ''}"
        )


def over_which(fit: FitRecord) -> BoolArray:
    """bool[n_blocks, n_items]: the items of each block of terms that sum to zero in a fit, if any do."""
    return summed_over(fit.layout, fit.null_space, fit.data)


def shift_to(fit: FitRecord, reference: str) -> Shift:
    """The map from a fit's parameters to those against another reference, or "sum"."""
    return shift_of(fit.layout, len(fit.terms), reference, fit.items, fit.null_space, fit.data)
