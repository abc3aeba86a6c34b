"""Many comparisons and ranks: pairproof's against multcomp's, mvtnorm's, multcompView's and csranks'.

Both sides start from the same estimates and covariance.  Single-step p-values and critical values are integrals by
random points on both sides: they are judged by their errors, not by digits.  Holm's and Benjamini and Hochberg's
p-values, letters and rank sets have no such part (no statistic lies near a critical value).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ....bridge.packages import csranks as r_csranks, multcomp
from ....fit.many.abilities import Abilities
from ....fit.many.ranks import rank_sets
from ....fit.many.result import Contrasts, RankSets
from ....fit.many.simultaneous import Adjustment, DegreesOfFreedom, contrasts
from ...claims.data import table_of as table_named
from ..compared_with_r import Answer, Held, Place, bounded_row, digits_rows, rows_beside_r

if TYPE_CHECKING:
    from ....bridge.packages.csranks import RankSets as RRankSets
    from ....bridge.packages.multcomp import Letters, ManyComparisons
    from ....bridge.process.policy import Backend
    from ...check import Checker
    from ...verdicts.agreement import Agreement

FloatArray = NDArray[np.float64]
Side = Literal["both", "lower", "upper"]
PAPER = "inference"
GLHT, LETTERS, CSRANKS = "multcomp::glht", "multcompView::multcompLetters", "csranks::csranks"
#: Error of native's p-values and critical values in units of theirs: four standard errors of 1e5 points.
OF_POINTS = 1e-3
#: Degrees of freedom of the check by a multivariate t: R wants a whole number (those of CR2 are 22.9 to 23).
COMMON_DF = 23


def rows(checker: Checker, backend: Backend) -> list[Agreement]:
    """All pairs of D24's items, normal and t on a common df; ranks of D24, of Dras's items and of eight made up."""
    d24 = table_of(checker)
    found = _all_pairs("all-pairs", d24, 0, backend) + _all_pairs("all-pairs-t", d24, COMMON_DF, backend)
    found += _letters(d24, backend)
    for name, abilities in (("d24", d24), ("eight", eight())):
        found += _ranks(name, abilities, backend)
    return found


# -- what they start from ------------------------------------------------------------------------------------


def table_of(checker: Checker) -> Abilities:
    """The claims file's table of estimates with their covariance by judge."""
    table = table_named(checker.paper, "d24-by-judge")
    items = tuple(str(item) for item in table["item"])
    return abilities(items, table["estimate"].to_numpy(float), table[list(items)].to_numpy(float))


def eight() -> Abilities:
    """Eight items with known estimates whose neighbours are correlated."""
    k = np.arange(8)
    sigma = 0.02 * 0.5 ** np.abs(k[:, None] - k[None, :]) + 0.01 * np.eye(8)
    return abilities(
        tuple(f"i{j + 1}" for j in k), np.array([1.4, 1.2, 0.9, 0.85, 0.5, 0.2, 0.1, 0.0]), sigma
    )


def abilities(
    items: tuple[str, ...], estimate: FloatArray, covariance: FloatArray, df: float = np.inf
) -> Abilities:
    """Abilities with standard errors of all differences, on one df."""
    v = np.diag(covariance)
    se = np.sqrt(np.maximum(v[:, None] + v[None, :] - 2.0 * covariance, 0.0))
    np.fill_diagonal(se, np.nan)
    return Abilities(items, estimate, covariance, se, np.full(se.shape, df))


# -- contrasts -----------------------------------------------------------------------------------------------


def _all_pairs(claim: str, one: Abilities, df: int, backend: Backend) -> list[Agreement]:
    own = abilities(one.items, one.estimate, one.covariance, float(df)) if df else one
    kind: DegreesOfFreedom = "common" if df else "own"
    adjustments: tuple[Adjustment, ...] = ("single-step", "holm", "bh")
    made: dict[str, Contrasts] = {
        adjust: contrasts(own, "all pairs", adjust=adjust, df=kind if adjust == "single-step" else "own")
        for adjust in adjustments
    }
    place = Place(
        PAPER, claim, f"D24, Davidson, CR2 by judge: 15 pairs, {f't on {df} df' if df else 'normal'}"
    )

    def answered(answer: Answer[ManyComparisons]) -> list[Agreement]:
        return [
            *digits_rows(place, _separate(made, answer.value), answer.result),
            *_single_step(place, made["single-step"], answer),
        ]

    ask = partial(
        multcomp.glht, one.estimate, one.covariance, multcomp.all_pairs(one.items), df, backend=backend
    )
    return rows_beside_r(place, {claim: None}, GLHT, "15 differences of D24's items", backend, ask, answered)


def _separate(made: dict[str, Contrasts], r: ManyComparisons) -> Iterator[Held]:
    one = made["single-step"]
    for k, name in enumerate(r.names):
        yield Held(f"estimate.{name}", float(one.estimate[k]), float(r.estimate[k]), GLHT, float(one.se[k]))
        yield Held(f"se.{name}", float(one.se[k]), float(r.se[k]), GLHT)
        yield Held(f"test_p.{name}", float(one.p[k]), float(r.separate[k]), GLHT)
        yield Held(f"test_p.holm.{name}", float(made["holm"].adjusted[k]), float(r.holm[k]), GLHT)
        yield Held(f"test_p.bh.{name}", float(made["bh"].adjusted[k]), float(r.bh[k]), GLHT)


