"""What is worth a look in an annotator, and why.

degraded, fast, rejected, constant, rest
    as :mod:`pairproof.native.annotation.quality.quality` has them
attention
    two or more attention checks failed (a platform's rule before work may be rejected)
repeats
    the spread between own scores of an item is more than twice the median of all annotators'
drift
    as :mod:`pairproof.native.annotation.quality.drift` has it

None excludes anybody by itself: a rule of exclusion has to be fixed before the data are seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...native.annotation.quality.consistency import DegradedTest
from ...native.annotation.quality.drift import ALPHA, LARGE
from ...native.annotation.quality.quality import FAST, INSTANT, REST, AnnotatorQuality
from .watched import Watched

#: Attention checks failed that are a flag.
FAILED_CHECKS = 2
#: Repeats from which on an annotator's own spread is held against the others', and the ratio that is a flag.
FEWEST_REPEATS, UNSTEADY = 10, 2.0

#: Pairs below which the test on degraded items is said to be weak: of 9 pairs, a damage of .2 and noise as in
#: WMT21 one honest annotator in four failed it, of 40 one in twenty to thirty.
FEW_PAIRS = 20


def flagged(rows: Sequence[Watched]) -> Iterator[Watched]:
    """The rows with their flags, each with its reason."""
    times = [r.quality.seconds for r in rows if not np.isnan(r.quality.seconds)]
    usual = float(np.median(times)) if times else float("nan")
    spreads = [r.within.sd for r in rows if r.within.n >= FEWEST_REPEATS]
    for row in rows:
        q = row.quality
        flags: dict[str, str] = {}
        if "degraded" in q.flags:
            flags["degraded"] = _why_degraded(q.degraded)
        if "fast" in q.flags:
            flags["fast"] = _why_fast(q, usual)
        if "rejected" in q.flags:
            flags["rejected"] = f"{q.rejected} HIT(s) rejected on the platform"
        if "constant" in q.flags:
            flags["constant"] = f"{q.favourite:.0%} of {q.n} scores are one value"
        if "rest" in q.flags:
            flags[
                "rest"
            ] = f"rank correlation {q.rest:.2f} with the mean of the others on {q.shared} items, below {REST:g}"
        if row.failed >= FAILED_CHECKS:
            flags["attention"] = f"{row.failed} of {row.attention} attention checks failed"
        # With itself among them: of four annotators one cannot make itself usual.
        if (
            row.within.n >= FEWEST_REPEATS
            and len(spreads) >= 3
            and row.within.sd > UNSTEADY * np.median(spreads)
        ):
            flags["repeats"] = (
                f"own scores of an item differ with sd {row.within.sd:.2f} ({row.within.n} repeats), more than twice"
                f" the usual {np.median(spreads):.2f}"
            )
        if row.drift_p <= ALPHA and abs(row.change) > LARGE:
            flags[
                "drift"
            ] = f"scores change by {row.change:+.2f} from first to last, p {row.drift_p:.2g} (Holm)"
        yield replace(row, flags=flags)


def _why_fast(q: AnnotatorQuality, usual: float) -> str:
    found = []
    if q.instant:
        found.append(f"{q.instant} HIT(s) answered in less than {INSTANT:g} s")
    if q.seconds < FAST * usual:
        found.append(f"{q.seconds:.0f} s a HIT, below a third of the usual {usual:.0f} s")
    return "; ".join(found)


def _why_degraded(test: DegradedTest) -> str:
    if np.isnan(test.p):
        return f"all {test.n} degraded items scored exactly as their originals"
    few = "; of so few pairs honest annotators often fail too" if test.n < FEW_PAIRS else ""
    return f"degraded items only {test.mean_drop:.2f} below their originals, p {test.p:.2g} of {test.n} pairs{few}"
