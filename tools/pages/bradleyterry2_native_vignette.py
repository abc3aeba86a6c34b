"""pairproof's side of the numbers that BradleyTerry2's vignette prints; see `bradleyterry2_native`."""

from __future__ import annotations

from typing import Any

import numpy as np

import pairproof

from .bradleyterry2_native import (
    BASEBALL,
    CITATIONS,
    FOUR,
    LIZARDS,
    Names,
    Numbers,
    Ours,
    abilities,
    glm_aic,
    items,
    named,
    of_r,
    reduced,
    sigma,
    tests,
)
from .bradleyterry2_native_more import GROUPED, regressed


def _glm(fit: Any, names: dict[str, str]) -> Numbers:
    found = named(fit, names) | tests(fit, names)
    for q, value in zip(
        (0, 25, 50, 75, 100),
        np.quantile(pairproof.contest_residuals(fit, "deviance")["deviance"], [0, 0.25, 0.5, 0.75, 1]),
    ):
        found[f"deviance residual, {q}%"] = float(value)
    return found | {
        "null deviance": fit.null_deviance,
        "null df": fit.df_null,
        "residual deviance": fit.deviance,
        "residual df": fit.df_resid,
        "AIC": glm_aic(fit),
    }


def _counts(table: Any) -> Numbers:
    return {
        f"{table.items[a]} - {table.items[b]}, win{k}": float(v)
        for a, b, w, l in zip(table.first, table.second, table.wins, table.losses)
        for k, v in ((1, w), (2, l))
    }


def _free(fit: Any, names: dict[str, str], more: tuple[str, ...]) -> Numbers:
    found = {r: float(fit.params[ours]) for r, ours in names.items()}
    others = {
        "null deviance": fit.null_deviance,
        "null df": fit.df_null,
        "residual deviance": fit.deviance,
        "residual df": fit.df_resid,
        "AIC": glm_aic(fit),
    }
    return found | {k: float(others[k]) for k in more}


def _reduced(n: Names) -> Numbers:
    fit = n["reduced"]
    found = {item: float(fit.params[item]) for item in items(fit)}
    return found | reduced(fit) | {"AIC": glm_aic(fit)}


def _mixed(n: Names) -> Numbers:
    fit, names = n["fit"], of_r(n["fit"])
    if names == {"SVL[..]": "SVL"}:
        names = {"SVL": "SVL"}
    return named(fit, names) | tests(fit, names) | sigma(fit)


def _section_5(n: Names) -> Numbers:
    """Deviance residuals of the first four contests; regressions of grouped residuals."""
    found = {f"residual {k + 1}": float(v) for k, v in enumerate(n["residuals"]["deviance"][:4])}
    for x in ("throat.PC1", "head.length"):
        of = regressed(n["table"].item_data[x], n)
        found[f"regression on {x}, intercept"], found[f"regression on {x}, slope"] = of
    return found


_PQL = f'fit = fit_bradley_terry(table, formula="{FOUR} + (1 | item)", method="pql")'
_HOME = 'home = fit_bradley_terry(table, order_effect=True, cells="row")'

#: By section.
OURS_VIGNETTE: dict[str, Ours] = {
    "2.1": Ours(CITATIONS + "fit = fit_bradley_terry(table)", lambda n: _counts(n["table"]) | _free(
        n["fit"], items(n["fit"]), ("null df", "residual df", "null deviance", "residual deviance", "AIC")), "citations"),
    "2.1 refcat": Ours('fit = fit_bradley_terry(table, reference="JASA")', lambda n: _free(
        n["fit"], items(n["fit"]), ("null deviance", "residual deviance", "AIC")), "citations", CITATIONS),
    "2.2 br": Ours('reduced = fit_bradley_terry(table, reduce_bias="mean")', _reduced, "citations", CITATIONS),
    "3.1": Ours(LIZARDS + 'fit = fit_bradley_terry(table, formula="SVL + (1 | item)", method="pql")\nfit.summary()', _mixed, "flatlizards"),
    "3.2": Ours(_PQL + "\nfit.summary()", _mixed, "flatlizards", LIZARDS),
    "3.3 m1": Ours(BASEBALL + 'fit = fit_bradley_terry(table, cells="row")\nfit.summary()', lambda n: _glm(n["fit"], items(n["fit"])), "baseball"),
    "3.3 m2": Ours(_HOME, lambda n: _glm(n["home"], items(n["home"]) | {"at.home": "order"})
        | {"exp(at.home)": float(np.exp(n["home"].params["order"]))}, "baseball", BASEBALL),
    "4": Ours("home.params, home.bse\nfit = fit_bradley_terry(lizards, formula=\"" + FOUR + " + (1 | item)\", method=\"pql\")",
        lambda n: abilities(n["home"]) | abilities(n["fit"]), "baseball",
        BASEBALL + _HOME + "\nlizards_data = package_data('BradleyTerry2', 'flatlizards')\n"
        + LIZARDS.replace("data[", "lizards_data[").replace("table =", "lizards =")),
    "5": Ours(_PQL + '\nresiduals = pairproof.contest_residuals(fit, "deviance")\n' + GROUPED,
        _section_5, "flatlizards", LIZARDS),
}  # fmt: skip
