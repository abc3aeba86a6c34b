"""What the numbers of a page show without a reading: which are wrong, which pattern they have, which readings
reproduce most of them, and which cell of the table is mistyped: the one count, or the game, whose change
reproduces every number.

At the right table the score is zero at the printed estimates.  With s the score of the table as it is, H the
information and J the derivatives of the printed numbers, all at the parameters that fit the printed numbers
best, the table with d counts more of one outcome of one cell gives numbers that are off by

    J H^-1 (s + d g)        g: the gradient of that outcome's log-probability

which needs no fit and is as accurate for large d as for small d.  Changes that bring every number within its
last place are fitted, and count if all numbers are reproduced.  Two cells are tried if one is not enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...fit.estimates.likelihood import outcome_probabilities
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ..claims.quantities import Quantity
from ..verdicts.definitions import significant_digits
from .chance import OneDigit
from .known import STAGES, Slip, one_factor
from .many_fits import Design, score_and_information
from .target import Target
from .variants import Rows, treated

OF_THE_FIT = tuple(
    "deviance null_deviance llf llf_poisson aic aic_glm bic gof_p pearson pearson_p lr lr_p".split()
)


def says(claim: str, quantity: str) -> tuple[str, str]:
    """What a number says: deviance, llf and AIC are one number and its constants, and so are estimate, z and p of
    a parameter."""
    q = Quantity.parse(quantity)
    return claim, "" if q.kind in OF_THE_FIT else q.place or q


def digits_between(numbers: Iterable[tuple[str, str, str]]) -> int:
    """Significant digits of (claim, quantity, printed text), those that say the same counted once."""
    most: dict[tuple[str, str], int] = {}
    for claim, quantity, text in numbers:
        said = says(claim, quantity)
        most[said] = max(most.get(said, 0), significant_digits(text))
    return sum(most.values())


def independent(numbers: Iterable[tuple[str, str]]) -> int:
    """How many of these numbers, (claim, quantity), say something of their own."""
    return len({says(*number) for number in numbers})


# -- what is seen of every reading ---------------------------------------------------------------------------


@dataclass(eq=False)
class Watch:
    """What a search notes of the readings of one claim, beside those that fit.

    chance: the misprints that some reading would explain.  best: by number of slips, the reading that brings out
    most digits, and its numbers.  columns: by kind, single slips that bring out every number of that kind.
    """

    target: Target
    chance: OneDigit = field(init=False)
    best: dict[int, tuple[float, tuple[Slip, ...], FloatArray]] = field(default_factory=dict)
    columns: dict[str, list[Slip]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        t = self.target
        self.own = t.values([()], t.setting)[0]
        self.chance = OneDigit(t.numbers, self.own)
        self._weight = np.array([significant_digits(q.printed.text) for q in t.numbers], float)
        kinds = np.array([q.quantity.kind for q in t.numbers])
        off = {Quantity.parse(q).kind for q in t.off}
        self._columns = {kind: kinds == kind for kind in ("estimate", "se") if kind in off}

    def see(self, readings: Sequence[tuple[Slip, ...]], values: FloatArray, outside: BoolArray) -> None:
        """Note readings, and their numbers float[B, n]."""
        sizes = np.array([len(r) for r in readings])
        out = ~outside @ self._weight
        for n in (1, 2):
            at = np.flatnonzero(sizes == n)
            if not len(at):
                continue
            self.chance.see(values[at], n)
            top = int(at[np.argmax(out[at])])
            if out[top] > self.best.get(n, (0.0,))[0]:
                self.best[n] = float(out[top]), readings[top], values[top]
            for kind, these in self._columns.items() if n == 1 else ():
                fitting = at[~outside[np.ix_(at, these)].any(axis=1)]
                self.columns.setdefault(kind, []).extend(readings[k][0] for k in fitting)


# -- which printed number is wrong ---------------------------------------------------------------------------

#: Numbers of a page from which on one or two may be called wrong, and how many at most.
LEAST_NUMBERS, MOST_WRONG = 5, 2


def wrong_numbers(target: Target) -> tuple[str, ...]:
    """The only numbers that are not reproduced, without those that follow from them; () if they are too many."""
    off = target.off
    groups: dict[tuple[str, str], list[str]] = {}
    for q in off:
        groups.setdefault(says("", q), []).append(q)
    if len(target.numbers) < LEAST_NUMBERS or len(groups) > MOST_WRONG:
        return ()
    found = [q for same in groups.values() for q in _first_wrong(target, same)]
    return tuple(found) if len(found) <= MOST_WRONG and len(off) <= len(target.numbers) / 2 else ()


def _first_wrong(target: Target, same: Sequence[str]) -> list[str]:
    """Of numbers that say the same, the first (or an estimate), and those that do not follow from it as printed."""
    from ..verdicts.arithmetic import check_numbers

    if len(same) == 1:
        return list(same)
    order = ("estimate", "se")
    first, *rest = sorted(same, key=lambda q: (*order, Quantity.parse(q).kind).index(Quantity.parse(q).kind))
    fits_print = {c.quantity: c.holds for c in check_numbers(target.printout())}
    shift = {"llf": -0.5, "llf_poisson": -0.5}

    def moved(q: str) -> tuple[float, float]:
        printed, unit = target.printed(q)
        size = shift.get(Quantity.parse(q).kind, 1.0)
        return (printed - target.computed(q)) / size, unit / abs(size)

    def follows(q: str) -> bool:
        if Quantity.parse(first).kind not in OF_THE_FIT:
            return fits_print.get(q) is True
        (a, u), (b, v) = moved(first), moved(q)
        return abs(a - b) <= (u + v) / 2.0

    return [first, *(q for q in rest if not follows(q))]


def wrong_words(target: Target, wrong: Sequence[str]) -> str:
    """ "11 of 12 numbers are reproduced; only estimate.C is not: printed -0.948, these data give -0.919"."""
    if not wrong:
        return ""
    n, off = len(target.numbers), len(target.off)
    named = " and ".join(wrong)
    verb = "is not" if len(wrong) == 1 else "are not"
    more = off - len(wrong)
    text = {str(q.quantity): q.printed.text for q in target.numbers}
    given = "; ".join(
        f"{'' if len(wrong) == 1 else f'{q}: '}printed {text[q]}, these data give {target.as_printed(q)}"
        for q in wrong
    )
    follow = f" (and {more} that follow{'s' if more == 1 else ''} from it)" if more else ""
    return f"{n - off} of {n} numbers are reproduced; only {named} {verb}{follow}: {given}"


# -- the pattern of the numbers ------------------------------------------------------------------------------

#: Numbers that a pattern must hold for, one of which decides its constant; digits of the others together.
LEAST_OF_A_PATTERN, LEAST_DIGITS = 3, 3


def pattern(target: Target, columns: dict[str, list[Slip]]) -> str:
    """The one factor or constant between the printed and the computed numbers, and the slips that give it."""
    found = []
    for kind, name in (("se", "standard errors"), ("estimate", "estimates")):
        words = _factor(target, kind, name) or (_constant(target) if kind == "estimate" else "")
        if words:
            known = sorted(columns.get(kind, []), key=lambda s: (STAGES.index(s.stage), s.cost))
            ways = list(dict.fromkeys(s.sentence for s in known))
            found.append(words + (f"; this is the case if {', or if '.join(ways[:3])}" if ways else ""))
    return "; ".join(found)


def _column(target: Target, kind: str) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """The printed numbers of a kind, the units of their last places, and the computed ones; None if they show no
    pattern."""
    items = {t.name for t in target.fit.terms if kind == "se" or t.kind in ("item", "covariate")}
    these = [
        q.quantity
        for q in target.numbers
        if q.quantity.kind == kind and q.quantity.name in items and q.printed.unit is not None
    ]
    off = sum(q in target.off for q in these)
    digits = [significant_digits(q.printed.text) for q in target.numbers if q.quantity in these]
    own = np.array([target.computed(q) for q in these])
    if len(these) < LEAST_OF_A_PATTERN or 2 * off < len(these) or sum(digits) - max(digits) < LEAST_DIGITS:
        return None
    value, unit = np.array([target.printed(q) for q in these]).T
    return (value, unit, own) if np.isfinite(own).all() else None


def _factor(target: Target, kind: str, name: str) -> str:
    column = _column(target, kind)
    if column is None or (column[2] == 0).any():
        return ""
    low, high = one_factor(*column)
    if not (low <= high and (low > 1.0 or high < 1.0) and low * high > 0.0):
        return ""
    if kind == "estimate":
        return f"all {name} are {_shown(low, high)} times the computed ones"
    small = low + high < 2.0
    size = _shown(1.0 / high, 1.0 / low) if small else _shown(low, high)
    return f"all {name} are too {'small' if small else 'large'} by a factor of {size}"


def _constant(target: Target) -> str:
    column = _column(target, "estimate")
    if column is None:
        return ""
    value, unit, own = column
    low, high = float((value - unit / 2.0 - own).max()), float((value + unit / 2.0 - own).min())
    if low > high or low <= 0.0 <= high:
        return ""
    return f"the estimates differ from the computed ones by a constant, {_shown(low, high)}"


#: Constants by which programs differ, preferred where the printed numbers allow them.
CONSTANTS = (2.0, 0.5, math.sqrt(2.0), math.sqrt(0.5))


def _shown(low: float, high: float) -> str:
    """A constant of an interval, or its middle, with the decimals that it determines."""
    decimals = 3 if high <= low else min(3, max(1, math.ceil(-math.log10(high - low))))
    value = next((c for c in CONSTANTS if low <= c <= high), (low + high) / 2.0)
    return f"{value:.{decimals}f}"


# -- the mistyped cell ---------------------------------------------------------------------------------------

#: Numbers that the parameters alone decide.
_OF_PARAMETERS = ("estimate", "exp", "contrast", "odds", "worth", "p_first", "p_second", "p_tie")
#: What may be changed in a cell: a win, a tie, a loss more, and a game given to the other side.
_WAYS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, -1]], float)
#: Printed places by which a number may be off before the fit: its rounding, and that of the other numbers.
NEAR = 1.0
#: The step of a difference; steps to the parameters of the print; changes that are fitted; ways to change two
#: cells that are compared.
SMALL, STEPS, MOST_FITS, MOST_PAIRS = 1e-6, 8, 120, 60_000


@dataclass(frozen=True, eq=False)
class _Ways:
    """Ways to change the table: cell, way int[D]; moved float[D, n]: printed places by which a count more moves
    the numbers that the parameters decide; off float[n]: printed places by which they are off."""

    cell: IntArray
    way: IntArray
    moved: FloatArray
    off: FloatArray

    def added(self, d: int, size: float) -> tuple[int, FloatArray]:
        """The cell of a way and its counts more, float[3]."""
        return int(self.cell[d]), size * _WAYS[self.way[d]]


Changes = Sequence[tuple[int, FloatArray]]


def mistyped(target: Target, digits: int, by_chance: float) -> str:
    """The change that brings every number out, as a sentence; "" if there is none, or more than `by_chance` of
    those that are possible would be expected to bring out numbers of so many digits."""
    ways = _ways(target)
    if ways is None or not len(ways.cell):
        return ""
    tally = target.tally(())
    possible = len(ways.cell) * max(2.0, float(tally.max()))
    for changes, tried in ((_one(ways), possible), (_two(ways, tally), possible**2 / 2.0)):
        if tried > by_chance * 10.0**digits:
            break
        fitting = [words for near in changes[:MOST_FITS] if (words := _words_if_it_fits(target, near))]
        if fitting:
            more = f" (also with {'; '.join(fitting[1:3])})" if len(fitting) > 1 else ""
            return f"with {fitting[0]} every number is reproduced{more}"
    return ""


# -- at the printed numbers ----------------------------------------------------------------------------------


def _ways(target: Target) -> _Ways | None:
    """All ways to change one cell; None where the printed numbers do not decide the parameters."""
    model, setting = target.model, target.setting
    design, places = model.design(setting.solver.ties)
    of_parameters = (q.quantity.kind in _OF_PARAMETERS and q.printed.unit is not None for q in target.numbers)
    used = np.flatnonzero(list(of_parameters)).tolist()
    if len(used) < design.k or design.k == 0 or (places < 0).any() or target.fit.not_estimable:
        return None
    unit = np.array([float(target.numbers[k].printed.unit or 1) for k in used])
    printed = np.array([float(target.numbers[k].printed.value or 0) for k in used])

    def off(beta: FloatArray) -> FloatArray:
        return np.asarray((target.at(beta, (), setting, errors=False)[:, used] - printed) / unit)

    beta = target.fitted([()], setting.solver).beta[0, places]
    for _ in range(STEPS):
        here, slopes = _with_slopes(off, beta)
        if not np.isfinite(slopes).all() or np.linalg.matrix_rank(slopes) < design.k:
            return None
        beta = beta - np.linalg.lstsq(slopes.T, here, rcond=None)[0]
    y = treated(target.tally(()), setting.solver.ties)
    score, information = score_and_information(design, beta[None], y[None])
    try:
        map_ = np.linalg.solve(information[0], slopes)
    except np.linalg.LinAlgError:
        return None
    gradients = _gradients(design, beta, setting.solver.ties)
    cell, way = (at.ravel() for at in np.indices(gradients.shape[:2]))
    full = (np.abs(gradients).max(axis=2) > 1e-12) & (y.sum(axis=1) > 0)[:, None]
    full[:, 1] &= model.rows.tie_category
    far = off(beta[None])[0] + score[0] @ map_
    return _Ways(cell[full.ravel()], way[full.ravel()], gradients[full] @ map_, far)


def _with_slopes(
    values: Callable[[FloatArray], FloatArray], beta: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Values [...] of parameters float[B, k] at beta float[k], and their slopes [k, ...] by differences."""
    around = values(np.vstack([beta, beta + SMALL * np.eye(len(beta))]))
    return around[0], (around[1:] - around[0]) / SMALL


