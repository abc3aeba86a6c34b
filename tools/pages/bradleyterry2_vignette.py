"""The models of BradleyTerry2's vignette (Turner and Firth 2012), and every number that it prints.

`bradleyterry2_printed.json` has the numbers as text, by section, in the order of the print; each case below gives R's
numbers of a section in the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import bradleyterry2_ours as own
from .bradleyterry2_cases import R_BASEBALL, R_CITATIONS, R_FOUR, R_HOME
from .bradleyterry2_ours import Names, Numbers, Ours, abilities, items, named, sigma
from .bradleyterry2_r import Example
from .tables import kept

R_CITE = (
    R_CITATIONS
    + 'citeModel <- BTm(cbind(win1, win2), journal1, journal2, ~ journal, id = "journal", data = citations.sf)\n'
)
R_LIZARDS = f"lizModel2 <- BTm(1, winner, loser, {R_FOUR} + (1 | ..), data = flatlizards)\n"
#: A summary of a fit by glm, in the order in which it is printed.
_SUMMARY = """by_row <- as.numeric(t(summary({m})$coefficients))
unname(c(by_row, quantile(residuals({m}), names = FALSE), {m}$null.deviance, {m}$df.null, deviance({m}), df.residual({m}), AIC({m}), {m}$iter{more}))"""
_MIXED = "unname(c(as.numeric(t(rows({m}))), as.numeric(summary({m})$ranef), {m}$iter))"
_WLS = "coef(lm(res ~ {x}, weights = attr(res, 'weights'), data = flatlizards$predictors))"


def _free(fit: Any, *more: str) -> Numbers:
    """Estimates, and what else R prints of a fit by glm."""
    found = {r: float(fit.params[ours]) for r, ours in items(fit).items()}
    return found | {k: own.deviances(fit)[k] for k in more}


def _reduced(n: Names) -> Numbers:
    return _free(n["reduced"], "AIC") | own.reduced(n["reduced"])


def _mixed(n: Names) -> Numbers:
    fit = n["fit"]
    names = {"SVL": "SVL"} if list(own.of_r(fit)) == ["SVL[..]"] else own.of_r(fit)
    return named(fit, names) | own.tests(fit, names) | sigma(fit)


def _section_5(n: Names) -> Numbers:
    """Deviance residuals of the first four contests; regressions of grouped residuals."""
    found = {f"residual {k + 1}": float(v) for k, v in enumerate(n["residuals"]["deviance"][:4])}
    return found | own.regressions(n, "throat.PC1", "head.length")


_CASES = (
    Example("vignette-2.1", "section 2.1", R_CITE + "citations.sf\nciteModel",
        "unname(c(t(as.matrix(citations.sf[, 3:4])), coef(citeModel), citeModel$df.null, df.residual(citeModel), citeModel$null.deviance, deviance(citeModel), AIC(citeModel)))",
        printed="2.1",
        ours=Ours(own.CITATIONS + "fit = fit_bradley_terry(table)", lambda n: own.counts(n["table"])
        | _free(n["fit"], "null df", "residual df", "null deviance", "residual deviance", "AIC"), "citations")),
    Example("vignette-2.1-refcat", "section 2.1", 'm <- update(citeModel, refcat = "JASA")\nm',
        "unname(c(coef(m), m$null.deviance, deviance(m), AIC(m)))", unseen=R_CITE,
        printed="2.1 refcat",
        ours=Ours('fit = fit_bradley_terry(table, reference="JASA")', lambda n: _free(n["fit"], "null deviance", "residual deviance", "AIC"), "citations", own.CITATIONS)),
    Example("vignette-2.2", "section 2.2", "m <- update(citeModel, br = TRUE)\nm",
        "unname(c(coef(m), deviance(m), m$penalized.deviance, AIC(m)))", unseen=R_CITE, needs=("BradleyTerry2", "brglm"),
        printed="2.2 br",
        ours=Ours('reduced = fit_bradley_terry(table, reduce_bias="mean")', _reduced, "citations", own.CITATIONS)),
    Example("vignette-3.1", "section 3.1", "lizModel <- BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards)\nsummary(lizModel)",
        _MIXED.format(m="lizModel"),
        printed="3.1",
        ours=Ours(own.LIZARDS + 'fit = fit_bradley_terry(table, formula="SVL + (1 | item)", method="pql")\nfit.summary()', _mixed, "flatlizards")),
    Example("vignette-3.2", "section 3.2", R_LIZARDS + "summary(lizModel2)", _MIXED.format(m="lizModel2"),
        printed="3.2",
        ours=Ours(own.PQL + "\nfit.summary()", _mixed, "flatlizards", own.LIZARDS)),
    Example("vignette-3.3-1", "section 3.3", R_BASEBALL + "summary(baseballModel1)", _SUMMARY.format(m="baseballModel1", more=""),
        printed="3.3 m1",
        ours=Ours(own.BASEBALL + own.ROWS + "\nfit.summary()", lambda n: own.summary(n["fit"], items(n["fit"])), "baseball")),
    Example("vignette-3.3-2", "section 3.3", R_HOME + "summary(baseballModel2)\nexp(coef(baseballModel2)[[\"at.home\"]])",
        _SUMMARY.format(m="baseballModel2", more=', exp(coef(baseballModel2)[["at.home"]])'), unseen=R_BASEBALL,
        printed="3.3 m2",
        ours=Ours(own.HOME, lambda n: own.summary(n["home"], items(n["home"]) | {"at.home": "order"})
        | {"exp(at.home)": float(np.exp(n["home"].params["order"]))}, "baseball", own.BASEBALL)),
    Example("vignette-4", "section 4", "BTabilities(baseballModel2)\nhead(BTabilities(lizModel2), 4)",
        "unname(c(t(BTabilities(baseballModel2)), t(head(BTabilities(lizModel2), 4))))", unseen=R_BASEBALL + R_HOME + R_LIZARDS,
        printed="4",
        ours=Ours("home.params, home.bse\n" + own.PQL.replace("table", "lizards"),
        lambda n: abilities(n["home"]) | abilities(n["fit"]), "baseball",
        own.BASEBALL + own.HOME + "\nlizards_data = package_data('BradleyTerry2', 'flatlizards')\n"
        + own.LIZARDS.replace("data[", "lizards_data[").replace("table =", "lizards ="))),
    Example("vignette-5", "section 5", """res.pearson <- round(residuals(lizModel2), 3)
head(cbind(flatlizards$contests, res.pearson), 4)
res <- residuals(lizModel2, type = "grouped")
lm(res ~ throat.PC1, weights = attr(res, "weights"), data = flatlizards$predictors)
lm(res ~ head.length, weights = attr(res, "weights"), data = flatlizards$predictors)""",
        f"unname(c(residuals(lizModel2)[1:4], {_WLS.format(x='throat.PC1')}, {_WLS.format(x='head.length')}))", unseen=R_LIZARDS,
        printed="5",
        ours=Ours(own.PQL + '\nresiduals = pairproof.contest_residuals(fit, "deviance")\n' + own.GROUPED,
        _section_5, "flatlizards", own.LIZARDS)),
)  # fmt: skip
#: By section.
VIGNETTE: dict[str, Example] = {c.printed: c for c in _CASES}


def printed() -> dict[str, list[tuple[str, str]]]:
    """Section -> quantity and number as it is printed."""
    return {
        section: [(q, text) for q, text in rows] for section, rows in kept("bradleyterry2_printed").items()
    }
