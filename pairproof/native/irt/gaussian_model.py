"""The Gaussian model's constants, its probabilities, and a table as its likelihood takes it.

The model itself stands in :mod:`pairproof.native.irt.gaussian`; samplers and fitters both take it from here.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...data.judgments import TIE, judgments
from ...data.options import one_of
from ...errors import InputError

FloatArray = NDArray[np.float64]


IntArray = NDArray[np.int64]


Items = Literal["shared", "fresh"]


@dataclass(frozen=True)
class GaussianModel:
    """The known constants.

    Attributes
    ----------
    sd_ability : float
        s0 > 0.
    sd_quality : float
        sa > 0.
    sd_noise : float
        so > 0.
    radius : float
        d >= 0; with 0 there are no ties.
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

        Parameters
        ----------
        gap : float[...]
            Ability of the first minus ability of the second.
        extra_variance : float or float[...]
            Of the gap itself: s0^2 for each system that is only known by the prior.

        Returns
        -------
        float[..., 3]
            Each row sums to 1.
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

    Attributes
    ----------
    n_systems, n_decided : int
        Judgments 0..n_decided-1 have a preference, the rest are ties.
    up, down : int[n]
        Systems; `up` was preferred (in a tie: was named first).
    row : int[n]
        The table's row.
    """

    n_systems: int
    n_decided: int
    up: IntArray
    down: IntArray
    row: IntArray


def oriented(table: Comparisons, model: GaussianModel) -> Oriented:
    """Raises InputError for ties beside radius 0."""
    single = judgments(table)
    if model.radius == 0 and (single.outcome == TIE).any():
        raise InputError(
            f"{table.source}: {int((single.outcome == TIE).sum())} ties, but radius=0 makes a tie impossible;"
            " use a radius > 0, or drop the ties (table.without_ties())"
        )
    order = np.argsort(single.outcome == TIE, kind="stable")
    turned = single.outcome[order] == 2
    first, second = single.first[order], single.second[order]
    return Oriented(
        len(table.items),
        int((single.outcome != TIE).sum()),
        np.where(turned, second, first),
        np.where(turned, first, second),
        single.row[order],
    )


def item_codes(
    table: Comparisons, first: IntArray, second: IntArray, row: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Shared items of judgments.

    Parameters
    ----------
    table : Comparisons
        With a column `source` without gaps (see :func:`choose_items`).
    first, second, row : int[n]
        Systems, and the table's row.

    Returns
    -------
    author, segment : int[n_items]
        Items of a segment stand together.
    item : int[2 n]
        Of `first`, then of `second`.
    """
    source = table.columns["source"]
    assert isinstance(source, Factor)  # choose_items has refused anything else
    n, segment = len(table.items), source.codes[row]
    found, codes = np.unique(
        np.concatenate([segment, segment]) * n + np.concatenate([first, second]), return_inverse=True
    )
    return found % n, found // n, np.ravel(codes)


def choose_items(table: Comparisons, items: Items | None) -> Items:
    """What an item is, checked against the table."""
    source = table.columns.get("source")
    if items is None:
        items = "shared" if isinstance(source, Factor) else "fresh"
    one_of("items", items, get_args(Items))
    if items == "shared":
        if not isinstance(source, Factor):
            raise InputError(
                f"{table.source}: shared items are (system, source segment), but there is no column 'source';"
                " name it (columns={'source': ...}) or use items='fresh'"
            )
        if (source.codes < 0).any():
            raise InputError(
                f"{table.source}, row {int(np.flatnonzero(source.codes < 0)[0]) + 1}: no source segment;"
                " every row needs one for shared items, or use items='fresh'"
            )
    return items
