"""Every kind of source that votes are counted from, made from one pandas frame; an engine that is not here is named."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

#: Kind -> (what it needs, how it is made of a frame in a folder).
KINDS: dict[str, tuple[tuple[str, ...], Callable[[pd.DataFrame, Path], Any]]] = {}


def kind(name: str, *needs: str) -> Callable[[Callable[[pd.DataFrame, Path], Any]], None]:
    def known(make: Callable[[pd.DataFrame, Path], Any]) -> None:
        KINDS[name] = (needs, make)

    return known


kind("pandas")(lambda frame, _: frame)
kind("pandas object")(lambda frame, _: frame.astype({c: object for c in frame}))
kind("pandas category")(lambda frame, _: frame.astype({c: "category" for c in frame}))
kind("dict")(lambda frame, _: {c: [None if v != v else v for v in frame[c].tolist()] for c in frame})
kind("pyarrow", "narwhals", "pyarrow")(lambda frame, _: _arrow(frame))
kind("polars", "narwhals", "polars", "pyarrow")(lambda frame, _: _polars(frame))
kind("polars lazy", "narwhals", "polars", "pyarrow")(lambda frame, _: _polars(frame).lazy())
kind("duckdb", "narwhals", "duckdb", "pyarrow")(lambda frame, _: _duckdb(frame))
kind("ibis", "narwhals", "ibis", "duckdb", "pyarrow")(
    lambda frame, _: importlib.import_module("ibis").memtable(_arrow(frame))
)


@kind("dask", "narwhals", "dask.dataframe", "pyarrow")
def _(frame: pd.DataFrame, _: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("dask.dataframe").from_pandas(frame, npartitions=2)


@kind("parquet", "pyarrow")
def _(frame: pd.DataFrame, folder: Path) -> Any:
    path = folder / f"{abs(hash(frame.to_csv()))}.parquet"
    frame.to_parquet(path)
    return path


@kind("csv")
def _(frame: pd.DataFrame, folder: Path) -> Any:
    path = folder / f"{abs(hash(frame.to_csv()))}.csv"
    frame.to_csv(path, index=False)
    return path


def _arrow(frame: pd.DataFrame) -> Any:
    return importlib.import_module("pyarrow").Table.from_pandas(frame, preserve_index=False)


def _polars(frame: pd.DataFrame) -> Any:
    return importlib.import_module("polars").from_arrow(_arrow(frame))


def _duckdb(frame: pd.DataFrame) -> Any:
    return importlib.import_module("duckdb").from_arrow(_arrow(frame))


def made(name: str, frame: pd.DataFrame, folder: Path) -> Any:
    """The frame as this kind of source; where an engine is not here the test is not run, and says which."""
    needs, make = KINDS[name]
    for module in needs:
        pytest.importorskip(module, reason=f"{module} is not installed; votes of {name} were not counted")
    return make(frame, folder)


def here() -> list[str]:
    """The kinds whose engines are here."""
    found = []
    for name, (needs, _) in KINDS.items():
        try:
            for module in needs:
                importlib.import_module(module)
        except ImportError:
            continue
        found.append(name)
    return found
