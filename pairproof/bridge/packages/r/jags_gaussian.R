
text <- "model {
  for (s in 1:n_systems) { mu[s] ~ dnorm(0, pow(s0, -2)) }
  for (i in 1:n_items) { q[i] ~ dnorm(mu[author[i]], pow(sa, -2)) }
  for (k in 1:n) {
    gap[k] <- q[one[k]] - q[two[k]]
    p[k, 1] <- phi((d - gap[k]) / (sqrt(2) * so)) - phi((-d - gap[k]) / (sqrt(2) * so))
    p[k, 2] <- phi((gap[k] - d) / (sqrt(2) * so))
    p[k, 3] <- phi((-gap[k] - d) / (sqrt(2) * so))
    y[k] ~ dcat(p[k, ])
  }
}"
data <- list(n_systems = n_systems, n_items = length(author), n = length(one), author = author, one = one, two = two, y = outcome + 1L,
             s0 = s0, sa = sa, so = so, d = d)
draws_of <- run(text, data, "mu")
mu <- lapply(draws_of, function(m) m[, paste0("mu[", seq_len(n_systems), "]"), drop = FALSE])
list(ability = summarise(lapply(mu, function(m) m - rowMeans(m))), level = summarise(lapply(mu, function(m) matrix(rowMeans(m)))))
