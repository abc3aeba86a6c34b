
d <- covariates
d$preference <- if (is.null(labels)) preference else psychotools::paircomp(preference, labels = labels)
control <- list(alpha = alpha, bonferroni = bonferroni, minsize = minsize, maxdepth = maxdepth, vcov = vcov, breakties = breakties)
mob <- partykit::mob                              # psychotree calls it where it is called itself
given <- c(list(formula = quote(formula), data = quote(d), type = type, ref = ref, undecided = undecided), control)
tree <- eval(as.call(c(quote(psychotree::bttree), given[lengths(given) > 0L])))
kept <- names(tree$data)
nodes <- partykit::nodeapply(tree, ids = partykit::nodeids(tree), FUN = function(n) {
  about <- partykit::info_node(n)
  s <- partykit::split_node(n)
  kids <- vapply(partykit::kids_node(n), partykit::id_node, 1L)
  test <- about$test
  list(id = partykit::id_node(n), kids = as.integer(kids), variable = if (!is.null(s)) kept[s$varid] else "", breaks = as.numeric(s$breaks),
       left = as.integer(s$index), n = about$nobs, loglik = -about$objfun, p = if (is.null(about$p.value)) NA_real_ else about$p.value,
       names = as.character(names(about$coefficients)), coef = as.numeric(about$coefficients),
       vcov = matrix(as.numeric(stats::vcov(about$object)), length(about$coefficients)), tested = as.character(colnames(test)),
       statistic = as.numeric(test["statistic", ]), p_value = as.numeric(test["p.value", ]))
})
levels_of <- lapply(tree$data[setdiff(kept, "preference")], function(v) as.character(levels(v)))
list(nodes = unname(nodes), levels = levels_of, labels = labels(d$preference), loglik = as.numeric(stats::logLik(tree)), df = attr(stats::logLik(tree), "df"),
     member = as.integer(stats::predict(tree, type = "node")))
