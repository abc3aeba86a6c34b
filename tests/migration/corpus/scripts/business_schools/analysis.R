### CEMS: students choose between six business schools; do languages and subject matter?
require(BradleyTerry2, quietly = TRUE)
data(CEMS)
table(CEMS$students$STUD, CEMS$students$SPA)

# main effects of the schools only
table3 <- BTm(outcome = cbind(win1.adj, win2.adj), player1 = school1, player2 = school2,
              formula = ~ .., refcat = "Stockholm", data = CEMS)
s0 <- summary(table3)
round(s0$coefficients, 3)
lam <- coef(table3)
names(lam) <- gsub("\\.\\.", "", names(lam))
lam <- c(lam, Stockholm = 0)
worth <- exp(lam) / sum(exp(lam))
print(round(sort(worth, decreasing = TRUE), 4))

# interactions with the students' covariates
table4 <- update(table3, ~ .. + WOR[student] * Paris[..] + SPA[student] * Barcelona[..])
b <- coef(table4)
b <- b[!is.na(b)]
V <- vcov(table4)[names(b), names(b)]
tab <- data.frame(estimate = b, se = sqrt(diag(V)))
tab$z <- tab$estimate / tab$se
tab$p <- 2 * (1 - pnorm(abs(tab$z)))
tab$sig <- ifelse(tab$p < .001, "***", ifelse(tab$p < .01, "**", ifelse(tab$p < .05, "*", "")))
print(format(tab, digits = 3))

x2 <- deviance(table3) - deviance(table4)
df <- df.residual(table3) - df.residual(table4)
cat("Likelihood ratio:", format(x2, digits = 5), "on", df, "df, p", format.pval(pchisq(x2, df, lower.tail = FALSE), digits = 3), "\n")
anova(table3, table4, test = "Chisq")
c(AIC = AIC(table4), BIC = BIC(table4), n = nobs(table4))

# odds ratios for Spanish
spa <- grep("SPA.*:", names(b), value = TRUE)
spa
or <- exp(b[spa])
ci <- exp(b[spa] + c(-1, 1) * 1.96 * sqrt(V[spa, spa]))
cat("odds of Barcelona, poor against good Spanish:", round(or, 3), "[", paste(round(ci, 3), collapse = ", "), "]\n")

# by sex
for (s in levels(CEMS$students$SEX)) {
  who <- which(CEMS$students$SEX == s)
  d <- CEMS$preferences[CEMS$preferences$student %in% who, ]
  m <- BTm(cbind(win1.adj, win2.adj), school1, school2, refcat = "Stockholm", data = d)
  cat(s, ":", length(who), "students\n")
  print(round(exp(c(coef(m), Stockholm = 0)) / sum(exp(c(coef(m), 0))), 3))
}
