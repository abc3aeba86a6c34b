# Turner and Firth (2012), Bradley-Terry Models in R, JSS 48(9): its models, section by section.
library(BradleyTerry2)

# 2.1 citations between journals of statistics
data(citations)
cites <- countsToBinomial(citations)
names(cites)[1:2] <- c("journal1", "journal2")
journals <- BTm(cbind(win1, win2), journal1, journal2, ~ journal, id = "journal", data = cites)
journals
update(journals, refcat = "JASA")

# 2.2 with reduced bias
update(journals, br = TRUE)

# 3.1 and 3.2 lizards: what a male is like, and what is left of him
data(flatlizards)
size <- BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards)
summary(size)
four <- BTm(1, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..] + (1 | ..),
            data = flatlizards)
summary(four)

# 3.3 baseball at home
data(baseball, package = "BradleyTerry2")
teams <- BTm(cbind(home.wins, away.wins), home.team, away.team, data = baseball, id = "team")
summary(teams)
baseball$home.team <- data.frame(team = baseball$home.team, at.home = 1)
baseball$away.team <- data.frame(team = baseball$away.team, at.home = 0)
home <- update(teams, formula = ~ team + at.home)
summary(home)

# 3.4 students and schools
data(CEMS)
table8 <- BTm(cbind(win1.adj, win2.adj), school1, school2,
              ~ .. + WOR[student] * LAT[..] + DEG[student] * St.Gallen[..] + STUD[student] * Paris[..] +
                STUD[student] * St.Gallen[..] + ENG[student] * St.Gallen[..] + FRA[student] * London[..] +
                FRA[student] * Paris[..] + SPA[student] * Barcelona[..] + ITA[student] * London[..] +
                ITA[student] * Milano[..] + SEX[student] * Milano[..],
              refcat = "Stockholm", data = CEMS)
coef(table8)

# 4 abilities
BTabilities(home)
head(BTabilities(four), 4)

# 5 residuals
head(residuals(four), 4)
res <- residuals(four, type = "grouped")
lm(res ~ throat.PC1, weights = attr(res, "weights"), data = flatlizards$predictors)
lm(res ~ head.length, weights = attr(res, "weights"), data = flatlizards$predictors)
