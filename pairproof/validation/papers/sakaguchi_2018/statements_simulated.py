"""What Sakaguchi and Van Durme (2018) found in their experiments, tried by simulation, over shifts of annotators
and kinds of context.

Their annotators' judgments are not published, so what can be asked is whether the method does it, and for
which annotators.  Those simulated are alike but for a shift (half of its variance an annotator's, half a
session's), and their noise is such that without a shift they agree as far as the paper's did.  Beside them
stand annotators who differ in every way that was found in WMT21 (the defaults of :class:`Panel`), with a
noise at which they agree as far with all their differences.  Every replicate has a truth of its own: 150
items, drawn again.  Corrected scores (da+, random+, easl+) are the items' predictions in the mixed model item
+ session + annotator.  A claim that holds for some annotators but not for others is ``explained`` by
``other-annotators``, and the explanation says for which.

The grid takes some twenty minutes on one core, so it is simulated once (`python -m tools.pages.sakaguchi
--simulate`) and kept in ``sakaguchi-2018.grid.json``, in units of 1e-4, every replicate with its own seed:
any part can be drawn again, and a test does so. What is not recorded (another agreement) is simulated when it
is asked for, with fewer replicates.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import InputError
from ....native.annotation import beta
from ....native.annotation.beta import FloatArray
from ....native.annotation.methods import Method
from ....native.annotation.simulated.simulated_panel import (
    SHIFT,
    STEP,
    TRUTHS,
    Context as ShownWith,
    Panel,
    Truth,
    sd_for_agreement,
    truth_of,
)
from ....native.annotation.simulated.simulation import Experiment, Simulation, simulate, spread
from ....native.annotation.simulated.simulation_grid import SHIFTS, Grid, verdict_on_easl, verdict_on_ra
from ...statements.registers import Context, Finding, holds, statement_test

RECORD = Path(__file__).with_name("sakaguchi-2018.grid.json")
#: Items, iterations and seed: those of the paper, and one truth.
ITEMS, BUDGET, SEED = 150, 10, 2018
METHODS: tuple[Method, ...] = ("da", "random", "easl", "ra")
CONTEXTS = ("none", "uniform:0.7", "similar:0.5")
#: Judgments an item at which scores are compared with the truth: those that the paper names, and more.
AFTER = (1, 2, 3, 4, 6, 10)
#: Truth -> how far the paper's annotators agreed (footnotes 17 and 20).
AGREEMENT: dict[Truth, str] = {"lexical": "0.37", "political": "0.67"}
#: Replicates of the record, and of what is simulated when it is asked for.
REPLICATES, AT_ONCE = 40, 4
UNIT = 1e-4


@dataclass(frozen=True)
class Cell:
    """A cell of the grid."""

    truth: Truth
    agreement: str
    context: str
    shift: float
    differ: bool = False

    @property
    def name(self) -> str:
        return f"{self.truth} {self.context} {'wmt21' if self.differ else format(self.shift, 'g')}"


def cells(truth: Truth, agreement: str) -> list[Cell]:
    """The cells of one truth, by context, then shift."""
    return [Cell(truth, agreement, context, shift) for context in CONTEXTS for shift in SHIFTS]


def cells_that_differ(truth: Truth, agreement: str) -> list[Cell]:
    """Those of one truth whose annotators differ as in WMT21, by context."""
    return [Cell(truth, agreement, context, SHIFT, True) for context in CONTEXTS]


@lru_cache(maxsize=512)
def _drawn(truth: Truth, agreement: str, replicate: int, differ: bool) -> tuple[FloatArray, float]:
    """The truth of a replicate, and the noise at which its annotators agree as far as stated."""
    drawn = truth_of(truth, ITEMS, np.random.default_rng([SEED, TRUTHS.index(truth), replicate]))
    panel = Panel(0.0) if differ else Panel.alike(0.0)
    return drawn, sd_for_agreement(drawn, float(agreement), panel, replicate)


def replicate_of(cell: Cell, replicate: int) -> dict[str, FloatArray]:
    """Name -> float[AFTER]: Spearman's rho of one replicate; nan where there are no corrected scores."""
    truth, sd = _drawn(cell.truth, cell.agreement, replicate, cell.differ)
    panel = Panel(sd) if cell.differ else replace(Panel.alike(sd), step=STEP)
    panel = replace(panel, context=ShownWith.read(cell.context), shift=cell.shift)
    corrected = tuple(t for t in AFTER if t > 1)
    own = Experiment(truth, panel, METHODS, AFTER[-1], 1, seed=SEED + replicate, corrected=corrected)
    found = simulate(own)
    lost = {name: n for name, n in found.not_fitted.items() if n}
    if lost:
        raise InputError(f"{cell.name}, replicate {replicate}: no corrected scores for {', '.join(lost)}")
    return {name: found.of(name)[0, [t - 1 for t in AFTER]] for name in found.experiment.names}


