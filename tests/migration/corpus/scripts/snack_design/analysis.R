# One comparison a line.  Design by hand, model chosen by step()
snacks <- read.csv("snacks.csv", na.strings = "NA")
kinds <- c("apple", "biscuit", "crisps", "dates")
snacks$hungry <- factor(snacks$hungry, levels = c("no", "some", "very"))

X <- sapply(kinds, function(s) (snacks$left == s) - (snacks$right == s))
d <- data.frame(snacks[c("chose_left", "hungry", "person")], X)

## dates are the reference; the intercept is the left side
basic <- glm(chose_left ~ apple + biscuit + crisps, family = binomial, data = d)
summary(basic)
nointercept <- update(basic, . ~ . - 1)
anova(nointercept, basic, test = "Chisq")

## hunger: only rows where it is known, so that models can be compared
known <- subset(d, !is.na(hungry))
nrow(d) - nrow(known)
full <- glm(chose_left ~ (apple + biscuit + crisps) * hungry - hungry, family = binomial, data = known)
chosen <- step(full, trace = 0, scope = list(lower = ~ apple + biscuit + crisps))
formula(chosen)
coef(summary(chosen))
drop1(full, test = "Chisq")

## the middle level as the reference, then deviations from the mean of the levels
known$hungry <- relevel(known$hungry, ref = "some")
r1 <- glm(chose_left ~ apple + biscuit + crisps + crisps:hungry, binomial, known)
coef(r1)
contrasts(known$hungry) <- contr.sum(3)
r2 <- glm(chose_left ~ apple + biscuit + crisps + crisps:hungry, binomial, known)
coef(r2)
all.equal(deviance(r1), deviance(r2))
old <- options(contrasts = c("contr.helmert", "contr.poly"))
r3 <- glm(chose_left ~ apple + biscuit + crisps + crisps:hungry, binomial(link = "probit"), droplevels(subset(d, !is.na(hungry))))
print(r3)
options(old)

## what next?
new <- expand.grid(hungry = levels(d$hungry), crisps = 1, apple = -1, biscuit = 0)
new$p <- predict(full, new, type = "response")
new[order(new$p), ]
table(fitted = fitted(basic) > 0.5, seen = d$chose_left)
