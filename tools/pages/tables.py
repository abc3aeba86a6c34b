"""What the pages write in one way: tables, numbers and digits, an example by R and by pairproof, and numbers that are
kept beside this file because the data they are of are not ours to keep.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from .snippets import ROOT


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]], right: int = 1) -> str:
    """A Markdown table whose columns from number `right` on are right-aligned."""
    rules = ["---" if k < right else "---:" for k in range(len(heads))]
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, rules, *rows)]
    return "\n".join(lines) + "\n"


def columns(*of: tuple[str, Sequence[str]]) -> str:
    """A Markdown table of columns, heads and cells; one without cells is left out."""
    heads, cells = zip(*((head, column) for head, column in of if column))
    return markdown(heads, zip(*cells))


def shown(digits: float | None) -> str:
    """Digits with one decimal, cut off and not rounded, so that a minimum is never overstated; "" for none."""
    return "" if digits is None else f"{math.floor(digits * 10 + 1e-9) / 10:.1f}"


def ten(value: float | None) -> str:
    """A number in ten digits; "" for none."""
    return "" if value is None else f"{value:.10g}"


def example(head: str, r: str, code: str) -> str:
    """The head of an example, R's call and pairproof's, where it has one."""
    return f"### {head}\n\n```r\n{r.strip()}\n```\n" + (f"```text\n{code.strip()}\n```\n" if code else "")


def sentence(note: str) -> str:
    """A note as a paragraph; "" for none."""
    return f"{note[0].upper()}{note[1:]}.\n\n" if note else ""


def block(parts: Iterable[str]) -> str:
    """Parts under each other, as a block of a page has them."""
    return "\n" + "\n".join(parts) + "\n"


@lru_cache(maxsize=8)
def kept(name: str) -> Any:
    """What `keep` kept under this name."""
    return json.loads(_file(name).read_text(encoding="utf-8"))


def certified_fit(name: str) -> Any:
    """A 50-digit fit of tests/certified."""
    return json.loads((ROOT / "tests" / "certified" / f"{name}.json").read_text(encoding="utf-8"))


def keep(name: str, found: Any) -> None:
    """Keep what the data, which are not here, gave."""
    _file(name).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _file(name: str) -> Path:
    return Path(__file__).with_name(f"{name}.json")
