"""Numbers of a table or fit as R counts them: first preferences, and the AIC of its glm or gnm."""

from __future__ import annotations

import numpy as np

from ...data.comparisons import Comparisons
from ...fit.fit import Fit


def first_preferences(data: Comparisons) -> dict[str, float]:
    """How often each item was preferred, over all its comparisons."""
    wins = np.bincount(data.first, data.wins, len(data.items)) + np.bincount(
        data.second, data.losses, len(data.items)
    )
    return {item: float(w) for item, w in zip(data.items, wins)}


def aic_glm(fit: Fit) -> float:
    """AIC as R prints it: for Bradley-Terry that of a binomial glm on the cells, for the LLBT that of gnm.

    A binomial log-likelihood has log choose(n, wins) added for each cell; gnm's Poisson log-likelihood has
    the constants of `Fit.llf_poisson`, and gnm counts one nuisance parameter for each cell as well.
    """
    from scipy.special import gammaln

    table = fit.cell_table()
    if fit.spec.of_family.glm_of_wins == "binomial" and fit.outcome_model == "binary":
        won, lost = table.observed[:, 0], table.observed[:, 2]
        constants = float(np.sum(gammaln(won + lost + 1) - gammaln(won + 1) - gammaln(lost + 1)))
        return -2.0 * (fit.llf + constants) + 2.0 * fit.rank
    return -2.0 * fit.llf_poisson + 2.0 * (fit.rank + len(table.first))