def simulated(cell: Cell, replicates: Sequence[int]) -> dict[str, FloatArray]:
    """Name -> float[AFTER, replicates]."""
    each = [replicate_of(cell, r) for r in replicates]
    return {name: np.stack([one[name] for one in each], axis=1) for name in each[0]}


@dataclass(frozen=True)
class Grids:
    """The simulations of a truth."""

    shifted: Grid
    differing: Grid
    source: str


@lru_cache(maxsize=8)
def grids(truth: Truth, agreement: str) -> Grids:
    """The simulations of a truth."""
    if float(agreement) == float(AGREEMENT.get(truth, "nan")):
        record = read()
        rho, n = record["rho"], record["replicates"]
        source = f"{n} simulated replicates, each with its own truth, recorded"
    else:
        every = cells(truth, agreement) + cells_that_differ(truth, agreement)
        rho = {c.name: {k: coded(v) for k, v in simulated(c, range(AT_ONCE)).items()} for c in every}
        source = f"{AT_ONCE} replicates simulated now, each with its own truth"
    return Grids(_grid(cells(truth, agreement), rho), _grid(cells_that_differ(truth, agreement), rho), source)


def _grid(of: Sequence[Cell], recorded: dict[str, dict[str, list[list[int | None]]]]) -> Grid:
    """From what the record holds of cells by context, then shift."""
    shifts = tuple(dict.fromkeys(cell.shift for cell in of))
    rows = [of[k : k + len(shifts)] for k in range(0, len(of), len(shifts))]
    rho = {
        name: np.stack([np.stack([_decoded(recorded[c.name][name]) for c in row]) for row in rows])
        for name in recorded[of[0].name]
    }
    return Grid(tuple(row[0].context for row in rows), shifts, AFTER, rho)


def coded(values: FloatArray) -> list[list[int | None]]:
    return [[None if np.isnan(x) else round(float(x) / UNIT) for x in row] for row in values]


def _decoded(rows: list[list[int | None]]) -> FloatArray:
    return np.array([[np.nan if x is None else x * UNIT for x in row] for row in rows])


# -- the record ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def read() -> dict[str, Any]:
    """How the record was made, and rho by cell, name, judgments an item and replicate, times 1e4."""
    document: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return document


#: A method reaches direct assessment after more annotations if it is past the middle between fewer and more.
REACHED = 0.5
#: Judgments an item after which methods are compared.
COMPARED = (4, 10)
#: A mean of scores this far from that of the truths is elsewhere.
OFF = 0.1


@dataclass(frozen=True)
class Gain:
    """How far a method is on direct assessment's way from fewer to more annotations, by context and shift."""

    grid: Grid
    method: str
    fewer: int
    more: int

    def of(self, context: str, plus: str = "", method: str = "") -> list[float]:
        """By shift; `plus`: "+" for corrected scores of both."""
        few, more = (self.grid.curve(f"da{plus}", n, context) for n in (self.fewer, self.more))
        own = self.grid.curve(f"{method or self.method}{plus}", self.fewer, context)
        return [float(x) for x in (own - few) / (more - few)]

    def reached(self, context: str, plus: str = "", method: str = "") -> list[bool]:
        return [gain > REACHED for gain in self.of(context, plus, method)]


@statement_test("annotation-gain")
def annotation_gain(
    context: Context, *, truth: Truth, agreement: str, method: Method, fewer: int, more: int
) -> Finding:
    """With fewer annotations a method is nearer to direct assessment with more than to it with as few."""
    found = grids(truth, agreement)
    gain = Gain(found.shifted, method, fewer, more)
    plusses = ("", "+") if f"{method}+" in found.shifted.names and fewer > 1 else ("",)
    where = {c: [gain.reached(c, plus) for plus in plusses] for c in CONTEXTS}
    first = gain.of("none")[0]
    text = f"{_at_first(gain)}; {_where(gain, where, plusses)}"
    if method == "easl":
        text += f". {verdict_on_easl(found.shifted, COMPARED)}"
    text += f". {_differing(found, ('da', 'random', method))} ({found.source})"
    every = [cell for of in where.values() for row in of for cell in row]
    return _depending(every, text, first)


