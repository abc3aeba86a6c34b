# Attitudes to immigration (Weber et al.; prefmod's immig): four statements in pairs, some not answered
library(prefmod)
data(immig)
colSums(is.na(immig[, 1:6]))
obj <- c("crimRate", "position", "socBurd", "culture")

complete <- immig[complete.cases(immig[, 1:6]), ]
a <- pattPC.fit(complete, nitems = 4, obj.names = obj, undec = TRUE)
b <- pattPC.fit(immig, nitems = 4, obj.names = obj, undec = TRUE)
c0 <- pattPC.fit(immig, nitems = 4, obj.names = obj, undec = FALSE)
a
b

se <- function(f) sqrt(diag(solve(f$result$hessian)))
k <- length(b$coefficients)
est <- cbind(complete = a$coefficients, all = b$coefficients)
est
round(se(b), 4)
z <- b$coefficients / se(b)
pv <- 2 * pnorm(abs(z), lower.tail = FALSE)
stars <- ifelse(pv < .05, "*", "")
data.frame(est = round(b$coefficients, 3), z = round(z, 2), p = round(pv, 4), stars)

lls <- c(ties = b$ll, none = c0$ll)
round(lls, 3)
2 * (lls["ties"] - lls["none"])
wa <- patt.worth(a)
wb <- patt.worth(b)
both <- data.frame(object = rownames(wa), complete = round(wa[, 1], 4), all = round(wb[, 1], 4))
both$change <- both$all - both$complete
both[order(-both$all), ]

# men and women
s <- pattPC.fit(immig, nitems = 4, formel = ~ SEX, elim = ~ SEX, obj.names = obj, undec = TRUE)
s0 <- pattPC.fit(immig, nitems = 4, formel = ~ 1, elim = ~ SEX, obj.names = obj, undec = TRUE)
cat("sex: deviance difference", round(2 * (s$ll - s0$ll), 3), "p", round(1 - pchisq(2 * (s$ll - s0$ll), 3), 3), "\n")
round(patt.worth(s), 3)
