
d <- first - again
s <- as.numeric(tapply(d, annotator, function(x) sqrt(mean(x^2) / 2)))
n <- as.numeric(table(annotator))
list(sd = s, low = s * sqrt(n / stats::qchisq((1 + level) / 2, n)), high = s * sqrt(n / stats::qchisq((1 - level) / 2, n)))
