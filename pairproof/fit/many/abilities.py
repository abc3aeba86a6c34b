"""Abilities of items, with standard errors and degrees of freedom of their differences, infinite ones too.

An item that lost all of its comparisons has no estimate and no standard error, but the likelihood bounds it.
With c the critical value of a family of tests, A is shown to be above B where holding the two equal loses
more than c^2 of twice the log-likelihood: there the profile interval of A - B at the level of c lies above 0
(Venzon and Moolgavkar 1988).  The family is that of the finite differences, and each infinite one adds the
tail of a normal to it (Bonferroni)::

    P(largest finite score > c) + m P(Z > c) = 1 - level

Finite differences keep the critical value that they have without the infinite ones.  What follows is shown as
well: where A is above B and B above C, A is above C.  A profile likelihood takes its comparisons as
independent. In a fit with standard errors by cluster all comparisons of one cluster between the same two sets
count as one, as they would if they all went together.

That all items are equally able is one hypothesis: Wald's chi-square, or F by cluster.  Where some differ
infinitely, it is that of the items of the set with the most comparisons, which it names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from ...data.comparisons import Comparisons
from ...errors import ConvergenceError, InputError, NotEstimableError, TooLargeError
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...text import plural
from ..estimates.array_inference import WaldTest
from ..estimates.fit_record import FEW_DF, FitRecord, why_not_estimable
from ..estimates.identification import ItemSets, chained, one_set
from ..estimates.predictions import ability_functions, find_group, group_label, sets_of_items
from ..estimates.specification import LOG_WORTH_PER_UNIT, Value
from ..estimates.tails import log10_student_p
from ..inference.wald import joint_test
from ..robust.clustered_fit import cluster_codes
from .max_normal import MaxNormal, Points

#: Constrained fits for one table of ranks at most, some 50 ms each, and of one call.
MOST_TESTS, TESTS_AT_ONCE = 600, 40


@dataclass(frozen=True, eq=False)
class BetweenSets:
    """Tests of differences between sets.

    functions float[n_items, n_params]: abilities as linear functions of the parameters.
    """

    fit: FitRecord
    sets: ItemSets
    functions: FloatArray
    _roots: dict[tuple[int, int], float] = field(default_factory=dict)
    _said: list[str] = field(default_factory=list)

    @property
    def testable(self) -> BoolArray:
        """bool[n, n]: row differs from column by plus infinity."""
        return self.sets.items_above

    @property
    def cautions(self) -> tuple[str, ...]:
        """What was not tested, and why."""
        return tuple(dict.fromkeys(self._said))

    def roots(self, pairs: IntArray) -> FloatArray:
        """float[m]: root of twice the log-likelihood lost where each pair is held equal; 0 where that is not known."""
        asked = [(int(i), int(j)) for i, j in pairs]
        new = [pair for pair in dict.fromkeys(asked) if pair not in self._roots]
        room = MOST_TESTS - len(self._roots)
        if len(new) > room:
            self._said.append(f"{MOST_TESTS:,} infinite differences were tested, but not the others")
        for start in range(0, min(len(new), room), TESTS_AT_ONCE):
            self._add(new[start : min(start + TESTS_AT_ONCE, room)])
        return np.array([self._roots.get(pair, 0.0) for pair in asked])

    def _add(self, pairs: list[tuple[int, int]]) -> None:
        import pairproof

        weights = [dict(_weights(self.fit, self.functions[i] - self.functions[j])) for i, j in pairs]
        try:
            found = pairproof.profile_test(cast(Any, self._as_independent), weights)["z"].to_numpy()
        except (ConvergenceError, NotEstimableError):
            if len(pairs) > 1:
                for pair in pairs:
                    self._add([pair])
                return
            found = np.zeros(1)
            names = " and ".join(self.fit.items[k] for k in pairs[0])
            self._said.append(f"no maximum of the likelihood was found with {names} held equal")
        except InputError as error:
            found = np.zeros(len(pairs))
            robust = self.fit.robust
            lost = (
                [c for c in robust.columns if self.fit.data.role_of(c) not in self.fit.data.columns]
                if robust
                else []
            )
            why = (
                f"the votes are counted, and the counts do not have their {' and '.join(lost)}"
                if lost
                else error
            )
            self._said.append(f"infinite differences are not tested: {why}")
        self._roots.update(zip(pairs, np.nan_to_num(np.maximum(found, 0.0))))

    @property
    def _as_independent(self) -> FitRecord:
        fit = self.fit
        if fit.robust is None:
            return fit
        return replace(fit, data=one_vote_a_cluster(fit.data, self.sets, fit.robust.columns), robust=None)

    def shown(self, critical: float, above: BoolArray) -> BoolArray:
        """bool[n, n]: what is shown at a critical value, with what was shown of finite differences and what follows."""
        out = chained(above)
        first, second = np.nonzero(self.testable)
        # The nearest first: the worse of the upper set, the better of the lower one.  The others may follow.
        b = self.functions @ self.fit.beta
        order = np.lexsort((b[first] - b[second], self.sets.of[second], self.sets.of[first]))
        left = np.stack([first, second], axis=1)[order]
        while len(left):
            left = left[~out[left[:, 0], left[:, 1]]]
            here, left = left[: TESTS_AT_ONCE // 2], left[TESTS_AT_ONCE // 2 :]
            for i, j in here[self.roots(here) > critical] if len(here) else here:
                over, under = np.append(np.flatnonzero(out[:, i]), i), np.append(np.flatnonzero(out[j]), j)
                out[np.ix_(over, under)] = True
        return out


def _weights(fit: FitRecord, function: FloatArray) -> Mapping[str, float]:
    return {fit.names[k]: float(function[k]) for k in np.flatnonzero(function)}


def critical_between(family: MaxNormal | None, critical: float, level: float, m: int) -> float:
    """The critical value of a family to which m normal tails are added; `critical` is that of the family alone."""
    from scipy.special import ndtr, ndtri

    if family is None:
        return float(-ndtri((1.0 - level) / m))
    c = critical
    # As many independent tails as the family is worth: that number hardly moves with c.
    for _ in range(3):
        worth = family.tail(c) / float(ndtr(-c))
        c = float(-ndtri((1.0 - level) / (worth + m)))
    return max(c, critical)


def one_vote_a_cluster(table: Comparisons, sets: ItemSets, columns: tuple[str, ...]) -> Comparisons:
    """A table in which the comparisons of a cluster between the same two sets weigh together as one.

    Of two ways of clustering each row has the smaller of its two weights.
    """
    one, other = sets.of[table.first], sets.of[table.second]
    n = table.wins + table.ties + table.losses
    crossing = np.flatnonzero((one != other) & (n > 0.0))
    weight = np.ones(table.n_rows)
    for column in columns:
        codes, _ = cluster_codes(table, column, np.arange(table.n_rows), "own")
        low, high = np.minimum(one, other)[crossing], np.maximum(one, other)[crossing]
        _, key = np.unique(np.stack([codes[crossing], low, high]), axis=1, return_inverse=True)
        total = np.bincount(np.ravel(key), n[crossing])[np.ravel(key)]
        weight[crossing] = np.minimum(weight[crossing], 1.0 / np.maximum(total, 1.0))
    return replace(table, wins=table.wins * weight, ties=table.ties * weight, losses=table.losses * weight)


#: Items whose differences are all worked out: half a million of them.
MOST_ITEMS = 1_000
#: Differences whose functions are written out at once.
AT_ONCE = 4_096
MODEL_BASED = "model-based covariance, answers treated as independent"

PLUS_INFINITY = "plus infinity: a chain of wins leads from the first to the second, but none back"
MINUS_INFINITY = "minus infinity: a chain of wins leads from the second to the first, but none back"
NOT_JOINED = "no chain of comparisons connects the two"
INFINITE = "the estimate is infinite: the data are separated"
CONFOUNDED = "the data cannot distinguish it from another effect of the model"
NOT_ESTIMABLE = (
    "not estimable: infinite, not connected by comparisons, or not distinguished from another effect"
)
ONE_CLUSTER = "one cluster alone determines it, so clustering cannot give it a standard error"
SAME = "all clusters give exactly the same value, so there is no variation"
NO_SPREAD = "the model makes it 0, or its covariance gives it no variance"


@dataclass(frozen=True, eq=False)
class Abilities:
    """Estimated abilities of items with all that inference on their differences needs.

    estimate float[n]: up to a common constant; n is the number of items, or one more where the mean of all is
    the last.  covariance float[n, n]: of the abilities under any one constraint.  se, df float[n, n]:
    standard error of each difference and its degrees of freedom (inf: normal); nan where there is none.  why:
    why a difference, the smaller number first, has no standard error.  covariance_title: which covariance it
    is, in words.  cautions: what a reader of the standard errors has to know.  group: of the fit; "all" if it
    has one.  per_unit: log-odds per unit of the estimates: 2 on the lambda scale, 1 on the log-odds scale, nan
    under a link whose differences are not log-odds.  between: tests of differences that are infinite; None if there are
    none."""

    items: tuple[str, ...]
    estimate: FloatArray
    covariance: FloatArray
    se: FloatArray
    df: FloatArray
    why: Mapping[tuple[int, int], str] = field(default_factory=dict)
    covariance_title: str = MODEL_BASED
    cautions: tuple[str, ...] = ()
    group: str = "all"
    per_unit: float = 1.0
    between: BetweenSets | None = None

    @property
    def all_cautions(self) -> tuple[str, ...]:
        """`cautions`, with what of the infinite differences was not tested: after the tests."""
        return self.cautions + (() if self.between is None else self.between.cautions)

    @property
    def left_out(self) -> tuple[tuple[str, str], ...]:
        """Differences of items without a standard error that are not infinite, and why."""
        return tuple(
            (f"{self.items[i]} - {self.items[j]}", why)
            for (i, j), why in self.why.items()
            if j < len(self.items) and why not in (PLUS_INFINITY, MINUS_INFINITY)
        )

    @property
    def sets(self) -> ItemSets:
        """Sets of items whose differences are finite."""
        return one_set(len(self.items)) if self.between is None else self.between.sets

    def points(self, seed: int) -> Points:
        """The points of which differences are compared; items that differ infinitely from all others are none."""
        alone = (np.bincount(self.sets.of) == 1)[self.sets.of] & (self.between is not None)
        return Points.of(self.covariance, seed, ~np.pad(alone, (0, len(self.estimate) - len(alone))))

    def best_first(self) -> list[int]:
        """Places of the items: upper sets first, and in each set the largest estimate."""
        n, sets = len(self.items), self.sets
        size = np.bincount(sets.of, minlength=sets.n)
        height = size @ sets.above - sets.above @ size  # items above a set less items below it
        return [int(k) for k in np.lexsort((-self.estimate[:n], sets.of, height[sets.of]))]

    def above_in_all(self) -> BoolArray:
        """bool[n, n]: whether row is above column by the estimates, infinite ones included."""
        n, sets = len(self.items), self.sets
        b, same = self.estimate[:n], sets.of[:, None] == sets.of[None, :]
        return np.where(same, b[:, None] > b[None, :], sets.items_above)

    @property
    def known(self) -> BoolArray:
        """bool[n, n]: differences that have a standard error."""
        out: BoolArray = np.isfinite(self.se) & (np.nan_to_num(self.se) > 0.0)
        np.fill_diagonal(out, False)
        return out

    @property
    def estimated(self) -> BoolArray:
        """bool[n, n]: differences that have an estimate, with a standard error or without; the diagonal too."""
        out: BoolArray = self.known | np.eye(len(self.se), dtype=bool)
        for (i, j), why in self.why.items():
            if why in (ONE_CLUSTER, SAME, NO_SPREAD):
                out[i, j] = out[j, i] = True
        return out

    def normal_scores(self) -> FloatArray:
        """float[n, n]: of row minus column, each turned to a normal score by its own df; nan where there is none."""
        t = np.full(self.se.shape, np.nan)
        first, second = np.nonzero(self.known)
        t[first, second] = (self.estimate[first] - self.estimate[second]) / self.se[first, second]
        out = np.full(self.se.shape, np.nan)
        out[first, second] = normal_score(t[first, second], self.df[first, second])
        return out


def normal_score(t: FloatArray, df: FloatArray) -> FloatArray:
    """float[m]: the normal score with the tail probability of t on df, sign kept; t itself where df is inf."""
    from scipy.special import ndtri_exp

    out = np.array(t, dtype=float)
    finite = np.isfinite(df)
    log_p = np.log(10.0) * log10_student_p(out[finite], df[finite])
    out[finite] = -np.sign(out[finite]) * ndtri_exp(log_p - np.log(2.0))
    return out


def abilities_of(
    fit: FitRecord,
    group: str | None = None,
    at: Mapping[str, Value] | None = None,
    against: int | None = None,
    with_mean: bool = False,
    bound: bool = False,
) -> Abilities:
    """Abilities on the fit's scale in one group, with its own covariance, clustered or not.

    group, `at`: as in :meth:`pairproof.Fit.contrast`.  against: only differences to this item are worked out.
    with_mean: whether the mean of all items is added as the last; then only differences to it are worked out.  bound: whether
    degrees of freedom by cluster are at most the exact ones, which :func:`.ranks.with_df_that_decide` puts where they matter.
    """
    n = len(fit.items)
    if n < 2:
        raise InputError(f"{n} item; comparing items needs at least two")
    if n > MOST_ITEMS and against is None and not with_mean:
        raise TooLargeError(
            f"{n:,} items have {n * (n - 1) // 2:,} differences (limit {MOST_ITEMS:,} items,"
            f" {MOST_ITEMS * (MOST_ITEMS - 1) // 2:,} differences); compare against one item or against the mean"
        )
    where = find_group(fit, group, at)
    functions, between = ability_functions(fit, where), None
    sets = sets_of_items(fit, where)
    if sets.n > 1:
        between = BetweenSets(fit, sets, functions)
        # About the mean of each set: these are determined, and covary within their sets alone.
        member = np.eye(sets.n)[sets.of]
        functions = functions - member @ ((member / member.sum(axis=0)).T @ functions)
    if with_mean:
        functions = np.vstack([functions, functions[sets.members()].mean(axis=0)])
        against = n
    first, second = _asked(len(functions), against)
    se, df, why = _differences(fit, functions, first, second, sets, bound)
    covariance = fit.covariance.between(functions)
    _leave_out_without_spread(covariance, first, second, se, why)
    return Abilities(
        fit.items,
        functions @ fit.beta,
        covariance,
        _both(len(functions), first, second, se),
        _both(len(functions), first, second, df),
        why,
        MODEL_BASED if fit.robust is None else fit.robust.title,
        () if fit.robust is None else (*fit.robust.cautions, *_rough(df)),
        group if group is not None else group_label(where),
        LOG_WORTH_PER_UNIT[fit.scale] if fit.spec.has_worths else float("nan"),
        between,
    )


def _rough(df: FloatArray) -> list[str]:
    few = int((df < FEW_DF).sum())
    if not few:
        return []
    return [
        f"{few:,} of {plural(len(df), 'difference')} {'has' if few == 1 else 'have'} fewer than {FEW_DF:g} degrees of freedom"
        f" (the least {np.nanmin(df):.2g}): few clusters determine them, so their p-values and intervals are approximate"
    ]


def _asked(n: int, against: int | None) -> tuple[IntArray, IntArray]:
    if against is None:
        return np.triu_indices(n, 1)
    others = np.delete(np.arange(n), against)
    return np.minimum(others, against), np.maximum(others, against)


def _both(n: int, first: IntArray, second: IntArray, values: FloatArray) -> FloatArray:
    out = np.full((n, n), np.nan)
    out[first, second] = out[second, first] = values
    return out


def _differences(
    fit: FitRecord, functions: FloatArray, first: IntArray, second: IntArray, sets: ItemSets, bound: bool
) -> tuple[FloatArray, FloatArray, dict[tuple[int, int], str]]:
    """Standard errors and degrees of freedom, float[m] each, and why some have none.

    The mean, of those in the first set, is compared with them alone.
    """
    of = np.pad(sets.of, (0, len(functions) - len(sets.of)))
    se, df = np.full(len(first), np.nan), np.full(len(first), np.nan)
    reason = np.full(len(first), "", dtype=object)
    for start in range(0, len(first), AT_ONCE):
        here = slice(start, start + AT_ONCE)
        known = of[first[here]] == of[second[here]]
        reason[here][~known] = _without_estimate(fit)
        place = start + np.flatnonzero(known)
        if len(place):
            se[place], df[place] = errors_of(fit, functions[first[place]] - functions[second[place]], bound)
            nothing = place[np.isnan(se[place])]
            for k, function in zip(nothing, functions[first[nothing]] - functions[second[nothing]]):
                alone = fit.robust is not None and fit.robust.alone(function) is not None
                reason[k] = ONE_CLUSTER if alone else SAME
            none = place[se[place] == 0.0]
            se[none], reason[none] = np.nan, NO_SPREAD
    without = np.flatnonzero(np.isnan(se))
    reason[sets.above[of[first], of[second]]] = PLUS_INFINITY
    reason[sets.above[of[second], of[first]]] = MINUS_INFINITY
    return se, df, {(int(first[k]), int(second[k])): str(reason[k]) for k in without}


def _leave_out_without_spread(
    covariance: FloatArray, first: IntArray, second: IntArray, se: FloatArray, why: dict[tuple[int, int], str]
) -> None:
    """Of two ways of clustering a one-way standard error may stand where the two-way variance was cut to 0."""
    variances = np.diag(covariance)
    spread = variances[first] + variances[second] - 2.0 * covariance[first, second]
    rounding = 1e-12 * (variances[first] + variances[second])
    none = spread <= np.maximum(1e-10 * np.nan_to_num(se) ** 2, rounding)
    for k in np.flatnonzero(np.isfinite(se) & none):
        se[k], why[int(first[k]), int(second[k])] = np.nan, NO_SPREAD


def errors_of(fit: FitRecord, differences: FloatArray, bound: bool = False) -> tuple[FloatArray, FloatArray]:
    """se and df of linear functions; a variance that is rounding of 0 is 0.  bound: df is at most the exact one, unless it
    is small."""
    if fit.robust is None:
        small = 256
        parts = [differences[k : k + small] for k in range(0, len(differences), small)]
        variance = np.concatenate([np.diag(fit.covariance.between(part)) for part in parts])
        variance = np.where((differences != 0.0).any(axis=1), np.maximum(variance, 0.0), 0.0)
        return np.sqrt(variance), np.full(len(differences), np.inf)
    zero = ~(differences != 0.0).any(axis=1)
    se, df = np.zeros(len(differences)), np.full(len(differences), np.nan)
    if not zero.all():
        se[~zero] = fit.robust.standard_errors(differences[~zero])
        has = np.flatnonzero(~zero)[np.isfinite(se[~zero])]
        if len(has):
            df[has] = fit.robust.degrees_of_freedom(differences[has], bound)
        few = np.flatnonzero(df < FEW_DF) if bound else has[:0]
        if len(few):
            df[few] = fit.robust.degrees_of_freedom(differences[few])
    return se, df


def _without_estimate(fit: FitRecord) -> str:
    kinds = {warning.kind for warning in fit.warnings}
    if fit.n_infinite == 0:
        if "not-identified" not in kinds:
            return NOT_JOINED
        return NOT_ESTIMABLE if "not-connected" in kinds else CONFOUNDED
    return INFINITE if fit.n_infinite == fit.null_space.shape[1] else NOT_ESTIMABLE


#: Items that the hypothesis names.
MOST_NAMED = 8


def equal_items(fit: FitRecord, group: str | None = None, at: Mapping[str, Value] | None = None) -> WaldTest:
    """Test that all items are equally able; see :meth:`pairproof.Fit.test_equal_items`."""
    if fit.random_effects is not None and any(c.name == "item" for c in fit.random_effects.components):
        raise NotEstimableError(
            "items with random effects are equally able only if sigma = 0 and no covariate distinguishes"
            " them: p_sigma tests the former, fit.wald([...]) the covariates"
        )
    where = find_group(fit, group, at)
    members = sets_of_items(fit, where).members()
    functions = ability_functions(fit, where, members.tolist())
    if len(functions) < 2:
        raise NotEstimableError(f"not all items can be compared: {why_not_estimable(fit)}")
    parts = _independent(functions[1:] - functions[0])
    if not len(parts):
        raise NotEstimableError("the model makes all items equal; there is nothing to test")
    values, names = parts @ fit.beta, [fit.items[k] for k in members]
    if len(names) > MOST_NAMED:
        return joint_test(
            fit, parts, values, f"{' = '.join(names[:3])} = ... = {names[-1]} ({len(names)} items)"
        )
    return joint_test(fit, parts, values, " = ".join(names))


def _independent(differences: FloatArray) -> FloatArray:
    """The differences, or fewer functions that say the same: abilities by covariates have few dimensions."""
    if not differences.size:  # no parameter at all
        return differences[:0]
    _, s, w = np.linalg.svd(differences, full_matrices=False)
    rank = int((s > s[0] * 1e-10).sum()) if s[0] > 0.0 else 0
    return differences if rank == len(differences) else w[:rank]
