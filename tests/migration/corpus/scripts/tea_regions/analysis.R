# Tea tasting in three regions: who likes what, and is it the same everywhere?
library(BradleyTerry2)

tea <- read.csv("tea.csv", stringsAsFactors = TRUE)
str(tea)
sum(is.na(tea$won))

# both columns need the same levels
kinds <- sort(union(levels(tea$left), levels(tea$right)))
tea$left <- factor(tea$left, levels = kinds)
tea$right <- factor(tea$right, levels = kinds)

# share of wins of the left cup, before any model
with(tea, tapply(won, left, sum, na.rm = TRUE) / tapply(won + lost, left, sum, na.rm = TRUE))

# 1. all regions together; rows without a count are left out by na.omit
all.tea <- BTm(cbind(won, lost), left, right, ~ tea, id = "tea", data = tea, refcat = "Ceylon")
summary(all.tea)
confint.default(all.tea)
BTabilities(all.tea)

# 2. by hand: the same thing on complete rows, Keemun as the reference
clear <- subset(tea, !is.na(won))
again <- update(all.tea, refcat = "Keemun", data = clear)
coef(again)
all.equal(deviance(all.tea), deviance(again))

# 3. region by region
for (r in levels(clear$region)) {
  fit.r <- BTm(cbind(won, lost), left, right, id = "tea", data = clear[clear$region == r, ])
  cat("\n", r, "deviance", round(deviance(fit.r), 3), "on", df.residual(fit.r), "df\n")
  print(round(coef(fit.r), 3))
}

# 4. left out: the one region where nothing differs much
north.south <- with(subset(clear, region != "west"),
                    BTm(cbind(won, lost), left, right, id = "tea"))
print(north.south)
logLik(north.south)
AIC(all.tea, again)

# 5. does one tea fewer change the others?
small <- droplevels(subset(clear, left != "Nilgiri" & right != "Nilgiri"))
four <- sort(unique(c(as.character(small$left), as.character(small$right))))
small$left <- factor(small$left, levels = four)
small$right <- factor(small$right, levels = four)
fewer <- BTm(cbind(won, lost), left, right, id = "tea", data = small)
summary(fewer)$coefficients
