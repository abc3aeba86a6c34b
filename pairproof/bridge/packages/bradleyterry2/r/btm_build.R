
here <- environment()
named <- function(value, name) { assign(name, value, envir = here); as.name(name) }
said <- function(value, name) if (inherits(value, "formula")) value[[2L]] else if (is.language(value) || is.null(value)) value else named(value, name)
player <- function(value, name) {
  if (!is.list(value) || is.data.frame(value)) return(said(value, name))
  as.call(c(quote(data.frame), Map(said, value, paste0(name, ".", names(value)))))
}
arguments_of <- function(given, data, k) {
  name <- function(what) paste0(".", what, k)
  outcome <- given$outcome
  a <- list(outcome = if (is.numeric(outcome) && length(outcome) == 1L) outcome else said(outcome, name("outcome")),
            player1 = player(given$player1, name("player1")), player2 = player(given$player2, name("player2")),
            formula = given$formula, id = given$id, separate.ability = given$separate.ability, refcat = given$refcat,
            family = bquote(stats::binomial(link = .(given$link))), data = if (!is.null(data)) named(data, name("data")))
  for (what in c("weights", "subset", "offset", "start", "etastart", "mustart")) a[[what]] <- said(given[[what]], name(what))
  if (isTRUE(given$br)) a$br <- TRUE
  if (!is.null(given$na.action)) a$na.action <- as.name(given$na.action)
  a$contrasts <- given$contrasts
  if (!is.null(given$epsilon) || !is.null(given$maxit)) {
    stop_at <- list(given$epsilon, given$maxit)
    if (isTRUE(given$br)) a$control.brglm <- as.call(c(quote(brglm::brglm.control), stats::setNames(stop_at, c("br.epsilon", "br.maxit"))[lengths(stop_at) > 0L]))
    else a$control <- as.call(c(quote(stats::glm.control), stats::setNames(stop_at, c("epsilon", "maxit"))[lengths(stop_at) > 0L]))
  }
  if (isTRUE(given$refit)) a$x <- TRUE
  c(a[lengths(a) > 0L], given$pql)
}
btm <- function(given, data, k = "") eval(as.call(c(quote(BradleyTerry2::BTm), arguments_of(given, data, k))), here)
