"""One annotator's figures in a campaign, and all annotators'."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...native.annotation.quality.consistency import WithinSpread
from ...native.annotation.quality.quality import AnnotatorQuality
from .own_answers import Gold

if TYPE_CHECKING:
    import pandas as pd

#: Quantiles that show how an annotator uses the scale.
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass(frozen=True)
class Watched:
    """One annotator's figures.

    judgments: HITs that count.  set_aside: HITs that do not count: repeats, practice, or an excluded
    annotator's.  quality: of all own scores.  quantiles: 10, 25, 50, 75 and 90 % points of the scores.
    cannot_judge: share of the items shown that the annotator could not judge.  attention, failed: attention
    checks, and those failed.  twice: from HITs answered twice; `quality.within` has planned repeats.  within:
    from both together.  location, noise, slope: of the annotator model; nan where it was not fitted.  change,
    detectable, drift_p: change of the score from the first to the last by drift; the change that would have
    been found with probability .8; p after Holm's correction. nan where drift was not fitted.  flags: flag ->
    why.
    """

    name: str
    state: str
    judgments: int
    set_aside: int
    quality: AnnotatorQuality
    quantiles: tuple[float, ...]
    cannot_judge: float
    gold: Gold
    attention: int
    failed: int
    twice: WithinSpread
    within: WithinSpread
    location: float = float("nan")
    noise: float = float("nan")
    slope: float = float("nan")
    change: float = float("nan")
    detectable: float = float("nan")
    drift_p: float = float("nan")
    flags: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The figures under plain names; nan is None."""
        q = self.quality
        row: dict[str, Any] = {
            "annotator": self.name,
            "state": self.state,
            "judgments": self.judgments,
            "set_aside": self.set_aside,
            "scores": q.n,
            "cannot_judge": self.cannot_judge,
            "mean": q.mean,
            "sd": q.sd,
            **{f"q{round(100 * p)}": v for p, v in zip(QUANTILES, self.quantiles)},
            "constant": q.favourite,
            "rest": q.rest,
            "rest_n": q.shared,
            "gold_n": self.gold.n,
            "gold_error": self.gold.error,
            "gold_rho": self.gold.rho,
            "attention": self.attention,
            "attention_failed": self.failed,
            "within_sd": self.within.sd,
            "within_low": self.within.low,
            "within_high": self.within.high,
            "within_n": self.within.n,
            "within_planned": q.within.n,
            "within_twice": self.twice.n,
            "degraded": q.degraded.verdict,
            "degraded_p": q.degraded.p,
            "degraded_n": q.degraded.n,
            "degraded_drop": q.degraded.mean_drop,
            "location": self.location,
            "noise": self.noise,
            "slope": self.slope,
            "drift": self.change,
            "drift_detectable": self.detectable,
            "drift_p_holm": self.drift_p,
            "seconds": q.seconds,
            "instant": q.instant,
            "rejected": q.rejected,
            "flags": dict(self.flags),
        }
        return {k: None if isinstance(v, float) and np.isnan(v) else v for k, v in row.items()}


@dataclass(frozen=True, eq=False)
class Annotators:
    """The annotators of a campaign.

    rows: in the order of their names; only those with a score that counts.  idle: annotators without a score
    that counts.  model: why location, noise and slope are what they are, or are not there.  drift: the same
    of the drift; "" where it was fitted.  unnamed: scores that count but nobody's.
    """

    rows: tuple[Watched, ...]
    idle: tuple[str, ...]
    model: str
    drift: str
    unnamed: int

    @property
    def flagged(self) -> tuple[Watched, ...]:
        return tuple(row for row in self.rows if row.flags)

    def to_frame(self) -> pd.DataFrame:
        """A row an annotator; flags are joined by commas."""
        import pandas as pd

        rows = [{**row.to_dict(), "flags": ", ".join(row.flags)} for row in self.rows]
        return pd.DataFrame(rows).set_index("annotator") if rows else pd.DataFrame()
