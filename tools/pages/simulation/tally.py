"""Counting over simulated tables: rates with their Monte Carlo errors, and the file that keeps them."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import pairproof

from ..snippets import ROOT
from .answers import SEED

RECORDS = ROOT / "docs" / "records" / "coverage"
#: Tables at the beginning of a line whose sums are kept beside, so that a test can draw them again.
FIRST = 20


class Tally:
    """Sums of what each method got right, table by table."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}
        self.first: dict[str, float] = {}

    def add(self, table: int, values: Mapping[str, float]) -> None:
        """`values`: method -> share of what it should hold that it held in this table, in [0, 1]; others are averaged."""
        for method, value in values.items():
            sums = self._sums.setdefault(method, [0.0, 0.0, 0.0])
            for k, part in enumerate((1.0, value, value * value)):
                sums[k] += part
            if table < FIRST:
                self.first[method] = self.first.get(method, 0.0) + value

    def rates(self) -> dict[str, dict[str, float]]:
        """Method -> rate over the tables, its Monte Carlo standard error, and the number of tables."""
        out = {}
        for method, (n, total, squares) in self._sums.items():
            mean = total / n
            spread = max(squares / n - mean * mean, 0.0)
            out[method] = {"rate": mean, "error": math.sqrt(spread / max(n - 1.0, 1.0)), "tables": int(n)}
        return out


def counted(
    tables: Iterable[int], values: Callable[[int], Mapping[str, float] | None], *none: type[Exception]
) -> tuple[Tally, int]:
    """What tables give, and how many give nothing: None, or one of the errors `none`."""
    tally, left = Tally(), 0
    for k in tables:
        try:
            found = values(k)
        except none:
            found = None
        if found is None:
            left += 1
        else:
            tally.add(k, found)
    return tally, left


def line(name: str, design: Mapping[str, Any], tally: Tally, **more: Any) -> dict[str, Any]:
    """What the record keeps of a line of the page."""
    return {"name": name, "design": dict(design), "rates": tally.rates(), "first": tally.first, **more}


def keep(part: str, lines: Iterable[Mapping[str, Any]], folder: Path = RECORDS) -> Path:
    """Write lines into the part's record; lines of the same name are replaced, others stay."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{part}.json"
    known = {one["name"]: one for one in read(part, folder)["lines"]} if path.exists() else {}
    for one in lines:
        known[one["name"]] = dict(one, made_with=_versions())
    document = {"part": part, "seed": SEED, "first": FIRST, "lines": list(known.values())}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return path


def read(part: str, folder: Path = RECORDS) -> dict[str, Any]:
    """The record of a part."""
    document: dict[str, Any] = json.loads((folder / f"{part}.json").read_text(encoding="utf-8"))
    return document


def _versions() -> dict[str, str]:
    return {
        "pairproof": pairproof.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
