"""What a paper found significant, compared with clustered answers: by judge, by source, or by both.

A paper's own test treats all answers as independent.  It is compared with the same estimate with a
cluster-robust standard error, CR2 with Satterthwaite's degrees of freedom (Pustejovsky and Tipton 2018, J.
Bus. Econ. Stat. 36, 672-683); by two columns at once the largest of the three standard errors on the smaller
degrees of freedom.

A conclusion that changes does not make its paper wrong: the paper did another analysis.  Its statement is
then `explained` by ``independent-answers``, the reading under which it holds.  Tables of such
conclusions, for a paper's report, are at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ...data.options import one_of
from ...errors import InputError, ItemError
from ...fit.estimates.predictions import ability_functions, find_group
from ...fit.estimates.tails import p_equals, p_words, student_p
from ...fit.fit import Fit
from ...numerics.arrays import FloatArray
from ...report.blocks import Cell, Column, Table
from .registers import Context, Finding, holds, statement_test

Sign = Literal["positive", "negative", "either"]
SIGNS: tuple[str, ...] = get_args(Sign)

#: Joins two columns in the `by` of a claims file: "judge and source" is clustered both ways at once.
BOTH = " and "
#: Degrees of freedom below which a p by CR2 is rough (Tipton 2015, Psychol. Methods 20, 375-393).
ROUGH_DF = 4.0
#: How a test without clusters is called.
INDEPENDENT = "independent answers"
CODE = "independent-answers"


#: Why there is no standard error where all clusters say the same.
NO_SPREAD = "the clusters show no spread"


@dataclass(frozen=True)
class EffectTest:
    """The test that one number of a fit is 0."""

    how: str
    estimate: float
    se: float
    df: float
    p: float
    alone: str = ""
    title: str = ""

    @property
    def statistic(self) -> float:
        return self.estimate / self.se

    @property
    def p_above(self) -> float:
        """Confidence that the number is above 0, Phi(z) or T_df(t): a flat prior's posterior probability."""
        return 1.0 - self.p / 2.0 if self.estimate > 0 else self.p / 2.0

    def significant(self, alpha: float, sign: str = "either") -> bool:
        """Whether it is distinguished from 0 at `alpha`, on the side that `sign` names."""
        right = sign == "either" or (self.estimate > 0) == (sign == "positive")
        return right and self.p < alpha

    def __str__(self) -> str:
        who = "" if self.how == INDEPENDENT else f"{self.how} "
        if self.alone == NO_SPREAD:
            return f"{who}no standard error: {NO_SPREAD}"
        if self.alone:
            return f"{who}no standard error: part of it depends on {self.alone} alone"
        test = f"{'z' if math.isinf(self.df) else 't'} = {statistic(self)}"
        return f"{who}se {self.se:.4f}, {test}, {p_equals(self.p, digits=2)}"


@dataclass(frozen=True)
class Effect:
    """One number that a conclusion rests on, tested with independent and with clustered answers."""

    name: str
    sign: str
    independent: EffectTest
    clustered: tuple[EffectTest, ...]

    def survives(self, alpha: float) -> bool:
        """Whether it is significant, and on the side that was said, in every way of clustering."""
        return all(test.significant(alpha, self.sign) for test in self.clustered)

    @property
    def alone(self) -> bool:
        """Whether some way of clustering gives it no standard error."""
        return any(test.alone for test in self.clustered)

    def __str__(self) -> str:
        tests = "; ".join(map(str, (self.independent, *self.clustered)))
        return f"{self.name} {self.independent.estimate:.4f}: {tests}"


