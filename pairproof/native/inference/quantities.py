"""What a bootstrap follows from replicate to replicate: parameters, contrasts, worths, probabilities, ranks, or a
function of a fit.

Where estimates are infinite, differences of abilities are inf, -inf or not determined.  Quantities on a bounded scale keep their limits: a worth 0 or 1, a
probability 0 or 1, a rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from ...errors import InputError, TooLargeError
from ...fit.estimates.array_inference import softmax
from ...fit.estimates.likelihood import outcome_probabilities
from ...fit.estimates.outcome_laws import OutcomeLaw
from ...fit.estimates.predictions import ability_functions, find_group
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.fit import Fit
from ...fit.promises import Asked as Asked
from ...numerics.arrays import FloatArray, IntArray
from ...numerics.infinity import AtInfinity
from .taken_apart import all_pairs, function_of

#: What a user can ask for.
KINDS = ("params", "contrasts", "worth", "probabilities", "ranks")

#: Abilities nearer than this are equal: what rounding leaves of an exact tie.
EQUAL = 1e-9
#: Numbers that a replicate may have at most.
MOST_QUANTITIES = 30_000


@dataclass(frozen=True, eq=False)
class Refit:
    """The estimates of one replicate.

    beta float[n_params]: in the fit's parameters; the finite part.  infinite: none: every estimate is finite.
    separated: whether some estimate is infinite, as distinct from not determined.  influence: what one comparison, or
    person, of each kind moves functions float[m, n_params] of the parameters by, float[n, m]; none: replicates of this
    model are not given standard errors.
    """

    beta: FloatArray
    infinite: AtInfinity | None
    separated: bool
    influence: Callable[[FloatArray], FloatArray] | None = None


class Quantity(Protocol):
    """Some named numbers of a replicate."""

    @property
    def names(self) -> tuple[str, ...]:
        ...

    def of(self, refit: Refit) -> FloatArray:
        """float[len(names)]: with inf, -inf, and nan where it is not defined."""


@dataclass(frozen=True, eq=False)
class Linear:
    """Linear functions of the parameters.

    functions float[m, n_params], sparse.
    """

    names: tuple[str, ...]
    functions: sparse.csr_matrix

    def of(self, refit: Refit) -> FloatArray:
        finite = np.asarray(self.functions @ refit.beta)
        if refit.infinite is None:
            return finite
        return refit.infinite.signs(np.asarray(self.functions @ refit.infinite.null), finite)


@dataclass(frozen=True, eq=False)
class Levels:
    """The abilities of one group in a replicate, as far as they can be compared.

    ability float[n_items]: log-odds; differences mean something within a class.  place int[n_items]: class of
    each item.  above float[n_classes, n_classes]: difference of two classes: 0, inf, -inf, or nan.
    """

    ability: FloatArray
    place: IntArray
    above: FloatArray

    def gap(self, i: IntArray, j: IntArray) -> FloatArray:
        """Ability of items i less that of items j."""
        apart = self.above[self.place[i], self.place[j]]
        return np.where(self.place[i] == self.place[j], self.ability[i] - self.ability[j], apart)


@dataclass(frozen=True, eq=False)
class Abilities:
    """The abilities of one group as functions of the parameters, as log-odds.

    rows float[n_items, n_params], sparse.
    """

    items: tuple[str, ...]
    rows: sparse.csr_matrix

    def of(self, refit: Refit) -> Levels:
        ability = np.asarray(self.rows @ refit.beta)
        n = len(ability)
        if refit.infinite is None:
            return Levels(ability, np.zeros(n, np.int64), np.zeros((1, 1)))
        along = np.round(np.asarray(self.rows @ refit.infinite.null), 9)
        distinct, place = np.unique(along, axis=0, return_inverse=True)
        k = len(distinct)
        i, j = (v.ravel() for v in np.meshgrid(np.arange(k), np.arange(k), indexing="ij"))
        above = refit.infinite.signs(distinct[i] - distinct[j], np.zeros(k * k)).reshape(k, k)
        return Levels(ability, np.ravel(place), above)


@dataclass(frozen=True, eq=False)
class Worths:
    """Worths of the items of one group, which sum to 1."""

    names: tuple[str, ...]
    abilities: Abilities

    def of(self, refit: Refit) -> FloatArray:
        at = self.abilities.of(refit)
        out = np.full(len(at.place), np.nan)
        below = (at.above == -np.inf).any(axis=1)
        out[below[at.place]] = 0.0
        top = np.flatnonzero(~below)
        if len(top) == 1:  # else the shares of classes that cannot be compared are not defined
            here = at.place == top[0]
            out[here] = softmax(at.ability[here])
        return out


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks 1 + number of better items, and whether an item is the best, from one group's abilities."""

    names: tuple[str, ...]
    abilities: Abilities

    def of(self, refit: Refit) -> FloatArray:
        return self.both(refit)[0]

    def both(self, refit: Refit) -> tuple[FloatArray, FloatArray]:
        """float[n_items] twice: ranks, nan where another item cannot be compared; and the share of the first place,
        1/k each for k items that are equal there.
        """
        at = self.abilities.of(refit)
        better, unknown = np.zeros(len(at.place)), np.zeros(len(at.place))
        for c in range(len(at.above)):
            here = at.place == c
            own = np.sort(at.ability[here])
            better[here] += len(own) - np.searchsorted(own, at.ability[here] + EQUAL, side="right")
            better[here] += (at.above[at.place, c] == np.inf).sum()
            unknown[here] += np.isnan(at.above[at.place, c]).sum()
        rank = np.where(unknown == 0.0, 1.0 + better, np.nan)
        best = np.where(better > 0.0, 0.0, np.where(unknown > 0.0, np.nan, 1.0))
        return rank, best / max(float(np.nansum(best)), 1.0)


