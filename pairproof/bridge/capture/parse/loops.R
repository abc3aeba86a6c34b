## Variables whose values tell the evaluations of a call apart, and strings that may name files.

## Of `for`, of functions written inside a call, and of functions of the script that are given to a call by name.
tell_loops <- function() {
  variables <- unlist(lapply(at[d$token == "FOR"], loop_variable))
  by_name <- list()
  for (f in at[d$token %in% function_tokens]) {
    outer <- at[f]
    if (is_naming(outer)) by_name[[target_name(outer)]] <- formals_of(f)
    else if (!is.na(outer)) variables <- c(variables, formals_of(f))
  }
  symbols <- which(d$token == "SYMBOL" & bare(d$text) %in% names(by_name))
  is_target <- function(i) is_naming(at[at[i]]) && target_of(at[at[i]]) == at[i]
  given <- symbols[!vapply(symbols, is_target, NA)]
  for (f in unique(bare(d$text[given]))) variables <- c(variables, by_name[[f]])
  for (v in setdiff(unique(variables), "...")) said(type = "loop", name = v)
}

tell_strings <- function() {
  found <- unique(d$text[d$token == "STR_CONST"])
  plain <- nchar(found) < 1000L & grepl("^[\"'][^\"'\\\\]+[\"']$", found) & grepl("[./]", found)
  for (s in utils::head(found[plain], 2000L)) said(type = "string", text = substr(s, 2L, nchar(s) - 1L))
}
