
won <- n[, , 2]
k <- nrow(won)
tie <- rowSums(n[, , 1]); win <- rowSums(won); loss <- rowSums(n[, , 3])
share <- won / (won + t(won))
scores <- cbind((win + tie) / (win + tie + loss), win / (win + loss), rowMeans(share, na.rm = TRUE))
orders <- function(x) if (length(x) == 1L) list(x) else do.call(c, lapply(seq_along(x), function(i) lapply(orders(x[-i]), function(rest) c(x[i], rest))))
# pays[t, s]: what it costs to put t below s
cost <- function(o, pays) { m <- pays[o, o]; sum(m[lower.tri(m)]) }
pays <- list(pmax(won - t(won), 0), -log(pbeta(0.5, 1 + t(won), 1 + won, lower.tail = FALSE)))
every <- orders(seq_len(k))
list(scores = scores, cheapest = vapply(pays, function(p) min(vapply(every, cost, 0, p)), 0), paid = c(cost(lopez, pays[[1]]), cost(probable, pays[[2]])))
