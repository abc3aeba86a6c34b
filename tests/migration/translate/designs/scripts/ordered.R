library(gnm); library(BradleyTerry2); library(MASS)
set.seed(5)
d <- expand.grid(home = c("A","B","C","D"), away = c("A","B","C","D")); d <- d[d$home != d$away,]
d$match <- factor(seq_len(nrow(d))); d$ah1 <- 1; d$ah2 <- 0
b <- c(A = .5, B = .2, C = 0, D = -.4)
long <- do.call(rbind, lapply(c(1, 0, -1), function(r) transform(d, result = r, count = rpois(nrow(d), 12 * exp((r != 0) * r * .2 + (r == 1) * b[as.character(home)] + (r == -1) * b[as.character(away)])))))
d1 <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, home, away, tie.max = ~1) - 1, eliminate = match, family = poisson, data = long)
d2 <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, home, away, home.adv = ~1, tie.max = ~1, at.home1 = ah1, at.home2 = ah2) - 1, eliminate = match, family = poisson, data = long)
set.seed(1)
d3 <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, home, away, home.adv = ~1, tie.max = ~1, tie.mode = ~1, tie.scale = ~1, at.home1 = ah1, at.home2 = ah2) - 1, eliminate = match, family = poisson, data = long)
d4 <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, home, away, tie.max = ~1, tie.scale = ~1) - 1, eliminate = match, family = poisson, data = long)
long$answer <- factor(long$result, labels = c("lost", "tied", "won"), ordered = TRUE)
for (i in LETTERS[1:4]) long[[i]] <- (long$home == i) - (long$away == i)
r1 <- polr(answer ~ A + B + C, weights = count, data = long)
r2 <- polr(answer ~ A + B + C, weights = count, data = long, method = "probit")
back <- long; back[LETTERS[1:4]] <- -back[LETTERS[1:4]]; back$answer <- factor(-back$result, labels = c("lost", "tied", "won"), ordered = TRUE); back[c("home", "away")] <- back[c("away", "home")]
both <- rbind(long, back); both$w <- both$count / 2
r3 <- polr(answer ~ A + B + C, weights = w, data = both, Hess = TRUE)
each <- long[rep(seq_len(nrow(long)), long$count), ]
r4 <- polr(answer ~ A + B + C, data = each)
z <- rnorm(nrow(each))
r5 <- polr(answer ~ z, data = each)
each$five <- factor(sample(1:5, nrow(each), TRUE), ordered = TRUE)
r6 <- polr(five ~ A + B + C, data = each)