def _depending(cells: Sequence[bool], text: str, native: float) -> Finding:
    """Agrees if it holds for all annotators, is false if for none, else explained by which."""
    if all(cells):
        return Finding("agrees", text, native)
    if any(cells):
        return Finding.because("other-annotators", text, "explained", native)
    return Finding.because("false", text, native=native)


def _at_first(gain: Gain) -> str:
    """The numbers where annotators are alike and the context does not matter."""
    few, more = (float(gain.grid.curve("da", n)[0]) for n in (gain.fewer, gain.more))
    own = float(gain.grid.curve(gain.method, gain.fewer)[0])
    return (
        f"Spearman's rho after {gain.fewer}: {gain.method} {own:.3f}, da {few:.3f} (after {gain.more}: {more:.3f})"
        " without shifts and with noise independent of the HIT"
    )


def _where(gain: Gain, where: dict[str, list[list[bool]]], plusses: Sequence[str]) -> str:
    """In which contexts and at which shifts it holds, and whether for random HITs as well."""
    said = []
    for context, of in where.items():
        for plus, row in zip(plusses, of):
            if any(row):
                shifts = ", ".join(f"{s:g}" for s, yes in zip(gain.grid.shifts, row) if yes)
                scores = "corrected" if plus else "raw"
                also = [r for r, yes in zip(gain.reached(context, plus, "random"), row) if yes]
                too = ", also for random HITs" if all(also) and gain.method != "random" else ""
                said.append(f"in context {context} at shifts {shifts} ({scores} scores){too}")
    cells = sum(len(row) for of in where.values() for row in of)
    if not said:
        return f"it holds in none of {cells} combinations of context, shift and correction"
    return f"it holds {'; '.join(said)}"


def _differing(found: Grids, names: Sequence[str]) -> str:
    """Annotators as in WMT21, after 4 and 10."""
    grid = found.differing
    names = [n for m in dict.fromkeys(names) for n in ((m, f"{m}+") if f"{m}+" in grid.names else (m,))]
    after = " and ".join(
        f"{', '.join(f'{name} {float(grid.curve(name, n)[0]):.3f}' for name in names)} after {n}"
        for n in COMPARED
    )
    return f"With annotators who differ as in WMT21 (shift {grid.shifts[0]:g}) and the same overall agreement: {after}"


@statement_test("annotation-more-efficient")
def annotation_more_efficient(
    context: Context, *, truth: Truth, agreement: str, method: Method, than: Method
) -> Finding:
    """A method is clearly nearer to the truth than another after as many annotations."""
    found = grids(truth, agreement)
    g = found.shifted
    others = [name for name in (than, f"{than}+") if name in g.names]
    cases = product(CONTEXTS, others, COMPARED)
    ahead = [bool(x) for c, other, n in cases for x in g.ahead(method, other, n, c) > 0]
    ahead += [bool(found.differing.ahead(method, o, n)[0] > 0) for o in others for n in COMPARED]
    first = float(g.gap(method, than, COMPARED[0])[0])
    if (method, than) == ("ra", "da"):
        text = verdict_on_ra(g, COMPARED)
    else:
        share = f"{sum(ahead)} of {len(ahead)} comparisons over contexts, shifts and judgments"
        text = f"{method} is clearly above {' or '.join(others)} in {share}"
    rho = ", ".join(f"{name} {float(g.curve(name, n)[0]):.3f}" for n in COMPARED for name in (method, than))
    text += (
        f". Spearman's rho without shifts after {' and '.join(map(str, COMPARED))}: {rho}."
        f" {_differing(found, (than, 'random', 'easl', method))} ({found.source})"
    )
    return _depending(ahead, text, first)


