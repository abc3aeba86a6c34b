
watching <- new.env(parent = environment(MASS::polr))
watching$optim <- function(par, fn, gr, ..., hessian = FALSE) {
  best <- stats::optim(par, fn, gr, ..., hessian = hessian)
  if (!polish) return(best)
  curvature <- function(at) stats::optimHess(at, fn, function(p) as.numeric(gr(p)), control = list(ndeps = rep(step, length(at))))
  for (i in 1:4) best$par <- best$par - solve(curvature(best$par), as.numeric(gr(best$par)))
  best$value <- fn(best$par)
  best$hessian <- curvature(best$par)
  best
}
own <- function(f) { environment(f) <- watching; f }
watching$polr.fit <- own(get("polr.fit", envir = environment(MASS::polr)))
