"""What headings, names of rows and lines of program output mean, by the expressions in `headings.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...files.packaged import packaged_toml

_WORDS: Mapping[str, Any] = packaged_toml(__package__, "headings.toml")
#: Kinds of numbers that have columns, and the expressions of their headings.
HEADINGS: Mapping[str, re.Pattern[str]] = {k: re.compile(form) for k, form in _WORDS["headings"].items()}
OF_FIT: Mapping[str, str] = _WORDS["of_fit"]
PARAMETERS: Mapping[str, str] = _WORDS["parameters"]
PROGRAMS: tuple[Mapping[str, Any], ...] = tuple(_WORDS["program"])
#: Lines that hold numbers of the whole fit, and their kinds.
LINES = [
    (line["form"].replace("N", r"(-?[\d.,]*\d(?:e[+-]?\d+)?)").replace("D", r"(\d+)"), tuple(line["kinds"]))
    for line in _WORDS["line"]
]
#: Names that programs give to the constant of a model.
INTERCEPT = re.compile(r"\(?intercept\)?|_?cons(?:t(?:ant)?)?", re.IGNORECASE)
#: Names and numbers of the whole fit that are not read.
UNREAD = re.compile(_WORDS["unread"]["form"], re.IGNORECASE)
#: Headings that say that the numbers are ratings in points.
OF_POINTS = re.compile(r"rating.*|(?:arena[_ ])?elo(?:[_ ](?:rating|score))?|arena[_ ]score")
#: Headings that say that a statistic is of Student's t.
OF_T = re.compile(r"t\b.*|.*\|t\|.*")
#: A heading that says that p-values are one-sided, and one of logarithms that are not natural.
OF_ONE_SIDE = re.compile(r"(?:\b(?:one|1)|½)[- ]?(?:sided|tailed)")
OF_LOG10 = re.compile(r"\blog ?_?(?:10|2)\b")
#: A heading of z or of its square, which in the headings of SAS is half of another.
OF_WALD = re.compile(r"wald(?: stat(?:istic|\.)?)?", re.IGNORECASE)
#: What says, in a heading, that p-values are adjusted for several tests; of errors, that they are not
#: the model's.
OF_ADJUSTED = re.compile(
    r"\b(?:adj|holm|bonf|hochberg|hommel|benjamini|tukey|[sš]id[aá]k|scheff|dunnett|dunn|bh|by|fdr|corrected)|^q\b"
)
OF_ROBUST = re.compile(r"robust|sandwich|cluster|\bhc[0-5]\b|\bhac\b|bootstrap|jack-?knife")
#: Words of the longest heading and the longest name (a longer line is prose), and of a line of headings.
MOST_WORDS, MOST_HEADINGS = 5, 60


def kind_among(forms: Mapping[str, str], name: str) -> str:
    """The key of the expression that a name matches; "" where none does."""
    plain = name.casefold().strip(" :=")
    return next((kind for kind, form in forms.items() if re.fullmatch(form, plain)), "")


@lru_cache(maxsize=4096)
def kind_of_heading(heading: str) -> str:
    """The kind of number under this heading: "estimate", "se", ...; "" for an unknown one.

    What stands in parentheses after it is not looked at: "Estimate (s.e.)" is of estimates;
    but for p-values that are adjusted, which no z gives.
    """
    plain = " ".join(heading.casefold().replace("$", "").strip(" :*").split())
    for text in filter(None, (plain, re.sub(r" ?[\[(].*$", "", plain))):
        for kind, form in HEADINGS.items():
            if form.fullmatch(text):
                inside = plain[len(text) :]
                return "" if kind == "p" and OF_ADJUSTED.search(inside.strip(" ()[]")) else kind
    return ""


def split_heading(line: str) -> tuple[str, ...]:
    """The headings in a line: those that are known, as long as they go, and the words between them."""
    found: list[str] = []
    for part in re.split(r"\s{2,}", line.strip()) if len(line.split()) <= MOST_HEADINGS else ():
        words, k = part.split(), 0
        while k < len(words):
            ends = range(min(len(words), k + MOST_WORDS), k, -1)
            end = next((e for e in ends if kind_of_heading(" ".join(words[k:e]))), k + 1)
            found.append(" ".join(words[k:end]))
            k = end
    return tuple(found)
