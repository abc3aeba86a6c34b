"""The CEMS data as R packages carry them, and ties as half wins with one row an answer.

prefmod's `cemspc` is the version of 1998, in which Barcelona and Stockholm were exchanged by mistake;
BradleyTerry2's `CEMS` is the corrected version of 2001.
"""

from __future__ import annotations

import math

from ....data.comparisons import Comparisons
from ....errors import InputError
from ...statements.registers import Computed, Request, computation, numbers_from_r

PREFMOD = """
data("cemspc", package = "prefmod", envir = environment())
answers <- as.matrix(cemspc[, 1:15])
schools <- c("LO", "PA", "MI", "SG", "BA", "ST")
pairs <- do.call(c, lapply(2:6, function(j) paste0(schools[seq_len(j - 1L)], "-", schools[j])))
"""

COUNTS = {
    "prefmod::cemspc": (
        PREFMOD
        + """
count <- function(code) stats::setNames(colSums(answers == code, na.rm = TRUE), pairs)
found <- rbind(first = count(0), undecided = count(1), second = count(2))
stats::setNames(as.numeric(found), outer(rownames(found), colnames(found), paste, sep = "."))
""",
        ("prefmod",),
    ),
    "BradleyTerry2::CEMS": (
        """
data("CEMS", package = "BradleyTerry2", envir = environment())
p <- CEMS$preferences
short <- c(London = "LO", Paris = "PA", Milano = "MI", St.Gallen = "SG", Barcelona = "BA", Stockholm = "ST")
pair <- paste(short[as.character(p$school1)], short[as.character(p$school2)], sep = "-")
count <- function(x) tapply(x, pair, sum, na.rm = TRUE)
found <- rbind(first = count(p$win1), undecided = count(p$tied), second = count(p$win2))
stats::setNames(as.numeric(found), outer(rownames(found), colnames(found), paste, sep = "."))
""",
        ("BradleyTerry2",),
    ),
}

HALF_WINS = (
    PREFMOD
    + """
side <- strsplit(pairs, "-")
first <- vapply(side, `[`, "", 1L)
second <- vapply(side, `[`, "", 2L)
rows <- if (recycled) rep(seq_along(pairs), length.out = length(answers)) else rep(seq_along(pairs), each = nrow(answers))
d <- data.frame(win = c((answers == 0) + (answers == 1) / 2), loss = c((answers == 2) + (answers == 1) / 2),
                first = factor(first[rows], schools), second = factor(second[rows], schools))
fit <- suppressWarnings(BradleyTerry2::BTm(cbind(win, loss), first, second, ~ player, id = "player", refcat = "ST", data = d))
b <- stats::coef(fit)
c(stats::setNames(b, paste0("estimate.", sub("^player", "", names(b)))), deviance = stats::deviance(fit), df_resid = stats::df.residual(fit))
"""
)


@computation("counts-in-r")
def counts_in_r(request: Request) -> Computed:
    """first.LO-PA, undecided.LO-PA, second.LO-PA, ... as an R package has them; args: `source`."""
    source = request.text("source")
    if source not in COUNTS:
        raise InputError(f"counts-in-r: source = {source!r}; expected one of {', '.join(COUNTS)}")
    code, needs = COUNTS[source]
    return numbers_from_r(request, code, {}, needs, source, "")


@computation("half-wins-in-r")
def half_wins_in_r(request: Request) -> Computed:
    """BTm on `prefmod::cemspc`, one row an answer, ties as half wins: estimate.LO, ..., deviance, df_resid."""
    labels = request.text("labels")
    if labels not in ("each", "recycled"):
        raise InputError(f"half-wins-in-r: labels = {labels!r}; expected 'each' or 'recycled'")
    asked, needs = {"recycled": labels == "recycled"}, ("prefmod", "BradleyTerry2")
    label = f"BradleyTerry2::BTm on prefmod::cemspc, labels {labels}"
    return numbers_from_r(request, HALF_WINS, asked, needs, label, "")


@computation("half-wins-by-row")
def half_wins_by_row(request: Request) -> Computed:
    """Ties as half wins with one row an answer, natively: deviance and df_resid; rescaled.X, estimates
    divided.

    The claim's own data.  A row of a decided answer is fitted exactly by its own parameter; that of a tie has
    log-likelihood log(1/2) at best, so D = -2 (llf - n_ties log(1/2)).  args: `claim`, whose fit it is;
    `divided_by`.
    """
    fit = request.fit_of(request.text("claim"))
    table: Comparisons = fit.data
    answers = float(table.n_comparisons)
    ties = float(table.ties.sum())
    divisor = request.number("divided_by", "1")
    if divisor == 0.0:
        raise InputError("args.divided_by is 0; expected a number other than 0")
    rescaled = {f"rescaled.{item}": float(fit.params[item]) / divisor for item in fit.items}
    deviance = -2.0 * (fit.llf + ties * math.log(2.0))
    return Computed(native={"deviance": deviance, "df_resid": answers - fit.rank, **rescaled})
