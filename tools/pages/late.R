# Run before a script: functions that fit go on to their fixed point, each by its own algorithm. A tighter `epsilon` of
# glm would also loosen the rank of aliased columns, and leave the covariance a step early: glm starts again from its
# own solution instead.
local({
  put <- function(package, name, make) {
    if (!nzchar(system.file(package = package))) return()
    space <- asNamespace(package)
    plain <- get(name, space)
    unlockBinding(name, space)
    assign(name, make(plain), space)
  }
  put("stats", "glm.fit", function(plain) function(x, y, ..., start = NULL, etastart = NULL, mustart = NULL) {
    fit <- plain(x, y, ..., start = start, etastart = etastart, mustart = mustart)
    for (step in 1:6) fit <- plain(x, y, ..., start = ifelse(is.na(fit$coefficients), 0, fit$coefficients))
    fit
  })
  put("BradleyTerry2", "glmmPQL.control", function(plain) function(maxiter = 0, IWLSiter = 10, tol = 0, trace = FALSE)
    list(maxiter = 300, IWLSiter = IWLSiter, tol = 1e-14, trace = trace))
  put("brglm", "brglm.control", function(plain) function(...) plain(br.epsilon = 1e-15, br.maxit = 500))
  put("gnm", "gnmFit", function(plain) function(..., tolerance = 0) plain(..., tolerance = 1e-13))
})
