
seen <- NULL
watching <- new.env(parent = environment(prefmod::llbt.fit))
watching$print <- function(x, ...) { seen <<- as.list.environment(parent.frame()); base::print(x, ...) }
llbt.fit <- prefmod::llbt.fit
environment(llbt.fit) <- watching
printed <- llbt.fit(y = y, Xmodel = Xmodel, q = q, ncat = ncat, maxiter = maxiter)
absent <- setdiff(c("b", "se", "p", "q", "dev", "iter", "y"), names(seen))
if (length(absent)) stop("llbt.fit is not the function this was written for; it has no ", paste(absent, collapse = ", "))
estimate <- unname(seen$b[seq_len(seen$p)])
se <- unname(seen$se)
if (!identical(round(estimate, 4), printed[[1L]]) || !identical(round(se, 4), printed[[2L]]))
  stop("the numbers seen in llbt.fit do not round to those it printed")
list(names = rownames(printed), estimate = estimate, se = se, deviance = seen$dev,
     df = length(seen$y) - seen$p - seen$q, iterations = seen$iter, printed = unclass(as.matrix(printed)))
