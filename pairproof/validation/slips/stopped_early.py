"""Shows from the likelihood at the printed values that a solver stopped early; this is never assumed.

A program that stops before the maximum leaves all its numbers a little short of it.  This counts as shown if

1. all estimates are printed, and at least half of them, and at least two, are not reproduced (a program that
   stops early leaves all of them short, whereas a misprint affects only one);
2. the log-likelihood at the printed values is below the maximum by less than 1e-6 of itself;
3. the printed values are on the path of an ascent from equal items, with plain steps or with steps scaled
   item by item (as in Zermelo's): seen from the maximum the directions agree within 8 degrees, or are opposite
   (the program stepped beyond the maximum);
4. from there every further step brings every number closer to its computed value, and none further away;
5. every other printed number is reproduced at the printed estimates.

Random numbers equally near to the maximum pass the third test once in a hundred times for four items, and
less often for more.

An infinite estimate is shown in the same way: at the printed value the log-likelihood is within 1e-6 of its
supremum.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...numerics.arrays import FloatArray, IntArray
from ..claims.quantities import kind_of
from .catalogue import families
from .known import Slip
from .many_fits import Design, log_likelihood, score_and_information
from .target import Key, Target
from .values import Setting
from .variants import Fitted, treated

#: How far below its maximum, relative, the log-likelihood at the printed values may lie (`validation` 4d).
SHORTFALL = 1e-6
#: Number of steps of the ascent from the printed values, and from equal items.
STEPS, PATH_STEPS = 200, 3000
#: Cosine of 8 degrees.
SAME_DIRECTION = 0.99


@dataclass(frozen=True)
class Proof:
    """Proof that a solver stopped early: the slip, and a sentence with the evidence."""

    slip: Slip
    note: str


def prove_stopped(target: Target, key: Key, setting: Setting) -> Proof | None:
    """Show that a solver stopped at the printed estimates, just before the maximum."""
    model, fit = target.model, target.fit
    if setting.solver.penalty or setting.solver.stop or fit.spec.by or fit.spec.item_terms or setting.offset:
        return None
    printed = _printed_estimates(target, setting)
    if printed is None:
        return None
    beta, width = printed
    y = treated(target.tally(key)[None], setting.solver.ties)
    design, places = model.design(setting.solver.ties)
    if (places < 0).any():
        return None
    best = target.fitted([key], setting.solver)
    infinite = best.bad[0, places]
    start = beta[places]
    if math.isnan(best.llf[0]):
        return None
    at = float(log_likelihood(design, start[None], y)[0])
    below = float(best.llf[0]) - at
    if not 0 <= below < SHORTFALL * abs(best.llf[0]):
        return None
    if infinite.any():
        names = [fit.terms[k].name for k in places[infinite]]
        # Odds of exp(8): a finite estimate is so large only with thousands of comparisons.
        if not (np.abs(start[infinite]) > 8).all():
            return None
        free = {f"{kind}.{name}" for name in names for kind in ("se", "z", "p", "low", "high")}
        values = target.at(start[None], key, setting)[0]
        if not _rest_comes_out(target, values, free):
            return None
        words = "infinite or not determined by these data, has the value at which some program stopped"
        note = f"the log-likelihood at the printed values is {below:.2g} below its supremum"
        return _proof("infinite-estimate", f"{', '.join(names)}, {words}", note)
    centred = _centred(target, setting.solver.ties)
    there, goal = centred.of(beta), centred.of(best.beta[0])
    if centred.n_items < 3 or not _enough_are_off(target, key, setting, best):
        return None
    if not _on_the_way(centred, there, goal, below, float(best.llf[0]), y):
        return None
    if not _approaches(centred, there, goal, width[centred.at] + width[centred.at[0]], y):
        return None
    values = target.at(start[None], key, setting)[0]
    if not _rest_comes_out(target, values):
        return None
    note = (
        f"the log-likelihood at the printed values is {below:.2g} below its maximum of {best.llf[0]:.6g},"
        " and every step from there leads towards the computed numbers"
    )
    return _proof("stopped-early", "the solver stopped early", note)


def _proof(family: str, sentence: str, note: str) -> Proof:
    return Proof(families()[family].slip(Slip(sentence)), note)


def _printed_estimates(target: Target, setting: Setting) -> tuple[FloatArray, FloatArray] | None:
    """The printed value of every term in log-odds (0 for references) and the half-width of its rounding, both
    float[n_terms]; None if a term is not printed.
    """
    fit = target.fit
    beta, width = np.zeros(len(fit.terms)), np.zeros(len(fit.terms))
    have = {str(q.quantity): q.printed for q in target.numbers}
    for k, term in enumerate(fit.terms):
        printed = have.get(f"estimate.{term.name}")
        if printed is None or printed.value is None or printed.unit is None:
            if fit.is_reference[k] or term.item is not None and term.item == setting.reference:
                continue
            return None
        factor = LOG_WORTH_PER_UNIT[fit.scale] / setting.factor if term.kind == "item" else 1.0
        beta[k], width[k] = float(printed.value) * factor, float(printed.unit) / 2 * abs(factor)
    # Take the differences from native's reference; its rounding is added to that of every item.
    items = [k for k, t in enumerate(fit.terms) if t.kind == "item"]
    home = next(k for k in items if k not in target.model.solved_for)
    shift, more = beta[home], width[home]
    beta[items] -= shift
    width[items] += more
    return beta, width


def _enough_are_off(target: Target, key: Key, setting: Setting, best: Fitted) -> bool:
    """Whether at least two printed estimates, and at least half of them, differ from those at the maximum."""
    at_maximum = target.numbers_of(best, [key], setting)[0]
    values = zip((q.quantity for q in target.numbers), at_maximum.tolist())
    known = [(q, v) for q, v in values if q.kind == "estimate" and not math.isnan(v) and v != 0.0]
    off = sum(not target.fits_one(name, v) for name, v in known)
    return off >= max(2, len(known) / 2)


@dataclass(frozen=True, eq=False)
class _Centred:
    """The model with all items free and centred about their mean, all treated alike; `at` int[k]."""

    design: Design
    at: IntArray
    n_items: int

    def of(self, terms: FloatArray) -> FloatArray:
        """float[k]: this model's parameters, from float[n_terms]."""
        return self.mean_free(terms[self.at])

    def mean_free(self, b: FloatArray) -> FloatArray:
        out: FloatArray = b.copy()
        out[: self.n_items] -= out[: self.n_items].mean()
        return out

    def step(self, here: FloatArray, y: FloatArray, scaled: bool, length: float) -> FloatArray:
        """One step up along the score, or (`scaled`) along the score over the diagonal of the information."""
        score, information = score_and_information(self.design, here[None], y)
        up = score[0] / np.maximum(np.diag(information[0]), 1e-300) if scaled else score[0]
        return self.mean_free(here + length * up)


