"""Compares a recorded answer with a live one, field by field.

What counts as drift is a number that shares too few digits, and a new or missing error.  Numbers are compared
in digits, including those inside printed lines and messages.  Two numbers share ``-log10(|a - b| / max(|a|, |b|))``
digits, at most 16; if both are below 1e-9, they are noise around zero (deviances of saturated models, scores),
and share ``-log10 |a - b|`` digits.  Elements of a vector that differ by less than 16 units in the last place of
the largest element are compared relative to that element, because they come from sums over the whole vector: an
expected count of 2.7e-9 next to counts of 40 shared only 5.8 of its own digits after a change of the BLAS, a
difference of 5e-15.  The names of numbers (of coefficients, items, levels) count too: a number under a different
name is a different number.

Two kinds of difference are reported and never count: R's wording, and how an algorithm stopped.  Wording means
printed lines, warnings and errors, the calls named in them, and sentences inside a value; it depends on R's version
(4.5 changed the warnings of `nlm`, and its `anova` of a glm has one more column than that of 4.2).
An algorithm's number of steps, its report of convergence and its warnings about it depend on the last bits of the
BLAS's sums.  Observed with OpenBLAS instead of the reference BLAS: gnm took 500 steps and
reported "not converged" instead of 8 steps, with every number the same to 14 digits.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.packaged import packaged_text, packaged_toml, tomllib
from ..values.nodes import INT_NA, Node
from .calls import Answer, Drift, RCondition

MOST_DIGITS = 16.0
NOISE = 1e-9
#: Digits that two numbers share if they differ by 16 units in the last place: -log10(16 * 2^-52).
ROUNDING_DIGITS = -math.log10(16.0 * np.finfo(np.float64).eps)


def drift(recorded: Answer, live: Answer, r_call: str = "") -> list[Drift]:
    """Every difference; empty if the answers are the same to the last bit.

    ``r_call`` is the name of the call, for parts of its answer that are measured by a unit.
    """
    found = _texts("output", recorded.output, live.output)
    found += _texts("messages", recorded.messages, live.messages)
    found += _texts("stderr", (recorded.stderr,), (live.stderr,))
    found += _warnings(recorded.warnings, live.warnings)
    found += _errors(recorded.error, live.error)
    if recorded.visible != live.visible and recorded.error is None and live.error is None:
        found.append(Drift("visible", "flag", recorded.visible, live.visible))
    units = {
        f.part: f.unit for f in drift_floors().values() if f.r_call == r_call and f.unit and not f.record
    }
    return found + _nodes("value", recorded.node, live.node, units)


def matters(
    differences: list[Drift],
    floor: float,
    r_call: str = "",
    versions: Mapping[str, str | None] | None = None,
    key: str = "",
) -> list[Drift]:
    """The differences that count as drift: numbers that share too few digits, are missing or have a different
    name, and a new or missing error.

    ``floor`` holds for the numbers of an R function unless `drift_floors.toml` has a lower one for it, or for the
    record with this ``key``; a known
    change of R or of a package in one of these ``versions`` is not drift.
    """
    return [
        d
        for d in differences
        if not tells_of_stopping(d)
        and not tells_of_words(d)
        and (d.digits is None or d.digits < floor_for(r_call, part_of(d.field), floor, key))
        and not any(c.of(r_call, part_of(d.field), versions or {}) for c in r_changes())
    ]


@dataclass(frozen=True)
class RChange:
    """A part of an answer that changed in a version of R or of a package."""

    r_call: str
    part: str
    package: str
    since: str
    why: str

    def of(self, r_call: str, part: str, versions: Mapping[str, str | None]) -> bool:
        """Whether this change applies to this part of an answer with these versions."""
        here = versions.get(self.package)
        known = (self.r_call, self.part) == (r_call, part)
        return known and bool(here) and _release(here) >= _release(self.since)


def _release(version: str | None) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", (version or "").partition("+")[0])))


@lru_cache(maxsize=1)
def r_changes() -> tuple[RChange, ...]:
    """The changes of R and its packages in `drift_floors.toml`; read once."""
    return tuple(RChange(**row) for row in packaged_toml(__package__, "drift_floors.toml").get("change", []))


@dataclass(frozen=True)
class DriftFloor:
    """Digits that a number of a live R must share with its record."""

    r_call: str
    part: str
    digits: float
    observed: float
    why: str
    unit: float = 0.0
    record: str = ""


@lru_cache(maxsize=1)
def drift_floors() -> dict[tuple[str, str], DriftFloor]:
    """The floors of `drift_floors.toml`, by R function and part of its answer; read once."""
    return read_drift_floors(packaged_text(__package__, "drift_floors.toml"))


def read_drift_floors(text: str) -> dict[tuple[str, str], DriftFloor]:
    """Floors from TOML text."""
    found: dict[tuple[str, str], DriftFloor] = {}
    wanted = {"r_call", "part", "digits", "observed", "why"}
    for number, row in enumerate(tomllib.loads(text).get("floor", []), 1):
        where = f"drift_floors.toml, floor {number}"
        if set(row) - {"unit", "record"} != wanted:
            raise InputError(f"{where}: keys {sorted(row)}; expected {sorted(wanted)}")
        for r_call, part in itertools.product(_list(row["r_call"]), _list(row["part"])):
            floor = DriftFloor(**{**row, "r_call": r_call, "part": part})
            if not 0 <= floor.digits <= floor.observed <= MOST_DIGITS:
                said = f"digits {floor.digits:g} and observed {floor.observed:g}"
                raise InputError(f"{where}: {said}; expected 0 <= digits <= observed <= 16")
            if len(floor.why.split()) < 4:
                raise InputError(f"{where}: {floor.why!r} is not a reason; explain the floor in a sentence")
            key = (floor.record or r_call, part)
            if key in found:
                raise InputError(f"{where}: {key[0]} already has a floor for {part}")
            found[key] = floor
    return found


def _list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def floor_for(r_call: str, part: str, floor: float, key: str = "") -> float:
    """The digits asked of a part of an R function's answer: ``floor``, or fewer if the file has a lower floor for
    the record with this key, or for the function.
    """
    known = drift_floors()
    places = ((name, of) for name in (key[:16], r_call) for of in (part, "*"))
    own = next((known[place] for place in places if place in known), None)
    return floor if own is None else min(floor, own.digits)


#: Names that the R code of this package gives to the number of steps and to the algorithm's report of
#: convergence; ``calls`` is polr's count of function and gradient calls, ``evaluations`` glmer's, ``code``
#: and ``gradient`` are nlm's.
STOPPING_FIELDS = frozenset(
    {"converged", "convergence", "iter", "iterations", "calls", "evaluations", "code", "gradient"}
)
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
    return difference.what == NUMBER_IN_TEXT and bool(STOPPING_WORDS.search(str(difference.recorded)))


NUMBER_IN_TEXT, CAME, WENT = "number in text", "new error", "missing error"
#: The kinds of difference inside a value that are only reported.
WORDS, ADDED = "words", "not in the record"
#: Names of texts inside a value that are R's sentences: the heading of a table of tests, the name that R
#: gives to a test, and its error where one part of an answer failed.
SENTENCES = re.compile(r"heading|method|\w+_error")


def tells_of_words(difference: Drift) -> bool:
    """Whether a difference is only about R's words, or about something in its answer that the record lacks."""
    where = re.split(r"[/\[@]", difference.field)[0]
    if where == "value":
        return difference.what in (WORDS, ADDED)
    if where == "error":
        return difference.what not in (CAME, WENT)
    # A number in what R prints is a result; one in its warnings is part of a sentence about them.
    return where in ("warnings", "stderr", "visible") or difference.digits is None


