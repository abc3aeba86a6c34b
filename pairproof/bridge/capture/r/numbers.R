## What is kept of a call's value: everything that a translation needs to fit the model again, and R's own
## numbers.
##
## Every fit (of those that the object has; NULL is left out):
##   class            class attribute
##   coef             estimates with R's names; of prefmod's pattern models the names that print shows
##   vcov             covariance matrix with dimnames       se            standard errors where no vcov is
##   loglik           log-likelihood                        loglik_df     its degrees of freedom
##   deviance         residual deviance                     df_residual   its degrees of freedom
##   null_deviance    deviance of the null model            df_null       its degrees of freedom
##   aic              as the object holds it                iter          iterations
##   converged        convergence flag                      rank          rank of the design
##   family           c(family, link)                       method        fitting method
##   na_action        rows left out (integers)
## glm, gnm, polr, brglm, BTm, glmer:
##   y                response as fitted                    prior_weights prior weights
##   offset           offset                                x             model matrix: dimnames, attr assign
##   assign           term of each column of x, from 0      terms         labels of the terms
##   contrasts        contrasts used                        xlevels       levels of factors used
##   eliminated       gnm's eliminated factor               frame         model frame, every column
##   formula          formula                               zeta          polr's thresholds
## BTm:
##   player1, player2 data frames of the contestants        id            name of the contestant factor
##   refcat           reference                             br            whether the bias is reduced
##   data             data as given                         random        whether effects are random
##   sigma            standard deviation of those           sigma_fixed   whether it was held
##   sigma_se         its standard error                    effects       random effects, by column of z
##   penalized_deviance  of a fit with reduced bias
##   separate         contestants with abilities of their own
##   z                random design
## btmodel:
##   labels, ref, undecided, position, type, weights, n     y             the paircomp
## pattPC.fit and its kin (pattMod):
##   ll               log-likelihood                        fl            that of the saturated model
##   code             code of nlm                           hessian       matrix; vcov is its inverse
##   minimum          nlm's minimum: minus the log-likelihood at the estimates (ll may be of another point)
##   obj_names, nobj, undec                                 of the call as it was understood
##   ia, ia_t, ni_test, ni, mis_common, mis_model, formel, elim; mis_alpha, mis_beta (masks)
## llbtPC.fit (a gnm): obj_names, nobj, undec too
## llbt.fit:
##   b                all coefficients, nuisance last       se            standard errors of the model's
##   dev, iter, p, q  deviance, iterations, numbers of parameters: of the model, nuisance
##   printed          the table it prints                   y, xmodel, ncat   as fitted
## pattnpml.fit (pattNPML):
##   seed_used        its default is the time of day        pis           masses of the classes
##   em_iter, em_converged, disparity, post_prob (probabilities of classes), mass_points
## PlackettLuce, pladmm:
##   ties, adherence, rankings, weights, conv, item_names, gamma, ranker; x of pladmm
##   normal           prior: mean and inverse covariance
## glmer:
##   theta            relative spreads                      varcorr       variances (data frame)
##   groups           numbers of levels of the factors
## eba and its kin:
##   goodness         -2 log-likelihood, df, p              data          counts y1 and their totals n
## bttree:
##   nodes            of each node kids, variable, breaks, left, n, loglik, coef, vcov, tests
##   frame            answers and covariates of the persons in it        response, covariates  their columns
## clogit, coxph:
##   y                times and states    x    model matrix    strata    of each row
## step: as the fit that it chose
##   anova            the path (data frame)
## Everything else (tables, designs, abilities):
##   value            the whole value

quietly <- function(expr) tryCatch(suppressWarnings(suppressMessages(expr)), error = function(e) NULL)

numbers <- function(v, key, frame, up) {
  found <- switch(key,
    "prefmod::llbt.fit" = numbers_of_llbt(v, frame),
    "psychotree::bttree" = numbers_of_tree(v),
    "prefmod::pattnpml.fit" = c(numbers_of_npml(v, frame), numbers_of_fit(v, up)),
    if (inherits(v, "pattMod")) numbers_of_patterns(v)
    else if (isS4(v) && inherits(v, "merMod")) numbers_of_mixed(v)
    else if (inherits(v, c("eba", "eba.order", "thurstone"))) numbers_of_eba(v)
    else if (is.list(v) && !is.data.frame(v) && !is.null(unclass(v)$coefficients)) numbers_of_fit(v, up)
    else list(value = v))
  found <- c(list(class = class(v)), found)
  there <- names(found) == "value" | lengths(found) > 0L
  lapply(found[there & !vapply(found, is.null, NA)], node)
}

plain_vector <- function(x) if (is.numeric(x)) stats::setNames(as.numeric(x), names(x))

