## awkward names, subsets, missing values, weights, separation, two items, disconnected, tied names
library(gnm)
set.seed(21)
teams <- c("FC A: [one]", "tie", "order", "B-ville", "C.d")
g <- expand.grid(home = teams, away = teams, stringsAsFactors = TRUE); g <- g[g$home != g$away, ]
D <- sapply(teams, function(i) (g$home == i) - (g$away == i)); 
g$w <- rpois(20, 5) + 1; g$l <- rpois(20, 4) + 1
x1 <- glm(cbind(w, l) ~ D, binomial, g)
colnames(D) <- make.names(teams); h <- cbind(g, D); h$first <- rnorm(20); h$"my cov" <- rnorm(20); h$judge <- factor(rep(c("u", "v"), 10))
x2 <- glm(reformulate(c(make.names(teams)[-1], "first", "`my cov`"), "cbind(w, l)"), binomial, h)
x3 <- glm(cbind(w, l) ~ 0 + FC.A...one. + tie + order + B.ville + (FC.A...one. + tie + order + B.ville):judge, binomial, h)
h$w[3] <- NA
x4 <- glm(cbind(w, l) ~ 0 + FC.A...one. + tie + order + B.ville, binomial, h)
x5 <- glm(cbind(w, l) ~ 0 + FC.A...one. + tie + order + B.ville, binomial, h, subset = judge == "u")
s <- g; s$w[s$home == "tie"] <- s$w[s$home == "tie"] + s$l[s$home == "tie"]; s$l[s$home == "tie"] <- 0; s$l[s$away == "tie"] <- s$l[s$away == "tie"] + s$w[s$away == "tie"]; s$w[s$away == "tie"] <- 0
s <- cbind(s, D)
x6 <- suppressWarnings(glm(cbind(w, l) ~ 0 + FC.A...one. + tie + order + B.ville, binomial, s))
x7 <- glm(cbind(w, l) ~ 0 + FC.A...one. + tie + order + B.ville, binomial, cbind(g, D), weights = rep(1:2, 10))
x8 <- glm(cbind(w, l) ~ 0 + FC.A...one. + tie + order + B.ville, binomial, cbind(g, D), weights = rep(c(1, .3), 10))
two <- data.frame(a = c(1, -1, 1), w = c(3, 4, 5), l = c(2, 2, 2))
x9 <- glm(cbind(w, l) ~ 0 + a, binomial, two)
k <- cbind(g, D); k <- k[(k$home %in% teams[1:3]) == (k$away %in% teams[1:3]), ]
x10 <- glm(cbind(w, l) ~ 0 + FC.A...one. + tie + order + B.ville, binomial, k)
k$z0 <- 0
x11 <- glm(cbind(w, l) ~ 0 + FC.A...one. + tie + order + B.ville + C.d + z0, binomial, cbind(g, D, z0 = 0))
x12 <- glm(w > l ~ FC.A...one. + tie + order + B.ville, binomial, cbind(g, D))
x13 <- glm(factor(w > l) ~ FC.A...one. + tie + order + B.ville, binomial, cbind(g, D), method = "model.frame")
x14 <- glm(cbind(w, l) ~ 0 + FC.A...one. + tie + order + B.ville, binomial, cbind(g, D), x = TRUE, model = FALSE)
x15 <- glm(cbind(w, l) ~ 0 + FC.A...one. + tie + order + B.ville + I(FC.A...one. * as.numeric(home == "tie")), binomial, cbind(g, D))
