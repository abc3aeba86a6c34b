"""The rule that an annotator must meet in the qualification batch: what it may say, and whether it is met.

A rule is one condition or several with "and":

    spearman>=.5            rank correlation with the known scores, over items with an answer
    mean-difference<=.2     mean distance from the known scores (0 to 1), over items with an answer
    within .1 >= .8         share of all items answered within .1 of the known score; no answer is not within

A number that cannot be computed (fewer than three answers, or all alike, for spearman) does not meet the
condition.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...native.annotation.beta import FloatArray

_NUMBER = r"(\d+\.?\d*|\.\d+)"
_CONDITION = re.compile(
    rf"\s*(?:(?P<name>spearman|mean-difference)|within\s+(?P<near>{_NUMBER}))\s*(?P<sign>>=|<=)\s*"
    rf"(?P<bound>{_NUMBER})\s*",
    re.ASCII,
)
_EXPECTED = "'spearman>=.5', 'mean-difference<=.2', 'within .1 >= .8', or several of them joined by 'and'"
#: Answers below which a rank correlation says nothing: two always give 1 or -1.
LEAST = 3


@dataclass(frozen=True)
class Condition:
    """A condition of a rule.

    near: for within: how far an answer may be from the known score.
    """

    name: str
    bound: float
    near: float = 0.0

    def __str__(self) -> str:
        if self.name == "within":
            return f"within {self.near:g} >= {self.bound:g}"
        return f"{self.name}{'<=' if self.name == 'mean-difference' else '>='}{self.bound:g}"

    def value(self, gold: FloatArray, given: FloatArray) -> float:
        """The quantity that the condition is about; nan if it cannot be computed.

        gold, given float[n]: known and given scores, 0 to 1; given is nan for "cannot judge".
        """
        said = ~np.isnan(given)
        if self.name == "within":
            # Differences of decimals are not exact: .6 is within .1 of .7.
            near = np.abs(given[said] - gold[said]) <= self.near + 1e-9
            return float(near.sum() / len(gold)) if len(gold) else math.nan
        if self.name == "mean-difference":
            return float(np.abs(given[said] - gold[said]).mean()) if said.any() else math.nan
        return _spearman(gold[said], given[said])

    def met_by(self, value: float) -> bool:
        """Whether a value of the quantity meets the condition; nan does not."""
        if math.isnan(value):
            return False
        return value <= self.bound + 1e-9 if self.name == "mean-difference" else value >= self.bound - 1e-9


def _spearman(x: FloatArray, y: FloatArray) -> float:
    from scipy.stats import rankdata

    if len(x) < LEAST or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return math.nan
    # Ties of decimals are ties: .71 * 100 and 71 have one rank.
    return float(np.corrcoef(rankdata(x.round(10)), rankdata(y.round(10)))[0, 1])


def parse_rule(text: str) -> tuple[Condition, ...]:
    """The conditions of a rule.

    text: such as "spearman>=.5"; see the module.
    """
    found = [_condition(part, text) for part in re.split(r"\band\b", text)]
    names = [(c.name, c.near if c.name == "within" else None) for c in found]
    if len(set(names)) < len(names):
        raise InputError(f"--qualify {text!r}: the same quantity twice; expected each once")
    return tuple(found)


def _condition(part: str, text: str) -> Condition:
    match = _CONDITION.fullmatch(part)
    if match is None:
        raise InputError(f"--qualify {text!r}: {part.strip()!r} is not a condition; expected {_EXPECTED}")
    name, bound = match["name"] or "within", float(match["bound"])
    sign = "<=" if name == "mean-difference" else ">="
    if match["sign"] != sign:
        raise InputError(f"--qualify {text!r}: {name} with {match['sign']}; expected {name} {sign} a number")
    near = float(match["near"]) if name == "within" else 0.0
    for number in (bound, *([near] if name == "within" else [])):
        if not 0.0 <= number <= 1.0:
            raise InputError(f"--qualify {text!r}: {number:g}; expected numbers from 0 to 1")
    return Condition(name, bound, near)


@dataclass(frozen=True)
class Qualification:
    """What an annotator reached in the qualification batch.

    answered, items: items answered, of those asked.  values: what each condition is about; nan if it cannot
    be computed.  met: none: some items are still to come.
    """

    answered: int
    items: int
    values: tuple[tuple[Condition, float], ...]
    met: bool | None

    def __str__(self) -> str:
        said = f"{self.answered} of {self.items} qualification items"
        if self.met is None:
            return said
        parts = [f"{c}: {'none' if math.isnan(v) else format(v, '.3f')}" for c, v in self.values]
        return f"{said}, {'met' if self.met else 'NOT met'} ({'; '.join(parts)})"


def judge(rule: tuple[Condition, ...], gold: FloatArray, given: FloatArray, items: int) -> Qualification:
    """Whether an annotator's answers meet a rule.

    gold, given float[n]: known and given scores of the items that came back, 0 to 1; given is nan for "cannot
    judge".
    """
    values = tuple((c, c.value(gold, given)) for c in rule)
    met = None if len(gold) < items or not items else all(c.met_by(v) for c, v in values)
    return Qualification(len(gold), items, values, met)