def _single_step(place: Place, own: Contrasts, answer: Answer[ManyComparisons]) -> Iterator[Agreement]:
    r = answer.value
    bound = r.error + OF_POINTS
    said = f"single-step, judged by the errors of both integrals (mvtnorm's own bound {r.error:.1g})"
    for k, name in enumerate(r.names):
        native = float(own.adjusted[k])
        yield bounded_row(
            place,
            f"test_p.single-step.{name}",
            native,
            float(r.single_step[k]),
            bound,
            GLHT,
            answer.result,
            said,
        )
    yield bounded_row(
        place, "test_statistic.critical", own.critical, r.critical, 5 * OF_POINTS, GLHT, answer.result,
        "critical value of the largest of 15, judged by the errors of both integrals",
    )  # fmt: skip


def _letters(one: Abilities, backend: Backend) -> list[Agreement]:
    """Whether two items share a letter, by p-values that are not adjusted (adjusted ones tell none apart)."""
    made = contrasts(one, "all pairs", adjust="none")
    place = Place(PAPER, "letters", "D24, Davidson, CR2 by judge, normal p-values not adjusted, .05")
    native = dict(zip(one.items, made.letters))

    def answered(answer: Answer[Letters]) -> list[Agreement]:
        of_r = dict(zip(answer.value.items, answer.value.letters))
        held = [
            Held(f"shared_letters.{a}-{b}", _shared(native, a, b), _shared(of_r, a, b), LETTERS)
            for k, a in enumerate(one.items)
            for b in one.items[k + 1 :]
        ]
        said = "letters " + " ".join(f"{item} {of_r[item]}" for item in one.items)
        return digits_rows(place, held, answer.result, said)

    ask = partial(multcomp.multcompLetters, made.first, made.second, made.p, backend=backend)
    return rows_beside_r(place, {"letters": None}, LETTERS, "letters of six items", backend, ask, answered)


def _shared(letters: dict[str, str], a: str, b: str) -> float:
    """How many letters two items share: 0, or 1 where they were not told apart; more where groups overlap."""
    return float(len(set(letters[a]) & set(letters[b])))


# -- ranks ---------------------------------------------------------------------------------------------------

#: Name of the row, native's options, csranks' options.
_SETS: tuple[tuple[str, bool, Side, r_csranks.Sided], ...] = (
    ("simultaneous", True, "both", "two-sided"),
    ("marginal", False, "both", "two-sided"),
    ("lower", True, "lower", "lower"),
    ("upper", True, "upper", "upper"),
    ("lower-marginal", False, "lower", "lower"),
    ("upper-marginal", False, "upper", "upper"),
)
#: Bounds that csranks' draws cannot settle, and why.
UNDECIDED = {
    "rank_low.lower-marginal.i4": (
        "i1 against i4 has t 2.3452 and the critical value is 2.3438: rejected, so that the bound is 2; csranks'"
        " critical value is a quantile of 20,000 draws, good to .01, and may lie on either side"
    )
}


def _ranks(name: str, one: Abilities, backend: Backend) -> list[Agreement]:
    found: list[Agreement] = []
    place = Place(
        PAPER, f"ranks-{name}", f"confidence sets of the ranks of {len(one.items)} items, normal, stepwise"
    )
    for label, simultaneous, side, cstype in _SETS if name == "eight" else _SETS[:2]:
        own = rank_sets(one, simultaneous=simultaneous, side=side)
        ask = partial(
            r_csranks.csranks,
            one.estimate,
            one.covariance,
            cstype=cstype,
            simul=simultaneous,
            backend=backend,
        )
        answered = partial(_rank_rows, place, label, own)
        found += rows_beside_r(place, {label: None}, CSRANKS, f"{label} rank sets", backend, ask, answered)
    return found


def _rank_rows(place: Place, label: str, own: RankSets, answer: Answer[RRankSets]) -> list[Agreement]:
    r = answer.value
    held = []
    for k, item in enumerate(own.items):
        held.append(Held(f"rank_low.{label}.{item}", float(own.low[k]), float(r.lower[k]), CSRANKS))
        held.append(Held(f"rank_high.{label}.{item}", float(own.high[k]), float(r.upper[k]), CSRANKS))
    settled = [h for h in held if h.quantity not in UNDECIDED]
    left = [
        place.row(
            h.quantity, native=h.native, r=h.r, r_call=CSRANKS, r_source=answer.result.source, verdict="not-checkable",
            explanation=UNDECIDED[h.quantity], code="monte-carlo", r_arrived=False,
        )
        for h in held
        if h.quantity in UNDECIDED
    ]  # fmt: skip
    return digits_rows(place, settled, answer.result) + left
