# Five translation systems, seven judges, binary comparisons with "same" (Vilar et al. 2007, Table 2)
library(BradleyTerry2)
j <- read.csv("judgments.csv")
systems <- sort(unique(c(j$x, j$y)))
j$x <- factor(j$x, levels = systems)
j$y <- factor(j$y, levels = systems)
j$w <- j$n_x_better + j$n_same / 2
j$l <- j$n_y_better + j$n_same / 2
pairs <- aggregate(cbind(w, l, n_same) ~ x + y, data = j, FUN = sum)
pairs

## ranking
all <- suppressWarnings(BTm(cbind(w, l), x, y, ~ system, id = "system", data = j))
ab <- BTabilities(all)
o <- order(ab[, 1], decreasing = TRUE)
for (i in seq_along(o)) {
  cat(sprintf("%d. %s  %7.3f  (%.3f)\n", i, rownames(ab)[o[i]], ab[o[i], 1], ab[o[i], 2]))
}
# which neighbours can be told apart?
V <- matrix(0, 5, 5, dimnames = list(systems, systems))
V[-1, -1] <- vcov(all)
for (i in 1:4) {
  a <- rownames(ab)[o[i]]
  b <- rownames(ab)[o[i + 1]]
  d <- ab[a, 1] - ab[b, 1]
  se <- sqrt(V[a, a] + V[b, b] - 2 * V[a, b])
  z <- d / se
  star <- if (abs(z) > 1.96) "*" else ""
  cat(a, ">", b, ": diff", round(d, 3), "z", round(z, 2), "p", round(2 * pnorm(-abs(z)), 4), star, "\n")
}

## judge by judge
by.judge <- lapply(split(j, j$judge), function(d) suppressWarnings(BTm(cbind(w, l), x, y, ~ system, id = "system", data = d)))
C <- sapply(by.judge, coef)
rownames(C) <- sub("system", "", rownames(C))
round(C, 3)
rk <- apply(rbind(A = 0, C), 2, function(v) rank(-v))
rk
rowMeans(rk)
dev <- sapply(by.judge, deviance)
het <- deviance(all) - sum(dev)
cat("heterogeneity of judges:", round(het, 2), "on", 4 * 6, "df, p =", format(1 - pchisq(het, 24), digits = 2), "\n")
agree <- cor(rbind(0, C))
mean(agree[lower.tri(agree)])

out <- data.frame(system = rownames(ab)[o], score = round(ab[o, 1] - mean(ab[, 1]), 3), se = round(ab[o, 2], 3))
write.csv(out, file = "ranking.csv", row.names = FALSE)
print(out, row.names = FALSE)
