"""What the headings of columns, the names of rows and the lines of program output mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

#: Kind of number -> the headings of its column, in small letters.  "items": names of items.
HEADINGS: Mapping[str, str] = {
    "items": r"model|name|key|competitor|system|item|items|team|player|object|objects|parameter|effect|term|variable|coef(?:ficients)?:",
    "estimate": r"estimates?|est\.?|coef\.?|coefs|coefficients?|abilit(?:y|ies)|log-?worths?|log-?abilit(?:y|ies)|lambda|\u03bb|beta"
    r"|\u03b2|b|rating|elo|score|arena[_ ]score|strength|value|bt|mle|(?:log-?odds|parameter) ?(?:estimates?)?|theta|\u03b8",
    "se": r"s\.? ?e\.?|std\.? ?err(?:or|\.)?|std\.? ?errors?|standard ?errors?|error|stderr|robust std\.? ?err\.?",
    "z": r"(?:wald )?z(?:[- ]?(?:values?|statistics?|stat\.?|ratio))?",
    "p": r"p|p[- ]?values?|p-?val\.?|pr ?\(> ?\|z\|\)|p ?> ?\|z\||pr ?> ?(?:chi-?sq|\|z\|)|sig\.?|significance",
    "interval": r"\[?95 ?% ?(?:ci|c\.i\.|conf(?:idence|\.)? ?(?:interval|limits|int\.?)?|wald confidence limits)\]?|ci|limits"
    r"|wald 95 ?% confidence limits|confidence limits|confidence interval",
    "low": r"low|lower|rating_q025|rating_lower|lcl|ci[_ ]?low(?:er)?|2\.5 ?%|lower ?(?:95 ?%)?(?: ?ci| ?limit| ?bound)?|95 ?% ?lower",
    "high": r"high|upper|rating_q975|rating_upper|ucl|ci[_ ]?(?:high|upper)|97\.5 ?%|upper ?(?:95 ?%)?(?: ?ci| ?limit| ?bound)?|95 ?% ?upper",
    "worth": r"worths?|pi|\u03c0|u-?scale|relative worth|preference",
    "exp": r"odds ratios?|or|exp ?\((?:b|beta|coef|estimate|\u03b2)\)|odds",
    "rank_low": r"rank_low",
    "rank_high": r"rank_high",
    "votes": r"votes|num_battles|n_match|battles|games|matches|comparisons",
    "wins": r"wins?|won|w",
    "losses": r"loss(?:es)?|lost|l",
    "ties": r"ties|draws|drawn|tied",
}
_KNOWN = {kind: re.compile(pattern) for kind, pattern in HEADINGS.items()}
#: Headings that say that the numbers are ratings in points.
OF_POINTS = re.compile(r"rating.*|elo|arena[_ ]score")
#: Words of the longest heading, and of the longest name: a longer line is prose.
MOST_WORDS = 5
#: Words of a line of headings.
MOST_HEADINGS = 60


@lru_cache(maxsize=4096)
def kind_of_heading(heading: str) -> str:
    """The kind of number under this heading: "estimate", "se", ...; "" for an unknown one.

    What stands in parentheses after it is not looked at: "Estimate (s.e.)" is of estimates.
    """
    plain = " ".join(heading.casefold().replace("$", "").strip(" :*").split())
    for text in (plain, re.sub(r" ?[\[(].*$", "", plain)):
        for kind, pattern in _KNOWN.items():
            if text and pattern.fullmatch(text):
                return kind
    return ""


def split_heading(line: str) -> tuple[str, ...]:
    """The headings in a line: those that are known, as long as they go, and the words between them."""
    found: list[str] = []
    if len(line.split()) > MOST_HEADINGS:
        return ()
    for part in re.split(r"\s{2,}", line.strip()):
        words, k = part.split(), 0
        while k < len(words):
            ends = range(min(len(words), k + MOST_WORDS), k, -1)
            end = next((e for e in ends if kind_of_heading(" ".join(words[k:e]))), k + 1)
            found.append(" ".join(words[k:end]))
            k = end
    return tuple(found)


_NUMBER = r"(-?[\d.,]*\d(?:[eE][+-]?\d+)?)"
#: Lines of program output and rows of tables that hold a number of the whole fit, and what its numbers are.
SCALARS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (rf"null deviance: *{_NUMBER} +on +(\d+) +degrees", ("null_deviance", "df_null")),
    (rf"null deviance: *{_NUMBER} *$", ("null_deviance",)),
    (rf"(?<!null )\bdeviance[: =]*{_NUMBER} +on +(\d+) +(?:degrees|d\.?f\.?)", ("deviance", "df_resid")),
    (rf"^ *(?:residual )?deviance: *{_NUMBER}(?: +aic:.*)? *$", ("deviance",)),
    (r"(\d+) total \(i\.e\. null\); +(\d+) residual", ("df_null", "df_resid")),
    (r"^ *residual df: *(\d+)", ("df_resid",)),
    (rf"^ *deviance +(\d+) +{_NUMBER} +[\d.]+ *$", ("df_resid", "deviance")),
    (rf"\baic[: =]+{_NUMBER}", ("aic",)),
    (rf"\bbic[: =]+{_NUMBER}", ("bic",)),
    (rf"^ *log[- ]?likelihood *[:=]? *{_NUMBER}", ("llf",)),
)
#: Names of rows that are numbers of the whole fit.
OF_FIT: Mapping[str, str] = {
    "deviance": r"(?:residual )?deviance|g\^?2",
    "null_deviance": r"null deviance",
    "df_resid": r"(?:residual )?d\.?f\.?|degrees of freedom",
    "aic": r"aic",
    "bic": r"bic",
    "llf": r"log[- ]?likelihood|log ?lik\.?|ll",
}
#: Names that programs give to what is no item.
PARAMETERS: Mapping[str, str] = {
    "tie": r"g1|u|undec(?:ided)?|ties?\d*|log[- ]?(?:nu|tie)s?|nu|\u03bd",
    "order": r"at\.?home|home(?:[ ._-]?(?:advantage|field|team))?|order(?:[ ._-]?effect)?|pos(?:ition)?|first",
}
#: Program -> how its output is known, and what is stated by it of the model.
PROGRAMS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "prefmod's pattern models": (r"results of pattern model|\bpatt\w*\.fit\(", {"family": "pattern"}),
    "PlackettLuce": (r"\bplackettluce\(", {"family": "plackett-luce"}),
    "BradleyTerry2": (r"\bbtm\(", {"family": "bradley-terry"}),
    "eba": (r"elimination by aspects|^imbalance +\d|\beba\(", {"family": "bradley-terry", "scale": "any"}),
    "psychotools": (
        r"bradley-terry regression model|bt regression|\(btmodel\)",
        {"family": "bradley-terry", "scale": "log-odds"},
    ),
    "gnm": (r"\bgnm\(", {"family": "llbt"}),
    "R's glm (Poisson)": (r"\bglm\([^)]*poisson|poisson family", {"family": "llbt"}),
    "R's glm": (r"\bglm\(", {"family": "bradley-terry"}),
    "Stata": (r"p ?> ?\|z\|.*\[95% conf", {}),
    "SAS": (
        r"the (?:logistic|genmod) procedure|analysis of (?:maximum likelihood )?parameter estimates|pr > chisq",
        {},
    ),
}
