"""Scores of (system, segment) by annotators, as Appraise and WMT publish them, in one form.

Every line of such a table is one score.  Its type says what was shown: a system's output, a reference, an
output that was degraded on purpose, or an output that the same annotator had judged before.  A system `A+B`
stands for one output that systems A and B share; it was judged once, and the score is that of both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....errors import InputError

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class JudgedLine:
    """One score.

    where: for messages.  systems: more than one where systems have the same output.  kind: a reference is
    "gold".  value: in [0, 1].  raw: the score as it stands in the file.  pair: source and target language,
    "deu-eng".  hit: the HIT in which it was given; "" if the file has none.  began, ended: unix seconds; nan
    if unknown.  seconds: time spent; nan if unknown.
    """

    where: str
    annotator: str
    systems: tuple[str, ...]
    segment: str
    kind: str
    value: float
    raw: str
    pair: str
    hit: str = ""
    began: float = math.nan
    ended: float = math.nan
    seconds: float = math.nan


def score(text: str, where: str) -> float:
    """A score from 0 to 100, as a number in [0, 1]."""
    value = number(text, where, "a score from 0 to 100")
    if not 0 <= value <= 100:
        raise InputError(
            f"{where}: {text} is outside 0 to 100; standardised scores (z) cannot be imported: give the raw"
            " scores"
        )
    return value / 100.0


def number(text: str, where: str, expected: str) -> float:
    """A finite number."""
    stripped = text.strip()
    value = float(stripped) if _NUMBER.fullmatch(stripped) else math.inf
    if not math.isfinite(value):
        raise InputError(f"{where}: {text!r}; expected {expected}")
    return value


def systems_of(text: str, where: str) -> tuple[str, ...]:
    """The systems that share an output: "A+B" are two."""
    names = tuple(name.strip() for name in text.split("+"))
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"{where}: {text!r}; expected a system, or different systems joined by +")
    return names


def of_pair(lines: Sequence[JudgedLine], pair: str | None, source: str) -> list[JudgedLine]:
    """The lines of one language pair; a campaign has one."""
    pairs = sorted({line.pair for line in lines})
    if pair is None and len(pairs) > 1:
        raise InputError(
            f"{source}: scores of {len(pairs)} language pairs: {', '.join(pairs[:12])}; a campaign has one:"
            f" choose it with --pair, for example --pair {pairs[0]}"
        )
    chosen = [line for line in lines if pair is None or line.pair == pair]
    if not chosen:
        raise InputError(f"{source}: no scores of the language pair {pair!r}; found {', '.join(pairs[:12])}")
    return chosen
