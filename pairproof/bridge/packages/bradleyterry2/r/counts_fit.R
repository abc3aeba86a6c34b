
contestants <- function(player, home) {
  d <- data.frame(player = player)
  if (!is.null(home)) d$at.home <- home
  d
}
p1 <- contestants(player1, home1)
p2 <- contestants(player2, home2)
model <- if (is.null(home1)) ~ player else ~ player + at.home
control <- if (again) stats::glm.control() else stats::glm.control(epsilon = epsilon, maxit = maxit)
arguments <- list(cbind(win1, win2), p1, p2, formula = model, id = "player", x = TRUE, br = br)
if (!is.null(refcat)) arguments$refcat <- refcat
if (!br) arguments$control <- control
fit <- do.call(BradleyTerry2::BTm, arguments)
