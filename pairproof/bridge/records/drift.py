"""Compares a recorded answer with a live one, field by field.

Numbers are compared in digits, also those inside printed lines and messages; everything else is compared
exactly, except the seconds, which are not compared.  Two numbers share ``-log10(|a - b| / max(|a|, |b|))``
digits, at most 16; where both are below 1e-9 they are noise around zero (deviances of saturated models,
scores), and share ``-log10 |a - b|`` digits.  Elements of a vector that differ by less than 16 units in the
last place of the largest element are compared relative to that one, because they come from sums over the
whole vector: an expected count of 2.7e-9 beside counts of 40 shared only 5.8 of its own digits after a change
of the BLAS, a difference of 5e-15.

The number of an algorithm's steps, whether it reports convergence, and its warnings about that are reported
but never count as drift, because they depend on the last bits of sums that the BLAS computes.  Observed with
OpenBLAS instead of the reference BLAS: gnm took 500 steps and reported "not converged" instead of 8 steps,
with every number the same to 14 digits.  Numbers inside an error message that both give (a reciprocal
condition number of 1e-16) do not count either; an error that only one of them gives is drift.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..values.values import INT_NA, Node
from .result import Answer, Drift, RCondition

MOST_DIGITS = 16.0
NOISE = 1e-9
#: Digits that two numbers share if they differ by 16 units in the last place: -log10(16 * 2^-52).
ROUNDING_DIGITS = -math.log10(16.0 * np.finfo(np.float64).eps)


def drift(recorded: Answer, live: Answer) -> list[Drift]:
    """Every difference; empty if the answers are the same to the last bit."""
    found = _texts("output", recorded.output, live.output) + _texts(
        "messages", recorded.messages, live.messages
    )
    found += _texts("stderr", (recorded.stderr,), (live.stderr,))
    found += _warnings(recorded.warnings, live.warnings)
    before, after = (() if a.error is None else (a.error,) for a in (recorded, live))
    found += _conditions("error", before, after)
    if recorded.visible != live.visible and not (before or after):
        found.append(Drift("visible", "flag", recorded.visible, live.visible))
    return found + _nodes("value", recorded.node, live.node)


def matters(differences: list[Drift], floor: float) -> list[Drift]:
    """The differences that count as drift: in text, shape and errors, and in numbers that share fewer than
    ``floor`` digits, but not in how an algorithm stopped.
    """
    return [d for d in differences if not tells_of_stopping(d) and (d.digits is None or d.digits < floor)]


#: Names that the R code of this package gives to the number of steps and to the algorithm's report of
#: convergence; ``calls`` is polr's count of function and gradient calls, ``code`` and ``gradient`` are nlm's.
STOPPING_FIELDS = frozenset({"converged", "convergence", "iter", "iterations", "calls", "code", "gradient"})
#: Words of warnings about stopping: of gnm, glm.fit, glmmPQL, optim, nlm, and of a separated glm about its
#: fitted values.
STOPPING_WORDS = re.compile(
    r"converge|(?:number|no) of iterations|iteration limit|max(?:imum|\.)? (?:number of )?iterations"
    r"|fitted (?:probabilities|rates) numerically",
    re.IGNORECASE,
)
ABOUT_STOPPING = "warnings/about-stopping"


def tells_of_stopping(difference: Drift) -> bool:
    """Whether a difference is about how an algorithm stopped: its steps, its verdict, or its warnings."""
    if difference.field == ABOUT_STOPPING:
        return True
    where, _, inner = difference.field.partition("/")
    if where == "value":
        leaf = inner.rpartition("/")[2]
        name = re.split(r"[\[@]", leaf)[0]
        # gnm stores its final state in attributes of its flag; a different type or length of the flag itself
        # is drift.
        return name in STOPPING_FIELDS and (
            difference.what not in ("type", "length") or leaf.startswith(f"{name}@")
        )
    if difference.what != "number in text":
        return False
    return where == "error" or bool(STOPPING_WORDS.search(str(difference.recorded)))


def said_of_stopping(differences: Sequence[Drift]) -> str:
    """One line on how the live algorithm stopped, if it stopped differently from the recorded one; else ""."""
    told = []
    for d in differences:
        if tells_of_stopping(d):
            name = d.field.rpartition("/")[2].removesuffix("[0]")
            live, recorded = (bool(v) if name == "converged" else v for v in (d.live, d.recorded))
            told.append(f"{name} {_short(live)}, recorded {_short(recorded)}")
    return f"R stopped differently from when it was recorded: {'; '.join(told)}" if told else ""


def _short(value: object) -> str:
    texts = value if isinstance(value, list) else [value]
    return " / ".join(" ".join(str(text).split()) for text in texts) or "nothing"


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
    """The difference of two lines: in their words, or only in the numbers between the same words."""
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return Drift(field, "text", a, b)
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b))
    return Drift(field, "number in text", a, b, min(digits_shared(float(x), float(y)) for x, y in pairs))


def _warnings(a: tuple[RCondition, ...], b: tuple[RCondition, ...]) -> list[Drift]:
    """Compare warnings about stopping separately, so that an additional one does not shift the others."""
    ends, rest = zip(*(_split(warnings) for warnings in (a, b)))
    found = _conditions("warnings", *rest)
    before, after = ([c.message for c in end] for end in ends)
    return found if before == after else [*found, Drift(ABOUT_STOPPING, "text", before, after)]


def _split(warnings: tuple[RCondition, ...]) -> tuple[tuple[RCondition, ...], tuple[RCondition, ...]]:
    about = tuple(bool(STOPPING_WORDS.search(w.message)) for w in warnings)
    return tuple(w for w, yes in zip(warnings, about) if yes), tuple(
        w for w, yes in zip(warnings, about) if not yes
    )


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
        parts = ((a[1].real, b[1].real), (a[1].imag, b[1].imag))
        return found + [d for pair in parts for d in _doubles(path, _labels(a), *pair)]
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
    """At most one difference for a vector: its worst element, and how many differ."""
    same = np.ascontiguousarray(a).view(np.uint64) == np.ascontiguousarray(b).view(np.uint64)
    different = np.flatnonzero(~same & ~((a == 0.0) & (b == 0.0)))
    worst: Drift | None = None
    # nlm gives the largest double as the gradient where a likelihood is NA; its last place overflows.
    largest = min(float(np.max(np.abs(a[np.isfinite(a)]), initial=0.0)), 1e300)
    rounding = 16.0 * np.spacing(largest)
    for i in different.tolist():
        x, y = float(a[i]), float(b[i])
        both = math.isfinite(x) and math.isfinite(y)
        digits = digits_shared(x, y) if both else 0.0
        if both and abs(x - y) <= rounding:
            digits = max(digits, min(MOST_DIGITS, ROUNDING_DIGITS - math.log10(abs(x - y) / rounding)))
        if worst is None or (worst.digits or 0.0) > digits:
            what = f"number; {len(different)} of {len(a)} differ" if len(a) > 1 else "number"
            worst = Drift(
                f"{path}[{labels[i]}]", what if both else f"{what}; NA, NaN or infinite", x, y, digits
            )
    return [] if worst is None else [worst]
