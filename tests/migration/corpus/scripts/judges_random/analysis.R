# Fifteen judges, five systems.  Do judges differ?  (they do)
suppressPackageStartupMessages({
  library(BradleyTerry2)
  library(lme4)
})
options(digits = 5)

votes <- read.csv("votes.csv")
systems <- read.csv("systems.csv")
sys <- systems$system
votes[c("x", "y")] <- lapply(votes[c("x", "y")], factor, levels = sys)

fixed <- BTm(x_wins, x, y, id = "system", data = votes)
fixed
qv <- try(qvcalc::qvcalc(BTabilities(fixed)), silent = TRUE)
if (!inherits(qv, "try-error")) print(qv$qvframe)

# a length effect in place of the systems, with what is left of each as random
all <- list(votes = votes, systems = data.frame(words = systems$words / 100, row.names = sys))
long <- BTm(x_wins, x, y, ~ words[..] + (1 | ..), data = all)
summary(long)

# this one cannot work, the column is called x_wins
broken <- try(BTm(wins, x, y, id = "system", data = votes), silent = TRUE)
cat("class:", class(broken), "\n")

# judges as random effects on the design; no intercept, sides were drawn
D <- outer(as.character(votes$x), sys, "==") - outer(as.character(votes$y), sys, "==")
colnames(D) <- sys
long.format <- cbind(votes, D)
mixed <- glmer(x_wins ~ 0 + sys2 + sys3 + sys4 + sys5 + (0 + sys2 + sys3 || judge),
               family = binomial, data = long.format, control = glmerControl(optimizer = "bobyqa"))
fixef(mixed)
VarCorr(mixed)

# bootstrap of the judges
set.seed(20)
by.judge <- split(votes, votes$judge)
boot <- replicate(8, {
  drawn <- do.call(rbind, by.judge[sample(length(by.judge), replace = TRUE)])
  coef(BTm(x_wins, x, y, id = "system", data = drawn))
})
round(apply(boot, 1, sd), 3)

# agreement of each judge with the whole
agree <- sapply(by.judge, function(v) mean(v$x_wins == (BTabilities(fixed)[v$x, 1] > BTabilities(fixed)[v$y, 1])))
summary(agree)
