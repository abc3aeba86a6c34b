# ---- every possible answer, as comparisons in the order (1 2)(1 3)(2 3)(1 4)...: 1 first, 0 neither, -1 second, 9 no answer
pair <- do.call(rbind, lapply(2:J, function(j) cbind(seq_len(j - 1L), j)))
C <- nrow(pair)
compared <- function(x) sign(x[, pair[, 2L], drop = FALSE] - x[, pair[, 1L], drop = FALSE])
arranged <- function(n) {
  if (n == 1L) return(matrix(1, 1L, 1L))
  p <- arranged(n - 1L)
  do.call(rbind, lapply(seq_len(n), function(k) cbind(p + (p >= k), k, deparse.level = 0L)))
}
every <- function(values, n) unname(as.matrix(expand.grid(rep(list(values), n))))
category <- if (ternary) c(1, 0, -1) else c(1, -1)
q <- nrow(design) / groups
spaces <- at <- in_group <- rows_of <- weight <- told <- list()
add <- function(space, g, rows, w, data = TRUE) {
  k <- length(at) + 1L
  at[[k]] <<- space; in_group[[k]] <<- g; rows_of[[k]] <<- rows; weight[[k]] <<- w; told[[k]] <<- data
}
known <- answers != 9
if (kind == "choices") {
  # ---- rankings by choices: from the items left, a set of 1 or of a number that can tie
  sizes <- c(1, orders)
  named <- character()
  of_left <- function(left) {
    key <- paste(left, collapse = " ")
    if (!key %in% named) {
      sets <- do.call(c, lapply(sizes[sizes <= length(left)], function(d) utils::combn(length(left), d, simplify = FALSE)))
      S <- t(vapply(sets, function(set) {
        s <- numeric(q)
        s[left[set]] <- 1 / length(set)
        if (length(set) > 1L) s[q - length(orders) + match(length(set), orders)] <- 1
        s
      }, numeric(q)))
      named <<- c(named, key)
      spaces[[length(named)]] <<- list(S = S, sets = vapply(sets, function(set) paste(left[set], collapse = " "), ""))
    }
    match(key, named)
  }
  choose_from <- function(g, left, chosen, w, data) {
    space <- of_left(left)
    add(space, g, match(paste(chosen, collapse = " "), spaces[[space]]$sets), w, data)
  }
  for (i in seq_along(n)) {
    left <- which(presented[i, ] == 1)
    while (length(left) > 1L && any(ranks[i, left] > 0)) {
      best <- min(ranks[i, left][ranks[i, left] > 0])
      chosen <- left[ranks[i, left] == best]
      choose_from(group[i], left, chosen, n[i], TRUE)
      left <- setdiff(left, chosen)
    }
  }
  # Pseudo-comparisons: every item wins and loses against a hypothetical one.
  if (pseudo > 0) for (j in seq_len(J)) for (winner in c(j, J + 1L)) choose_from(1L, c(j, J + 1L), winner, pseudo, FALSE)
  spaces <- lapply(spaces, `[[`, "S")
} else if (kind == "apart") {
  # ---- comparisons that do not depend on each other: each is an answer of its own
  for (k in seq_len(C)) {
    S <- matrix(0, length(category), q)
    S[, k] <- category
    if (ternary) S[category == 0, C + k] <- 1
    spaces[[k]] <- S
    for (g in seq_len(groups)) for (row in seq_along(category)) {
      w <- sum(n[group == g & answers[, k] == category[row]])
      if (w > 0) add(k, g, row, w)
    }
  }
} else {
  once <- switch(kind, rankings = compared(arranged(J)), ratings = unique(compared(every(seq_len(places), J))), every(category, C))
  statistics_of <- function(y) cbind(y, if (ternary) y == 0, y[, depends[, 1L], drop = FALSE] * y[, depends[, 2L], drop = FALSE])
  combined <- every(seq_len(nrow(once)), times)
  over_times <- function(x) do.call(cbind, lapply(seq_len(times), function(t) x[combined[, t], , drop = FALSE]))
  whole <- over_times(once)
  S <- over_times(statistics_of(once))
  if (times > 1L) {
    earlier <- seq_len(C * (times - 1L))
    S <- cbind(S, whole[, earlier, drop = FALSE] * whole[, C + earlier, drop = FALSE])
  }
  if (gaps) {
    # ---- answers and gaps together: r is 1 where a comparison is missing
    r <- every(c(0, 1), C)
    y <- rep(seq_len(nrow(whole)), each = nrow(r))
    r <- r[rep(seq_len(nrow(r)), nrow(whole)), , drop = FALSE]
    touches <- outer(seq_len(C), seq_len(J), function(k, j) as.numeric(pair[k, 1L] == j | pair[k, 2L] == j))
    product <- if (coded) (r %*% touches) * whole[y, seq_len(J), drop = FALSE] else r * whole[y, , drop = FALSE]
    S <- cbind(S[y, , drop = FALSE], r, product)
    whole <- ifelse(r == 1, 9, whole[y, , drop = FALSE])
  }
  # ---- rankings of some of the items: the orders of these items alone
  sets <- if (times == 1L && kind == "rankings") apply(presented, 1L, paste, collapse = " ") else rep("", length(n))
  for (s in unique(sets)) {
    here <- which(sets == s)
    table <- whole
    space <- S
    if (s != "" && any(presented[here[1L], ] == 0)) {
      inside <- presented[here[1L], pair[, 1L]] == 1 & presented[here[1L], pair[, 2L]] == 1
      table[, !inside] <- 9
      space[, !inside] <- 0
      kept <- !duplicated(table)
      table <- table[kept, , drop = FALSE]
      space <- space[kept, , drop = FALSE]
    }
    spaces[[length(spaces) + 1L]] <- space
    turned <- t(table)
    for (i in here) {
      asked <- if (gaps) rep(TRUE, ncol(answers)) else known[i, ]
      add(length(spaces), group[i], which(colSums(turned[asked, , drop = FALSE] != answers[i, asked]) == 0), n[i])
    }
  }
}
if (any(lengths(rows_of) == 0L)) stop("an answer is none of the possible ones")
at <- unlist(at); in_group <- unlist(in_group); weight <- unlist(weight); told <- unlist(told)
