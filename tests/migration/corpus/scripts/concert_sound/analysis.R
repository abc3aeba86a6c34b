# Multichannel sound (Choisel & Wickelmaier 2007; SoundQuality of psychotools): order effects of time and programme
library(psychotools)
data("SoundQuality", package = "psychotools")
sq <- SoundQuality
dim(sq)
levels(sq$progmat)

overall <- btmodel(sq$preference)
print(overall)
worth.all <- worth(overall)
print(round(rev(sort(worth.all)), 3))

# by programme material
mods <- list()
for (p in levels(sq$progmat)) {
  mods[[p]] <- btmodel(sq$preference[sq$progmat == p], ref = "Mono")
  cat(formatC(p, width = -12), "logLik", formatC(c(logLik(mods[[p]])), format = "f", digits = 2),
      "best", names(which.max(worth(mods[[p]]))), "\n")
}
W <- sapply(mods, worth)
round(W, 3)
round(apply(W, 2, max), 3)
apply(W, 2, function(w) rownames(W)[order(w, decreasing = TRUE)][1:3])

# test of no difference between programmes
ll1 <- sum(sapply(mods, logLik))
ll0 <- as.numeric(logLik(btmodel(sq$preference, ref = "Mono")))
npar <- length(coef(overall))
chi <- 2 * (ll1 - ll0)
dfs <- npar * (length(mods) - 1)
cat("chi2(", dfs, ") = ", round(chi, 2), ", p = ", format(pchisq(chi, dfs, lower.tail = FALSE), digits = 3), "\n", sep = "")

# before and after
before <- btmodel(sq$preference[sq$time == "before"], ref = "Mono")
after <- btmodel(sq$preference[sq$time == "after"], ref = "Mono")
tab <- cbind(before = coef(before), se.b = sqrt(diag(vcov(before))), after = coef(after), se.a = sqrt(diag(vcov(after))))
tab <- cbind(tab, z = (tab[, "after"] - tab[, "before"]) / sqrt(tab[, "se.b"]^2 + tab[, "se.a"]^2))
round(tab, 3)
sum(tab[, "z"]^2)
d <- worth(after) - worth(before)
cat(paste(names(d), sprintf("%+.3f", d)), sep = "\n")
write.table(round(tab, 4), "before_after.txt", quote = FALSE, sep = "\t")
