"""Labels of judgments (items, annotators, sources) as whole numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from .beta import IntArray

#: Labels of judgments, one each; arrays of whole numbers are the fastest.
Labels = Union[Sequence[Hashable], NDArray[Any]]


def coded(name: str, labels: Labels, length: int) -> tuple[tuple[str, ...], IntArray]:
    """The distinct labels in order, and the place of each row's label among them.

    The order is that of the labels, not of the rows, so that the same judgments in another order give the
    same result.

    name: of the column, for messages.  labels: of each row; numbers are ordered as numbers.  length: rows
    there must be.
    """
    if len(labels) != length:
        raise InputError(f"{len(labels)} labels of the {name} and {length} scores; expected as many")
    if isinstance(labels, np.ndarray):
        if labels.dtype.kind in "iu":
            found, code = np.unique(labels, return_inverse=True)
            return tuple(map(str, found.tolist())), code.ravel().astype(np.int64)
        labels = labels.tolist()  # Python's own numbers are compared ten times as fast
    for k, label in enumerate(labels):
        if label is None or label == "" or label != label:
            raise InputError(f"row {k + 1}: no {name}; expected a label in every row")
    distinct = sorted(set(labels), key=_order)
    place = {label: k for k, label in enumerate(distinct)}
    return tuple(str(label) for label in distinct), np.array([place[label] for label in labels], np.int64)


def _order(label: Hashable) -> tuple[int, float, str]:
    if isinstance(label, (int, float, np.integer, np.floating)):
        return 0, float(label), ""
    return 1, 0.0, str(label)


def numbers(name: str, values: object, least: int = 1) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    """Finite numbers as an array.

    name: of the column, for messages.  values float[n].  least: fewest that are of use.  Returns float[n].
    """
    try:
        found = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: not all are numbers; expected a list of numbers") from None
    if found.ndim != 1 or len(found) < least:
        raise InputError(f"{name}: {found.size} value(s); expected a list of {least} or more")
    if not np.isfinite(found).all():
        k = int(np.flatnonzero(~np.isfinite(found))[0])
        raise InputError(f"{name}: row {k + 1} is {found[k]}; expected a finite number (leave the row out)")
    return found
