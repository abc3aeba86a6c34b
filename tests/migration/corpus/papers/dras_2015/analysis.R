# Dras (2015), Evaluating Human Pairwise Preference Judgments, section 5: the models in the order of the text.
# ModPref's counts are those that give the estimates printed; the judgments are the paper's Table 1, one line a round.
library(prefmod)

## one pair: preferences for +, for -, and none
## (llbt.design wants three items, so that its frame is written down)
one <- data.frame(y = c(61, 24, 35), mu = factor(1), o1 = c(1, 0, -1), o2 = c(-1, 0, 1), g1 = c(0, 1, 0))
single <- gnm(y ~ o1 + o2 + g1, eliminate = mu, data = one, family = poisson)
summary(single)
exp(2 * coef(single)["o1"])
binom.test(61, 61 + 35)$p.value

## several pairs: four systems, 160 rounds
judgments <- read.csv("judgments.csv")
multiple <- llbt.design(judgments, nitems = 4, cat.scovs = "judge")
ties <- gnm(y ~ o1 + o2 + o3 + o4 + g1, eliminate = mu:judge, data = multiple, family = poisson)
together <- llbt.design(judgments[1:6], nitems = 4)
m1 <- gnm(y ~ o1 + o2 + o3 + o4 + g1, eliminate = mu, data = together, family = poisson)
summary(m1)
m2 <- gnm(y ~ o1 + o2 + o3 + o4, eliminate = mu, data = together, family = poisson)
deviance(m2); df.residual(m2)
anova(m2, m1, test = "Chisq")

## judges as a covariate of subjects
subjects <- gnm(y ~ o1 + o2 + o3 + o4 + g1 + (o1 + o2 + o3 + o4):judge, eliminate = mu:judge,
                data = multiple, family = poisson)
summary(subjects)
anova(ties, subjects, test = "Chisq")
llbt.worth(subjects)