def ways_of(by: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The columns of each way of clustering that a claims file names."""
    if not by:
        raise InputError('by is empty; expected columns that cluster, such as ["judge", "judge and source"]')
    return tuple(tuple(way.split(BOTH)) for way in by)


def effects_of(
    fit: Fit,
    by: Sequence[str],
    pairs: Sequence[Sequence[str]] = (),
    parameters: Mapping[str, str] | None = None,
) -> tuple[Effect, ...]:
    """Differences of items and parameters of a fit, tested without clusters and with each way of clustering."""
    parameters = parameters or {}
    if not pairs and not parameters:
        raise InputError("no effect to test; name pairs of items or parameters")
    names, functions = _asked(fit, pairs, parameters)
    signs = ["positive"] * len(pairs) + list(parameters.values())
    clustered = (_tests(fit.clustered(*columns), functions) for columns in ways_of(by))  # CR2
    tested = zip(names, signs, _tests(fit, functions), zip(*clustered))
    return tuple(Effect(*effect) for effect in tested)


def _asked(
    fit: Fit, pairs: Sequence[Sequence[str]], parameters: Mapping[str, str]
) -> tuple[list[str], FloatArray]:
    """The names of what is tested, and each as a function of the parameters, float[n, n_params]."""
    functions = np.array([*_differences(fit, pairs), *_parameters(fit, parameters)])
    return [f"{a} - {b}" for a, b in pairs] + list(parameters), functions


def _differences(fit: Fit, pairs: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
    functions = ability_functions(fit, find_group(fit, None, None)) if pairs else np.empty((0, 0))
    for pair in pairs:
        if len(pair) != 2 or pair[0] == pair[1]:
            raise InputError(f"pair {list(pair)}; expected two different items")
        for item in pair:
            if item not in fit.items:
                raise ItemError(f"no item {item!r}; there are {', '.join(fit.items)}")
        yield functions[fit.items.index(pair[0])] - functions[fit.items.index(pair[1])]


def _parameters(fit: Fit, signs: Mapping[str, str]) -> Iterator[FloatArray]:
    names = tuple(term.name for term in fit.terms)
    for name, sign in signs.items():
        one_of("parameter", name, names)
        one_of("sign", sign, SIGNS)
        yield np.eye(len(names))[names.index(name)]


def _tests(fit: Fit, functions: FloatArray) -> list[EffectTest]:
    estimate = functions @ fit.beta
    if fit.robust is None:
        variance = np.diag(fit.covariance.between(functions))
        se, df, how, title = np.sqrt(variance), np.full(len(functions), np.inf), INDEPENDENT, ""
        alone = [""] * len(functions)
    else:
        se, title = fit.robust.standard_errors(functions), fit.robust.title
        how = f"by {BOTH.join(fit.robust.columns)}"
        known = np.isfinite(se)
        spread = ["" if finite else NO_SPREAD for finite in known]
        alone = [fit.robust.alone(function) or none for function, none in zip(functions, spread)]
        df = np.full(len(functions), np.nan)
        if known.any():
            df[known] = fit.robust.degrees_of_freedom(functions[known])
    p = student_p(estimate / se, df)
    return [
        EffectTest(how, float(estimate[k]), float(se[k]), float(df[k]), float(p[k]), alone[k], title)
        for k in range(len(functions))
    ]


# -- statements ----------------------------------------------------------------------------------------------


@statement_test("significant-by-cluster")
def significant_by_cluster(
    context: Context,
    *,
    by: Sequence[str],
    pairs: Sequence[Sequence[str]] = (),
    parameters: Mapping[str, str] | None = None,
) -> Finding:
    """What is significant with independent answers stays so with clustered ones: items that stand above
    others, parameters with a sign.

    A table without the columns cannot be clustered; a number that one cluster alone determines has no
    clustered standard error.  Either is `not-checkable`.
    """
    fit = context.fit
    missing = [c for c in dict.fromkeys(sum(ways_of(by), ())) if c not in fit.data.columns]
    if missing:
        return _without_columns(fit, missing, pairs, parameters or {}, context.alpha)
    effects = effects_of(fit, by, pairs, parameters)
    said = f"{titles(effects)}. " + ". ".join(map(str, effects)) + rough(effects)
    if not all(e.independent.significant(context.alpha, e.sign) for e in effects):
        return holds(False, f"also not significant with independent answers; {said}")
    if any(e.alone for e in effects):
        return Finding("not-checkable", f"clustering is not possible; {said}", code="one-cluster")
    return _verdict(effects, said, context.alpha)


@statement_test("order-open-by-cluster")
def order_open_by_cluster(context: Context, *, by: Sequence[str], pairs: Sequence[Sequence[str]]) -> Finding:
    """No pair of items can be put in order: none is distinguished with clustered answers.

    Told apart with independent answers all the same, the statement holds under clustering only, which is
    said.
    """
    return order_open(effects_of(context.fit, by, pairs), context.alpha)


def order_open(effects: Sequence[Effect], alpha: float) -> Finding:
    """The finding that none of these differences is distinguished from 0, with clustered answers."""
    said = f"{titles(effects)}. " + ". ".join(f"{e}; {_chances(e)}" for e in effects) + rough(effects)
    told = [e.name for e in effects if any(test.significant(alpha) for test in e.clustered)]
    only = [e.name for e in effects if e.independent.significant(alpha)]
    nearest = min((test for e in effects for test in e.clustered), key=lambda test: test.p).statistic
    if told:
        return holds(False, f"also distinguished under clustering: {_listed(told)}; {said}", native=nearest)
    if only:
        which = f"{_listed(only)} {'is' if len(only) == 1 else 'are'} distinguishable from 0"
        said = f"holds only under clustering: with independent answers {which}; {said}"
        return Finding("agrees", said, nearest)
    return Finding("agrees", f"survives clustering: {said}", nearest)


def _chances(effect: Effect) -> str:
    clustered = "".join(f", {test.how} {test.p_above:.3f}" for test in effect.clustered)
    return f"P({effect.name} above 0) {effect.independent.p_above:.3f}{clustered}"


def titles(effects: Sequence[Effect]) -> str:
    """The ways of clustering, with the number of their clusters."""
    return ", ".join(test.title for test in effects[0].clustered)


def rough(effects: Sequence[Effect]) -> str:
    """A caution where t tests have very few degrees of freedom; "" otherwise."""
    least = min((test.df for e in effects for test in e.clustered if test.df == test.df), default=math.inf)
    return f". With {least:.1f} degrees of freedom, p is approximate" if least < ROUGH_DF else ""


def _verdict(effects: Sequence[Effect], said: str, alpha: float) -> Finding:
    lost = [e.name for e in effects if not e.survives(alpha)]
    kept = [e.name for e in effects if e.survives(alpha)]
    weakest = max((test for e in effects for test in e.clustered), key=lambda test: test.p).statistic
    if not lost:
        return Finding("agrees", f"survives clustering: {said}", weakest)
    also = f"; {_listed(kept)} survive{'s' * (len(kept) == 1)}" if kept else ""
    gone = f"{_listed(lost)} {'does' if len(lost) == 1 else 'do'} not survive clustering"
    said = f"holds if all answers are independent; {gone}{also}; {said}"
    return Finding.because(CODE, said, "explained", weakest)


def _without_columns(
    fit: Fit,
    missing: Sequence[str],
    pairs: Sequence[Sequence[str]],
    parameters: Mapping[str, str],
    alpha: float,
) -> Finding:
    """How much longer a standard error might get before the conclusion is lost, as no cluster is known."""
    from ...fit.estimates.array_inference import normal_quantile

    names, functions = _asked(fit, pairs, parameters)
    tests = dict(zip(names, _tests(fit, functions)))
    room = "; ".join(
        f"{name} (z = {t.statistic:.2f}) would lose significance if clustering made its standard error"
        f" {abs(t.statistic) / normal_quantile(1 - alpha / 2):.2f} times as large"
        for name, t in tests.items()
    )
    said = f"clustering is not possible: the counts are not printed by {_listed(missing, 'or')}; {room}"
    return Finding("not-checkable", said, code="no-clusters")


def _listed(names: Sequence[str], word: str = "and") -> str:
    return f" {word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


#: In place of a number that there is not.
NONE = "\u2013"
#: Says whether a conclusion holds with clustered answers as it does with independent ones.
SURVIVES, LOST = Cell("survives", "\u2713", "good"), Cell("does not survive", "!", "note")


def survives_cell(survives: bool) -> Cell:
    return SURVIVES if survives else LOST


def statistic(test: EffectTest) -> str:
    """ "0.87 on 3.0 df", "5.05" of a normal, a dash where there is no standard error."""
    if test.alone:
        return NONE
    return f"{test.statistic:.2f}" + ("" if math.isinf(test.df) else f" on {test.df:.1f} df")


def p_text(test: EffectTest) -> str:
    return NONE if test.alone else p_words(test.p, digits=2)


def effects_table(effects: Sequence[Effect], way: str, alpha: float, caption: str) -> Table:
    """A row an effect: the estimate, its test with independent answers and with the one way of clustering."""
    tests = ("se, independent", "z", "p", f"se, {way}", f"t, {way}", f"p, {way}")
    header = ("", "estimate", *tests, Column("under clustering", "left"))
    rows: list[tuple[str | Cell, ...]] = []
    for effect in effects:
        cells = [cell for test in (effect.independent, *effect.clustered) for cell in _cells(test)]
        first = (effect.name, f"{effect.independent.estimate:.4f}")
        rows.append((*first, *cells, survives_cell(effect.survives(alpha))))
    return Table(header, tuple(rows), caption)


def _cells(test: EffectTest) -> tuple[str, str, str]:
    return NONE if test.alone else f"{test.se:.4f}", statistic(test), p_text(test)


def ways_table(effects: Sequence[Effect], alpha: float, caption: str) -> Table:
    """Each test of each effect, independent answers before every way of clustering."""
    numbers = ("estimate", "se", "z or t", "p", "P(above 0)")
    header = ("", Column("answers", "left"), *numbers, Column("distinguished", "left"))
    rows = tuple(
        (
            effect.name if test is effect.independent else "",
            test.how,
            f"{test.estimate:.4f}",
            *_cells(test),
            f"{test.p_above:.3f}",
            "yes" if test.significant(alpha) else "no",
        )
        for effect in effects
        for test in (effect.independent, *effect.clustered)
    )
    return Table(header, rows, caption)