def said_of_stopping(differences: Sequence[Drift]) -> str:
    """One line on how the live algorithm stopped, if it stopped differently from the recorded one; else ""."""
    told = []
    for d in differences:
        if tells_of_stopping(d):
            name = d.field.rpartition("/")[2].removesuffix("[0]")
            live, recorded = (bool(v) if name == "converged" else v for v in (d.live, d.recorded))
            told.append(f"{name} {_short(live)}, recorded {_short(recorded)}")
    return f"R stopped differently than in the record: {'; '.join(told)}" if told else ""


def said_of_words(differences: Sequence[Drift]) -> str:
    """One line on differences from the record in wording or by additional parts; else ""."""
    told = [
        f"{d.field.removeprefix('value/')} {_short(d.live)}, recorded {_short(d.recorded)}"
        for d in differences
        if tells_of_words(d) and not tells_of_stopping(d)
    ]
    more = f"; and {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else ""
    said = f"R's wording differs from the record: {'; '.join(told[:MOST_TOLD])}{more}"
    return said if told else ""


#: Differences in words that one line names.
MOST_TOLD = 4


def _short(value: object) -> str:
    texts = value if isinstance(value, list) else [value]
    return " / ".join(" ".join(str(text).split()) for text in texts) or "nothing"


def digits_shared(a: float, b: float, unit: float = 0.0) -> float:
    """Decimal digits two finite numbers share, 0 to 16; of numbers smaller than ``unit``, in terms of it."""
    gap = abs(a - b)
    if gap == 0.0:
        return MOST_DIGITS
    size = max(abs(a), abs(b), unit)
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
    return Drift(field, NUMBER_IN_TEXT, a, b, min(digits_shared(float(x), float(y)) for x, y in pairs))


