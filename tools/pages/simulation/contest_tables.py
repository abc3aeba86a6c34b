"""Tables of the page about models of contests: structured abilities, random effects, bias reduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..tables import markdown
from . import reduced_bias, structured
from .tables import shown, table
from .tally import read

Line = Mapping[str, Any]
LOWEST = 0.93
#: Tables that `python -m tools.pages.coverage` simulates of each line of a part, in the order of its designs.
TABLES: Mapping[str, Sequence[int]] = {
    "structured": (500, 500, 500, 500),
    "random-effects": (400, 400, 400, 400),
    "judge-effects": (300, 300),
    "boundary": (500, 400, 400, 300, 300),
    "reduced-bias": (1000, 1000, 1000, 1000),
}
_METHODS = {
    "Wald": "Wald",
    "profile": "**profile**",
    "mean Wald": "mean-reduced, Wald",
    "Jeffreys Wald": "Jeffreys, Wald",
    "Jeffreys profile": "**Jeffreys, profile**",
}


def of_structured(found: list[Line]) -> str:
    """A row a line and parameter."""
    rows = []
    for one in found:
        rates = one["rates"]
        for name, words in structured.PARAMETERS.items():
            cells = [shown(rates, f"{method}, {name}", LOWEST) for method in _METHODS]
            rows.append(
                (one["name"], words, *cells, shown(rates, "infinite"), str(rates["infinite"]["tables"]))
            )
    heads = ("", "parameter", *_METHODS.values(), "infinite", "tables")
    return markdown(heads, rows) + _left_out(found, "an estimate or a limit was not reached")


def of_random_effects(found: list[Line]) -> str:
    """Intervals of b and sigma, estimates, predictions."""
    intervals = {"Laplace, b": "b, Wald", "profile, b": "b, profile", "PQL, b": "b by PQL, Wald",
                 "Laplace, log sigma": "log sigma, Wald", "profile, sigma": "sigma, profile",
                 "PQL, sigma": "sigma by PQL, Wald"}  # fmt: skip
    predictions = {"known pair, posterior": "**known pair**", "new player, posterior": "**new player**",
                   "known pair, sigma known": "known pair, sigma taken as known",
                   "new player, sigma known": "new player, sigma taken as known"}  # fmt: skip
    rows = []
    for one in found:
        medians, rates = one["medians"], one["rates"]
        values = [f"{medians[k]:.2f}" for k in ("Laplace b", "PQL b", "Laplace sigma", "PQL sigma")]
        shares = [shown(rates, k) for k in ("sigma 0", "bounded below only")]
        rows.append((one["name"], f"{one['design']['covariate']}", *values, *shares))
    heads = (
        "",
        "true b",
        "b",
        "b by PQL",
        "sigma",
        "sigma by PQL",
        "sigma estimated as 0",
        "bounded below only",
    )
    return (
        table(found, intervals, LOWEST)
        + "\nMedians of the estimates, and how often sigma has no standard error:\n\n"
        + markdown(heads, rows)
        + "\nIntervals of predicted linear predictors:\n\n"
        + table(found, predictions, LOWEST)
        + _left_out(found, "an estimate is infinite or was not reached")
    )


def of_judge_effects(found: list[Line]) -> str:
    """Contrasts of items."""
    heads = {"random effects": "**random effects, b**",
             "CR1 t of random effects": "**the same, CR1 by judge**", "model z": "no judges, averaged",
             "CR2 t": "**CR2 by judge, averaged**", "CR2 t, of b": "CR2 by judge, b",
             "log sigma": "log sigma, Wald", "sigma 0": "sigma estimated as 0"}  # fmt: skip
    rows = []
    for one in found:
        rates = one["rates"]
        cells = [shown(rates, m, LOWEST if m != "sigma 0" else 0.0) for m in heads]
        rows.append((one["name"], *cells, str(rates["random effects"]["tables"])))
    return markdown(("", *heads.values(), "tables"), rows) + _left_out(found, "no estimate was reached")


def of_boundary(found: list[Line]) -> str:
    """Shares of small p."""
    heads = {m: m for m in ("p <= .10", "p <= .05", "p <= .01")}
    return table(found, {**heads, "sigma 0": "sigma estimated as 0"}) + _left_out(
        found, "no estimate was reached"
    )


def of_reduced_bias(found: list[Line]) -> str:
    """Errors of estimates, and intervals."""
    rows, intervals = [], []
    methods = [words for words, _ in reduced_bias.METHODS]
    for one in found:
        rates = one["rates"]
        errors = [_error(rates, f"{m}, where ML is finite") for m in methods]
        alone = [_error(rates, f"{m}, error") for m in methods[1:]]
        rows.append(
            (one["name"], shown(rates, "ML infinite"), *errors, *alone, str(rates["ML infinite"]["tables"]))
        )
        below = [shown(rates, f"{m}, below") for m in methods]
        intervals.append((one["name"], *below, *(shown(rates, f"{m}, Wald", LOWEST) for m in methods)))
    where = [f"{m}, where ML is finite" for m in methods]
    everywhere = [f"{m}, everywhere" for m in methods[1:]]
    sides = [f"{m} below the truth" for m in methods]
    return (
        markdown(("mean error", "ML infinite", *where, *everywhere, "tables"), rows)
        + "\n"
        + markdown(("", *sides, *(f"{m}, Wald" for m in methods)), intervals)
        + _left_out(found, "an adjusted score did not come to 0")
    )


def _error(rates: Mapping[str, Any], method: str) -> str:
    """ "+0.142 (26)": a mean error and its Monte Carlo error in units of the last digit."""
    return f"{rates[method]['rate']:+.3f} ({round(1000 * rates[method]['error'])})"


def _left_out(found: list[Line], why: str) -> str:
    left = "; ".join(f"{one['name']}: {one['left_out']}" for one in found if one["left_out"])
    return f"\nTables left out because {why}: {left or 'none'}.\n"


PAGES: Mapping[str, Callable[[list[Line]], str]] = {
    "structured": of_structured,
    "random-effects": of_random_effects,
    "judge-effects": of_judge_effects,
    "boundary": of_boundary,
    "reduced-bias": of_reduced_bias,
}


def span(part: str, methods: Sequence[str], names: str = "") -> str:
    """ ".941 to .956": least and greatest rate of methods over the lines of a part whose names hold a word."""
    values = [one["rates"][m]["rate"] for one in read(part)["lines"] if names in one["name"]
              for m in methods if m in one["rates"]]  # fmt: skip
    if not values:
        return "(not simulated)"
    low, high = f"{min(values):.3f}", f"{max(values):.3f}"
    return low if low == high else f"{low} to {high}"


def findings() -> list[str]:
    """Sentences for the page's summary."""
    names = structured.PARAMETERS

    def of(method: str) -> list[str]:
        return [f"{method}, {name}" for name in names]

    return [
        "**Covariates of players and contests, order effects.** With 90 contests of 30 players Wald's intervals cover"
        f" {span('structured', of('Wald'), '30 players')}, profile intervals {span('structured', of('profile'), '30 players')}. With 16"
        f" contests of 8 players the estimate is infinite in {span('structured', ['infinite'], '8 players')} of tables; Wald's"
        f" intervals of the others cover {span('structured', of('Wald'), '8 players')}, profile intervals of all"
        f" {span('structured', of('profile'), '8 players')}, mean-reduced Wald {span('structured', of('mean Wald'), '8 players')}, profiles"
        f" penalised by Jeffreys' prior {span('structured', of('Jeffreys profile'), '8 players')}.",
        f"**Random effects of players.** By Laplace's approximation b is covered in {span('random-effects', ['Laplace, b', 'profile, b'])},"
        f" by penalised quasi-likelihood in {span('random-effects', ['PQL, b'])}; sigma by profile in"
        f" {span('random-effects', ['profile, sigma'])}, by PQL in {span('random-effects', ['PQL, sigma'])}. Predictions over the posterior"
        f" of sigma hold in {span('random-effects', ['known pair, posterior', 'new player, posterior'])}, of which"
        f" {span('random-effects', ['known pair, posterior', 'new player, posterior'], '77 players')} in the lizards' shape: there"
        " and for sigma they fall short of .95. With sigma taken as known they hold in"
        f" {span('random-effects', ['known pair, sigma known', 'new player, sigma known'])}.",
        f"**Random effects of judges** on 3 items: contrasts are covered in {span('judge-effects', ['random effects'])}, with"
        f" standard errors by judge in {span('judge-effects', ['CR1 t of random effects'])}, without effects by CR2 (of the"
        f" averaged parameter) in {span('judge-effects', ['CR2 t'])}, without judges in {span('judge-effects', ['model z'])}.",
        f"**The boundary test of sigma = 0** is wrong in {span('boundary', ['p <= .05'], 'players')} of tables at .05 for players"
        f" and in {span('boundary', ['p <= .10'], 'players')} at .10, so it is conservative in small tables; for judges in"
        f" {span('boundary', ['p <= .05'], 'judges')} and {span('boundary', ['p <= .10'], 'judges')}.",
    ]
