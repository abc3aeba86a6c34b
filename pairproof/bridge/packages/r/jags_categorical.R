
levels_of <- seq_len(n_levels)
seen <- outer(levels_of, levels_of, function(l, o) dnorm(o, l, so))
seen <- seen / rowSums(seen)
gap <- outer(levels_of, levels_of, "-")
table_of <- function(found) seen %*% found %*% t(seen)
K <- array(c(table_of(abs(gap) <= radius), table_of(gap > radius), table_of(gap < -radius)), c(n_levels, n_levels, 3))
text <- "model {
  for (s in 1:n_systems) { theta[s, 1:L] ~ ddirch(prior) }
  for (i in 1:n_items) { lambda[i] ~ dcat(theta[author[i], ]) }
  for (k in 1:n) { y[k] ~ dcat(K[lambda[one[k]], lambda[two[k]], ]) }
}"
data <- list(n_systems = n_systems, n_items = length(author), n = length(one), author = author, one = one, two = two, y = outcome + 1L,
             L = n_levels, prior = rep(concentration, n_levels), K = K)
draws_of <- run(text, data, "theta")
columns <- function(s) paste0("theta[", s, ",", levels_of, "]")
preference <- function(m) do.call(cbind, lapply(seq_along(pair_one), function(k) {
  a <- m[, columns(pair_one[k])]; b <- m[, columns(pair_two[k])]
  sapply(1:3, function(p) rowSums((a %*% K[, , p]) * b))
}))
summarise(lapply(draws_of, preference))
