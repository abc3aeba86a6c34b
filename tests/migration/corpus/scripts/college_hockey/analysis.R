# US college ice hockey 2009-10 (icehockey of BradleyTerry2): ratings of the conferences' teams, home ice, and a bracket
library(BradleyTerry2)
data(icehockey)

## league by league: only games inside the league
leagues <- c(HE = "Hockey East", CC = "CCHA", EC = "ECAC")
inside <- icehockey[icehockey$conference %in% names(leagues), ]
cat("games:", nrow(inside), "\n")

fit_league <- function(code, home = TRUE) {
  g <- droplevels(inside[inside$conference == code, ])
  teams <- sort(unique(c(as.character(g$visitor), as.character(g$opponent))))
  g$visitor <- data.frame(team = factor(g$visitor, levels = teams), at.home = 0)
  g$opponent <- data.frame(team = factor(g$opponent, levels = teams), at.home = as.numeric(g$home.ice))
  f <- if (home) ~ team + at.home else ~ team
  suppressWarnings(BTm(result, visitor, opponent, formula = f, id = "team", data = g))
}

res <- data.frame()
for (l in names(leagues)) {
  m0 <- fit_league(l, home = FALSE)
  m1 <- fit_league(l)
  ab <- BTabilities(m1)
  ab <- ab[order(-ab[, "ability"]), ]
  cat("\n==", leagues[l], "==\n")
  print(round(head(ab, 5), 3))
  h <- coef(m1)["at.home"]
  se <- sqrt(vcov(m1)["at.home", "at.home"])
  cat(sprintf("home ice: %.3f (s.e. %.3f), z = %.2f, p = %.4f\n", h, se, h / se, 2 * pnorm(-abs(h / se))))
  lr <- deviance(m0) - deviance(m1)
  res <- rbind(res, data.frame(league = leagues[[l]], teams = nrow(ab), best = rownames(ab)[1],
                               home = round(h, 3), LR = round(lr, 3),
                               p = round(pchisq(lr, 1, lower.tail = FALSE), 4), row.names = NULL))
}
cat("\n")
print(res)

## Hockey East in detail
he <- fit_league("HE")
a <- BTabilities(he)[, "ability"]
rating <- 100 * exp(a) / mean(exp(a))
print(round(sort(rating, decreasing = TRUE), 1))
top4 <- names(sort(rating, decreasing = TRUE))[1:4]
semis <- rbind(top4[c(1, 4)], top4[c(2, 3)])
for (i in 1:2) {
  p <- plogis(a[semis[i, 1]] - a[semis[i, 2]])
  cat(semis[i, 1], "beats", semis[i, 2], "on neutral ice with", round(p, 3), "\n")
}
P <- outer(a[top4], a[top4], function(x, y) plogis(x - y))
diag(P) <- NA
round(P, 2)
write.csv(data.frame(team = names(rating), rating = round(unname(rating), 2)), "hockey_east.csv", row.names = FALSE)
