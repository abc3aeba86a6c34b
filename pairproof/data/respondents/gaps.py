"""Which comparisons were not answered, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..columns import FloatArray, IntArray
from ..wide import prefmod_pair_order
from .codes import MISSING

if TYPE_CHECKING:
    import pandas as pd


class WithGaps:
    """A table of answers that can count what is missing in it."""

    if TYPE_CHECKING:
        items: tuple[str, ...]
        times: tuple[str, ...]
        weights: FloatArray

        @property
        def pair_answers(self) -> IntArray:
            """int[n_rows, n_times, J(J-1)/2]"""

    def gaps(self) -> pd.DataFrame:
        """How many persons answered each comparison, and how many did not.

        For rankings and ratings the comparisons are those that they imply.  R's prefmod has `checkMIS` for it, which
        says whether a comparison is missing at all.

        Returns
        -------
        DataFrame
            first, second, answered, missing (persons), share (missing of all); with several times a column time.

        Examples
        --------
        >>> from pairproof.data.respondents import Respondents
        >>> table = Respondents.build("ABC", "rankings", [[1, 2, 3], [1, 0, 0], [2, 1, 3]])
        >>> print(table.gaps().to_string(index=False))
        first second  answered  missing    share
            A      B       3.0      0.0 0.000000
            A      C       3.0      0.0 0.000000
            B      C       2.0      1.0 0.333333
        """
        import pandas as pd

        pairs = prefmod_pair_order(len(self.items))
        total = float(self.weights.sum())
        missing = np.einsum("r,rtk->tk", self.weights, (self.pair_answers == MISSING).astype(float))
        several = len(self.times) > 1
        data: dict[str, object] = {"time": np.repeat(self.times, len(pairs))} if several else {}
        count = missing.reshape(-1)
        return pd.DataFrame(
            {
                **data,
                "first": [self.items[i] for i, _ in pairs] * len(self.times),
                "second": [self.items[j] for _, j in pairs] * len(self.times),
                "answered": total - count,
                "missing": count,
                "share": count / total,
            }
        )
