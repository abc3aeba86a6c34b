# Fits in the tidyverse: columns and rows of their tables, lists of them, a fit of each group of the data
suppressPackageStartupMessages({library(dplyr); library(tidyr); library(purrr); library(tibble); library(broom); library(BradleyTerry2)})
options(pillar.sigfig = 7)
d <- data.frame(
  day = rep(c("one", "two"), each = 6), a = c("p", "p", "p", "q", "q", "r"), b = c("q", "r", "s", "r", "s", "s"),
  x = c(14, 15, 9, 17, 11, 13, 9, 12, 8, 13, 7, 10), y = c(8, 5, 11, 3, 9, 7, 9, 11, 6, 9, 12, 8)
) |> mutate(across(c(a, b), \(v) factor(v, levels = c("p", "q", "r", "s"))))
fit_one <- function(d) BTm(cbind(x, y), a, b, ~ item, id = "item", data = as.data.frame(d))
m <- fit_one(d)
tidy(m, conf.int = FALSE) |> mutate(term = sub("^item", "", term)) |> arrange(desc(estimate)) |> select(term, estimate, std.error)
tidy(m) |> select(-statistic) |> filter(p.value < 0.9) |> pull(estimate)
glance(m)
of_days <- d |> group_by(day) |> nest() |> mutate(fit = map(data, \(d) fit_one(d)), table = map(fit, tidy)) |> ungroup()
wide <- of_days |> select(day, table) |> unnest(table) |> select(day, term, estimate) |> pivot_wider(names_from = day, values_from = estimate)
wide
cor(wide[, -1], method = "spearman")
cor(wide[, -1], method = "kendall")
map_dbl(of_days$fit, deviance) |> set_names(of_days$day)
est <- map(of_days$fit, coef) |> set_names(of_days$day)
round(est$two["itemq"] - est[["one"]]["itemq"], 4)
fits <- map(1:2, \(k) BTm(cbind(x, y), a, b, data = transform(d, x = x + k)))
map(fits, tidy) |> bind_rows(.id = "fit")
ability <- c(itemp = 0, coef(m))
wr <- plogis(outer(ability, ability, "-")) - diag(0.5, 4)
as_tibble(wr, rownames = "item") |> pivot_longer(-item, names_to = "vs", values_to = "p") |> slice_max(p, n = 3)
board <- BTabilities(m) |> as.data.frame() |> rownames_to_column("item") |> arrange(desc(ability)) |> mutate(rating = 1000 + 173.7 * ability, low = rating - 340 * s.e., place = row_number(), tier = case_when(rating > 1050 ~ "A", rating > 1000 ~ "B", TRUE ~ "C"))
board
board |> select(place, item, tier)
