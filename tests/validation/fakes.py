"""R as data: counterparts whose values are native's own, spoilt on purpose where a test asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pairproof.fit.fit import Fit
from pairproof.validation.check.checker import Checker
from pairproof.validation.claims.paper import Paper
from pairproof.validation.claims.quantities import names, quantity
from pairproof.validation.verdicts.agreement import Agreement, RCounterpart

GLM = "stats::glm, refitted from its solution"


def values_of(fit: Fit) -> dict[str, float]:
    """What R gives of a fit, as a faultless R would: every quantity of `names` but those that no R call is
    asked for.
    """
    return {name: quantity(fit, name) for name in names(fit) if name not in ("bic", "n_comparisons")}


def faultless(fit: Fit, backend: Any) -> Sequence[RCounterpart]:
    return [RCounterpart(GLM, "live", values_of(fit))]


def spoilt(
    change: Callable[[dict[str, float]], Mapping[str, float]]
) -> Callable[[Fit, Any], Sequence[RCounterpart]]:
    """A counterpart that gives changed values."""

    def counterparts(fit: Fit, backend: Any) -> Sequence[RCounterpart]:
        return [RCounterpart(GLM, "live", dict(change(values_of(fit))))]

    return counterparts


def claims_text(claim: str, data: str = "") -> str:
    """A small claims file: baseball 1987 by pair (Firth 2005, section 5), and the claim given."""
    return f"""[paper]
id = "example"
title = "An example"

[data.baseball]
kind = "counts"
columns = ["first", "second", "wins", "losses"]
rows = [["Milwaukee", "Detroit", 7, 6], ["Milwaukee", "Toronto", 9, 4], ["Milwaukee", "New York", 7, 6],
        ["Milwaukee", "Boston", 7, 6], ["Milwaukee", "Cleveland", 9, 4], ["Milwaukee", "Baltimore", 11, 2],
        ["Detroit", "Toronto", 7, 6], ["Detroit", "New York", 5, 8], ["Detroit", "Boston", 11, 2],
        ["Detroit", "Cleveland", 9, 4], ["Detroit", "Baltimore", 9, 4], ["Toronto", "New York", 7, 6],
        ["Toronto", "Boston", 7, 6], ["Toronto", "Cleveland", 8, 5], ["Toronto", "Baltimore", 12, 1],
        ["New York", "Boston", 6, 7], ["New York", "Cleveland", 7, 6], ["New York", "Baltimore", 10, 3],
        ["Boston", "Cleveland", 7, 6], ["Boston", "Baltimore", 12, 1], ["Cleveland", "Baltimore", 6, 7]]
{data}
{claim}"""


FIRTH = """
[[claim]]
id = "baseball"
where = "section 5"
data = "baseball"
model = { family = "bradley-terry", ties = "none", reference = "Baltimore" }
estimate = { Boston = "1.1077", Cleveland = "0.6839", Detroit = "1.4364", Milwaukee = "1.5814", "New York" = "1.2476", Toronto = "1.2945" }
se = { Boston = "0.3339", Cleveland = "0.3319", Detroit = "0.3396", Milwaukee = "0.3433", "New York" = "0.3359", Toronto = "0.3367" }
z = { Boston = "3.318", Cleveland = "2.061", Detroit = "4.230", Milwaukee = "4.607", "New York" = "3.715", Toronto = "3.845" }
p = { Boston = "0.000908", Cleveland = "0.039345", Detroit = "2.34e-05", Milwaukee = "4.09e-06", "New York" = "0.000203", Toronto = "0.000121" }
null_deviance = "49.699 on 21"
deviance = "15.737 on 15"
aic = "87.324"
aic_definition = "glm"
"""


def check_paper(paper: Paper, **options: Any) -> list[Agreement]:
    """Agreements of every claim of a paper."""
    return Checker(paper, **options).all()


def write_paper(folder: Path, name: str, paper: str, old: str = "", new: str = "") -> Path:
    """A claims file of Firth's baseball under this id, with one text of it replaced."""
    path = folder / f"{name}.claims.toml"
    path.write_text(claims_text(FIRTH).replace('"example"', f'"{paper}"').replace(old, new), encoding="utf-8")
    return path