plain_matrix <- function(x) {
  if (is.null(x) || length(dim(x)) != 2L) return(NULL)
  matrix(as.numeric(x), nrow(x), ncol(x), dimnames = dimnames(x))
}

log_likelihood <- function(v) {
  found <- quietly(stats::logLik(v))
  list(loglik = if (!is.null(found)) as.numeric(found), loglik_df = as.numeric(attr(found, "df")))
}

## Whether the data argument of a fit's call may be evaluated once more.
may_repeat <- function(v, up) {
  call <- unclass(v)$call
  if (!is.call(call)) return(FALSE)
  harmless(as.list(call)$data, sys.frame(up), up)
}

numbers_of_fit <- function(v, up) {
  bare <- unclass(v)
  found <- c(
    list(coef = plain_vector(quietly(unclass(stats::coef(v)))), vcov = covariance(v, up)),
    log_likelihood(v),
    list(
      deviance = as.numeric(quietly(stats::deviance(v))),
      df_residual = as.numeric(quietly(stats::df.residual(v))),
      null_deviance = bare$null.deviance, df_null = bare$df.null, aic = bare$aic, iter = bare$iter,
      converged = bare$converged, rank = bare$rank,
      family = if (inherits(bare$family, "family")) c(bare$family$family, bare$family$link),
      method = if (is.character(bare$method)) bare$method, na_action = as.integer(bare$na.action)))
  if (inherits(v, c("BTm", "BTglmmPQL"))) found <- c(found, design_of(v, up), contestants_of(v))
  else if (inherits(v, c("glm", "gnm", "polr"))) found <- c(found, design_of(v, up), understood(bare$envList))
  else if (inherits(v, "btmodel")) found <- c(found, parts_of(bare, c(
    "labels", "ref", "undecided", "position", "type", "weights", "n", "y")))
  else if (inherits(v, c("PlackettLuce", "PLADMM"))) found <- c(found, parts_of(bare, c(
    "ties", "adherence", "rankings", "weights", "conv", "x", "gamma", "normal", "ranker")),
    list(item_names = colnames(bare$rankings)))
  else if (inherits(v, "coxph") && may_repeat(v, up)) found <- c(found, list(
    y = plain_matrix(bare$y), x = plain_matrix(quietly(stats::model.matrix(v))), strata = strata_of(v)))
  if (is.data.frame(bare$anova)) found$anova <- bare$anova
  found
}

## NULL where the likelihood, or the covariance, is another than that of the choices in the strata.
strata_of <- function(v) {
  frame <- quietly(stats::model.frame(v))
  own <- grep("strata(", names(frame), fixed = TRUE)
  other <- inherits(v, "coxph.penal") || !is.null(v$naive.var) || !is.null(v$weights) || ncol(v$y) != 2L ||
    !is.null(stats::model.offset(frame))
  if (length(own) == 1L && !other) as.character(frame[[own]])
}

parts_of <- function(bare, names) unclass(bare)[intersect(names, base::names(bare))]

covariance <- function(v, up) {
  if (inherits(v, "polr") && is.null(unclass(v)$Hessian)) {     # fits again, by its call in the same frame
    if (!may_repeat(v, up)) return(NULL)
    return(plain_matrix(quietly(eval(as.call(list(stats::vcov, v)), sys.frame(up)))))
  }
  plain_matrix(quietly(stats::vcov(v)))
}

design_of <- function(v, up) {
  bare <- unclass(v)
  again <- may_repeat(v, up)
  x <- bare$x
  frame <- bare$model
  if (is.null(frame) && again) frame <- quietly(stats::model.frame(v))
  if (!is.matrix(x) && (!is.null(frame) || again)) x <- quietly(stats::model.matrix(v))
  response <- if (is.data.frame(frame)) quietly(stats::model.response(frame))
  list(
    y = if (is.null(bare$y)) response else bare$y, prior_weights = bare$prior.weights, offset = bare$offset,
    x = x,
    assign = if (is.null(bare$assign)) attr(x, "assign") else bare$assign,
    terms = if (!is.null(bare$term.labels)) bare$term.labels
            else quietly(attr(stats::terms(v), "term.labels")),
    contrasts = bare$contrasts, xlevels = bare$xlevels, eliminated = bare$eliminate,
    frame = if (is.data.frame(frame)) frame, formula = quietly(stats::formula(v)), zeta = bare$zeta)
}

contestants_of <- function(v) {
  bare <- unclass(v)
  c(parts_of(bare, c("player1", "player2", "id", "refcat", "data")), list(
    br = inherits(v, "brglm"), random = !is.null(bare$random), z = bare$random,
    sigma = bare$sigma, sigma_se = if (!is.null(bare$varSigma)) sqrt(bare$varSigma),
    effects = attr(bare$coefficients, "random"), sigma_fixed = bare$sigma.fixed,
    separate = bare$separate.ability, penalized_deviance = bare$penalized.deviance))
}

