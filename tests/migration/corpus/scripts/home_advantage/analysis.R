# English football, two seasons (football of BradleyTerry2): does the home advantage shrink?  Draws are half a win
library(BradleyTerry2)
data("football")
seasons <- c("2008-9", "2012-13")

prepare <- function(s) {
  d <- subset(football, season == s)
  d$home <- factor(d$home)
  d$away <- factor(d$away, levels = levels(d$home))
  d$score <- (1 + d$result) / 2         # 1 won at home, 0 drawn, -1 won away
  d$win <- d$score; d$lose <- 1 - d$score
  d
}
fit <- function(d) {
  d$home <- data.frame(team = d$home, home.adv = 1)
  d$away <- data.frame(team = d$away, home.adv = 0)
  suppressWarnings(BTm(cbind(win, lose), home, away, ~ team + home.adv, id = "team", data = d))
}
fits <- lapply(seasons, function(s) fit(prepare(s)))
names(fits) <- seasons

## points and abilities
last <- prepare(seasons[2])
pts.home <- tapply(ifelse(last$score == 1, 3, ifelse(last$score == .5, 1, 0)), last$home, sum)
pts.away <- tapply(ifelse(last$score == 0, 3, ifelse(last$score == .5, 1, 0)), last$away, sum)
pts <- pts.home + pts.away
ab <- BTabilities(fits[[2]])
final <- data.frame(team = rownames(ab), points = as.vector(pts[rownames(ab)]),
                    ability = ab[, "ability"], se = ab[, "s.e."], stringsAsFactors = FALSE)
final <- final[order(final$points, final$ability, decreasing = TRUE), ]
rownames(final) <- NULL
print(head(final, 6), digits = 3)
print(tail(final, 3), digits = 3)
cor(final$points, final$ability)

## home advantage, season by season
h <- sapply(fits, function(m) coef(m)[["home.adv"]])
se <- sapply(fits, function(m) sqrt(vcov(m)["home.adv", "home.adv"]))
print(rbind(estimate = h, se = se, odds = exp(h)), digits = 4)
z <- (h[2] - h[1]) / sqrt(sum(se^2))
cat("difference between the seasons: z =", round(unname(z), 3), " p =", round(2 * pnorm(-abs(unname(z))), 3), "\n")

## match of the day
a <- setNames(ab[, 1], rownames(ab))
home <- "MnU"; away <- "Che"
p1 <- plogis(a[home] - a[away] + h[2])
p2 <- plogis(a[away] - a[home] + h[2])
cat(home, "at home:", round(100 * p1, 1), "%;", away, "at home:", round(100 * p2, 1), "%\n")
xp <- sapply(names(a), function(t) sum(plogis(a[t] - a[names(a) != t] + h[2]) + plogis(a[t] - a[names(a) != t] - h[2])))
round(sort(xp, decreasing = TRUE)[1:5], 2)
