# Calls of prefmod's LLBT functions on answers drawn here; records of this script: python -m tests.migration.translate.prefmod.record
library(prefmod)
set.seed(11)
d <- as.data.frame(matrix(sample(c(1, 0, -1), 30 * 3, replace = TRUE, prob = c(.5, .2, .3)), 30))
d$sex <- sample(1:2, 30, replace = TRUE)
plain <- llbtPC.fit(d, 3)
sexes <- llbtPC.fit(d, 3, formel = ~sex, elim = ~sex, obj.names = c("Ulm", "Bonn", "Kiel"))
tied <- llbtPC.fit(d, 3, elim = ~sex, undec = FALSE)
gaps <- d
gaps[2, "sex"] <- NA
gaps[3, 1:3] <- NA
gaps[4, 2] <- NA
missing <- llbtPC.fit(gaps, 3, formel = ~sex, elim = ~sex)
dropped <- llbtPC.fit(transform(d, age = rep(1:3, 10)), 3, formel = ~sex, elim = ~age)
llbt.worth(sexes)
llbt.worth(sexes, outmat = "est")
design <- llbt.design(d, 3, objnames = c("Ulm", "Bonn", "Kiel"), cat.scovs = "sex")
x <- model.matrix(~ Ulm + Bonn + g1 + (Ulm + Bonn):sex, data = design)[, -1]
own <- llbt.fit(design$y, x, q = 6, ncat = 3)
colours <- llbt.design(d, 3, objcovs = data.frame(red = c(1, 0, 0.5)))
other <- llbt.fit(colours$y, as.matrix(colours[, c("red", "g1")]), q = 3, ncat = 3)