def _gradients(design: Design, beta: FloatArray, ties: str) -> FloatArray:
    """float[n_cells, 4, k]: of the log-probability of each way in each cell."""

    def log_p(beta: FloatArray) -> FloatArray:
        return np.log(np.maximum(outcome_probabilities(*design.predictors(beta), design.model), 1e-300))

    slopes = _with_slopes(log_p, beta)[1]
    return np.asarray(np.einsum("kno,wo->nwk", slopes, treated(_WAYS, ties)))


# -- changes under which the numbers come near ---------------------------------------------------------------


def _one(ways: _Ways) -> list[Changes]:
    """Changes of one cell by a whole number of counts, the nearest first."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([(-side * NEAR - ways.off) / ways.moved for side in (1, -1)])
    still = np.abs(ways.moved) < 1e-12
    low = np.where(still, np.where(np.abs(ways.off) <= NEAR, -np.inf, np.inf), ends.min(axis=0)).max(axis=1)
    high = np.where(still, np.inf, ends.max(axis=0)).min(axis=1)
    found = [
        (float(np.abs(ways.off + size * ways.moved[d]).max()), d, float(size))
        for d in np.flatnonzero(low <= high).tolist()
        for size in range(int(np.ceil(low[d])), int(np.floor(min(high[d], low[d] + MOST_FITS))) + 1)
        if size
    ]
    return [[ways.added(d, size)] for _, d, size in sorted(found)]


def _two(ways: _Ways, tally: FloatArray) -> list[Changes]:
    """Two cells' counts exchanged, or one count changed in each of two cells; the nearest first."""
    found: list[tuple[float, Changes]] = []
    cells = np.unique(ways.cell)
    if len(cells) ** 2 <= MOST_PAIRS:
        by_cell = {(int(c), int(w)): m for c, w, m in zip(ways.cell, ways.way, ways.moved)}
        none = np.zeros_like(ways.off)
        for a, b in ((a, b) for k, a in enumerate(cells) for b in cells[k + 1 :]):
            more = tally[b] - tally[a]
            of_ways = (more[w] * (by_cell.get((a, w), none) - by_cell.get((b, w), none)) for w in range(3))
            moved = sum(of_ways, none)
            found.append((float(np.abs(ways.off + moved).max()), [(int(a), more), (int(b), -more)]))
    if len(ways.cell) ** 2 / 2 <= MOST_PAIRS:
        found += _two_counts(ways)
    near = [(worst, k) for k, (worst, _) in enumerate(found) if worst <= 2.0 * NEAR]
    return [found[k][1] for _, k in sorted(near)]


