"""Bradley-Terry models in log-odds (Bradley and Terry 1952; R's BradleyTerry2).

    logit P(i preferred to j) = b_i - b_j + delta * (1 if i is named first, -1 if j is, 0 on neutral ground)

b_i is free, or a sum of item covariates; both may vary with subject covariates.  Ties: Davidson (1970), Rao
and Kupper (1967), as half wins, or dropped.  The same likelihood as the LLBT with b = 2 lambda.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...data.comparisons import Comparisons
from ...fit.fit import Fit
from ...fit.spec import Ties
from .fit import fit
from .models import make_spec


def fit_bradley_terry(
    table: Comparisons,
    *,
    ties: Ties | None = None,
    by: str = "",
    reference: str | None = None,
    order_effect: bool = False,
    cells: str | Sequence[str] | None = None,
    item_terms: Sequence[str] = (),
    separate: Sequence[str] = (),
) -> Fit:
    """Fit a Bradley-Terry model by maximum likelihood; estimates are log-odds.

    Parameters and errors are those of :func:`pairproof.native.pairs.models.fit_llbt`; the default reference
    is the first item, as in BradleyTerry2.
    """
    return fit(
        table,
        make_spec(
            "bradley-terry",
            table,
            ties,
            by,
            reference,
            table.items[0],
            order_effect,
            cells,
            item_terms,
            separate,
        ),
    )
