# Where do people like to sit in a bus?  Rankings of four seats, by day and by night
library(PlackettLuce)
library(prefmod)

seats <- read.csv("seats.csv")
items <- names(seats)[3:6]
R <- as.rankings(seats[items])
print(R[1:3, ])

pl <- PlackettLuce(R)
coef(pl)
summary(pl, ref = "back")
qv <- qvcalc(pl)
summary(qv)

day <- seats$when == "day"
pl.day <- PlackettLuce(R[day, ])
pl.night <- PlackettLuce(R[!day, ])
round(cbind(day = coef(pl.day, log = FALSE), night = coef(pl.night, log = FALSE)), 3)
lr <- 2 * (logLik(pl.day) + logLik(pl.night) - logLik(pl))
cat("likelihood ratio", format(as.numeric(lr), digits = 6), "\n")

# prefmod's pattern model of the same rankings
seats$night <- ifelse(day, 1, 2)
patt <- pattR.fit(seats[c(items, "night")], nitems = 4, formel = ~ night, elim = ~ night, obj.names = items)
patt
patt.worth(patt)

# and what one learns from pairs alone: each ranking taken apart, winners first
pairs <- combn(items, 2)
long <- do.call(rbind, apply(pairs, 2, function(p) {
  data.frame(a = p[1], b = p[2], a.first = seats[[p[1]]] < seats[[p[2]]], when = seats$when)
}, simplify = FALSE))
counts <- aggregate(cbind(n = 1, wins = a.first) ~ a + b + when, data = transform(long, a.first = +a.first), FUN = sum)
library(BradleyTerry2)
counts$a <- factor(counts$a, levels = items)
counts$b <- factor(counts$b, levels = items)
bt <- by(counts, counts$when, function(z) BTm(cbind(wins, n - wins), a, b, id = "seat", data = z))
print(lapply(bt, coef))
attach(counts)
together <- BTm(cbind(wins, n - wins), a, b, id = "seat")
detach(counts)
summary(together)
rm(list = c("R", "qv"))
