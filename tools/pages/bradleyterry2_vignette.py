"""The models of BradleyTerry2's vignette (Turner and Firth 2012), and every number that it prints.

`bradleyterry2_printed.json` has the numbers as text, by section, in the order of the print; each case below gives R's
numbers of a section in the same order.
"""

from __future__ import annotations

import json
from pathlib import Path

from .bradleyterry2_cases import BASEBALL, CITATIONS, FOUR, HOME
from .bradleyterry2_r import RCase

PRINTED = Path(__file__).with_name("bradleyterry2_printed.json")

CITE = (
    CITATIONS
    + 'citeModel <- BTm(cbind(win1, win2), journal1, journal2, ~ journal, id = "journal", data = citations.sf)\n'
)
LIZARDS = f"lizModel2 <- BTm(1, winner, loser, {FOUR} + (1 | ..), data = flatlizards)\n"
#: A summary of a fit by glm, in the order in which it is printed.
_SUMMARY = """by_row <- as.numeric(t(summary({m})$coefficients))
unname(c(by_row, quantile(residuals({m}), names = FALSE), {m}$null.deviance, {m}$df.null, deviance({m}), df.residual({m}), AIC({m}), {m}$iter{more}))"""
_MIXED = "unname(c(as.numeric(t(rows({m}))), as.numeric(summary({m})$ranef), {m}$iter))"
_WLS = "coef(lm(res ~ {x}, weights = attr(res, 'weights'), data = flatlizards$predictors))"

#: By section.
VIGNETTE: dict[str, RCase] = {
    "2.1": RCase("vignette-2.1", "section 2.1", CITE + "citations.sf\nciteModel",
        "unname(c(t(as.matrix(citations.sf[, 3:4])), coef(citeModel), citeModel$df.null, df.residual(citeModel), citeModel$null.deviance, deviance(citeModel), AIC(citeModel)))"),
    "2.1 refcat": RCase("vignette-2.1-refcat", "section 2.1", 'm <- update(citeModel, refcat = "JASA")\nm',
        "unname(c(coef(m), m$null.deviance, deviance(m), AIC(m)))", unseen=CITE),
    "2.2 br": RCase("vignette-2.2", "section 2.2", "m <- update(citeModel, br = TRUE)\nm",
        "unname(c(coef(m), deviance(m), m$penalized.deviance, AIC(m)))", unseen=CITE, needs=("BradleyTerry2", "brglm")),
    "3.1": RCase("vignette-3.1", "section 3.1", "lizModel <- BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards)\nsummary(lizModel)",
        _MIXED.format(m="lizModel")),
    "3.2": RCase("vignette-3.2", "section 3.2", LIZARDS + "summary(lizModel2)", _MIXED.format(m="lizModel2")),
    "3.3 m1": RCase("vignette-3.3-1", "section 3.3", BASEBALL + "summary(baseballModel1)", _SUMMARY.format(m="baseballModel1", more="")),
    "3.3 m2": RCase("vignette-3.3-2", "section 3.3", HOME + "summary(baseballModel2)\nexp(coef(baseballModel2)[[\"at.home\"]])",
        _SUMMARY.format(m="baseballModel2", more=', exp(coef(baseballModel2)[["at.home"]])'), unseen=BASEBALL),
    "4": RCase("vignette-4", "section 4", "BTabilities(baseballModel2)\nhead(BTabilities(lizModel2), 4)",
        "unname(c(t(BTabilities(baseballModel2)), t(head(BTabilities(lizModel2), 4))))", unseen=BASEBALL + HOME + LIZARDS),
    "5": RCase("vignette-5", "section 5", """res.pearson <- round(residuals(lizModel2), 3)
head(cbind(flatlizards$contests, res.pearson), 4)
res <- residuals(lizModel2, type = "grouped")
lm(res ~ throat.PC1, weights = attr(res, "weights"), data = flatlizards$predictors)
lm(res ~ head.length, weights = attr(res, "weights"), data = flatlizards$predictors)""",
        f"unname(c(residuals(lizModel2)[1:4], {_WLS.format(x='throat.PC1')}, {_WLS.format(x='head.length')}))", unseen=LIZARDS),
}  # fmt: skip


def printed() -> dict[str, list[tuple[str, str]]]:
    """Section -> quantity and number as it is printed."""
    found = json.loads(PRINTED.read_text(encoding="utf-8"))
    return {section: [(q, text) for q, text in rows] for section, rows in found.items()}
