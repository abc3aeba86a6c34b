"""`Bootstrap`: the replicates of some quantities of a fit, with standard errors, limits and ranks from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .limits import Method, WithLimits
from .shown import as_dict, summary


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap(WithLimits):
    """Bootstrap replicates of quantities of a fit, made by :func:`pairproof.bootstrap`.

    The attributes are those of :class:`pairproof.native.resampling.record.Replicates`: `estimate`, `replicates`
    (float[R, q]), `names`, `seed`, and what was clustered by.
    """

    # -- shown -----------------------------------------------------------------------------------------------

    def summary(self, level: float = 0.95, rows: int = 60) -> str:
        """The estimates, bootstrap errors and percentile limits as text.

        rows: most quantities shown.
        """
        return summary(self, level, rows)

    def to_dict(self, level: float = 0.95, method: Method = "percentile") -> dict[str, Any]:
        """The bootstrap as a JSON object, without the replicates; None where there is no finite number.

        method: as in :meth:`conf_int`.
        """
        return as_dict(self, level, method)

    def __repr__(self) -> str:
        q = len(self.names)
        what = f"{q} quantit{'y' if q == 1 else 'ies'}"
        return f"<Bootstrap: {self.n_replicates} replicates of {what}, seed {self.seed}; {self.title}>"
