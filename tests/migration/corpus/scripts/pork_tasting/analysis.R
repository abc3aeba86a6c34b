# Pork ham, tasted in pairs (the data of eba), and student preferences of CEMS universities
library(eba)
library(prefmod)
data(pork)
wins <- apply(pork, 1:2, sum)
items <- rownames(wins)
if (is.null(items)) items <- paste0("ham", 1:nrow(wins))
dimnames(wins) <- list(items, items)
btl <- eba(wins)
u <- coef(btl)
round(u / sum(u), 4)
-2 * (btl$logL.eba - btl$logL.sat)
strans(wins)

data(cemspc)
uni <- c("London", "Paris", "Milan", "StGallen", "Barcelona", "Stockholm")
res <- pattPC.fit(cemspc[, 1:6], nitems = 4, obj.names = uni[1:4])
res
w <- patt.worth(res)
w
order(w, decreasing = TRUE)
cat("best:", rownames(w)[which.max(w)], "with", round(max(w), 3), "\n")
est <- res$coefficients
length(est)
llbt <- llbtPC.fit(cemspc, nitems = 6, obj.names = uni)
lam <- coef(llbt)[1:5]
wl <- exp(2 * c(lam, 0))
round(wl / sum(wl), 3)
