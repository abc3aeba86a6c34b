# Trees of psychotree: in Python where pairproof finds the same splits, else R's own
library("psychotree")
data("Topmodel2007", package = "psychotree")
tree <- bttree(preference ~ ., data = Topmodel2007, minsize = 5, ref = "Barbara")
print(tree)
coef(tree)
round(worth(tree), 3)
logLik(tree)
AIC(tree)
deviance(tree)
BIC(tree)
plot(tree)
shallow <- bttree(preference ~ gender + age, data = Topmodel2007, maxdepth = 2, alpha = 0.1, bonferroni = FALSE)
robust <- bttree(preference ~ q1 + q2, data = Topmodel2007, vcov = "sandwich", ref = "Anja")
robust
worth(robust)
alone <- bttree(preference ~ gender, data = Topmodel2007, alpha = 1e-9)
coef(alone)
worth(alone)

# ties, gaps, levels that look like numbers, a factor with an order
n <- 120L
set.seed(7)
answers <- matrix(sample(c(1, 0, -1), 6L * n, TRUE, c(5, 2, 3)), n)
answers[1:40, 1:3] <- -answers[1:40, 1:3]
answers[5:9, 2] <- NA
d <- data.frame(group = factor(rep(c("2", "10", "x"), each = 40L)))
d$size <- factor(rep(c("small", "large", "middle"), 40L), levels = c("small", "middle", "large"), ordered = TRUE)
d$y <- paircomp(answers, labels = c("a", "b", "c", "d"))
d$old <- rep(c(TRUE, FALSE), 60L)
tied <- bttree(y ~ group + size, data = d, alpha = 0.2)
decided <- bttree(y ~ group, data = d, undecided = FALSE, alpha = 0.2)
firm <- bttree(y ~ group, data = d, undecided = FALSE, alpha = 0.001)
answers[answers == 0] <- NA
d$z <- paircomp(answers, labels = c("a", "b", "c", "d"), mscale = c(-1, 1))
gaps <- bttree(z ~ group, data = d, alpha = 0.001)
logical <- bttree(y ~ old, data = d)
trimmed <- bttree(y ~ group, data = d, trim = 0.2)
