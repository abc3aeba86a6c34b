"""The result of a search: the readings that reproduce the printed numbers, and whether chance explains them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..verdicts.evidence import BY_CHANCE
from .registry import Slip


@dataclass(frozen=True)
class Explanation:
    """A reading that reproduces all printed numbers of some claims.

    slips: empty if the numbers come out as they stand.  numbers: how many printed numbers these claims have;
    all come out.  also: sentences of other readings that give the same numbers.  note: evidence in addition
    to the numbers.  also_names: names of the slips of the readings in `also`.
    """

    slips: tuple[Slip, ...]
    claims: tuple[str, ...]
    numbers: int
    also: tuple[str, ...] = ()
    note: str = ""
    also_names: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.slips)

    @property
    def cost(self) -> int:
        return sum(s.cost for s in self.slips)

    @property
    def words(self) -> str:
        """ "the columns are read in prefmod's order and p-values are one-sided"."""
        return " and ".join(s.sentence for s in self.slips)

    @property
    def sentence(self) -> str:
        """ "comes out if ..."."""
        if not self.slips:
            return "no slip needed: every number comes out as it is printed"
        text = f"comes out if {self.words}"
        if self.note:
            text += f" ({self.note})"
        if self.also:
            more = "; ".join(f"if {a}" for a in self.also[:4]) + (
                f"; and {len(self.also) - 4} more" if len(self.also) > 4 else ""
            )
            text += f" (the same numbers: {more})"
        return text


@dataclass(frozen=True)
class Found:
    """The result of a search for claims that share a table and an explanation.

    numbers: how many printed numbers these claims have.  readings: how many readings were tried for them.
    explanations: cheapest first; empty if no reading fits.  skipped: how many possible readings were left out
    because there are more than `MOST_READINGS`.  failed: how many readings gave no numbers because an
    estimate is infinite and could not be computed.  chance: expected number of readings, with as many slips
    as the best one, that fit by chance.  digits: significant digits of the numbers that do not come out as
    printed.
    """

    claims: tuple[str, ...]
    numbers: int
    readings: int
    explanations: tuple[Explanation, ...]
    skipped: int = 0
    failed: int = 0
    chance: float = 0.0
    digits: int = 0

    @property
    def plain(self) -> bool:
        """Whether no slip is needed."""
        return bool(self.explanations) and not self.explanations[0].slips

    @property
    def clear(self) -> bool:
        """Whether exactly one reading fits, and not by chance."""
        return len(self.explanations) == 1 and (self.plain or self.chance <= BY_CHANCE)


def count_words(found: Found) -> str:
    """ "1 explanation of 15,768 readings; 9 numbers"."""
    n = len(found.explanations)
    words = (
        f"{n} explanation{'' if n == 1 else 's'} of"
        f" {found.readings:,} reading{'' if found.readings == 1 else 's'};"
        f" {found.numbers} number{'' if found.numbers == 1 else 's'}"
    )
    if found.chance > BY_CHANCE and not found.plain:
        words += (
            f"; the numbers that are off have {found.digits} digit{'' if found.digits == 1 else 's'} between"
            f" them, so that chance alone gives about {found.chance:.1g}: no evidence for any"
        )
    if found.skipped:
        words += f"; {found.skipped:,} further readings were not tried"
    if found.failed:
        words += f"; {found.failed:,} readings have no numbers, an estimate being infinite"
    return words
