"""A data frame of R as a CSV file beside the script, and the call that reads it with R's factors and types."""

from __future__ import annotations

from typing import Any

from ....bridge.values.csv_frames import columns_of, factors_of, looks_otherwise
from ....bridge.values.values import RList, RVector
from .expressions import Call, File


def frame_call(frame: RList, stem: str) -> Call:
    """`pairproof.bridge.read_frame("data/STEM.csv", factors={...})`.

    frame: a data frame.  stem: what to call the file.
    """
    columns = columns_of(frame)
    factors = factors_of(frame)
    options: dict[str, Any] = {}
    if factors:
        options["factors"] = factors
    text = [name for name, values in columns.items() if name not in factors and looks_otherwise(values)]
    if text:
        options["text"] = text
    ordered = [
        name
        for name, column in zip(frame.names or (), frame.values)
        if isinstance(column, RVector) and "ordered" in column.rclass
    ]
    if ordered:
        options["ordered"] = ordered
    return Call("pairproof.bridge.read_frame", (File(columns, stem),), options)


def table_call(columns: dict[str, list[Any]], stem: str, /, **options: Any) -> Call:
    """`pairproof.read("data/STEM.csv", ...)` of a table of comparisons.

    **options: of `pairproof.read`: `layout=`, `columns=`, `items=`, ...
    """
    return Call("pairproof.read", (File(columns, stem),), options)
