"""Parts of a fit that only some models have: random effects.

    ability of item i  =  x_i'b + u_i,        u_i ~ N(0, sigma^2)

A fit holds each part, or None where its model has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError

if TYPE_CHECKING:
    import pandas as pd


FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Component:
    """A variance component.

    sigma: standard deviation of the effects.  se: of sigma; nan at 0, and where the data bound sigma from
    below only.  lr: twice the log-likelihood gained over sigma = 0; nan by PQL.  p: of the test of sigma = 0
    on its boundary, P(chi2_1 > lr) / 2 (Self and Liang 1987); 1 where lr is 0.
    """

    name: str
    sigma: float
    se: float
    lr: float
    p: float
    n_effects: int


@dataclass(frozen=True, eq=False)
class RandomEffects:
    """Variance components, and the effects and fixed parameters together.

    theta float[K + p]: modes of the K effects, then the p fixed parameters that the data determine.
    covariance float[K + p, K + p]: of theta minus the truth, sigma taken as known.  component int[K]: of each
    effect.  item int[K].  judge int[K]: position in `judges`; -1 for effects of items.  places int[p]: of the
    fixed parameters among the terms of the fit.  means float[K] or None: posterior means, by quadrature.
    reference: what the fixed parameters are against, as the model was fitted: an item, "sum" or "".
    """

    components: tuple[Component, ...]
    theta: FloatArray
    covariance: FloatArray
    component: IntArray
    item: IntArray
    judge: IntArray
    judges: tuple[str, ...]
    places: IntArray
    means: FloatArray | None
    reference: str = ""

    @property
    def n_effects(self) -> int:
        """K."""
        return len(self.item)

    def frame(self, items: Sequence[str]) -> pd.DataFrame:
        """component, item, (judge,) effect, se (, mean); see :meth:`pairproof.Fit.effects`."""
        import pandas as pd

        k = self.n_effects
        out = pd.DataFrame(
            {
                "component": [self.components[c].name for c in self.component],
                "item": [items[i] for i in self.item],
            }
        )
        if self.judges:
            out["judge"] = [self.judges[j] if j >= 0 else "" for j in self.judge]
        out["effect"] = self.theta[:k]
        sigmas = np.array([c.sigma for c in self.components])[self.component] if k else np.zeros(0)
        se = np.sqrt(np.maximum(np.diag(self.covariance)[:k], 0.0))
        out["se"] = np.where(sigmas > 0, se, 0.0)
        if self.means is not None:
            out["mean"] = self.means
        return out

    def in_units(self, factor: float, units: FloatArray) -> RandomEffects:
        """Effects and their sigma times the factor, fixed parameters times units, float[n_params], of the fit's."""
        every = np.append(np.full(self.n_effects, factor), units[self.places])
        return replace(
            self,
            components=tuple(replace(c, sigma=factor * c.sigma, se=factor * c.se) for c in self.components),
            theta=every * self.theta,
            covariance=every[:, None] * self.covariance * every,
            means=None if self.means is None else factor * self.means,
        )


def find_component(effects: RandomEffects, name: str | None = None) -> Component:
    """The component of this name; of the only one none is needed."""
    names = [c.name for c in effects.components]
    if name is None and len(names) == 1:
        return effects.components[0]
    if name not in names:
        raise InputError(f"component={name!r}; the random effects are of {', '.join(map(repr, names))}")
    return effects.components[names.index(name)]
