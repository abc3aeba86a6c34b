# Who likes which beer?  psychotools, group by group
library("psychotools")

beer <- read.csv("beer.csv", stringsAsFactors = TRUE)
names <- c("Pils", "Weizen", "Stout", "Porter")

## columns stand as pils:weizen, pils:stout, pils:porter, ...; paircomp wants 1:2 1:3 2:3 1:4 2:4 3:4
answers <- as.matrix(beer[, 4:9])[, c(1, 2, 4, 3, 5, 6)]
beer$pref <- paircomp(answers, labels = names)
print(head(beer$pref, 3))
summary(beer$pref)

all.tasters <- btmodel(beer$pref)
summary(all.tasters)
itempar(all.tasters)
worth(all.tasters)

## the reference is the last; Pils is what everybody knows
pils <- btmodel(beer$pref, ref = "Pils")
coef(pils)
confint(pils)

groups <- split(beer$pref, beer$who)
models <- lapply(groups, btmodel, ref = "Pils")
t(sapply(models, worth))
sapply(models, function(m) as.numeric(logLik(m)))
G2 <- 2 * (sum(sapply(models, logLik)) - c(logLik(pils)))
pchisq(G2, df = 6, lower.tail = FALSE)

## older and younger than the median
old <- beer$age > median(beer$age)
by.age <- by(beer, old, function(d) btmodel(d$pref, ref = "Pils"))
lapply(by.age, coef)

## something of the tasters themselves, no comparison in it
summary(lm(age ~ who, data = beer))$r.squared

pdf(NULL)
plot(all.tasters, worth = TRUE)
invisible(dev.off())