def _warnings(a: tuple[RCondition, ...], b: tuple[RCondition, ...]) -> list[Drift]:
    """Compare warnings about stopping separately, so that an additional one does not shift the others."""
    ends, rest = zip(*(_split(warnings) for warnings in (a, b)))
    found = _conditions("warnings", *rest)
    before, after = ([c.message for c in end] for end in ends)
    return found if before == after else [*found, Drift(ABOUT_STOPPING, "text", before, after)]


def _split(warnings: tuple[RCondition, ...]) -> tuple[tuple[RCondition, ...], tuple[RCondition, ...]]:
    about = tuple(w for w in warnings if STOPPING_WORDS.search(w.message))
    return about, tuple(w for w in warnings if not STOPPING_WORDS.search(w.message))


def _conditions(field: str, a: tuple[RCondition, ...], b: tuple[RCondition, ...]) -> list[Drift]:
    found = _texts(f"{field}/message", tuple(c.message for c in a), tuple(c.message for c in b))
    return found or _texts(f"{field}/call", tuple(c.call for c in a), tuple(c.call for c in b))


def _errors(a: RCondition | None, b: RCondition | None) -> list[Drift]:
    if a is not None and b is not None:
        return _conditions("error", (a,), (b,))
    came = [Drift("error/message", CAME, None, b.message)] if b is not None else []
    return came + ([Drift("error/message", WENT, a.message, None)] if a is not None else [])


def _nodes(path: str, a: Node, b: Node, units: Mapping[str, float]) -> list[Drift]:
    if a[0] != b[0]:
        return [Drift(path, "type", a[0], b[0])]
    b, found = _without_more(path, a, b)
    found += _attributes(path, a[2], b[2], units)
    if a[0] == "null":
        return found
    if a[0] == "raw":
        # The bytes of a drawing or a file, which R's version stands in.
        other = [Drift(path, WORDS, "bytes", "other bytes")]
        return found if a[1].tolist() == b[1].tolist() else found + other
    if not isinstance(a[1], str) and len(a[1]) != len(b[1]):
        return [*found, Drift(path, "length", len(a[1]), len(b[1]))]
    if a[0] == "list":
        names = a[2]["names"][1] if "names" in a[2] else [str(i) for i in range(len(a[1]))]
        for name, x, y in zip(names, a[1], b[1]):
            found += _nodes(f"{path}/{name}", x, y, units)
        return found
    if a[0] == "dbl":
        return found + _doubles(path, _labels(a), a[1], b[1], units.get(part_of(path), 0.0))
    if a[0] == "cplx":
        parts = ((a[1].real, b[1].real), (a[1].imag, b[1].imag))
        return found + [d for pair in parts for d in _doubles(path, _labels(a), *pair)]
    if isinstance(a[1], np.ndarray):
        x, y = ([None if v == INT_NA else v for v in n[1].tolist()] for n in (a, b))
        return found + [Drift(f"{path}[{k}]", "value", p, q) for k, p, q in zip(_labels(a), x, y) if p != q]
    x, y = ([n[1]] if isinstance(n[1], str) else list(n[1]) for n in (a, b))
    sentences = SENTENCES.fullmatch(re.split(r"[/@]", path)[-1]) is not None
    return found + [
        # An empty text next to a sentence is a new or missing error.
        Drift(f"{path}[{i}]", WORDS if a[0] == "lang" or sentences and p and q else "text", p, q)
        for i, (p, q) in enumerate(zip(x, y))
        if p != q
    ]


