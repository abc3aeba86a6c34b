"""A claim prepared for a search: its printed numbers as intervals, its model ready for thousands of tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.fit import Fit
from ...numerics.arrays import BoolArray, FloatArray
from ..claims.paper import Claim, PrintedQuantity
from ..claims.printed import Printed
from ..claims.quantities import kind_of
from ..verdicts.arithmetic import Interval, Printout
from ..verdicts.verdict import judge_print
from .known import Situation, Slip, printed_kinds
from .values import Batch, Constants, Setting, Values, constants, own_setting, wins_of
from .variants import Fitted, Model, Rows, Solver

Key = tuple[Slip, ...]
Tables = Sequence[tuple[Key, Rows]]
Arrays = TypeVar("Arrays", Fitted, Constants)
#: Numbers for which a fit is enough, without the constants of its table.
OF_FIT_ALONE = frozenset(
    "estimate exp se z low high contrast contrast_se contrast_z worth worth_se odds p_first p_second"
    " llf n_items wins".split()
)
NO_CONSTANTS = Constants(*(np.array([np.nan]) for _ in fields(Constants)))
#: Bytes of fits and of counts that are kept; beyond them a table that comes again is fitted again.
KEPT = 50e6


@dataclass(eq=False)
class Target:
    """A claim whose printed numbers a search tries to reproduce."""

    claim: str
    fit: Fit
    numbers: tuple[PrintedQuantity, ...]
    alpha: float = 0.05
    sided: int = 2
    others: Mapping[str, Target] = field(default_factory=dict)
    matrix: bool = False

    def __post_init__(self) -> None:
        self.setting = own_setting(self.fit, self.sided)
        self.model = Model(self.fit)
        self._values = Values(self.fit, [q.quantity for q in self.numbers])
        self._place: dict[str, int] = {q.quantity: k for k, q in enumerate(self.numbers)}
        self._low, self._high = (np.array(ends) for ends in zip(*(_hull(q.printed) for q in self.numbers)))
        self._fits: dict[tuple[Solver, Key], Fitted] = {}
        self._constants: dict[tuple[str, str, Key], Constants] = {}
        self._tallies: dict[Key, FloatArray] = {}
        self.made = 0

    @property
    def kept(self) -> int:
        """Tables of which fits and counts are kept: those of `KEPT` bytes."""
        return int(KEPT / (8 * (len(self.fit.terms) ** 2 + 3 * len(self.model.cells.pair))))

    @staticmethod
    def of(
        claim: Claim, fit: Fit, others: Mapping[str, Target] | None = None, matrix: bool = False
    ) -> Target:
        return Target(claim.id, fit, claim.numbers, float(claim.alpha), claim.sided, others or {}, matrix)

    def situation(self) -> Situation:
        """The facts from which families decide which slips are possible."""
        numbers = tuple((q.quantity, q.printed) for q in self.numbers)
        kinds = printed_kinds(self._place)
        return Situation(self.fit, self.model, self.setting, kinds, numbers, self.matrix, self._steps)

    @cached_property
    def _steps(self) -> int:
        if self.fit.spec.ties == "rao-kupper":
            return 0
        return self.model.steps(self.setting.solver)

    # -- values ----------------------------------------------------------------------------------------------

    def values(self, tables: Tables, setting: Setting) -> FloatArray:
        """float[n_tables, n_numbers]."""
        if setting.solver.other_order:
            return self.other_order.values(
                tables, replace(setting, solver=replace(setting.solver, other_order=False))
            )
        fitted = self.fitted(tables, setting.solver)
        of_tables = self._constants_of(tables, setting.solver)
        wins = np.zeros((len(tables), len(self.fit.items)))
        if any(q.quantity.kind == "wins" for q in self.numbers):
            counts = np.stack([self._tally(key, rows) for key, rows in tables])
            wins = wins_of(self.fit, counts, self.model.rows.pairs[self.model.cells.pair])

        def other(claim: str) -> tuple[FloatArray, FloatArray]:
            target = self.others[claim]
            solver = replace(target.setting.solver, penalty=setting.solver.penalty, stop=setting.solver.stop)
            changed = [(key, _follow(key, target.model.rows)) for key, _ in tables]
            theirs = target.fitted(changed, solver)
            return theirs.llf, theirs.rank

        return self._values.compute(Batch(fitted, of_tables, wins, other), setting)

    def fitted(self, tables: Tables, solver: Solver) -> Fitted:
        """The fits of these tables, each made once.

        The cells of the deviance change a fit only if the algorithm stops early.
        """
        solver = solver if solver.stop else replace(solver, cells="model")
        new = [(key, rows) for key, rows in tables if (solver, key) not in self._fits]
        here = {}
        if new:
            made = self.model.fitted(
                [rows for _, rows in new], np.stack([self._tally(k, r) for k, r in new]), solver
            )
            self.made += len(new)
            here = {(solver, key): made.take([b]) for b, (key, _) in enumerate(new)}
            self._fits.update(list(here.items())[: max(0, self.kept - len(self._fits))])
        return _joined(Fitted, [here.get((solver, key)) or self._fits[solver, key] for key, _ in tables])

    def _constants_of(self, tables: Tables, solver: Solver) -> Constants:
        if not self._needs_constants:
            return self.no_constants(len(tables))
        for key, rows in tables:
            if (solver.ties, solver.cells, key) not in self._constants:
                self._constants[solver.ties, solver.cells, key] = constants(self.model, [rows], solver)
        return _joined(Constants, [self._constants[solver.ties, solver.cells, key] for key, _ in tables])

    def _tally(self, key: Key, rows: Rows) -> FloatArray:
        if key in self._tallies:
            return self._tallies[key]
        tally = self.model.cells.tally(rows)
        if len(self._tallies) < self.kept:
            self._tallies[key] = tally
        return tally

    @cached_property
    def other_order(self) -> Target:
        """The claim under the same model with an order effect, or without it."""
        from ...native.comparisons.counts.llbt import fit

        made = fit(self.fit.data, replace(self.fit.spec, order_effect=not self.fit.spec.order_effect))
        others = {name: t.other_order for name, t in self.others.items()}
        return Target(self.claim, made, self.numbers, self.alpha, self.sided, others, self.matrix)

    @cached_property
    def _needs_constants(self) -> bool:
        return not printed_kinds(self._place) <= OF_FIT_ALONE

    # -- what comes out --------------------------------------------------------------------------------------

    def outside(self, values: FloatArray) -> BoolArray:
        """bool[B, n_numbers]: whether a number is too far from the printed one, or has no value."""
        with np.errstate(invalid="ignore"):
            inside: BoolArray = (values >= self._low) & (values <= self._high)
        return ~inside

    def fits(self, values: FloatArray, leaving_out: Sequence[str] = ()) -> bool:
        """Whether every number comes out, judged as `check` judges it.

        A number that is off must come out as rounded, unless every number may have been cut: one that alone is
        cut is no number that comes out.
        """
        judged = [
            (q, judge_print(q, float(v), self.alpha), float(v))
            for q, v in zip(self.numbers, values)
            if q.quantity not in leaving_out
        ]
        if not all(j.comes_out for _, j, _ in judged):
            return False
        if not any(j.verdict == "agrees-truncated" and q.quantity in self.off for q, j, _ in judged):
            return True
        ends = [(Interval.of(q.printed, "truncated"), v) for q, _, v in judged]
        return all(e.meets(Interval(v, v)) for e, v in ends)

    def numbers_of(self, batch: Batch, setting: Setting) -> FloatArray:
        """float[B, n_numbers]: the numbers of fits that were made elsewhere."""
        return self._values.compute(batch, setting)

    @staticmethod
    def no_constants(n: int) -> Constants:
        """Those of n tables of which only numbers of the fit are asked."""
        return _joined(Constants, [NO_CONSTANTS] * n)

    def fits_one(self, quantity: str, value: float) -> bool:
        """Whether one number comes out."""
        return judge_print(self.numbers[self._place[quantity]], value, self.alpha).comes_out

    def printout(self) -> Printout:
        """The numbers by themselves, for the checks that need no data."""
        fit = self.fit
        numbers: dict[str, Printed] = {q.quantity: q.printed for q in self.numbers}
        unit, ternary = LOG_WORTH_PER_UNIT[fit.scale], fit.data.tie_category
        return Printout(numbers, fit.items, unit, fit.spec, ternary, self.sided, self.alpha)

    def prints(self, quantity: str, printed: Printed, values: FloatArray) -> bool:
        """Whether a number would print as `printed`, another text than the one in the paper."""
        k = self._place[quantity]
        return judge_print(replace(self.numbers[k], printed=printed), float(values[k]), self.alpha).comes_out

    @cached_property
    def off(self) -> tuple[str, ...]:
        """The quantities that do not come out as printed."""
        return tuple(
            q.quantity
            for q in self.numbers
            if not judge_print(
                q, self.computed(q.quantity), self.alpha, self.fit.df_resid, self.fit.n_comparisons
            ).comes_out
        )

    @cached_property
    def _computed(self) -> dict[str, float]:
        from ..claims.quantities import quantity

        fits = {name: t.fit for name, t in self.others.items()}
        half = {q.quantity: self.sided == 1 and kind_of(q.quantity) == "p" for q in self.numbers}
        return {q: quantity(self.fit, q, fits) / (2.0 if halved else 1.0) for q, halved in half.items()}

    def computed(self, quantity: str) -> float:
        """The number as these data give it."""
        return self._computed[quantity]

    def printed(self, quantity: str) -> tuple[float, float]:
        """The number as printed, and the unit of its last place; nan for a bound."""
        p = self.numbers[self._place[quantity]].printed
        return float("nan" if p.value is None else p.value), float("nan" if p.unit is None else p.unit)

    def as_printed(self, quantity: str) -> str:
        """The number as these data give it, with the places of the printed one."""
        p, value = self.numbers[self._place[quantity]].printed, self.computed(quantity)
        if p.unit is None or not math.isfinite(value):
            return f"{value:.4g}"
        if "e" in p.text.lower():
            return f"{value:.{max(0, p.digits - 1)}e}"
        return f"{value:.{max(0, -int(p.unit.as_tuple().exponent))}f}"


def _joined(kind: type[Arrays], parts: Sequence[Arrays]) -> Arrays:
    """Join several records of arrays into one."""
    return kind(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(kind)))


def _follow(key: Key, rows: Rows) -> Rows:
    """Apply slips of the data to the rows."""
    for slip in key:
        assert slip.rows is not None  # slips of the data
        rows = slip.rows(rows)
    return rows


def _hull(printed: Printed) -> tuple[float, float]:
    """An interval of all values that print so, also by truncation or with zeros that are not digits."""
    if printed.is_bound:
        low = -math.inf if printed.low is None else float(printed.low)
        high = math.inf if printed.high is None else float(printed.high)
        slack = 1e-9 * max(abs(e) for e in (low, high, 0.0) if math.isfinite(e))
        return low - slack, high + slack
    assert printed.value is not None and printed.unit is not None
    value, unit = float(printed.value), float(printed.unit)
    reach = unit
    if printed.unit == 1 and printed.value != 0:
        digits = str(abs(int(printed.value)))
        reach = max(reach, 0.5 * 10.0 ** (len(digits) - len(digits.rstrip("0"))))
    reach *= 1 + 1e-9
    return value - reach, value + reach
