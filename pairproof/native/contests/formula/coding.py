"""Which levels of categorical covariates have a column in which term: patsy's rule.

A term's categorical covariates are coded by treatment contrasts where the terms before span the rest, and by all
their levels where they do not (Chambers and Hastie 1992, Statistical Models in S, section 2.3.2, in patsy's form,
which leaves no column redundant).  The constant is in the model.

patsy is given no text: its terms are made of factors that are a number and a kind, with two levels in place of
theirs, and its answer is read from the width of its contrast matrices, 2 for all levels and 1 for contrasts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

#: A term as keys of its factors.
Keys = tuple[str, ...]


class _Factor:
    """A factor of patsy's protocol, whose data are made up: one number, or one of two levels."""

    origin = None

    def __init__(self, key: str, categorical: bool) -> None:
        self.key, self.categorical = key, categorical

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Factor) and other.key == self.key

    def __hash__(self) -> int:
        return hash((_Factor, self.key))

    def name(self) -> str:
        return self.key

    def memorize_passes_needed(self, state: object, eval_env: object) -> int:
        return 0

    def eval(self, state: object, data: object) -> Any:
        return pd.Categorical.from_codes([0, 1], categories=["0", "1"]) if self.categorical else np.zeros(2)


def codings(terms: Sequence[Keys], categorical: Mapping[str, bool]) -> dict[Keys, list[dict[str, bool]]]:
    """The coding of the categorical factors of each term.

    terms: distinct terms as keys of factors; the constant is put before them.  categorical: whether a factor
    is categorical.  Returns dict of tuple of str to list of dict of str to bool: for each term its parts, the
    columns of which are products of those of the factors named: True for all levels, False for all but the
    first (and for a numeric factor).
    """
    import patsy  # slow to import, and needed by formulas alone

    made = {key: _Factor(key, is_it) for key, is_it in categorical.items()}
    wanted = {keys: patsy.Term([made[key] for key in keys]) for keys in terms}
    (design,) = patsy.build.design_matrix_builders(
        [[patsy.INTERCEPT, *wanted.values()]], lambda: iter([{}]), patsy.EvalEnvironment([])
    )
    out: dict[Keys, list[dict[str, bool]]] = {}
    for keys, term in wanted.items():
        out[keys] = [
            {f.key: f.categorical and part.contrast_matrices[f].matrix.shape[1] == 2 for f in part.factors}
            for part in design.term_codings[term]
        ]
    return out