def _centred(target: Target, ties: str) -> _Centred:
    model = target.model
    design, places = model.design(ties)
    items = np.array([k for k, t in enumerate(target.fit.terms) if t.kind == "item"], dtype=np.int64)
    at = np.concatenate([items, [k for k in places if k not in items]]).astype(np.int64)
    return _Centred(Design(model.columns[:, at[~model.is_tie[at]]], design.g, design.model), at, len(items))


def _on_the_way(
    centred: _Centred, printed: FloatArray, goal: FloatArray, below: float, top: float, y: FloatArray
) -> bool:
    """Whether an ascent from equal items approaches the maximum from the direction of the printed values."""
    gap = printed - goal
    stiffness = float(np.linalg.eigvalsh(score_and_information(centred.design, goal[None], y)[1][0])[-1])
    for scaled, length in ((True, 0.5), (False, 1.0 / stiffness)):
        here = np.zeros_like(goal)
        here[centred.n_items :] = goal[centred.n_items :]
        for _ in range(PATH_STEPS):
            here = centred.step(here, y, scaled, length)
            if top - float(log_likelihood(centred.design, here[None], y)[0]) <= below:
                break
        way = here - goal
        size = float(np.linalg.norm(way) * np.linalg.norm(gap))
        if size > 0 and abs(float(way @ gap)) >= SAME_DIRECTION * size:
            return True
    return False


def _approaches(
    centred: _Centred, printed: FloatArray, goal: FloatArray, slack: FloatArray, y: FloatArray
) -> bool:
    """Whether in an ascent no number moves away from its computed value by more than its rounding."""
    here, nearest, side = printed, np.abs(printed - goal), np.sign(printed - goal)
    for _ in range(STEPS):
        here = centred.step(here, y, True, 0.5)
        gap = here - goal
        if (np.abs(gap) > nearest + slack).any() or (side * gap < -slack).any():
            return False
        nearest = np.minimum(nearest, np.abs(gap))
    return True


def _rest_comes_out(target: Target, values: FloatArray, free: Collection[str] = ()) -> bool:
    """Whether every number that is not an estimate and not in `free` is reproduced at the printed estimates.

    The z, p and limits of a printed estimate are checked as intervals against the printed estimate and
    standard error, because they were computed before these were rounded.
    """
    from ..verdicts.arithmetic import check_numbers

    by_print = {c.quantity: c.holds for c in check_numbers(target.printout())}
    for q, v in zip(target.numbers, values):
        kind = kind_of(q.quantity)
        if kind == "estimate" or q.quantity in free:
            continue
        if kind in ("z", "p", "low", "high") and by_print.get(q.quantity) is not None:
            if not by_print[q.quantity]:
                return False
        elif not target.fits_one(q.quantity, float(v)):
            return False
    return True
