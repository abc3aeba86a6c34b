# ---- GenDavidson by gnm: Poisson counts, the contests' totals eliminated; it starts at random
suppressMessages({library(gnm); library(BradleyTerry2)})
set.seed(1)
label <- sprintf("p%05d", seq_along(items))
n <- length(wins)
row <- rep(seq_len(n), each = 3)
d <- data.frame(count = c(rbind(wins, ties, losses)), result = rep(c(1, 0, -1), n), match = factor(row),
  first = factor(label[first], levels = label)[row], second = factor(label[second], levels = label)[row], home = home[row])
formula <- as.formula(paste0("count ~ GenDavidson(result == 1, result == 0, result == -1, first, second, tie.max = ~1",
  if (ordered) ", home.adv = ~1", if (ordered || shift) ", at.home1 = home == 1, at.home2 = home == -1",
  if (scale) ", tie.scale = ~1", if (shift) ", tie.mode = ~1", ") - 1"))
fit <- suppressWarnings(gnm(formula, eliminate = match, family = poisson, data = d, tolerance = 1e-13, iterMax = 1000, verbose = FALSE))
if (is.null(fit)) stop("gnm found no solution")
found <- coef(fit)
from <- matrix(as.numeric(vcov(fit)), length(found))
at <- function(name) which(names(found) == name)
# Abilities are known up to a constant: contrasts with the reference.
contrast <- function(k) { row <- numeric(length(found)); row[at(label[k])] <- 1; row[at(label[match(reference, items)])] <- -1; row }
single <- function(name) { row <- numeric(length(found)); row[at(name)] <- 1; row }
D <- do.call(rbind, c(lapply(which(items != reference), contrast),
  if (ordered) list(single("home.adv")), list(single("tie.max")), if (shift) list(single("tie.mode")), if (scale) list(single("tie.scale"))))
b <- drop(D %*% as.numeric(found))
V <- D %*% from %*% t(D)
place <- sum(items != reference) + ordered + 1L
b[place] <- b[place] + log(2)   # log nu = tie.max + log 2
deviance <- fit$deviance
df <- fit$df.residual
llf <- NA_real_
converged <- isTRUE(fit$converged)
