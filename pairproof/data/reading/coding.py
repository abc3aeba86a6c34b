"""The coding of responses as `first`, `tie`, `second` or `missing`, stated and never inferred from the data.

Guessing from observed values is how 0/1/2 answers without a single 2 become a binary table whose ties count
as losses (prefmod's llbt.design does so); here a value that is not among the stated codes is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from ...errors import CodingError, InputError
from ...text import named, quoted, shortened
from .cells import LARGEST_EXACT, MISSING_WORDS, NUMBER, labels, shown, text_of
from .table import Table, suggestion

Answers = NDArray[np.int8]
ANSWERS = ("first", "tie", "second", "missing")
FIRST, TIE, SECOND, MISSING = range(4)
#: {"first": 1, "tie": 0, "second": -1, "missing": "NA"}, or the same as "first=1,tie=0,second=-1,missing=NA".
CodingLike = Union[Mapping[str, Any], str]


def _canonical(code: Any) -> str:
    """Numbers alike however they are written (1, "1", "1.0"); words exactly as they are."""
    text = "" if code is None else text_of(code)
    if not NUMBER.fullmatch(text.strip()):
        return text
    number = float(text)
    return (
        text_of(number) if abs(number) < LARGEST_EXACT else text.strip()
    )  # from there on a double would make one code of two


@dataclass(frozen=True)
class Coding:
    """A checked coding of responses.

    answer_of: code -> FIRST, TIE, SECOND or MISSING.  blank_is_missing: whether a blank cell is a comparison
    that was not made.
    """

    answer_of: Mapping[str, int]
    blank_is_missing: bool = False

    @classmethod
    def read(cls, coding: CodingLike) -> Coding:
        """Check a stated coding."""
        stated = _parsed(coding) if isinstance(coding, str) else coding
        if not isinstance(stated, Mapping):
            raise CodingError(
                f"coding={quoted(coding)}; expected a mapping such as {{'first': 1, 'tie': 0, 'second': -1}}"
            )
        answer_of: dict[str, int] = {}
        blank = False
        for answer, codes in stated.items():
            if answer not in ANSWERS:
                near = suggestion(str(answer), ANSWERS)
                raise CodingError(f"coding has {quoted(answer)}; the answers are {', '.join(ANSWERS)}{near}")
            for code in codes if isinstance(codes, (list, tuple, set)) else [codes]:
                text = _canonical(code)
                if answer == "missing" and (not text.strip() or text in MISSING_WORDS):
                    blank = True
                elif not text.strip():
                    raise CodingError(f"coding gives {answer!r} no code; a blank cell can only be 'missing'")
                elif answer_of.setdefault(text, ANSWERS.index(answer)) != ANSWERS.index(answer):
                    other = ANSWERS[answer_of[text]]
                    raise CodingError(
                        f"coding gives the code {shortened(text)} to {other!r} and to {answer!r}; codes must"
                        " differ"
                    )
        absent = [answer for answer in ("first", "second") if answer not in stated]
        if absent:
            raise CodingError(f"coding has no code for {' and '.join(absent)}; found {quoted(dict(stated))}")
        return cls(answer_of, blank)

    def __str__(self) -> str:
        codes = [
            quoted(code) if code == ANSWERS[answer] else f"{quoted(code)} ({ANSWERS[answer]})"
            for code, answer in self.answer_of.items()
        ]
        return named(codes + ["NA or blank (missing)"] * self.blank_is_missing)

    def fits(self, table: Table, column: str) -> bool:
        """Whether the column holds nothing but stated codes, and at least one answer."""
        known = [self.answer_of.get(_canonical(level), -1) for level in labels(table, column).levels]
        return bool(known) and min(known) >= 0 and min(known) < MISSING

    def answers(self, table: Table, column: str, *, may_be_missing: bool = False) -> Answers:
        """FIRST, TIE, SECOND or MISSING for each row; `may_be_missing` is for the words of an error only."""
        found = labels(table, column)
        texts = [_canonical(level) for level in found.levels]
        blank = MISSING if self.blank_is_missing else -1
        known = [self.answer_of.get(t, blank if t in MISSING_WORDS else -1) for t in texts]
        answers: Answers = np.array([*known, blank], np.int8)[found.codes]
        bad = answers < 0
        if bad.any():
            raise self._refusal(table, column, bad, may_be_missing)
        return answers

    def _refusal(self, table: Table, column: str, bad: NDArray[np.bool_], may_be_missing: bool) -> InputError:
        value = shown(table, column, bad)
        if value == "blank" and may_be_missing:
            cure = "if the comparison was not made, state missing=NA in coding="
        elif value == "blank":
            cure = "fill it in, or remove the rows that are no comparison"
        else:
            cure = "correct it, or state what it means in coding=" + suggestion(
                value.strip("'\""), self.answer_of
            )
        return table.refuse(
            bad, column, f"the answer is {value}", f"expected exactly {self}; {cure}", CodingError
        )


def _parsed(text: str) -> dict[str, list[str]]:
    """The command line's `first=1,tie=0,second=-1,missing=NA`; an answer may be stated more than once."""
    stated: dict[str, list[str]] = {}
    for part in text.split(","):
        answer, equals, code = part.partition("=")
        if not equals:
            raise CodingError(
                f"coding {quoted(text)}: {quoted(part)} is not ANSWER=CODE; for example"
                " first=1,tie=0,second=-1,missing=NA"
            )
        stated.setdefault(answer.strip(), []).append(code.strip())
    return stated