def _without_more(path: str, a: Node, b: Node) -> tuple[Node, list[Drift]]:
    """The live node without parts that the recorded one lacks, and these parts: further entries of a named
    list, columns of a matrix after the recorded ones, labels after the recorded ones.
    """
    kind, values, attributes = b
    if kind == "list" and "names" in a[2] and "names" in attributes:
        wanted, names = list(a[2]["names"][1]), list(attributes["names"][1])
        more = [name for name in names if name not in wanted]
        if more and len(set(names)) == len(names) and set(wanted) < set(names):
            kept = [values[names.index(name)] for name in wanted]
            return (kind, kept, {**attributes, "names": a[2]["names"]}), [Drift(path, ADDED, [], more)]
    if kind == "chr" and "dim" not in attributes and 0 < len(a[1]) < len(values):
        first, rest = values[: len(a[1])], values[len(a[1]) :]
        if list(first) == list(a[1]):
            return (kind, first, attributes), [Drift(path, ADDED, [], list(rest))]
    rows, columns, there = (*_dim(a), _dim(b))
    if 0 < columns < there[1] and rows == there[0] and len(values) == rows * there[1]:
        told = Drift(path, ADDED, f"{columns} columns", f"{there[1]} columns")
        return (kind, values[: rows * columns], _of_columns(attributes, a[2], columns)), [told]
    return b, []


def _dim(node: Node) -> tuple[int, int]:
    """Rows and columns of a matrix; (0, 0) of anything else."""
    dim = node[2]["dim"][1].tolist() if "dim" in node[2] else []
    return (dim[0], dim[1]) if len(dim) == 2 else (0, 0)


def _of_columns(attributes: dict[str, Node], recorded: dict[str, Node], columns: int) -> dict[str, Node]:
    """A matrix's attributes for its first columns."""
    cut = {**attributes, "dim": recorded["dim"]}
    if "dimnames" in attributes:
        kind, (rows, names), more = attributes["dimnames"]
        cut["dimnames"] = (kind, [rows, (names[0], names[1] and names[1][:columns], names[2])], more)
    return cut


def _labels(node: Node) -> list[str]:
    names = node[2].get("names")
    return [str(n) for n in names[1]] if names is not None else [str(i) for i in range(len(node[1]))]


#: Attributes that say what the numbers of a vector belong to.
LABELLING = frozenset({"names", "dim", "dimnames", "levels", "class"})


def _attributes(path: str, a: dict[str, Node], b: dict[str, Node], units: Mapping[str, float]) -> list[Drift]:
    found: list[Drift] = []
    for name in sorted({*a, *b}):
        if name not in a or name not in b:
            what = "attribute" if name in a or name in LABELLING else ADDED
            found.append(Drift(f"{path}@{name}", what, name in a, name in b))
        else:
            found += _nodes(f"{path}@{name}", a[name], b[name], units)
    return found


def _doubles(
    path: str, labels: list[str], a: NDArray[np.float64], b: NDArray[np.float64], unit: float = 0.0
) -> list[Drift]:
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
        digits = digits_shared(x, y, unit) if both else 0.0
        if both and abs(x - y) <= rounding:
            digits = max(digits, min(MOST_DIGITS, ROUNDING_DIGITS - math.log10(abs(x - y) / rounding)))
        if worst is None or (worst.digits or 0.0) > digits:
            what = f"number; {len(different)} of {len(a)} differ" if len(a) > 1 else "number"
            worst = Drift(
                f"{path}[{labels[i]}]", what if both else f"{what}; NA, NaN or infinite", x, y, digits
            )
    return [] if worst is None else [worst]


def part_of(path: str) -> str:
    """The part of the answer in which a difference is: ``coef`` of ``value/coef[3]``, ``output`` of ``output[0]``."""
    where, _, inner = path.partition("/")
    return re.split(r"[/\[@]", inner if where == "value" and inner else where)[0]
