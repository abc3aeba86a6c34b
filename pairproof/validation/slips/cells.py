"""Which cell of the table is mistyped: the one count, or the game, whose change brings every number out.

At the right table the score is zero at the printed estimates.  With s the score of the table as it is, H the
information and J the derivatives of the printed numbers, all at the parameters that fit the printed numbers
best, the table with d counts more of one outcome of one cell gives numbers that are off by

    J H^-1 (s + d g)        g: the gradient of that outcome's log-probability

which needs no fit, and is as good for a large d as for a small one.  Changes by which every number comes
within its last place are fitted, and count if all numbers come out.  Two cells are tried if one will not do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...native.comparisons.counts.outcome_derivatives import Counts, derivatives
from ...numerics.arrays import FloatArray, IntArray
from ..claims.quantities import kind_of
from .known import Slip
from .many_fits import Design, score_and_information
from .target import Target
from .variants import Rows, treated

#: Numbers that the parameters alone decide.
_OF_PARAMETERS = ("estimate", "exp", "contrast", "odds", "worth", "p_first", "p_second", "p_tie")
#: What may be changed in a cell: a win, a tie, a loss more, and a game given to the other side.
_WAYS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, -1]], float)
#: Printed places by which a number may be off before the fit: its rounding, and that of the other numbers.
NEAR = 1.0
#: Steps to the parameters of the print; changes that are fitted; ways to change two cells that are compared.
STEPS, MOST_FITS, MOST_PAIRS = 8, 120, 60_000


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
            more = f" (and so it does with {'; '.join(fitting[1:3])})" if len(fitting) > 1 else ""
            return f"with {fitting[0]} every number comes out{more}"
    return ""


# -- at the printed numbers ----------------------------------------------------------------------------------


def _ways(target: Target) -> _Ways | None:
    """All ways to change one cell; None where the printed numbers do not decide the parameters."""
    model, setting = target.model, target.setting
    design, places = model.design(setting.solver.ties)
    used = [k for k, q in enumerate(target.numbers) if _is_of_parameters(target, k)]
    if len(used) < design.k or design.k == 0 or (places < 0).any() or target.fit.not_estimable:
        return None
    unit = np.array([float(target.numbers[k].printed.unit or 1) for k in used])
    printed = np.array([float(target.numbers[k].printed.value or 0) for k in used])

    def off(beta: FloatArray) -> FloatArray:
        found: FloatArray = (target.at(beta, (), setting, errors=False)[:, used] - printed) / unit
        return found

    beta = target.fitted([()], setting.solver).beta[0, places]
    for _ in range(STEPS):
        around = off(np.vstack([beta, beta + 1e-6 * np.eye(design.k)]))
        slopes = (around[1:] - around[0]).T / 1e-6
        if not np.isfinite(slopes).all() or np.linalg.matrix_rank(slopes) < design.k:
            return None
        beta = beta - np.linalg.lstsq(slopes, around[0], rcond=None)[0]
    y = treated(target.tally(()), setting.solver.ties)
    score, information = score_and_information(design, beta[None], y[None])
    try:
        map_ = slopes @ np.linalg.inv(information[0])
    except np.linalg.LinAlgError:
        return None
    gradients = _gradients(design, beta, setting.solver.ties)
    cell, way = (at.ravel() for at in np.indices(gradients.shape[:2]))
    full = (np.abs(gradients).max(axis=2) > 1e-12) & (y.sum(axis=1) > 0)[:, None]
    full[:, 1] &= model.rows.tie_category
    moved = gradients[full] @ map_.T
    return _Ways(cell[full.ravel()], way[full.ravel()], moved, off(beta[None])[0] + map_ @ score[0])


def _is_of_parameters(target: Target, k: int) -> bool:
    q = target.numbers[k]
    return kind_of(q.quantity) in _OF_PARAMETERS and q.printed.unit is not None


def _gradients(design: Design, beta: FloatArray, ties: str) -> FloatArray:
    """float[n_cells, 4, k]: of the log-probability of each way in each cell."""
    u, g = design.predictors(beta[None])
    found = []
    for first, tie, second in treated(_WAYS[:3], ties):
        one = [np.full_like(u, count) for count in (first, tie, second, first + tie + second)]
        y = Counts(one[0], one[1], one[2], one[3])
        d = derivatives(u, g, y, design.model)
        of_tie = d.r_g[0][:, None] * design.g if d.r_g is not None and design.g.shape[1] else design.g
        found.append(np.hstack([d.r_u[0][:, None] * design.u, of_tie]))
    return np.stack([*found, found[0] - found[2]], axis=1)


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
            moved = sum(
                (more[w] * (by_cell.get((a, w), none) - by_cell.get((b, w), none)) for w in range(3)), none
            )
            found.append((float(np.abs(ways.off + moved).max()), [(int(a), more), (int(b), -more)]))
    if len(ways.cell) ** 2 / 2 <= MOST_PAIRS:
        found += _two_counts(ways)
    near = [(worst, k) for k, (worst, _) in enumerate(found) if worst <= 2.0 * NEAR]
    return [found[k][1] for _, k in sorted(near)]


#: Whole numbers about the best two changes that are looked at.
_ABOUT = np.array([(x, y) for x in range(-3, 4) for y in range(-3, 4)], float)


def _two_counts(ways: _Ways) -> Iterator[tuple[float, Changes]]:
    """One count changed in each of two cells, with how far off it leaves the numbers."""
    products, here = ways.moved @ ways.moved.T, ways.moved @ ways.off
    a, b = np.triu_indices(len(ways.cell), 1)
    a, b = a[other := ways.cell[a] != ways.cell[b]], b[other]
    size = products[a, a] * products[b, b] - products[a, b] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.stack(
            [
                products[a, b] * here[b] - products[b, b] * here[a],
                products[a, b] * here[a] - products[a, a] * here[b],
            ]
        )
        best = best / size
        left = ways.off + best[0][:, None] * ways.moved[a] + best[1][:, None] * ways.moved[b]
        near = np.flatnonzero(np.abs(left).max(axis=1) <= NEAR)
    for k in near:
        d, e = int(a[k]), int(b[k])
        counts = np.round(best[:, k]) + _ABOUT
        counts = counts[(counts != 0).all(axis=1)]
        worst = np.abs(ways.off + counts @ ways.moved[[d, e]]).max(axis=1)
        for w, (m, n) in zip(worst, counts):
            if w <= NEAR:
                yield float(w), [ways.added(d, m), ways.added(e, n)]


# -- fits ----------------------------------------------------------------------------------------------------


def _words_if_it_fits(target: Target, changes: Changes) -> str:
    """The change in words if every number comes out under it; "" if not, or no row of the table allows it."""
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
    return f"the counts of {named[0]} and of {named[1]} exchanged"


def _change_a_row(target: Target, rows: Rows, cell: int, more: FloatArray) -> tuple[Rows, str] | None:
    """The rows with these counts more in the first row of the cell that allows it, and the change in words."""
    allowed = (
        (target.model.cells.cell_of(rows) == cell) & (rows.times == 1) & (rows.y + more >= 0).all(axis=1)
    )
    if not allowed.any():
        return None
    at = int(np.flatnonzero(allowed)[0])
    y = rows.y.copy()
    y[at] += more
    i, j = (rows.items[k] for k in rows.pairs[rows.pair[at]])
    named = (f"wins of {i} over {j}", f"ties of {i} and {j}", f"wins of {j} over {i}")
    parts = [f"{y[at, k]:g} in place of {rows.y[at, k]:g} {named[k]}" for k in np.flatnonzero(more)]
    return rows.with_counts(y), ", ".join(parts)