@dataclass(frozen=True, eq=False)
class Probabilities:
    """P(first), P(tie), P(second) of every pair of items of a group, on neutral ground.

    i, j int[n_pairs].  tie: the tie parameter of the group; None: there is none, or it is 0.  law, ties: where ties follow
    another law than those of log-linear models, and its parameters.
    """

    names: tuple[str, ...]
    abilities: Abilities
    i: IntArray
    j: IntArray
    tie: Linear | None
    model: str
    law: OutcomeLaw | None = None
    ties: Linear | None = None

    def of(self, refit: Refit) -> FloatArray:
        at = self.abilities.of(refit)
        u = at.gap(self.i, self.j)
        if self.law is not None and self.ties is not None:
            level = (at.ability[self.i] + at.ability[self.j]) / 2.0 - at.ability.mean()
            return self.law.probabilities(u, self.ties.of(refit), 0.0, level).ravel()
        g = float(self.tie.of(refit)[0]) if self.tie is not None else 0.0
        known = np.where(np.isfinite(u), u, 0.0)
        if self.model == "binary":
            p = outcome_probabilities(known, np.zeros(len(u)), self.model)[:, ::2]
            certain = np.array([[1.0, 0.0], [0.0, 1.0]])
        else:
            p = outcome_probabilities(known, np.full(len(u), g if g < np.inf else 0.0), self.model)
            certain = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
            if not g < np.inf:
                p[:] = [0.0, 1.0, 0.0] if g == np.inf else np.nan
                certain = np.full((2, 3), np.nan)
        p[u == np.inf], p[u == -np.inf] = certain
        p[np.isnan(u)] = np.nan
        return np.asarray(p.ravel())


@dataclass(frozen=True, eq=False)
class Custom:
    """A user's function of a fit."""

    names: tuple[str, ...]
    function: Callable[[Fit], Any]

    def of_fit(self, fit: Fit, where: str) -> FloatArray:
        """The values for one replicate; `where` names it in messages."""
        try:
            result = self.function(fit)
        except Exception as error:
            raise InputError(
                f"the quantity {_name(self.function)} raised {type(error).__name__} ({error}) in {where}; it has to"
                " return numbers for every replicate, nan where they are not defined"
            ) from error
        names, values = _numbers(result, self.function)
        if names is not None and names != self.names or len(values) != len(self.names):
            found = ", ".join(names[:5]) if names is not None else f"{len(values)} numbers"
            raise InputError(
                f"the quantity {_name(self.function)} gave {found} in {where}, and"
                f" {', '.join(self.names[:5])} for the fit itself; it has to give the same numbers each time"
            )
        return values


def _name(function: Callable[[Fit], Any]) -> str:
    return str(getattr(function, "__name__", function))


def _numbers(result: Any, function: Callable[[Fit], Any]) -> tuple[tuple[str, ...] | None, FloatArray]:
    """Names, if the result has any, and numbers."""
    names = None
    if isinstance(result, Mapping) or hasattr(result, "index") and hasattr(result, "to_dict"):
        try:
            pairs = dict(result).items() if isinstance(result, Mapping) else result.to_dict().items()
        except Exception as error:
            raise _not_numbers(result, function) from error
        names, result = tuple(str(key) for key, _ in pairs), [value for _, value in pairs]
    try:
        values = np.atleast_1d(np.asarray(result, float))
    except (TypeError, ValueError) as error:
        raise _not_numbers(result, function) from error
    if values.ndim != 1 or not len(values):
        raise _not_numbers(result, function)
    return names, values


def _not_numbers(result: Any, function: Callable[[Fit], Any]) -> InputError:
    return InputError(
        f"the quantity {_name(function)} gave a {type(result).__name__}; expected a number, a list of numbers, or"
        " numbers by name (a dict or a Series)"
    )


def custom(function: Callable[[Fit], Any], fit: Fit) -> Custom:
    """A user's function, with the names that it gives its numbers for the fit itself."""
    try:
        result = function(fit)
    except Exception as error:
        raise InputError(
            f"the quantity {_name(function)} raised {type(error).__name__} ({error}) for the fit itself"
        ) from error
    names, values = _numbers(result, function)
    if names is None:
        one = _name(function)
        names = (one,) if len(values) == 1 else tuple(f"{one}[{k}]" for k in range(len(values)))
    return Custom(names, function)