@statement_test("annotation-rises")
def annotation_rises(context: Context, *, truth: Truth, agreement: str, methods: Sequence[Method]) -> Finding:
    """The mean correlation of every method is higher the more annotations there are: for which annotators."""
    found = grids(truth, agreement)
    steps = {
        (f"context {c}, shift {g.shifts[k]:g}", m): np.diff([g.curve(m, n, c)[k] for n in AFTER])
        for g in (found.shifted, found.differing)
        for c in CONTEXTS
        for k in range(len(g.shifts))
        for m in methods
    }
    rise = {name: bool((step > 0).all()) for name, step in steps.items()}
    first = found.shifted
    values = {m: " ".join(f"{float(first.curve(m, n)[0]):.3f}" for n in AFTER) for m in methods}
    curves = "; ".join(f"{m} {of}" for m, of in values.items())
    falls = [f"{m} ({cell})" for (cell, m), so in rise.items() if not so]
    text = (
        f"Spearman's rho after {' '.join(map(str, AFTER))}, without shifts: {curves}; it rises at every step in"
        f" {sum(rise.values())} of {len(rise)} combinations of context, shift and method"
        f"{', not of ' + ', '.join(falls) if falls else ''} ({found.source})"
    )
    return _depending(list(rise.values()), text, float(min(step.min() for step in steps.values())))


@statement_test("annotation-reaches")
def annotation_reaches(
    context: Context, *, truth: Truth, agreement: str, methods: Sequence[Method], rho: str, after: int
) -> Finding:
    """After so many annotations every method's mean correlation is above a number."""
    found = grids(truth, agreement)
    last: dict[tuple[str, str], float] = {}
    for g, c in product((found.shifted, found.differing), CONTEXTS):
        for (k, shift), m in product(enumerate(g.shifts), methods):
            kind = "as in WMT21" if g is found.differing else f"shift {shift:g}"
            last[m, f"{kind}, context {c}"] = float(g.curve(m, after, c)[k])
    (method, where), least = min(last.items(), key=lambda item: item[1])
    above = [value > float(rho) for value in last.values()]
    first = ", ".join(f"{m} {float(found.shifted.curve(m, after)[0]):.3f}" for m in methods)
    text = (
        f"Spearman's rho after {after} without shifts: {first}; above {rho} in {sum(above)} of {len(above)}"
        f" combinations of context, shift and method, lowest {least:.3f} ({method}, {where}) ({found.source})"
    )
    return _depending(above, text, least)


# -- what is simulated when it is asked for: one campaign for each kind of annotators ------------------------


def kinds(sd: float, sd_differing: float) -> dict[str, Panel]:
    """Name -> panel: annotators who are alike, with shifts, with a context, and as in WMT21."""
    alike = replace(Panel.alike(sd), step=STEP)
    found = {f"shift {shift:g}": replace(alike, shift=shift) for shift in SHIFTS}
    found |= {f"context {c}": replace(alike, context=ShownWith.read(c)) for c in CONTEXTS if c != "none"}
    return {**found, "as in WMT21": Panel(sd_differing)}


@lru_cache(maxsize=4)
def campaigns(truth: Truth, agreement: str) -> dict[str, Simulation]:
    """Name of a kind of annotators -> one campaign of each method with them."""
    return _campaigns(truth_of(truth, ITEMS, np.random.default_rng(SEED)), agreement)


@lru_cache(maxsize=4)
def upper_half(truth: Truth, agreement: str) -> dict[str, Simulation]:
    """The same with truths between .5 and 1, of half the spread; the noise is that of the whole range."""
    whole = truth_of(truth, ITEMS, np.random.default_rng(SEED))
    return _campaigns(whole, agreement, 0.5 + whole / 2)


def _campaigns(true: FloatArray, agreement: str, shown: FloatArray | None = None) -> dict[str, Simulation]:
    """With noise for the truths `true`, and annotators who are shown `shown` (default: the same)."""
    of = true if shown is None else shown
    sds = [sd_for_agreement(true, float(agreement), panel) for panel in (Panel.alike(0.0), Panel(0.0))]
    return {
        name: simulate(Experiment(of, panel, ("da", "random", "easl", "ra"), BUDGET, 1, seed=SEED))
        for name, panel in kinds(*sds).items()
    }