#: Whole numbers about the best two changes that are looked at.
_ABOUT = np.array([(x, y) for x in range(-3, 4) for y in range(-3, 4)], float)


def _two_counts(ways: _Ways) -> Iterator[tuple[float, Changes]]:
    """One count changed in each of two cells, with how far off it leaves the numbers."""
    a, b = np.triu_indices(len(ways.cell), 1)
    a, b = a[other := ways.cell[a] != ways.cell[b]], b[other]
    both = np.stack([ways.moved[a], ways.moved[b]], axis=1)
    products = both @ both.transpose(0, 2, 1)
    # Two ways that are one have no inverse.
    products += 1e-12 * np.trace(products, axis1=1, axis2=2)[:, None, None] * np.eye(2)
    best = -np.linalg.solve(products, both @ ways.off[:, None])[..., 0]
    left = ways.off + np.einsum("pw,pwn->pn", best, both)
    near = np.flatnonzero(np.abs(left).max(axis=1) <= NEAR)
    for k in near:
        d, e = int(a[k]), int(b[k])
        counts = np.round(best[k]) + _ABOUT
        counts = counts[(counts != 0).all(axis=1)]
        worst = np.abs(ways.off + counts @ ways.moved[[d, e]]).max(axis=1)
        for w, (m, n) in zip(worst, counts):
            if w <= NEAR:
                yield float(w), [ways.added(d, m), ways.added(e, n)]


