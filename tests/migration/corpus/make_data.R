# Makes the data of the scripts that have some anew: Rscript make_data.R, in this folder. Nobody's data; every draw has a seed.
RNGversion("4.2.2")
put <- function(d, script, name) write.csv(d, file.path("scripts", script, name), row.names = FALSE, quote = FALSE)
pairs_of <- function(items) setNames(as.data.frame(t(combn(items, 2))), c("a", "b"))
answer <- function(eta, tie = NULL) {
  # 1 first, 0 no preference, -1 second; Davidson's ties with log nu = tie.
  u <- runif(length(eta))
  p1 <- exp(eta / 2); p2 <- exp(-eta / 2); p0 <- if (is.null(tie)) 0 else exp(tie)
  total <- p1 + p2 + p0
  ifelse(u < p1 / total, 1, ifelse(u < (p1 + p0) / total, 0, -1))
}

# -- teas, by region; some counts were never filled in
set.seed(4101)
teas <- c("Assam", "Ceylon", "Darjeeling", "Keemun", "Nilgiri")
worth <- rbind(north = c(0, .9, .4, -.5, .1), south = c(0, .2, .8, -.2, -.6), west = c(0, .5, .5, .3, -.3))
tea <- do.call(rbind, lapply(rownames(worth), function(r) {
  p <- pairs_of(teas)
  n <- sample(18:30, nrow(p), TRUE)
  won <- rbinom(nrow(p), n, plogis(worth[r, match(p$a, teas)] - worth[r, match(p$b, teas)]))
  data.frame(region = r, left = p$a, right = p$b, won = won, lost = n - won)
}))
tea[c(7, 19), "won"] <- NA
put(tea, "tea_regions", "tea.csv")

# -- a chess club: 8 players, two seasons, draws, ratings
set.seed(4102)
club <- c("Adler", "Berg", "Claes", "Dahl", "Eriksen", "Falk", "Grip", "Holm")
skill <- setNames(c(.9, .2, -.3, .5, -.8, .1, -.4, -.2), club)
g <- expand.grid(white = club, black = club, stringsAsFactors = FALSE)
g <- g[g$white != g$black, ]
g <- rbind(cbind(g, season = "2021/22"), cbind(g, season = "2022/23"))
a <- answer(skill[g$white] - skill[g$black] + .35, -.6)
g$result <- c("0-1", "1/2", "1-0")[a + 2]
put(g[sample(nrow(g)), c("season", "white", "black", "result")], "chess_club", "games.csv")
put(data.frame(player = club, rating = round(1900 + 180 * skill + rnorm(8, 0, 40)),
               junior = c("no", "no", "yes", "no", "yes", "no", "yes", "no")), "chess_club", "players.csv")

# -- a football season of six teams, home and away, twice
set.seed(4104)
clubs <- c("Athletic", "Borough", "City", "Dynamo", "Rovers", "United")
strength <- setNames(c(.2, -.7, .8, 0, -.3, .4), clubs)
f <- expand.grid(home = clubs, away = clubs, stringsAsFactors = FALSE)
f <- f[f$home != f$away, ]
f <- f[rep(seq_len(nrow(f)), 3), ]
f$result <- answer(strength[f$home] - strength[f$away] + .45, -.1)
f$round <- seq_len(nrow(f))
put(f[, c("round", "home", "away", "result")], "football_season", "matches.csv")

# -- students compare four ways of teaching: 6 answers each in prefmod's order, three categories, covariates, missing
set.seed(4105)
n <- 90
gender <- sample(1:2, n, TRUE)
year <- sample(1:3, n, TRUE, c(.5, .3, .2))
lambda <- rbind(c(.8, .2, -.3, 0), c(.3, .7, -.4, 0))
order6 <- list(c(1, 2), c(1, 3), c(2, 3), c(1, 4), c(2, 4), c(3, 4))
s <- sapply(order6, function(p) answer(lambda[cbind(gender, p[1])] - lambda[cbind(gender, p[2])], -1.2))
s[cbind(sample(n, 12, TRUE), sample(6, 12, TRUE))] <- NA
colnames(s) <- c("LS", "LP", "SP", "LO", "SO", "PO")
put(data.frame(s, gender, year), "student_survey", "survey.csv")

