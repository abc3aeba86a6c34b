"""What to look at in each annotator: agreement, repeats, degraded items, speed, use of the scale, and flags.

degraded
    the test on degraded items failed (:mod:`pairproof.native.annotation.quality.consistency`)
fast
    median seconds a HIT below a third of the median of all annotators' medians, or a HIT answered in less than
    one second: platforms count whole seconds, and say 0
rejected
    HITs that the platform lists as rejected
constant
    half or more of at least 20 scores are one value
rest
    rank correlation with the mean of the others below .3, on 20 shared items or more: on fewer, honest annotators
    are below it as well
drift
    scores drift by more than a tenth of the scale (:mod:`pairproof.native.annotation.quality.drift`)

No flag excludes anybody by itself: a rule of exclusion has to be fixed before the data are seen.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ....errors import InputError
from ..coded_labels import coded, numbers
from .annotators import with_the_rest
from .consistency import DegradedTest, WithinSpread, degraded_test, within_spread
from .drift import Drift

#: Scores from which on a favourite value is remarkable, and the share of them that is.
FEWEST_SCORES, FAVOURITE = 20, 0.5
#: Part of the usual time, and correlation with the others, below which an annotator is flagged.
FAST, REST = 1.0 / 3.0, 0.3
#: Seconds below which nobody has read what a HIT shows.
INSTANT = 1.0
#: Shared items from which on a correlation is a flag: with 20 its standard error is .2.
FEWEST_FOR_REST = 20


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two scores each of the same item by the same annotator.

    annotator: Label of each pair.  `first`, second: first score and repeat, or score of the original and of
    the degraded item.
    """

    annotator: Sequence[Hashable] = ()
    first: Sequence[float] = ()
    second: Sequence[float] = ()


@dataclass(frozen=True)
class AnnotatorQuality:
    """One annotator's figures and flags.

    n: scores.  mean, sd: of the scores; sd nan with one.  favourite: share of the scores that have the most
    frequent value.  `rest`: spearman's rho with the mean of the others; nan below 3 shared items, or with one
    value throughout.  shared: items that others have scored too.  within: from planned repeats.  seconds:
    median of a HIT; nan if no times are known.  rejected: HITs.  flags: of degraded, fast, rejected,
    constant, rest, drift.  instant: HITs answered in less than a second.
    """

    annotator: str
    n: int
    mean: float
    sd: float
    favourite: float
    rest: float
    shared: int
    within: WithinSpread
    degraded: DegradedTest
    seconds: float
    rejected: int
    flags: tuple[str, ...] = field(default=())
    instant: int = 0


def quality(
    annotator: Sequence[Hashable],
    item: Sequence[Hashable],
    score: ArrayLike,
    repeats: Pairs = Pairs(),
    degraded: Pairs = Pairs(),
    seconds: Mapping[str, Sequence[float]] | None = None,
    rejected: Mapping[str, int] | None = None,
    drift: Drift | None = None,
) -> tuple[AnnotatorQuality, ...]:
    """The figures and flags of every annotator, in the order of their labels.

    annotator, item: labels of each score of an item; repeats and degraded items are not among them.  score
    float[n].  repeats, degraded: planned repeats, and degraded items with their originals.  seconds: seconds
    of each HIT, by annotator.  rejected: HITs rejected, by annotator.
    """
    y = numbers("score", score)
    names, who = coded("annotator", annotator, len(y))
    _, what = coded("item", item, len(y))
    rest = with_the_rest(who, what, y)
    cells = np.unique(who * (int(what.max()) + 1) + what)
    judges = np.bincount(cells % (int(what.max()) + 1))
    shared = np.bincount(cells[judges[cells % len(judges)] > 1] // len(judges), minlength=len(names))
    again, worse = _by_annotator(repeats, names, "repeats"), _by_annotator(degraded, names, "degraded items")
    times = {name: float(np.median(s)) for name, s in (seconds or {}).items() if len(s)}
    usual = float(np.median(list(times.values()))) if times else float("nan")
    drifting = () if drift is None else tuple(n for n, f in zip(drift.annotators, drift.flagged) if f)
    found = []
    for k, name in enumerate(names):
        own = y[who == k]
        favourite = float(np.unique(own, return_counts=True)[1].max()) / len(own)
        test = degraded_test(*worse[name])
        time, returned = times.get(name, float("nan")), (rejected or {}).get(name, 0)
        instant = sum(t < INSTANT for t in (seconds or {}).get(name, ()))
        holds = {
            "degraded": test.verdict == "failed",
            "fast": time < FAST * usual or instant > 0,
            "rejected": returned > 0,
            "constant": len(own) >= FEWEST_SCORES and favourite >= FAVOURITE,
            "rest": bool(rest[k] < REST) and int(shared[k]) >= FEWEST_FOR_REST,
            "drift": name in drifting,
        }
        found.append(
            AnnotatorQuality(
                name, len(own), float(own.mean()), float(own.std(ddof=1)) if len(own) > 1 else float("nan"),
                favourite, float(rest[k]), int(shared[k]), within_spread(*again[name]), test, time, returned,
                tuple(flag for flag, held in holds.items() if held), instant,
            )  # fmt: skip
        )
    return tuple(found)


def _by_annotator(
    pairs: Pairs, names: Sequence[str], what: str
) -> dict[str, tuple[list[float], list[float]]]:
    if not len(pairs.annotator) == len(pairs.first) == len(pairs.second):
        raise InputError(
            f"{what}: {len(pairs.annotator)} annotators, {len(pairs.first)} and {len(pairs.second)} scores; expected as"
            " many of each"
        )
    found: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
    for name, first, second in zip(pairs.annotator, pairs.first, pairs.second):
        if str(name) not in found:
            raise InputError(
                f"{what}: annotator {name} has no other score; expected one of {', '.join(names[:5])}"
            )
        found[str(name)][0].append(first)
        found[str(name)][1].append(second)
    return found
