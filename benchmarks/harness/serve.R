## The R contenders, in the language of serve.py: prepare NAME FOLDER, time LOOPS, answer FOLDER, about.
## A contender is a function of the data that returns list(run =, answer =); only run() is under the clock, so that R's
## start, the reading of the data and the making of the design matrix are not.

vectors <- c("first", "second", "wins", "ties", "losses", "stratum", "x", "shape")

load_data <- function(folder) {
  d <- lapply(vectors, function(v) {
    file <- file.path(folder, paste0(v, ".f64"))
    readBin(file, "double", n = file.size(file) / 8, endian = "little")
  })
  names(d) <- vectors
  d$n_items <- d$shape[1]
  d$has_ties <- d$shape[2] == 1
  d$covariate <- c("none", "numeric", "factor")[d$shape[3] + 1]
  d$items <- sprintf("i%04d", seq_len(d$n_items))
  d
}

need <- function(...) for (package in c(...))
  if (!requireNamespace(package, quietly = TRUE))
    stop(structure(class = c("absent", "error", "condition"),
                   list(message = paste("R package", package, "is not installed"), call = NULL)))

## The LLBT as prefmod's llbt.design lays it out: three rows a comparison; +1 for the preferred item, -1 for the other; the
## last item is the reference. Column order: items, items by covariate, tie.
llbt_design <- function(d) {
  n <- length(d$first)
  k <- d$n_items - 1L
  sign <- c(1, 0, -1)
  z <- switch(d$covariate, none = matrix(1, n, 1), numeric = cbind(1, d$x[d$stratum]),
              factor = cbind(1, outer(d$stratum, seq_along(d$x)[-1L], "==") + 0))
  X <- matrix(0, 3L * n, k * ncol(z) + 1L)
  row <- rep(seq_len(n), each = 3L)
  s <- rep(sign, n)
  for (t in seq_len(ncol(z))) {
    value <- s * z[row, t]
    i <- d$first[row]; j <- d$second[row]
    has_i <- i <= k; has_j <- j <= k
    X[cbind(which(has_i), (t - 1L) * k + i[has_i])] <- value[has_i]
    X[cbind(which(has_j), (t - 1L) * k + j[has_j])] <- -value[has_j]
  }
  X[, ncol(X)] <- rep(c(0, 1, 0), n)
  colnames(X) <- paste0("p", seq_len(ncol(X)))  # llbt.fit prints with them and stops if two are alike
  list(y = as.vector(rbind(d$wins, d$ties, d$losses)), X = X, q = n, mu = gl(n, 3L))
}

## llbt.fit returns nothing and prints four decimals. Run in an environment whose print() looks at the numbers instead:
## the arithmetic is its own, and it is spared the printing.
prefmod_llbt.fit <- function(d) {
  need("prefmod")
  design <- llbt_design(d)
  seen <- NULL
  watching <- new.env(parent = environment(prefmod::llbt.fit))
  watching$print <- function(x, ...) seen <<- mget(c("bb", "se"), envir = parent.frame())
  fit <- prefmod::llbt.fit
  environment(fit) <- watching
  list(run = function() { fit(design$y, design$X, design$q, 3L); seen },
       answer = function(value) list(unname(value$bb), unname(value$se)))
}

gnm_summary <- function(d) {
  need("gnm")
  design <- llbt_design(d)
  gnm <- gnm::gnm
  list(run = function() summary(gnm(y ~ X - 1, eliminate = mu, family = poisson, data = design, verbose = FALSE)),
       answer = function(value) {
         table <- value$coefficients
         list(unname(table[, 1L]), unname(table[, 2L]))
       })
}

## llbtPC.fit takes raw answers, one row a judge and repetition, pairs in the order 12 13 23 14 ...; no standard errors
## unless summary() is asked, which the clock does not see here.
prefmod_llbtPC.fit <- function(d) {
  need("prefmod", "gnm")
  suppressMessages(library(gnm))
  answers <- raw_answers(d, c(0, 1, 2))
  frame <- as.data.frame(answers$matrix)
  k <- d$n_items - 1L
  judges <- length(d$x)
  formel <- if (d$covariate == "factor") ~JUDGE else ~1
  if (d$covariate == "factor") frame$JUDGE <- factor(answers$stratum)
  names <- paste0("i", seq_len(d$n_items))
  list(run = function() prefmod::llbtPC.fit(frame, d$n_items, formel = formel, elim = formel, resptype = "paircomp",
                                            obj.names = names, undec = TRUE),
       answer = function(value) {
         b <- coef(value)
         wanted <- names[seq_len(k)]
         if (d$covariate == "factor") wanted <- c(wanted, paste0(wanted, ":JUDGE", rep(2:judges, each = k)))
         wanted <- c(wanted, "U")  # undecided
         absent <- setdiff(wanted, names(b))
         if (length(absent)) stop("llbtPC.fit gave no ", absent[1L], "; it gave ", paste(names(b)[1:6], collapse = " "))
         list(unname(b[wanted]), numeric())
       })
}

