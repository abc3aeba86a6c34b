"""Models that only R's BradleyTerry2 has here: bias reduction (brglm) and random effects (penalised
quasi-likelihood).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....bridge.values.convert import factor_of
from ....bridge.values.formulas import checked
from ....bridge.values.nodes import Formula
from ....errors import InputError
from ...claims.quantities import Quantity
from ...statements.registers import Computed, Remark, Request, computation, numbers_from_r

BIAS_REDUCED = """
d <- data.frame(first = first, second = second)
fit <- BradleyTerry2::BTm(cbind(win1, win2), first, second, ~ player, id = "player", refcat = refcat, br = TRUE, data = d)
b <- summary(fit)$coefficients
names <- sub("^player", "", rownames(b))
c(stats::setNames(b[, 1L], paste0("estimate.", names)), stats::setNames(b[, 2L], paste0("se.", names)),
  deviance = fit$deviance, penalized_deviance = fit$penalized.deviance, aic = fit$aic, df_resid = fit$df.residual)
"""

LIZARDS = """
data("flatlizards", package = "BradleyTerry2", envir = environment())
unknown <- setdiff(all.vars(model), c("..", names(flatlizards$predictors)))
if (length(unknown)) stop("flatlizards has no covariate ", toString(unknown), "; it has ", toString(names(flatlizards$predictors)))
fit <- eval(bquote(BradleyTerry2::BTm(1, winner, loser, .(model), data = flatlizards)))
s <- summary(fit)
rows <- function(m, names) unlist(lapply(seq_len(nrow(m)), function(i)
  stats::setNames(as.numeric(m[i, ]), paste0(c("estimate.", "se.", "z.", "p."), names[i]))))
fixed <- gsub("^\\\\.\\\\.|\\\\[\\\\.\\\\.\\\\]$", "", rownames(s$fixef))
found <- c(rows(s$fixef, fixed), rows(s$ranef, "sd"), iterations = fit$iter)
players <- levels(flatlizards$contests$winner)
a <- BradleyTerry2::BTabilities(fit)
c(found, stats::setNames(a[, 1L], paste0("ability.", rownames(a))), stats::setNames(a[, 2L], paste0("ability_se.", rownames(a))),
  stats::setNames(as.numeric(table(factor(flatlizards$contests$winner, players))), paste0("won.", players)),
  stats::setNames(as.numeric(table(factor(flatlizards$contests$loser, players))), paste0("lost.", players)))
"""

ABILITIES = """
p1 <- data.frame(player = first, at.home = 1)
p2 <- data.frame(player = second, at.home = 0)
fit <- BradleyTerry2::BTm(cbind(win1, win2), p1, p2, ~ player + at.home, id = "player", refcat = refcat)
a <- BradleyTerry2::BTabilities(fit)
c(stats::setNames(a[, 1L], paste0("estimate.", rownames(a))), stats::setNames(a[, 2L], paste0("se.", rownames(a))))
"""


def _counts(request: Request) -> dict[str, object]:
    table = request.data_of(request.data)
    items = list(table.items)
    reference = request.text("reference", items[0])
    if reference not in items:
        raise InputError(
            f"args.reference is {reference[:80]!r}; expected one of the items {', '.join(items[:20])}"
        )
    return {
        "win1": np.asarray(table.wins, float),
        "win2": np.asarray(table.losses, float),
        "first": factor_of([items[k] for k in table.first], items),
        "second": factor_of([items[k] for k in table.second], items),
        "refcat": reference,
    }


@computation("bias-reduced")
def bias_reduced(request: Request) -> Computed:
    """Firth's bias-reduced estimates (`BTm(..., br = TRUE)`): estimate.X, se.X, deviance, penalized_deviance,
    aic, df_resid.

    The claim's own data by pair; args: `reference`.
    """
    needs, said = ("BradleyTerry2", "brglm"), ("BradleyTerry2::BTm(br = TRUE)", "bias-reduced estimates")
    return numbers_from_r(request, BIAS_REDUCED, _counts(request), needs, *said)


@computation("flat-lizards")
def flat_lizards(request: Request) -> Computed:
    """Augrabies flat lizards, R's own data, with a random effect for each lizard; args: `model`, a formula
    such as "~ SVL[..] + (1 | ..)", of which nothing but a formula is taken.

    estimate.X, se.X, z.X, p.X of covariates, of lizards with missing covariates, and of `sd`; ability.L and
    ability_se.L; won.L and lost.L, the contests.  A lizard with an ability of its own that lost no contest
    has an infinite estimate, and what is printed for it depends on when R stopped.
    """
    model = request.text("model")
    if not checked(model, "args.model").startswith("~"):
        raise InputError(
            f"args.model is {model[:80]!r}; expected a formula without a left side, such as '~ SVL[..] + (1 |"
            " ..)'"
        )
    said = ("BradleyTerry2::BTm, random effects by PQL", "random effects (penalised quasi-likelihood)")
    found = numbers_from_r(request, LIZARDS, {"model": Formula(model)}, ("BradleyTerry2",), *said)
    remarks: dict[str, Remark] = {}
    for name in found.r:
        q = Quantity.parse(name)
        lizard = q.name
        if q.kind == "estimate" and found.r.get(f"lost.{lizard}") == 0.0:
            remark = Remark(
                "infinite-estimate",
                f"{lizard} won all its {found.r[f'won.{lizard}']:.0f} contests and has its"
                " own ability, so its estimate is infinite; the printed value is where R stopped, and its"
                " digits are meaningless",
            )
            remarks.update({q.of(k): remark for k in ("estimate", "se", "z", "p")})
    return replace(found, remarks=remarks)


@computation("abilities-by-default")
def abilities_by_default(request: Request) -> Computed:
    """`BTabilities(BTm(...))` with a home effect and R's own stop: estimate.X, se.X; args: `reference`."""
    lacks = "standard errors from the weights of the second-to-last step"
    said = ("BradleyTerry2::BTabilities, by default", lacks)
    return numbers_from_r(request, ABILITIES, _counts(request), ("BradleyTerry2",), *said)
