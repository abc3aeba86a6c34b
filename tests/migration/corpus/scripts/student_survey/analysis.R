# Lecture (L), seminar (S), project (P), online (O): 90 students, six comparisons each
library(prefmod)

survey <- read.csv("survey.csv")
colSums(is.na(survey))
ways <- c("L", "S", "P", "O")

## 1. log-linear Bradley-Terry model with undecided answers; women and men
des <- llbt.design(survey, nitems = 4, objnames = ways, cat.scovs = "gender")
head(des)
m0 <- gnm(y ~ L + S + P + O + g1, eliminate = mu:gender, data = des, family = poisson)
m1 <- update(m0, . ~ . + (L + S + P + O):gender)
summary(m0)
anova(m0, m1, test = "Chisq")
m1

## 2. an attribute of the ways: with people in a room or not
room <- data.frame(room = c(1, 1, 1, 0))
des2 <- llbt.design(survey, nitems = 4, objnames = ways, objcovs = room)
gnm(y ~ room + g1, eliminate = mu, data = des2, family = poisson)

## 3. the same by the package's own function
lc <- llbtPC.fit(survey, nitems = 4, formel = ~ gender, elim = ~ gender, obj.names = ways)
lc
llbt.worth(lc)

## 4. patterns: a person's six answers together, missing ones too
complete <- na.omit(survey)
p0 <- pattPC.fit(complete, nitems = 4, formel = ~ 1, elim = ~ gender, obj.names = ways)
p1 <- pattPC.fit(complete, nitems = 4, formel = ~ gender, elim = ~ gender, obj.names = ways)
p1
chi <- 2 * (p1$ll - p0$ll)
df <- length(coef(p1$result)) - length(coef(p0$result))
cat("gender: chi-squared", format(chi, digits = 5), "\n")
patt.worth(p1)

withNA <- pattPC.fit(survey[, 1:6], nitems = 4, obj.names = ways, undec = FALSE)
withNA