## What prefmod's functions made of their arguments.
understood <- function(heard) {
  if (is.null(heard)) return(NULL)
  list(
    obj_names = heard$obj.names, nobj = heard$nobj, undec = heard$undec, ia = heard$ia, ia_t = heard$iaT,
    ni_test = heard$NItest, ni = heard$NI, mis_common = heard$MIScommon, mis_model = heard$MISmod,
    mis_alpha = if (isTRUE(heard$MISalpha)) heard$Malph, mis_beta = if (isTRUE(heard$MISbeta)) heard$Mbeta,
    formel = heard$formel, elim = heard$elim)
}

numbers_of_llbt <- function(v, frame) {
  p <- frame$p
  list(
    coef = stats::setNames(as.numeric(frame$b[seq_len(p)]), rownames(v)), b = as.numeric(frame$b),
    se = as.numeric(frame$se), dev = frame$dev, deviance = frame$dev, iter = frame$iter, p = p, q = frame$q,
    df_residual = length(frame$y) - p - frame$q, y = frame$y, xmodel = frame$Xmodel, ncat = frame$ncat,
    printed = as.data.frame(unclass(v)))
}

numbers_of_tree <- function(v) {
  kept <- names(v$data)
  nodes <- partykit::nodeapply(v, partykit::nodeids(v), function(n) {
    about <- partykit::info_node(n)
    split <- partykit::split_node(n)
    list(
      kids = vapply(partykit::kids_node(n), partykit::id_node, 1L), breaks = as.numeric(split$breaks),
      variable = if (!is.null(split)) kept[split$varid], left = split$index, n = as.numeric(about$nobs),
      loglik = -about$objfun, coef = plain_vector(about$coefficients), tests = plain_matrix(about$test),
      vcov = plain_matrix(quietly(stats::vcov(about$object))))
  })
  covariates <- attr(v$info$terms$partitioning, "term.labels")
  c(log_likelihood(v), list(
    nodes = unname(nodes), frame = v$data, response = kept[1L], covariates = covariates))
}

numbers_of_npml <- function(v, frame) {
  bare <- unclass(v)
  list(
    seed_used = frame$seed, pis = bare$masses, em_iter = bare$EMiter, em_converged = bare$EMconverged,
    disparity = bare$disparity, post_prob = bare$post.prob, mass_points = bare$mass.points,
    design = frame$dat)
}

numbers_of_patterns <- function(v) {
  bare <- unclass(v)
  estimates <- as.numeric(bare$coefficients)
  shown <- quietly(utils::capture.output(print(v)))
  head <- grep("^ +estimate +se ", shown)
  rows <- if (length(head) == 1L) shown[-seq_len(head)]             # name, estimate, se, z, p
  if (length(rows) == length(estimates)) names(estimates) <- sub(" .*", "", rows)
  hessian <- bare$result$hessian
  inverse <- if (!is.null(hessian)) quietly(solve(hessian))
  labels <- names(estimates)
  if (!is.null(inverse) && !is.null(labels)) dimnames(inverse) <- list(labels, labels)
  c(list(
    coef = estimates, vcov = inverse, hessian = hessian, ll = bare$ll, fl = bare$fl, loglik = bare$ll,
    minimum = bare$result$minimum, code = bare$result$code, iter = bare$result$iterations),
    understood(bare$envList))
}

numbers_of_mixed <- function(v) {
  frame <- quietly(stats::model.frame(v))
  spread <- quietly(as.data.frame(lme4::VarCorr(v)))
  c(list(coef = quietly(lme4::fixef(v)), vcov = plain_matrix(quietly(as.matrix(stats::vcov(v))))),
    log_likelihood(v),
    list(
      deviance = quietly(as.numeric(stats::deviance(v))), df_residual = quietly(stats::df.residual(v)),
      family = quietly(unlist(stats::family(v)[c("family", "link")], use.names = FALSE)), theta = v@theta,
      varcorr = spread, groups = quietly(lme4::ngrps(v)), y = quietly(v@resp$y),
      prior_weights = quietly(v@resp$weights), offset = quietly(v@resp$offset),
      x = quietly(lme4::getME(v, "X")),
      frame = frame,
      terms = quietly(attr(stats::terms(v), "term.labels")), formula = quietly(stats::formula(v))))
}

numbers_of_eba <- function(v) {
  bare <- unclass(v)
  estimates <- if (is.null(bare$estimate)) bare$coefficients else bare$estimate
  counts <- if (!is.null(bare$y1)) list(y1 = bare$y1, n = bare$n)
  c(list(
    coef = plain_vector(estimates), vcov = plain_matrix(quietly(stats::vcov(v))), se = plain_vector(bare$se)),
    log_likelihood(v), list(goodness = bare$goodness.of.fit, data = counts))
}
