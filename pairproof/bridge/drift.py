"""A recorded answer against a live one, field by field.

Numbers are compared in digits, those inside printed lines and messages too, everything else exactly; seconds are not
compared.  Two numbers share
``-log10(|a - b| / max(|a|, |b|))`` digits, at most 16; both below 1e-9 are noise around zero (deviances of saturated
models, scores) and are compared absolutely, ``-log10 |a - b|``.
"""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from pairproof.bridge.result import Answer, Drift, RCondition
from pairproof.bridge.values import INT_NA, Node

MOST_DIGITS = 16.0
NOISE = 1e-9


def drift(recorded: Answer, live: Answer) -> list[Drift]:
    """Every difference; empty where the answers are the same to the last bit."""
    found = _texts("output", recorded.output, live.output) + _texts("messages", recorded.messages, live.messages)
    found += _texts("stderr", (recorded.stderr,), (live.stderr,))
    found += _conditions("warnings", recorded.warnings, live.warnings)
    before, after = (() if a.error is None else (a.error,) for a in (recorded, live))
    found += _conditions("error", before, after)
    if recorded.visible != live.visible and not (before or after):
        found.append(Drift("visible", "flag", recorded.visible, live.visible))
    return found + _nodes("value", recorded.node, live.node)


def matters(differences: list[Drift], floor: float) -> list[Drift]:
    """Those that are not a matter of the last digits: text, shape, and numbers sharing fewer than ``floor`` digits."""
    return [d for d in differences if d.digits is None or d.digits < floor]


def digits_shared(a: float, b: float) -> float:
    """Decimal digits two finite numbers share, 0 to 16."""
    gap = abs(a - b)
    if gap == 0.0:
        return MOST_DIGITS
    size = max(abs(a), abs(b))
    scale = 1.0 if size < NOISE else size
    return min(MOST_DIGITS, max(0.0, -math.log10(gap / scale) if math.isfinite(gap) else 0.0))


def _texts(field: str, a: tuple[str, ...], b: tuple[str, ...]) -> list[Drift]:
    if len(a) != len(b):
        return [Drift(field, "number of lines", list(a), list(b))]
    return [_text(f"{field}[{i}]", x, y) for i, (x, y) in enumerate(zip(a, b)) if x != y]


NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def _text(field: str, a: str, b: str) -> Drift:
    """Two different lines: other words, or the same words around other numbers (a condition number in an error)."""
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return Drift(field, "text", a, b)
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b))
    return Drift(field, "number in text", a, b, min(digits_shared(float(x), float(y)) for x, y in pairs))


def _conditions(field: str, a: tuple[RCondition, ...], b: tuple[RCondition, ...]) -> list[Drift]:
    found = _texts(f"{field}/message", tuple(c.message for c in a), tuple(c.message for c in b))
    return found or _texts(f"{field}/call", tuple(c.call for c in a), tuple(c.call for c in b))


def _nodes(path: str, a: Node, b: Node) -> list[Drift]:
    if a[0] != b[0]:
        return [Drift(path, "type", a[0], b[0])]
    found = _attributes(path, a[2], b[2])
    if a[0] == "null":
        return found
    if not isinstance(a[1], str) and len(a[1]) != len(b[1]):
        return [*found, Drift(path, "length", len(a[1]), len(b[1]))]
    if a[0] == "list":
        names = a[2]["names"][1] if "names" in a[2] else [str(i) for i in range(len(a[1]))]
        for name, x, y in zip(names, a[1], b[1]):
            found += _nodes(f"{path}/{name}", x, y)
        return found
    if a[0] == "dbl":
        return found + _doubles(path, _labels(a), a[1], b[1])
    if a[0] == "cplx":
        return found + _doubles(path, _labels(a), a[1].real, b[1].real) + _doubles(path, _labels(a), a[1].imag, b[1].imag)
    if isinstance(a[1], np.ndarray):
        x, y = ([None if v == INT_NA else v for v in n[1].tolist()] for n in (a, b))
        return found + [Drift(f"{path}[{k}]", "value", p, q) for k, p, q in zip(_labels(a), x, y) if p != q]
    x, y = ([n[1]] if isinstance(n[1], str) else list(n[1]) for n in (a, b))
    return found + [Drift(f"{path}[{i}]", "text", p, q) for i, (p, q) in enumerate(zip(x, y)) if p != q]


def _labels(node: Node) -> list[str]:
    names = node[2].get("names")
    return [str(n) for n in names[1]] if names is not None else [str(i) for i in range(len(node[1]))]


def _attributes(path: str, a: dict[str, Node], b: dict[str, Node]) -> list[Drift]:
    found: list[Drift] = []
    for name in sorted({*a, *b}):
        if name not in a or name not in b:
            found.append(Drift(f"{path}@{name}", "attribute", name in a, name in b))
        else:
            found += _nodes(f"{path}@{name}", a[name], b[name])
    return found


def _doubles(path: str, labels: list[str], a: NDArray[np.float64], b: NDArray[np.float64]) -> list[Drift]:
    """One entry for a vector: its worst element, and how many differ."""
    same = np.ascontiguousarray(a).view(np.uint64) == np.ascontiguousarray(b).view(np.uint64)
    different = np.flatnonzero(~same & ~((a == 0.0) & (b == 0.0)))
    worst: Drift | None = None
    for i in different.tolist():
        x, y = float(a[i]), float(b[i])
        both = math.isfinite(x) and math.isfinite(y)
        digits = digits_shared(x, y) if both else 0.0
        if worst is None or (worst.digits or 0.0) > digits:
            what = f"number; {len(different)} of {len(a)} differ" if len(a) > 1 else "number"
            worst = Drift(f"{path}[{labels[i]}]", what if both else f"{what}; NA, NaN or infinite", x, y, digits)
    return [] if worst is None else [worst]
