# Springall (1973): flavour strength of gels, all pairs of nine, ties allowed
library(BradleyTerry2)
data(springall)
d <- springall$contests
sum(d$win + d$loss + d$tie)

# ties as half a win each
m.items <- BTm(cbind(win.adj, loss.adj), col, row, ~ gel.id, id = "gel.id",
               data = list(contests = data.frame(d, stringsAsFactors = TRUE)))
m.items
m.surface <- BTm(cbind(win.adj, loss.adj), col, row,
                 ~ flav[..] + gel[..] + flav.2[..] + gel.2[..] + flav.gel[..] + (1 | ..), data = springall)
summary(m.surface)

m.fix <- BTm(cbind(win.adj, loss.adj), col, row,
             ~ flav[..] + gel[..] + flav.2[..] + gel.2[..] + flav.gel[..], data = springall)
b <- coef(m.fix)
signif(b, 4)

# response surface: predicted against estimated abilities
pr <- springall$predictors
X <- as.matrix(pr[, c("flav", "gel", "flav.2", "gel.2", "flav.gel")])
surface <- as.vector(X %*% b)
surface <- surface - surface[1]
items <- BTabilities(m.items)[, "ability"]
cmp <- data.frame(flav = pr$flav, gel = pr$gel, item = round(items, 3), surface = round(surface, 3))
print(cmp[order(cmp$item, decreasing = TRUE), ])
cat("correlation:", round(cor(cmp$item, cmp$surface), 4), "\n")
cat("r.m.s. difference:", round(sqrt(mean((items - surface)^2)), 4), "\n")

lack <- deviance(m.fix) - deviance(m.items)
nu <- df.residual(m.fix) - df.residual(m.items)
cat(sprintf("lack of fit: %.2f on %d df (p = %.3g)\n", lack, nu, 1 - pchisq(lack, nu)))

# where is the strongest gel?  ridge for gel = 0
peak <- -b["flav[..]"] / (2 * b["flav.2[..]"])
cat("stationary flavour at gel 0:", round(unname(peak), 2), "\n")

# Thurstone instead of logistic
m.probit <- update(m.items, family = binomial(link = "probit"))
ratio <- coef(m.items) / coef(m.probit)
summary(ratio)
mean(ratio)
c(logit = deviance(m.items), probit = deviance(m.probit))
