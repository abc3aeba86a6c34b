## The parser's tree of one script: `d`, a row a node (getParseData); nodes are named by their row.

n <- nrow(d)
at <- match(d$parent, d$id)                        # row of the parent; NA at the top
children <- split(seq_len(n), factor(at, levels = seq_len(n)))
tops <- which(is.na(at) & !d$token %in% c("COMMENT", "';'"))

kids <- function(i) children[[i]]
tokens <- function(i) d$token[children[[i]]]
has <- function(i, ...) any(tokens(i) %in% c(...))
exprs <- function(i) {
  k <- kids(i)
  k[d$token[k] %in% c("expr", "expr_or_assign_or_help", "equal_assign")]
}
last_of <- function(rows) rows[length(rows)]
bare <- function(text) gsub("^`|`$", "", text)

## Number of the top-level expression of each node.
top_of <- vapply(seq_len(n), function(i) {
  while (!is.na(at[i])) i <- at[i]
  match(i, tops)
}, 1L)

## --- the text of a node, as language ---------------------------------------------------------------------------

## R counts columns: a tabulator ends at the next multiple of 8.
columns_of <- new.env()
letter_at <- function(line, column, last) {
  if (!grepl("\t", lines[line], fixed = TRUE)) return(column)
  key <- as.character(line)
  if (is.null(columns_of[[key]])) {
    tabs <- strsplit(lines[line], "")[[1L]] == "\t"
    step <- function(at, tab) if (tab) 8L * ((at + 8L) %/% 8L) else at + 1L
    columns_of[[key]] <- Reduce(step, tabs, 0L, accumulate = TRUE)[-1L]
  }
  columns <- columns_of[[key]]
  if (last) sum(columns <= column) else sum(columns < column) + 1L
}

source_of <- function(i) {
  first <- d$line1[i]; last <- d$line2[i]
  from <- letter_at(first, d$col1[i], FALSE); to <- letter_at(last, d$col2[i], TRUE)
  if (first == last) return(substring(lines[first], from, to))
  between <- lines[seq_len(last - first - 1L) + first]
  paste(c(substring(lines[first], from), between, substring(lines[last], 1L, to)), collapse = "\n")
}

language <- new.env()
language_of <- function(i) {
  key <- as.character(i)
  if (is.null(language[[key]]))
    language[[key]] <- list(tryCatch(str2lang(source_of(i)), error = function(e) NULL))
  language[[key]][[1L]]
}

## --- kinds of nodes --------------------------------------------------------------------------------------------

function_tokens <- c("FUNCTION", "'\\\\'")
is_function <- function(i) has(i, function_tokens)
is_loop <- function(i) has(i, "FOR", "WHILE", "REPEAT")
is_assignment <- function(i) has(i, "LEFT_ASSIGN", "EQ_ASSIGN", "RIGHT_ASSIGN")
is_pipe <- function(i) has(i, "PIPE") || any(d$text[kids(i)] %in% c("%>%", "%T>%"))

target_of <- function(i) if (has(i, "RIGHT_ASSIGN")) last_of(exprs(i)) else exprs(i)[1L]
target_name <- function(i) place_of(language_of(target_of(i)))
## Whether a function is given a name: f <- function(...) ...; i is the node around the function.
is_naming <- function(i) !is.na(i) && has(i, "LEFT_ASSIGN", "EQ_ASSIGN")

## Row of the name of the function that a call calls; NA if i is no call, or calls no name.
head_of <- function(i) {
  k <- kids(i)
  if (length(k) < 2L || d$token[k[1L]] != "expr" || !any(d$token[k] == "'('")) return(NA_integer_)
  h <- kids(k[1L])
  h[d$token[h] == "SYMBOL_FUNCTION_CALL"][1L]
}
function_name <- function(i) {
  h <- head_of(i)
  if (is.na(h)) "" else bare(d$text[h])
}
formals_of <- function(i) bare(d$text[kids(i)[tokens(i) == "SYMBOL_FORMALS"]])
loop_variable <- function(i) {
  k <- unlist(lapply(kids(i)[tokens(i) == "forcond"], kids))
  bare(d$text[k[d$token[k] == "SYMBOL"]])
}
