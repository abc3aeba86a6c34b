# Calls of prefmod's pattern models on answers drawn here; records of this script: python -m tests.migration.translate.prefmod.record
library(prefmod)
set.seed(12)
d <- as.data.frame(matrix(sample(0:2, 40 * 3, replace = TRUE, prob = c(.5, .2, .3)), 40))
d$sex <- sample(1:2, 40, replace = TRUE)
d$age <- sample(1:2, 40, replace = TRUE)
plain <- pattPC.fit(d, 3)
both <- pattPC.fit(d, 3, formel = ~sex * age, elim = ~sex * age)
finer <- pattPC.fit(d, 3, formel = ~sex, elim = ~sex + age, undec = FALSE)
dependent <- pattPC.fit(d, 3, ia = TRUE)
gaps <- d[, 1:3]
gaps[1:8, 2] <- NA
gaps[c(5, 9), 1] <- NA
gaps[40, ] <- NA
test <- pattPC.fit(gaps, 3, NItest = TRUE)
common <- pattPC.fit(gaps, 3, MIScommon = TRUE)
of_items <- pattPC.fit(gaps, 3, MISalpha = checkMIS(gaps, 3) & c(TRUE, TRUE, FALSE))
coded <- pattPC.fit(gaps, 3, MISalpha = c(TRUE, TRUE, FALSE), MISbeta = c(FALSE, TRUE, FALSE))
misread <- d[, 1:3]
misread[, 1] <- ifelse(misread[, 1] == 1, 0, misread[, 1])
losses <- pattPC.fit(misread, 3)
ranks <- simR(3, 30, c(.5, .3, .2))
names(ranks) <- c("tea", "milk", "beer")
ranks$sex <- rep(1:2, 15)
ranked <- pattR.fit(ranks, 3, formel = ~sex, elim = ~sex)
partial <- ranks
partial[1:4, "tea"] <- NA
partial[5, c("tea", "milk")] <- 1
below <- pattR.fit(partial, 3)
empty <- ranks[c(1:14, 16:30, 15), ]
empty[7, 1:3] <- NA
shifted <- pattR.fit(empty, 3, formel = ~sex, elim = ~sex)
ratings <- as.data.frame(matrix(sample(1:4, 240, replace = TRUE), ncol = 6))
rated <- pattL.fit(ratings[, 1:3], 3)
twice <- pattLrep.fit(ratings, 3, 2, iaT = TRUE)
again <- pattRrep.fit(cbind(ranks[, 1:3], simR(3, 30, c(.2, .3, .5))), 3, 2)
patt.worth(both)
patt.worth(twice, obj.names = c("x", "y", "z"))
patt.worth(test)
checkMIS(gaps, 3)
checkMIS(gaps, 3, MISmodel = "comp")
classes <- pattnpml.fit(y ~ 1, random = ~ o1 + o2, k = 2, design = patt.design(d[, 1:3], 3))
letters_only <- tryCatch(pattPC.fit(data.frame(a = 1, b = 2), 3), error = function(e) NULL)
