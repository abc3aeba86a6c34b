"""The Gaussian model's constants, its probabilities, and a table as its likelihood takes it.

The model itself stands in :mod:`pairproof.native.irt.gaussian`; samplers and fitters both take it from here.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.comparisons import Comparisons
from ...data.judgments import TIE, judgments
from ...errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class GaussianModel:
    """The Gaussian item-response model's known constants, all on the scale of abilities.

    The defaults are those of Hopkins and May (2013), footnote 13.

    sd_ability: s0 > 0, standard deviation of the systems' abilities.  sd_quality: sa > 0, of an item's
    quality about its system's ability.  sd_noise: so > 0, of what a judge sees about an item's quality.
    radius: d >= 0: options that look less than d apart tie; with 0 there are no ties.
    """

    sd_ability: float = 1.0
    sd_quality: float = 0.5
    sd_noise: float = 1.0
    radius: float = 0.4

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (np.isfinite(value) and (value > 0 or (name == "radius" and value == 0))):
                raise InputError(
                    f"{name}={value}; expected a finite number {'>= 0' if name == 'radius' else '> 0'}"
                )

    @property
    def tau(self) -> float:
        """Standard deviation of o1 - o2 given the abilities, for new items."""
        return float(np.sqrt(2.0 * (self.sd_quality**2 + self.sd_noise**2)))

    def preferences(self, gap: FloatArray, extra_variance: float | FloatArray = 0.0) -> FloatArray:
        """P(tie), P(first), P(second) for new items.

        gap: ability of the first minus ability of the second.  extra_variance: of the gap itself: s0^2 for
        each system that is only known by the prior.  Returns float[..., 3]: each row sums to 1.
        """
        from scipy.special import ndtr

        sd = np.sqrt(self.tau**2 + np.asarray(extra_variance, float))
        m, d = np.asarray(gap, float), self.radius
        first, second = ndtr((m - d) / sd), ndtr((-m - d) / sd)
        # Both terms from the side where they are small, so that nothing cancels far out.
        away = np.abs(m)
        tie = ndtr((d - away) / sd) - ndtr((-d - away) / sd)
        return np.stack([tie, first, second], axis=-1)


@dataclass(frozen=True, eq=False)
class Oriented:
    """Judgments turned so that the preferred system stands first, the ties after all others.

    n_systems, n_decided: judgments 0..n_decided-1 have a preference, the rest are ties.  up, down int[n]:
    systems; `up` was preferred (in a tie: was named first).  row int[n]: the table's row.
    """

    n_systems: int
    n_decided: int
    up: IntArray
    down: IntArray
    row: IntArray


def refuse_ties(table: Comparisons, model: GaussianModel) -> None:
    """Raise InputError if the table has ties and the model's radius is 0, which makes a tie impossible."""
    if model.radius == 0 and table.ties.any():
        raise InputError(
            f"{table.source}: {table.ties.sum():g} ties, but radius=0 makes a tie impossible; use a radius"
            " > 0, or drop the ties (table.without_ties())"
        )


def oriented(table: Comparisons, model: GaussianModel) -> Oriented:
    """Every judgment of the table, turned."""
    refuse_ties(table, model)
    single = judgments(table)
    order = np.argsort(single.outcome == TIE, kind="stable")
    turned = single.outcome[order] == 2
    first, second = single.first[order], single.second[order]
    up, down = np.where(turned, second, first), np.where(turned, first, second)
    return Oriented(len(table.items), int((single.outcome != TIE).sum()), up, down, single.row[order])