# -- fits ----------------------------------------------------------------------------------------------------


def _words_if_it_fits(target: Target, changes: Changes) -> str:
    """The change in words if it reproduces every number; "" if not, or if no row of the table allows it."""
    rows, words = target.model.rows, []
    for cell, more in changes:
        changed = _change_a_row(target, rows, cell, more)
        if changed is None:
            return ""
        rows, said = changed
        words.append(said)
    sentence = _exchange(target, changes) or " and ".join(words)
    values = target.values([(Slip(sentence, rows=lambda _: rows),)], target.setting)
    return sentence if target.fits(values[0]) else ""


def _exchange(target: Target, changes: Changes) -> str:
    """The words for two cells that change places; "" for another change."""
    if len(changes) < 2 or (changes[0][1] != -changes[1][1]).any() or np.count_nonzero(changes[0][1]) < 2:
        return ""
    pairs = [target.model.rows.pairs[target.model.cells.pair[cell]] for cell, _ in changes]
    named = [":".join(target.fit.items[k] for k in pair) for pair in pairs]
    return f"the counts of {named[0]} and {named[1]} exchanged"


def _change_a_row(target: Target, rows: Rows, cell: int, more: FloatArray) -> tuple[Rows, str] | None:
    """The rows with these counts more in the first row of the cell that allows it, and the change in words."""
    here = (target.model.cells.cell_of(rows) == cell) & (rows.times == 1)
    allowed = np.flatnonzero(here & (rows.y + more >= 0).all(axis=1))
    if not len(allowed):
        return None
    at = int(allowed[0])
    y = rows.y.copy()
    y[at] += more
    i, j = (rows.items[k] for k in rows.pairs[rows.pair[at]])
    named = (f"wins of {i} over {j}", f"ties of {i} and {j}", f"wins of {j} over {i}")
    parts = [f"{y[at, k]:g} in place of {rows.y[at, k]:g} {named[k]}" for k in np.flatnonzero(more)]
    return rows.with_counts(y), ", ".join(parts)
