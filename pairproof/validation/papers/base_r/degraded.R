
p <- vapply(split(seq_along(original), annotator), function(i) {
  d <- original[i] - degraded[i]
  exact <- length(d) < 50 && all(d != 0) && !anyDuplicated(abs(d))
  stats::wilcox.test(original[i], degraded[i], paired = TRUE, alternative = "greater", exact = exact)$p.value
}, 0)
list(p = unname(p))