psychotools_btmodel <- function(d) {
  need("psychotools")
  answers <- raw_answers(d, c(1, 0, -1))
  pc <- psychotools::paircomp(answers$matrix, labels = d$items, mscale = if (d$has_ties) -1:1 else c(-1L, 1L))
  list(run = function() psychotools::btmodel(pc, type = "loglin", ref = d$n_items, undecided = d$has_ties, vcov = TRUE),
       answer = function(value) {
         to_lambda <- c(rep(0.5, d$n_items - 1L), if (d$has_ties) 1)  # its items are in log-odds, 2 lambda
         list(unname(coef(value)) * to_lambda, unname(sqrt(diag(vcov(value)))) * to_lambda)
       })
}

## One row a judge and repetition, one column a pair; the answers of a cell in any order, since they are exchangeable.
raw_answers <- function(d, codes) {
  per_cell <- d$wins + d$ties + d$losses
  if (any(per_cell != per_cell[1L])) stop("raw answers need as many comparisons in every cell")
  m <- per_cell[1L]
  column <- (d$second - 1) * (d$second - 2) / 2 + d$first
  n_pairs <- d$n_items * (d$n_items - 1) / 2
  out <- matrix(NA_integer_, m * max(d$stratum), n_pairs)
  for (cell in seq_along(per_cell))
    out[(d$stratum[cell] - 1) * m + seq_len(m), column[cell]] <-
      as.integer(rep(codes, c(d$wins[cell], d$ties[cell], d$losses[cell])))
  list(matrix = out, stratum = rep(seq_len(max(d$stratum)), each = m))
}

BTm_summary <- function(d) {
  need("BradleyTerry2")
  frame <- data.frame(won = d$wins, lost = d$losses)
  frame$player1 <- factor(d$items[d$first], levels = d$items)
  frame$player2 <- factor(d$items[d$second], levels = d$items)
  list(run = function() summary(BradleyTerry2::BTm(cbind(won, lost), player1, player2, data = frame)),
       answer = function(value) list(unname(value$coefficients[, 1L]), unname(value$coefficients[, 2L])))
}

## The reference is the first item. HC0 with its cluster adjustment G / (G - 1) is CR1.
glm_vcovCL <- function(d) {
  need("sandwich")
  n <- length(d$first)
  X <- matrix(0, n, d$n_items)
  X[cbind(seq_len(n), d$first)] <- 1
  X[cbind(seq_len(n), d$second)] <- -1
  X <- X[, -1L]
  y <- cbind(d$wins, d$losses)
  list(run = function() {
         g <- glm(y ~ X - 1, family = binomial)
         list(coef(g), sandwich::vcovCL(g, cluster = d$stratum, type = "HC0"))
       },
       answer = function(value) list(unname(value[[1L]]), unname(sqrt(diag(value[[2L]])))))
}

## Yardstick: counting the rows and no fit.
table_alone <- function(d) {
  first <- d$items[d$first]; second <- d$items[d$second]
  outcome <- c("first", "tie", "second")[1 + d$ties + 2 * d$losses]
  list(run = function() table(first, second, outcome), answer = function(value) list(numeric(), numeric()))
}

contenders <- list(
  "prefmod llbt.fit" = prefmod_llbt.fit, "prefmod llbtPC.fit, no standard errors" = prefmod_llbtPC.fit,
  "gnm + summary" = gnm_summary, "psychotools btmodel" = psychotools_btmodel,
  "BradleyTerry2 BTm + summary" = BTm_summary, "glm + sandwich vcovCL" = glm_vcovCL, "R table() alone" = table_alone)

about <- function() {
  version <- function(p) if (nzchar(system.file(package = p))) as.character(packageVersion(p)) else ""
  packages <- c("prefmod", "gnm", "BradleyTerry2", "psychotools", "sandwich")
  paste(c(paste("R", getRversion()), extSoftVersion()[["BLAS"]], La_library(),
          paste(packages, vapply(packages, version, ""))), collapse = "\t")
}

ready <- NULL
last <- NULL

do <- function(verb, fields) switch(verb,
  prepare = { ready <<- last <<- NULL; ready <<- contenders[[fields[1L]]](load_data(fields[2L])); "" },
  time = {
    loops <- as.integer(fields[1L])
    invisible(gc(FALSE))
    before <- proc.time()
    for (k in seq_len(loops)) value <- ready$run()
    spent <- (proc.time() - before) / loops
    last <<- value
    sprintf("%.9f\t%.9f", sum(spent[c(1L, 2L, 4L, 5L)]), spent[3L])
  },
  answer = {
    numbers <- ready$answer(last)
    for (k in 1:2) writeBin(as.double(numbers[[k]]), file.path(fields[1L], c("estimate.f64", "se.f64")[k]), endian = "little")
    ""
  },
  about = about(),
  stop("unknown request ", verb))

one_line <- function(condition) gsub("[[:space:]]+", " ", conditionMessage(condition))
replies <- stdout()
requests <- file("stdin", open = "r")
while (length(line <- readLines(requests, n = 1L)) == 1L) {
  fields <- strsplit(line, "\t", fixed = TRUE)[[1L]]
  sink(nullfile())
  reply <- tryCatch(paste0("ok\t", suppressWarnings(do(fields[1L], fields[-1L]))),
                    absent = function(e) paste0("absent\t", one_line(e)),
                    error = function(e) paste0("error\t", one_line(e)))
  sink()
  cat(reply, "\n", sep = "")
  flush(stdout())
}