# -- beers, tasted in pairs by three kinds of drinkers
set.seed(4106)
beers <- c("Pils", "Weizen", "Stout", "Porter")
who <- sample(c("expert", "novice", "regular"), 60, TRUE)
bw <- rbind(expert = c(-.4, 0, .9, .5), novice = c(.9, .7, -.4, -.8), regular = c(.4, .3, .2, -.2))
pp <- combn(4, 2)
b <- apply(pp, 2, function(p) ifelse(answer(bw[who, p[1]] - bw[who, p[2]]) > 0, 1, -1))
colnames(b) <- apply(pp, 2, function(p) paste(substr(beers[p], 1, 1), collapse = ""))
colnames(b) <- c("pils_weizen", "pils_stout", "pils_porter", "weizen_stout", "weizen_porter", "stout_porter")
age <- round(runif(60, 19, 66))
put(data.frame(taster = seq_len(60), who, age, b), "beer_panel", "beer.csv")

# -- snacks, single comparisons: who, hungry, which lay left
set.seed(4107)
snacks <- c("apple", "biscuit", "crisps", "dates")
k <- 260
left <- sample(snacks, k, TRUE)
right <- vapply(left, function(x) sample(setdiff(snacks, x), 1), "")
hungry <- sample(c("no", "some", "very"), k, TRUE)
base <- setNames(c(.1, .6, .3, 0), snacks)
more <- c(no = 0, some = .3, very = .7)
eta <- base[left] - base[right] + .25 + more[hungry] * ((left == "crisps") - (right == "crisps"))
d <- data.frame(person = sample(1:40, k, TRUE), left, right, hungry, chose_left = rbinom(k, 1, plogis(eta)))
d$hungry[sample(k, 9)] <- NA
put(d, "snack_design", "snacks.csv")

# -- scents: less, same, more pleasant than; two rooms
set.seed(4108)
scents <- c("cedar", "lemon", "rose", "vetiver")
k <- 300
first <- sample(scents, k, TRUE)
second <- vapply(first, function(x) sample(setdiff(scents, x), 1), "")
base <- setNames(c(.3, .9, .5, 0), scents)
z <- base[first] - base[second] + rlogis(k)
put(data.frame(room = sample(c("A", "B"), k, TRUE), first, second,
               verdict = ifelse(z > .5, "better", ifelse(z < -.5, "worse", "same"))), "scent_polr", "scents.csv")

# -- fifteen judges, five systems, one comparison a line
set.seed(4109)
systems <- paste0("sys", 1:5)
k <- 300
judge <- sample(sprintf("J%02d", 1:15), k, TRUE)
x <- sample(systems, k, TRUE)
y <- vapply(x, function(i) sample(setdiff(systems, i), 1), "")
own <- matrix(rnorm(75, 0, .5), 15, dimnames = list(sprintf("J%02d", 1:15), systems))
base <- setNames(c(0, .4, .9, -.3, .2), systems)
eta <- base[x] - base[y] + own[cbind(judge, x)] - own[cbind(judge, y)]
put(data.frame(judge, x, y, x_wins = rbinom(k, 1, plogis(eta))), "judges_random", "votes.csv")
put(data.frame(system = systems, words = c(310, 280, 455, 190, 350)), "judges_random", "systems.csv")

# -- where people sit in a bus: rankings of four seats, 1 the best; a few did not rank all
set.seed(4110)
seats <- c("front", "middle", "back", "upstairs")
k <- 80
when <- sample(c("day", "night"), k, TRUE)
u <- rbind(day = c(.2, .6, 0, 1), night = c(1, .5, -.6, 0))
r <- t(vapply(seq_len(k), function(i) rank(-(u[when[i], ] - log(-log(runif(4))))), numeric(4)))
colnames(r) <- seats
put(data.frame(rider = seq_len(k), when, r), "bus_seats", "seats.csv")

# -- an arena of six chatbots and two judges, with ties and answers of some length
set.seed(4111)
bots <- c("amber", "basalt", "coral", "dune", "ember", "fjord")
k <- 420
ma <- sample(bots, k, TRUE)
mb <- vapply(ma, function(x) sample(setdiff(bots, x), 1), "")
base <- setNames(c(.3, .9, -.2, .1, -.7, 0), bots)
wa <- round(rgamma(k, 9, 9 / 260)); wb <- round(rgamma(k, 9, 9 / 260))
v <- answer(base[ma] - base[mb] + .15 * (wa - wb) / 100, -.9)
winner <- c("model_b", "tie", "model_a")[v + 2]
winner[v == 0 & runif(k) < .2] <- "both bad"
put(data.frame(judge = sample(c("gull", "heron"), k, TRUE), model_a = ma, model_b = mb, winner, words_a = wa, words_b = wb),
    "chatbot_pipes", "votes.csv")
