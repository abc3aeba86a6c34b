"""Where a tree puts new persons.

Values of a factor are compared as text, a numeric covariate with the threshold.  A level that no person of a node
had says nothing about the side on which it belongs, and is refused (R's partykit draws one).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.columns import level_of
from ...errors import InputError
from ...text import listed, quoted
from .instability import Covariate
from .record import TreeNode, TreeRecord
from .tables import worth_frame

if TYPE_CHECKING:
    import pandas as pd


def predicted(tree: TreeRecord, covariates: Any) -> pd.DataFrame:
    """Leaves, rankings and worths of new persons; see :meth:`PreferenceTree.predict`."""
    import pandas as pd

    numbers = leaf_numbers(tree, covariates)
    own = worth_frame(tree).pivot(index="leaf", columns="item", values="worth")
    leaves = {leaf.number: leaf for leaf in tree.leaves}
    columns: dict[str, Any] = {
        "leaf": numbers,
        "rule": [" and ".join(leaves[k].rule) for k in numbers],
        "ranking": [leaves[k].ranking for k in numbers],
    }
    columns |= {f"worth[{item}]": [float(own.loc[k, item]) for k in numbers] for item in tree.items}
    index = covariates.index if isinstance(covariates, pd.DataFrame) else None
    return pd.DataFrame(columns, index=index)


def leaf_numbers(tree: TreeRecord, covariates: Any, single: bool = False) -> list[int]:
    """The leaf of each person.

    single: whether they are values of one person.
    """
    used = {node.split.covariate for node in tree.nodes if node.split is not None}
    known = [covariate for covariate in tree.covariates if covariate.name in used]
    columns = {}
    for covariate in known:
        if covariate.name not in covariates:
            raise InputError(
                f"no column {quoted(covariate.name)}, by which the tree is split; there are"
                f" {listed([str(name) for name in covariates]) or 'none'}"
            )
        given = covariates[covariate.name]
        columns[covariate.name] = [given] if single else list(given)
    sizes = {name: len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(f"columns of different lengths: {', '.join(f'{k} {n}' for k, n in sizes.items())}")
    n = next(iter(sizes.values()), 1 if single else _length(covariates))
    ready = {c.name: [_value(c, v, k) for k, v in enumerate(columns[c.name])] for c in known}
    return [_leaf(tree, {name: values[k] for name, values in ready.items()}, k) for k in range(n)]


def _length(covariates: Any) -> int:
    """Persons of a table of which no column is used."""
    import pandas as pd

    if isinstance(covariates, pd.DataFrame):
        return len(covariates)
    if not isinstance(covariates, Mapping):
        raise InputError(f"covariates are a {type(covariates).__name__}; expected a DataFrame or a mapping")
    return len(next(iter(covariates.values()), ()))


def _value(covariate: Covariate, value: Any, row: int) -> float | str:
    """A value as a number, or as a level."""
    missing = value is None or (isinstance(value, (float, np.floating)) and np.isnan(value))
    if missing or str(value) in ("<NA>", "NaT"):
        raise InputError(f"person {row + 1}: no {covariate.name}, by which the tree is split")
    if covariate.kind == "numeric":
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"person {row + 1}: {covariate.name} {value!r}; expected a number") from error
    if isinstance(value, (bool, np.bool_)):
        return str(value)
    return level_of(float(value)) if isinstance(value, (int, float, np.number)) else str(value)


def _leaf(tree: TreeRecord, values: Mapping[str, float | str], row: int) -> int:
    node: TreeNode = tree.root
    while node.split is not None:
        split, value = node.split, values[node.split.covariate]
        if not split.left:
            left = float(value) <= split.threshold
        elif value in split.left or value in split.right:
            left = value in split.left
        else:
            raise InputError(
                f"person {row + 1}: no person of node {node.number} has {split.covariate} {quoted(str(value))}; the"
                f" levels there are {listed([*split.left, *split.right])}"
            )
        node = tree.node(node.parts[0 if left else 1])
    return node.number