@statement_test("annotation-range")
def annotation_range(
    context: Context, *, truth: Truth, agreement: str, narrow: Sequence[Method], fitting: Sequence[Method]
) -> Finding:
    """Some methods end in a narrower range than the truth, others within a fifth of its deviation."""
    found = campaigns(truth, agreement)
    true = spread(next(iter(found.values())).experiment.truth)[0]
    sds = {name: {m: spread(s.final[m])[0] for m in (*narrow, *fitting)} for name, s in found.items()}
    come_out = {
        name: all(sd[m] < 0.75 * true for m in narrow) and all(abs(sd[m] / true - 1) < 0.2 for m in fitting)
        for name, sd in sds.items()
    }
    first = next(iter(sds))
    text = (
        "simulated standard deviations of the scores at the end:"
        f" {', '.join(f'{m} {v:.3f}' for m, v in sds[first].items())}; truth {true:.3f}; {_for_whom(come_out)}"
    )
    not_so = [name for name, yes in come_out.items() if not yes]
    for name in not_so if len(not_so) < len(come_out) else ():
        text += f"; {name}: {', '.join(f'{m} {v:.3f}' for m, v in sds[name].items())}"
    return _depending(list(come_out.values()), text, sds[first][[*narrow, *fitting][0]])


@statement_test("ranking-misses-the-bounds")
def ranking_misses_the_bounds(
    context: Context, *, truth: Truth, agreement: str, method: Method, fitting: Sequence[Method]
) -> Finding:
    """With truths in the upper half alone a method's scores lie elsewhere, and others' lie there."""
    found = upper_half(truth, agreement)
    true = float(next(iter(found.values())).experiment.truth.mean())
    means = {n: {m: float(s.final[m].mean()) for m in (method, *fitting)} for n, s in found.items()}
    off = {name: {m: abs(v - true) for m, v in mean.items()} for name, mean in means.items()}
    come_out = {name: of[method] > OFF and all(of[m] < OFF for m in fitting) for name, of in off.items()}
    first = next(iter(means))
    text = (
        f"truths from .5 to 1, mean {true:.3f}; means of scores at the end:"
        f" {', '.join(f'{m} {v:.3f}' for m, v in means[first].items())}; {_for_whom(come_out)}"
    )
    return _depending(list(come_out.values()), text, means[first][method])


def _for_whom(come_out: dict[str, bool]) -> str:
    yes, no = ([name for name, out in come_out.items() if out is so] for so in (True, False))
    if not no:
        return f"this holds for all {len(come_out)} kinds of annotators that were tried ({', '.join(yes)})"
    if not yes:
        return f"it holds for none of {len(come_out)} kinds of annotators ({', '.join(no)})"
    return f"it holds for {', '.join(yes)}, but not for {', '.join(no)}"


@statement_test("match-quality-diagonal")
def match_quality_diagonal(context: Context, *, truth: Truth, agreement: str) -> Finding:
    """Items ordered by the truth: neighbours have more match quality than far pairs."""
    found = campaigns(truth, agreement)
    ratios = {name: [_diagonal(s.maps[t]) for t in (3, 6, 9)] for name, s in found.items()}
    first, before = next(iter(ratios)), next(iter(found.values())).maps[0]
    come_out = {name: 1 < r[0] < r[1] < r[2] for name, r in ratios.items()}
    text = (
        "ratio of simulated match quality near and far from the diagonal before iterations 3, 6, 9: "
        + ", ".join(f"{r:.2f}" for r in ratios[first])
        + f" ({before.mean() / before.max():.2f} before iteration 0); {_for_whom(come_out)};"
        + f" before iteration 9 it is {min(r[2] for r in ratios.values()):.2f} to"
        + f" {max(r[2] for r in ratios.values()):.2f}"
    )
    return _depending(list(come_out.values()), text, ratios[first][-1])


def _diagonal(quality: Any) -> float:
    """Match quality of items 1 to 3 places apart over that of items in different halves."""
    apart = np.abs(np.subtract.outer(np.arange(len(quality)), np.arange(len(quality))))
    return float(quality[apart <= 3].mean() / quality[apart > len(quality) // 2].mean())


#: A grid of beta distributions on which a statement about every update is tried.
GRID = (1.0, 1.3, 2.0, 4.0, 9.0, 30.0)


@statement_test("bounded-parameters-grow")
def bounded_parameters_grow(context: Context) -> Finding:
    """No update of the bounded model lowers alpha or beta, tried on a grid of pairs, wins and ties."""
    pairs = [beta.Pair(a, b, c, d) for a in GRID for b in GRID for c in GRID for d in GRID]
    grew = [
        all(x >= y for x, y in zip(after, pair))
        for pair in pairs
        for after in (beta.update_pair(pair, "win"), beta.update_pair(pair, "tie"))
    ]
    text = f"{sum(grew)} of {len(grew)} updates raise them or leave them unchanged"
    return holds(all(grew), text, native=float(np.mean(grew)))