def quantities(fit: Fit, asked: Asked | Sequence[Asked], group: str | None) -> list[Quantity | Custom]:
    """The quantities that a user asked for."""
    several: list[Any] = (
        [asked] if _is_one(asked, fit) else list(asked) if isinstance(asked, Sequence) else []
    )
    if not several:
        raise InputError(
            f"quantity={asked!r}; expected {', '.join(KINDS)}, a parameter, two items, weights of parameters, a function of a"
            " Fit, or a list of these"
        )
    found = [_quantity(fit, one, group) for one in several]
    names = [name for q in found for name in q.names]
    twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise InputError(f"quantity: {', '.join(twice[:5])} asked for twice")
    if len(names) > MOST_QUANTITIES:
        raise TooLargeError(
            f"{len(names):,} numbers a replicate (limit {MOST_QUANTITIES:,}); ask for some contrasts by items,"
            ' [("A", "B"), ...], or a function of the fit'
        )
    return found


def _is_one(asked: Any, fit: Fit) -> bool:
    """A string, a function, weights of parameters, or two items; else a sequence of such."""
    if isinstance(asked, (str, Mapping)) or callable(asked):
        return True
    two = isinstance(asked, tuple) and len(asked) == 2
    return two and all(isinstance(a, str) and a in fit.items for a in asked)


def _quantity(fit: Fit, asked: Asked, group: str | None) -> Quantity | Custom:
    if isinstance(asked, str) and asked in KINDS:
        return _BY_KIND[asked](fit, group)
    if callable(asked):
        return custom(asked, fit)
    if isinstance(asked, str) and asked not in fit.names:
        near = ", ".join(fit.names[:20])
        raise InputError(f"quantity={asked!r}; expected {', '.join(KINDS)}, or one of the parameters {near}")
    name, function = function_of(fit, asked, group)
    return Linear((name,), sparse.csr_matrix(function[None, :]))


def _params(fit: Fit, group: str | None) -> Linear:
    keep = [k for k, t in enumerate(fit.terms) if not fit.is_reference[k] or t.kind == "tie"]
    functions = sparse.identity(len(fit.terms), format="csr")[keep]
    return Linear(tuple(fit.names[k] for k in keep), functions)


def _contrasts(fit: Fit, group: str | None) -> Linear:
    n = len(fit.items)
    if n * (n - 1) // 2 > MOST_QUANTITIES:
        raise TooLargeError(
            f"{n * (n - 1) // 2:,} contrasts of {n:,} items (limit {MOST_QUANTITIES:,}); name some: [('A', 'B'), ...]"
        )
    names, functions = all_pairs(fit, group)
    return Linear(tuple(names), sparse.csr_matrix(functions))


def abilities(fit: Fit, group: str | None) -> Abilities:
    """The abilities of a group of a fit, as log-odds."""
    rows = LOG_WORTH_PER_UNIT[fit.scale] * ability_functions(fit, find_group(fit, group))
    return Abilities(fit.items, sparse.csr_matrix(rows))


def _worth(fit: Fit, group: str | None) -> Worths:
    return Worths(tuple(f"worth({item})" for item in fit.items), abilities(fit, group))


def ranks(fit: Fit, group: str | None) -> Ranks:
    """The ranks of the items in a group of a fit."""
    return Ranks(tuple(f"rank({item})" for item in fit.items), abilities(fit, group))


def _probabilities(fit: Fit, group: str | None) -> Probabilities:
    n = len(fit.items)
    if 3 * n * (n - 1) // 2 > MOST_QUANTITIES:
        raise TooLargeError(
            f"probabilities of {n:,} items are {3 * n * (n - 1) // 2:,} numbers (limit {MOST_QUANTITIES:,}); ask for"
            " those of some pairs by a function of the fit"
        )
    i, j = np.triu_indices(n, 1)
    names = []
    for a, b in zip(i, j):
        one, other = fit.items[a], fit.items[b]
        names += [f"P({one} > {other})", f"P({one} = {other})", f"P({other} > {one})"]
    where = find_group(fit, group)
    tie = None
    if fit.outcome_model == "binary":
        names = [name for k, name in enumerate(names) if k % 3 != 1]
    elif any(t.kind == "tie" for t in fit.terms):
        row = np.array([t.multiplier(where) if t.kind == "tie" else 0.0 for t in fit.terms])
        tie = Linear(("tie",), sparse.csr_matrix(row[None, :]))
    of_law = fit.spec.law if fit.spec.general_ties else None
    places = [k for k, t in enumerate(fit.terms) if t.kind in ("tie", "tie-of")]
    ties = Linear(tuple(fit.names[k] for k in places), sparse.identity(len(fit.terms), format="csr")[places])
    return Probabilities(tuple(names), abilities(fit, group), i, j, tie, fit.outcome_model, of_law, ties)


_BY_KIND: Mapping[str, Callable[[Fit, "str | None"], Quantity]] = {
    "params": _params,
    "contrasts": _contrasts,
    "worth": _worth,
    "probabilities": _probabilities,
    "ranks": ranks,
}
