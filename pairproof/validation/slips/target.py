"""A claim prepared for a search: its printed numbers as intervals, its model ready for thousands of tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.fit import Fit
from ...numerics.arrays import BoolArray, FloatArray
from ..claims.paper import Claim, PrintedQuantity
from ..claims.printed import Printed
from ..claims.quantities import kind_of, quantity
from ..verdicts.arithmetic import Interval, Printout
from ..verdicts.verdict import judge_print, judge_table
from .known import Situation, Slip
from .many_fits import joined, log_likelihood, score_and_information
from .values import Batch, Constants, Setting, Values, constants, own_setting, wins_of
from .variants import Fitted, Model, Rows, Solver, treated

Key = tuple[Slip, ...]
#: Numbers for which a fit is enough, without the constants of its table.
OF_FIT_ALONE = frozenset(
    "estimate exp se z low high contrast contrast_se contrast_z worth worth_se odds p_first p_second"
    " llf n_items wins".split()
)
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
        self._rows: dict[Key, Rows] = {}
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
        return Situation(self.fit, self.model, self.setting, numbers, self.matrix, self._steps)

    @cached_property
    def _steps(self) -> int:
        return 0 if self.fit.spec.ties == "rao-kupper" else self.model.steps(self.setting.solver)

    # -- tables ----------------------------------------------------------------------------------------------

    def rows(self, key: Key) -> Rows:
        """The table under these slips of the data, made once."""
        if not key:
            return self.model.rows
        if key in self._rows:
            return self._rows[key]
        change = key[-1].rows
        assert change is not None  # every slip of the data has one
        made = change(self.rows(key[:-1]))
        if len(self._rows) * made.y.nbytes < KEPT:
            self._rows[key] = made
        return made

    def tally(self, key: Key) -> FloatArray:
        """float[n_cells, 3]: the counts of the table under these slips."""
        if key in self._tallies:
            return self._tallies[key]
        tally = self.model.cells.tally(self.rows(key))
        if len(self._tallies) < self.kept:
            self._tallies[key] = tally
        return tally

    def _constants_of(self, keys: Sequence[Key], solver: Solver) -> Constants:
        if not self._needs_constants:
            return Constants(*np.full((len(fields(Constants)), len(keys)), np.nan))
        for key in keys:
            if (solver.ties, solver.cells, key) not in self._constants:
                made = constants(self.model, [self.rows(key)], solver)
                self._constants[solver.ties, solver.cells, key] = made
        return joined(Constants, [self._constants[solver.ties, solver.cells, key] for key in keys])

    @cached_property
    def _needs_constants(self) -> bool:
        return not {q.quantity.kind for q in self.numbers} <= OF_FIT_ALONE

    def _wins(self, keys: Sequence[Key]) -> FloatArray:
        if not any(q.quantity.kind == "wins" for q in self.numbers):
            return np.zeros((len(keys), len(self.fit.items)))
        counts = np.stack([self.tally(key) for key in keys])
        return wins_of(self.fit, counts, self.model.rows.pairs[self.model.cells.pair])

    # -- values ----------------------------------------------------------------------------------------------

    def values(self, keys: Sequence[Key], setting: Setting) -> FloatArray:
        """float[n_keys, n_numbers]: the numbers under slips of the data and one setting."""
        if setting.solver.other_order:
            own = replace(setting, solver=replace(setting.solver, other_order=False))
            return self.other_order.values(keys, own)
        return self.numbers_of(self.fitted(keys, setting.solver), keys, setting)

    def numbers_of(self, fitted: Fitted, keys: Sequence[Key], setting: Setting) -> FloatArray:
        """float[n_keys, n_numbers]: the numbers that fits to these tables have."""

        def other(claim: str) -> tuple[FloatArray, FloatArray]:
            target = self.others[claim]
            solver = replace(target.setting.solver, penalty=setting.solver.penalty, stop=setting.solver.stop)
            theirs = target.fitted(keys, solver)
            return theirs.llf, theirs.rank

        of_tables = self._constants_of(keys, setting.solver)
        return self._values.compute(Batch(fitted, of_tables, self._wins(keys), other), setting)

    def at(self, beta: FloatArray, key: Key, setting: Setting, errors: bool = True) -> FloatArray:
        """float[B, n_numbers]: the numbers as if the estimates of a table were beta float[B, k]; `errors`: with
        standard errors, from the information there."""
        design, places = self.model.design(setting.solver.ties)
        y = treated(self.tally(key)[None], setting.solver.ties)
        b, n = len(beta), len(self.fit.terms)
        full, cov = np.zeros((b, n)), np.zeros((b, n, n))
        full[:, places] = beta
        if errors:
            information = score_and_information(design, beta, y)[1]
            with np.errstate(all="ignore"):
                cov[np.ix_(np.arange(b), places, places)] = np.linalg.pinv(information)
        llf, rank = log_likelihood(design, beta, y), np.full(b, float(design.k))
        return self.numbers_of(Fitted(full, cov, np.zeros((b, n), bool), llf, rank), [key] * b, setting)

    def fitted(self, keys: Sequence[Key], solver: Solver) -> Fitted:
        """The fits of these tables, each made once.

        The cells of the deviance change a fit only if the algorithm stops early.
        """
        solver = solver if solver.stop else replace(solver, cells="model")
        new = [key for key in keys if (solver, key) not in self._fits]
        here = {}
        if new:
            counts = np.stack([self.tally(key) for key in new])
            made = self.model.fitted([self.rows(key) for key in new], counts, solver)
            self.made += len(new)
            here = {(solver, key): made.take([b]) for b, key in enumerate(new)}
            self._fits.update(list(here.items())[: max(0, self.kept - len(self._fits))])
        return joined(Fitted, [here.get((solver, key)) or self._fits[solver, key] for key in keys])

    @cached_property
    def other_order(self) -> Target:
        """The claim under the same model with an order effect, or without it."""
        from ...native.comparisons.counts.llbt import fit

        made = fit(self.fit.data, replace(self.fit.spec, order_effect=not self.fit.spec.order_effect))
        others = {name: t.other_order for name, t in self.others.items()}
        return Target(self.claim, made, self.numbers, self.alpha, self.sided, others, self.matrix)

    # -- what is reproduced ----------------------------------------------------------------------------------

    def outside(self, values: FloatArray) -> BoolArray:
        """bool[B, n_numbers]: whether a number is too far from the printed one, or has no value."""
        with np.errstate(invalid="ignore"):
            return np.asarray(~((values >= self._low) & (values <= self._high)))

    def fits(self, values: FloatArray, leaving_out: Sequence[str] = ()) -> bool:
        """Whether every number is reproduced, judged as `check` judges the table.

        A number that differs must be reproduced by rounding, unless every number may have been truncated: a
        single truncated number does not count as reproduced.
        """
        kept = [(q, float(v)) for q, v in zip(self.numbers, values) if q.quantity not in leaving_out]
        size = self.fit.df_resid, self.fit.n_comparisons
        judged = judge_table([q for q, _ in kept], {q.quantity: v for q, v in kept}, self.alpha, *size)
        if not all(j.comes_out for j in judged.values()):
            return False
        if not any(j.verdict == "agrees-truncated" and name in self.off for name, j in judged.items()):
            return True
        return all(Interval.of(q.printed, "truncated").meets(Interval(v, v)) for q, v in kept)

    def fits_one(self, quantity: str, value: float) -> bool:
        """Whether one number is reproduced."""
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
        """The quantities that are not reproduced as printed."""
        values: dict[str, float] = {q.quantity: self.computed(q.quantity) for q in self.numbers}
        judged = judge_table(self.numbers, values, self.alpha, self.fit.df_resid, self.fit.n_comparisons)
        return tuple(name for name, j in judged.items() if not j.comes_out)

    @cached_property
    def _computed(self) -> dict[str, float]:
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
