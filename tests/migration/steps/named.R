# Variables that are called as the variables of loops in Python might be.
library(psychotools)
data("GermanParties2009", package = "psychotools")
gp <- GermanParties2009
items <- c("SPD", "FDP")
file <- "scores.csv"
reference <- "SPD"
name <- "n"
value <- 3
m <- btmodel(gp$preference)
b <- coef(m)
fits <- list()
for (r in c("SPD", "FDP", "Linke")) {
  fits[[r]] <- btmodel(gp$preference, ref = r)
  cat(r, round(deviance(fits[[r]]), 2), "\n")
}
halves <- lapply(split(seq_len(nrow(gp)), gp$gender), function(i) btmodel(gp$preference[i]))
print(lapply(halves, function(f) round(itempar(f), 3)))
sapply(halves, nobs)
sapply(halves, BIC)
nobs(m)
BIC(m)
cat("items", length(items), "file", file, "reference", reference, "of", name, value, "\n")
round(b[items[1]], 3)
