"""Printed numbers that these values must print as, with where they were read: `printed.csv`.

A number agrees if it rounds to the printed one: it lies within half a unit of the last printed place. A line
of `printed.csv` with a reason in its last column is a number known *not* to come out; that it still does not
is tested too.

A quantity is a path into a certified file ("params.A", "worth.all.A", "null.zero.deviance") or one of

    z.A         params.A / bse.A                     odds.A      e^(2 params.A), lambda scale
    p.A         the two-sided p-value                exp.A       e^(params.A)
    lr.MODEL    2 (llf - llf of MODEL on the same data)
    glm_aic, poisson_llf, half_win_deviance_by_row   as the functions of these names
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

from mpmath import mp, mpf

from tests.certified.load import load_all

Fit = dict[str, Any]
Fits = Mapping[str, Fit]


@dataclass(frozen=True)
class Check:
    """One printed number; `reason` is empty unless it is known not to come out."""

    printed_in: str
    fit: str
    quantity: str
    printed: str
    reason: str


def every_line() -> list[Check]:
    """`printed.csv`, line by line."""
    path = Path(__file__).resolve().parent / "printed.csv"
    with path.open(encoding="utf-8", newline="") as lines:
        return [Check(*line) for line in list(csv.reader(lines))[1:]]


def all_checks() -> list[Check]:
    """Every printed number that must come out."""
    return [check for check in every_line() if not check.reason]


def known_not_to_agree() -> list[Check]:
    """Printed numbers that must not come out, each with its reason."""
    return [check for check in every_line() if check.reason]


def lookup(fit: Fit, path: str) -> mpf:
    """A number of a fit by its path; an item's name may hold a dot ("St. Gallen")."""
    key, _, rest = path.partition(".")
    node = fit[key]
    while rest:
        key, rest = (rest, "") if rest in node else (rest.partition(".")[0], rest.partition(".")[2])
        node = node[key]
    return mpf(node)


def glm_aic(fit: Fit) -> mpf:
    """AIC as R's binomial glm has it: the log-likelihood keeps the binomial coefficients of the cells."""
    coefficients = mp.fsum(
        mp.log(mp.binomial(int(cell["wins"] + cell["losses"]), int(cell["wins"]))) for cell in fit["cells"]
    )
    return -2 * (fit["llf"] + coefficients) + 2 * fit["n_params"]


def poisson_llf(fit: Fit) -> mpf:
    """Log-likelihood of the Poisson form: llf + sum (n log n - n) over cells - sum log y! (ties included)."""
    total = fit["llf"]
    for cell in fit["cells"]:
        counts = [cell[key] for key in ("wins", "ties", "losses") if key in cell]
        n = mp.fsum(counts)
        total += n * mp.log(n) - n - mp.fsum(mp.loggamma(count + 1) for count in counts)
    return total


def half_win_deviance_by_row(fit: Fit) -> mpf:
    """Deviance of half wins with one row an answer: -2 llf less 2 log 2 for each tie, whose row's best is
    1/2.
    """
    ties = sum(row["ties"] for row in fit["data"])
    return -2 * fit["llf"] - 2 * mp.log(2) * ties


WHOLE: dict[str, Callable[[Fit], mpf]] = {
    "glm_aic": glm_aic,
    "poisson_llf": poisson_llf,
    "half_win_deviance_by_row": half_win_deviance_by_row,
}

OF_A_PARAMETER: dict[str, Callable[[Fit, str], mpf]] = {
    "z": lambda fit, name: fit["params"][name] / fit["bse"][name],
    "p": lambda fit, name: fit["pvalues"][name],
    "odds": lambda fit, name: mp.exp(2 * fit["params"][name]),
    "exp": lambda fit, name: mp.exp(fit["params"][name]),
}


def value_of(check: Check, fits: Fits) -> mpf:
    """The certified value behind a printed number."""
    fit, (head, _, rest) = fits[check.fit], check.quantity.partition(".")
    with mp.workdps(60):
        if head in WHOLE:
            return WHOLE[head](fit)
        if head in OF_A_PARAMETER:
            return OF_A_PARAMETER[head](fit, rest)
        if head == "lr":
            return 2 * (fit["llf"] - fits[f"{check.fit.split('--')[0]}--{rest}"]["llf"])
        return lookup(fit, check.quantity)


def prints_as(value: mpf, printed: str) -> bool:
    """Whether `value` rounds to `printed`, in decimal arithmetic (either way at an exact half)."""
    with localcontext() as context:
        context.prec = 80
        page = Decimal(printed)
        half = Decimal(5).scaleb(int(page.as_tuple().exponent) - 1)
        return abs(Decimal(str(mp.nstr(value, 50))) - page) <= half


START, END = "<!-- checks: written by make_certified.py -->", "<!-- end of checks -->"


def checks_table(fits: Fits) -> str:
    """Markdown: for each source how many of its printed numbers come out; then those that do not, and why."""
    lines = ["| printed in | numbers | come out |", "|---|---|---|"]
    checks = all_checks()
    for where in dict.fromkeys(check.printed_in for check in checks):
        mine = [check for check in checks if check.printed_in == where]
        lines.append(
            f"| {where} | {len(mine)} | {sum(prints_as(value_of(c, fits), c.printed) for c in mine)} |"
        )
    lines += ["", "| known not to come out | printed | certified | because |", "|---|---|---|---|"]
    for check in known_not_to_agree():
        value = mp.nstr(value_of(check, fits), len(check.printed.strip("-0.").replace(".", "")) + 3)
        what = f"{check.printed_in}: {check.quantity} of `{check.fit}`"
        lines.append(f"| {what} | {check.printed} | {value} | {check.reason} |")
    return "\n".join(lines)


def readme_with_checks(readme: str) -> str:
    """The README with its table of checks made anew; raises ValueError if its two markers are missing."""
    if START not in readme or END not in readme:
        raise ValueError(f"README.md lacks the markers {START!r} and {END!r}")
    fits = {fit["id"]: fit for fit in load_all()}
    before, after = readme.split(START)[0], readme.split(END)[1]
    return f"{before}{START}\n{checks_table(fits)}\n{END}{after}"
